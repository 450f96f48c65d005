# SPDX-License-Identifier: Apache-2.0
"""A compiled walk over rows of :mod:`tables`: scenes with the commands that can be done in them.

A scene has one order in which all its commands can be done. Each core gets its part of it, so that
every command is done in the end, however the cores' timing turns out. A link is a pipe of a pair
(``LINKS``); link k is of pair k % 2. Its ends are the cube, 0, and the vector, 1; a direction is as
in a mask (T5). With halves (T37) links k and k + 1 are one pipe: the first of them describes it,
and the cube's commands are done in that.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary import flag_pipe
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    INIT,
    L1_BYTES,
    TFREE,
    TPOP,
    TPUSH,
    UB_A2A3,
    UB_BYTES,
)
from tilepath.sequences.flag_pipe.tables import ERRORS, FAULTY, LINKS, RATES, placed
from tilepath.tb.flag_pipe.streams import HOLDING

_I64: Final = np.int64
CLR: Final = 3
"""The player behind the cores'."""
SPARE: Final = 128
"""Steps that a scene may take beside those of its length."""
_LONGEST: Final = 2500
"""Cycles after which a scene begins nothing more: what a slow core is waited for stays below what
the check at the end of a run takes for stuck (``Block.longest_wait``)."""
_TOP: Final = 1 << 32
_TILES: Final = 8
_IDLE: Final = (1 << HOLDING.busy) - 1
_BITS: Final = 8 * LINKS
_SHORT, _LONG = RATES.index("short"), RATES.index("long")
_OP, _INIT, _OTHER = range(len(ERRORS))
_MASK, _SLOT, _BASE, _PERIOD, _SPLIT = range(len(FAULTY))
_ALL: Final = int(HOLDING.after_all(0))
_place = part(placed)

WAITS: Final = ("gaps", "idle", "after", "and_after")
COMMAND: Final = tuple(field.name for field in (*flag_pipe.COMMAND, *flag_pipe.COMPUTE))
ITEM: Final = record(**dict.fromkeys(("player", *WAITS, "pairs", *COMMAND), _I64))
"""An item: what it waits for, and a command of a core, or ``pairs``."""
STATE: Final = record(
    **dict.fromkeys(("config", "made", "step", "error", "stamp", "noise", "barrier"), _I64),
    counts=(_I64, 4), fresh=(_I64, 4), rates=(_I64, 3), least=(_I64, 3), working=(_I64, 3),
    known=(_I64, (LINKS, 2)), popped=(_I64, (LINKS, 2)), held=(_I64, (LINKS, 2)),
    tiles=(_I64, (LINKS, 2, _TILES)), free=(_I64, (LINKS, 3)), full=(_I64, (LINKS, 3)),
)  # fmt: skip
"""What a walk knows. The row of ``config``, of the scene that has cleared; rows used: ``made``,
``step``, ``error``. Of a player: ``counts`` of its items, ``fresh`` if it has none in this phase.
Of a core: cycles that the scene takes at ``least`` and that its last command is ``working``; gaps
pass meanwhile. Of a link and an end: ``known`` if initialised. Of a link and a direction: slots
``free`` and ``full``.
"""


class Walk(NamedTuple):
    """One ``STATE``, rows of three tables, and room for ``ITEM``, all 0."""

    state: Records
    scenes: Records
    steps: Records
    errors: Records
    items: Records


@part
def _way(core: int, op: int) -> int:
    return 1 if (core == 0) == (op == TPUSH) else 2


@part
def _halves(c: Any, link: int) -> bool:
    """Whether tiles of a link are in halves (T37)."""
    return bool(c.split[link >> 1] != 0)


@part
def _own(c: Any, link: int) -> int:
    """The link that describes a link."""
    return link & ~1 if _halves(c, link) else link


@part
def _last(c: Any, core: int, link: int) -> int:
    """The last link that a command on ``link`` is for: with halves the cube's is for two."""
    return link + 1 if core == 0 and _halves(c, link) else link


@part
def _size(c: Any, core: int, link: int) -> int:
    """Bytes of a core's tile."""
    return int(c.slots[_own(c, link), int(core > 0)]) >> (core > 0 and _halves(c, link))


@part
def _slots(c: Any, link: int) -> int:
    """Slots of each ring (T23)."""
    return int(c.nflags) >> (c.masks[_own(c, link)] == BOTH)


