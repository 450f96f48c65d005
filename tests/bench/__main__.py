# SPDX-License-Identifier: Apache-2.0
"""The benchmark: ``python -m tests.bench``, or ``make bench``.

Measures, for each simulator, the checked run against the same simulation with recorders and checks
off and against an ordinary pyuvm bench; the memory of a long run; and the golden model alone.
Exit status: 0 all targets met, 1 one missed or a run failed, 2 wrong options. A ``--quick`` run
only shows that everything works: it is too short to judge.
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from tb.kernel.build import SIMULATORS, BuildError, SimulatorMissing, check_simulator
from tests.bench import expander, report
from tests.bench.measure import BenchError, measure, trace_of
from tests.bench.memory import peak_megabytes
from tests.bench.ordinary.run import OrdinaryError

_CYCLES = 1_000_000
_LONG = 10_000_000
_KEPT = 131_072  # a run that keeps its traces, for the model alone


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; returns the exit status."""
    options = _options(arguments)
    console = Console(highlight=False)
    console.width = max(console.width, 100)
    try:
        sims = _simulators(options.sim, console)
        targets = _speed(options, sims, console)
        targets += _models(options, sims[0], console)
        if "verilator" in sims:
            targets += _memory(options, console)
    except SimulatorMissing as error:
        print(error, file=sys.stderr)
        return 2
    except (BenchError, BuildError, OrdinaryError) as error:
        print(error, file=sys.stderr)
        return 1
    for target in targets:
        style = "" if options.quick else ("green" if target.met else "red")
        console.print(str(target), style=style, soft_wrap=True)
    if options.quick:
        console.print("quick: too short to judge any of these")
        return 0
    return 0 if all(target.met for target in targets) else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.bench", description="Measure tilepath's speed.")
    parser.add_argument("--quick", action="store_true", help="a short run that judges nothing")
    parser.add_argument("--sim", choices=(*SIMULATORS, "both"), default="both")
    parser.add_argument("--cycles", type=int, help="length of the checked runs under Verilator")
    parser.add_argument("--rounds", type=int, help="how often everything is measured")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.cycles = options.cycles or (4096 if options.quick else _CYCLES)
    options.rounds = options.rounds or (1 if options.quick else 7)
    if options.cycles < 1 or options.rounds < 1 or not 0 <= options.seed < 1 << 64:
        parser.error("cycles and rounds are positive, a seed is unsigned and has 64 bits")
    return options


def _simulators(wanted: str, console: Console) -> list[str]:
    if wanted != "both":
        check_simulator(wanted)
        return [wanted]
    found = []
    for sim in SIMULATORS:
        try:
            check_simulator(sim)
            found.append(sim)
        except SimulatorMissing as error:
            console.print(f"left out: {error}", soft_wrap=True)
    return found


def _speed(options: argparse.Namespace, sims: list[str], console: Console) -> list[report.Target]:
    targets = []
    for sim in sims:
        with console.status(sim) as status:
            series = measure(sim, options.seed, options.cycles, options.rounds, status.update)
        console.print(report.speed_table(sim, series))
        targets += report.speed_targets(sim, series)
    return targets


def _models(options: argparse.Namespace, sim: str, console: Console) -> list[report.Target]:
    repeats = 4 if options.quick else 1000
    programs = {
        "expander, matmul: issued words": expander.matmul(repeats),
        "expander, busy threads: issued words": expander.busy(max(1, repeats // 20), options.seed),
    }
    rows, targets = [], []
    for what, program in programs.items():
        count, rate = expander.words_per_second(program)
        rows.append((what, count, rate))
        name = what.partition(":")[0]
        bound = report.EXPANDED_WORDS / 1e6
        targets.append(report.Target(name, rate / 1e6, bound, unit="million words/s"))
    with console.status(f"{sim}: traces for the model"):
        run_dir = trace_of(sim, options.seed, min(_KEPT, options.cycles))
    rows.append(("cycle-exact model: cycles", *expander.model_cycles_per_second(run_dir)))
    console.print(report.model_table(rows))
    return targets


def _memory(options: argparse.Namespace, console: Console) -> list[report.Target]:
    long = 50_000 if options.quick else _LONG
    with console.status(f"verilator: {long:,} cycles"):
        short = peak_megabytes("verilator", options.seed, long // 10)
        peak = peak_megabytes("verilator", options.seed, long)
    lengths = f"{short:.0f} MB in {long // 10:,} cycles, {peak:.0f} MB in {long:,}"
    console.print(f"peak memory: {lengths}")
    what = f"peak memory of {long:,} checked cycles"
    return [report.Target(what, peak, report.LONG_RUN_MEGABYTES, below=True, unit="MB")]


if __name__ == "__main__":
    sys.exit(main())
