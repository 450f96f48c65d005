# SPDX-License-Identifier: Apache-2.0
"""Timing: from the ports to M, through FIFO, MOP expander and BRISC's entry; mop_sync and MopCfg.

As in ``timing_replay``, every event gets the latest of the cycles that its conditions ask for, and
events at or after ``until`` are left alone.
"""

from __future__ import annotations

from typing import NamedTuple

from tilepath.engine.compiled.compiled_io import put
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.isa.constants import OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.models.frontend.account import (
    Source,
    Told,
    brisc_accepted,
    config_written,
    kind_of,
    mop_ingested,
    replay_emitted,
    tell,
)
from tilepath.models.frontend.timing_output import (
    change,
    occupancy,
    occupies,
    settle,
)
from tilepath.models.frontend.timing_state import (
    MOP_SPAN_COUNT,
    NEVER,
    MopState,
    Phase,
    entry,
    first_room,
    head,
    is_empty,
    pop,
    write,
)
from tilepath.models.frontend.untimed_mop import CONFIG_REGISTERS, next_word, prepare


class Inputs(NamedTuple):
    """Input events of one thread that may still matter, arrays of :data:`INPUT_ROWS`."""

    push: Records
    mopcfg: Records
    sync: Records
    brisc: Records
    ready: Records


@part
def _accept(thread: Record, push: Records, output: Record, until: int) -> bool:
    """Accept the next offer, if that happens before ``until`` (F19)."""
    fifo, row = thread.fifo, thread.next.push
    if row == len(push):
        return False
    cycle = max(push[row].cycle, entry(fifo, fifo.arrivals - 1).arrived + 1, first_room(fifo))
    if cycle >= until:
        return False
    word, origin = push[row].word, fifo.arrivals * ORIGIN_STREAMS + thread.push_number
    thread.next.push = row + 1
    write(fifo, cycle, word, origin)
    occupies(output, cycle, occupancy(thread, word))
    put(output.accept, cycle, origin)
    tell(output, cycle, Told.ACCEPTED | kind_of(word) << Told.ACCEPTED_KIND)
    return True


@part
def _acknowledge(thread: Record, sync: Records, output: Record, last: int) -> None:
    """Acknowledge mop_sync requests up to cycle ``last``, until when no further MOP shows (F21)."""
    while thread.next.sync < len(sync):
        asked = sync[thread.next.sync].cycle
        cycle = max(asked, thread.last_sync_ack + 1, thread.mop_span.last + 1)
        if cycle > last:
            return
        put(output.sync_ack, cycle, NOT_KNOWN)
        tell(output, cycle, Told.ACKNOWLEDGED)
        thread.last_sync_ack = cycle
        thread.next.sync += 1


@part
def _close_span(thread: Record, output: Record) -> None:
    """Note that no MOP is in the FIFO or expanding after the last one's last cycle."""
    if thread.mop_span.is_open:
        occupies(output, thread.mop_span.last, -MOP_SPAN_COUNT)
        thread.mop_span.is_open = False


@part
def _mop_arrives(thread: Record, sync: Records, output: Record, number: int) -> None:
    """Word ``number``, a MOP, is accepted and every MOP before it is done: extend their span."""
    span = thread.mop_span
    arrived = entry(thread.fifo, number).arrived
    # In the cycle of its arrival itself the word is not in the FIFO yet.
    _acknowledge(thread, sync, output, arrived)
    if span.last < arrived:
        _close_span(thread, output)
    if not span.is_open:
        occupies(output, arrived, MOP_SPAN_COUNT)
        span.is_open = True
    span.last = NEVER
    span.seen = number + 1


@part
def _configure(thread: Record, mopcfg: Records, output: Record, end: int) -> None:
    """Perform the MopCfg writes before cycle ``end``, and name those that are races (F7)."""
    while thread.next.mopcfg < len(mopcfg) and mopcfg[thread.next.mopcfg].cycle < end:
        row = mopcfg[thread.next.mopcfg]
        if row.index < CONFIG_REGISTERS:
            thread.mop.mop_cfg[row.index] = row.datum
        if row.cycle >= thread.expander.race_from:
            put(output.mopcfg_race, row.cycle, thread.expander.last_mop)
            tell(output, row.cycle, Told.RACE)
        if output.kept:
            config_written(thread, output, row.cycle, row.index, row.datum)
        thread.next.mopcfg += 1