@part
def _can(m: Any, core: int, op: int, link: int) -> bool:
    """Whether TPUSH, TPOP or TFREE is legal and would not wait now."""
    w, end, way = m.state[0], int(core > 0), _way(core, op)
    c, held = m.scenes[w.config], w.held[link, end]
    if not w.known[link, end] or not c.masks[_own(c, link)] & way:
        return False
    if core == 0 and _own(c, link) != link:
        return False
    if op == TFREE:
        return bool(held > 0)
    tokens, last = w.free if op == TPUSH else w.full, _last(c, core, link)
    if tokens[link, way] <= 0 or tokens[last, way] <= 0:
        return False
    return bool(op == TPUSH or held < min(c.hold_max, _slots(c, link)))


@compiled
def _add(m: Any, player: int, gap: int, behind: int) -> Any:
    """An item with nothing but its conditions; the first of a phase waits for the phase."""
    w = m.state[0]
    item = m.items[w.made]
    item.player, item.gaps, item.and_after = player, gap, behind
    item.after = (w.barrier | _ALL) * w.fresh[player]
    w.fresh[player] = 0
    w.made += 1
    w.counts[player] += 1
    return item


@compiled
def _command(m: Any, core: int, op: int, link: int, gap: int, behind: int) -> Any:
    """A command of which only what is ignored is set."""
    item, junk = _add(m, core, gap, behind), m.steps[m.state[0].step].junk
    if m.state[0].noise:
        item.dir_mask, item.slot_size, item.gm_base = junk[0] & 255, junk[1], junk[2]
        item.c2v_buf, item.v2c_buf, item.tile_addr = junk[3], junk[4], junk[5]
        item.period, item.split, item.row = junk[0] >> 8 & 3, junk[0] >> 10 & 3, junk[0] >> 12 & 31
    c, own = m.scenes[m.state[0].config], _own(m.scenes[m.state[0].config], link)
    item.op, item.peer = op, 0 if core else link % 2
    if core == 0 and _halves(c, link):
        item.peer = junk[0] >> 20 & 1
    item.pipe = c.pipes[own]
    return item


@compiled
def _do(m: Any, core: int, op: int, link: int, behind: int) -> None:
    """INIT, TPUSH of a tile with a stamp of its own, TPOP, or TFREE of a tile that is looked at."""
    w, end, way = m.state[0], int(core > 0), _way(core, op)
    c, step = m.scenes[w.config], m.steps[w.step]
    own, last, size = _own(c, link), _last(c, core, link), _size(c, core, link)
    slot, rings, place = c.slots[own, end], c.rings[own, end], w.popped[link, end]
    gap = 0 if behind else (0, step.short, step.medium, step.long)[w.rates[core]]
    item = _command(m, core, op, link, gap, behind)
    w.step += 1
    if op == INIT:
        item.dir_mask, item.slot_size, item.period = c.masks[own], slot, c.periods[own]
        item.split = c.split[link >> 1]
        if item.split == 2:
            item.row = c.row[link >> 1]
        if c.a2a3:
            item.gm_base = rings[0]
        if not c.a2a3 and c.masks[own] & 1:
            item.c2v_buf = rings[1]
        if not c.a2a3 and c.masks[own] & 2:
            item.v2c_buf = rings[2]
        for one in range(link, last + 1):
            w.known[one, end] = 1
            w.free[one, way] += _slots(c, link) * ((c.masks[own] & way) > 0)
        return
    beats = size // c.beat
    w.least[core] += max(gap + 1, w.working[core])
    w.working[core] = beats + 5 if op == TPUSH or (c.a2a3 and op == TPOP) else 2
    if op == TFREE:
        item.look_addr = w.tiles[link, end, (place - w.held[link, end]) % _TILES]
        item.look_beats = beats
        w.held[link, end] -= 1
        credit = 1 << c.periods[own]
        for one in range(link, last + 1):
            w.free[one, way] += credit * ((place - w.held[link, end]) % credit == 0)
        return
    space = c.spaces[core, op - TPUSH]
    tile = _place(step.edge, step.at, space[0], space[1] - space[0] - size, c.beat)
    if op == TPUSH:
        w.stamp += 1
        item.tile_addr, item.fill_beats, item.stamp = tile, beats, w.stamp
        for one in range(link, last + 1):
            w.free[one, way] -= 1
            w.full[one, way] += 1
        return
    if c.a2a3:
        item.tile_addr = tile
    else:
        tile = rings[way] + place % _slots(c, link) * slot
    w.tiles[link, end, place % _TILES] = tile
    w.popped[link, end] += 1
    w.held[link, end] += 1
    for one in range(link, last + 1):
        w.full[one, way] -= 1


