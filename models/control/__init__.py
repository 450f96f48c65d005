# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``control``: wait gates, config unit, sync unit and scalar unit."""

from __future__ import annotations

from tilepath.models.control.cycle_model import ControlModel
from tilepath.models.control.instructions import OPCODES
from tilepath.models.control.untimed import ControlState, Effect

__all__ = ["OPCODES", "ControlModel", "ControlState", "Effect"]
