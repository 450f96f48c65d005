# SPDX-License-Identifier: Apache-2.0
"""Input levels and stream writes by date, the output levels, and when something happens next."""

from __future__ import annotations

from tilepath.isa.boundary import NOT_KNOWN
from tilepath.models.control.cycle_block import slot
from tilepath.models.control.cycle_config import Stage
from tilepath.models.control.cycle_streams import Events, Inputs, use_row
from tilepath.models.control.instructions import THREADS
from tilepath.models.control.state import FREE, MUTEXES, SEMAPHORES, wide
from tilepath.models.jit import part
from tilepath.models.kernel_io import put, put_level
from tilepath.models.records import Record


@part
def refresh(level: Record, rows: Events, cycle: int) -> None:
    """Bring a level up to ``cycle``."""
    changes = level.changes
    while changes.cycle <= cycle:
        level.level = rows[changes.row]["value"]
        use_row(changes, rows)


@part
def write_streams(block: Record, inputs: Inputs, cycle: int) -> None:
    """Perform the writes to stream registers that show in ``cycle``: those made before."""
    writes = block.stream_writes
    while writes.cycle < cycle:
        write = inputs.stream_write[writes.row]
        stream, register, written = write["stream"], write["register"], block.stream_written
        written.cycle, written.stream, written.register = writes.cycle, stream, register
        written.before = block.state.stream_registers[stream, register]
        block.state.stream_registers[stream, register] = write["data"]
        use_row(writes, inputs.stream_write)


@part
def show_state(block: Record, outputs: Record, cycle: int) -> None:
    """Semaphores, mutexes and sticky faults, if they are different from ``cycle`` on."""
    unit = block.sync_unit
    if unit.semaphores_changed:
        unit.semaphores_changed = False
        _show_semaphores(block, outputs.semaphores[0], cycle)
    if unit.mutexes_changed:
        unit.mutexes_changed = False
        _show_mutexes(block, outputs.mutexes[0], cycle)
    sticky = block.sticky
    if sticky.cfg_oob and not sticky.shown:
        sticky.shown = True
        put(outputs.sticky[0], cycle, sticky.origin).cfg_oob = 1


@part
def _show_semaphores(block: Record, shown: Record, cycle: int) -> None:
    value = 0
    maximum = 0
    for number in range(SEMAPHORES):
        semaphore = block.state.semaphores[number]
        value |= wide(semaphore.value) << (4 * number)
        maximum |= wide(semaphore.maximum) << (4 * number)
    row = put(shown, cycle, block.sync_unit.semaphores_origin)
    row.value = value
    row.max_ = maximum


@part
def _show_mutexes(block: Record, shown: Record, cycle: int) -> None:
    value = 0
    for place in range(len(MUTEXES)):
        owner = wide(block.state.mutex_owners[place])
        if owner != FREE:
            value |= (1 | owner << 1) << (3 * place)
    if value != block.sync_unit.mutexes_shown:
        block.sync_unit.mutexes_shown = value
        put_level(shown, cycle, value, block.sync_unit.mutexes_origin)


@part
def show_units(block: Record, outputs: Record, cycle: int) -> None:
    """What is in the config unit and in the scalar unit in ``cycle``."""
    config = block.config_unit
    stages = config.stages[slot(cycle)] | (Stage.PREPARE if config.prepare.valid else 0)
    if stages != config.shown:
        config.shown = stages
        entered = config.entry.issued_in == cycle - 1
        by = config.entry.origin if entered else NOT_KNOWN
        put(outputs.config_pipe[0], cycle, by).stages = stages
    scalar = block.scalar_unit
    busy = scalar.issued_in < cycle <= scalar.last
    now = 1 | scalar.thread << 1 if busy else 0
    if now != scalar.shown:
        scalar.shown = now
        row = put(outputs.scalar[0], cycle, scalar.origin)
        row.busy = now & 1
        row.thread = now >> 1


@part
def next_cycle(block: Record, cycle: int) -> int:
    """The next cycle in which anything can happen: the next one, or when an input changes."""
    if cycle < block.active_until or cycle < block.scalar_unit.last:
        return cycle + 1
    wake = min(
        block.hold.changes.cycle,
        block.unit_ready.changes.cycle,
        block.stream_busy.changes.cycle,
        block.stream_writes.cycle + 1,
    )
    for thread in range(THREADS):
        gate = block.gates[thread]
        wake = min(wake, gate.busy.changes.cycle)
        if not gate.offered.valid:
            wake = min(wake, gate.offers.cycle)
    # An access that is offered already waits for something that is dated, or for an input.
    if block.risc.accesses.cycle > cycle:
        wake = min(wake, block.risc.accesses.cycle)
    if block.risc_sem.accesses.cycle > cycle:
        wake = min(wake, block.risc_sem.accesses.cycle)
    return max(int(wake), cycle + 1)
