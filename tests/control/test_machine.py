# SPDX-License-Identifier: Apache-2.0
"""Config unit, sync unit and scalar unit as part of the machine, without time."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.models import Event, Fault, Machine
from tilepath.models.adc import AdcModel
from tilepath.models.control import ControlState
from tilepath.models.frontend_control import JoinedModel

enc = isa.encode


def push(m: Machine, thread: int, *words: int) -> None:
    for word in words:
        m.push(thread, word)


def test_state_after_reset() -> None:
    m = Machine()
    for array, dtype, shape in (
        (m.config, np.uint32, (2, 224)),
        (m.thread_config, np.uint16, (3, 68)),
        (m.gpr, np.uint32, (3, 64)),
        (m.semaphores, np.uint8, (8, 2)),
        (m.streams, np.uint32, (64, 1024)),
    ):
        assert array.dtype == dtype and array.shape == shape
        assert not array.any()
    assert m.mutexes == {0: None, 2: None, 3: None, 4: None}


def test_state_is_that_of_all_parts() -> None:
    m = Machine()
    push(
        m,
        1,
        enc("REPLAY", index=3, count=1, load=1),
        0x12345678,
        enc("SETC16", cfg_index=7, value=9),
    )
    m.execute(2, enc("SETADCXX", target=1, x1_val=5, x0_val=4))
    found = m.state()
    assert found["replay_buffer"][1, 3] == 0x12345678 and found["thread_config"][1, 7] == 9
    assert found["live"][2, 0, :, 0].tolist() == [4, 5]
    m.push(1, enc("SETC16", cfg_index=7, value=10))
    assert found["thread_config"][1, 7] == 9  # a copy
    assert {*found} == {*JoinedModel("baseline").state(), *AdcModel().state()}


def test_a_flop_to_a_counter_is_the_counters() -> None:
    m = Machine()
    m.gpr[0, 7] = 0xDDC3BBAA
    # channel 1, packers, checkpoint, X; of thread 2
    flop = 1 << 5 | 2 << 3 | 1 << 2
    m.push(0, enc("REG2FLOP", size=2, target=3, byte_ofs=2, ctx=2, flop=flop, gpr=7))
    assert m.adc.checkpoint[2, 2, 1, 0] == 0xDDC3
    assert np.count_nonzero(m.adc.checkpoint) == 1 and not m.adc.live.any()
    bad = enc("REG2FLOP", size=0, target=3, ctx=3)
    m.push(0, bad)
    assert m.faults == [Fault("flop_target", 0, bad), Fault("flop_size", 0, bad)]


def test_waits_that_are_not_met_are_noted() -> None:
    m = Machine()
    m.semaphores[2] = (1, 1)
    low, full = enc("SEMWAIT", sem_mask=1, cond=1), enc("SEMWAIT", sem_mask=4, cond=2)
    met = (
        enc("SEMWAIT", sem_mask=4, cond=1),
        enc("SEMWAIT", sem_mask=0, cond=3),
        enc("STALLWAIT", cond=0x1FFF),
    )
    push(m, 1, low, *met, full)
    assert m.events == [Event("wait_not_met", 1, low), Event("wait_not_met", 1, full)]
    assert m.faults == []
    m.push(0, enc("SEMWAIT", sem_mask=1))
    assert m.faults == [Fault("sem_cond", 0, enc("SEMWAIT", sem_mask=1))]
    assert len(m.events) == 2


def test_a_mutex_is_one_threads() -> None:
    m = Machine()
    get, release = enc("ATGETM", index=3), enc("ATRELM", index=3)
    push(m, 1, get, get)
    push(m, 2, get, release)
    assert m.mutexes == {0: None, 2: None, 3: 1, 4: None}
    assert m.events == [Event("wait_not_met", 2, get)]
    assert m.faults == [Fault("mutex_owner", 2, release)]


def test_bad_arguments() -> None:
    state = ControlState()
    with pytest.raises(ValueError, match="no thread 3: choose from 0, 1, 2"):
        state.execute(3, 0)
    for word in (-1, 1 << 32):
        with pytest.raises(ValueError, match="does not fit in 32 bits"):
            state.execute(0, word)
    with pytest.raises(ValueError, match="unknown profile 'nonesuch'"):
        ControlState("nonesuch")
