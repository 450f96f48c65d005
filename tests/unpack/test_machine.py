# SPDX-License-Identifier: Apache-2.0
"""The unpackers as part of the machine: its arrays, what it refuses, real programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath.engine.description.stimulus import Context
from tilepath.models import Machine
from tilepath.models.unpack import UnpackState
from tilepath.sequences.unpack.programs import TESTS
from tilepath.tests.unpack.model_helpers import unpacr
from tilepath.tests.unpack.play_machine import Play
from tilepath.tests.unpack.program_reads import PROGRAMS, check, valid


def test_state_after_reset() -> None:
    m = Machine()
    for array, dtype, shape in (
        (m.l1, np.uint8, (1499136,)),
        (m.src_a, np.uint32, (2, 64, 16)),
        (m.src_b, np.uint32, (2, 64, 16)),
        (m.src_owner, np.uint8, (2, 2)),
        (m.dst, np.uint16, (1024, 16)),
        (m.dst_valid, np.uint8, (1024,)),
        (m.src_bank, np.int64, (2,)),
        (m.src_row, np.int64, (2, 3)),
        (m.context_counter, np.int64, (2, 3)),
        (m.setreg_acc, np.int64, (2,)),
        (m.matrix_bank, np.uint8, (2,)),
        (m.setreg_base, np.uint32, (2,)),
    ):
        assert array.dtype == dtype and array.shape == shape and array.flags.writeable
        assert array.all() if array is m.dst_valid else not array.any()
    assert Machine("blackhole").l1.size == 1572864


STREAMS = "cfg, flop, store, t0.setc16, t0.counter, .*, t2.counter, l1_write"


@pytest.mark.parametrize(
    ("method", "arguments", "says"),
    [
        *(
            ("execute", (thread, unpacr()), f"no thread {thread}: choose from 0, 1, 2")
            for thread in (-1, 3)
        ),
        *(
            ("execute", (0, word), "word .* is no UNPACR or UNPACR_NOP")
            for word in (-1, 1 << 32, 0x44000000, 0x41FFFFFF)
        ),
        *(
            ("apply", (stream, {}), f"'{stream}' is none of the streams {STREAMS}")
            for stream in ("nonsense", "setc16", "t3.setc16", "t0.cfg")
        ),
        ("release", (0, 2), "no bank 2 of file 0: .*"),
        ("__init__", ("nonsense",), "unknown profile 'nonsense'.*"),
    ],
)
def test_bad_arguments(method: str, arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}$"):
        getattr(UnpackState(), method)(*arguments)


@pytest.mark.parametrize("profile", ["baseline", "blackhole", "baseline,row_w=16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_matrix_unit_reads_the_tiles(program: str, profile: str) -> None:
    context = Context("unpack", program, 1, profile, 0)
    play = Play(TESTS[program].stimulus(context), profile).run()
    assert play.machine.faults == [] and play.machine.events == []
    check(program, profile, play.words())
    assert play.valid == (valid(program) or [0] * len(play.valid))
