# SPDX-License-Identifier: Apache-2.0
"""Wait gates: the word that is offered, what holds it, and what its issue starts (section 3)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import Rows, due, origin, put, put_flags, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import (
    cycle_config,
    cycle_latch,
    cycle_scalar,
    cycle_sync,
    sync_values,
    values,
)
from tilepath.models.control import fields as F
from tilepath.models.control.cycle_block import ISSUE_LASTS, NOTHING, VIEWS, stay_awake
from tilepath.models.control.instructions import INSTRUCTIONS, THREADS, Fault, Kind, Resource
from tilepath.models.control.state import THREAD_WORDS, read_config, read_thread_config, state_id
from tilepath.models.fields import get

# What holds a word, by the rules of section 3
NOT_HELD: Final = 0
SCALAR_RULE: Final = 2
LATCH_RULE: Final = 3
RESOURCE_RULE: Final = 4
HOLD_RULE: Final = 5  # the other half of rule 2


@part
def take_offer(block: Record, inputs: Rows, thread: int, cycle: int) -> None:
    """The thread's next word, if it is offered in ``cycle``."""
    gate = block.gates[thread]
    if gate.offered.valid or cycle <= gate.issued_in or cycle < due(inputs.offer[thread]):
        return
    word = take(inputs.offer[thread]).word
    instruction = INSTRUCTIONS[get(word, F.OPCODE)]
    offered = gate.offered
    offered.valid = True
    offered.word = word
    offered.kind = instruction.kind
    offered.block_class = instruction.block_class
    offered.resource = _resource(instruction.resource, word)
    offered.banks = instruction.banks
    offered.origin = origin(inputs.offer[thread])


@part
def _resource(resource: int, word: int) -> int:
    """What the word asks for: which unpacker, which mutex."""
    if resource == Resource.UNPACK0 and get(word, F.UNPACKER):
        return Resource.UNPACK1
    if resource == Resource.MUTEX:
        place = sync_values.mutex_place(word)
        return Resource.MUTEX + place if place >= 0 else Resource.NONE
    return resource


@part
def holder(block: Record, thread: int, cycle: int) -> int:
    """Return which of rules 2 and 3 holds the offered word, if one does."""
    gate = block.gates[thread]
    if gate.offered.kind == Kind.ILLEGAL:
        return NOT_HELD  # rule 1 (F17)
    if cycle_scalar.keeps(block, thread, cycle):
        return SCALAR_RULE
    if (block.hold >> thread) & 1:
        return HOLD_RULE
    if gate.latch.kind and gate.offered.block_class & gate.latch.holds:
        return LATCH_RULE
    return NOT_HELD


@part
def available(block: Record, thread: int, cycle: int) -> bool:
    """Whether the resource of the thread's word is available to it in ``cycle`` (rule 4)."""
    gate = block.gates[thread]
    offered = gate.offered
    resource = offered.resource
    if resource < Resource.SCALAR:
        ready = (block.unit_ready >> resource) & 1
        return bool(ready) and gate.busy & offered.banks == 0  # M8
    if resource == Resource.SCALAR:
        return cycle_scalar.available(block, cycle)
    if resource < Resource.CONFIG:
        return cycle_sync.mutex_available(block, thread, resource - Resource.MUTEX)
    if resource == Resource.CONFIG:
        return cycle_config.available(block, offered.kind, cycle)
    return True


@part
def ask(block: Record, cycle: int) -> None:
    """Note for each thread the resource that it asks for."""
    for thread in range(THREADS):
        gate = block.gates[thread]
        gate.asks_for = NOTHING
        if (
            gate.offered.valid
            and holder(block, thread, cycle) == NOT_HELD
            and available(block, thread, cycle)
        ):
            gate.asks_for = gate.offered.resource


