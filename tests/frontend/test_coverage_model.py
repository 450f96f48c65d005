# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: against the true state, however it is cut, and with bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest

from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.frontend.model_reference import TRANS
from tilepath.tests.frontend.test_coverage_bench import (
    MOP1,
    NOP,
    PLAIN,
    TABLE,
    Port,
    Run,
    Script,
    one,
    pushing,
    random_run,
    ready_pattern,
    replay,
)
from tilepath.tests.frontend.test_coverage_mop_scenarios import A, loops
from tilepath.tests.frontend.test_coverage_scenarios import recorded


def streams(**rows: Sequence[tuple[int, ...]]) -> dict[str, Records]:
    """Streams of thread 0 from rows of (cycle, fields); all others empty."""
    full = {name: stream.empty() for name, stream in TABLE.items()}
    for name, some in rows.items():
        stream = TABLE[f"t0.{name}"]
        words = 1 + stream.payload_words
        full[f"t0.{name}"] = np.array([(*row, 0)[:words] for row in some], stream.dtype)
    return full


def t2_streams() -> dict[str, Records]:
    """Timeline T2, by hand: MopCfg as after reset but for Outer, Inner, LoopOp, Loop0Last."""
    p, q, loop, last = 0x70000001, 0x70000002, 0x70000003, 0x70000004
    config = [(0, 1), (1, 2), (2, NOP), (3, NOP), (5, loop), (6, NOP), (7, last)]
    at = 10
    return streams(
        mopcfg=[(i, *row) for i, row in enumerate(config)],
        push=[(at, p), (at + 1, MOP1), (at + 2, q)],
        accept=[(at,), (at + 1,), (at + 2,)],
        ingest=[(at + 2, MOP1)],
        mq=[(at + 1, p), (at + 2, loop), (at + 3, last), (at + 5, q)],
        rq=[(at + 2, p), (at + 3, loop), (at + 4, last), (at + 6, q)],
        issue=[(at + 3, p, 0), (at + 4, loop, 0), (at + 5, last, 0), (at + 7, q, 0)],
        ready=[(0, 1)],
        status=[(at + 3, 1, 0), (at + 4, 2, 0), (at + 5, 0, 0)],
        qstatus=[(at + 2, 1 << 9 | 1 << 22), (at + 3, 1 << 9 | 1 << 22 | 1 << 1 | 1 << 14)],
    )


def test_timeline_t2_by_hand() -> None:
    model = FrontendCoverage("baseline")
    model.sample(t2_streams(), 0, 30)
    points = model.report().points
    assert points["t1.outer_x_inner"] == {**dict.fromkeys(points["t1.outer_x_inner"], 0), "1*2": 1}
    assert points["t1.length"]["2"] == 1
    assert sum(points["mop_next.kind_x_length_x_m_level"].values()) == 1
    assert points["mop_next.kind_x_length_x_m_level"]["plain*2*1-7"] == 1
    assert points["mop_next.penalty"] == {
        "skipped": 0, "mop_waits_for_m": 0, "hidden": 0, "visible": 1,
    }  # fmt: skip
    # P, the MOP, and Q, which waits for the end of EXP and TRANS; threads 1 and 2 stay empty
    assert points["fifo.level"] == {"0": 85, "1": 5, "2-30": 0, "31": 0, "32": 0}
    assert points["cross.trans_x_issue"]["issuing*plain"] == 1
    assert points["qstatus.mop_state_x_mop_busy"]["exp*1"] == 1
    assert points["fifo.accepted_kind"] == {"mop": 1, "mop_cfg": 0, "plain": 2, "replay": 0}


def truth_level(value: int, depth: int) -> str:
    return str(value) if value < 2 or value >= depth - 1 else f"2-{depth - 2}"


@pytest.mark.parametrize("seed", [3, 4])
def test_levels_and_states_are_those_of_the_reference(seed: int) -> None:
    run = random_run(seed, 250)
    model = run.coverage()
    assert model.contradicted() == []
    points = model.report().points
    rows = [row for thread in run.truth for row in thread]
    expected = {
        "fifo.level": Counter(truth_level(row[0], 32) for row in rows),
        "m.level": Counter(truth_level(row[1], 8) for row in rows),
        "replay.state_x_r_level": Counter(
            f"{('pass', 'play', 'rec', 'rec_exec')[row[4]]}*{row[2]}" for row in rows
        ),
        "replay.mop_state_x_replay_state": Counter(
            f"{('idle', 'exp', 'trans')[row[3]]}*{('pass', 'play', 'rec', 'rec_exec')[row[4]]}"
            for row in rows
        ),
    }
    for point, counts in expected.items():
        assert {b: n for b, n in points[point].items() if n} == dict(counts), point
    heads = Counter(
        {-1: "fifo_empty", 1: "mop", 3: "mop_cfg", 4: "replay"}.get(row[5] >> 24, "plain")
        for row in rows
        if row[3] == TRANS
    )
    seen: Counter[str] = Counter()
    for name, n in points["mop_next.kind_x_length_x_m_level"].items():
        seen[name.split("*")[0]] += n
    assert +seen == heads
    lengths = sum(points["t0.length"].values()) + sum(points["t1.length"].values())
    assert lengths == heads.total()


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_counts_do_not_depend_on_the_cuts(profile: str) -> None:
    run = random_run(5, 120, profile)
    whole = run.coverage().report().points
    draw = Random(7)
    cuts = [sorted(draw.sample(range(1, run.cycles), n)) for n in (1, 2, 10, 200)]
    for some in (*cuts, list(range(1, run.cycles))):
        assert run.coverage(some).report().points == whole


