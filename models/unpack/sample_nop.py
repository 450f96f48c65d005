# SPDX-License-Identifier: Apache-2.0
"""UNPACR_NOP in its two encodings (section 7; U1, U2, U57 to U62)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.unpack.faults import Flag
from tilepath.models.unpack.plan import Kind
from tilepath.models.unpack.settings import Sampled, read

# Bits that forms of the instruction name
_UNIT: Final = 1 << 23
_COUNT11: Final = 0x7FF << 4
_STREAM: Final = 0x3F << 16
_SELECT: Final = 1 << 22

_ALL_ONES: Final = 0x7FFFF
_ONES: Final = (0x0000F, 0x0007F, 0x00110, 0)  # the number 1, by [7:6]


@part
def _hand_over(settings: Record, plan: Record, sampled: Sampled) -> None:
    plan.flips = 1
    plan.new_bank = 1 - plan.bank
    fields = settings.fields[plan.unit]
    plan.new_row = 16 * read(sampled.thread_config, plan.thread, fields.set_base)
    plan.target.out_format = read(sampled.config, plan.state, fields.out_format)


@part
def _overlay(settings: Record, plan: Record, sampled: Sampled, count: int) -> None:
    """OverlayClear; with a count the word names the stream (U60)."""
    plan.kind = Kind.OVERLAY_EXPLICIT if plan.word & 3 else Kind.OVERLAY
    plan.clear_count = count
    if count:
        plan.stream = (plan.word >> 16) & 63
    else:
        clear_stream = settings.fields[plan.unit].clear_stream
        plan.stream = read(sampled.thread_config, plan.thread, clear_stream)


@part
def _setreg(plan: Record) -> None:
    word = plan.word
    plan.kind = Kind.SETREG
    plan.accumulate = (word >> 3) & 1
    plan.reg_value = (word >> 4) & 0x7FF
    plan.reg_offset = ((word >> 16) & 63) << 12
    plan.reg_select = (word >> 22) & 1


@part
def _sample_wh(settings: Record, plan: Record, sampled: Sampled) -> int:
    """Returns the bits that the form names."""
    word = plan.word
    mode = word & 7
    if mode & 3 == 1:
        plan.kind = Kind.ZEROSRC
        plan.both_banks = (word >> 3) & 1
        plan.wait_unpacr = (word >> 4) & 1
        if (word >> 2) & 1:
            if plan.unit == 0 or settings.neginf_srcb:
                plan.clear_value = _ALL_ONES
            else:
                plan.faults |= Flag.NEGINF_SRCB
        return 0x1F
    if mode == 0:
        _overlay(settings, plan, sampled, 0)
    elif mode == 3:
        _overlay(settings, plan, sampled, (word >> 4) & 0x7FF)
        return 7 | _COUNT11 | _STREAM
    elif mode == 4:
        _setreg(plan)
        return 15 | _COUNT11 | _STREAM | _SELECT
    elif mode == 7:
        plan.kind = Kind.SETDVALID
        _hand_over(settings, plan, sampled)
    else:
        plan.kind = Kind.NOP
        if mode == 6:
            plan.kind = Kind.RESERVED
            plan.faults |= Flag.NOP_RESERVED
    return 7


@part
def _zerosrc_bh(settings: Record, plan: Record, sampled: Sampled) -> None:
    word = plan.word
    plan.kind = Kind.ZEROSRC
    plan.both_banks = (word >> 4) & 1
    plan.wait_unpacr = (word >> 5) & 1
    value = (word >> 2) & 3
    if value == 1:
        plan.clear_value = _ALL_ONES
    elif value == 2:
        form = (word >> 6) & 3
        plan.clear_value = _ONES[1 if form == 0 and settings.nop_zero_clears else form]
    elif value == 3:
        clear_value = settings.fields[plan.unit].clear_value
        plan.clear_value = read(sampled.config, plan.state, clear_value) & _ALL_ONES
    if (word >> 8) & 1:
        plan.kind = Kind.ZEROSRC_DVALID
        _hand_over(settings, plan, sampled)


@part
def _sample_bh(settings: Record, plan: Record, sampled: Sampled) -> int:
    """Returns the bits that the form names."""
    word = plan.word
    mode = word & 3
    if mode == 0:
        _overlay(settings, plan, sampled, 0)
        return 3
    dvalid_only = (word >> 6) & 3 == 3
    if settings.nop_zero_clears:  # U69: with clear value one only
        dvalid_only = dvalid_only and (word >> 2) & 3 == 2
    if mode == 1 and dvalid_only:
        plan.kind = Kind.SETDVALID
        _hand_over(settings, plan, sampled)
        return 0x1EF
    if mode == 1:
        _zerosrc_bh(settings, plan, sampled)
        return 0x1FF
    if mode == 2:
        plan.kind = Kind.NOP
        if (word >> 8) & 1:
            plan.kind = Kind.SETDVALID
            _hand_over(settings, plan, sampled)
        return 0x103
    if (word >> 2) & 1:
        _setreg(plan)
        if word & 0x7FFFFF == 7:  # SETDVALID in the other encoding
            plan.faults |= Flag.NOP_FOREIGN
        return 15 | _COUNT11 | _STREAM | _SELECT | 1 << 15
    _overlay(settings, plan, sampled, (word >> 12) & 7)
    return 7 | 7 << 12 | _STREAM


@part
def sample(settings: Record, plan: Record, sampled: Sampled) -> None:
    """Fill the plan of an UNPACR_NOP."""
    if settings.nop_bh:
        named = _sample_bh(settings, plan, sampled)
    else:
        named = _sample_wh(settings, plan, sampled)
    if plan.word & 0xFFFFFF & ~(named | _UNIT):
        plan.faults |= Flag.NOP_FOREIGN
