# SPDX-License-Identifier: Apache-2.0
"""How the kernel writes output records.

A record is a row of 32-bit words: cycle, fields, origin (low half, high half), which NumPy later
views as a structured array. The rows of a stream lie one behind the other in the arena ``o``.
"""

from __future__ import annotations

from tilepath.models.control import layout as L
from tilepath.models.jit import part


@part
def put1(m: L.Memory, o: L.Memory, stream: int, t: int, origin: int, a: int) -> None:
    """Record with one field."""
    p = m[L.WP + stream]
    o[p] = t
    o[p + 1] = a
    o[p + 2] = origin & L.LOW32
    o[p + 3] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 4


@part
def put2(m: L.Memory, o: L.Memory, stream: int, t: int, origin: int, a: int, b: int) -> None:
    """Record with two fields."""
    p = m[L.WP + stream]
    o[p] = t
    o[p + 1] = a
    o[p + 2] = b
    o[p + 3] = origin & L.LOW32
    o[p + 4] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 5


@part
def put3(
    m: L.Memory, o: L.Memory, stream: int, t: int, origin: int, a: int, b: int, c: int
) -> None:
    """Record with three fields."""
    p = m[L.WP + stream]
    o[p] = t
    o[p + 1] = a
    o[p + 2] = b
    o[p + 3] = c
    o[p + 4] = origin & L.LOW32
    o[p + 5] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 6


@part
def put_latch(m: L.Memory, o: L.Memory, thread: int, t: int, valid: int) -> None:
    """What the thread's latch shows from cycle ``t`` on."""
    at = L.T + thread * L.SIZE_T
    stream = thread * L.O_THREAD + L.O_LATCH
    origin = m[at + L.L_ORIGIN]
    p = m[L.WP + stream]
    o[p] = t
    o[p + 1] = valid
    o[p + 2] = m[at + L.L_KIND] * valid
    o[p + 3] = m[at + L.L_BLOCK] * valid
    o[p + 4] = m[at + L.L_WHAT] * valid
    o[p + 5] = m[at + L.L_TARGET] * valid
    o[p + 6] = origin & L.LOW32
    o[p + 7] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 8


@part
def put_fault(m: L.Memory, o: L.Memory, thread: int, t: int, origin: int, faults: int) -> None:
    """The flags of ``faults``, lowest bit first."""
    stream = thread * L.O_THREAD + L.O_FAULT
    p = m[L.WP + stream]
    o[p] = t
    for flag in range(9):
        o[p + 1 + flag] = (faults >> flag) & 1
    o[p + 10] = origin & L.LOW32
    o[p + 11] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 12


@part
def put_write(
    m: L.Memory,
    o: L.Memory,
    stream: int,
    t: int,
    origin: int,
    who: int,
    where: int,
    index: int,
    quad: int,
    data: int,
) -> None:
    """A write to Config: one word, or four; ``data`` is the place of the first one in ``m``."""
    p = m[L.WP + stream]
    o[p] = t
    o[p + 1] = who
    o[p + 2] = where
    o[p + 3] = index
    o[p + 4] = quad
    o[p + 5] = m[data]
    for n in range(1, 4):
        o[p + 5 + n] = m[data + n] * quad
    o[p + 9] = origin & L.LOW32
    o[p + 10] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 11
