# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``control``: wait gates, config unit, sync unit and scalar unit."""

from __future__ import annotations

from models.control.cycle import ControlModel
from models.control.functional import OPCODES, ControlState, Effect

__all__ = ["OPCODES", "ControlModel", "ControlState", "Effect"]
