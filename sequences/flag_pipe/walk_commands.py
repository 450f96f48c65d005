# SPDX-License-Identifier: Apache-2.0
"""What a compiled walk knows of the cores, and the commands that it does.

A link is a pipe of a pair (``LINKS``); link k is of pair k % 2. Its ends are the cube, 0, and the
vector, 1; a direction is as in a mask (T5). With halves (T37) links k and k + 1 are one pipe: the
first of them describes it, and the cube's commands are done in that.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Records, record
from tilepath.sequences.flag_pipe.script import BOTH, COMMAND, INIT, TFREE, TPOP, TPUSH
from tilepath.sequences.flag_pipe.tables import LINKS, placed
from tilepath.tb.flag_pipe.streams import HOLDING

_I64: Final = np.int64
CLR: Final = 3
"""The player behind the cores'."""
_TILES: Final = 8
_ALL: Final = int(HOLDING.after_all(0))
_place = part(placed)

WAITS: Final = ("gaps", "idle", "after", "and_after")
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
def way_of(core: int, op: int) -> int:
    """Return where tiles go that a core pushes, or pops and frees, as in a mask."""
    return 1 if (core == 0) == (op == TPUSH) else 2


@part
def halves(c: Any, link: int) -> bool:
    """Whether tiles of a link are in halves (T37)."""
    return bool(c.split[link >> 1] != 0)


@part
def own_of(c: Any, link: int) -> int:
    """The link that describes a link."""
    return link & ~1 if halves(c, link) else link


@part
def _last(c: Any, core: int, link: int) -> int:
    """The last link that a command on ``link`` is for: with halves the cube's is for two."""
    return link + 1 if core == 0 and halves(c, link) else link


@part
def size_of(c: Any, core: int, link: int) -> int:
    """Bytes of a core's tile."""
    return int(c.slots[own_of(c, link), int(core > 0)]) >> (core > 0 and halves(c, link))


@part
def slots_of(c: Any, link: int) -> int:
    """Slots of each ring (T23)."""
    return int(c.nflags) >> (c.masks[own_of(c, link)] == BOTH)


@part
def can(m: Any, core: int, op: int, link: int) -> bool:
    """Whether TPUSH, TPOP or TFREE is legal and would not wait now."""
    w, end, way = m.state[0], int(core > 0), way_of(core, op)
    c, held = m.scenes[w.config], w.held[link, end]
    if not w.known[link, end] or not c.masks[own_of(c, link)] & way:
        return False
    if core == 0 and own_of(c, link) != link:
        return False
    if op == TFREE:
        return bool(held > 0)
    tokens, last = w.free if op == TPUSH else w.full, _last(c, core, link)
    if tokens[link, way] <= 0 or tokens[last, way] <= 0:
        return False
    return bool(op == TPUSH or held < min(c.hold_max, slots_of(c, link)))


@compiled
def add(m: Any, player: int, gap: int, behind: int) -> Any:
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
def add_command(m: Any, core: int, op: int, link: int, gap: int, behind: int) -> Any:
    """A command of which only what is ignored is set."""
    item, junk = add(m, core, gap, behind), m.steps[m.state[0].step].junk
    if m.state[0].noise:
        item.dir_mask, item.slot_size, item.gm_base = junk[0] & 255, junk[1], junk[2]
        item.c2v_buf, item.v2c_buf, item.tile_addr = junk[3], junk[4], junk[5]
        item.period, item.split, item.row = junk[0] >> 8 & 3, junk[0] >> 10 & 3, junk[0] >> 12 & 31
    c, own = m.scenes[m.state[0].config], own_of(m.scenes[m.state[0].config], link)
    item.op, item.peer = op, 0 if core else link % 2
    if core == 0 and halves(c, link):
        item.peer = junk[0] >> 20 & 1
    item.pipe = c.pipes[own]
    return item


@compiled
def do(m: Any, core: int, op: int, link: int, behind: int) -> None:
    """INIT, TPUSH of a tile with a stamp of its own, TPOP, or TFREE of a tile that is looked at."""
    w, end, way = m.state[0], int(core > 0), way_of(core, op)
    c, step = m.scenes[w.config], m.steps[w.step]
    own, last, size = own_of(c, link), _last(c, core, link), size_of(c, core, link)
    slot, rings, place = c.slots[own, end], c.rings[own, end], w.popped[link, end]
    gap = 0 if behind else (0, step.short, step.medium, step.long)[w.rates[core]]
    item = add_command(m, core, op, link, gap, behind)
    w.step += 1
    if op == INIT:
        item.dir_mask, item.slot_size, item.period = c.masks[own], slot, c.periods[own]
        item.split = c.split[link >> 1]
        if item.split and end and c.crossed == 1:
            item.split = 3 - item.split
        if item.split == 2:
            item.row = c.row[link >> 1] - (end and c.crossed == 2)
        if c.a2a3:
            item.gm_base = rings[0]
        if not c.a2a3 and c.masks[own] & 1:
            item.c2v_buf = rings[1]
        if not c.a2a3 and c.masks[own] & 2:
            item.v2c_buf = rings[2]
        for one in range(link, last + 1):
            w.known[one, end] = 1
            w.free[one, way] += slots_of(c, link) * ((c.masks[own] & way) > 0)
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
        tile = rings[way] + place % slots_of(c, link) * slot
    w.tiles[link, end, place % _TILES] = tile
    w.popped[link, end] += 1
    w.held[link, end] += 1
    for one in range(link, last + 1):
        w.full[one, way] -= 1
