# SPDX-License-Identifier: Apache-2.0
"""The account, cycle by cycle: what all parts did in a cycle, when a block of them is modelled.

``timing_account`` has what each part knows by itself.
"""

from __future__ import annotations

from typing import Final

from tilepath.isa.constants import OP_MOP_CFG
from tilepath.models.frontend.account import FIFO_KINDS, Event, Replaying, WordKind
from tilepath.models.frontend.timing_account import Told, new_row
from tilepath.models.frontend.timing_state import MopState
from tilepath.models.frontend.untimed_replay import ReplayState
from tilepath.models.jit import compiled, part
from tilepath.models.records import Record, Records

_EVENTS: Final = len(Event)


@part
def _shown(memory: Record, output: Record, ready: Records, cycle: int) -> None:
    """Bring the levels to ``cycle``."""
    status, qstatus = output.status, output.qstatus
    row = memory.status_row
    if row < status.count and status.rows[row].cycle == cycle:
        memory.mop_state = status.rows[row].mop_state
        memory.replay_state = status.rows[row].replay_state
        if memory.replay_state == ReplayState.REC and memory.executes:
            memory.replay_state = Replaying.REC_EXEC
        memory.status_row = row + 1
    row = memory.qstatus_row
    memory.qstatus_before = memory.qstatus
    if row < qstatus.count and qstatus.rows[row].cycle == cycle:
        memory.qstatus = qstatus.rows[row].value
        memory.qstatus_row = row + 1
    row = memory.ready_row
    while row + 1 < len(ready) and ready[row + 1].cycle <= cycle:
        row += 1
    memory.ready_row = row
    memory.ready = ready[row].ready


@part
def _penalty(thread: Record, output: Record, cycle: int, mop: bool, ingested: bool) -> None:
    memory = thread.memory
    row = new_row(thread, output.account.penalty, cycle)
    row.mop, row.ingested = mop, ingested
    row.m, row.replay_state = memory.m, memory.replay_state


@part
def _trans(thread: Record, output: Record, cycle: int, told: int, head: int) -> None:
    """A cycle in TRANS; or one after a cycle that was lost to it."""
    memory = thread.memory
    if memory.lost:
        memory.lost = False
        _penalty(thread, output, cycle, False, False)
    if memory.mop_state != MopState.TRANS:
        return
    row = new_row(thread, output.account.trans, cycle)
    row.length, row.template, row.defect = memory.length_of_mop, memory.template, memory.defect
    row.replay_at, row.replay_count = memory.replay_at, memory.replay_count
    row.waited, row.held = memory.waited_mop, memory.held
    row.head, row.m, row.r = head, memory.m, memory.r
    row.leaves = memory.ready != 0 or told & Told.ISSUED != 0
    if head == WordKind.MOP:
        _penalty(thread, output, cycle, True, told & Told.INGESTED != 0)
    elif head != WordKind.NONE:
        memory.lost = True


@part
def _ingest(thread: Record, output: Record, cycle: int) -> int:
    """A MOP or MOP_CFG leaves the FIFO; returns the template, -1 of a MOP_CFG."""
    memory = thread.memory
    word = output.ingest.rows[memory.rows.ingest].word
    memory.rows.ingest += 1
    if word >> 24 == OP_MOP_CFG:
        row = new_row(thread, output.account.mop_cfg, cycle)
        row.value = word & 0xFFFF
        row.after = memory.after
        memory.after = -1
        memory.mop_cfgs += 1
        memory.configured = True
        return -1
    mop = output.account.mop.rows[memory.rows.mop]
    memory.rows.mop += 1
    mop.mop_cfgs = memory.mop_cfgs
    mop.configured = memory.configured
    memory.mop_cfgs = 0
    memory.after = memory.template = word >> 23 & 1
    memory.length_of_mop = mop.length
    memory.defect = mop.defect
    memory.waited_mop = mop.waited
    memory.held = False
    memory.replay_at = 0
    template: int = memory.template
    return template


