# SPDX-License-Identifier: Apache-2.0
"""The golden model: Tensix semantics as NumPy functions, usable without any simulator."""

from __future__ import annotations

from tilepath.models.flag_pipe import FlagPipe
from tilepath.models.machine import Event, Fault, Machine

__all__ = ["Event", "Fault", "FlagPipe", "Machine"]
