# SPDX-License-Identifier: Apache-2.0
"""Names of the axes of points that their own names do not tell."""

from __future__ import annotations

from typing import Final

AXES: Final = {
    "gate.latched_x_block_bit_x_class": "latched block_bit class outcome",
    "gate.nop_x_block": "latched block outcome",
    "gate.block_0": "latched outcome",
    "gate.condition_x_latch": "latched condition latch",
    "gate.condition_pulse": "latched meanwhile",
    "gate.cleared_while": "latched word",
    "gate.issued_in_a_row_under_latch": "latched words",
    "gate.stallwait_condition": "condition why",
    "gate.illegal_opcode": "opcode latch",
    "gate.wait_opcode": "opcode latch",
    "gate.nop_opcode": "opcode latch",
    "gate.opcode": "opcode latch",
    "cross.setc16_banksel_x_streamwait": "cond select outcome",
    "streamwait.risc_banksel": "cond outcome",
    "streamwait.register_crosses": "cond when",
    "streamwait.top_bit": "cond outcome",
    "streamwait.bits_above_the_field": "field cond bits",
    "semwait.cond_x_value": "cond value outcome",
    "mutex.bad_index": "op index",
    "mutex.released_with_waiters": "mutex waiters",
    "config.risc_x_instruction_x_distance_x_word": "order access instruction distance word",
    "config.reg2flop_x_stateid_x_thread": "stateid thread",
    "config.gpr": "instruction gpr",
    "word.ignored_bits": "instruction bits",
    "risc.cycles_before_it_wins": "access cycles",
    "scalar.back_to_back_x_whose": "first second whose",
    "reg2flop.flop_bits_above": "target bits",
    "hazard.rdcfg_at_1_x_reader": "reader form operand",
    "arbiter.competitors_x_winner": "unit competitors winner",
    "arbiter.threads_x_winner": "unit competitors winner",
    "unit.ready_x_outcome": "unit ready outcome",
}
