# SPDX-License-Identifier: Apache-2.0
"""A design as slang elaborates it: its files, its modules, the ports of one, what is wrong."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.own_rtl.file_list import FileList

DIRECTIONS: Final = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


@dataclass(frozen=True)
class Port:
    """A port, or a parameter: ``kind`` is its direction, or ``parameter``.

    ``shape``: ``32 bits``, and with the elements of an array ``3 x 32 bits [0:2]``.
    """

    name: str
    kind: str
    shape: str


@dataclass(frozen=True)
class Wrong:
    """An error: ``file`` as it calls itself, ``source`` is the line."""

    file: str
    line: int
    text: str
    source: str

    def for_user(self, more: int) -> UsageError:
        """It as the compiler's line, with the source line; ``more``: how many others there are."""
        others = f" (and {more} more)" if more else ""
        shown = f"{self.line:5} | {self.source}"
        return UsageError(f"{shown_path(self.file)}:{self.line}: {self.text}{others}", shown)


class Elaborated:
    """What becomes of some files, in one unit of compilation as simulators read them."""

    def __init__(
        self, files: Iterable[Path], own: FileList, top: str = "", values: Mapping[str, int] = {}
    ) -> None:
        try:
            from pyslang.driver import Driver
        except ImportError:
            raise UsageError("--rtl needs pyslang: pip install 'tilepath[sim]'") from None
        self._named = (*files, *own.files)
        words = [str(path) for path in self._named]
        words += [f"+incdir+{path}" for path in own.folders]
        words += [f"+define+{one}" for one in own.defines]
        for option, some in (("-y", own.libraries), ("--libext", own.extensions)):
            for one in some:
                words += [option, str(one)]
        words += ["--top", top] if top else []
        for name, value in values.items():
            words += ["-G", f"{name}={value}"]
        words += ["-Wnone", "--compat", "vcs", "--timescale", "1ns/1ps", "--single-unit"]
        self._driver = driver = Driver()
        driver.addStandardArgs()
        driver.parseCommandLine(" ".join(["slang", *map(_quoted, words)]))
        driver.processOptions()
        driver.parseAllSources()
        self._compilation = driver.createCompilation()
        self._manager = driver.sourceManager

    def files(self) -> dict[Path, bool]:
        """All files that were read, and whether they were included by others."""
        found = {}
        for buffer in self._manager.getAllBuffers():
            path = Path(self._manager.getFullPath(buffer))
            if path.is_absolute() and path.is_file():
                found[path] = self._manager.getBufferKind(buffer).name == "IncludeFile"
        rest = sorted(found.items())  # slang reads several at once
        return {**dict.fromkeys(self._named, False), **dict(rest)}

    def modules(self) -> list[str]:
        """Names of the modules."""
        return [one.name for one in self._compilation.getDefinitions()]

    def packages(self) -> list[str]:
        """Names of the packages."""
        return [one.name for one in self._compilation.getPackages() if one.name != "std"]

    @property
    def top(self) -> Any:
        """The body of the top module."""
        (top,) = self._compilation.getRoot().topInstances
        return top.body

    def parameters(self) -> set[str]:
        """Names of the top module's parameters."""
        return {one.name for one in self.top.parameters if not one.isLocalParam}

    def ports(self, parameters: Iterable[str] = ()) -> list[Port]:
        """The ports of the top module, behind these parameters of it."""
        there = [one for one in parameters if one in self.parameters()]
        found = [Port(name, "parameter", "") for name in there]
        for one in self.top.portList:
            kind = DIRECTIONS.get(getattr(getattr(one, "direction", None), "name", ""), "")
            shape = _shape(one.type) if kind else one.kind.name
            found.append(Port(one.name, kind or "interface", shape))
        return found

    def wrong(self) -> list[Wrong]:
        """All errors."""
        found = []
        for one in self._compilation.getAllDiagnostics():
            if one.isError():
                at = self._manager.getFullyExpandedLoc(one.location)
                text = self._driver.diagEngine.formatMessage(one)
                name, line, source = self._manager.getFileName(at), 0, ""
                with contextlib.suppress(IndexError, UnicodeDecodeError):  # it has no place
                    line = self._manager.getLineNumber(at)
                    before = self._manager.getSourceText(at.buffer).encode()[: at.offset]
                    number = before.decode().count("\n")
                    source = self._manager.getSourceText(at.buffer).split("\n")[number]
                found.append(Wrong(name, line, text, source.rstrip("\0")))
        return found


def _quoted(word: str) -> str:
    text = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _shape(of: Any) -> str:
    """How wide a type is."""
    count, elements = "", ""
    while of.isUnpackedArray and hasattr(of, "range"):
        count += f"{of.range.width} x "
        elements += f" [{of.range.left}:{of.range.right}]"
        of = of.elementType
    bits = f"{of.bitWidth} bit{'s' * (of.bitWidth > 1)}" if of.isIntegral else str(of)
    return f"{count}{bits}{elements}"


def shown_path(name: str) -> str:
    """A file as the user calls it: from the current folder on, if it is below that."""
    path = Path(name).resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
