# SPDX-License-Identifier: Apache-2.0
"""How the kernel writes output records.

A record is a row of 32-bit words: cycle, fields, origin (low half, high half), which NumPy later
views as a structured array. The rows of a stream lie one behind the other in the arena ``o``. The
number of a stream is its place in ``streams.OUTPUT_NAMES``; of streams that there are twice, one an
unpacker, the constants here name the first.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import part
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import streams
from tilepath.models.unpack.layout import Memory

_AT: Final = {name: place for place, name in enumerate(streams.OUTPUT_NAMES)}
READY: Final = _AT["ready"]
HOLD: Final = _AT["hold"]
POINTERS: Final = _AT["u0.pointers"]
OWNER: Final = _AT["owner"]
BUSY: Final = _AT["busy"]
READ: Final = _AT["u0.read"]
WRITE: Final = _AT["u0.write"]  # u0.write, u1.write, u0.write1, …
CLEAR: Final = _AT["u0.clear"]
OVERLAY: Final = _AT["u0.overlay"]
SETREG: Final = _AT["u0.setreg"]
FAULT: Final = _AT["u0.fault"]
READ_FAULT: Final = _AT["u0.read_fault"]
WRITE_FAULT: Final = _AT["u0.write_fault"]
UNIT_FAULT: Final = _AT["unit_fault"]
MATRIX_READ: Final = _AT["matrix_read"]
COUNT: Final = _AT["t0.unpacker0"]  # the streams from here on are those of the counters


@part
def end(m: Memory, o: Memory, stream: int, p: int, origin: int) -> None:
    """Close the record whose last field is in front of place ``p``."""
    o[p] = origin & S.LOW32
    o[p + 1] = (origin >> 32) & S.LOW32
    m[S.WP + stream] = p + 2


@part
def put1(m: Memory, o: Memory, stream: int, t: int, origin: int, a: int) -> None:
    """Record with one field."""
    p = m[S.WP + stream]
    o[p] = t
    o[p + 1] = a
    end(m, o, stream, p + 2, origin)


@part
def put2(m: Memory, o: Memory, stream: int, t: int, origin: int, a: int, b: int) -> None:
    """Record with two fields."""
    p = m[S.WP + stream]
    o[p] = t
    o[p + 1] = a
    o[p + 2] = b
    end(m, o, stream, p + 3, origin)


@part
def put_flags(m: Memory, o: Memory, stream: int, t: int, origin: int, flags: int, n: int) -> None:
    """Record with ``n`` fields of a bit each, lowest first."""
    p = m[S.WP + stream]
    o[p] = t
    for k in range(n):
        o[p + 1 + k] = (flags >> k) & 1
    end(m, o, stream, p + 1 + n, origin)
