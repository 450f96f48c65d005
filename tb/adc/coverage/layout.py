# SPDX-License-Identifier: Apache-2.0
"""What the coverage of the address counters shares: codes, names of axes, classes of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import layout_of
from tilepath.models.jit import part

if TYPE_CHECKING:

    def i64(value: Any) -> int:
        """A record's field as the signed integer that kernels calculate with."""
        return int(value)

else:
    i64 = np.int64

I64 = NDArray[np.int64]

THREADS: Final = ("t0", "t1", "t2")
SETS: Final = ("set0", "set1", "set2")
TARGETS: Final = ("unpacker0", "unpacker1", "packers")
N_PLACES: Final = 9
"""Sets and targets: place 3 · set + target."""
DIMENSIONS: Final = ("x", "y", "z", "w")
COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
"""A counter's number within a target: 4 · channel + dimension."""
YZ: Final = (1, 2, 5, 6)
"""The counters that updates reach: y0, z0, y1, z1."""
YZ_NAMES: Final = tuple(COUNTERS[c] for c in YZ)
YZ_PLACE: Final = np.array([YZ.index(c) if c in YZ else -1 for c in range(8)])

OPS: Final = (
    "setadc", "setadcxy", "setadczw", "setadcxx", "incadcxy", "incadczw", "addrcrxy", "addrcrzw",
)  # fmt: skip
SETADC, SETADCXY, SETADCZW, SETADCXX, INCADCXY, INCADCZW, ADDRCRXY, ADDRCRZW = range(8)
KINDS: Final = (*OPS, "unpack", "pack", "flop")
"""What can write a counter; the first eight are the instructions."""
UNPACK, PACK, FLOP = 8, 9, 10
OPCODES: Final = tuple(layout_of(op).opcode for op in OPS)
OP_OF: Final = np.full(256, -1, np.int64)
"""Opcode → number of the instruction; -1: none of the eight."""
OP_OF[list(OPCODES)] = range(len(OPS))
MASKED: Final = (SETADCXY, SETADCZW, ADDRCRXY, ADDRCRZW)
"""Instructions that have a ``mask``."""
PACKED: Final = (SETADCXY, SETADCZW, INCADCXY, INCADCZW, ADDRCRXY, ADDRCRZW)
"""Instructions with four 3-bit values."""

WRITERS: Final = ("unpack", "pack", "flop", *THREADS)
"""In the order in which the commands of a cycle apply (A13)."""
FIRST_THREAD: Final = 3

NO_YES: Final = ("no", "yes")


def reaches(kind: int) -> tuple[set[str], set[str]]:
    """Dimensions and targets of the counters that ``kind`` can write."""
    if kind in (UNPACK, PACK):
        return {"y", "z"}, set(TARGETS[:2] if kind == UNPACK else TARGETS[2:])
    suffix = KINDS[kind][-2:]
    dimensions = {"xy": {"x", "y"}, "zw": {"z", "w"}, "xx": {"x"}}.get(suffix, set(DIMENSIONS))
    return dimensions, set(TARGETS)


def share_a_counter(one: int, other: int) -> bool:
    """Whether there is a counter that both kinds can write."""
    (d1, t1), (d2, t2) = reaches(one), reaches(other)
    return bool(d1 & d2) and bool(t1 & t2)


def tops(zw_width: int) -> I64:
    """The largest value of a counter of dimension 0 … 3 (A1)."""
    widths: I64 = np.array((18, 13, zw_width, zw_width), np.int64)
    return (1 << widths) - 1


@part
def value_class(value: int, top: int) -> int:
    """0, 1, 2 for 0, 1 and ``top`` (the largest value); 3 for any other."""
    if value == top:
        return 2
    return min(value, 3) if value < 2 else 3


@part
def target_of(word: int) -> int:
    """Targets of an instruction, one bit each (A7)."""
    return word >> 21 & 7


@part
def override_of(op: int, word: int) -> int:
    """ThreadOverride; SETADCXX has none (A3)."""
    if op == SETADCXX:
        return 0
    return word >> (16 if op == SETADC else 18) & 3


@part
def counter_of(word: int) -> int:
    """SETADC: number of the counter."""
    return (word >> 20 & 1) * 4 + (word >> 18 & 3)
