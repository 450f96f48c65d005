# SPDX-License-Identifier: Apache-2.0
"""The benchmark: ``python -m tests.bench``, or ``make bench``.

Measures, for each block and simulator, the checked run against the same simulation with recorders
and checks off and against an ordinary pyuvm bench; the memory of a long run; and the golden models
alone. Of the unpackers also their rates, in bytes per cycle.
Exit status: 0 all targets met, 1 one missed or a run failed, 2 wrong options. A ``--quick`` run
only shows that everything works: it is too short to judge.
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from tilepath.tb.kernel.host.build import SIMULATORS, BuildError, SimulatorMissing, check_simulator
from tilepath.tests.bench import golden, report, tiers
from tilepath.tests.bench.measure import CYCLES, OUT, TESTS, BenchError, measure, trace_of
from tilepath.tests.bench.memory import peak_megabytes
from tilepath.tests.bench.ordinary.run import OrdinaryError

_QUICK = 4096
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
        if "unpack" in options.blocks:
            targets += _tiers(sims[0], console)
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
    parser = argparse.ArgumentParser(
        prog="tilepath.tests.bench", description="Measure tilepath's speed."
    )
    parser.add_argument("--quick", action="store_true", help="a short run that judges nothing")
    parser.add_argument(
        "--block", choices=tuple(TESTS), action="append", help="only this one; may be given again"
    )
    parser.add_argument("--sim", choices=(*SIMULATORS, "both"), default="both")
    parser.add_argument("--cycles", type=int, help="length of the checked runs under Verilator")
    parser.add_argument("--rounds", type=int, help="how often everything is measured")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.blocks = list(dict.fromkeys(options.block or TESTS))
    lengths = dict.fromkeys(CYCLES, _QUICK) if options.quick else CYCLES
    if options.cycles is not None:
        lengths = dict.fromkeys(CYCLES, options.cycles)
    options.lengths = lengths
    options.rounds = options.rounds or (1 if options.quick else 7)
    if min(lengths.values()) < 1 or options.rounds < 1 or not 0 <= options.seed < 1 << 64:
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
    for block in options.blocks:
        for sim in sims:
            with console.status(f"{block}, {sim}") as status:
                length = options.lengths[block]
                series = measure(block, sim, options.seed, length, options.rounds, status.update)
            console.print(report.speed_table(block, sim, series))
            targets += report.speed_targets(block, sim, series)
    return targets


def _tiers(sim: str, console: Console) -> list[report.Target]:
    """In cycles: the same under each simulator, on each machine, and in each round."""
    with console.status(f"unpack, {sim}: rates"):
        found = tiers.measure(sim, OUT / sim / "tiers")
    console.print(report.tier_table(found))
    return report.tier_targets(found)


def _models(options: argparse.Namespace, sim: str, console: Console) -> list[report.Target]:
    speeds = []
    for block in options.blocks:
        with console.status(f"{block}: golden model"):
            speeds += golden.functional(block, options.seed, 4 if options.quick else 1000)
            run_dir = trace_of(block, sim, options.seed, min(_KEPT, options.lengths[block]))
            speeds += golden.cycle_exact(block, run_dir)
    console.print(report.model_table(speeds))
    return report.model_targets(speeds)


def _memory(options: argparse.Namespace, console: Console) -> list[report.Target]:
    long = 50_000 if options.quick else _LONG
    targets = []
    for block in options.blocks:
        with console.status(f"{block}, verilator: {long:,} cycles"):
            short = peak_megabytes(block, "verilator", options.seed, long // 10)
            peak = peak_megabytes(block, "verilator", options.seed, long)
        lengths = f"{short:.0f} MB in {long // 10:,} cycles, {peak:.0f} MB in {long:,}"
        console.print(f"{block}, peak memory: {lengths}")
        what = f"{block}, peak memory of {long:,} checked cycles"
        bound = report.LONG_RUN_MEGABYTES
        targets.append(report.Target(what, peak, bound, below=True, unit="MB"))
    return targets


if __name__ == "__main__":
    sys.exit(main())
