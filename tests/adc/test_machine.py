# SPDX-License-Identifier: Apache-2.0
"""The address counters as part of the machine."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import Event, Fault, Machine
from tilepath.tests.frontend.model_helpers import MOP1, NOP, replay

INC_Z0 = 0x55200040  # unpacker 0
SET_Z1 = 0x50980007  # packers


def test_pushed_words_change_the_counters() -> None:
    m = Machine()
    m.push(1, INC_Z0)
    m.push(1, SET_Z1)
    want = np.zeros((3, 3, 2, 4), dtype=np.uint32)
    want[1, 2, 1, 2] = 7
    np.testing.assert_array_equal(m.adc.checkpoint, want)
    want[1, 0, 0, 2] = 1
    np.testing.assert_array_equal(m.adc.live, want)
    assert m.issued[1].tolist() == [INC_Z0, SET_Z1]
    assert m.events == [] and m.faults == []


def test_what_a_mop_and_a_replay_issue_is_executed() -> None:
    m = Machine()
    m.mop_cfg[2][:] = [3, 4, NOP, NOP, NOP, INC_Z0, NOP, INC_Z0, INC_Z0]
    m.push(2, MOP1)
    assert int(m.adc.live[2, 0, 0, 2]) == 12
    for word in (replay(0, 2, 0, 1), INC_Z0, INC_Z0):  # recorded, not executed
        m.push(2, word)
    assert int(m.adc.live[2, 0, 0, 2]) == 12
    m.push(2, replay(0, 2))
    assert int(m.adc.live[2, 0, 0, 2]) == 14


def test_execute_takes_a_word_past_the_front_end() -> None:
    m = Machine()
    m.execute(0, INC_Z0)
    assert int(m.adc.live[0, 0, 0, 2]) == 1
    assert m.issued[0].size == 0


@pytest.mark.parametrize("word", [0x40000000, 0x48000000, NOP])
def test_words_of_no_modelled_unit_have_no_effect(word: int) -> None:
    m = Machine()
    m.execute(0, word)
    assert not m.adc.live.any() and not m.adc.checkpoint.any()
    assert m.events == [] and m.faults == []


def test_faults_come_in_order_with_thread_and_word() -> None:
    m = Machine()
    illegal = 0xFF000001
    for thread, word in ((0, 0x50010001), (2, illegal), (1, 0x51200000)):
        m.push(thread, word)
    assert m.faults == [
        Fault("x_override", 0, 0x50010001),
        Fault("empty", 0, 0x50010001),
        Fault("illegal", 2, illegal),
        Fault("empty", 1, 0x51200000),
    ]
    assert m.events == [Event("illegal_word_retired", 2, illegal)]


def test_counters_can_be_written_and_updated_by_other_units() -> None:
    m = Machine("blackhole")
    m.adc.live[0, 0, 0, 2] = 253
    m.adc.unpack_update(0, 0, 0, 0, 3, 0, 0)
    m.push(0, INC_Z0)
    assert int(m.adc.live[0, 0, 0, 2]) == 257
    assert m.adc.widths == (18, 13, 13, 13)
