# SPDX-License-Identifier: Apache-2.0
"""Real programs of the packers in the golden model without time: what is in L1."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.description.stimulus import Context
from tilepath.sequences.pack.programs import TESTS
from tilepath.sequences.pack.tile_image import KINDS
from tilepath.tests.pack.play_machine import Play
from tilepath.tests.pack.program_bytes import PROFILES, PROGRAMS, UNTOUCHED, check
from tilepath.tests.pack.tile_values import tile


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_l1_holds_the_tiles(program: str, profile: str) -> None:
    context = Context("pack", program, 1, profile, 0)
    play = Play(TESTS[program].stimulus(context), profile)
    play.machine.l1[:] = UNTOUCHED
    play.run()
    found = {fault.name for fault in play.machine.faults}
    assert found <= set(TESTS[program].faults) and play.machine.events == []
    check(program, profile, play.machine.l1)


def test_a_carry_to_the_least_normal_number() -> None:
    """What says so has no such number in its tiles (V4)."""
    (number,) = np.array([0x007FFFFF], np.uint32).view(np.float32)
    packed = tile(KINDS["fp32_bf16"], np.full(16, number, np.float64))
    assert packed.tobytes() == b"\x80\0" * 16