@compiled
def _phase(w: Any) -> None:
    """What follows waits for all that came before."""
    w.barrier = w.counts[0] + w.counts[1] + w.counts[2] + w.counts[CLR]
    for player in range(4):
        w.fresh[player] = 1


@compiled
def _begin(m: Any, number: int) -> None:
    """When all is idle, clear: both pairs, or one, or none."""
    w, scene = m.state[0], m.scenes[number]
    _phase(w)
    # one item waits for that, all others for it: what they do makes the block busy; the bench asks
    # each player for so many cycles, so it must not be far ahead of the others
    _add(m, CLR, max(w.least[0], w.least[1], w.least[2]), 0).idle = _IDLE
    _phase(w)
    w.noise = scene.noise
    for core in range(3):
        w.least[core] = w.working[core] = 0
        w.rates[core] = scene.rates[core]
    cleared = scene.again if scene.keep else 3
    c = m.scenes[w.config]
    if cleared and (c.split[0] or c.split[1]):  # of one pair alone it would be refused
        cleared = 3
    if not cleared:
        return
    w.config = w.config if scene.keep else number
    _add(m, CLR, 0, 0).pairs = cleared
    _phase(w)
    for link in range(LINKS):
        for end in range(2 * (cleared >> link % 2 & 1)):
            w.known[link, end] = w.popped[link, end] = w.held[link, end] = 0
            w.free[link, 1 + end] = w.full[link, 1 + end] = 0


@compiled
def _start(m: Any, link: int, vector_first: int, late: int) -> None:
    """Both INITs of a link, if they were not yet; perhaps one after a command that waits."""
    w, vector = m.state[0], 1 + link % 2
    c, behind = m.scenes[w.config], 0
    first = vector if vector_first else 0
    second, way = vector - first, _way(first, TPUSH)
    if not w.known[link, int(first > 0)]:
        _do(m, first, INIT, link, 0)
        # without the other's INIT nothing but a TPUSH or a TPOP can be begun
        waits = late and not w.known[link, int(second > 0)] and not c.mismatch[link]
        if waits and c.masks[_own(c, link)] & way:
            w.free[link, way] += 1  # which the second INIT will give
            _do(m, first, TPUSH, link, 0)
            behind = 1 + first << 28 | w.counts[first]
            w.free[link, way] -= 1
    if not w.known[link, int(second > 0)]:
        _do(m, second, INIT, link, behind)


