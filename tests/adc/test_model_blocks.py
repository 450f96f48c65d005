# SPDX-License-Identifier: Apache-2.0
"""The cycle model: every output, long runs."""

from __future__ import annotations

import numpy as np

from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel
from tilepath.sequences.adc.random_items import issue_words
from tilepath.sequences.adc.tables import PRESETS
from tilepath.tests.adc.model_helpers import model_run, random_inputs
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
