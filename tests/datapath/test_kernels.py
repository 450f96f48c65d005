# SPDX-License-Identifier: Apache-2.0
"""The kernels under ``sequences/datapath/programs`` on the machine, against NumPy of this file."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tilepath.models.kernels import Kernel, load, parse, play
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine.run import Order
from tilepath.models.tiles import FORMATS
from tilepath.sequences.datapath.kernels import ROLES
from tilepath.tests.datapath import kernel_numbers as N
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS, edited
from tilepath.tests.datapath.kernel_numbers import HEADER, Array, Bytes, Check, datums, numbers

ORDERS: tuple[Order, ...] = ("round", *itertools.permutations(range(3)), 1, 2, 3)


def _matrix(tiles: Array, rows: int, columns: int) -> Array:
    grid = tiles.reshape(rows, columns, 32, 32).transpose(0, 2, 1, 3)
    return grid.reshape(rows * 32, columns * 32)


def _played(name: str, profile: str, order: Order = "round", **given: int) -> tuple[Kernel, Any]:
    kernel = load(PROGRAMS / f"{name}.kernel", profile, given)
    verdict = play(kernel, order)
    assert verdict.run.end == "done" and verdict.machine.faults == [] == verdict.failed, verdict
    assert verdict.machine.events == []
    return kernel, verdict


def _formats(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    pair = given["PAIR"]
    a, out = kernel.tiles["a"], kernel.tiles["out"]
    if pair == 0:
        N.same(kernel, before, after, given)
    elif pair == 1:  # header, 64 exponents, 1024 magnitudes: all bytes are the same
        size = a.count * (HEADER + 64 + 1024)
        assert (np.asarray(before)[a.at :][:size] == np.asarray(after)[out.at :][:size]).all()
    elif pair == 2:
        N.holds(kernel, after, "out", numbers(kernel, before, "a"))
    elif pair == 3:
        wide = datums(kernel, before, "a", "u1").astype(np.uint16) << 8
        np.testing.assert_array_equal(datums(kernel, after, "out", "<u2"), wide)
    else:  # ten bits of mantissa are left
        cut = datums(kernel, before, "a", "<u4") & 0xFFFFE000
        np.testing.assert_array_equal(datums(kernel, after, "out", "<u4"), cut)


def _broadcast(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    a, b = numbers(kernel, before, "a"), numbers(kernel, before, "b")
    if given["BCAST"] & 1:
        b = np.repeat(b[:, :, :1], 32, axis=2)
    if given["BCAST"] & 2:
        b = np.repeat(b[:, :1], 32, axis=1)
    np.testing.assert_array_equal(numbers(kernel, after, "out"), a * b if given["MUL"] else a - b)


def _matmul(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    r, c, k = given["R"], given["C"], given["K"]
    a = _matrix(numbers(kernel, before, "a"), r, k)
    b = _matrix(N.numbers(kernel, before, "b"), k, c)
    found = datums(kernel, after, "out", "<u4").view(np.float32)
    np.testing.assert_array_equal(_matrix(found, r, c), a @ b)


def _chain(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    given = datums(kernel, before, "a", "<u4")
    for name in ("mid", "out"):
        np.testing.assert_array_equal(datums(kernel, after, name, "<u4"), given)


def _accumulate(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    sums = numbers(kernel, before, "a") + numbers(kernel, before, "b")
    found = datums(kernel, after, "out", "<u4").view(np.float32)
    np.testing.assert_array_equal(found, sums.reshape(-1, 3, 32, 32).sum(axis=1))


def _crosses(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    total, c, raw = (
        numbers(kernel, l1, name) for l1, name in ((after, "sum"), (before, "c"), (after, "raw"))
    )
    np.testing.assert_array_equal(
        total, numbers(kernel, before, "a") + numbers(kernel, before, "b")
    )
    np.testing.assert_array_equal(raw, c)


def _nothing(_k: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


CHECKS: dict[str, Check] = {
    "add1": N.add,
    "copy": N.same,
    "formats": _formats,
    "broadcast": _broadcast,
    "matmul": _matmul,
    "reuse": _matmul,
    "writes": N.same,
    "waits": _nothing,
    "streams": _nothing,
    "syncs": _nothing,
    "roles": N.add,
    "chain": _chain,
    "accumulate": _accumulate,
    "crosses": _crosses,
    "fresh": _nothing,
    **N.CHECKS,
}
# What kernels include.
PARTS = {"setup", "pack", "unpack_a", "unpack_dst", "give", "math_copy", "locked", "faulty"}
PARTS |= {"streamed", "plan_unpack", "plan_math", "plan_pack", "pack_sums"}
PARTS |= {"faces", "setup_tiny", "pack_tiny", "unpack_block", "math_block"}
COUNTS = (1, 2, 8, 64)
EIGHTS = (8, 64)
BLOCKS = ((1, 32), (8, 32), (4, 16), (8, 8))  # tiles of a block, datums of a row
WEIGHTS = tuple(FORMATS[name].code for name in ("BFP8", "BFP4", "BFP2"))
CASES: list[tuple[str, dict[str, int]]] = [
    ("waits", {}),
    ("fresh", {}),
    ("streams", {}),
    ("syncs", {}),
    *(("roles", {**given, "TILES": n}) for given in ROLES for n in COUNTS),
    *(("crosses", {"TILES": n}) for n in (1, 4)),
    *((name, {"TILES": n}) for name in ("copy", "writes", "chain") for n in COUNTS),
    *(("copy", {"HALVES": 2, "TILES": n}) for n in COUNTS),
    *(("formats", {"PAIR": pair, "TILES": n}) for pair in range(5) for n in COUNTS),
    *(("add1", {"TILES": n}) for n in COUNTS),
    *(("accumulate", {"TILES": n}) for n in COUNTS),
    *(
        ("reduce", {"OVER": over, "MAX": most, "TILES": n})
        for over, most, n in itertools.product(range(3), range(2), COUNTS)
    ),
    *((name, {"TILES": n}) for name in ("tilize", "untilize") for n in COUNTS),
    *(("untilize", {"AT_ONCE": 1, "TILES": n}) for n in EIGHTS),
    *(("reduce", {"OVER": over, "TERMS": 3, "TILES": n}) for over in range(3) for n in (1, 8)),
    *(("fast_tilize", {"FORM": form, "TILES": n}) for form in range(2) for n in (1, 7, 64)),
    *(("fast_untilize", {"WIDE": w, "TILES": n}) for w in range(2) for n in (1, 2, 3, 4, 8)),
    *(("fast_untilize", {"WIDE": w, "TILES": n}) for w, n in ((0, 132), (0, 133), (1, 137))),
    *(("pack_untilize", {"BLOCK": n, "TILES": 8, "DATUMS": d}) for n, d in BLOCKS),
    *(("pack_untilize", {"BLOCK": n, "TILES": 16, "ROWS": 16, "DENSE": n > 8}) for n in (8, 16)),
    *(("pack_block", {"BLOCK": n, "TILES": 16, "ROWS": r}) for n in (1, 8) for r in (16, 32)),
    *(("tiny", {"ROWS": r, "FORM": form}) for r in (1, 2, 4, 8, 16) for form in range(3)),
    *(("decode", {"ROWS": r, "WEIGHTS": w}) for r in (1, 2, 4, 8) for w in WEIGHTS),
    *(("matmul", {"R": 2, "C": 1, "K": 2, "WEIGHTS": w}) for w in WEIGHTS),
    *((name, {"TILES": n}) for name in ("square", "mutex", "twice") for n in COUNTS),
    *(
        (name, {flag: value, "TILES": n})
        for name, flag in (("transpose", "WIDE"), ("direct", "INTEGERS"), ("compress", "BFP"))
        for value, n in itertools.product(range(2), COUNTS)
    ),
    *(("broadcast", {"MUL": 0, "BCAST": way, "TILES": 2}) for way in range(4)),
    *(
        ("broadcast", {"MUL": 1, "BCAST": way, "PHASES": phases, "TILES": n})
        for way, phases, n in ((0, 1, 64), (1, 2, 8), (2, 3, 1), (3, 4, 2), (0, 4, 2), (3, 1, 1))
    ),
    *(
        ("matmul", {"R": r, "C": c, "K": k, "PHASES": phases})
        for r, c, k, phases in (
            (1, 1, 1, 1),
            (1, 1, 2, 2),
            (2, 2, 2, 4),
            (1, 1, 8, 4),
            (4, 4, 4, 1),
        )
    ),
    *(
        ("reuse", {"R": r, "C": c, "K": k, "PHASES": phases, "COLUMN": column})
        for column, r, c, k, phases in (
            (0, 1, 1, 1, 1),
            (0, 2, 4, 2, 2),
            (1, 4, 2, 3, 4),
            (0, 8, 1, 1, 2),
            (1, 1, 8, 8, 1),
        )
    ),
]


def test_there_is_a_check_for_each_kernel() -> None:
    names = {file.stem for file in PROGRAMS.glob("*.kernel")}
    assert names == {*CHECKS, *PARTS, "faults"}  # which has a test of its own


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name, given", CASES, ids=lambda x: x if isinstance(x, str) else str(x))
def test_a_kernel_computes_what_it_says(name: str, given: dict[str, int], profile: str) -> None:
    kernel, verdict = _played(name, profile, **given)
    CHECKS[name](kernel, machine_of(kernel).l1, verdict.machine.l1, given)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "name, given",
    [
        ("copy", {"TILES": 3}),
        ("copy", {"HALVES": 2, "TILES": 5}),
        ("formats", {"PAIR": 4, "TILES": 3}),
        ("chain", {"TILES": 2}),
        ("accumulate", {"TILES": 1}),
        ("add1", {"TILES": 5}),
        ("broadcast", {"MUL": 1, "BCAST": 1, "TILES": 3}),
        ("matmul", {"R": 1, "C": 3, "K": 2}),
        ("crosses", {}),
        *(("roles", given) for given in ROLES),
        *(("reduce", {"OVER": over, "MAX": 1, "TILES": 3}) for over in range(3)),
        ("reduce", {"TERMS": 2, "TILES": 2}),
        ("fast_tilize", {"TILES": 7}),
        *(("fast_untilize", {"TILES": n, "WIDE": n == 4}) for n in (4, 7)),
        ("pack_untilize", {"TILES": 6}),
        ("pack_untilize", {"TILES": 6, "DATUMS": 16}),
        ("pack_untilize", {"TILES": 12, "BLOCK": 4, "ROWS": 16, "DENSE": 1}),
        ("pack_block", {"TILES": 6, "BLOCK": 2}),
        *((name, {"ROWS": 2, "TILES": 3}) for name in ("tiny", "decode")),
        ("tilize", {"TILES": 3}),
        ("untilize", {"TILES": 3}),
        ("untilize", {"AT_ONCE": 1, "TILES": 16}),
        *(("transpose", {"WIDE": wide, "TILES": 3}) for wide in range(2)),
        *((name, {"TILES": 3}) for name in ("direct", "compress", "square", "mutex", "twice")),
        ("reuse", {"R": 3, "C": 2, "K": 2}),
        ("reuse", {"R": 2, "C": 3, "K": 2, "COLUMN": 1}),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_all_orders_give_the_same_l1(name: str, given: dict[str, int], profile: str) -> None:
    images = [_played(name, profile, order, **given)[1].machine.l1 for order in ORDERS]
    assert all((image == images[0]).all() for image in images[1:])


def test_rows_far_apart_want_a_new_address() -> None:
    """Of a row of 133 tiles the last of 32 rows is more than 256 KiB behind the first (P33)."""
    given = {"TILES": 2, "ACROSS": 133, "CARRIED": 1 << 19}
    for profile in ("blackhole,pack_ch1_offset18=0", "blackhole"):
        kernel, verdict = _played("fast_untilize", profile, **given)
        found = verdict.machine.l1
        if profile == "blackhole":
            with pytest.raises(AssertionError, match="Mismatched elements"):
                CHECKS["fast_untilize"](kernel, machine_of(kernel).l1, found, given)
        else:
            CHECKS["fast_untilize"](kernel, machine_of(kernel).l1, found, given)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_threads_count_together(order: Order) -> None:
    machine = _played("mutex", "baseline", order, TILES=6)[1].machine
    assert [machine.read_config(205 + k) for k in range(4)] == [6, 6, 3, 3]
    assert machine.read_config(1) & 0x40007FF8 == 1 << 30 | 5 << 8 | 5 << 3


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_faults_are_the_same_in_every_order(order: Order) -> None:
    kernel = load(PROGRAMS / "faults.kernel", "baseline")
    verdict, first = play(kernel, order), play(kernel)
    assert verdict.run.end == "done" and verdict.machine.read_config(205) == 7
    assert verdict.machine.faults == first.machine.faults
    for thread in range(3):
        names = {fault.name for fault in verdict.machine.faults if fault.thread == thread}
        assert names >= {"illegal", "sem_cond", "x_override", "empty", "unsupported", "sem_lost"}


@pytest.mark.parametrize(
    "line, thread, reason",
    [
        ("        SEMGET 1<<MATH_PACK\n", 1, "semaphore 1 (MATH_PACK) is at its maximum"),
        ("        SEMPOST 1<<MATH_PACK\n", 2, "semaphore 1 (MATH_PACK) is 0"),
        ("        SEMGET 1<<UNPACK_SYNC\n", 0, "semaphore 5 (UNPACK_SYNC) is 2"),
        ("        end  SETRWC 3,0,0,0,0,3 ", 0, "is the Matrix Unit's"),
    ],
)
def test_a_broken_rule_is_a_deadlock_with_a_reason(line: str, thread: int, reason: str) -> None:
    verdict = play(parse(edited("add1", (line, ""))))
    assert verdict.run.end == "deadlock" and not verdict.passed
    assert any(one.thread == thread and reason in one.reason for one in verdict.run.waiting)
    assert verdict.failed[0].endswith(f"deadlock after {verdict.run.steps} steps")
    assert len(verdict.failed) == 1 + len(verdict.run.waiting)


@pytest.mark.parametrize(
    "line",
    [
        "        SETRWC 0,0,0,0,0,4 ",
        "        set UNPACK_MISC_CFG_ CfgContextOffset_0=1-k%2, CfgContextOffset_1=1-k%2\n",
        "        set DEST_TARGET_REG_CFG_MATH_Offset = 512 * (1 - k%2)\n",
        "        SETADCZW 3,0,0,0,0,15 ",
    ],
)
def test_other_broken_rules_are_wrong_numbers(line: str) -> None:
    verdict = play(parse(edited("add1", (line, ""))))
    assert verdict.run.end == "done" and len(verdict.failed) >= 1
    assert "numbers of out are wrong; the first is [" in verdict.failed[-1]
