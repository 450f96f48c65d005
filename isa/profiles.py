# SPDX-License-Identifier: Apache-2.0
"""Profiles: named sets of the parameters in which the two descriptions of the hardware differ.

The values live in ``data/profiles.toml``, with a line on each parameter and the decision it comes
from.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from pathlib import Path
from typing import Any, Final

from tilepath.engine.errors import there_are
from tilepath.isa.errors import IsaError

DEFAULT = "baseline"
NONE: Final = "?"
"""Stands for what no value of a parameter means, in a profile that cannot be had any more."""

_DATA = Path(__file__).parent / "data" / "profiles.toml"


@dataclasses.dataclass(frozen=True)
class Profile:
    """One profile; ``values`` are its attributes, too: ``profiles.get("baseline").row_w``.

    Flags are 0 or 1, choices names, tables tuples. Units and meaning: ``data/profiles.toml``.
    """

    name: str
    values: dict[str, Any] = dataclasses.field(hash=False)

    def __getattr__(self, key: str) -> Any:
        try:
            return vars(self)["values"][key]
        except KeyError:
            raise AttributeError(f"there is no parameter {key!r} of profiles") from None

    def rtl_parameters(self) -> dict[str, int]:
        """Values for RTL, keyed by upper-case name.

        A choice becomes its position in ``choices``; the entries of a table take four bits each,
        entry 0 lowest.
        """
        return {key.upper(): to_rtl(key, value) for key, value in self.values.items()}


@functools.cache
def _load() -> dict[str, Any]:
    with _DATA.open("rb") as file:
        return tomllib.load(file)


def names() -> tuple[str, ...]:
    """Names of the profiles, the default one first."""
    return tuple(_load()["names"])


def having(key: str, value: Any) -> tuple[str, ...]:
    """Names of the profiles in which a parameter has this value."""
    return tuple(name for name in names() if getattr(get(name), key) == value)


def parameters() -> dict[str, dict[str, Any]]:
    """The rows of ``profiles.toml`` by name: values, meaning, source and, if any, choices."""
    table: dict[str, dict[str, Any]] = _load()["parameter"]
    return table


def to_rtl(name: str, value: int | str | tuple[int, ...] | list[int]) -> int:
    """Integer that stands for ``value`` in RTL (see ``Profile.rtl_parameters``)."""
    if isinstance(value, str):
        choices: list[str] = parameters()[name]["choices"]
        return choices.index(value)
    if isinstance(value, (tuple, list)):
        return sum(entry << (4 * place) for place, entry in enumerate(value))
    return value


def _checked(name: str, value: Any) -> Any:
    row = parameters()[name]
    if "choices" in row:
        if value not in row["choices"]:
            raise IsaError(f"profiles.toml: {name}: {value!r} is not one of {row['choices']}")
        return value
    if isinstance(value, list) and value and all(type(v) is int and 0 <= v < 16 for v in value):
        return tuple(value)
    if type(value) is not int or value < 0:
        raise IsaError(f"profiles.toml: {name}: {value!r} is not a non-negative integer")
    return value


@functools.cache
def _all() -> dict[str, Profile]:
    for key, row in parameters().items():
        if len(row["values"]) != len(names()):
            raise IsaError(f"profiles.toml: {key}: {len(names())} values wanted, one per profile")
    return {
        profile: Profile(
            profile, {key: _checked(key, row["values"][place]) for key, row in parameters().items()}
        )
        for place, profile in enumerate(names())
    }


@functools.cache
def get(name: str = DEFAULT) -> Profile:
    """The profile called ``name``, which may be followed by parameters set by hand.

    ``baseline,row_w=16`` is ``baseline`` with another value for one parameter; a table is written
    ``upsample_zeros=0:1:2:4``. Raises ``IsaError`` (a ``ValueError``) with one line for an unknown
    profile or parameter and for a value that the parameter cannot have.
    """
    start, *settings = name.split(",")
    try:
        profile = _all()[start]
    except KeyError:
        raise IsaError(f"unknown profile {start!r}; {there_are(names(), start)}") from None
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise IsaError(f"profile {name!r}: {setting!r} is not parameter=value")
        if key in values:
            raise IsaError(f"profile {name!r}: {key} is set twice")
        values[key] = _parsed(name, key, text)
    return Profile(name, profile.values | values) if values else profile


def written(value: Any) -> str:
    """The value of a parameter as it is set by hand."""
    return ":".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def values(key: str) -> list[Any]:
    """What a parameter can be set to by hand; of one that cannot, nothing."""
    row = parameters()[key]
    found: list[Any] = row.get("choices") or row.get("allowed") or []
    return found


def _parsed(name: str, key: str, text: str) -> int | str | tuple[int, ...]:
    """The one of the parameter's values that ``text`` stands for."""
    from tilepath.isa import errata  # which knows all profiles

    if key not in parameters():
        what = f"erratum {key} is no parameter"
        if key not in errata.table():
            known = sorted({*parameters(), *errata.table()})
            what = f"there is no parameter {key!r}; {there_are(known, key)}"
        raise IsaError(f"profile {name!r}: {what}")
    if text == NONE:
        raise IsaError(
            f"profile {base(name)!r} as it was before there was {key}: "
            "none of its values stands for that, so do it again"
        )
    if not (allowed := values(key)):
        raise IsaError(f"parameter {key} cannot be set by hand")
    texts = [written(value) for value in allowed]
    if text not in texts:
        raise IsaError(f"parameter {key} cannot be {text!r}: choose from {', '.join(texts)}")
    checked: int | str | tuple[int, ...] = _checked(key, allowed[texts.index(text)])
    errata.check_setting(base(name), key, checked)
    return checked


def base(name: str) -> str:
    """The profile that ``name`` is, whatever parameters are set by hand behind it."""
    return name.split(",")[0]


def readings(name: str) -> str:
    """The values of all parameters, as they are set by hand: what is stored with a result."""
    return ",".join(f"{key}={written(value)}" for key, value in get(name).values.items())


def changed(name: str, stored: str) -> list[str]:
    """What is to be set by hand for a profile to mean what it meant when a result was stored.

    ``stored``: its ``readings``; empty: the result is older than these. A parameter that there was
    not, then, had the value ``before``; ``NONE`` where none of its values means the same.
    """
    now = dict(one.split("=", 1) for one in readings(name).split(","))
    then = dict(one.split("=", 1) for one in stored.split(",")) if stored else {}
    for key, row in parameters().items():
        if key not in then and f",{key}=" not in name and (stored or "before" in row):
            then[key] = written(row.get("before", NONE))
    return [f"{key}={value}" for key, value in then.items() if now.get(key) != value]
