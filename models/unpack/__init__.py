# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``unpack``: the unpackers.

- ``settings``, ``plan``, ``sample``, ``sample_source``, ``sample_target``, ``sample_nop``: what an
  instruction samples, and what it is going to do (sections 3, 5 to 8 of the contract);
- ``l1_walk``, ``to_registers``: which datums, from where, and to which rows and columns;
  ``formats``, ``convert``: converted how;
- ``untimed``: ``UnpackState``, which walks instruction by instruction, without time;
  ``untimed_words``: what a word does there, compiled;
- ``timing_issue``, ``timing_fetch``, ``timing_write``, ``timing_state``: in which cycle, from
  counts of beats, lines and steps alone;
- ``cycle`` and the other ``cycle_*``: ``UnpackModel``, cycle-exact: time and values joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilepath.models.lazy_names import later
from tilepath.models.unpack.untimed import OPCODES, UnpackState

if TYPE_CHECKING:
    from tilepath.models.unpack.cycle import UnpackModel
else:
    __getattr__ = later(__name__, UnpackModel="cycle")

__all__ = ["OPCODES", "UnpackModel", "UnpackState"]
