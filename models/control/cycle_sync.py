# SPDX-License-Identifier: Apache-2.0
"""Sync unit: semaphores, mutexes, and the cores' semaphore port (section 5)."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Rows, due, look, origin, put, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values
from tilepath.models.control.cycle_block import CHANGE_LASTS, stay_awake
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import FREE, SEMAPHORES


@part
def issue(block: Record, thread: int, cycle: int) -> None:
    """The thread's SEMINIT, SEMPOST or SEMGET gets the unit in ``cycle``."""
    offered = block.gates[thread].offered
    operation = block.sync_unit.operation
    operation.issued_in = cycle
    operation.kind = offered.kind
    operation.word = offered.word
    operation.of_cores = False
    operation.thread = thread
    operation.origin = offered.origin


@part
def ask_access(block: Record, inputs: Rows, outputs: Record, cycle: int) -> None:
    """Note whether the cores' semaphore write asks for the unit; a read is answered at once."""
    port = block.risc_sem
    port.asks = False
    if port.offered > cycle or cycle <= port.done_in:
        return
    if look(inputs.risc_sem).write:
        port.asks = True
        return
    access = _take(block, inputs, cycle)
    row = put(outputs.risc_sem_done[0], cycle, origin(inputs.risc_sem))
    row.data_ = block.state.semaphores[access.index].value


@part
def issue_access(block: Record, inputs: Rows, cycle: int) -> None:
    """The cores' semaphore write gets the unit in ``cycle``."""
    access = _take(block, inputs, cycle + 1)
    operation = block.sync_unit.operation
    operation.issued_in = cycle
    operation.kind = Kind.SEMGET if access.get else Kind.SEMPOST
    operation.word = 1 << (access.index + F.SEM_MASK.lsb)  # as the instruction's mask
    operation.of_cores = True
    operation.origin = origin(inputs.risc_sem)


@part
def _take(block: Record, inputs: Rows, done_in: int) -> Record:
    """The cores' access, which is over in ``done_in``."""
    access = take(inputs.risc_sem)
    block.risc_sem.offered = due(inputs.risc_sem)
    block.risc_sem.done_in = done_in
    stay_awake(block, done_in + CHANGE_LASTS)
    return access


@part
def write(block: Record, outputs: Record, cycle: int) -> None:
    """End of ``cycle``: the operation that won in the cycle before."""
    unit = block.sync_unit
    operation = unit.operation
    if operation.issued_in != cycle - 1:
        return
    lost = sync_values.loses(block.state, operation.kind, operation.word, Kind.NOP, 0)
    for number in range(SEMAPHORES if operation.kind == Kind.SEMPOST else 0):
        unit.lost[number] += lost >> number & 1
    if sync_values.change_semaphores(block.state, operation.kind, operation.word):
        unit.semaphores_changed = True
        unit.semaphores_origin = operation.origin
    if operation.of_cores:
        put(outputs.risc_sem_done[0], cycle, operation.origin).data_ = 0
        if lost:
            put(outputs.risc_sem_fault[0], cycle, operation.origin).sem_lost = 1


@part
def mutex_available(block: Record, thread: int, place: int) -> bool:
    """Whether a mutex is free, or the thread's own already."""
    return block.state.mutex_owners[place] in (FREE, thread)


@part
def issue_mutex(block: Record, thread: int) -> None:
    """The thread's ATGETM or ATRELM issues: the mutex changes at the end of the cycle."""
    offered = block.gates[thread].offered
    place = sync_values.mutex_place(offered.word)
    if place < 0:
        return
    owner = sync_values.mutex_owner_after(block.state, thread, offered.kind, place)
    if owner != block.state.mutex_owners[place]:
        block.state.mutex_owners[place] = owner
        block.sync_unit.mutexes_changed = True
        block.sync_unit.mutexes_origin = offered.origin
