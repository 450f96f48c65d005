# SPDX-License-Identifier: Apache-2.0
"""Config unit: what an instruction reads on entry, and the write that is dated for it then.

In each cycle first everything is read (``enter``, ``read_stream``), then everything is written
(``write``), so that what is read is the state as registered. Stages: section 4 of the contract.
"""

from __future__ import annotations

from tilepath.models.control import layout as L
from tilepath.models.control import words as W
from tilepath.models.control.records import put1, put2, put3, put_write
from tilepath.models.jit import part

_ALIAS = 448  # RISC: words from here on are both banks, from the next on ThreadConfig
_THREADS = 672
_END = 876


@part
def free_from(m: L.Memory, kind: int) -> int:
    """First cycle in which an instruction of this kind (or ``RISC``) may issue; not STREAMWRCFG."""
    free: int = m[L.FREE_WRCFG] if kind == L.WRCFG else m[L.FREE_OTHERS]
    return free


@part
def prepare_free(m: L.Memory) -> bool:
    """Whether stage -4 is empty, or its occupant leaves at the end of this cycle."""
    free: bool = m[L.P_ON] == 0 or m[L.STALL] == 0
    return free


@part
def issue(
    m: L.Memory, t: int, kind: int, who: int, word: int, data: int, write: int, origin: int
) -> None:
    """An instruction, or an access of the cores (``who`` 3), gets the unit in cycle ``t``."""
    m[L.E_T] = t
    m[L.E_KIND] = kind
    m[L.E_WHO] = who
    m[L.E_WORD] = word
    m[L.E_DATA] = data
    m[L.E_WRITE] = write
    m[L.E_ORIGIN] = origin
    following = L.OCCUPIED + ((t + 1) & 7)
    second = L.OCCUPIED + ((t + 2) & 7)
    if kind == L.STREAMWRCFG:
        pass  # its further way is dated when it leaves the prepare phase
    elif kind == L.WRCFG:
        m[following] |= 8
        m[second] |= 16
        m[L.FREE_OTHERS] = max(m[L.FREE_OTHERS], t + 2)
    elif kind == L.CFGSHIFTMASK:
        m[following] |= 24
        m[second] |= 16
        m[L.FREE_OTHERS] = max(m[L.FREE_OTHERS], t + 2)
    elif kind == L.RMWCIB:
        m[following] |= 16
    elif kind == L.RDCFG:
        m[following] |= 16
        m[second] |= 32
    else:
        m[following] |= 64


@part
def _date_write(
    m: L.Memory, t: int, who: int, banks: int, index: int, quad: int, data: int, origin: int
) -> int:
    """Reserve stage 0 in cycle ``t`` for a write, unless it is to be dropped; place of it."""
    z = L.Z + (t & 7) * L.SIZE_Z
    dropped = index >= L.CFG_WORDS or index == L.STATE_RESET
    m[z + L.Z_ON] = 0 if dropped else 1
    m[z + L.Z_WHO] = who
    m[z + L.Z_BANKS] = 3 if index >= L.GLOBAL else banks
    m[z + L.Z_INDEX] = index
    m[z + L.Z_QUAD] = quad
    m[z + L.Z_DATA] = data
    m[z + L.Z_ORIGIN] = origin
    return z


@part
def _access(m: L.Memory, o: L.Memory, t: int) -> None:
    """An access of the cores, in stage 0 in cycle ``t``."""
    address = m[L.E_WORD]
    write = m[L.E_WRITE]
    data = 0
    faults = 0
    if address >= _END:
        faults = 1
    elif address >= _THREADS:
        if write:
            m[L.RT_PLACE] = L.THD + address - _THREADS
            m[L.RT_DATA] = m[L.E_DATA] & 0xFFFF
            thread = (address - _THREADS) // L.THD_WORDS
            index = (address - _THREADS) % L.THD_WORDS
            put3(
                m, o, L.O_RISC_THREAD_WRITE, t, m[L.E_ORIGIN], thread, index, m[L.RT_DATA]
            )  # fmt: skip
        else:
            data = m[L.THD + address - _THREADS]
    else:
        index = address % L.CFG_WORDS
        bank = 1 if address >= L.CFG_WORDS and address < _ALIAS else 0
        if write:
            banks = 3 if address >= _ALIAS else 1 << bank
            z = _date_write(m, t, 3, banks, index, 0, m[L.E_DATA], m[L.E_ORIGIN])
            faults = 2 - 2 * m[z + L.Z_ON]
        else:
            data = m[L.CFG + bank * L.CFG_WORDS + index]
    put1(m, o, L.O_RISC_DONE, t, m[L.E_ORIGIN], data)
    if faults:
        put2(m, o, L.O_RISC_FAULT, t, m[L.E_ORIGIN], faults & 1, faults >> 1)
        if faults & 1 and m[L.STICKY] == 0:
            m[L.STICKY] = 1
            m[L.STICKY_ORIGIN] = m[L.E_ORIGIN]


