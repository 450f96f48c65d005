# SPDX-License-Identifier: Apache-2.0
"""The contract of ports of a block: what its RTL has, which somebody's design must have as well."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath.engine.commands.errors import UsageError, writing
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.own_rtl.elaborated import Elaborated, Port
from tilepath.engine.commands.own_rtl.file_list import FileList
from tilepath.engine.commands.report import make_console, say, table_of
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.files import write_whole

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
