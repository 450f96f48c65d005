# SPDX-License-Identifier: Apache-2.0
"""Vectors of the decisions: what the cycle-exact model makes of programs in time.

The model without time comes to the same state.
"""

from __future__ import annotations

import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel
from tilepath.tb.control.untimed import UntimedControl
from tilepath.tests.control.vectors import CASES, GIVEN, SETTINGS, Vector, inputs_of
from tilepath.tests.model_runs import fields_of


@pytest.mark.parametrize("vector", CASES.values(), ids=CASES)
def test_vector(vector: Vector) -> None:
    model, inputs = ControlModel(vector.get("profile", "baseline")), inputs_of(vector)
    out = model.step(inputs, vector.get("cycles", 80))
    untimed = UntimedControl("baseline")
    untimed.follow(inputs, out)
    assert "hazard" in vector or not differences(untimed.state(), model.state())
    told = vector.keys() - GIVEN - SETTINGS
    assert told
    for name in told:
        stream, _, fields = name.partition(": ")
        if name == "waiting":
            assert model.waiting() == vector[name]
        else:
            assert fields_of(BOUNDARY, out[stream], fields.split() or ["cycle"]) == vector[name], (
                name
            )
