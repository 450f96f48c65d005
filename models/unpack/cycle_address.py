# SPDX-License-Identifier: Apache-2.0
"""Configuration, issue, address phase and sampling (sections 2, 3 and 6).

The model goes over the inputs twice. What the address unit does in which cycle depends on words and
configuration alone, so the first pass finds the increments of the counters, which the model of the
counters takes; in the second pass the values of the counters are known, and plans are complete.
Both passes use the functions of this file.
"""

from __future__ import annotations

from tilepath.models.jit import part
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import streams
from tilepath.models.unpack import tables as T


@part
def take(m: L.Memory, stream: int, rows: L.Memory, t: int) -> int:
    """Row of an input in cycle ``t``; -1: there is none."""
    row = m[S.ROW + stream]
    if row >= rows.shape[0] or rows[row, 0] != t:
        return -1
    m[S.ROW + stream] = row + 1
    return row  # type: ignore[no-any-return]


@part
def following(m: L.Memory, stream: int, rows: L.Memory, t: int) -> int:
    """The earlier of ``t`` and the cycle of the input's next record."""
    row = m[S.ROW + stream]
    if row < rows.shape[0] and rows[row, 0] < t:
        t = rows[row, 0]
    return t


@part
def origin(m: L.Memory, stream: int, row: int) -> int:
    """Origin that names a row of an input."""
    return (m[S.BASE + stream] + row) << streams.ORIGIN_BITS | stream  # type: ignore[no-any-return]


@part
def is_nop(word: int) -> int:
    """1 for an UNPACR_NOP."""
    return 1 if word >> 24 == L.OPCODE_NOP else 0


@part
def issue(m: L.Memory, u: int, row: int, issues: L.Memory, t: int) -> None:
    """Take the word that is issued in ``t``."""
    at = S.unit(u)
    by = origin(m, u, row)
    word = issues[row, 2]
    if is_nop(word):
        m[at + S.N_AT] = t + 1
        m[at + S.N_THREAD] = issues[row, 1]
        m[at + S.N_WORD] = word
        m[at + S.N_BY] = by
    else:
        m[at + S.X_ON] = 1
        m[at + S.X_THREAD] = issues[row, 1]
        m[at + S.X_WORD] = word
        m[at + S.X_BY] = by


@part
def closed(m: L.Memory) -> int:
    """1 while an address phase goes on or an UNPACR waits for one: nothing may be issued."""
    return m[S.unit(0) + S.X_ON] | m[S.unit(1) + S.X_ON]  # type: ignore[no-any-return]


@part
def begin_phase(m: L.Memory, t: int) -> None:
    """Give the address unit to one of the UNPACRs that were issued in ``t``, if any."""
    on0 = m[S.unit(0) + S.X_ON]
    on1 = m[S.unit(1) + S.X_ON]
    first = on1 - on0 * on1
    if on0 & on1:
        first = m[S.TURN]
        m[S.TURN] = 1 - first
    if on0 | on1:
        m[S.unit(first) + S.X_SAMPLE] = t + 1


@part
def sampled(m: L.Memory, p: L.Memory, u: int, t: int) -> None:
    """Unpacker ``u``'s UNPACR has been sampled in ``t``: when its phase ends, who is next."""
    last = t
    if p[L.KIND] == L.REGULAR and p[L.COMPRESSED] != 0:
        last = t + 2
    m[S.unit(u) + S.X_LAST] = last
    other = S.unit(1 - u)
    if m[other + S.X_ON]:
        m[other + S.X_SAMPLE] = last + 2


@part
def end_phase(m: L.Memory, u: int) -> None:
    """After the last cycle of unpacker ``u``'s phase."""
    at = S.unit(u)
    m[at + S.X_ON] = 0
    m[at + S.X_SAMPLE] = L.NEVER
    m[at + S.X_LAST] = L.NEVER


@part
def _write_word(config: L.Memory, banks: int, index: int, data: int) -> None:
    for bank in range(2):
        if (banks >> bank) & 1:
            config[bank, index] = data


@part
def write_config(config: L.Memory, cfg: L.Memory, row: int) -> None:
    """A configuration write."""
    index = cfg[row, 2]
    count = 1
    if cfg[row, 3]:
        index &= ~3
        count = 4
    for k in range(count):
        if index + k < L.CFG_WORDS:
            banks = 3 if index + k >= L.GLOBAL else cfg[row, 1]
            _write_word(config, banks, index + k, cfg[row, 4 + k])


@part
def changes_signs(tables: L.Memory, config: L.Memory, cfg: L.Memory, row: int, u: int) -> int:
    """Whether a configuration write changes Src?Unsigned of unpacker ``u`` in a bank."""
    field = T.FIELD_ROWS + 3 * (T.FIELDS * u + T.UNSIGNED)
    word = tables[field]
    index = cfg[row, 2]
    k = word - index
    if cfg[row, 3]:
        k = word - (index & ~3)
    if k < 0 or k > 3 or (k != 0 and cfg[row, 3] == 0):
        return 0
    mask = tables[field + 2] << tables[field + 1]
    for bank in range(2):
        if (cfg[row, 1] >> bank) & 1 and (config[bank, word] ^ cfg[row, 4 + k]) & mask:
            return 1
    return 0


@part
def setc16(tc: L.Memory, pointers: L.Memory, thread: int, index: int, value: int) -> None:
    """A write to ThreadConfig, and its reset of context counters (U6)."""
    if index < L.THD_WORDS:
        tc[thread, index] = value
    if index == L.MISC_CFG:
        for u in range(2):
            if (value >> (4 + 8 * u)) & 1:
                pointers[L.POINTERS * u + L.P_CONTEXT + thread] = 0
