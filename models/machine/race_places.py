# SPDX-License-Identifier: Apache-2.0
"""Which places a word touches in its unit: rows and lines as its model has them at hand."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as C
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.fields import get
from tilepath.models.machine import race_clocks as S
from tilepath.models.machine.hazards import OF_NOP, OF_UNPACR, READ, SET
from tilepath.models.machine.race_clocks import ALL_BITS, touch
from tilepath.models.machine.state import BANK, L1
from tilepath.models.pack import fields as P
from tilepath.models.pack.state import LANES, Source
from tilepath.models.standin import fields as M
from tilepath.models.standin.plan import DST_ROWS, SRC_ROWS, Target
from tilepath.models.unpack import l1_walk, rows
from tilepath.models.unpack.plan import UNLIMITED, Kind, is_zerosrc
from tilepath.models.unpack.settings import OF_THREAD, THREAD_WORDS, settings_of

_MODIFIERS: Final = (M.SRC_INCR[0].word, M.DEST_INCR.word, M.BIAS_INCR.word)
_KEEPS_OWNER: Final = tuple(field.word for field in M.KEEPS_OWNER)
_MATRIX: Final = (
    *(M.STATE_ID.word, M.OFFSET.word, M.PHASE_BASE.word, M.FORCE_FP16.word),
    *(field.word for field in M.NOT_IMPLIED),
    *_KEEPS_OWNER,
)
# Words of ThreadConfig: of an UNPACR; of the other words of unpackers and packers; of words of the
# Matrix Unit, and of those that read nothing of Config
_OF_THREAD: Final = np.array(
    [
        np.isin(np.arange(C.THD_WORDS), some)
        for some in (THREAD_WORDS, (P.STATE_ID,), _MATRIX, _KEEPS_OWNER)
    ]
)


def _bits() -> npt.NDArray[np.int64]:
    """Bits of words of Config that words read, by their sets in ``hazards.READ``."""
    bits = np.zeros((4, C.CFG_WORDS), np.int64)  # unpackers, packers, Matrix Unit
    for unit in range(2):
        for place in settings_of()[0]["fields"][unit].every[OF_THREAD:]:
            bits[unit, place.word] |= place.ones << place.lsb
    for field in (one for one in vars(P).values() if isinstance(one, P.ConfigField)):
        for further in P.BLOCKS if 0 <= field.word - P.BLOCK < P.BLOCK_WORDS else (0,):
            bits[2, field.word + further] |= field.mask << field.lsb
    for field in M.CONFIG_FIELDS:
        bits[3, field.word] |= field.mask << field.lsb
    bits[bits == 0] = ALL_BITS
    units = [0, 2, 3, 3, 0, 1, *[0] * 8, *[1] * 8]
    return np.where(READ, bits[units], 0)


_BITS: Final = _bits()


@compiled
def read_config(
    tracks: Record, cells: Records, thread: int, bank: int, word: int, context: int, actor: int
) -> None:
    """The configuration that a word of a unit reads."""
    opcode, unit = word >> 24, (word >> 23) & 1
    of = SET[opcode]
    mine = 1 if opcode == C.OP_PACR or opcode == C.OP_PACR_SETREG else 2 if of else 3
    if opcode == C.OP_UNPACR_NOP:
        of, mine = OF_NOP + unit, 1
    elif opcode == C.OP_UNPACR:
        of, mine = OF_UNPACR + 8 * unit + context, 0
    elif opcode == C.OP_ZEROACC and get(word, M.ZERO_MODE) >= 2:
        return
    for index in range(C.CFG_WORDS):
        if _BITS[of, index]:
            place = index if index >= C.CFG_GLOBAL_BASE else BANK * bank + index
            touch(tracks, cells, place, actor, False, _BITS[of, index])
    for index in range(C.THD_WORDS):
        if _OF_THREAD[mine, index]:
            place = S.THREAD_CONFIG + C.THD_WORDS * thread + index
            touch(tracks, cells, place, actor, False)


@part
def _span(tracks: Record, cells: Records, first: int, last: int, actor: int, writes: bool) -> None:
    for place in range(first, last + 1):
        touch(tracks, cells, place, actor, writes)


@part
def _dst_row(
    tracks: Record, cells: Records, access: Record, wide: int, row: int, actor: int, writes: bool
) -> None:
    place = S.DST + storage_row(access, wide, row & (DST_ROWS - 1))
    touch(tracks, cells, place, actor, writes)
    if wide:
        touch(tracks, cells, place + LOW_HALF, actor, writes)


# --- unpackers


@compiled
def read_lines(its: Record, l1: L1, plan: Record, tracks: Record, cells: Records, at: int) -> None:
    """Lines of L1 that an UNPACR reads."""
    source, cursor, beat = plan.source, its.unpack[0].cursor, its.unpack[0].beat
    if source.count == 0 or source.count >= UNLIMITED:
        return
    if rows.are_whole(plan, l1):
        end = source.datum + source.count * source.quarters
        _span(tracks, cells, S.L1_LINE + (source.datum >> 6), S.L1_LINE + (end - 1 >> 6), at, False)
        if source.reads_exponents:
            end = source.exponent + source.count - 1
            first = S.L1_LINE + (source.exponent >> 8)
            _span(tracks, cells, first, S.L1_LINE + (end >> 8), at, False)
        return
    l1_walk.begin(source, cursor)
    while cursor.done < source.count:
        l1_walk.next_beat(plan, cursor, l1_walk.most_lines(source), beat)
        for n in range(beat.line_count):
            touch(tracks, cells, S.L1_LINE + beat.lines[n], at, False)
        if source.reads_exponents:
            touch(tracks, cells, S.L1_LINE + l1_walk.exponent_line(beat), at, False)
        if source.compressed:
            touch(tracks, cells, S.L1_LINE + l1_walk.delta_line(beat), at, False)


@compiled
def fill_rows(its: Record, plan: Record, tracks: Record, cells: Records, actor: int) -> None:
    """Rows of SrcA, SrcB or Dst that a word of an unpacker writes, from the first to the last."""
    source, target, banks = plan.source, plan.target, S.SRC + 2 * SRC_ROWS * plan.unit
    if is_zerosrc(plan):
        for bank in range(2):
            if bank == plan.bank or plan.both_banks:
                first = banks + SRC_ROWS * bank
                _span(tracks, cells, first, first + SRC_ROWS - 1, actor, True)
    elif plan.kind == Kind.REGULAR and its.unpack[0].result.writes:
        count = min(source.count, source.items) if source.bounded else source.count
        count *= target.zeros + 1
        first = target.out_addr
        if plan.unit == 0 and target.to_dst == 0 and first < 64:  # in front of SrcA's row 0 (U30)
            count, first = count - 64 + first, 64
        first = (first + target.address_add) & target.address_mask
        row, last = first >> 4, (first + max(count, 1) - 1) >> 4
        if target.to_dst:
            for number in range(row, min(last, row + DST_ROWS - 1) + 1):
                _dst_row(tracks, cells, target.access, target.wide, number, actor, True)
            return
        if target.transposes:
            row, last = row & ~15, last | 15
        for number in range(row, min(last, row + SRC_ROWS - 1) + 1):
            place = banks + SRC_ROWS * plan.bank + (number & (SRC_ROWS - 1))
            touch(tracks, cells, place, actor, True)


# --- packers


@compiled
def pack(walk: Record, tracks: Record, cells: Records, actor: int) -> None:
    """Rows of Dst and lines of L1."""
    for number in range(walk.step_count):
        step = walk.steps[number]
        if step.source == Source.L1:
            touch(tracks, cells, S.L1_LINE + step.line, actor, False)
        elif step.source == Source.DST:
            for lane in range(LANES):
                if (step.lanes >> lane) & 1:
                    touch(tracks, cells, S.DST + step.rows[lane], actor, False)
    for number in range(walk.line_count):
        touch(tracks, cells, S.L1_LINE + walk.lines[number].line, actor, True)


# --- Matrix Unit


@part
def _src_rows(
    tracks: Record, cells: Records, plan: Record, run: Record, file: int, actor: int, writes: bool
) -> None:
    first = S.SRC + SRC_ROWS * (2 * file + plan.banks[file])
    for k in range(run.length):
        row = (run.row + k * run.step) & (SRC_ROWS - 1)
        touch(tracks, cells, first + row, actor, writes)


@compiled
def calculate(plan: Record, tracks: Record, cells: Records, actor: int) -> None:
    """Rows that a word of the Matrix Unit reads and writes; its address modifier."""
    access = plan.access
    for file in range(2):
        _src_rows(tracks, cells, plan, plan.reads[file], file, actor, False)
    for k in range(plan.reads[2].length):
        _dst_row(tracks, cells, access, plan.wide_read, plan.reads[2].row + k, actor, False)
    if plan.target == Target.DST:
        for k in range(plan.writes.length):
            _dst_row(tracks, cells, access, plan.wide_write, plan.writes.row + k, actor, True)
    elif plan.target != Target.NOTHING:
        place = S.OWNER + 2 * plan.target + plan.banks[plan.target]  # a fault if it is not its own
        touch(tracks, cells, place, actor, False)
        _src_rows(tracks, cells, plan, plan.writes, plan.target, actor, True)
    for place in range(4):
        if (plan.clears >> place) & 1:
            first = S.SRC + SRC_ROWS * place
            _span(tracks, cells, first, first + SRC_ROWS - 1, actor, True)
    if plan.zeroes and plan.zero_mode >= 2:
        end = DST_ROWS if plan.zero_mode == 3 else plan.zero_row + DST_ROWS // 2
        _span(tracks, cells, S.DST + plan.zero_row, S.DST + end - 1, actor, True)
    elif plan.zeroes:
        for k in range(plan.zeroes + 15 * plan.zero_mode):
            _dst_row(tracks, cells, access, plan.zero_wide, plan.zero_row + k, actor, True)
    if plan.modifier >= 0:
        for word in _MODIFIERS:
            place = S.THREAD_CONFIG + C.THD_WORDS * plan.thread + word + plan.modifier
            touch(tracks, cells, place, actor, False)
