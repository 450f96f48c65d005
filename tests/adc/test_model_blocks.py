# SPDX-License-Identifier: Apache-2.0
"""The cycle model: every output, long runs; its state: when it changes, how it differs."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel, AddressCounters
from tilepath.sequences.adc.random_items import issue_words
from tilepath.sequences.adc.tables import PRESETS
from tilepath.tests.adc.helpers import model_run, random_inputs, stream
from tilepath.tests.model_runs import assert_same


def test_random_commands_reach_every_output() -> None:
    got = model_run(random_inputs(7, 2000), [2001])
    for name, records in got.items():
        fields = [field.name for field in BOUNDARY.table[name].fields]
        assert all(records[field].any() for field in fields), name
    where = np.bitwise_or.reduce(got["conflict"]["where"])
    assert where == 0x1FF


def test_a_run_longer_than_the_models_own_pieces() -> None:
    rng = np.random.default_rng(3)
    cycles = 100_000
    word = np.zeros(cycles, dtype=BOUNDARY.stream("issue").dtype)
    word["cycle"] = np.arange(cycles)
    word["word"] = 0x52 << 24 | rng.integers(0, 1 << 24, cycles)
    pack = np.zeros(cycles // 2, dtype=BOUNDARY.stream("pack").dtype)
    pack["cycle"] = 2 * np.arange(cycles // 2)
    pack["sets"], pack["addr_mod"] = 2, rng.integers(0, 1 << 16, cycles // 2)
    inputs = {"t1.issue": word, "pack": pack}
    whole = model_run(inputs, [cycles])
    assert len(whole["t1.packers"]) > 40_000
    assert_same(BOUNDARY, model_run(inputs, [36_000, 36_001, 72_000, cycles]), whole)


def test_long_runs_forget_what_is_over() -> None:
    model = AdcModel()
    rng = np.random.default_rng(6)
    block = 5000
    sizes = set()
    for n in range(20):
        words = np.zeros(block, dtype=BOUNDARY.stream("issue").dtype)
        words["cycle"] = np.arange(n * block, (n + 1) * block)
        words["word"] = issue_words(PRESETS["random"]["issue"].rows(rng, block))
        got = model.step({"t0.issue": words}, (n + 1) * block)
        assert len(got["t0.unpacker0"]) > 500
        assert int(got["t0.fault"]["origin"][0]) // 256 >= n * block
        sizes.add(sum(a.nbytes for a in vars(model).values() if isinstance(a, np.ndarray)))
    assert len(sizes) == 1
    kept = [a for a in vars(model).values() if isinstance(a, (list, dict, set)) and a]
    assert kept == []


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
