# SPDX-License-Identifier: Apache-2.0
"""Untimed: what a MOP word becomes, by the two templates of the MOP expander (F1 to F10).

An expansion is written down as the pattern of one pass, which repeats. Arrays and records here are
those of :data:`MOP_EXPANDER`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.constants import OP_MOP, OP_MOP_CFG, OP_NOP
from tilepath.models.fields import wide
from tilepath.models.frontend.untimed_replay import REPLAY_EXPANDER

CONFIG_REGISTERS: Final = 9
LONGEST_PATTERN: Final = 128 * 5  # template 0: 128 iterations of five words (F4)
LOOP_DEFECT: Final = 128  # passes more than there should be (F3)

MOP_EXPANDER: Final = record(
    mop_cfg=(np.uint32, CONFIG_REGISTERS),
    mask_hi=np.int64,  # 16 bits, as the last MOP_CFG left it (F8)
    # The expansion of the MOP ingested last: pass after pass of the pattern,
    pattern=(np.uint32, LONGEST_PATTERN),
    pattern_length=np.int64,
    passes=np.int64,
    # but in one place of the last pass another word
    last_place=np.int64,  # -1: in none
    last_word=np.uint32,
    # What is next, and how many words are left
    next_pass=np.int64,
    next_place=np.int64,
    words_left=np.int64,
)

NO_WORD: Final = -1

THREAD: Final = record(
    mop=MOP_EXPANDER,
    replay=REPLAY_EXPANDER,
    next_word=np.int64,  # of the program
    next_write=np.int64,
    finished=np.bool_,  # nothing of the program is left
)


@part
def is_nop(word: int) -> bool:
    """Whether ``word`` counts as a NOP: by its opcode alone, DMANOP and SFPNOP do not (F3, F10)."""
    return word >> 24 == OP_NOP


@part
def _template0(expander: Record, word: int) -> int:
    """Mask loop, written out as a single pass; returns its length."""
    mop_cfg = expander.mop_cfg
    pattern = expander.pattern
    mask = (expander.mask_hi << 16) | (word & 0xFFFF)  # F8
    has_b = mop_cfg[1] & 1 != 0  # F2
    has_a123 = mop_cfg[1] & 2 != 0
    insn_b, insn_a0 = mop_cfg[2], mop_cfg[3]
    insn_a1, insn_a2, insn_a3 = mop_cfg[4], mop_cfg[5], mop_cfg[6]
    skip_a0, skip_b = mop_cfg[7], mop_cfg[8]
    length = 0
    for _ in range(((word >> 16) & 127) + 1):
        if mask & 1:
            pattern[length] = skip_a0
            length += 1
            if has_b:
                pattern[length] = skip_b
                length += 1
        else:
            pattern[length] = insn_a0
            length += 1
            if has_a123:
                pattern[length] = insn_a1
                pattern[length + 1] = insn_a2
                pattern[length + 2] = insn_a3
                length += 3
            if has_b:
                pattern[length] = insn_b
                length += 1
        mask >>= 1  # zeros come in: iterations beyond 31 unpack (F1)
    expander.pattern_length = length
    expander.passes = 1
    expander.last_place = -1
    return length


@part
def _template1(expander: Record) -> int:
    """Double loop, whose pattern is one outer pass that is not the last; returns its length.

    Counts come from MopCfg alone (F6).
    """
    mop_cfg = expander.mop_cfg
    pattern = expander.pattern
    outer_count = mop_cfg[0] & 127
    inner_count = mop_cfg[1] & 127
    start_op, end_op0, end_op1 = mop_cfg[2], mop_cfg[3], mop_cfg[4]
    loop_op, loop_op1 = mop_cfg[5], mop_cfg[6]
    loop0_last, loop1_last = mop_cfg[7], mop_cfg[8]
    if is_nop(loop_op1):
        loop_op1 = loop_op
    else:
        inner_count *= 2  # F4
    if outer_count == 1 and is_nop(start_op) and inner_count == 0 and not is_nop(end_op0):
        outer_count += LOOP_DEFECT  # the defect of the loop count (F3)
    length = 0
    if not is_nop(start_op):
        pattern[length] = start_op
        length += 1
    # A doubled count is even: every outer pass begins with LoopOp again (F5).
    for iteration in range(inner_count):
        pattern[length + iteration] = loop_op1 if iteration & 1 else loop_op
    length += inner_count
    expander.last_place = -1
    if inner_count > 0:
        # The last iteration is overridden, in the last outer pass by another word (F5).
        pattern[length - 1] = loop1_last
        expander.last_place = length - 1
        expander.last_word = loop0_last
    if not is_nop(end_op0):
        pattern[length] = end_op0
        length += 1
        if not is_nop(end_op1):  # left out with EndOp0 (F10)
            pattern[length] = end_op1
            length += 1
    expander.pattern_length = length
    expander.passes = outer_count
    total: int = length * outer_count
    return total


@part
def prepare(expander: Record, word: int) -> int:
    """Lay out the expansion of MOP ``word`` from MopCfg and MaskHi; returns its length.

    0 to 32639 words (F4). What they are is settled here: later writes do not change it (F7), and
    MOP and MOP_CFG words among them are words like others (F9).
    """
    expander.next_pass = 0
    expander.next_place = 0
    # Template 0 always has iteration 0, so only template 1 can be empty.
    length = _template1(expander) if word & 0x800000 else _template0(expander, word)
    expander.words_left = length
    return length


@part
def next_word(expander: Record) -> int:
    """The next word of the expansion; there must be one left."""
    place = expander.next_place
    word: int = expander.pattern[place]
    if place == expander.last_place and expander.next_pass + 1 == expander.passes:
        word = expander.last_word
    place += 1
    if place == expander.pattern_length:
        place = 0
        expander.next_pass += 1
    expander.next_place = place
    expander.words_left -= 1
    return word


@part
def next_expanded(thread: Record, words: npt.NDArray[np.uint32], behind: bool) -> int:
    """The next word of a MOP that is under way, or what the program's next one leaves as.

    ``NO_WORD`` where that is a MOP, whose words come then, or a MOP_CFG. ``behind`` the expander
    both are words like others (F9, F18).
    """
    mop = thread.mop
    if mop.words_left > 0:
        return wide(next_word(mop))
    word = wide(words[thread.next_word])
    thread.next_word += 1
    opcode = word >> 24
    if behind or (opcode != OP_MOP and opcode != OP_MOP_CFG):
        return word
    if opcode == OP_MOP:
        prepare(mop, word)
    else:
        mop.mask_hi = word & 0xFFFF  # F8
    return NO_WORD
