# SPDX-License-Identifier: Apache-2.0
"""The addresses that the allocator chooses."""

from __future__ import annotations

import pytest

from tilepath.models.pipe_program import A5, AUTO, Alloc, Func, Program, ReserveBuffer, check
from tilepath.models.pipe_program.regions import first_fit


@pytest.mark.parametrize(
    ("size", "taken", "capacity", "expected"),
    [
        (64, [], 64, 0),
        (65, [], 64, None),
        (32, [(0, 1)], 64, 32),
        (33, [(0, 1)], 64, None),
        (32, [(64, 96), (0, 32)], 96, 32),
        (33, [(64, 96), (0, 32)], 160, 96),
        (32, [(0, 100), (10, 20)], 160, 128),
        (32, [(31, 31)], 32, 0),
    ],
)
def test_first_fit(
    size: int, taken: list[tuple[int, int]], capacity: int, expected: int | None
) -> None:
    assert first_fit(size, taken, capacity, 32) == expected


def test_lowest_address_in_the_order_of_declaration() -> None:
    reserves = [ReserveBuffer("a", 64), ReserveBuffer("b", 32), ReserveBuffer("c", 64, 0x20)]
    func = Func("f", "AIC", (), [Alloc("t", AUTO, 8), Alloc("u", 0x80, 8)], reserves)
    bases = check(Program(A5, [func])).resolved_bases
    assert bases == {
        **{("f", "c"): 0x20, ("f", "%u"): 0x80, ("f", "a"): 0xA0},
        **{("f", "b"): 0x0, ("f", "%t"): 0x60},
    }
