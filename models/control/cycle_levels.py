# SPDX-License-Identifier: Apache-2.0
"""Input levels and stream writes by date, the output levels, and when something happens next."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import Input, Rows, due, put, put_level, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.isa.boundary import NOT_KNOWN
from tilepath.models.control.cycle_block import slot
from tilepath.models.control.cycle_config import Stage
from tilepath.models.control.instructions import THREADS
from tilepath.models.control.state import FREE, MUTEXES, SEMAPHORES, wide

# Conditions 10 and 12 are made here (C17)
_GIVEN: Final = ~(1 << constants.STALL_COND_TRISC_CFG | 1 << constants.STALL_COND_CFG_PIPE)


@part
def _level(value: int, given: Input, cycle: int) -> int:
    """A level in ``cycle``, which was ``value`` before."""
    while due(given) <= cycle:
        value = take(given).value
    return value


@part
def refresh(block: Record, inputs: Rows, cycle: int) -> None:
    """Bring the levels up to ``cycle``."""
    block.hold = _level(block.hold, inputs.hold, cycle)
    block.unit_ready = _level(block.unit_ready, inputs.unit_ready, cycle)
    block.stream_busy = _level(block.stream_busy, inputs.stream_busy, cycle)
    for thread in range(THREADS):
        gate = block.gates[thread]
        gate.busy = _level(gate.busy, inputs.busy[thread], cycle) & _GIVEN


@part
def write_streams(block: Record, inputs: Rows, cycle: int) -> None:
    """Perform the writes to stream registers that show in ``cycle``: those made before."""
    while due(inputs.stream_write) < cycle:
        write, written = take(inputs.stream_write), block.stream_written
        stream, register = write.stream, write.register
        written.cycle, written.stream, written.register = write.cycle, stream, register
        written.before = block.state.stream_registers[stream, register]
        block.state.stream_registers[stream, register] = write.data_


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
def next_cycle(block: Record, inputs: Rows, cycle: int) -> int:
    """The next cycle in which anything can happen: the next one, or when an input changes."""
    if cycle < block.active_until or cycle < block.scalar_unit.last:
        return cycle + 1
    wake = min(
        due(inputs.hold),
        due(inputs.unit_ready),
        due(inputs.stream_busy),
        due(inputs.stream_write) + 1,
    )
    for thread in range(THREADS):
        wake = min(wake, due(inputs.busy[thread]))
        if not block.gates[thread].offered.valid:
            wake = min(wake, due(inputs.offer[thread]))
    # An access that is offered already waits for something that is dated, or for an input.
    if block.risc.offered > cycle:
        wake = min(wake, block.risc.offered)
    if block.risc_sem.offered > cycle:
        wake = min(wake, block.risc_sem.offered)
    return max(int(wake), cycle + 1)
