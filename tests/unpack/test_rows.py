# SPDX-License-Identifier: Apache-2.0
"""Rows moved at once give what beats, items and steps give, datum for datum."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.compiled.jit import compiled
from tilepath.isa import profiles
from tilepath.models.unpack import UnpackState, rows, untimed
from tilepath.models.unpack.ask import Model, ask
from tilepath.models.unpack.formats import address_shift
from tilepath.tests.unpack.model_helpers import put, randomize, unpacr


@compiled
def _walked(model: Model, word: int, by_rows: bool) -> int:
    """Faults of the reads and, above them, of the writes of an UNPACR; -1: it has no whole rows."""
    state = model.states[0]
    ask(model, 0, word)
    if not rows.are_whole(state.plan, model.l1):
        return -1
    state.plan.target.plain = by_rows  # item by item otherwise, although there are no others
    untimed._walk(state, state.plan, model.l1, True)
    return state.result.read_faults | state.result.write_faults << 32  # type: ignore[no-any-return]


@pytest.mark.parametrize("profile", profiles.names())
def test_rows_at_once(profile: str) -> None:
    rng = np.random.default_rng(7)
    s = UnpackState(profile)
    randomize(s, rng)
    s.l1[0x4000:0x4400] %= 64  # exponents, some of them too large for five bits
    whole, told = np.zeros((16, 2), np.int64), set()
    for code in np.repeat(np.arange(16), 60).tolist():
        unit = int(rng.integers(2))
        out = int(rng.choice([0, 1, 4, 5])) if code == 0 else code
        put(
            s, unit, base=0x400 + int(rng.integers(3)), in_format=code, out_format=out,
            uncompressed=1, x_dim=256, y_dim=1, z_dim=1, w_dim=1, throttle=int(rng.integers(3)),
            out_base=int(rng.integers(4, 72)) << 4 + address_shift(out), e4m3=int(rng.integers(2)),
            unsigned=int(rng.integers(2)), force_exponent=int(rng.integers(2)),
            shared_exponent=int(rng.integers(256)), limit=0x400 + int(rng.choice([1, 9, 70])),
            fifo=int(rng.choice([0, 0, 1])),
        )  # fmt: skip
        begin = int(rng.choice([0, 16, 5, 64]))
        put(s, unit, x0=begin, x1=begin + int(rng.choice([15, 255, 63, 1023, 20])))
        before = s._states.copy()
        found = _walked(s.model, unpacr(unit), True)
        if found == -1:
            continue
        by_rows, now = s._states["registers"].copy(), s._states["registers"]
        s._states[:] = before
        assert _walked(s.model, unpacr(unit), False) == found
        assert all(np.array_equal(by_rows[name], now[name]) for name in now.dtype.names)
        whole[code, unit] += 1
        told.add(found >> 32)
    assert whole.min() >= 2 and len(told) >= 3, (whole, told)
