# SPDX-License-Identifier: Apache-2.0
"""Streams and players of the address counters: each input is played as it is recorded."""

from __future__ import annotations

from tilepath.engine.description.player import plays
from tilepath.isa.boundary.adc import INPUTS, SETS, STREAMS, TARGETS

UNPACK, PACK, FLOP, ISSUE = PLAYERS = tuple(plays(stream) for stream in INPUTS)

__all__ = ["FLOP", "ISSUE", "PACK", "PLAYERS", "SETS", "STREAMS", "TARGETS", "UNPACK"]
