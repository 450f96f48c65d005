# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``pack``: the packers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilepath.models.lazy_names import later
from tilepath.models.pack.untimed import OPCODES, PackState

if TYPE_CHECKING:
    from tilepath.models.pack.cycle import PackModel
else:
    __getattr__ = later(__name__, PackModel="cycle")

LOOPS: Final = "rows"  # how its parts are compiled: engine/compiled/jit_parts.py
__all__ = ["OPCODES", "PackModel", "PackState"]
