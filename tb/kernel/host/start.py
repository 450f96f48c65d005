# SPDX-License-Identifier: Apache-2.0
"""What registers and memories hold when a simulation begins, before anything resets them.

Verilator draws it from a number, the *start*; under Icarus it is X, whatever the start.
"""

from __future__ import annotations

import hashlib

START_LIMIT = 1 << 31
"""Starts are positive and below this; Verilator takes 0 for "draw one"."""

ONES = START_LIMIT - 1
"""The start with all bits 1, which no register does by chance that is reset to 0; never derived."""


def start_of(seed: int, index: int = 0) -> int:
    """Start number ``index`` that belongs to a seed, of a run or of a regression."""
    digest = hashlib.sha256(f"start/{seed}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % (ONES - 1) + 1


def plusargs(start: int) -> list[str]:
    """Arguments by which a simulation that Verilator has compiled begins as ``start`` says."""
    return [f"+verilator+rand+reset+{1 if start == ONES else 2}", f"+verilator+seed+{start}"]
