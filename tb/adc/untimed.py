# SPDX-License-Identifier: Apache-2.0
"""The address counters without time, led by the commands that a run recorded."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.models.adc import AddressCounters


class UntimedCounters:
    """Commands in the order of cycles, and within a cycle in that of A13."""

    def __init__(self, profile: str) -> None:
        self._counters = AddressCounters(profile)

    def follow(self, inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        """The commands of one block of cycles."""
        self._counters.apply(inputs)

    def state(self) -> State:
        """As of ``AddressCounters.state``, with the sets as the first dimension."""
        return self._counters.state()
