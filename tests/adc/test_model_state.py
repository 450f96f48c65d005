# SPDX-License-Identifier: Apache-2.0
"""The state of a model: when it changes, and how it differs from another."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.adc import AdcModel, AddressCounters
from tilepath.models.state import differences
from tilepath.tests.adc.model_helpers import stream


def test_a_command_of_the_last_cycle_is_in_the_state_before_it_shows() -> None:
    model = AdcModel()
    outputs = model.step({"t1.issue": stream("issue", [(7, 0x50900005)])}, 8)
    assert all(len(records) == 0 for records in outputs.values())
    want = np.zeros((3, 3, 2, 4), dtype=np.uint32)
    want[1, 2, 1, 0] = 5
    np.testing.assert_array_equal(model.state()["live"], want)
    np.testing.assert_array_equal(model.state()["checkpoint"], want)


def test_differences_are_named() -> None:
    state = AddressCounters().state()
    other = {name: values.copy() for name, values in state.items()}
    other["checkpoint"][0, 1, 1, 3] = 4
    other["checkpoint"][2, 0, 0, 0] = 5
    found = differences(state, other)
    assert found == [("checkpoint", (0, 1, 1, 3), 0, 4), ("checkpoint", (2, 0, 0, 0), 0, 5)]
    assert str(found[0]) == "checkpoint[0, 1, 1, 3]: 0x0, want 0x4"


def test_what_is_no_state_of_the_block_is_refused() -> None:
    state = AddressCounters().state()
    with pytest.raises(ValueError, match="states of live and of live, checkpoint"):
        differences({"live": state["live"]}, state)
    for wrong in (state["live"].reshape(9, 8), state["live"].astype(np.int64)):
        with pytest.raises(ValueError, match=r"^live: .*uint32\(3, 3, 2, 4\)$"):
            differences(state | {"live": wrong}, state)
