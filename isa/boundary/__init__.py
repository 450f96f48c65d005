# SPDX-License-Identifier: Apache-2.0
"""What crosses each block's boundary: the one description of streams, fields and faults.

A module a block, each with ``BOUNDARY``. Golden model, bench and RTL constants follow from it.
"""

from __future__ import annotations

from tilepath.engine.description.boundary import (
    NOT_KNOWN,
    Boundary,
    Fault,
    Field,
    Origin,
    Records,
    Stream,
    describe,
)

__all__ = [
    "NOT_KNOWN",
    "Boundary",
    "Fault",
    "Field",
    "Origin",
    "Records",
    "Stream",
    "describe",
]
