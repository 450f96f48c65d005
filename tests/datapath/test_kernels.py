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
from tilepath.tests.datapath import kernel_numbers as N
from tilepath.tests.datapath.kernel_files import CASES, PROFILES, PROGRAMS, cases, edited
from tilepath.tests.datapath.kernel_numbers import HEADER, Bytes, Check, datums, numbers

ORDERS: tuple[Order, ...] = ("round", *itertools.permutations(range(3)), 1, 2, 3)


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


def _nothing(_k: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


# Where what the kernel itself expects is not all, or not exact
CHECKS: dict[str, Check] = {
    "copy": N.same,
    "formats": _formats,
    "writes": N.same,
    "waits": _nothing,
    "streams": _nothing,
    "syncs": _nothing,
    "chain": N.same,
    "fresh": _nothing,
    **N.CHECKS,
}
# What kernels include.
PARTS = {"setup", "pack", "unpack_a", "unpack_dst", "give", "math_copy", "locked", "faulty"}
PARTS |= {"streamed", "plan_unpack", "plan_math", "plan_pack", "pack_sums"}
PARTS |= {"faces", "setup_tiny", "pack_tiny", "unpack_block", "math_block"}


def test_each_kernel_is_tried() -> None:
    names = {file.stem for file in PROGRAMS.glob("*.kernel")}
    assert names == {*dict(CASES), *PARTS, "faults"}  # which has a test of its own


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name, given", CASES, ids=lambda x: x if isinstance(x, str) else str(x))
def test_a_kernel_computes_what_it_says(name: str, given: dict[str, int], profile: str) -> None:
    kernel, verdict = _played(name, profile, **given)
    if name in CHECKS:
        CHECKS[name](kernel, machine_of(kernel).l1, verdict.machine.l1, given)
    else:  # as ``_played`` has seen
        assert kernel.expects and not any(expect.tolerance for expect in kernel.expects)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "name, given",
    cases("orders"),
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
