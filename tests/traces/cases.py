# SPDX-License-Identifier: Apache-2.0
"""The tests of traces compare these runs of each block; one that is not here has the usual."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Final

from tilepath.engine.description.registry import tests_of
from tilepath.tests.traces.checks import SEEDS, Case, Traces, random_cases, random_tests


def _of(copies: int, prefix: str, *streams: str) -> tuple[str, ...]:
    """Names of the instances of ``streams``."""
    return tuple(f"{prefix}{i}.{stream}" for i in range(copies) for stream in streams)


_A2A3: Final = "baseline,platform=a2a3"
_PACK: Final = random_tests(tests_of("pack"))

DECLARED: Final = {
    "adc": Traces(
        "adc",
        cycles=1500,
        finite=("after_reset", "vectors", "pipeline"),
        repeated=("random", "random_default"),
        seeded=("t0.issue", "t2.issue", "unpack", "pack", "flop", "t1.unpacker0", "t2.packers"),
    ),
    "control": Traces(
        "control",
        cycles=4800,
        finite=tuple(name for name, spec in tests_of("control").items() if not spec.endless)[::3],
        repeated=("random_mix", "random_stream"),
        seeded=(
            *_of(3, "t", "offer", "issue"),
            *("risc", "risc_sem", "stream_write", "config_write"),
        ),
    ),
    "datapath": Traces(
        "datapath",
        cycles=3000,  # Icarus makes some 300 a second; a kernel has packed something by then
        random=(("random_default", 1, "baseline"),),
        finite=("formats_0", "add1_latency_31"),
        repeated=("random_default",),
        seeded=_of(3, "t", "push", "dispatch"),
    ),
    "flag_pipe": Traces(
        "flag_pipe",
        cycles=2400,
        random=(
            *((test, 7, "baseline") for test in random_tests(tests_of("flag_pipe"))),
            *((test, 8, _A2A3) for test in random_tests(tests_of("flag_pipe"))[::2]),
        ),
        finite=("timeline_two_ways", "head_of_line", "set_set", "starved_pop"),
        repeated=("random_default", "random_errors"),
        seeded=(*_of(3, "core", "cmd", "rsp"), "l1_rd", "ub0_wr", "gm_wr_mem", "l1_rd_mem"),
    ),
    "frontend": Traces(
        "frontend",
        cycles=1500,
        longer={"random_busy": 3600, "random_backpressure": 3000},  # for their floors
        finite=("after_reset", "timelines", "matmul"),
        repeated=("random_mix", "random_brisc"),
        seeded=_of(3, "t", "push", "issue", "ready"),
    ),
    "frontend_control": Traces(
        "frontend_control",
        cycles=2400,
        random=(
            ("random_default", 3, "baseline"),
            ("random_mix", 0x5EED_CAFE, "baseline"),
            ("random_mix", 7, "blackhole"),
        ),
        finite=("matmul",),
        repeated=("random_mix",),
        seeded=_of(3, "t", "push", "dispatch"),
    ),
    "pack": Traces(
        "pack",
        cycles=900,  # Icarus makes a few hundred cycles of four busy packers a second
        random=(
            *((test, seed, "baseline") for test, seed in zip(_PACK, cycle(SEEDS), strict=False)),
            *((test, 7, "blackhole") for test in _PACK[::3]),
            *((test, 7, "baseline") for test in ("disturbed", "changed", "illegal")),
        ),
        finite=("add1", "matmul", "pack_reduce"),
        repeated=("random_default", "random_accumulate"),
        seeded=(
            *("issue", "cfg", "dst_write", "l1_latency", "l1_ready", "busy"),
            *_of(4, "w", "write"),
        ),
    ),
    "standin": Traces(
        "standin",
        cycles=900,
        finite=("after_reset", "second_writes"),  # scenes take Icarus a minute each
        repeated=("random", "random_default"),
    ),
    "unpack": Traces(
        "unpack",
        cycles=2400,
        finite=("add1", "matmul", "untilize", "tilize", "unpack_dst"),
        repeated=("random_default", "random_packed"),
        seeded=(
            *_of(2, "u", "issue", "read", "write", "pointers"),
            *_of(3, "t", "counter", "setc16", "unpacker0"),
            *("cfg", "matrix", "l1_write", "l1_latency", "ready", "hold", "busy", "owner"),
            *("matrix_write", "pause", "stale", "implied", "answer_a", "answer_b", "answer_d"),
        ),
    ),
}


def traces_of(block: str) -> Traces:
    """What is declared of ``block``; else its random tests, finite ones, and no list of streams."""
    if block in DECLARED:
        return DECLARED[block]
    tests = tests_of(block)
    names = random_tests(tests)
    finite = tuple(name for name, spec in tests.items() if not spec.endless)
    return Traces(block, cycles=1500, finite=finite[:5], repeated=tuple(names[:2]))


def random_of(traces: Traces) -> Sequence[Case]:
    """The random runs to compare: as declared, else every test with every seed."""
    return traces.random or random_cases(tests_of(traces.block))
