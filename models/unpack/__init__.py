# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``unpack``: the unpackers."""

from __future__ import annotations

from tilepath.models.unpack.cycle import UnpackModel
from tilepath.models.unpack.functional import OPCODES, UnpackState

__all__ = ["OPCODES", "UnpackModel", "UnpackState"]
