# SPDX-License-Identifier: Apache-2.0
"""The engine against plain cocotb: two of its own designs, each with a bench of either kind.

``bench`` starts this module in a process of its own, which has the designs' project.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import resource
import subprocess
import sys
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from tilepath.engine.host.build import BuildError
from tilepath.engine.host.run import run
from tilepath.engine.project import PROJECT_VARIABLE
from tilepath.tests.bench import measure
from tilepath.tests.bench.measure import LEAST, REPLAY, WHOLE, BenchError, Say
from tilepath.tests.bench.ordinary.run import OrdinaryError, build_ordinary
from tilepath.tests.bench.report import Reporter, Target
from tilepath.tests.commands import ROOT
from tilepath.tests.cosim_runs import SMALL

NAME: Final = "engine"
CYCLES: Final = 1_000_000  # of the engine's runs
HUNT: Final = 20_000  # cycles in which a bug must show
_SEEDS: Final = 5  # with which each bug is looked for
_PLAIN_SHARE: Final = 20  # a plain bench runs this many times fewer cycles
_DESIGNS: Final = ROOT / "tests" / "engine" / "designs"
_OUT: Final = ROOT / "build" / "bench" / NAME
_FOUND: Final = re.compile(r"AssertionError: cycle (\d+): ")
_NO_CODE: Final = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
)
# design → bugs: what each is, text of the RTL, and what stands there instead
BUGS: Final = {
    "regs": (
        ("events of a clear are lost", " : seen_q) | events_i", " : seen_q | events_i)"),
        ("8 bits of writes", "writes_q + 16'd1", "16'(writes_q[7:0] + 8'd1)"),
        ("small words are not kept", "3'd3) scratch_q", "3'd3 && |bus_data_i[31:26]) scratch_q"),
    ),
    "arbiter": (
        ("turn goes on without ready", "(out_valid_o && out_ready_i) first_q", "(|valid) first_q"),
        ("b behind c", "client == 2'd2 ? 2'd0", "client == 2'd2 ? 2'd1"),
        ("a word of c is another", ": c_word_i;", ": c_word_i == 8'h80 ? 8'h0 : c_word_i;"),
    ),
}


def bench(sims: Sequence[str], seed: int, rounds: int, cycles: int, quick: bool) -> int:
    """Measure in a process of its own; its exit status."""
    path = os.pathsep.join((str(_DESIGNS.parent), *filter(None, sys.path)))
    project = {"PYTHONPATH": path, PROJECT_VARIABLE: f"{_DESIGNS.name}.project"}
    environment = {"TILEPATH_BUILD": str(ROOT / "build")} | os.environ | project
    asked = json.dumps((sims, seed, rounds, cycles, quick))
    command = (sys.executable, "-m", __name__, asked)
    return subprocess.run(command, env=environment, check=False).returncode


def code_lines(text: str) -> int:
    """Lines with code: not blank, no comment, no docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def lines_of(*designs: str) -> tuple[int, int]:
    """Code lines of their plain benches, what these share among them, and of those here."""
    plain = [ROOT / "tests" / "bench" / "plain" / f"{name}.py" for name in ("common", *designs)]
    ours = [_DESIGNS / "tb" / name / "block.py" for name in designs]
    ours += [_DESIGNS / "sequences" / name / "__init__.py" for name in designs]
    one, other = (sum(code_lines(path.read_text()) for path in some) for some in (plain, ours))
    return one, other


