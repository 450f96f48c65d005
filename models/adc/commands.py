# SPDX-License-Identifier: Apache-2.0
"""What each command does to the counters.

Every command is brought into one form first: for each of the eight counters of a target what to do
and with which value (``DO`` and ``VALUE`` in the memory). Then ``apply`` does that to a target.

``live`` and ``checkpoint``: uint32 (72,), counter ``8 × target + counter``. ``by``: the origin of
the command. The functions return flags.
"""

from __future__ import annotations

from tilepath.models.adc import layout as L
from tilepath.models.jit import part


@part
def apply(m: L.Memory, live: L.Memory, checkpoint: L.Memory, target: int, by: int) -> None:
    """Do the command in ``m`` to a target; sums wrap at the counter's width (A1, A15)."""
    touched = 0
    for counter in range(8):
        what = m[L.DO + counter]
        if what == L.NOTHING:
            continue
        touched |= 1 << counter
        i = 8 * target + counter
        width = m[L.WIDTH + (counter & 3)]
        value = m[L.VALUE + counter]
        if what == L.ADD:
            live[i] = (live[i] + value) & width
        elif what == L.RELOAD:
            checkpoint[i] = (checkpoint[i] + value) & width
            live[i] = checkpoint[i]
        else:
            if what & L.LIVE:
                live[i] = value & width
            if what & L.CHECKPOINT:
                checkpoint[i] = value & width
    if touched == 0:
        return
    if m[L.TOUCHED + target] & touched:
        m[L.CONFLICT] |= 1 << target
        m[L.CONFLICT_BY] = by
    m[L.TOUCHED + target] |= touched
    m[L.TOUCHED_BY + target] = by
    m[L.DIRTY] |= 1 << target


@part
def instruction(
    m: L.Memory, live: L.Memory, checkpoint: L.Memory, thread: int, word: int, by: int
) -> int:
    """A word at the issue port of a thread (§2; A2 to A7)."""
    row = L.TABLE + (word >> 24) * L.ROW_SIZE
    kind = m[row + L.KIND]
    if kind == L.NOTHING:
        return L.ILLEGAL
    for counter in range(8):
        value = (word >> m[row + L.LSB + counter]) & m[row + L.BITS + counter]
        meant = (word & m[row + L.TEST + counter]) == m[row + L.WANT + counter]
        if meant and (kind != L.ADD or value != 0):
            m[L.DO + counter] = kind
        else:
            m[L.DO + counter] = L.NOTHING
        m[L.VALUE + counter] = value
    override = (word >> m[row + L.OVERRIDE]) & m[row + L.OVERRIDE_BITS]
    number = thread if override == 0 else override - 1  # A3
    targets = (word >> m[row + L.TARGET]) & 7
    for target in range(3):
        if (targets >> target) & 1:
            apply(m, live, checkpoint, 3 * number + target, by)
    flags = 0
    if m[row + L.X_NAMED] != 0 and (word & m[row + L.X_NAMED]) == 0 and override != 0:
        flags |= L.X_OVERRIDE
    if targets == 0 or (m[row + L.MASK] != 0 and (word & m[row + L.MASK]) == 0):
        flags |= L.EMPTY
    return flags


@part
def _clear(m: L.Memory) -> None:
    for counter in range(8):
        m[L.DO + counter] = L.NOTHING


@part
def unpack_update(
    m: L.Memory,
    live: L.Memory,
    checkpoint: L.Memory,
    unpacker: int,
    thread: int,
    adc: int,
    increments: L.Memory,
    by: int,
) -> int:
    """An unpacker's update of its own target in set ``thread`` and, if another, ``adc`` (A11).

    ``increments``: of Y0, Z0, Y1, Z1.
    """
    if thread == 3 or adc == 3:
        return L.UNPACK_THREAD
    _clear(m)
    for place in range(4):
        counter = 4 * (place >> 1) + 1 + (place & 1)
        m[L.VALUE + counter] = increments[place]
        if increments[place] != 0:
            m[L.DO + counter] = L.ADD
    for number in range(3):
        if number in (thread, adc):
            apply(m, live, checkpoint, 3 * number + unpacker, by)
    return 0


@part
def pack_update(
    m: L.Memory, live: L.Memory, checkpoint: L.Memory, sets: int, addr_mod: int, by: int
) -> None:
    """The packers' update by an ADDR_MOD_PACK word, once in each set of ``sets`` (P18)."""
    _clear(m)
    for channel in range(2):
        p = L.PACK + L.PACK_SIZE * channel
        y = 4 * channel + 1
        z = 4 * channel + 2
        y_incr = (addr_mod >> m[p + L.Y_INCR]) & m[p + L.Y_INCR + 1]
        z_incr = (addr_mod >> m[p + L.Z_INCR]) & m[p + L.Z_INCR + 1]
        m[L.VALUE + y] = y_incr
        m[L.VALUE + z] = z_incr
        if (addr_mod >> m[p + L.Y_CLEAR]) & m[p + L.Y_CLEAR + 1]:
            m[L.DO + y] = L.BOTH
            m[L.VALUE + y] = 0
        elif (addr_mod >> m[p + L.Y_CR]) & m[p + L.Y_CR + 1]:
            m[L.DO + y] = L.RELOAD
        elif y_incr != 0:
            m[L.DO + y] = L.ADD
        if (addr_mod >> m[p + L.Z_CLEAR]) & m[p + L.Z_CLEAR + 1]:
            m[L.DO + z] = L.BOTH
            m[L.VALUE + z] = 0
        elif z_incr != 0:
            m[L.DO + z] = L.ADD
    for number in range(3):
        if (sets >> number) & 1:
            apply(m, live, checkpoint, 3 * number + 2, by)


@part
def flop(
    m: L.Memory,
    live: L.Memory,
    checkpoint: L.Memory,
    thread: int,
    select: int,
    counter: int,
    what: int,
    value: int,
    by: int,
) -> int:
    """REG2FLOP's write of one value (C14); ``counter`` 0 to 7, ``what`` LIVE or CHECKPOINT."""
    flags = 0
    if thread == 3:
        flags |= L.FLOP_THREAD
    if select == 3:
        flags |= L.FLOP_SELECT
    if flags == 0:
        _clear(m)
        m[L.DO + counter] = what
        m[L.VALUE + counter] = value
        apply(m, live, checkpoint, 3 * thread + select, by)
    return flags
