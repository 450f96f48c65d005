# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``control``: wait gates, config unit, sync unit and scalar unit.

What an instruction does, without time (decisions C1 to C9, C11, C14, C15, C18 to C20, C22, C23):

- ``fields``, ``instructions``: bit fields of the words; kind, classes and resource of each opcode;
- ``state``: the architectural state, and how it is read and written;
- ``values``: what instructions compute, and their faults: for both models;
- ``untimed``: ``ControlState``, each word done before the next, as ``Machine`` uses it.

When it happens, cycle by cycle (C10 to C13, C16, C17, C21, C22, C24; docs/control.md):

- ``cycle_block``: the state, with all that is on its way through the block;
- ``cycle_levels``: the levels of both sides, and which cycles can be skipped;
- ``cycle_gate``, ``cycle_latch``: wait gates and their latches (section 3);
- ``cycle_config``, ``cycle_sync``, ``cycle_scalar``: the three units (sections 4 to 6);
- ``cycle_arbiter``: who goes first (section 7);
- ``cycle_waiting``: what holds a word, as text;
- ``cycle_model``: the order of all that in a cycle, and ``ControlModel``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilepath.models.control.instructions import OPCODES
from tilepath.models.control.untimed import ControlState, Effect
from tilepath.models.lazy_names import later

if TYPE_CHECKING:
    from tilepath.models.control.cycle_model import ControlModel
else:
    __getattr__ = later(__name__, ControlModel="cycle_model")

__all__ = ["OPCODES", "ControlModel", "ControlState", "Effect"]
