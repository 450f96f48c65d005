# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``pack``: the packers."""

from __future__ import annotations

from tilepath.models.pack.cycle import PackModel
from tilepath.models.pack.functional import OPCODES, PackState

__all__ = ["OPCODES", "PackModel", "PackState"]
