# SPDX-License-Identifier: Apache-2.0
"""What the coverage of the address counters shares: codes, names of axes, points as columns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import layout_of
from tilepath.tb.kernel.coverage.bins import Coverpoint, Exclude, PointGroup

Column = NDArray[Any]
Tally = NDArray[np.int64]

THREADS: Final = ("t0", "t1", "t2")
SETS: Final = ("set0", "set1", "set2")
TARGETS: Final = ("unpacker0", "unpacker1", "packers")
DIMENSIONS: Final = ("x", "y", "z", "w")
COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
"""A counter's number within a target: 4 · channel + dimension."""
YZ: Final = (1, 2, 5, 6)
"""The counters that updates reach: y0, z0, y1, z1."""
YZ_NAMES: Final = tuple(COUNTERS[c] for c in YZ)

OPS: Final = (
    "setadc", "setadcxy", "setadczw", "setadcxx", "incadcxy", "incadczw", "addrcrxy", "addrcrzw",
)  # fmt: skip
SETADC, SETADCXY, SETADCZW, SETADCXX, INCADCXY, INCADCZW, ADDRCRXY, ADDRCRZW = range(8)
KINDS: Final = (*OPS, "unpack", "pack", "flop")
"""What can write a counter; the first eight are the instructions."""
UNPACK, PACK, FLOP = 8, 9, 10
OPCODES: Final = tuple(layout_of(op).opcode for op in OPS)
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


def width(dimension: int, zw_width: int) -> int:
    """Bits of a counter of ``dimension`` 0 … 3 (A1)."""
    return (18, 13, zw_width, zw_width)[dimension]


def add(
    group: PointGroup, name: str, *axes: tuple[str, ...], exclude: tuple[Exclude, ...] = ()
) -> Coverpoint:
    """Declare a point of ``group``."""
    group.add(name, *axes, exclude=exclude)
    return group.points[-1]


def hit(
    tally: Tally, point: Coverpoint, *columns: Column | int, where: Column | None = None
) -> None:
    """Count a sample for each row of ``columns``, one column an axis; rows not ``where`` are not.

    A number stands for a column of it; if all are numbers, ``where`` says how many rows there are.
    ``ValueError`` for a row that is in no bin: the columns of a point and its axes must agree.
    """
    rows: Any = slice(None) if where is None else np.flatnonzero(where)
    chosen = [c if isinstance(c, int) else c[rows].astype(np.int64) for c in columns]
    if where is not None and all(isinstance(c, int) for c in columns):
        chosen[0] = np.full(len(rows), chosen[0])
    place = np.ravel_multi_index(tuple(chosen), tuple(map(len, point.axes)))
    tally[point.base : point.base + point.size] += np.bincount(place, minlength=point.size)


def value_class(value: Column, top: Column | int, last: int = 3) -> Column:
    """0, 1, 2 for 0, 1 and ``top`` (the largest value); ``last`` for any other."""
    small = np.minimum(value, 1)
    return np.where(value == top, 2, np.where(value > 1, last, small))
