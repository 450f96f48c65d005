# SPDX-License-Identifier: Apache-2.0
"""The architectural state, of the model with cycles and of the one without."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.control import ControlModel, ControlState
from tilepath.sequences.control.words import WAITS, atgetm
from tilepath.tests.control.model_helpers import OWN, random_words, streams

# Words that depend on inputs that only the model with cycles has, or after which a wait is left
_OTHERS = {*range(256)} - OWN | {*WAITS}
_APART = 16  # cycles: more than any instruction takes


@pytest.mark.parametrize("seed", range(4))
def test_words_far_apart_leave_the_same_state(seed: int) -> None:
    """Where nothing overlaps, time makes no difference; all parts are the same, types included."""
    rng = np.random.default_rng([8, seed])
    thread = seed % 3
    preset = ("config", "scalar", "sync", "faults")[seed]
    words = [*random_words(rng, preset, 1000, thread, _OTHERS)[:400], atgetm(3)]
    model, state = ControlModel(), ControlState()
    for word in words:
        state.execute(thread, word)
    offers = [(n * _APART, word) for n, word in enumerate(words)]
    model.step(streams({f"t{thread}.offer": offers}), _APART * len(words))
    assert model.waiting() == []
    with_cycles, without = model.state(), state.state()
    assert with_cycles.keys() == without.keys()
    for part, values in without.items():
        assert with_cycles[part].dtype == values.dtype
        np.testing.assert_array_equal(with_cycles[part], values, err_msg=part)
    assert without["gpr"][thread].any() and without["config"].any()
    assert without["semaphores"].shape == (8, 2) and (without["mutexes"] != -1).any()


def test_state_is_a_copy() -> None:
    """What is told stays as it was."""
    state = ControlState()
    before = state.state()
    state.config[1, 7] = 9
    state.semaphores[3] = 2, 5
    assert not before["config"].any() and before["mutexes"].tolist() == [-1] * 4
    assert state.state()["semaphores"][3].tolist() == [2, 5]
    assert state.state()["config"][1, 7] == 9
