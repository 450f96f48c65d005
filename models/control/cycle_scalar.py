# SPDX-License-Identifier: Apache-2.0
"""Scalar unit: the one instruction in it, by the cycles since it issued (section 6)."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import NEVER, put
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import cycle_config, values
from tilepath.models.control import fields as F
from tilepath.models.control.cycle_block import FLOP_LASTS, stay_awake
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import read_gpr, state_id, write_gpr
from tilepath.models.fields import get


@part
def issue(block: Record, thread: int, cycle: int) -> None:
    """The thread's word gets the unit in ``cycle``."""
    unit = block.scalar_unit
    offered = block.gates[thread].offered
    unit.issued_in = cycle
    unit.kind = offered.kind
    unit.thread = thread
    unit.word = offered.word
    unit.origin = offered.origin
    unit.last = cycle + 1
    if values.is_two_operand(offered.kind):
        unit.last = cycle + values.two_operand_cycles(offered.word)
    elif offered.kind == Kind.REG2FLOP:
        # A write to Config may have to wait; until it is made, the end is not known.
        unit.last = NEVER if values.flop_writes_config(offered.word) else cycle + 2


@part
def available(block: Record, cycle: int) -> bool:
    """Whether the unit takes an instruction in ``cycle``: from the last one of the one in it on."""
    return cycle >= int(block.scalar_unit.last)


@part
def keeps(block: Record, thread: int, cycle: int) -> bool:
    """Whether the thread is inside an instruction that goes on after ``cycle``."""
    unit = block.scalar_unit
    return bool(unit.thread == thread and unit.issued_in < cycle < unit.last)


@part
def read(block: Record, outputs: Record, cycle: int) -> None:
    """What the instruction reads in ``cycle``, and what it will write at its end.

    Comes after ``cycle_config.enter``: what stage 0 writes in ``cycle`` must be known.
    """
    unit = block.scalar_unit
    if cycle <= unit.issued_in or cycle > unit.last:
        return
    if unit.kind == Kind.SETDMAREG:
        if get(unit.word, F.SETDMAREG_MODE) == 0:
            unit.writes_gpr = True
            unit.gpr = values.half_gpr(unit.word)
            unit.halves = values.half_mask(unit.word)
            unit.value = values.half_value(unit.word)
    elif values.is_two_operand(unit.kind):
        _add_or_multiply(block, cycle)
    elif unit.kind == Kind.REG2FLOP and cycle >= unit.issued_in + 2:
        if unit.last < NEVER:
            _flop_adc(block, outputs, cycle)
        elif not cycle_config.writes_thcon(block.config_unit, cycle):
            _flop_config(block, cycle)


@part
def _add_or_multiply(block: Record, cycle: int) -> None:
    """ADDDMAREG and MULDMAREG read A in their second cycle, B in their last but one (C22, C25)."""
    unit = block.scalar_unit
    if cycle == unit.issued_in + 2:
        unit.operand_a = read_gpr(block.state, unit.thread, get(unit.word, F.ADDDMAREG_A))
    if cycle == unit.last - 1:
        b = values.second_operand(block.state, unit.thread, unit.word)
        unit.value = values.sum_or_product(unit.kind, unit.operand_a, b)
    if cycle == unit.last:
        unit.writes_gpr = True
        unit.gpr = get(unit.word, F.ADDDMAREG_RESULT)
        unit.halves = 3


@part
def _flop_adc(block: Record, outputs: Record, cycle: int) -> None:
    """REG2FLOP to a counter (C14)."""
    unit = block.scalar_unit
    word = unit.word
    if not values.flop_writes_counter(word):
        return
    gpr = read_gpr(block.state, unit.thread, get(word, F.REG2FLOP_GPR))
    row = put(outputs.flop_adc[0], cycle, unit.origin)
    row.thread = values.flop_set(unit.thread, word)
    row.select = get(word, F.REG2FLOP_FLOP_ADC_SEL)
    row.channel = get(word, F.REG2FLOP_FLOP_CHANNEL)
    row.counter = get(word, F.REG2FLOP_FLOP_XYZW)
    row.checkpoint = get(word, F.REG2FLOP_FLOP_CR)
    row.value = values.counter_value(word, gpr)


@part
def _flop_config(block: Record, cycle: int) -> None:
    """REG2FLOP to Config is not delayed any more: read for the write at the end (C14, C15)."""
    unit = block.scalar_unit
    unit.last = cycle
    stay_awake(block, cycle + FLOP_LASTS)
    unit.writes_config = True
    unit.bank = state_id(block.state, unit.thread)
    gpr = values.flop_gpr(unit.word)
    for n in range(4 if values.flop_is_quad(unit.word) else 1):
        unit.words[n] = read_gpr(block.state, unit.thread, gpr + n)


@part
def write(block: Record, outputs: Record, cycle: int) -> None:
    """End of ``cycle``; comes after ``cycle_config.write``, whose RDCFG is older."""
    unit = block.scalar_unit
    if unit.writes_gpr:
        unit.writes_gpr = False
        row = put(outputs.gpr[unit.thread], cycle, unit.origin)
        row.gpr = unit.gpr
        row.halves = unit.halves
        row.data_ = unit.value
        write_gpr(block.state, unit.thread, unit.gpr, unit.halves, unit.value)
    if unit.writes_config:
        unit.writes_config = False
        _write_config(block, outputs.flop_write[0], cycle)


@part
def _write_config(block: Record, shown: Record, cycle: int) -> None:
    """REG2FLOP writes one word of Config, or four."""
    unit = block.scalar_unit
    quad = values.flop_is_quad(unit.word)
    index = values.flop_index(unit.word)
    row = put(shown, cycle, unit.origin)
    row.thread = unit.thread
    row.bank = unit.bank
    cycle_config.put_words(row, index, quad, unit.words)
    for n in range(4 if quad else 1):
        # one bank: words 64 to 179 are never global (C5)
        block.state.config[unit.bank, index + n] = unit.words[n]