def test_long_expansion_and_session_across_blocks() -> None:
    def script(p: Port) -> Iterator[None]:
        yield from p.config(*loops(127, 127, A, NOP, A, A, A, A, A))
        yield from p.push(replay(31, 63, 1, 1), MOP1, A)
        yield from p.settle()

    run = one(script)
    model = run.coverage(range(64, run.cycles, 64))
    points = model.report().points
    assert run.cycles > 16000
    assert points["t1.outer_x_inner"]["127*127"] == 1
    assert points["t1.length"]["3-32638"] == 1
    assert points["replay.rec_ended_at"]["mid_expansion*rec_exec"] == 1
    assert points == run.coverage().report().points
    assert model._columns.capacity <= 64 + 64


def test_same_counts_without_compilation() -> None:
    code = (
        "import json; from tests.frontend.test_coverage_scenarios import recorded\n"
        "from tests.frontend.test_coverage_bench import one\n"
        "print(json.dumps(one(recorded).coverage().report().points))"
    )
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(plain.stdout) == one(recorded).coverage().report().points


def test_a_models_records_and_read_only_records_are_taken() -> None:
    run = one(pushing(MOP1, PLAIN, config=loops(1, 2)))
    expected = run.coverage().report().points
    wide = {}
    for name, records in run.streams.items():
        layout = [(f, "<u4") for f in records.dtype.names or ()]
        wide[name] = np.zeros(len(records), [*layout, ("origin", "<i8")])
        for f, _ in layout:
            wide[name][f] = records[f]
    frozen = {
        name: np.frombuffer(records.tobytes(), records.dtype) if len(records) else records
        for name, records in run.streams.items()
    }
    for some in (wide, frozen):
        model = FrontendCoverage("baseline")
        model.sample(some, 0, run.cycles)
        assert model.report().points == expected


def test_report_may_be_asked_for_at_any_time() -> None:
    run = one(pushing(A, A, A))
    model = FrontendCoverage("baseline")
    model.sample(run.streams, 0, run.cycles)
    assert model.report().points == model.report().points == run.coverage().report().points


def test_blocks_must_follow_and_records_lie_in_them() -> None:
    run = one(pushing(A))
    model = FrontendCoverage("baseline")
    with pytest.raises(ValueError, match="do not follow"):
        model.sample(run.streams, 5, run.cycles)
    with pytest.raises(ValueError, match="outside cycles 0 to 1"):
        FrontendCoverage("baseline").sample(run.streams, 0, 1)
    with pytest.raises(KeyError):
        FrontendCoverage("baseline").sample({}, 0, 1)
    with pytest.raises(Exception, match="nosuch"):
        FrontendCoverage("nosuch")


def test_impossible_bin_that_is_hit_is_told() -> None:
    model = FrontendCoverage("baseline")
    model.sample(streams(ready=[], status=[(3, 0, 1)]), 0, 8)  # PLAY with R empty
    assert ("replay.state_x_r_level", "play*0") in {row[:2] for row in model.contradicted()}
    assert "play*0" not in model.report().points["replay.state_x_r_level"]


def test_nonsense_streams_do_no_harm() -> None:
    """What a broken DUT may record: pops of empty queues, writes to full ones, unknown states."""
    every = [(t, 0x04000013) for t in range(200)]
    some = streams(
        push=every,
        accept=[(t,) for t in range(200)],
        mq=every,
        rq=every,
        ingest=every,
        status=[(t, 3, t & 3) for t in range(200)],
        mopcfg=[(t, 15, 0) for t in range(200)],
        issue=[(t, 1, 1) for t in range(0, 200, 5)],
    )
    model = FrontendCoverage("baseline")
    model.sample(some, 0, 200)
    assert all(n >= 0 for bins in model.report().points.values() for n in bins.values())


def test_profiles_exclude_counts_above_32_in_blackhole_only() -> None:
    names = {p: FrontendCoverage(p).report().points for p in ("baseline", "blackhole")}
    assert "play*33*0" in names["baseline"]["replay.mode_x_count_x_index"]
    assert "play*33*0" not in names["blackhole"]["replay.mode_x_count_x_index"]
    assert "rec*63" not in names["blackhole"]["replay.mode_x_count"]
    assert set(names["baseline"]) == set(names["blackhole"])
    reasons = FrontendCoverage("blackhole").exclusions()
    assert all(reason for _, _, reason in reasons)
    assert len(reasons) > len(FrontendCoverage("baseline").exclusions())


def test_count_0_stands_for_what_the_profile_says() -> None:
    for profile, n in (("baseline", 64), ("blackhole", 32)):
        script = pushing(replay(0, 0, 1), *[A] * n, PLAIN)
        run = one(script, profile=profile)
        assert run.counts("replay.mode_x_count")["rec*0"] == 1
        short = Run([(pushing_without_end(n - 1),), (), ()], profile)
        assert short.counts("replay.mode_x_count")["rec*0"] == 0


def pushing_without_end(words: int) -> Script:
    def script(p: Port) -> Iterator[None]:
        yield from p.push(replay(0, 0, 1), *[A] * words)

    return script


def test_threads_count_into_the_same_bins() -> None:
    script = (pushing(MOP1, config=loops(1, 0, end0=A)),)
    run = Run([script, script, script], background=(ready_pattern((1, 1)),))
    assert run.counts("t1.bug_condition")["bug"] == 3


def test_an_exclusion_that_excludes_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="excludes nothing"):
        PointGroup().add("p", ("a", "b"), exclude=(Exclude(("c",), "no such bin"),))
