# SPDX-License-Identifier: Apache-2.0
"""What packers wrote is unpacked to the same numbers: model to model, RTL to RTL."""

from __future__ import annotations

import pytest

from tilepath.sequences.pack.llk import TESTS
from tilepath.tb.kernel.description.stimulus import Context
from tilepath.tests.pack import play_machine, unpack_again
from tilepath.tests.pack.program_bytes import PROFILES
from tilepath.tests.unpack.play_machine import Play


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", unpack_again.PROGRAMS)
def test_models(program: str, profile: str) -> None:
    stimulus = TESTS[program].stimulus(Context("pack", program, 1, profile, 0))
    packed = play_machine.Play(stimulus, profile).run().machine
    script = unpack_again.unpack(program, packed.l1, profile)
    play = Play({name: [made] for name, made in script.take().items()}, profile).run()
    assert play.machine.faults == [] and play.machine.events == []
    unpack_again.check(program, profile, play.words())