class Plain:
    """The plain bench of a design, built; ``root``: of its RTL."""

    def __init__(self, design: str, sim: str, fast: bool = False, root: Path = _DESIGNS) -> None:
        self._folder = _OUT / sim / f"{design}-{root.name}{'' if fast else '-small'}"
        self._module = f"tilepath.tests.bench.plain.{design}"
        self._built = build_ordinary(design, sim, self._folder, fast=fast, source_root=root)

    def found(self, seed: int, cycles: int = HUNT) -> int | None:
        """The cycle in which a run failed; ``None``: it passed."""
        if self._built.simulate(self._folder, self._module, seed, {}, f"+cycles={cycles}"):
            return None
        log = self._folder / "sim.log"
        if (failed := _FOUND.search(log.read_text(errors="replace"))) is None:
            raise OrdinaryError(f"a plain bench is broken: see {log}")
        return int(failed[1])

    def rate(self, seed: int, cycles: int) -> float:
        """Cycles a CPU second of a run, less another of an eighth of its length: without start."""
        ends = [_children()]
        for length in (cycles // 8, cycles):
            if (cycle := self.found(seed, length)) is not None:
                raise OrdinaryError(f"a plain bench fails in cycle {cycle}: see {self._folder}")
            ends.append(_children())
        return (cycles - cycles // 8) / max(ends[2] - 2 * ends[1] + ends[0], 1e-3)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def engine_finds(design: str, seed: int, root: Path) -> int | None:
    """The cycle of the first mismatch of the bench on the engine; ``None``: it passed."""
    request = measure.kernel_request(design, SMALL, seed, HUNT, WHOLE)
    request = replace(request, source_root=root, fast=False, out_dir=_OUT / SMALL / "planted")
    run(request)
    outcome: dict[str, Any] = json.loads((request.run_dir / "outcome.json").read_text())
    return outcome.get("mismatch_cycle")


def planted(design: str, number: int) -> Path:
    """A folder with the RTL of a design that has one of its bugs; it stays as old as it is."""
    _, text, instead = BUGS[design][number]
    root, name = _OUT / "planted" / f"{design}-{number}", Path("rtl", design, f"{design}.sv")
    before, _, behind = (_DESIGNS / name).read_text().partition(text)
    made = f"{before}{instead}{behind}"
    if not (root / name).exists() or (root / name).read_text() != made:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(made)
    return root


def hunted(name: str, seeds: Sequence[int], *sides: Callable[[int], int | None]) -> str:
    """Median of the cycles until each side finds a bug; :class:`BenchError` if one does not."""
    cycles = [[find(seed) for seed in seeds] for find in sides]
    if any(None in each for each in cycles):
        raise BenchError(f"{name}: not found in {HUNT:,} cycles: {cycles}")
    return " → ".join(f"{median(each):,.0f}" for each in cycles) + f" ({name})"


def _hunt(design: str, seeds: Sequence[int]) -> list[str]:
    """A cell for each bug; the cycles are the same under each simulator."""
    cells = []
    for number, (what, *_) in enumerate(BUGS[design]):
        root = planted(design, number)

        def ours(seed: int, root: Path = root) -> int | None:
            return engine_finds(design, seed, root)

        cells.append(hunted(what, seeds, Plain(design, SMALL, root=root).found, ours))
    return cells


def _lines_target(name: str, lines: tuple[int, int]) -> Target:
    note = f"{lines[0]} → {lines[1]}"
    return Target(f"{name}, lines, engine / plain", lines[1] / lines[0], 0.5, below=True, note=note)


def _measured(design: str, sim: str, seed: int, cycles: int, rounds: int, say: Say) -> list[Target]:
    """The figures of a design; what is compared with what is in their notes."""
    ours = measure.compare_replay(design, sim, seed, cycles, rounds, say, others=())
    say(f"{design}, {sim}: the plain bench")
    plain = Plain(design, sim, fast=cycles > LEAST)
    length = max(LEAST, cycles // _PLAIN_SHARE)
    rate = median(plain.rate(seed, length) for _ in range(rounds))
    note = f"{rate:,.0f} → {ours.rate(WHOLE):,.0f}"
    return [
        _lines_target(design, lines_of(design)),
        Target(
            f"{design}, cycles a second, engine / plain", ours.rate(WHOLE) / rate, 20, note=note
        ),
        Target(f"{design}, {WHOLE} / {REPLAY}", ours.ratio(WHOLE, REPLAY), 0.7),
    ]


def main(asked: str) -> int:
    """Measure what is asked as JSON; the exit status, as of the benchmark."""
    sims, seed, rounds, most, quick = json.loads(asked)
    out, targets = Reporter(), [_lines_target("both designs", lines_of(*BUGS))]
    measure.OUT = _OUT
    seeds = [(seed + n) % (1 << 64) for n in range(1 if quick else _SEEDS)]
    heads = ["lines of the bench", "cycles a CPU second", "whole ÷ replay"]
    heads += [f"cycles until bug {n} is found" for n in (1, 2, 3)]
    try:
        out.say(f"planted bugs, {SMALL}")
        bugs = {design: _hunt(design, seeds) for design in BUGS}
        for sim in sims:
            table = [[f"plain → engine, {sim}", *heads]]
            for design in BUGS:
                cycles = measure.cycles_under(sim, most)
                found = _measured(design, sim, seed, cycles, rounds, out.say)
                lines, speed, part = found
                cells = [f"{lines.note}: {lines.value:.2f}", f"{speed.note}: {speed.value:.0f}"]
                table.append([design, *cells, f"{part.value:.2f}", *bugs[design]])
                targets += found if sim == "verilator" else []
            head, *rows = (f"| {' | '.join(row)} |" for row in zip(*table, strict=True))
            text = "\n".join((head, "|---" * len(table) + "|", *rows))
            out.console.print(text, soft_wrap=True)
    except (BenchError, BuildError, OrdinaryError) as error:
        print(error, file=sys.stderr)
        return 1
    return out.judged(targets, quick)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
