# SPDX-License-Identifier: Apache-2.0
"""The instructions of a block of cycles with what each read in its sampling cycle.

docs/unpack.md sections 2 and 3: when an instruction is sampled follows from the issues alone;
configuration and ThreadConfig follow from the writes, pointers from the recorded levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.models.jit import kernel
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage import layout as at
from tilepath.tb.unpack.coverage.layout import I64, N_COLUMNS, WORDS
from tilepath.tb.unpack.coverage.levels import Level

_CFG: Final = 256  # words of a bank kept
_TC: Final = 2 * _CFG  # ThreadConfig: 3 times 6 words
_TURN: Final = _TC + 18
_SEQ: Final = _TURN + 1
MEMORY: Final = _SEQ + 1
_GLOBAL: Final = 180
_PLACE: Final = np.full(128, -1, np.int64)
_PLACE[list(at.THREAD_WORDS)] = range(len(at.THREAD_WORDS))
# columns of the arrays below
_KEPT: Final = 6  # u, thread, word, issued, sample or -1, tied


@kernel
def _write(cfg: I64, n: int, mem: I64) -> None:
    """Configuration write ``n``: cycle, banks, index, wide, four words."""
    first, words = cfg[n, 2], 1
    if cfg[n, 3]:
        first, words = first & ~3, 4
    for k in range(words):
        for bank in range(2):
            if cfg[n, 1] >> bank & 1 or first + k >= _GLOBAL:
                mem[bank * _CFG + first + k] = cfg[n, 4 + k]


@kernel
def _compressed(row: I64) -> bool:
    """Whether the UNPACR in ``row`` is Regular and compressed (section 5.1)."""
    word, u = row[at.WORD], row[at.U]
    if word & 0x2002:
        return False
    ctx = 0
    form = row[at.TD0] & 15
    uncompressed = row[at.TD0] >> 4 & 1
    if word >> 7 & 1:
        number = row[at.CONTEXT] if word >> 3 & 1 else word >> 10 & 7
        ctx = (number + (row[at.CONTEXTS] >> (8 * u) & 15)) & 7
        uncompressed = row[at.REG2B] >> (ctx + (12 if ctx > 3 else 0)) & 1
        if row[at.REG2] >> 14 & 1:
            form = row[at.REG7 + (ctx & 3)] >> (16 + 8 * (ctx >> 2)) & 15
    return bool(uncompressed == 0 and form != 11 and form != 15)


@kernel
def _fill(row: I64, pointers: I64, k: int, words: I64, mem: I64) -> None:
    """What the instruction in ``row`` samples; ``k``: the row of the pointers at that time."""
    u, thread = row[at.U], row[at.THREAD]
    kept = _TC + 6 * thread
    state = mem[kept + at.T_STATE] & 1
    row[at.STATE] = state
    row[at.SRC_SET] = mem[kept + at.T_SET + u]
    row[at.CONTEXTS] = mem[kept + at.T_CONTEXT]
    row[at.STREAM] = mem[kept + at.T_STREAM + u]
    row[at.BANK] = pointers[k, 1]
    row[at.ROW] = pointers[k, 2 + thread]
    row[at.CONTEXT] = pointers[k, 5 + thread]
    differs = 0
    for n in range(words.shape[1]):
        index = words[u, n]
        row[at.SNAPSHOT + n] = mem[state * _CFG + index]
        if mem[index] != mem[_CFG + index]:
            differs = 1
    row[at.DIFFERS] = differs


@kernel
def sample_all(
    issues: I64, cfg: I64, setc: I64, p0: I64, p1: I64, words: I64, places: I64,
    end: int, mem: I64, out: I64,
) -> int:  # fmt: skip
    """Fill ``out`` with the instructions sampled before ``end``; how many.

    ``issues``: u, thread, word, issued, sample (-1: follows from the issue), tied; the two of a tie
    in the order of the unpackers. Those behind the returned number are to be given again: what
    became known of them is in ``issues``. ``setc``: cycle, thread, index, value.
    """
    next_cfg, next_setc, done = 0, 0, 0
    k0, k1 = 0, 0
    total = len(issues)
    while done < total:
        now = issues[done]
        tie = (
            now[4] < 0
            and done + 1 < total
            and issues[done + 1, 3] == now[3]
            and now[2] >> 24 == 0x42
            and issues[done + 1, 2] >> 24 == 0x42
        )
        sample = now[4] if now[4] >= 0 else now[3] + 1
        if sample >= end:
            break
        if tie:
            if mem[_TURN]:
                for c in range(4):
                    now[c], issues[done + 1, c] = issues[done + 1, c], now[c]
            mem[_TURN] = 1 - now[0]
            now[5], issues[done + 1, 5] = 1, 2
        while next_cfg < len(cfg) and cfg[next_cfg, 0] < sample:
            _write(cfg, next_cfg, mem)
            next_cfg += 1
        while next_setc < len(setc) and setc[next_setc, 0] < sample:
            place = places[setc[next_setc, 2]]
            if place >= 0:
                mem[_TC + 6 * setc[next_setc, 1] + place] = setc[next_setc, 3]
            next_setc += 1
        row = out[done]
        row[at.SEQ] = mem[_SEQ]
        mem[_SEQ] += 1
        row[at.U], row[at.THREAD], row[at.WORD], row[at.ISSUED] = now[0], now[1], now[2], now[3]
        row[at.SAMPLE] = sample
        row[at.TIED] = now[5]
        if now[0] == 0:
            while k0 + 1 < len(p0) and p0[k0 + 1, 0] <= sample:
                k0 += 1
            _fill(row, p0, k0, words, mem)
        else:
            while k1 + 1 < len(p1) and p1[k1 + 1, 0] <= sample:
                k1 += 1
            _fill(row, p1, k1, words, mem)
        last = sample
        if now[2] >> 24 == 0x42 and _compressed(row):
            last = sample + 2
        row[at.LAST] = last
        if tie:
            issues[done + 1, 4] = last + 2
        done += 1
    while next_cfg < len(cfg):
        _write(cfg, next_cfg, mem)
        next_cfg += 1
    while next_setc < len(setc):
        place = places[setc[next_setc, 2]]
        if place >= 0:
            mem[_TC + 6 * setc[next_setc, 1] + place] = setc[next_setc, 3]
        next_setc += 1
    return done


def rows(records: Records, *fields: str) -> I64:
    """``cycle`` and the fields of ``records`` as columns."""
    found = np.empty((len(records), 1 + len(fields)), np.int64)
    for number, name in enumerate(("cycle", *fields)):
        found[:, number] = records[name]
    return found


def writes(streams: Mapping[str, Records]) -> I64:
    """Configuration writes: cycle, banks, index, wide, four words."""
    parts = []
    for name, banks in (("cfg", "banks"), ("flop", "bank")):
        records = streams[name]
        part = [rows(records, banks, "index", "wide"), records["data"].astype(np.int64)]
        parts.append(np.concatenate(part, axis=1))
    parts[1][:, 1] += 1
    whole = np.concatenate(parts)
    return whole[np.argsort(whole[:, 0], kind="stable")]


def by_thread(streams: Mapping[str, Records], name: str, *fields: str) -> I64:
    """Records of the three threads in the order of time: cycle, thread, fields."""
    parts = []
    for thread in range(3):
        some = rows(streams[f"t{thread}.{name}"], *fields)
        parts.append(np.insert(some, 1, thread, axis=1))
    whole = np.concatenate(parts)
    return whole[np.argsort(whole[:, 0], kind="stable")]


class History:
    """The table of instructions, block after block."""

    def __init__(self) -> None:
        self._memory = np.zeros(MEMORY, np.int64)
        self._waiting = np.zeros((0, _KEPT), np.int64)

    def fill(self, streams: Mapping[str, Records], pointers: tuple[Level, Level], end: int) -> I64:
        """Instructions sampled in this block, in that order; columns as in ``layout``."""
        parts = [self._waiting]
        for u in range(2):
            some = rows(streams[f"u{u}.issue"], "thread", "word")
            some = some[some[:, 1] < 3]
            part = np.full((len(some), _KEPT), -1, np.int64)
            part[:, 0], part[:, 1], part[:, 2], part[:, 3] = u, some[:, 1], some[:, 2], some[:, 0]
            part[:, 5] = 0
            parts.append(part)
        issues = np.concatenate(parts)
        # the ones known are older, and in order
        issues = issues[np.lexsort((issues[:, 0], np.where(issues[:, 4] >= 0, -1, issues[:, 3])))]
        out = np.zeros((len(issues), N_COLUMNS), np.int64)
        stores = rows(streams["store"], "thread", "index", "value")
        setc = np.concatenate([stores, by_thread(streams, "setc16", "index", "value")])
        setc = setc[np.argsort(setc[:, 0], kind="stable")]
        done = sample_all(
            issues, writes(streams), setc, pointers[0].rows, pointers[1].rows,
            WORDS, _PLACE, end, self._memory, out,
        )  # fmt: skip
        self._waiting = issues[done:].copy()
        return out[:done]