@part
def enter(m: L.Memory, o: L.Memory, t: int) -> None:
    """Entry cycle of what issued in the cycle before: sample the state, date the write."""
    if m[L.E_T] != t - 1:
        return
    kind = m[L.E_KIND]
    if kind == L.RISC:
        _access(m, o, t)
        return
    who = m[L.E_WHO]
    word = m[L.E_WORD]
    bank = W.state_id(m, who)
    if kind == L.STREAMWRCFG:
        m[L.P_ON] = 1
        m[L.P_WHO] = who
        m[L.P_WORD] = word
        m[L.P_BANK] = bank
        m[L.P_STREAM] = W.bank_sel(m, who, (word >> 21) & 3)
        m[L.P_ORIGIN] = m[L.E_ORIGIN]
        return
    index = W.config_index(kind, word)
    if kind == L.RDCFG:
        n = (t + 1) & 7
        m[L.R_ON + n] = 1
        m[L.R_WHO + n] = who
        m[L.R_GPR + n] = (word >> 16) & 63
        m[L.R_DATA + n] = W.read_config(m, bank, index)
        m[L.R_ORIGIN + n] = m[L.E_ORIGIN]
        return
    due = t + 1
    quad = 0
    data = 0
    gpr = L.GPR + who * L.GPRS + ((word >> 16) & 63)
    if kind == L.WRCFG:
        quad = (word >> 15) & 1
        data = m[gpr]
    elif kind == L.CFGSHIFTMASK:
        data = W.shift_mask(word, W.read_config(m, bank, index), W.scratch_of(m, word, who))
    else:
        data = W.replace_bits(word, W.read_config(m, bank, index))
        due = t
    z = _date_write(m, due, who, 1 << bank, index, quad, data, m[L.E_ORIGIN])
    if kind == L.RMWCIB and index < L.CFG_WORDS:
        m[z + L.Z_ON] = 1  # also to word 4 (C18)
    if quad:
        gpr -= (word >> 16) & 3
        for n in range(4):
            m[z + L.Z_DATA + n] = m[gpr + n]


@part
def leave(m: L.Memory, t: int) -> None:
    """End of cycle ``t``: a STREAMWRCFG leaves the prepare phase if there is no contention."""
    if m[L.P_ON] == 0 or m[L.STALL]:
        return
    m[L.P_ON] = 0
    for stage in range(1, 5):
        m[L.OCCUPIED + ((t + stage) & 7)] |= 1 << stage
    m[L.FREE_WRCFG] = t + 3
    m[L.FREE_OTHERS] = max(m[L.FREE_OTHERS], t + 4)
    m[L.ACTIVE] = t + 5
    word = m[L.P_WORD]
    z = _date_write(
        m, t + 4, m[L.P_WHO], 1 << m[L.P_BANK], word & 0x7FF, 0, 0, m[L.P_ORIGIN]
    )  # fmt: skip
    m[z + L.Z_STREAM] = 1 + m[L.P_STREAM] * L.STREAM_REGS + ((word >> 11) & 0x3FF)


@part
def read_stream(m: L.Memory, s: L.Memory, t: int) -> None:
    """Stage -3 of the STREAMWRCFG that writes in ``t + 3``, if there is one."""
    z = L.Z + ((t + 3) & 7) * L.SIZE_Z
    if m[z + L.Z_STREAM]:
        m[z + L.Z_DATA] = s[m[z + L.Z_STREAM] - 1]
        m[z + L.Z_STREAM] = 0


@part
def writes_thcon(m: L.Memory, t: int) -> bool:
    """Whether stage 0 writes one of the words that REG2FLOP writes, in cycle ``t``."""
    z = L.Z + (t & 7) * L.SIZE_Z
    index = m[z + L.Z_INDEX]
    written: bool = m[z + L.Z_ON] != 0 and L.THCON <= index < L.GLOBAL
    return written


@part
def write(m: L.Memory, o: L.Memory, t: int) -> None:
    """End of cycle ``t``: stages 0 and +1, and the cores' write to ThreadConfig."""
    z = L.Z + (t & 7) * L.SIZE_Z
    if m[z + L.Z_ON]:
        m[z + L.Z_ON] = 0
        banks = m[z + L.Z_BANKS]
        index = m[z + L.Z_INDEX]
        quad = m[z + L.Z_QUAD]
        put_write(
            m, o, L.O_CONFIG_WRITE, t, m[z + L.Z_ORIGIN], m[z + L.Z_WHO], banks, index, quad,
            z + L.Z_DATA,
        )  # fmt: skip
        for n in range(1 + 3 * quad):
            W.write_config(m, banks, index + n, m[z + L.Z_DATA + n])
    n = t & 7
    if m[L.R_ON + n]:
        m[L.R_ON + n] = 0
        who = m[L.R_WHO + n]
        gpr = m[L.R_GPR + n]
        stream = who * L.O_THREAD + L.O_RDCFG
        put2(m, o, stream, t, m[L.R_ORIGIN + n], gpr, m[L.R_DATA + n])
        m[L.GPR + who * L.GPRS + gpr] = m[L.R_DATA + n]
    if m[L.RT_PLACE] >= 0:
        m[m[L.RT_PLACE]] = m[L.RT_DATA]
        m[L.RT_PLACE] = -1
