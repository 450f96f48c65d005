# SPDX-License-Identifier: Apache-2.0
"""Real programs of the unpackers in the golden model without time: what is in the registers."""

from __future__ import annotations

import pytest

from tilepath.engine.description.stimulus import Context
from tilepath.sequences.unpack.programs import TESTS
from tilepath.tests.unpack.play_machine import Play
from tilepath.tests.unpack.program_reads import PROGRAMS, check, valid


@pytest.mark.parametrize("profile", ["baseline", "blackhole", "baseline,row_w=16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_matrix_unit_reads_the_tiles(program: str, profile: str) -> None:
    context = Context("unpack", program, 1, profile, 0)
    play = Play(TESTS[program].stimulus(context), profile).run()
    assert play.machine.faults == [] and play.machine.events == []
    check(program, profile, play.words())
    assert play.valid == (valid(program) or [0] * len(play.valid))
