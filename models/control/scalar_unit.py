# SPDX-License-Identifier: Apache-2.0
"""Scalar unit: the one instruction in it, by the cycles since it issued (section 6)."""

from __future__ import annotations

from tilepath.models.control import config_unit
from tilepath.models.control import layout as L
from tilepath.models.control import words as W
from tilepath.models.control.records import put3, put_write
from tilepath.models.jit import part


@part
def issue(m: L.Memory, t: int, kind: int, who: int, word: int, origin: int) -> None:
    """An instruction gets the unit in cycle ``t``."""
    m[L.S_T] = t
    m[L.S_KIND] = kind
    m[L.S_WHO] = who
    m[L.S_WORD] = word
    m[L.S_ORIGIN] = origin
    m[L.S_END] = t + 1
    if kind == L.ADDDMAREG:
        m[L.S_END] = t + W.add_cycles(word)
    elif kind == L.REG2FLOP:
        # A write to configuration may have to wait; until it is made, the end is not known.
        waits = (word >> 20) & 3 == 0 and (word >> 6) & 127 < L.FLOP_WORDS
        m[L.S_END] = L.NEVER if waits else t + 2


@part
def _flop_adc(m: L.Memory, o: L.Memory, t: int, word: int, gpr: int) -> None:
    """REG2FLOP to a counter (C14)."""
    target = (word >> 20) & 3
    thread = m[L.S_WHO] if target == 2 else (word >> 16) & 3
    select = (word >> 9) & 3
    if target < 2 or thread == 3 or select == 3:
        return
    p = m[L.WP + L.O_FLOP_ADC]
    o[p] = t
    o[p + 1] = thread
    o[p + 2] = select
    o[p + 3] = (word >> 11) & 1
    o[p + 4] = (word >> 6) & 3
    o[p + 5] = (word >> 8) & 1
    o[p + 6] = W.flop_value(word, gpr)
    o[p + 7] = m[L.S_ORIGIN] & L.LOW32
    o[p + 8] = (m[L.S_ORIGIN] >> 32) & L.LOW32
    m[L.WP + L.O_FLOP_ADC] = p + 9


@part
def read(m: L.Memory, o: L.Memory, t: int) -> None:
    """What the instruction reads in cycle ``t``, and what it will write at its end.

    Comes after ``config_unit.enter``: what stage 0 writes in ``t`` must be known.
    """
    at = t - m[L.S_T]
    if at < 1 or t > m[L.S_END]:
        return
    kind = m[L.S_KIND]
    word = m[L.S_WORD]
    gprs = L.GPR + m[L.S_WHO] * L.GPRS
    if kind == L.SETDMAREG:
        if (word >> 7) & 1 == 0:
            half = word & 1
            m[L.S_PLACE] = (word >> 1) & 63
            m[L.S_HALVES] = 1 + half
            m[L.S_SUM] = ((word >> 8) & 0xFFFF) << (16 * half)
    elif kind == L.ADDDMAREG:
        last = t == m[L.S_END]
        b = (word >> 6) & 63
        if at == 2:
            m[L.S_SUM] = m[gprs + (word & 63)]
        if t == m[L.S_END] - 1:
            m[L.S_SUM] += b if (word >> 23) & 1 else m[gprs + b]
            m[L.S_SUM] &= L.LOW32
        if last:
            m[L.S_PLACE] = (word >> 12) & 63
            m[L.S_HALVES] = 3
    elif kind == L.REG2FLOP and at >= 2:
        gpr = word & 63
        if m[L.S_END] < L.NEVER:
            _flop_adc(m, o, t, word, m[gprs + gpr])
        elif not config_unit.writes_thcon(m, t):
            m[L.S_END] = t
            m[L.ACTIVE] = max(m[L.ACTIVE], t + 1)
            flop = (word >> 6) & 127
            m[L.S_QUAD] = 1 if (word >> 22) & 3 == 0 else 0
            if m[L.S_QUAD]:
                flop &= ~3
                gpr &= ~3
            m[L.S_FLOP] = L.THCON + flop
            m[L.S_BANK] = W.state_id(m, m[L.S_WHO])
            for n in range(1 + 3 * m[L.S_QUAD]):
                m[L.S_DATA + n] = m[gprs + gpr + n]


@part
def write(m: L.Memory, o: L.Memory, t: int) -> None:
    """End of cycle ``t``; comes after ``config_unit.write``, whose RDCFG is older."""
    who = m[L.S_WHO]
    if m[L.S_PLACE] >= 0:
        gpr = m[L.S_PLACE]
        m[L.S_PLACE] = -1
        halves = m[L.S_HALVES]
        stream = who * L.O_THREAD + L.O_GPR
        put3(m, o, stream, t, m[L.S_ORIGIN], gpr, halves, m[L.S_SUM])
        keep = (0 if halves & 1 else 0xFFFF) | (0 if halves & 2 else 0xFFFF0000)
        at = L.GPR + who * L.GPRS + gpr
        m[at] = (m[at] & keep) | m[L.S_SUM]
    if m[L.S_FLOP] >= 0:
        index = m[L.S_FLOP]
        m[L.S_FLOP] = -1
        bank = m[L.S_BANK]
        put_write(
            m, o, L.O_FLOP_WRITE, t, m[L.S_ORIGIN], who, bank, index, m[L.S_QUAD], L.S_DATA
        )  # fmt: skip
        for n in range(1 + 3 * m[L.S_QUAD]):
            m[L.CFG + bank * L.CFG_WORDS + index + n] = m[L.S_DATA + n]