@part
def _beyond(place: int, beat: int, end: int, need: int) -> int:
    """An address that is misaligned, or from which ``need`` bytes do not end before ``end``."""
    far = _TOP - need if end < _TOP else beat + 1
    return int((1, beat // 2, end - need + beat, end % _TOP, far, _TOP - beat)[place])


@compiled
def _bad_init(m: Any, item: Any, row: Any, link: int, end: int) -> None:
    """What is wrong with an INIT; it may be several things."""
    c = m.scenes[m.state[0].config]
    own = _own(c, link)
    mask, slot, rings = c.masks[own], c.slots[own, end], c.rings[own, end]
    item.dir_mask, item.slot_size, item.period = mask, slot, c.periods[own]
    item.split, item.row = c.split[link >> 1], c.row[link >> 1]
    item.gm_base, item.c2v_buf, item.v2c_buf = rings[0], rings[1], rings[2]
    if m.state[0].known[link, end] and row.twice:
        return
    if row.faulty == _BASE:
        item.slot_size = slot = 128 * c.beat if row.largest else slot
        wrong, need = row.way if mask == BOTH else mask, _slots(c, link) * slot
        if c.a2a3:
            item.gm_base = _beyond(row.place, c.beat, _TOP, c.nflags * slot)
        elif mask & 1:
            item.c2v_buf = UB_BYTES - need
        if not c.a2a3 and mask & 2:
            item.v2c_buf = L1_BYTES - need
        if not c.a2a3 and wrong == 1:
            item.c2v_buf = _beyond(row.place, c.beat, UB_BYTES, need)
        elif not c.a2a3:
            item.v2c_buf = _beyond(row.place, c.beat, L1_BYTES, need)
    short = _slots(c, link) < 1 << 3  # else there is no credit for too many
    if row.faulty == _PERIOD and short:
        item.period = 3
    if row.faulty == _SPLIT:
        item.split, item.row = row.bad_split, row.bad_row
        if row.bad_split == 1:
            item.slot_size |= c.beat
    if row.faulty == _SLOT or row.more[0] or (row.faulty == _PERIOD and not short):
        item.slot_size = row.bad_slot
    if row.faulty == _MASK or row.more[1]:
        item.dir_mask = row.bad_mask


@compiled
def _fail(m: Any, only: int) -> None:
    """A command with an error, if the row's is one now; of pair ``only`` unless that is -1."""
    w = m.state[0]
    c, row = m.scenes[w.config], m.errors[w.error]
    w.error += 1
    core = row.core
    pair = core - 1 if core else row.pair if only < 0 else only
    link = pair + 2 * (row.second & c.several)
    if core == 0:
        link = _own(c, link)
    end, op, tile = int(core > 0), row.next_op, c.beat if row.aligned else 1
    if row.wrong == _OTHER and w.known[link, end] and c.masks[_own(c, link)] & _way(core, op):
        full = w.held[link, end] >= min(c.hold_max, _slots(c, link))
        if (op == TPOP and not full and not c.a2a3) or (op == TFREE and w.held[link, end]):
            return
        if op == TPUSH or (op == TPOP and not full):
            last = L1_BYTES if core == 0 else UB_A2A3 if c.a2a3 else UB_BYTES
            tile = _beyond(row.place, c.beat, last, _size(c, core, link))
    item = _command(m, core, op, link, 0, 0)
    if row.wrong == _OP:
        item.op, item.peer = row.bad_op, row.bad_peer
    elif row.wrong == _INIT:
        item.op = INIT
        _bad_init(m, item, row, link, end)
    else:
        item.tile_addr = tile


@compiled
def _chosen(m: Any, only: int, last: int) -> int:
    """Which of the commands that can be done comes, 0 if there is none; ``last``: the one before.

    As 8 · link + 4 · end + operation.
    """
    step, able = m.steps[m.state[0].step], 0
    for bit in range(_BITS):
        link = bit >> 3
        mine = only < 0 or link % 2 == only or _halves(m.scenes[m.state[0].config], link)
        if bit & 3 and mine and _can(m, bit & 4, bit & 3, link):
            able |= 1 << bit
    again = able & 15 << (last & ~3)
    if again and step.burst[0]:
        able = again
    if again >> last & 1 and step.burst[1]:
        return last
    count = 0
    for bit in range(_BITS):
        count += able >> bit & 1
    left = step.pick * count >> 16
    for bit in range(_BITS):
        left -= able >> bit & 1
        if able and left < 0:
            return bit
    return 0


@compiled
def _work(m: Any, length: int, only: int, busy: int) -> None:
    w, last = m.state[0], 8 + TPUSH if only == 1 else TPUSH
    for _ in range(length):
        if max(w.least[0], w.least[1], w.least[2]) > _LONGEST:
            return
        if m.steps[w.step].errors:
            _fail(m, only)
        found = _chosen(m, only, last)
        if not found:
            return
        last, link, op = found, found >> 3, found & 3
        core = link % 2 + 1 if found & 4 else 0
        _do(m, core, op, link, 0)
        if busy and op == TPUSH and core:
            # in the next cycle the vector is at work: no clear of its pair
            _add(m, CLR, 0, 1 + core << 28 | w.counts[core]).pairs = 1 << link % 2
            busy = 0


@compiled
def _drain(m: Any) -> None:
    """Pop and free all that there is, without long gaps: who waits for it waits on."""
    rates = m.state[0].rates
    for core in range(3):
        rates[core] = _SHORT if rates[core] == _LONG else rates[core]
    for end in range(2 * LINKS):
        link, core = end >> 1, 1 + (end >> 1) % 2 if end & 1 else 0
        while True:
            op = TFREE if _can(m, core, TFREE, link) else TPOP
            if not _can(m, core, op, link):
                break
            _do(m, core, op, link, 0)


@compiled
def walk(m: Walk) -> int:
    """Items of all scenes but the first, which the state knows, or of as many as steps suffice for.

    How many scenes it has done, the first with them.
    """
    w = m.state[0]
    w.config = w.made = w.step = w.error = 0
    for number in range(1, len(m.scenes)):
        scene = m.scenes[number]
        only = scene.pair if scene.single else -1
        if w.step + scene.length + SPARE > len(m.steps):
            return number
        _begin(m, number)
        for link in range(LINKS if scene.several else 2):
            if m.steps[w.step].errors:
                _fail(m, only)
            if only < 0 or link % 2 == only or _halves(m.scenes[w.config], link):
                _start(m, link, scene.vector_first[link], scene.late[link])
        _work(m, scene.length, only, scene.busy)
        if scene.drain:
            _drain(m)
    return len(m.scenes)
