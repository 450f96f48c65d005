# SPDX-License-Identifier: Apache-2.0
"""What packers wrote is unpacked to the same numbers: model to model, RTL to RTL."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from tilepath.engine.description.stimulus import Context
from tilepath.sequences.pack.llk import TESTS
from tilepath.sequences.unpack import TESTS as TESTS_OF_UNPACK
from tilepath.tests.cosim_runs import FAST, loading, recorded_program
from tilepath.tests.pack import play_machine, unpack_again, unpack_again_cosim
from tilepath.tests.pack.program_bytes import PROFILES, l1_of
from tilepath.tests.unpack.model_cycle_helpers import answers
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


@pytest.mark.parametrize(
    ("program", "profile"),
    [("pack_rows", "baseline"), ("pack_compressed", "baseline"), ("pack_compressed", "blackhole")],
)
def test_rtl(program: str, profile: str, tmp_path: Path) -> None:
    """The very bytes that the packers' RTL wrote."""
    l1 = l1_of(recorded_program("pack", program, FAST, profile, tmp_path), profile, 0)
    packed = tmp_path / "l1.npy"
    np.save(packed, l1)
    with (
        patch.dict(TESTS_OF_UNPACK, unpack_again_cosim.SPECS),
        loading(unpack_again_cosim.__name__, **{unpack_again_cosim.VARIABLE: str(packed)}),
    ):
        streams = recorded_program("unpack", program, FAST, profile, tmp_path)
    unpack_again.check(program, profile, answers(streams)["data"])
    assert not [name for name, found in streams.items() if "fault" in name and len(found)]
