# SPDX-License-Identifier: Apache-2.0
"""Random set-ups and instructions against the reference in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath.models.unpack import UnpackState
from tilepath.tests.unpack.model_helpers import random_setup, randomize, scramble
from tilepath.tests.unpack.model_reference import Reference
from tilepath.tests.unpack.model_reference_nop import ARRAYS

PROFILES = ("baseline", "blackhole", "baseline,row_w=16", "blackhole,fp8_e5m2_fill=0")


def check(s: UnpackState, twin: Reference, thread: int, word: int) -> None:
    faults, met, overlay, setreg = twin.execute(thread, word)
    effect = s.execute(thread, word)
    assert set(effect.faults) == faults, f"{word:08X}"
    assert (effect.met, effect.overlay, effect.setreg) == (bool(met), overlay, setreg)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(s, name), getattr(twin, name), f"{name} {word:08X}")
    np.testing.assert_array_equal(s.adc.live, twin.live)


def word_of(rng: np.random.Generator) -> int:
    word = int(rng.integers(0, 1 << 24))
    if rng.random() < 0.25:
        return 0x43000000 | word & int(
            rng.choice([0xFFFFFF, 0xFFFFFF, 0x80001F, 0x80000F, 0x800007])
        )
    if rng.random() < 0.9:
        word &= ~0x2002  # Regular
    return 0x42000000 | word


@pytest.mark.parametrize("profile", PROFILES)
def test_against_the_reference(profile: str) -> None:
    rng = np.random.default_rng(PROFILES.index(profile))
    s = UnpackState(profile)
    randomize(s, rng)
    seen: set[str] = set()
    for _ in range(40):
        random_setup(s, rng)
        scramble(s, rng)
        twin: Any = Reference(s, profile)
        for _ in range(3):
            check(s, twin, int(rng.integers(3)), word_of(rng))
            seen |= twin.faults
    assert len(seen) > 20, seen
