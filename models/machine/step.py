# SPDX-License-Identifier: Apache-2.0
"""One word of a thread takes effect: which unit executes it, and what comes of it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part, shared
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants, tables
from tilepath.models.adc import untimed_commands
from tilepath.models.adc.untimed_state import OPCODES as ADC
from tilepath.models.control.instructions import INSTRUCTIONS
from tilepath.models.control.instructions import OPCODES as CONTROL
from tilepath.models.control.untimed import execute_word as execute_control
from tilepath.models.machine.hazards import BEGINS, is_scalar
from tilepath.models.machine.hazards import look as look_closer
from tilepath.models.machine.state import L1, Told, tell, tell_faults, unpackers
from tilepath.models.machine.waits import NOTHING, awaited_by_matrix
from tilepath.models.pack.instruction_walk import Memory
from tilepath.models.pack.untimed import OPCODES as PACK
from tilepath.models.pack.untimed import Inputs
from tilepath.models.pack.untimed import execute_word as execute_pack
from tilepath.models.standin.files import Files
from tilepath.models.standin.plan import OPCODES as MATRIX
from tilepath.models.standin.plan import Sampled
from tilepath.models.standin.untimed import execute_word as execute_matrix
from tilepath.models.unpack.plan import is_overlay
from tilepath.models.unpack.settings import MISC_CFG
from tilepath.models.unpack.untimed import CONTEXT_RESETS
from tilepath.models.unpack.untimed import OPCODES as UNPACK
from tilepath.models.unpack.untimed_words import execute_word as execute_unpack

_SFPU: Final = 1 << constants.CLS_SFPU
_NOBODY: Final = -1


def _units() -> npt.NDArray[np.int64]:
    units = np.full(256, _NOBODY)
    for opcodes, unit in (
        (CONTROL, Told.CONTROL),
        (ADC, Told.ADC),
        (UNPACK, Told.UNPACK),
        (PACK, Told.PACK),
        (MATRIX, Told.MATRIX),
        ((constants.OP_SETC16,), Told.CONTROL),
        (np.flatnonzero(tables.must_not_issue()), Told.ILLEGAL),
        (np.flatnonzero(np.array(tables.block_class()) & _SFPU), Told.VECTOR),
    ):
        units[np.array(list(opcodes))] = unit
    return units


UNITS: Final = _units()
"""By opcode what it is that tells of the words' faults."""


@part
def look(its: Record, thread: int, word: int) -> None:
    """Tell the hazards of a word that is about to be executed."""
    opcode = word >> 24
    begins = BEGINS[opcode] or its.hazards[thread].armed
    if begins or (its.watches_results and is_scalar(INSTRUCTIONS[opcode].kind)):
        look_closer(its, thread, word)


@shared
def execute(its: Record, l1: L1, thread: int, word: int) -> None:
    """Execute a word; there must be room for what it tells."""
    look(its, thread, word)
    unit = UNITS[word >> 24]
    if unit == Told.ADC:
        execute_adc(its, thread, word)
    elif unit == Told.CONTROL:
        _control(its, thread, word)
    elif unit == Told.UNPACK:
        _unpack(its, l1, thread, word)
    elif unit == Told.MATRIX:
        calculate_matrix(its, thread, word)
    elif unit == Told.PACK:
        _pack(its, l1, thread, word)
    elif unit == Told.ILLEGAL:
        tell(its, Told.ILLEGAL, thread, word)
    elif unit == Told.VECTOR:
        tell(its, Told.VECTOR, thread, word, 1)


@part
def is_only_adc(its: Record, thread: int, word: int) -> bool:
    """Whether ``execute_adc`` is all that there is to a word."""
    return bool(UNITS[word >> 24] == Told.ADC and not its.hazards[thread].armed)


@part
def execute_adc(its: Record, thread: int, word: int) -> None:
    """A word of the address counters takes effect."""
    bits = untimed_commands.execute(its.counters[0], thread, word)
    tell_faults(its, Told.ADC, thread, word, bits)


@part
def _control(its: Record, thread: int, word: int) -> None:
    effect = its.effect[0]
    if execute_control(its.control, its.effect, thread, word):
        if effect.waits:
            tell(its, Told.WAIT_NOT_MET, thread, word)
        if effect.writes_counter:
            untimed_commands.flop(its.counters[0], effect.flop)
        tell_faults(its, Told.CONTROL, thread, word, effect.faults)
    if word >> 24 == constants.OP_SETC16 and (word >> 16) & 0xFF == MISC_CFG:  # U6
        for unit in range(2):
            if word & CONTEXT_RESETS[unit]:
                its.unpack[0].pointers[unit].context[thread] = 0


@part
def _unpack(its: Record, l1: L1, thread: int, word: int) -> None:
    if execute_unpack(unpackers(its, l1), thread, word):
        tell_unpack(its, its.unpack[0].plan, thread, word)
    its.work += its.unpack[0].plan.source.count


@part
def tell_unpack(its: Record, plan: Record, thread: int, word: int) -> None:
    """Tell what came of a word of an unpacker."""
    result, unit = its.unpack[0].result, (word >> 23) & 1
    if result.not_met:
        tell(its, Told.WAIT_NOT_MET, thread, word)
    if is_overlay(plan):
        tell(its, Told.OVERLAY, thread, word, unit, plan.stream, plan.clear_count)
    if result.sets_register:
        tell(its, Told.SETREG, thread, word, unit, result.address, result.value)
    tell_faults(its, Told.UNPACK, thread, word, plan.faults)
    tell_faults(its, Told.UNPACK_READ, thread, word, result.read_faults)
    tell_faults(its, Told.UNPACK_WRITE, thread, word, result.write_faults)


@part
def _pack(its: Record, l1: L1, thread: int, word: int) -> None:
    told = execute_pack(its.pack, its.walk, packers(its), memory_of(its, l1), thread, word)
    tell_pack(its, told, thread, word)


@part
def packers(its: Record) -> Inputs:
    """What the packers sample."""
    state = its.control[0]
    return Inputs(state.config, state.thread_config, its.counters, its.update)


@part
def memory_of(its: Record, l1: L1) -> Memory:
    """What the packers read and write."""
    registers = its.unpack[0].registers
    return Memory(registers.dst, registers.valid, l1.reshape((len(l1) // 4, 4)))


@part
def tell_pack(its: Record, told: int, thread: int, word: int) -> None:
    """Tell what came of a word of the packers."""
    if told:
        if told >> 62:
            walk = its.walk[0]
            tell(its, Told.PACK_SETREG, thread, word, walk.address, walk.written)
        tell_faults(its, Told.PACK, thread, word, told & ~(1 << 62))


@part
def calculate_matrix(its: Record, thread: int, word: int) -> None:
    """A word of the Matrix Unit takes effect; it is told if its bank is not there."""
    state, registers = its.control[0], its.unpack[0].registers
    if awaited_by_matrix(its, word) != NOTHING:
        tell(its, Told.WAIT_NOT_MET, thread, word)
    sampled = Sampled(
        state.config,
        state.thread_config,
        its.rwc,
        registers.owner,
        registers.implied,
        its.unpack[0].matrix_bank,
        its.unpack[0].pointers["bank"],
    )
    files = Files(registers.src[0], registers.src[1], registers.dst, registers.valid)
    faults = execute_matrix(its.matrix, sampled, files, registers.stale, thread, word)
    tell_faults(its, Told.MATRIX, thread, word, faults)
    if word >> 24 == constants.OP_CLREXPHIST:  # for the packers to do (M29)
        its.pack[0].bins[:] = 0
        its.pack[0].maximum[:] = 0