@part
def _fetch(thread: Record, inputs: Inputs, output: Record, until: int) -> None:
    """Bring the head of the FIFO to the expander, with the first cycle in which it can be taken."""
    fifo, expander = thread.fifo, thread.expander
    if is_empty(fifo) and not _accept(thread, inputs.push, output, until):
        return
    new = head(fifo)
    is_mop = new.word >> 24 == OP_MOP
    if is_mop and fifo.departures >= thread.mop_span.seen:
        _mop_arrives(thread, inputs.sync, output, fifo.departures)
    free = expander.free_for_mop if is_mop else expander.free
    expander.cycle = max(new.arrived + 1, free)
    expander.word = new.word
    expander.origin = new.origin
    expander.phase = Phase.HEAD


@part
def _take(thread: Record, output: Record, cycle: int) -> None:
    """The expander pops its word from the FIFO."""
    pop(thread.fifo, cycle)
    tell(output, cycle, Told.POPPED)
    thread.expander.free = cycle + 1
    thread.expander.free_for_mop = cycle + 1
    thread.expander.phase = Phase.EMPTY


@part
def _mop_done(thread: Record, mopcfg: Records, output: Record, cycle: int) -> None:
    """The expansion's last word (or, if it is empty, the pop) is in ``cycle``: TRANS next (F11)."""
    expander = thread.expander
    expander.phase = Phase.EMPTY
    expander.free = cycle + 2
    expander.free_for_mop = cycle + 1 if expander.back_to_back else cycle + 2
    thread.mop_span.last = cycle
    if expander.race_from < NEVER:
        _configure(thread, mopcfg, output, cycle + 1)
        expander.race_from = NEVER
    if expander.state != MopState.TRANS:
        expander.state = MopState.TRANS
        change(thread.mop_state, output.mop_state, cycle + 1, MopState.TRANS, expander.last_mop)
    expander.idle_from = cycle + 2


@part
def _go_idle(thread: Record, output: Record, last: int) -> None:
    """Record that TRANS became IDLE, if that is due by cycle ``last``."""
    expander = thread.expander
    if 0 < expander.idle_from <= last:
        cycle = expander.idle_from
        change(thread.mop_state, output.mop_state, cycle, MopState.IDLE, expander.last_mop)
        expander.state = MopState.IDLE
        expander.idle_from = 0


@part
def _try_mop(thread: Record, mopcfg: Records, output: Record, until: int) -> None:
    """Ingest the MOP at the head of the FIFO, or find the next cycle in which it may be possible.

    While a MOP waits for room in M, a MopCfg write may still make its expansion empty, and then it
    needs none.
    """
    expander = thread.expander
    cycle, room = expander.cycle, first_room(thread.m)
    _configure(thread, mopcfg, output, cycle)
    length = prepare(thread.mop, expander.word)  # with what was written before this cycle (F7)
    if length > 0 and room > cycle:
        chance = min(room, until)
        if thread.next.mopcfg < len(mopcfg):
            chance = min(chance, mopcfg[thread.next.mopcfg].cycle + 1)
        expander.cycle = chance
        thread.memory.waited = True
        return
    _go_idle(thread, output, cycle)  # TRANS of the MOP before this one, unless this cycle is in it
    expander.idle_from = 0
    expander.last_mop = expander.origin
    put(output.ingest, cycle, expander.origin).word = expander.word
    if output.kept:
        mop_ingested(thread, output, cycle, expander.word, length)
    _take(thread, output, cycle)
    if length == 0:
        _mop_done(thread, mopcfg, output, cycle)
        return
    expander.phase = Phase.EXPANDING  # the first word may be emitted in this cycle (F12)
    if length > 1:
        expander.race_from = cycle + 1
        expander.state = MopState.EXP
        change(thread.mop_state, output.mop_state, cycle + 1, MopState.EXP, expander.origin)


@part
def _take_mop_cfg(thread: Record, output: Record) -> None:
    """A MOP_CFG is taken, which needs no room in M; MaskHi keeps it (F8)."""
    expander = thread.expander
    put(output.ingest, expander.cycle, expander.origin).word = expander.word
    thread.mop.mask_hi = expander.word & 0xFFFF
    tell(output, expander.cycle, Told.INGESTED)
    _take(thread, output, expander.cycle)


@part
def _write_m(
    thread: Record, output: Record, cycle: int, word: int, origin: int, source: int
) -> None:
    entry(thread.m, thread.m.arrivals).source = source
    write(thread.m, cycle, word, origin)
    put(output.mq, cycle, origin).word = word
    tell(output, cycle, Told.M_IN)


