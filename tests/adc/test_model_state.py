# SPDX-License-Identifier: Apache-2.0
"""Counters at the end of a run: the cycle-exact model and the untimed one."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.adc import AdcModel, AddressCounters
from tilepath.models.state import differences
from tilepath.tests.adc.model_helpers import (
    ORDER,
    Records,
    random_inputs,
    stream,
    timeline,
)

PROFILES = ("baseline", "blackhole")


def untimed(inputs: dict[str, Records], profile: str) -> AddressCounters:
    """The same commands without time, in the order in which they apply."""
    counters = AddressCounters(profile)
    for _, commands in sorted(timeline(inputs).items()):
        for name in (name for name in ORDER if name in commands):
            fields = commands[name][1]
            if name == "unpack":
                counters.unpack_update(*fields)
            elif name == "pack":
                counters.pack_update(*fields)
            elif name == "flop":
                counters.flop(*fields)
            else:
                counters.execute(int(name[1]), *fields)
    return counters


@pytest.mark.parametrize("seed", range(6))
def test_both_models_end_alike(seed: int) -> None:
    cycles, profile = 300, PROFILES[seed % 2]
    inputs = random_inputs(seed, cycles, profile)
    model = AdcModel(profile)
    model.step(inputs, cycles)
    assert differences(untimed(inputs, profile).state(), model.state()) == []


def test_a_command_of_the_last_cycle_is_in_the_state_before_it_shows() -> None:
    model = AdcModel()
    outputs = model.step({"t1.issue": stream("issue", [(7, 0x50900005)])}, 8)
    assert all(len(records) == 0 for records in outputs.values())
    want = np.zeros((3, 3, 2, 4), dtype=np.uint32)
    want[1, 2, 1, 0] = 5
    np.testing.assert_array_equal(model.state()["live"], want)
    np.testing.assert_array_equal(model.state()["checkpoint"], want)


def test_names_shapes_and_dtypes_are_the_same_after_reset() -> None:
    for profile in PROFILES:
        states = AdcModel(profile).state(), AddressCounters(profile).state()
        for state in states:
            assert list(state) == ["live", "checkpoint"]
            for values in state.values():
                assert values.shape == (3, 3, 2, 4) and values.dtype == np.uint32
                assert not values.any()
        assert differences(*states) == []


def test_a_state_is_a_copy() -> None:
    counters = AddressCounters()
    before = counters.state()
    counters.execute(2, 0x50280007)  # unpacker 0, channel 0, Z
    assert str(differences(counters.state(), before)[0]) == "live[2, 0, 0, 2]: 0x7, want 0x0"
    before["live"][:] = 1
    assert int(counters.live.sum()) == 7


def test_models_do_not_share_counters() -> None:
    one, other = AddressCounters(), AddressCounters()
    one.live[0, 0, 0, 0] = 9
    one.execute(0, 0x50600005)
    assert not other.live.any() and not AdcModel().state()["live"].any()


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
