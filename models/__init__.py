# SPDX-License-Identifier: Apache-2.0
"""The golden model: Tensix semantics as NumPy functions, usable without any simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilepath.models.lazy_names import later

if TYPE_CHECKING:
    from tilepath.models.flag_pipe import FlagPipe
    from tilepath.models.machine import Event, Fault, Machine
else:
    __getattr__ = later(
        __name__, FlagPipe="flag_pipe", Event="machine", Fault="machine", Machine="machine"
    )

__all__ = ["Event", "Fault", "FlagPipe", "Machine"]
