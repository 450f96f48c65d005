# SPDX-License-Identifier: Apache-2.0
"""The project whose designs the engine runs: where they are, which profiles and words it has.

The engine imports no design. ``TILEPATH_PROJECT`` names a module that has ``PROJECT``; without it
the designs are those of the package that the engine is in.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

PROJECT_VARIABLE: Final = "TILEPATH_PROJECT"
"""Environment variable: import name of a module with ``PROJECT``; simulators get it, too."""

ENGINE: Final = Path(__file__).resolve().parent
_OWN: Final = "tilepath.project"


class ProjectError(ValueError):
    """What is asked of a project that it has not, or a project that is none: one line."""


class Profile(Protocol):
    """A named set of a design's parameters."""

    def rtl_parameters(self) -> dict[str, int]:
        """Values for RTL, by upper-case name."""


class Profiles(Protocol):
    """The profiles of a project; functions that are given a wrong name raise ``ValueError``."""

    @property
    def DEFAULT(self) -> str:
        """The one that is taken where none is named."""

    def names(self) -> tuple[str, ...]:
        """All of them, the default one first."""

    def get(self, name: str) -> Profile:
        """The one of this name, behind which parameters may be set by hand."""

    def base(self, name: str) -> str:
        """The profile that a name is, without parameters that are set by hand."""

    def readings(self, name: str) -> str:
        """The values of all parameters: what is stored with a result."""

    def changed(self, name: str, stored: str) -> list[str]:
        """What is to be set by hand for a profile to mean what it meant when it was stored."""

    def values(self, key: str) -> list[Any]:
        """What a parameter can be set to by hand."""

    def written(self, value: Any) -> str:
        """A value as it is set by hand."""


class _NoParameters:
    """The profile of a project that has no parameters."""

    def rtl_parameters(self) -> dict[str, int]:
        return {}


class OneProfile:
    """The profiles of a project that has none: one, without parameters."""

    DEFAULT = "baseline"

    def names(self) -> tuple[str, ...]:
        """The only name."""
        return (self.DEFAULT,)

    def get(self, name: str) -> Profile:
        """The only one; ``ValueError`` for another name."""
        if name != self.DEFAULT:
            raise ValueError(f"unknown profile {name!r}; there are: {self.DEFAULT}")
        return _NoParameters()

    def base(self, name: str) -> str:
        """The name itself."""
        return name

    def readings(self, _name: str) -> str:
        """No values."""
        return ""

    def changed(self, _name: str, _stored: str) -> list[str]:
        """Nothing can have changed."""
        return []

    def values(self, _key: str) -> list[Any]:
        """There is no parameter."""
        return []

    def written(self, value: Any) -> str:
        """A value as text."""
        return str(value)


def _refused(line: str, _profile: str) -> int:
    raise ValueError(f"this project has no assembly: {line!r}")


@dataclass(frozen=True)
class Project:
    """What the engine has to know.

    Attributes:
        root: its folder, with ``rtl/``, ``tb/<block>/`` and ``sequences/<block>/``.
        package: the import name of that folder.
        profiles: its profiles.
        assemble: a word of a line of assembly, of a profile; ``ValueError`` for what is none.
        fault_name: a fault's name as reports have it.
        program_files: suffix of files that can be named in the place of tests → what makes tests of
            them: of names, and a profile, the names without suffix.
        extensions: import name of a package with modules that commands ask for where an option
            is given: ``witness``, ``scheduled``.
        of_one_run: prints more of a run that somebody plays alone: block, and folder of the run.
    """

    root: Path
    package: str
    profiles: Profiles = field(default_factory=OneProfile)
    assemble: Callable[[str, str], int] = _refused
    fault_name: Callable[[str], str] = str
    program_files: Mapping[str, Callable[[Sequence[str], str], tuple[str, ...]]] = field(
        default_factory=dict
    )
    extensions: str = ""
    of_one_run: Callable[[str, Path], None] = lambda _block, _run_dir: None

    def extension(self, name: str) -> Any:
        """One of these modules; :class:`ProjectError` if the project has none."""
        if not self.extensions:
            raise ProjectError(f"the project of {self.package} has nothing for this: no {name}")
        return importlib.import_module(f"{self.extensions}.{name}")


@functools.cache
def project() -> Project:
    """The project at hand; :class:`ProjectError` when what the environment names is none."""
    name = os.environ.get(PROJECT_VARIABLE, _OWN)
    try:
        found = importlib.import_module(name).PROJECT
    except (ImportError, AttributeError) as error:
        text = f"{PROJECT_VARIABLE}={name} is no module with PROJECT: {error}"
        raise ProjectError(text) from None
    if not isinstance(found, Project):
        raise ProjectError(f"{PROJECT_VARIABLE}={name}: PROJECT is not a Project")
    return found
