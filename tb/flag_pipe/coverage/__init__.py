# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the flag pipe."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.description.stream import Records


class FlagPipeCoverage(CoverageModel):
    """To come."""

    def __init__(self, profile: str) -> None:
        super().__init__("flag_pipe", profile)

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Nothing yet."""
