# SPDX-License-Identifier: Apache-2.0
"""Format codes of ``isa`` (U45): how large a datum is in L1, and what is wide in Dst."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.models import format_codes as C


@part
def is_reserved(code: int) -> bool:
    """Whether a code stands for no format."""
    return code not in C.ALL


@part
def is_wide(out: int) -> bool:
    """Whether Dst is 32 bits wide."""
    return out in C.WIDE


@part
def datum_quarters(code: int) -> int:
    """Quarter bytes that a datum has in L1: 1, 2, 4, 8 or 16 (section 5.1)."""
    low = code & 3
    if low == 3:
        return 2 if code < 8 else 1
    if low == 0:
        return 16
    return 8 if low == 1 else 4


@part
def address_shift(out: int) -> int:
    """Output addresses count 2 to the power of this many bytes (U28)."""
    if is_wide(out):
        return 2
    return 1 if out in C.HALVES else 0
