# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs, and its ordinary bench checks what it says; no times are judged here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.engine.host.request import RunRequest
from tilepath.engine.host.run import run
from tilepath.isa.boundary import Field, Stream
from tilepath.sequences import datapath
from tilepath.tests.bench import engine, kernels, machine, measure, rates, tiers
from tilepath.tests.bench.__main__ import main
from tilepath.tests.bench.measure import (
    REPLAY,
    TESTS,
    WHOLE,
    BenchError,
    Comparison,
    Figures,
    build_folder,
    replay_request,
    same_events,
)
from tilepath.tests.bench.ordinary.monitors import Sample
from tilepath.tests.bench.ordinary.run import OrdinaryError, build_ordinary
from tilepath.tests.bench.report import (
    PER_ORDINARY,
    PER_REPLAY,
    PER_REPLAY_ICARUS,
    Target,
    replay_targets,
)
from tilepath.tests.cosim_runs import FAST, missing, needs_icarus

_CYCLES = 4096
_BLOCK = 1024


def test_a_folder_with_a_space_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(OrdinaryError, match=r"cannot be built: .*space: .*a b"):
        build_ordinary("adc", "verilator", tmp_path / "a b")


@pytest.mark.skipif(" " in str(ROOT), reason="cocotb's runner and Verilator split paths there")
@pytest.mark.parametrize(
    "block",
    # each builds up to seven programs; one block shows in little time that it works
    [n if n == "adc" else pytest.param(n, marks=pytest.mark.long) for n in TESTS],
)
def test_quick_benchmark_runs(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    sims = "both" if block == "adc" else "verilator"
    assert main(["--quick", "--block", block, "--sim", sims]) == 0
    printed = capsys.readouterr().out
    assert f"{block}, verilator, whole / replay: target ≥ 0." in printed
    assert f"{block}, verilator, stimulus / replay: target < 0.25: " in printed
    if sims == "both" and not missing("icarus"):
        assert f"{block}, icarus, whole / replay: target ≥ 0.75" in printed
    assert f"{block}, verilator: microseconds of CPU time a cycle" in printed
    if block in PER_ORDINARY:
        assert f"{block}, verilator, checked / ordinary pyuvm: target ≥ " in printed
    if block == "datapath":
        assert "datapath, 64 tiles, verilator, whole / replay: target ≥ 0.5: " in printed
        assert "verilator, random kernels a minute on two cores: target ≥ " in printed
    assert f"{block}, peak memory of 50,000 checked cycles" in printed
    assert f"{block}, cycle-exact" in printed
    assert "table of 30 columns, blocks of 1,024: target ≥ 1 million rows/s" in printed


def test_the_machine_is_measured_without_a_simulator(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--block", "machine", "--sim", "icarus"]) == 0
    printed = capsys.readouterr().out
    assert [printed.count(f"run, {name} ") for name in machine.KERNELS] == [2, 2, 2]
    assert printed.count("UNPACR, ") == 6 and printed.count("PACR, four packers, ") == 3
    for row in ("push, words, of REPLAYs", "execute, a word a call", "PACR, blackhole, BF16"):
        assert row in printed


_SIMS: Final = [
    pytest.param("icarus", marks=needs_icarus),
    pytest.param("verilator", marks=pytest.mark.long),
]


@pytest.mark.parametrize("sim", _SIMS)
def test_the_engine_is_held_against_plain_cocotb(
    sim: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Both find every planted bug; what README.md says of lines is so."""
    assert main(["--quick", "--block", "engine", "--sim", sim]) == 0
    printed = capfd.readouterr().out
    table = [line for line in printed.splitlines() if line.startswith("| ")]
    assert table[0] == f"| plain → engine, {sim} | regs | arbiter |"
    told = [line.split(" |")[0].removeprefix("| ") for line in table[1:]]
    finds = [f"cycles until bug {n} is found" for n in (1, 2, 3)]
    assert told == ["lines of the bench", "cycles a CPU second", "whole ÷ replay", *finds]
    for number, line in enumerate(table[4:]):
        for bugs in engine.BUGS.values():
            assert f"({bugs[number][0]})" in line
    assert "both designs, lines, engine / plain: target < 0.5: " in printed
    assert table[1] in (ROOT / "README.md").read_text()


def test_lines_with_code_are_counted() -> None:
    function = 'def f(\n    a,\n):\n    """Doc,\n\n    long."""\n    return """x\ny"""\n'
    assert engine.code_lines(f'"""Doc."""\n\n# no\n{function}') == 5


@pytest.mark.parametrize(
    ("log", "says"),
    [("AssertionError: cycle 7: x", ""), ("ImportError: no", "a plain bench is broken: see ")],
)
def test_what_a_plain_bench_says(log: str, says: str, tmp_path: Path) -> None:
    class Fails(engine.Plain):
        def __init__(self) -> None:
            self._folder, self._module = tmp_path, ""
            self._built = SimpleNamespace(simulate=lambda *_: False)

    (tmp_path / "sim.log").write_text(log)
    if not says:
        assert Fails().found(1) == 7
    with pytest.raises(OrdinaryError, match=says or "a plain bench fails in cycle 7: see "):
        Fails().rate(1, 4096)


def test_a_bug_that_one_side_does_not_find() -> None:
    assert engine.hunted("x", (1, 2, 4), lambda n: n * n, lambda n: 1000 * n) == "4 → 2,000 (x)"
    with pytest.raises(BenchError, match=r"x: not found in 100,000 cycles: \[\[1\], \[None\]\]"):
        engine.hunted("x", (1,), lambda n: n, lambda _: None)


def test_rtl_of_ones_own_is_refused_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--block", "engine", "--rtl", "x.sv"]) == 2
    assert capsys.readouterr().err == (
        "RTL of your own takes the place of a block's; engine is none\n"
    )


def test_a_replay_that_goes_another_way_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Here it ends sooner than the run that was kept."""

    def shorter(*run: Any) -> RunRequest:
        return replace(replay_request(*run), cycles=_CYCLES // 2)

    monkeypatch.setattr(measure, "OUT", tmp_path)
    monkeypatch.setattr(measure, "replay_request", shorter)
    with pytest.raises(BenchError, match="the replay plays something else than was kept"):
        measure.compare_replay("frontend", FAST, 1, _CYCLES, 1, lambda _: None, others=())


def test_kernels_are_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A long one, and its replay, for as many cycles; four of each run of those drawn at random."""
    monkeypatch.setattr(measure, "OUT", tmp_path)
    found = kernels.compare(FAST, 1, _CYCLES, 1, lambda _: None)
    assert found.runs.keys() == {WHOLE, REPLAY}
    (whole,), (replay,) = found.runs.values()
    assert whole.cycles == replay.cycles and whole.events > _CYCLES and not replay.events
    assert kernels.TEST.name not in datapath.TESTS  # but in the bench
    assert min(kernels.per_minute(1, 1, tmp_path)) > 0
    runs = [json.loads(path.read_text()) for path in tmp_path.glob("datapath/*/result.json")]
    assert [one["test"] for one in runs] == ["random_plans"] * 3
    assert sorted(one["seed"] for one in runs) == [1, 2, 3]


def test_rates_of_the_unpackers(tmp_path: Path) -> None:
    """Alone an unpacker gets what it wants, together they get what the contract's table grants."""
    found = tiers.measure(FAST, tmp_path)
    assert len(found) == 6 + 18
    assert {tier.most for tier in found if 0 in tier.wants} == {16, 32, 64}
    assert {tier.wants for tier in found if 0 not in tier.wants} == set(tiers.GRANTS)
    assert [tier for tier in found if not tiers.LEAST <= tier.share <= 1] == []


@pytest.mark.parametrize("profile", rates.WHOLE)
def test_packers_lose_no_cycle_between_tiles(profile: str, tmp_path: Path) -> None:
    """Each format goes to L1 at the contract's rate; BF16 and FP32 take all that a port has."""
    found = rates.measure(profile, FAST, tmp_path)
    assert {rate.phase.name for rate in found} == {phase.name for phase in rates.PHASES}
    assert [rate for rate in found if rate.share != 1] == []
    whole = {rate.phase.name for rate in found if rate.bytes_per_cycle == rates.WHOLE[profile]}
    assert {"BF16", "FP32"} <= whole


@pytest.mark.parametrize(
    "sim",
    # Verilator takes a minute and more to build it
    [pytest.param("icarus", marks=needs_icarus), pytest.param(FAST, marks=pytest.mark.long)],
)
def test_ordinary_bench_sees_what_the_kernel_sees(sim: str, tmp_path: Path) -> None:
    """Of the largest block; that of the smallest does in the benchmark that is quick."""
    block = "unpack"
    build = build_ordinary(block, sim, build_folder(block, sim, fast=False), fast=False)
    test = TESTS[block]
    request = RunRequest(block, test, 7, sim, cycles=_CYCLES, out_dir=tmp_path / "kernel")
    kernel = run(request)
    assert kernel.status == "pass"
    ordinary = build.run(tmp_path / "run", test, 7, _CYCLES, _BLOCK)
    assert ordinary.ends[-1] == kernel.cycles == _CYCLES
    same_events(request.run_dir, ordinary.streams)
    assert ordinary.events == kernel.events > _CYCLES / 2
    one = next(name for name, count in ordinary.streams.items() if count)
    with pytest.raises(BenchError, match=f"saw something else: {one} "):
        same_events(request.run_dir, {**ordinary.streams, one: ordinary.streams[one] + 1})


@needs_icarus
@pytest.mark.parametrize(
    ("block", "parameters"),
    [
        ("adc", {"ZwW": 13}),  # Z and W of the other profile
        ("unpack", {"RowW": 16}),  # a row of half the datums
    ],
)
def test_ordinary_bench_fails_for_a_planted_difference(
    block: str, parameters: dict[str, int], tmp_path: Path
) -> None:
    planted = build_ordinary(block, "icarus", tmp_path / "build", parameters=parameters)
    with pytest.raises(OrdinaryError, match=r"expected \(cycle, values\)"):
        planted.run(tmp_path / "run", TESTS[block], 11, _CYCLES, _BLOCK)


@pytest.mark.parametrize(
    ("value", "below", "text"),
    [
        *[(0.53, False, "≥ 0.5: 0.53 met"), (0.5, False, "≥ 0.5: 0.5 met")],
        *[(0.4, False, "≥ 0.5: 0.4 missed"), (0.4, True, "< 0.5: 0.4 met")],
    ],
)
def test_target_says_what_came_of_it(value: float, below: bool, text: str) -> None:
    target = Target("x", value, 0.5, below, note="two runs")
    assert str(target) == f"x: target {text} (two runs)" and target.failed == ("missed" in text)


def test_figures_leave_out_the_first_block() -> None:
    figures = Figures.of([1000, 2000, 4000], [3.0, 4.0, 5.0], 70)
    assert (figures.cycles, figures.rate, figures.start) == (3000, 1500, 3.0)
    with pytest.raises(BenchError, match="too short"):
        Figures.of([1000], [3.0], 70)


def test_stimulus_is_judged_by_the_replay() -> None:
    """Of what lies behind the first block, a cycle; the whole run's by the replay's."""
    parts = [{"stimulus": 1.0, "model": 2.0}, {"stimulus": 1.5, "model": 5.0}]
    whole = Figures.of_kernel(
        {"ends": [100, 200, 300], "cpu_ends": [3.0, 4.0, 8.0], "events": 7, "spent_ends": parts}
    )
    assert whole.parts == {"stimulus": 0.5, "model": 3.0}
    assert whole.micros("stimulus") == 2500
    found = Comparison("adc", "verilator")
    for seconds in (1.0, 4.0, 2.5):
        found.add(WHOLE, whole)
        found.add(REPLAY, Figures(200, seconds, 0.0, 0))
    assert found.stimulus() == [0.5, 0.125, 0.2]
    ratio, stimulus = replay_targets(found)
    assert (ratio.value, ratio.bound, ratio.met) == (0.5, PER_REPLAY["adc"], True)
    assert (stimulus.value, stimulus.met) == (0.2, True)
    assert "stimulus / replay: target < 0.25: 0.2 met (rounds 0.125 … 0.5)" in str(stimulus)
    found.sim = "icarus"
    (ratio,) = replay_targets(found)
    assert (ratio.value, ratio.bound, ratio.met) == (0.5, PER_REPLAY_ICARUS, False)


def test_ratio_is_the_median_of_the_rounds() -> None:
    found = Comparison("adc", "icarus")
    for one, other in ((100, 50), (90, 30), (60, 60)):
        found.add("a", Figures(one, 1.0, 0.0, 0))
        found.add("b", Figures(other, 1.0, 0.0, 0))
    assert found.ratios("a", "b") == [2, 3, 1]
    assert found.ratio("a", "b") == 2
    assert found.rate("a") == 90


class _Signal:
    """A signal as cocotb has it, with the value ``bits``."""

    def __init__(self, bits: str) -> None:
        self._bits = bits
        self._handle = self

    def __len__(self) -> int:
        return len(self._bits)

    def get_signal_val_binstr(self) -> str:
        return self._bits


def test_signals_are_cut_into_fields() -> None:
    """Lowest bits first; what is left of a signal behind the last field is no field."""
    fields = (Field("a", 2), Field("b"), Field("c", 3), Field("d", 2))
    stream = Stream("s", "output", fields=fields)
    assert Sample(stream, [_Signal("110"), _Signal("101"), _Signal("1110")])() == (2, 1, 5, 2)
    assert Sample(stream, [_Signal("11"), _Signal("0"), _Signal("101"), _Signal("10")])() == (
        *(3, 0, 5, 2),
    )
    with pytest.raises(AssertionError, match="more fields than"):
        Sample(stream, [_Signal("110"), _Signal("101")])
