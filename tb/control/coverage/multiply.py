# SPDX-License-Identifier: Apache-2.0
"""Coverage of MULDMAREG's operands: their values, and upper halves that do not count.

Source: C25; docs/control.md section 6. The registers are kept, from what is written to them; a
multiplication counts when it writes, with the registers of before: nothing writes one from the
cycle in which the last operand is read up to that.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    DMANOP,
    EV,
    GPRD,
    GPRW,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    MULDMAREG,
    PER_THREAD,
    RDC,
    RDCD,
    REG2FLOP,
    U32,
    VALID,
    WORD,
    i64,
)
from tilepath.tb.kernel.coverage.bins import PointGroup

GROUP = PointGroup()

_LOW: Final = 0xFFFF
_MOST: Final = 63  # an immediate
# Low halves; of B the largest one is FFFF, or 63 as an immediate
VALUES: Final = GROUP.add(
    "muldmareg.form_x_a_x_b",
    ("register", "immediate"),
    ("0", "1", "2-fffe", "ffff"),
    ("0", "1", "between", "largest"),
)
# Wraps to 0: the upper half is set, the low one is 0. As operand B: a register
UPPER: Final = GROUP.add(
    "muldmareg.operand_x_upper_half", ("a", "b"), ("clear", "set", "wraps_to_0")
)
# The sign of a 16-bit operand is none
TOP: Final = GROUP.add(
    "muldmareg.bit_15_of_a_x_of_b", ("clear", "set"), ("clear", "set", "immediate")
)

# Places in the memory
_GPRS: Final = 0  # [thread][64]
_LAST: Final = 3 * 64  # the scalar instruction that a thread issued last, 0 unless it is MULDMAREG
MEMORY: Final = _LAST + 3


@kernel
def _class(value: int, largest: int) -> int:
    if value < 2:
        return value
    return 3 if value == largest else 2


@kernel
def _upper(value: int, place: int, n: I64) -> None:
    cls = 0
    if value > _LOW:
        cls = 1 if value & _LOW else 2
    n[place + cls] += 1


@kernel
def _multiplied(word: int, gprs: int, mem: I64, n: I64) -> None:
    """A multiplication that writes in this cycle; ``gprs``: place of its thread's registers."""
    a, b = mem[gprs + (word & 63)], word >> 6 & 63
    immediate = word >> 23 & 1
    largest, top = _MOST, 2
    _upper(a, UPPER, n)
    if not immediate:
        b, largest = mem[gprs + b], _LOW
        _upper(b, UPPER + 3, n)
        top = b >> 15 & 1
    n[VALUES + (immediate * 4 + _class(a & _LOW, _LOW)) * 4 + _class(b & _LOW, largest)] += 1
    n[TOP + (a >> 15 & 1) * 3 + top] += 1


@kernel
def _written(write: int, data: int, gprs: int, mem: I64) -> None:
    """A scalar write; ``data`` has 0 in a half that is not written."""
    place, kept = gprs + (write >> 2 & 63), 0
    if not write & 1:
        kept |= _LOW
    if not write & 2:
        kept |= _LOW << 16
    mem[place] = mem[place] & kept | data


@kernel
def count_multiplications(c: U32, mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        for thread in range(3):
            base, gprs = thread * PER_THREAD, _GPRS + 64 * thread
            read, write = i64(c[t, base + RDC]), i64(c[t, base + GPRW])
            if write & VALID and mem[_LAST + thread]:
                _multiplied(mem[_LAST + thread], gprs, mem, n)
                mem[_LAST + thread] = 0
            if read & VALID:
                mem[gprs + (read & 63)] = i64(c[t, base + RDCD])
            if write & VALID:
                _written(write, i64(c[t, base + GPRD]), gprs, mem)
            kind = i64(c[t, base + KIND])
            if i64(c[t, base + EV]) & ISSUED and DMANOP <= kind <= REG2FLOP:
                mem[_LAST + thread] = i64(c[t, base + WORD]) if kind == MULDMAREG else 0
