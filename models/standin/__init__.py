# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``standin``: what stands in the Matrix Unit's place.

- ``fields``, ``plan``, ``sample``, ``counters``: from word and configuration to a plan: which rows
  are read and written in which cycle, and what happens at the end;
- ``arithmetic``, ``moves``: a row that is written, from those that were read;
- ``files``, ``untimed``: ``MatrixUnit``, without time, with SrcA, SrcB and Dst;
- ``cycle…``: ``StandinModel``, cycle by cycle, with what the files answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilepath.models.lazy_names import later
from tilepath.models.standin.plan import OPCODES
from tilepath.models.standin.untimed import MatrixUnit

if TYPE_CHECKING:
    from tilepath.models.standin.cycle import StandinModel
else:
    __getattr__ = later(__name__, StandinModel="cycle")

LOOPS: Final = "whole rows"  # how its parts are compiled: engine/compiled/jit_parts.py
__all__ = ["OPCODES", "MatrixUnit", "StandinModel"]
