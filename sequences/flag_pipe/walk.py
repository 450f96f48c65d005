# SPDX-License-Identifier: Apache-2.0
"""A compiled walk over rows of :mod:`tables`: scenes with the commands that can be done in them.

A scene has one order in which all its commands can be done. Each core gets its part of it, so that
every command is done in the end, however the cores' timing turns out.
"""

from __future__ import annotations

from typing import Any, Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.sequences.flag_pipe import walk_commands as commands
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
from tilepath.sequences.flag_pipe.tables import ERRORS, FAULTY, LINKS, PLACES, RATES
from tilepath.sequences.flag_pipe.walk_commands import CLR, Walk
from tilepath.tb.flag_pipe.streams import HOLDING

SPARE: Final = 128
"""Steps that a scene may take beside those of its length."""
_LONGEST: Final = 2500
"""Cycles after which a scene begins nothing more: what a slow core is waited for stays below what
the check at the end of a run takes for stuck (``Block.longest_wait``)."""
_TOP: Final = 1 << 32
_IDLE: Final = (1 << HOLDING.busy) - 1
_BITS: Final = 8 * LINKS
_SHORT, _LONG = RATES.index("short"), RATES.index("long")
_OP, _INIT, _OTHER = range(len(ERRORS))
_MASK, _SLOT, _BASE, _PERIOD, _SPLIT = range(len(FAULTY))
_LONE: Final = PLACES - 1
_FIRST: Final = 2


@compiled
def _phase(w: Any) -> None:
    """What follows waits for all that came before."""
    w.barrier = w.counts[0] + w.counts[1] + w.counts[2] + w.counts[CLR]
    for player in range(4):
        w.fresh[player] = 1


@compiled
def _rest(m: Any) -> None:
    """What follows waits until all is idle."""
    w = m.state[0]
    _phase(w)
    # one item waits for that, all others for it: what they do makes the block busy; the bench asks
    # each player for so many cycles, so it must not be far ahead of the others
    commands.add(m, CLR, max(w.least[0], w.least[1], w.least[2]), 0).idle = _IDLE
    _phase(w)


@compiled
def _clear(m: Any, pairs: int) -> None:
    w = m.state[0]
    commands.add(m, CLR, 0, 0).pairs = pairs
    _phase(w)
    for link in range(LINKS):
        for end in range(2 * (pairs >> link % 2 & 1)):
            w.known[link, end] = w.popped[link, end] = w.held[link, end] = 0
            w.free[link, 1 + end] = w.full[link, 1 + end] = 0


@compiled
def _begin(m: Any, number: int) -> None:
    """When all is idle, clear: both pairs, or one, or none."""
    w, scene = m.state[0], m.scenes[number]
    _rest(m)
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
    _clear(m, cleared)


@compiled
def _start(m: Any, link: int, vector_first: int, late: int) -> None:
    """Both INITs of a link, if they were not yet; perhaps one after a command that waits."""
    w, vector = m.state[0], 1 + link % 2
    c, behind = m.scenes[w.config], 0
    first = vector if vector_first else 0
    second, way = vector - first, commands.way_of(first, TPUSH)
    if not w.known[link, int(first > 0)]:
        commands.do(m, first, INIT, link, 0)
        # without the other's INIT nothing but a TPUSH or a TPOP can be begun
        waits = late and not w.known[link, int(second > 0)] and not c.mismatch[link]
        if waits and c.masks[commands.own_of(c, link)] & way:
            w.free[link, way] += 1  # which the second INIT will give
            commands.do(m, first, TPUSH, link, 0)
            behind = 1 + first << 28 | w.counts[first]
            w.free[link, way] -= 1
    if not w.known[link, int(second > 0)]:
        commands.do(m, second, INIT, link, behind)


