# SPDX-License-Identifier: Apache-2.0
"""The packers' cycle model on anything at all: what is left at the end, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack import PackModel
from tilepath.tests.pack.random_inputs import random_inputs


def test_time_and_values_have_the_same_lines() -> None:
    """What values have made has gone to L1 where time says that all has drained."""
    for profile in ("baseline", "blackhole"):
        inputs = random_inputs(np.random.default_rng(7), 3000, profile)
        inputs["l1_ready"] = inputs["l1_ready"][:1]
        model = PackModel(profile)
        model.step(inputs, 10_000)
        join = model._model.join[0]
        assert model.waiting() == []
        np.testing.assert_array_equal(join.held["head"], join.held["tail"])
        np.testing.assert_array_equal(join.counted_head, join.counted_tail)


def test_bad_input_is_refused_and_changes_nothing() -> None:
    model = PackModel()
    issue = BOUNDARY.stream("issue").dtype
    pacr = isa.encode("PACR")
    for thread, word in ((3, pacr), (0, 0x42000000)):
        with pytest.raises(ValueError, match="issue"):
            model.step({"issue": np.array([(5, thread, word)], issue)}, 10)
    assert model.now == 0
    assert [len(records) for records in model.step({}, 10).values() if len(records)] == [1]