@part
def _expander(thread: Record, output: Record, cycle: int, told: int, head: int) -> int:
    """What the MOP expander did; returns the template of a MOP that it ingested, or -1."""
    memory = thread.memory
    template = -1
    if memory.lost or memory.mop_state == MopState.TRANS:
        _trans(thread, output, cycle, told, head)
    if told & Told.INGESTED:
        template = _ingest(thread, output, cycle)
    elif told & Told.POPPED:
        memory.after = -1
    if memory.mop_state == MopState.EXP and memory.m == thread.m.depth:
        memory.held = True
    if told & Told.EMITTED:
        emitted = output.account.emitted.rows[memory.rows.emitted]
        memory.rows.emitted += 1
        emitted.replay_state = memory.replay_state
        if emitted.word & 1 == 0:
            memory.replay_at = emitted.place
            memory.replay_count = emitted.word >> 4 & 63
    return template


@part
def _near(thread: Record, output: Record, cycle: int, told: int, template: int) -> None:
    """Writes to MopCfg close to other events."""
    memory, near = thread.memory, output.account.near
    happens = (
        template == 0,
        template == 1,
        told & Told.REQUESTED != 0,
        told & Told.ACKNOWLEDGED != 0,
    )
    for event in range(_EVENTS):
        for distance in range(-1, 2):
            write = memory.written == cycle - 1 if distance < 0 else told & Told.WRITTEN != 0
            other = memory.events[event] == cycle - 1 if distance > 0 else happens[event]
            if write and other:
                row = new_row(thread, near, cycle)
                row.event, row.distance = event, distance
        if happens[event]:
            memory.events[event] = cycle


@part
def _ports(thread: Record, output: Record, cycle: int, told: int, accepted: int) -> None:
    """mop_sync, BRISC, MopCfg."""
    memory, account = thread.memory, output.account
    for acknowledged in range(2):
        if told & (Told.ACKNOWLEDGED if acknowledged else Told.REQUESTED):
            if not acknowledged:
                memory.asked = cycle
            row = new_row(thread, account.sync, cycle)
            row.acknowledged = acknowledged
            row.waited = cycle - memory.asked
            row.mop_state = memory.mop_state
            row.queued, row.accepted = memory.mops, accepted
    if told & Told.BRISC_IN:
        brisc = account.brisc.rows[memory.rows.brisc]
        memory.rows.brisc += 1
        brisc.mop_state, brisc.replay_state = memory.mop_state, memory.replay_state
        brisc.lost = 0
        if told & Told.COLLISION:
            brisc.lost = 1
            if told & Told.INGESTED:
                brisc.lost = 2
            elif memory.mop_state == MopState.EXP:
                brisc.lost = 3
    if told & Told.WRITTEN:
        memory.written = cycle
        write = account.write.rows[memory.rows.write]
        memory.rows.write += 1
        write.mop_state = memory.mop_state


@part
def _faults(thread: Record, output: Record, cycle: int, told: int) -> None:
    """Faults of the cycle; those that stick show from the next on."""
    memory = thread.memory
    if memory.pulsed != memory.sticky:
        memory.sticky = memory.pulsed
        shown = new_row(thread, output.account.sticky, cycle)
        shown.faults = memory.sticky
    if told & (Told.ILLEGAL | Told.RACE | Told.COLLISION):
        row = new_row(thread, output.account.fault, cycle)
        stick = (told & Told.RACE != 0) | (told & Told.COLLISION != 0) << 1
        row.faults = (told & Told.ILLEGAL != 0) | stick << 1
        row.opcode = told >> Told.OPCODE & 0xFF
        row.ready = memory.ready
        memory.pulsed |= stick