@part
def _beyond(row: Any, beat: int, end: int, need: int) -> int:
    """An address that is misaligned, or from which ``need`` bytes do not end before ``end``."""
    far, lone = _TOP - need if end < _TOP else beat + 1, 1 << (row.odd & 31)
    lone = 1 if beat <= lone <= end - need else lone
    return int((1, beat // 2, end - need + beat, end % _TOP, far, _TOP - beat, lone)[row.place])


@compiled
def _bad_init(m: Any, item: Any, row: Any, link: int, end: int) -> None:
    """What is wrong with an INIT; it may be several things."""
    c = m.scenes[m.state[0].config]
    own = commands.own_of(c, link)
    mask, slot, rings = c.masks[own], c.slots[own, end], c.rings[own, end]
    item.dir_mask, item.slot_size, item.period = mask, slot, c.periods[own]
    item.split = c.split[link >> 1]
    item.row = c.row[link >> 1] * (item.split == 2)
    item.gm_base, item.c2v_buf, item.v2c_buf = rings[0], rings[1], rings[2]
    if m.state[0].known[link, end] and row.twice:
        return
    if row.faulty == _BASE:
        item.slot_size = slot = 128 * c.beat if row.largest else slot
        wrong, need = row.way if mask == BOTH else mask, commands.slots_of(c, link) * slot
        if c.a2a3:
            item.gm_base = _beyond(row, c.beat, _TOP, c.nflags * slot)
        elif mask & 1:
            item.c2v_buf = UB_BYTES - need
        if not c.a2a3 and mask & 2:
            item.v2c_buf = L1_BYTES - need
        if not c.a2a3 and wrong == 1:
            item.c2v_buf = _beyond(row, c.beat, UB_BYTES, need)
        elif not c.a2a3:
            item.v2c_buf = _beyond(row, c.beat, L1_BYTES, need)
    short = commands.slots_of(c, link) < 1 << 3  # else there is no credit for too many
    if row.faulty == _PERIOD and short:
        item.period = 3
    if row.faulty == _SPLIT:
        item.split, item.row = row.bad_split, row.bad_row
        if row.place == _LONE:
            item.row = row.odd & 31
        if row.bad_split == 1 or row.place == _LONE:
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
    own = commands.own_of(c, link)
    link = link if core else own
    end, op, tile = int(core > 0), row.next_op, c.beat if row.aligned else 1
    if (
        row.wrong == _OTHER
        and w.known[link, end]
        and c.masks[commands.own_of(c, link)] & commands.way_of(core, op)
    ):
        full = w.held[link, end] >= min(c.hold_max, commands.slots_of(c, link))
        if (op == TPOP and not full and not c.a2a3) or (op == TFREE and w.held[link, end]):
            return
        if op == TPUSH or (op == TPOP and not full):
            last = L1_BYTES if core == 0 else UB_A2A3 if c.a2a3 else UB_BYTES
            tile = _beyond(row, c.beat, last, commands.size_of(c, core, link))
    item = commands.add_command(m, core, op, link, 0, 0)
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
        mine = only < 0 or link % 2 == only or commands.halves(m.scenes[m.state[0].config], link)
        if bit & 3 and mine and commands.can(m, bit & 4, bit & 3, link):
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
        commands.do(m, core, op, link, 0)
        if busy and op == TPUSH and core:
            # in the next cycle the vector is at work: no clear of its pair
            commands.add(m, CLR, 0, 1 + core << 28 | w.counts[core]).pairs = 1 << link % 2
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
            op = TFREE if commands.can(m, core, TFREE, link) else TPOP
            if not commands.can(m, core, op, link):
                break
            commands.do(m, core, op, link, 0)


@compiled
def _probe(m: Any, only: int) -> None:
    """Clears near to a command, or to an INIT where nothing is known yet; then all is cleared.

    Nobody knows which of them are granted, so nothing else comes.
    """
    w = m.state[0]
    _rest(m)
    for core in range(3):
        w.rates[core] = 0
    # with the command, for its pair, the other, both, or for none; gaps count from here
    commands.add(m, CLR, 0, 0).pairs = m.steps[w.step].at & 3
    found = _chosen(m, only, 0)
    if m.scenes[w.config].probe == _FIRST:
        link, end = m.steps[w.step].pick >> 1 & 1, m.steps[w.step].pick & 1
        link = link if end else commands.own_of(m.scenes[w.config], link)
        commands.do(m, (1 + link) * end, INIT, link, 0)
    elif found:
        core = (found >> 3) % 2 + 1 if found & 4 else 0
        commands.do(m, core, found & 3, found >> 3, 0)
    for _ in range(2):
        pick = m.steps[w.step].pick
        w.step += 1
        commands.add(m, CLR, pick & 15, 0).pairs = 1 + (pick >> 4) % 3
    _rest(m)
    _clear(m, 3)


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
        links = LINKS if scene.several else 2
        for link in range(links if scene.probe != _FIRST else 0):
            if m.steps[w.step].errors:
                _fail(m, only)
            if only < 0 or link % 2 == only or commands.halves(m.scenes[w.config], link):
                _start(m, link, scene.vector_first[link], scene.late[link])
        _work(m, scene.length, only, scene.busy)
        if scene.drain:
            _drain(m)
        if scene.probe:
            _probe(m, only)
    return len(m.scenes)
