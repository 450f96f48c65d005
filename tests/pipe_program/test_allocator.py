# SPDX-License-Identifier: Apache-2.0
"""Properties of the addresses that the allocator chooses."""

from __future__ import annotations

import random

import pytest

from tilepath.models.pipe_program import A5, AUTO, Alloc, Func, Program, ReserveBuffer, check
from tilepath.models.pipe_program.regions import first_fit, overlap


def _layout(rng: random.Random) -> Func:
    allocs, reserves, at = [], [], 0
    for k in range(rng.randrange(6)):
        at += rng.randrange(300)
        size = rng.randrange(1, 500)
        if rng.random() < 0.5:
            allocs.append(Alloc(f"t{k}", at, size))
        else:
            at = (at + 31) // 32 * 32
            reserves.append(ReserveBuffer(f"r{k}", size, at))
        at += size
    reserves += [ReserveBuffer(f"a{k}", rng.randrange(1, 600)) for k in range(rng.randrange(5))]
    tiles = [Alloc(f"b{k}", AUTO, rng.randrange(1, 200)) for k in range(rng.randrange(3))]
    rng.shuffle(reserves)
    return Func("f", "AIV0", (), [*allocs, *tiles], reserves)


def test_what_is_placed_is_aligned_inside_and_apart() -> None:
    unplaced = 0
    for seed in range(300):
        rng = random.Random(seed)
        func, capacity = _layout(rng), rng.choice((1500, 3000, 8192))
        report = check(Program(A5, [func], sram={"UB": capacity}))
        spans = {}
        for region in (*func.reserves, *func.allocs):
            name = f"%{region.name}" if isinstance(region, Alloc) else region.name
            base = report.resolved_bases.get(("f", name))
            if base is None:
                unplaced += 1
                continue
            spans[name] = (base, base + region.size)
            if region.base is AUTO:
                assert base % 32 == 0
                assert base + region.size <= capacity
            else:
                assert base == region.base
        names = sorted(spans)
        for k, a in enumerate(names):
            assert not any(overlap(spans[a], spans[b]) for b in names[k + 1 :])
        assert not {"C13", "C14"} & {diag.code for diag in report.errors}
    assert unplaced


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
