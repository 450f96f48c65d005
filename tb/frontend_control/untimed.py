# SPDX-License-Identifier: Apache-2.0
"""Front end and control without time: what one issues, the other does, as in ``Machine``."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.frontend_control import RENAMED
from tilepath.tb.control.untimed import UntimedControl
from tilepath.tb.frontend.untimed import UntimedFrontend


class UntimedJoined:
    """Both, led by one run, whose ``dispatch`` is what the front end issues."""

    def __init__(self, profile: str) -> None:
        self._frontend = UntimedFrontend(profile)
        self._control = UntimedControl(profile, RENAMED["issue"])

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """One block of cycles."""
        self._frontend.follow(inputs, expected)
        self._control.follow(inputs, expected)

    def state(self) -> State:
        """The states of both, which have no names in common."""
        return {**self._frontend.state(), **self._control.state()}
