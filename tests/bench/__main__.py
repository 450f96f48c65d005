# SPDX-License-Identifier: Apache-2.0
"""The benchmark: ``python -m tilepath.tests.bench``, or ``make bench``; ``docs/bench.md``.

Measures, for each block and simulator, whole runs, checked and with coverage, against their replay,
and part by part; checked runs against an ordinary pyuvm bench, where there is one; the golden
models alone; the memory of a long run. Of unpackers and packers also their rates, in bytes per
cycle; of the joined design kernels: a long one, and how many short ones run in a minute. And the
engine against plain cocotb, on designs of its own.
Exit status: 0 all targets met, 1 one missed or a run failed, 2 wrong options. A ``--quick`` run
only shows that everything works: it is too short to judge.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.own_rtl.own import design
from tilepath.engine.host.build import SIMULATORS, BuildError, SimulatorMissing, check_simulator
from tilepath.tests.bench import engine, golden, kernels, machine, measure, rates, report, tiers
from tilepath.tests.bench.measure import OUT, TESTS, BenchError
from tilepath.tests.bench.memory import peak_megabytes
from tilepath.tests.bench.ordinary.run import OrdinaryError

_BLOCKS = (*TESTS, machine.NAME, engine.NAME)
_KEPT = 131_072  # a run that keeps its traces, for the model alone
# block → cycles of the long run that must not need much memory
_LONG = {
    **dict.fromkeys(("frontend", "adc", "control", "flag_pipe"), 10_000_000),
    **dict.fromkeys(("unpack", "pack"), 1_000_000),
    "datapath": 500_000,
}
_ROUNDS = 5  # of whole runs and their replay; half as many of those with the ordinary bench


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; returns the exit status."""
    options = _options(arguments)
    out = report.Reporter()
    others = [name for name in options.blocks if name in (machine.NAME, engine.NAME)]
    options.blocks = [name for name in options.blocks if name not in others]
    status = 0
    try:
        if options.rtl and not options.blocks:
            raise UsageError(f"RTL of your own takes the place of a block's; {others[0]} is none")
        if machine.NAME in others:
            out.say("machine: kernels, words, datums")
            found = list(machine.speeds(options.seed, 4 if options.quick else 1000))
            out.console.print(report.machine_table(found, machine.loop()))
        if not options.blocks and engine.NAME not in others:
            return 0
        sims = _simulators(options.sim, out)
        if engine.NAME in others:
            out.say("engine: against plain cocotb")
            cycles = options.lengths["adc"] if options.cycles or options.quick else engine.CYCLES
            status = engine.bench(sims, options.seed, options.rounds, cycles, options.quick)
        if not options.blocks:
            return status
        measure.own = design(options.blocks, options.rtl, options.top, sims, ["baseline"])
        if measure.own:
            out.say(", ".join(measure.own.told()))
            return max(status, out.judged(_speed(options, sims, out), options.quick))
        targets = _speed(options, sims, out)
        if "datapath" in options.blocks and "verilator" in sims:
            targets += _kernels(options, out)
        if "unpack" in options.blocks:
            targets += _tiers(sims[0], out)
        if "pack" in options.blocks:
            targets += _rates(sims[0], out)
        targets += _models(options, sims[0], out)
        if "verilator" in sims:
            targets += _memory(options, out)
    except (SimulatorMissing, UsageError) as error:
        print("\n".join(filter(None, [str(error), getattr(error, "shown", "")])), file=sys.stderr)
        return 2
    except (BenchError, BuildError, OrdinaryError) as error:
        print(error, file=sys.stderr)
        return 1
    return max(status, out.judged(targets, options.quick))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tilepath.tests.bench", description="Measure tilepath's speed."
    )
    parser.add_argument("--quick", action="store_true", help="a short run that judges nothing")
    parser.add_argument(
        "--block", choices=_BLOCKS, action="append", help="only this one; may be given again"
    )
    parser.add_argument("--rtl", action="append", help="RTL of your own in place of the block's")
    parser.add_argument("--top", default="", help="its top module")
    parser.add_argument("--sim", choices=(*SIMULATORS, "both"), default="both")
    parser.add_argument("--cycles", type=int, help="length of the runs under Verilator")
    parser.add_argument("--long", type=int, help="length of the run whose memory is measured")
    parser.add_argument("--rounds", type=int, help="how often everything is measured")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.blocks = list(dict.fromkeys(options.block or _BLOCKS))
    cycles = measure.LEAST if options.quick and options.cycles is None else options.cycles
    options.lengths = dict.fromkeys(TESTS, cycles) if cycles is not None else measure.CYCLES
    options.rounds = _ROUNDS if options.rounds is None else options.rounds
    if options.quick:
        options.rounds, options.long = 1, options.long or 50_000
    options.longs = _LONG if options.long is None else dict.fromkeys(TESTS, options.long)
    least = min(*options.lengths.values(), *options.longs.values())
    if least < measure.LEAST or options.rounds < 1 or not 0 <= options.seed < 1 << 64:
        parser.error(
            f"runs have at least {measure.LEAST} cycles, rounds are positive, a seed is unsigned "
            "and has 64 bits"
        )
    return options


