# SPDX-License-Identifier: Apache-2.0
"""The account, cycle by cycle: what all parts did in a cycle, when a block of them is modelled.

``account`` has what each part knows by itself.
"""

from __future__ import annotations

from tilepath.engine.compiled.account import tell_on
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.constants import OP_MOP_CFG
from tilepath.models.frontend.account import FIFO_KINDS, MOP_CFG_TAKEN, Replaying, Told, WordKind
from tilepath.models.frontend.timing_state import MopState
from tilepath.models.frontend.untimed_replay import ReplayState


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
    if row < qstatus.count and qstatus.rows[row].cycle == cycle:
        memory.qstatus = qstatus.rows[row].value
        memory.qstatus_row = row + 1
    row = memory.ready_row
    while row + 1 < len(ready) and ready[row + 1].cycle <= cycle:
        row += 1
    memory.ready_row = row
    memory.ready = ready[row].ready


@part
def _ingest(memory: Record, output: Record) -> None:
    """A MOP or MOP_CFG leaves the FIFO."""
    word = output.ingest.rows[memory.rows.ingest].word
    memory.rows.ingest += 1
    if word >> 24 == OP_MOP_CFG:
        memory.row.ingested, memory.row.value = MOP_CFG_TAKEN, word & 0xFFFF
        memory.mop_cfgs += 1
        memory.configured = True
        return
    mop, expansion = output.account.mop.rows[memory.rows.mop], memory.expansion
    memory.rows.mop += 1
    mop.mop_cfgs, mop.configured = memory.mop_cfgs, memory.configured
    memory.mop_cfgs = 0
    expansion.template = word >> 23 & 1
    expansion.length, expansion.defect, expansion.waited = mop.length, mop.defect, mop.waited
    expansion.held = expansion.replay_at = expansion.replay_count = 0
    memory.row.ingested = 1 + expansion.template


@part
def _expander(thread: Record, output: Record, told: int) -> None:
    """What the MOP expander did."""
    memory = thread.memory
    if told & Told.INGESTED:
        _ingest(memory, output)
    if memory.mop_state == MopState.EXP and memory.m == thread.m.depth:
        memory.expansion.held = True
    if told & Told.EMITTED:
        emitted = output.account.emitted.rows[memory.rows.emitted]
        memory.rows.emitted += 1
        emitted.replay_state = memory.replay_state
        if emitted.word & 1 == 0:
            memory.expansion.replay_at = emitted.place
            memory.expansion.replay_count = emitted.word >> 4 & 63


@part
def _ports(memory: Record, account: Record, told: int) -> None:
    """BRISC, MopCfg."""
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
        write = account.write.rows[memory.rows.write]
        memory.rows.write += 1
        write.mop_state = memory.mop_state


@part
def _levels(memory: Record, cycle: int, told: int) -> None:
    """What is so, and what happens in queues, at ports and to faults."""
    row = memory.row
    row.cycle, row.cycles, row.thread = cycle, 1, memory.thread
    row.fifo, row.mops = memory.accepted - memory.popped, memory.mops
    row.head = 0 + WordKind.NONE
    if row.fifo:
        row.head = memory.kinds[memory.popped & (FIFO_KINDS - 1)]
    row.m, row.r, row.ready = memory.m, memory.r, memory.ready
    row.accepted = told >> Told.ACCEPTED_KIND & 7 if told & Told.ACCEPTED else 0 + WordKind.NONE
    row.popped = told & Told.POPPED != 0
    row.refused = (memory.stands or told & Told.OFFERED != 0) and not told & Told.ACCEPTED
    memory.stands = row.refused
    row.played = told >> Told.PLAYED_KIND & 7 if told & Told.PLAYED else 0 + WordKind.NONE
    row.issued = int(told & Told.ISSUED != 0) + int(told & Told.ILLEGAL != 0)
    row.opcode = told >> Told.OPCODE & 0xFF
    row.mop_state, row.replay_state = memory.mop_state, memory.replay_state
    row.qstatus, row.expansion = memory.qstatus, memory.expansion
    row.ingested = row.value = 0
    row.requested = told & Told.REQUESTED != 0
    row.acknowledged, row.written = told & Told.ACKNOWLEDGED != 0, told & Told.WRITTEN != 0
    row.sticky |= row.faults >> 1  # of the cycle before
    row.faults = (
        (told & Told.ILLEGAL != 0)
        | (told & Told.RACE != 0) << 1
        | (told & Told.COLLISION != 0) << 2
    )
    row.event = cycle if told & Told.EVENT or row.mop_state == MopState.TRANS else 0


@part
def _moved(memory: Record, output: Record, told: int) -> None:
    """The queues at the end of the cycle."""
    if told & Told.POPPED:
        memory.mops -= memory.kinds[memory.popped & (FIFO_KINDS - 1)] == WordKind.MOP
        memory.popped += 1
    if told & Told.ACCEPTED:
        memory.kinds[memory.accepted & (FIFO_KINDS - 1)] = memory.row.accepted
        memory.mops += memory.row.accepted == WordKind.MOP
        memory.accepted += 1
    memory.m += int(told & Told.M_IN != 0) - int(told & Told.M_OUT != 0)
    memory.r += int(told & Told.R_IN != 0) - int(told & Told.ISSUED != 0)
    if told & Told.STARTED:
        replays = output.account.replay.rows
        memory.rows.replay += replays[memory.rows.replay].ends  # that of the one before
        memory.executes = replays[memory.rows.replay].mode == Replaying.REC_EXEC
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
        _levels(memory, cycle, told)
        _expander(thread, output, told)
        if told & (Told.WRITTEN | Told.BRISC_IN):
            _ports(memory, output.account, told)
        memory.row_number = tell_on(output.account.thread, memory.row_number, memory.row)
        _moved(memory, output, told)
