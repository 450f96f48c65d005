# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``standin``: what stands in the Matrix Unit's place."""

from __future__ import annotations

from tilepath.models.standin.functional import MatrixUnit
from tilepath.models.standin.plan import OPCODES

__all__ = ["OPCODES", "MatrixUnit"]
