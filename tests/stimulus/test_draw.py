# SPDX-License-Identifier: Apache-2.0
"""Single draws are those of NumPy's generator, by its method, whatever is drawn in between."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.stimulus.draw import Draw, integers

MANY_REJECTED = 3 * (1 << 29) + 1
"""More than a quarter of all words are rejected for it."""
TOPS = (1, 2, 3, 7, 40, 256, 1 << 16, 65_535, MANY_REJECTED, (1 << 31) - 1, 1 << 32)


@pytest.mark.parametrize("seed", range(4))
def test_one_number(seed: int) -> None:
    d, same = Draw(np.random.default_rng(seed)), np.random.default_rng(seed)
    for k in range(2_000):
        top = TOPS[k % len(TOPS)]
        assert d.below(top) == same.integers(0, top)
        if k % 7 == 0:
            assert d.chance(0.3) == (same.random() < 0.3)
        if k % 11 == 0:
            assert (d.rng.integers(0, 100, 3) == same.integers(0, 100, 3)).all()


@pytest.mark.parametrize("tops", [(2, 3, 40), (MANY_REJECTED, 7), (1 << 32, MANY_REJECTED, 256)])
def test_many_numbers(tops: tuple[int, ...]) -> None:
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    for count in (1, 2, 50):
        for top, found in zip(tops, integers(rng, count, *tops), strict=True):
            assert found.tolist() == same.integers(0, top, count).tolist()
        assert rng.integers(0, 1 << 20) == same.integers(0, 1 << 20)


def test_nothing_to_draw_from() -> None:
    with pytest.raises(ValueError):
        Draw(np.random.default_rng(1)).below(0)