@part
def _stretches(thread: Record, output: Record, cycle: int, told: int, accepted: int) -> None:
    """Go on with the rows of what stays as it is, or begin new ones."""
    memory, account = thread.memory, output.account
    fifo = memory.accepted - memory.popped
    popped = told & Told.POPPED != 0
    refused = (memory.stands or told & Told.OFFERED != 0) and not told & Told.ACCEPTED
    memory.stands = refused
    played = told >> Told.PLAYED_KIND & 7 if told & Told.PLAYED else 0 + WordKind.NONE
    issued = int(told & Told.ISSUED != 0) + int(told & Told.ILLEGAL != 0)
    whole = fifo | memory.m << 6 | memory.r << 12 | accepted << 18 | popped << 21 | refused << 22
    whole |= memory.replay_state << 23 | played << 25 | memory.ready << 28 | issued << 29
    if whole == memory.queues:
        account.queues.rows[account.queues.count - 1].cycles += 1
    else:
        memory.queues = whole
        row = new_row(thread, account.queues, cycle)
        row.cycles = 1
        row.fifo, row.m, row.r = fifo, memory.m, memory.r
        row.accepted, row.popped, row.refused = accepted, popped, refused
        row.replay_state, row.played = memory.replay_state, played
        row.ready, row.issued = memory.ready, issued
    whole = memory.qstatus | memory.mop_state << 32 | memory.replay_state << 34
    if whole == memory.states:
        account.states.rows[account.states.count - 1].cycles += 1
    else:
        memory.states = whole
        state = new_row(thread, account.states, cycle)
        state.cycles = 1
        state.qstatus = memory.qstatus
        state.fallen = memory.qstatus_before & ~memory.qstatus
        state.mop_state, state.replay_state = memory.mop_state, memory.replay_state


@part
def _moved(memory: Record, output: Record, told: int, accepted: int) -> None:
    """The queues at the end of the cycle."""
    if told & Told.POPPED:
        memory.mops -= memory.kinds[memory.popped & (FIFO_KINDS - 1)] == WordKind.MOP
        memory.popped += 1
    if told & Told.ACCEPTED:
        memory.kinds[memory.accepted & (FIFO_KINDS - 1)] = accepted
        memory.mops += accepted == WordKind.MOP
        memory.accepted += 1
    memory.m += int(told & Told.M_IN != 0) - int(told & Told.M_OUT != 0)
    memory.r += int(told & Told.R_IN != 0) - int(told & Told.ISSUED != 0)
    if told & Told.STARTED:
        memory.executes = output.account.replay.rows[memory.rows.replay].mode == Replaying.REC_EXEC
        memory.rows.replay += 1


@compiled
def walk(threads: Records, outputs: Records, ready: Records, until: int) -> None:
    """Write what is known of each cycle of the block when all parts have modelled it."""
    thread, output = threads[0], outputs[0]
    memory = thread.memory
    for place in range(until - output.first):
        cycle, told = output.first + place, output.told[place]
        output.told[place] = 0
        _shown(memory, output, ready, cycle)
        accepted = told >> Told.ACCEPTED_KIND & 7 if told & Told.ACCEPTED else 0 + WordKind.NONE
        head = 0 + WordKind.NONE
        if memory.accepted > memory.popped:
            head = memory.kinds[memory.popped & (FIFO_KINDS - 1)]
        template = _expander(thread, output, cycle, told, head)
        if template >= 0 or told & (Told.REQUESTED | Told.ACKNOWLEDGED | Told.WRITTEN):
            _near(thread, output, cycle, told, template)
        if told & (Told.REQUESTED | Told.ACKNOWLEDGED | Told.WRITTEN | Told.BRISC_IN):
            _ports(thread, output, cycle, told, accepted)
        if memory.pulsed != memory.sticky or told & (Told.ILLEGAL | Told.RACE | Told.COLLISION):
            _faults(thread, output, cycle, told)
        _stretches(thread, output, cycle, told, accepted)
        _moved(memory, output, told, accepted)
