# SPDX-License-Identifier: Apache-2.0
"""``make synth``: every block must synthesize, without latches, loops or leftovers.

Two figures of depth. *Gates*: the longest path of the design as written, mapped to Yosys' own gates
without ABC and without sharing of arithmetic (where much of it is guarded, that takes an hour).
*Levels*: the longest path after ABC has restructured the whole network for delay, which folds the
chains that nobody would build. Both are good for comparing designs, not for predicting silicon.
A block has a limit for each; it is too deep when it is above all of them.

The same for each module with what is in it, synthesized by itself: one of each kind. Levels are
worked out only where a module, or a huge block, has more gates than allowed: nothing else depends
on them.

Modules that a block calls macros (``Block.macros``) become black boxes, each instance one with the
widths that it has: memories that no one would build from gates. They count neither as cells nor as
flip-flops, and are listed with their sizes and ports. What is read out of one in the cycle of its
address is one gate behind the address; all other paths begin and end there. A port of an instance,
black box or not, that is connected to another width than it has is an error.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.table import Table

from tilepath.engine.commands import answers, yosys
from tilepath.engine.commands.answers import Arcs, Memory, SynthError, listed
from tilepath.engine.commands.report import make_console, table_of
from tilepath.engine.commands.yosys import WORK, Sources
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.project import project

_GATE = re.compile(r"\$_[A-Z0-9_]+_")
_FLIP_FLOP = re.compile(r"\$_(S?DFF|ALDFF|FF_).*")
_LATCH = re.compile(r"\$_(DLATCH|SR_|DLATCHSR).*|\$a?dlatch.*|\$sr")
# Yosys' ``synth -noabc -noshare -flatten`` without its checks, which repeat the one before it.
_SYNTH = (
    "proc; opt_expr; opt_clean; opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; opt_clean; "
    "alumacc; opt; memory -nomap; opt_clean; opt -fast -full; memory_map; opt -full; techmap; "
    "opt -fast"
)
_GATES = 60  # levels of a module are worked out above this, where its block has no limit
_HUGE = 250_000  # cells of a whole block, likewise


@dataclass(frozen=True)
class Netlist:
    """What came out for one block."""

    block: str
    cells: int
    flip_flops: int
    latches: int
    longest_path: int
    unmapped: tuple[str, ...]
    memories: tuple[Memory, ...] = ()  # its macros
    ends: tuple[str, str] = ("", "")  # of the longest path: signals, with their instances
    levels: int | None = None  # after ABC; None: not worked out

    @property
    def macros(self) -> int:
        """Instances of macros."""
        return sum(memory.instances for memory in self.memories)

    @property
    def memory_bits(self) -> int:
        """Bits of all macros."""
        return sum(memory.all_bits for memory in self.memories)

    @property
    def sound(self) -> bool:
        """Whether there is nothing in it that must not be."""
        return self.latches == 0 and not self.unmapped

    def too_deep(self, max_gates: int, max_levels: int) -> bool:
        """Whether it is above every limit that there is; a limit of 0 is none."""
        above = [self.longest_path > max_gates] if max_gates else []
        if max_levels:
            above.append(self.levels is None or self.levels > max_levels)
        return bool(above) and all(above)

    @property
    def depth(self) -> str:
        """Both figures and the ends of the longest path, for messages."""
        levels = "" if self.levels is None else f" and {self.levels} levels"
        return f"{self.longest_path} gates{levels} from {' to '.join(self.ends)}"


def synthesize(block: str, sources: Sources, kept: Sequence[str] = ()) -> Netlist:
    """Synthesize one design to Yosys' own gates; the netlist is left in ``build/synth``.

    Args:
        block: name for files and messages.
        sources: the design.
        kept: signals that stay although no gate reads them; patterns, as Yosys has them.

    Raises:
        SynthError: Yosys reports an error, or ends without having finished; there is no instance
            of a macro.
    """
    script = [
        sources.read(*["--keep-hierarchy"] * bool(sources.macros)),
        f"hierarchy -check -top {sources.dut}",
        *sources.inside(block),
        *sources.box(),
        "proc",
        "flatten -noscopeinfo",
        *(f"setattr -set keep 1 w:{pattern}" for pattern in kept),
        "opt_clean",
        # slang turns a latch in always_comb into a loop of multiplexers; this finds both.
        "check -assert",
        *_gates(sources.dut, block),
    ]
    yosys.run(script, sources.root, block, _results(block))
    return _netlist(block, sources, sources.memories(block), sources.arcs(block), block)


def synthesize_modules(block: str, sources: Sources) -> list[tuple[str, Netlist]]:
    """One module of each kind below the top, flat and by itself: (name of its netlist, netlist).

    Arguments and errors: as :func:`synthesize`.
    """
    stat, kept = (WORK / f"{block}.modules{suffix}" for suffix in (".json", ".il"))
    script = [
        sources.read("--keep-hierarchy"),
        f"hierarchy -check -top {sources.dut}",
        "proc",
        "opt_clean",
        f"tee -q -o {stat} stat -width -json",
        *sources.inside(block),
        *sources.box(),
        f"write_rtlil {kept}",
    ]
    yosys.run(script, sources.root, f"{block}.modules", [stat, kept])
    modules = (sources.root / stat).read_text()
    kinds = yosys.kinds(modules)
    chosen = {
        f"{block}.{number}": (top, name)
        for number, (top, name) in enumerate(kinds.items())
        if name not in (sources.dut, *sources.macros)
    }
    script = [f"read_rtlil {kept}", "design -save all"]
    for file, (top, _name) in chosen.items():
        script += ["design -load all", f"hierarchy -top {top}", *_gates(top, file)]
    results = [path for file in chosen for path in _results(file)]
    yosys.run(script, sources.root, f"{block}.gates", results)
    inside, arcs = sources.memories(block), sources.arcs(block)
    return [(f, _netlist(name, sources, inside, arcs, f)) for f, (_top, name) in chosen.items()]


def _results(file: str) -> list[Path]:
    return [WORK / f"{file}{suffix}" for suffix in (".json", ".netlist", ".il")]


def _gates(top: str, file: str) -> list[str]:
    """Commands that turn a design into gates and write what is asked about them."""
    stat, netlist, design = _results(file)
    return [
        "flatten -noscopeinfo",
        f"hierarchy -check -top {top}",
        _SYNTH,
        f"tee -q -o {stat} stat -json",
        yosys.write_netlist(netlist),
        f"write_rtlil {design}",
    ]


def _netlist(
    name: str, sources: Sources, inside: Mapping[str, Memory], arcs: Arcs, file: str
) -> Netlist:
    """What is in the results of ``file``; ``inside``, ``arcs``: of its black boxes."""
    stat, path, _ = (sources.root / result for result in _results(file))
    found = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    boxes = {kind: number for kind, number in found.items() if kind in inside}
    cells = {kind: number for kind, number in found.items() if kind not in inside}
    missing = set(sources.macros) - {yosys.base(kind) for kind in boxes}
    if missing and file == name:  # a module need not have all of its block's
        raise SynthError(f"no instance of macro {', '.join(sorted(missing))}")
    longest = answers.longest(path, arcs)

    def count(pattern: re.Pattern[str]) -> int:
        return sum(number for kind, number in cells.items() if pattern.fullmatch(kind))

    return Netlist(
        block=name,
        cells=sum(cells.values()),
        flip_flops=count(_FLIP_FLOP),
        latches=count(_LATCH),
        longest_path=longest.length,
        unmapped=tuple(sorted(kind for kind in cells if not _GATE.fullmatch(kind))),
        memories=listed(boxes, inside),
        ends=longest.ends,
    )


def examine(block: Block, profile: str, quick: bool) -> tuple[list[Netlist], list[str]]:
    """The block and then, deepest first, its modules; and what is wrong with them.

    Args:
        block: one with a DUT of its own.
        profile: name of a set of hardware parameters.
        quick: without ABC and without modules.

    Raises:
        SynthError: as :func:`synthesize`.
    """
    sources = Sources(block.dut, block.rtl_sources(), block.parameters(profile), ROOT, block.macros)
    complaints = []

    def with_levels(file: str, found: Netlist) -> Netlist:
        start = time.monotonic()
        try:
            found = replace(
                found, levels=yosys.levels(ROOT, file, found.cells, sources.arcs(block.name))
            )
        except SynthError as error:  # one figure less; whether that matters, the limits tell
            say(f"{block.name}: {found.block}: no levels: {error}")
            return found
        say(f"{block.name}: {found.block}: {found.levels} levels after ABC ({_seconds(start)})")
        return found

    start = time.monotonic()
    whole = synthesize(block.name, sources)
    say(f"{block.name}: {whole.longest_path} gates, {whole.cells:,} cells ({_seconds(start)})")
    modules: list[Netlist] = []
    limit = block.max_gates or (0 if block.max_levels else _GATES)
    if not quick:
        if whole.cells <= _HUGE or whole.longest_path > limit:
            whole = with_levels(block.name, whole)
        start = time.monotonic()
        found = synthesize_modules(block.name, sources)
        say(f"{block.name}: gates of {len(found)} modules ({_seconds(start)})")
        modules = [with_levels(f, m) if m.longest_path > limit else m for f, m in found]
        modules.sort(key=lambda m: (m.levels or 0, m.longest_path), reverse=True)
    if not whole.sound:
        left = ", ".join(whole.unmapped) or "no unmapped cells"
        complaints.append(f"{block.name}: {whole.latches} latches, {left}")
    for one in (whole, *modules):
        if one.too_deep(block.max_gates, 0 if quick else block.max_levels):
            where = block.name if one is whole else f"{block.name}: {one.block}"
            allowed = f"{block.max_gates} gates or {block.max_levels} levels are allowed"
            complaints.append(f"{where}: {one.depth}, {allowed}")
    return [whole, *modules], complaints


def say(line: str) -> None:
    """A line of progress."""
    print(f"synth: {line}", file=sys.stderr, flush=True)


def _seconds(start: float) -> str:
    return f"{time.monotonic() - start:.0f} s"


def _row(block: Block, found: Netlist) -> list[str]:
    limits = f"{block.max_gates or '–'} / {block.max_levels or '–'}"
    return [
        f"{found.cells:,}",
        f"{found.flip_flops:,}",
        str(found.latches),
        str(found.longest_path),
        "–" if found.levels is None else str(found.levels),
        limits,
        " … ".join(found.ends),
    ]


def _memory_table(found: list[Netlist]) -> Table:
    """The black boxes of blocks: each memory once, with a line for all of a block."""
    titles = (">memories", ">words × bits", ">all bits", ">write ports", ">read ports")
    table = table_of("block", *titles, "read is out", "where")
    for netlist in found:
        for one in netlist.memories:
            size = f"{one.words} × {one.bits}"
            figures = [str(one.instances), size, f"{one.all_bits:,}", str(one.writes)]
            out = "a cycle later" if one.registered else "at once"
            table.add_row(netlist.block, *figures, str(one.reads), out, one.place)
        table.add_row(netlist.block, str(netlist.macros), "", f"{netlist.memory_bits:,}")
    return table


def main() -> int:
    """Synthesize the blocks named on the command line, or all; 0 when all are sound."""
    parser = argparse.ArgumentParser(prog="make synth", description="Synthesis check.")
    parser.add_argument("--block", action="append", help="only this block")
    parser.add_argument("--profile", default=project().profiles.DEFAULT)
    parser.add_argument("--quick", action="store_true", help="without ABC, without modules")
    parser.add_argument("--modules", action="store_true", help="print all modules")
    arguments = parser.parse_args()
    try:
        project().profiles.get(arguments.profile)
        named = [load_block(name) for name in arguments.block or block_names()]
    except ValueError as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2
    figures = (">cells", ">flip-flop bits", ">latches", ">gates", ">levels", ">limits")
    table = table_of("block", *figures, "longest path in gates, from … to")
    complaints, boxed = [], []
    for block in (block for block in named if block.dut):  # joined blocks have no RTL of their own
        try:
            (whole, *modules), wrong = examine(block, arguments.profile, arguments.quick)
        except SynthError as error:
            complaints.append(f"{block.name}: {error}")
            continue
        complaints += wrong
        boxed += [whole] if whole.memories else []
        table.add_row(whole.block, *_row(block, whole))
        for module in modules if arguments.modules else modules[:1]:  # the deepest one
            table.add_row(f"  {module.block}", *_row(block, module))
    console = make_console()
    console.print(table)
    if boxed:
        console.print(_memory_table(boxed))
    for complaint in complaints:
        print(f"synth: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