@part
def _emit(thread: Record, mopcfg: Records, output: Record, cycle: int, lost: bool) -> None:
    """The expander emits in ``cycle``; the word reaches M unless it is ``lost`` (F18)."""
    expander = thread.expander
    origin = expander.origin
    source = 0 + Source.FIFO
    if expander.phase == Phase.EXPANDING:
        word = next_word(thread.mop)
        source = 0 + (Source.MOP if thread.mop.words_left > 0 else Source.MOP_END)
        if not lost:
            occupies(output, cycle, occupancy(thread, word))
            if output.kept and word >> 24 == OP_REPLAY:
                replay_emitted(thread, output, cycle, word)
        expander.cycle = cycle + 1
        if thread.mop.words_left == 0:
            _mop_done(thread, mopcfg, output, cycle)
    else:
        word = expander.word
        if lost:
            occupies(output, cycle, -occupancy(thread, word))
        _take(thread, output, cycle)
    if lost:
        put(output.collision, cycle, origin)
        tell(output, cycle, Told.COLLISION)
    else:
        _write_m(thread, output, cycle, word, origin, source)


@part
def _take_brisc(thread: Record, brisc: Record, output: Record, cycle: int) -> None:
    """BRISC's word enters M, as it is (F18)."""
    word = brisc.word
    origin = thread.briscs * ORIGIN_STREAMS + thread.brisc_number
    thread.briscs += 1
    thread.next.brisc += 1
    thread.last_brisc = cycle
    put(output.brisc_accept, cycle, origin)
    occupies(output, cycle, occupancy(thread, word))
    _write_m(thread, output, cycle, word, origin, Source.BRISC)
    if output.kept:
        brisc_accepted(thread, output, cycle, word, brisc.cycle)


@part
def _ready_to_emit(thread: Record, inputs: Inputs, output: Record, until: int) -> int:
    """First cycle in which the expander has a word for M, ``NEVER`` if not before ``until``.

    ``expander.phase`` is HEAD with a MOP in it if that MOP comes first.
    """
    if thread.expander.phase == Phase.EMPTY:
        _fetch(thread, inputs, output, until)
    cycle: int = thread.expander.cycle
    return cycle if thread.expander.phase != Phase.EMPTY and cycle < until else NEVER


@part
def _next_brisc(thread: Record, brisc: Records, room: int) -> int:
    """Cycle in which BRISC's next word is taken, if M has room from cycle ``room`` on."""
    if thread.next.brisc == len(brisc):
        return NEVER
    cycle: int = max(brisc[thread.next.brisc].cycle, thread.last_brisc + 1, room)
    return cycle


@part
def feed(thread: Record, inputs: Inputs, output: Record, until: int) -> bool:
    """Bring about the next write to M, if it is before ``until``; whether there was one."""
    expander = thread.expander
    while True:
        room = first_room(thread.m)
        brisc_cycle = _next_brisc(thread, inputs.brisc, room)
        cycle = _ready_to_emit(thread, inputs, output, until)
        if cycle < until and expander.phase == Phase.HEAD:
            opcode = expander.word >> 24
            if opcode == OP_MOP_CFG:
                _take_mop_cfg(thread, output)
                continue
            if opcode == OP_MOP:
                if brisc_cycle >= cycle:  # what M holds in this cycle is settled
                    _try_mop(thread, inputs.mopcfg, output, until)
                    continue
                cycle = NEVER  # BRISC's word goes first
        cycle = max(cycle, room)
        if min(cycle, brisc_cycle) >= until:
            return False
        if brisc_cycle <= cycle:
            _take_brisc(thread, inputs.brisc[thread.next.brisc], output, brisc_cycle)
        if cycle <= brisc_cycle:
            _emit(thread, inputs.mopcfg, output, cycle, cycle == brisc_cycle)
        return True


@part
def _next_mop(thread: Record) -> int:
    """Number of the first MOP in the FIFO; the count of arrivals if there is none."""
    number: int = thread.fifo.departures
    while number < thread.fifo.arrivals and entry(thread.fifo, number).word >> 24 != OP_MOP:
        number += 1
    return number


@part
def finish(thread: Record, inputs: Inputs, output: Record, until: int) -> None:
    """Whatever else happens before ``until``, once ``feed`` finds nothing more."""
    while _accept(thread, inputs.push, output, until):
        pass
    _configure(thread, inputs.mopcfg, output, until)
    if thread.mop_span.last < NEVER:
        number = _next_mop(thread)
        if number < thread.fifo.arrivals:
            _mop_arrives(thread, inputs.sync, output, number)
        else:
            _acknowledge(thread, inputs.sync, output, until - 1)
            _close_span(thread, output)
    _go_idle(thread, output, until)
    settle(thread.mop_state, output.mop_state, until)
    settle(thread.replay_state, output.replay_state, until)