@part
def issue(block: Record, outputs: Record, thread: int, cycle: int) -> None:
    """The thread's word issues in ``cycle``."""
    gate = block.gates[thread]
    offered = gate.offered
    gate.issued_in = cycle
    offered.valid = False
    stay_awake(block, cycle + ISSUE_LASTS)
    put(outputs.issue[thread], cycle, offered.origin).word = offered.word
    _faults(block, outputs, thread, cycle)
    gate.result = values.result_gpr(offered.kind, offered.word)
    resource = offered.resource
    if resource < Resource.SCALAR:
        _issue_to_unit(block, outputs, thread, cycle)
    elif resource == Resource.SCALAR:
        cycle_scalar.issue(block, thread, cycle)
    elif resource == Resource.CONFIG:
        cycle_config.issue(block, thread, cycle)
    elif resource == Resource.SYNC:
        if offered.kind <= Kind.STREAMWAIT:
            cycle_latch.set_latch(block, thread, cycle)
        else:
            cycle_sync.issue(block, thread, cycle)
    elif offered.kind == Kind.ATGETM or offered.kind == Kind.ATRELM:
        cycle_sync.issue_mutex(block, thread)
    elif offered.kind == Kind.ADC:
        put(outputs.adc[thread], cycle, offered.origin).word = offered.word
    elif offered.kind == Kind.SETC16:
        _issue_setc16(block, thread, cycle)


@part
def stale_gpr(block: Record, thread: int) -> int:
    """Fault of a WRCFG right behind the scalar word that writes its register (C27)."""
    gate = block.gates[thread]
    reads = gate.offered.kind == Kind.WRCFG and gate.result >= 0
    if block.stale_gpr and reads and values.wrcfg_reads(gate.offered.word, gate.result):
        return Fault.STALE_GPR
    return 0


@part
def _faults(block: Record, outputs: Record, thread: int, cycle: int) -> None:
    """Tell the faults of the word that issues."""
    offered = block.gates[thread].offered
    faults = values.faults_of(block.state, thread, offered.kind, offered.word)
    faults |= stale_gpr(block, thread)
    if faults == 0:
        return
    put_flags(outputs.fault[thread], cycle, faults, offered.origin)
    if faults & Fault.CFG_OOB and not block.sticky.cfg_oob:
        block.sticky.cfg_oob = True
        block.sticky.origin = offered.origin


@part
def _issue_to_unit(block: Record, outputs: Record, thread: int, cycle: int) -> None:
    """The word goes to one of the six units; the first three read their configuration next."""
    offered = block.gates[thread].offered
    row = put(outputs.units[offered.resource], cycle, offered.origin)
    row.thread = thread
    row.word = offered.word
    if offered.resource < VIEWS:
        view = block.views[offered.resource]
        view.issued_in = cycle
        view.thread = thread
        view.index = offered.word & 0x1FF
        view.origin = offered.origin


@part
def _issue_setc16(block: Record, thread: int, cycle: int) -> None:
    """SETC16 writes at the end of the next cycle, by the thread's own path (C6)."""
    gate = block.gates[thread]
    index = get(gate.offered.word, F.SETC16_CFG_INDEX)
    if index < THREAD_WORDS:
        gate.setc16.issued_in = cycle
        gate.setc16.index = index
        gate.setc16.value = get(gate.offered.word, F.SETC16_VALUE)
        gate.setc16.origin = gate.offered.origin


@part
def write_setc16(block: Record, outputs: Record, cycle: int) -> None:
    """End of ``cycle``: SETC16 of the cycle before; stays over a write of the cores."""
    for thread in range(THREADS):
        write = block.gates[thread].setc16
        if write.issued_in == cycle - 1:
            row = put(outputs.setc16[thread], cycle, write.origin)
            row.index = write.index
            row.data_ = write.value
            block.state.thread_config[thread, write.index] = write.value


@part
def show_views(block: Record, outputs: Record, cycle: int) -> None:
    """What the units read in the entry cycle of a word."""
    for unit in range(VIEWS):
        view = block.views[unit]
        if view.issued_in != cycle - 1:
            continue
        row = put(outputs.views[unit], cycle, view.origin)
        row.thread = view.thread
        row.index = view.index
        if view.index < 256:
            bank = state_id(block.state, view.thread)
            row.data_ = read_config(block.state, bank, view.index)
        else:
            row.data_ = read_thread_config(block.state, view.thread, view.index - 256)
