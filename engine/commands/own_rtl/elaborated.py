# SPDX-License-Identifier: Apache-2.0
"""A design as slang elaborates it: its files, its modules, the ports of one, what is wrong.

And the contract of ports of a block: what its RTL has, which somebody's design must have as well.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from tilepath.engine.commands.errors import UsageError, writing
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.own_rtl.file_list import FileList
from tilepath.engine.commands.report import make_console, say, table_of
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.files import write_whole

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
        escaped = (re.sub(r'(["\\])', r"\\\1", word) for word in words)
        driver.parseCommandLine(" ".join(["slang", *(f'"{word}"' for word in escaped)]))
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


_SKELETON: Final = """\
{about}
`default_nettype none

{header}
  // yours

endmodule

`default_nettype wire
"""


def with_dut(name: str) -> Block:
    """The block called so; ``UsageError`` if there is none, or none with RTL of its own."""
    check_block(name)
    block = load_block(name.replace("+", "_"))
    if not block.dut:
        raise UsageError(f"block {name} joins others or is part of the bench: it has no ports")
    return block


def contract(block: Block, profile: str) -> list[Port]:
    """Parameters and ports that a design in the place of a block's has, with a profile."""
    values = block.parameters(profile)
    return Elaborated(block.rtl_sources(), FileList(), block.dut, values).ports(values)


def _source(block: Block) -> str:
    texts = (path.read_text(errors="replace") for path in block.rtl_sources())
    head = re.compile(rf"^\s*module\s+{block.dut}\b", re.MULTILINE)
    return next(text for text in texts if head.search(text))


def header(block: Block) -> str:
    """The block's module up to the end of its ports, as its source has it."""
    head = rf"^\s*module\s+{block.dut}\b.*?\)\s*;[^\n]*\n"
    found = re.search(head, _source(block), re.MULTILINE | re.DOTALL)
    assert found, f"the sources have no module {block.dut}"
    return found[0].lstrip()


def skeleton(block: Block) -> str:
    """A module with the ports and nothing in it; what the block's says of itself is above it."""
    lines = _source(block).splitlines()
    end = next(number for number, line in enumerate(lines) if not line.startswith("//"))
    about = [line for line in lines[:end] if "SPDX" not in line]
    return _SKELETON.format(about="\n".join(about).removeprefix("//\n"), header=header(block))


def show_ports(name: str, profile: str, out: Path | None) -> None:
    """Print a block's contract of ports, or write the skeleton; ``UsageError``."""
    block = with_dut(name)
    if out is not None:
        with writing(out):
            write_whole(out, skeleton(block).encode())
        print(f"wrote {out}; now: tilepath run --block {name} --rtl {out}")
        return
    values = block.parameters(profile)
    table = table_of("port", "direction", "type")
    for port in contract(block, profile):
        table.add_row(port.name, port.kind, port.shape or f"int, {values[port.name]} in {profile}")
    console = make_console()
    console.print(table)
    page = ROOT / "docs" / f"{block.name}.md"
    say(console, "", skeleton(block), f"cycle contract: {page if page.is_file() else page.name}")


def compare(block: Block, wanted: Sequence[Port], found: Sequence[Port], whose: str) -> None:
    """``UsageError`` with a table of all that is not the same in two lists of ports."""
    mine = {port.name: port for port in found}
    rows = []
    for port in wanted:
        other = mine.pop(port.name, None)
        if other is None:
            rows.append((port.name, "missing", f"{port.kind} {port.shape}", ""))
        elif other != port:
            what = "direction" if other.kind != port.kind else "width"
            what_is = f"{other.kind} {other.shape}"
            rows.append((port.name, what, f"{port.kind} {port.shape}", what_is))
    rows += [(p.name, "too many", "", f"{p.kind} {p.shape}") for p in mine.values()]
    if rows:
        text = io.StringIO()
        table = table_of("port", "what", f"block {block.name}", whose)
        for row in rows:
            table.add_row(*row)
        Console(file=text, width=200).print(table)
        lines = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
        raise UsageError(
            f"{whose} has not the ports of block {block.name} (tilepath ports --block "
            f"{block.name}): {len(rows)} are not as they should be",
            lines,
        )
