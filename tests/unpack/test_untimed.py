# SPDX-License-Identifier: Apache-2.0
"""The untimed unpackers, led by a run's records, end where the cycle-exact ones do."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa.boundary.unpack import STATE
from tilepath.models import format_codes as F
from tilepath.models.state import differences
from tilepath.models.unpack import UnpackModel
from tilepath.tb.unpack.untimed import UntimedUnpackers
from tilepath.tests.model_runs import cut
from tilepath.tests.unpack.model_cycle_helpers import (
    SETDVALID,
    ZEROSRC,
    Program,
    both_units,
    joined,
    nop,
)
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr
from tilepath.tests.unpack.test_model_blocks import PROFILES, random_cycle, random_state


def follow(p: Program, cycles: int = 300) -> list[str]:
    """What differs at the end of a run."""
    model, untimed = UnpackModel(p.profile), UntimedUnpackers(p.profile)
    inputs, end = p.inputs(), p.start + cycles
    for first in range(0, end, 97):
        last = min(first + 97, end)
        given = cut(inputs, first, last)
        untimed.follow(given, model.step(given, last))
    state = model.state()
    for described in STATE:
        assert state[described.name].dtype == np.dtype(described.dtype)
        assert state[described.name].shape == described.whole_shape
    return [str(one) for one in differences(untimed.state(), state)]


def test_releases_and_flips_in_their_order() -> None:
    # the second UNPACR of a bank waits for its release, and hands it over again
    p = both_units(count=16)
    for cycle in (0, 2, 4):
        p.issue(cycle, unpacr(0, flip_src=1))
    p.matrix(10, 1, 0, 1, 0).matrix(80, 1, 0, 0, 0)
    assert follow(p) == []
    # hand-over and release in one cycle; a bank that is handed over twice
    for cycle in (24, 25, 26, 27):
        p = Program(None)
        for issue in range(3):
            p.issue(issue, nop(0, SETDVALID))
        assert follow(p.matrix(cycle, 1, 0, 0, 0)) == []


@pytest.mark.parametrize("cycle", range(8, 20))
def test_l1_is_written_while_it_is_read(cycle: int) -> None:
    p = both_units(F.INT16, count=64).issue(0, unpacr(0)).issue(2, unpacr(1))
    p.add("l1_write", cycle, 0x404, [0x11111111] * 16)
    assert follow(p) == []


def test_counters_between_sampling_and_the_end_of_a_phase() -> None:
    word = 0x50200000 | 1 << 18 | 5  # SETADC, unpacker 0, channel 0, Y
    for cycle in range(6):
        s = plain(F.FP16, uncompressed=0, x_dim=8, z_dim=1, count=8)
        p = Program(s).issue(0, unpacr(0, addr_mode=0xFF)).add("t0.counter", cycle, word)
        assert follow(p) == []


def test_two_in_one_cycle() -> None:
    for cycle in range(6):
        p = both_units(count=16, apart=({"uncompressed": 0}, {}))
        p.issue(0, unpacr(0), 0).issue(0, unpacr(1), 1)
        p.add("cfg", cycle, 3, 124, 0, [0x402, 0, 0, 0])  # Base_address of unpacker 1
        put_back = p.add("t1.setc16", cycle, 6, 3)
        assert follow(put_back) == []


def test_zeroing_of_dst() -> None:
    for cycle in (20, 27, 29, 40):
        s = plain(F.BF16, count=16, if_sel=1)
        put(s, 0, set_ovrd=0)
        p = Program(s).issue(0, unpacr(0)).matrix(cycle, 2, 2, 0, 1)
        assert follow(p) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_runs(seed: int) -> None:
    rng = np.random.default_rng([5, seed])
    profile = ("baseline", "blackhole")[seed % 2]
    state = random_state(rng, profile)
    state.l1[2048:] = 0  # the rest would take long to write
    p = Program(state, profile)
    model, untimed = UnpackModel(profile), UntimedUnpackers(profile)
    given = cut(p.inputs(), 0, p.start)
    untimed.follow(given, model.step(given, p.start))
    for _ in range(400):
        now = random_cycle(rng, model, 0.3)
        now.pop("matrix_write", None)  # see the other tests
        if "matrix" in now:
            now["matrix"] = (*now["matrix"][:8], *[0] * 5)
        p.rows = {name: [] for name in p.rows}
        for name, fields in now.items():
            p.rows[name].append((model.now, *fields))
        given = p.inputs()
        untimed.follow(given, model.step(given, model.now + 1))
    for step in range(400):  # banks come back until all is done
        p.rows = {name: [] for name in p.rows}
        p.matrix(model.now - p.start, release=3, banks=3 * (step & 1))
        given = p.inputs()
        untimed.follow(given, model.step(given, model.now + 100))
        if not model._model.timing[0].busy.any():
            break
    given = {name: records[:0] for name, records in given.items()}
    untimed.follow(given, model.step(given, model.now + 10))
    assert [str(one) for one in differences(untimed.state(), model.state())] == []


@pytest.mark.parametrize("seed", range(4))
def test_the_matrix_units_rows(seed: int) -> None:
    """Rows, clears and valid bits between instructions that write the same files."""
    rng = np.random.default_rng([6, seed])
    s = plain(F.INT16, count=64, if_sel=seed & 1, profile=PROFILES[seed >> 1])
    s.config[:, 220] = 3
    put(s, 0, set_ovrd=0, out_base=2 * 16 * 11)
    load(s, 0x4010, rng.integers(0, 1 << 16, 128), "u2")
    p = Program(joined(s, plain(F.INT16, unit=1, count=64)), PROFILES[seed >> 1])
    for n in range(4):
        p.issue(40 * n, unpacr(0)).issue(40 * n + 2, nop(1, ZEROSRC | 16 * (n & 1)))
    for n in range(30):  # rows change from 28 on: not at once with these
        cycle = 40 * (n // 6) + 34 + n % 6
        place = (int(rng.integers(0, k)) for k in (3, 2, 80))
        p.matrix_write(cycle, *place, rng.integers(0, 1 << 32, 16), int(rng.integers(0, 2)), 3)
        row, access = int(rng.integers(0, 80)), int(rng.integers(0, 4))
        p.matrix(cycle, zero=1, zero_mode=n % 5 % 4, row=row, access=access, undo=n & 1,
                 wide=n >> 1 & 1, clear=1 << n % 4 if n % 7 == 0 else 0, neg_inf=n & 1)  # fmt: skip
    assert follow(p) == []


@pytest.mark.parametrize("index", [67, 68, 127])
def test_words_beyond_those_of_a_thread_are_dropped(index: int) -> None:
    """Of a SETC16 and of a core's store (C6)."""
    p = both_units(count=16).add("t1.setc16", 3, index, 0x1234).add("store", 3, 2, index, 0x4321)
    assert follow(p) == []
