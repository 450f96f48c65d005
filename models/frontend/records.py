# SPDX-License-Identifier: Apache-2.0
"""How the kernels write output records and occupancy edges.

A record is a row of 32-bit words: cycle, fields, origin (low half, high half), which NumPy later
views as a structured array. The rows of a stream lie one behind the other in the arena ``o``.

``d[i]`` collects by how much the occupancy counters of a thread change in qstatus of cycle
``base + i``: +x two cycles after the edge that lets a word in (one to be in the queue, one for
the qstatus register, F22), -x two cycles after the edge that lets it out.
"""

from __future__ import annotations

from tilepath.models.frontend import layout as L
from tilepath.models.jit import part


@part
def put(m: L.Memory, o: L.Memory, stream: int, time: int, origin: int) -> None:
    """Record without fields."""
    p = m[L.WP + stream]
    o[p] = time
    o[p + 1] = origin & L.LOW32
    o[p + 2] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 3


@part
def put_word(m: L.Memory, o: L.Memory, stream: int, time: int, word: int, origin: int) -> None:
    """Record with one field."""
    p = m[L.WP + stream]
    o[p] = time
    o[p + 1] = word
    o[p + 2] = origin & L.LOW32
    o[p + 3] = (origin >> 32) & L.LOW32
    m[L.WP + stream] = p + 4


@part
def change(m: L.Memory, o: L.Memory, which: int, time: int, value: int, origin: int) -> None:
    """State number ``which`` (0 MOP, 1 replay) becomes ``value`` in cycle ``time``.

    Written when the next change comes, or at the end of the block: ``time`` may be its successor's
    first cycle.
    """
    flush(m, o, which)
    m[L.LV_T + which] = time
    m[L.LV_V + which] = value
    m[L.LV_O + which] = origin


@part
def flush(m: L.Memory, o: L.Memory, which: int) -> None:
    """Write the held-back change of state number ``which``, if any."""
    if m[L.LV_T + which] >= 0:
        put_word(m, o, L.MOP_STATE + which, m[L.LV_T + which], m[L.LV_V + which], m[L.LV_O + which])
        m[L.LV_T + which] = -1


@part
def occupies(m: L.Memory, word: int) -> int:
    """What ``word`` adds to the counters while it is in the FIFO or M (F22).

    A REPLAY counts unless it records without executing; a MOP is seen to by the MOP union.
    """
    opcode = word >> 24
    if (m[L.FLAG + opcode] & L.KIND) == L.REPLAY:
        return 1 if (word & 3) != 1 else 0
    increment: int = m[L.CLASS + opcode]
    return increment