def _simulators(wanted: str, out: report.Reporter) -> list[str]:
    if wanted != "both":
        check_simulator(wanted)
        return [wanted]
    found = []
    for sim in SIMULATORS:
        try:
            check_simulator(sim)
            found.append(sim)
        except SimulatorMissing as error:
            out.console.print(f"left out: {error}", soft_wrap=True)
    return found


def _speed(
    options: argparse.Namespace, sims: list[str], out: report.Reporter
) -> list[report.Target]:
    targets = []
    for block in options.blocks:
        for sim in sims:
            cycles = measure.cycles_under(sim, options.lengths[block])
            where = (block, sim, options.seed)
            found = measure.compare_replay(*where, cycles, options.rounds, out.say)
            out.console.print(report.speed_table(found, measure.UNCHECKED))
            out.console.print(report.parts_table(found))
            targets += report.replay_targets(found)
            if block not in report.PER_ORDINARY or measure.own:
                continue
            cycles = min(cycles, measure.cycles_under(sim, measure.ORDINARY_CYCLES))
            rounds = -(-options.rounds // 2)
            found = measure.compare_ordinary(*where, cycles, rounds, out.say)
            out.console.print(report.speed_table(found, measure.ORDINARY))
            targets += report.ordinary_targets(found)
    return targets


def _kernels(options: argparse.Namespace, out: report.Reporter) -> list[report.Target]:
    """Under Verilator alone."""
    cycles = options.lengths["datapath"]
    found = kernels.compare("verilator", options.seed, cycles, options.rounds, out.say)
    out.console.print(report.speed_table(found, measure.REPLAY))
    out.console.print(report.parts_table(found))
    runs = 2 if options.quick else kernels.RUNS
    out.say(f"datapath, verilator: {runs} runs of random kernels, two at once")
    rate, clock = kernels.per_minute(options.seed, runs, OUT / "verilator" / "plans")
    what = "datapath, verilator, random kernels a minute on two cores"
    bound, note = report.KERNELS_A_MINUTE, f"by the clock of this machine: {clock:.3g}"
    return [*report.replay_targets(found), report.Target(what, rate, bound, note=note)]


def _tiers(sim: str, out: report.Reporter) -> list[report.Target]:
    """Measure in cycles: they are the same under each simulator and on each machine."""
    out.say(f"unpack, {sim}: rates")
    found = tiers.measure(sim, OUT / sim / "tiers")
    out.console.print(report.tier_table(found))
    return report.tier_targets(found)


def _rates(sim: str, out: report.Reporter) -> list[report.Target]:
    """Measure as ``_tiers`` does."""
    targets = []
    for profile in rates.WHOLE:
        out.say(f"pack, {profile}, {sim}: rates")
        found = rates.measure(profile, sim, OUT / sim / "rates")
        out.console.print(report.rate_table(found))
        targets += report.rate_targets(found)
    return targets


def _models(options: argparse.Namespace, sim: str, out: report.Reporter) -> list[report.Target]:
    speeds = []
    for block in options.blocks:
        out.say(f"{block}: golden model")
        speeds += golden.functional(block, options.seed, 4 if options.quick else 1000)
        cycles = min(_KEPT, measure.cycles_under(sim, options.lengths[block]))
        request = measure.kernel_request(block, sim, options.seed, cycles, measure.CHECKED)
        measure.passed(request)
        speeds += golden.cycle_exact(block, request.run_dir)
    out.say("tables")
    speeds += golden.of_tables(10_000 if options.quick else 500_000)
    out.console.print(report.model_table(speeds))
    return report.model_targets(speeds)


def _memory(options: argparse.Namespace, out: report.Reporter) -> list[report.Target]:
    """Measure all blocks at once, as nothing is timed here."""
    lengths = {block: options.longs[block] for block in options.blocks}
    for block, cycles in lengths.items():
        out.say(f"{block}, verilator: memory of {cycles:,} cycles")

    def peaks(block: str) -> tuple[float, float]:
        short, long = max(measure.LEAST, lengths[block] // 10), lengths[block]
        which = (block, "verilator", options.seed)
        return (
            peak_megabytes(*which, short, small=options.quick),
            peak_megabytes(*which, long, small=options.quick),
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(lengths, pool.map(peaks, lengths), strict=True))
    targets = []
    for block, (short, peak) in found.items():
        what = f"{block}, peak memory of {lengths[block]:,} checked cycles"
        note = f"{short:.0f} MB in a tenth of them"
        bound = report.LONG_RUN_MEGABYTES
        targets.append(report.Target(what, peak, bound, below=True, unit="MB", note=note))
    return targets


if __name__ == "__main__":
    sys.exit(main())
