# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the flag pipe, from the recorded streams alone (docs/flag_pipe.md).

``points`` declares them, ``walk`` goes through what commands, flags and endpoints do in the order
of cycles, ``ports`` counts what the ports accept.
"""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.tb.flag_pipe.coverage.axes import AXES
from tilepath.tb.flag_pipe.coverage.points import Points
from tilepath.tb.flag_pipe.coverage.ports import Ports
from tilepath.tb.flag_pipe.coverage.walk import Walk
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

__all__ = ["FlagPipeCoverage"]


class FlagPipeCoverage(CoverageModel):
    """Coverage model of the block ``flag_pipe``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        self._points = Points(profile)
        self._tally = Tally(self._points.group)
        super().__init__("flag_pipe", profile, self._tally, axes=AXES)
        self._walk = Walk(self._points, self._tally.counts)
        self._ports = Ports(self._points, self._tally.counts)

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count a block of cycles."""
        users = self._walk.count(streams)
        self._ports.count(streams, users)
