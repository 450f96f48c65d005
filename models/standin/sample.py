# SPDX-License-Identifier: Apache-2.0
"""The sampling cycle: from word, configuration and counters to a plan."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.fields import get
from tilepath.models.pack.fields import wide
from tilepath.models.standin import counters
from tilepath.models.standin import fields as F
from tilepath.models.standin.fields import read
from tilepath.models.standin.plan import COUNTERS, Flag, Op, Rwc, Sampled, Source, Target

_E5_FORMATS: Final = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 10 | 1 << 11 | 1 << 14
_TEN_BITS: Final = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 10 | 1 << 14  # of mantissa, in moves (M24)
_FP16: Final = 1
_TF32: Final = 4
_BLOCK: Final = 0x38  # rows of Src by eight
_DST_ONES: Final = 1023
_ALL: Final = (1 << 19) - 1  # bits of a datum of Src
_EXECUTED: Final = tuple(opcode in frozenset(Op) for opcode in range(256))


@part
def is_sum(op: int) -> bool:
    """ELWADD, ELWSUB."""
    return op == Op.ELWADD or op == Op.ELWSUB


@part
def is_elementwise(op: int) -> bool:
    """A datum of SrcA and one of SrcB make one of Dst."""
    return op == Op.ELWMUL or is_sum(op)


@part
def is_matrix_product(op: int) -> bool:
    """MVMUL, GAPOOL."""
    return op == Op.MVMUL or op == Op.GAPOOL


@part
def _is_to_dst(op: int) -> bool:
    return op == Op.MOVA2D or op == Op.MOVB2D


@part
def _is_from_dst(op: int) -> bool:
    return op == Op.MOVD2A or op == Op.MOVD2B


@part
def _clear(plan: Record) -> None:
    for file in range(3):
        run = plan.reads[file]
        run.first = run.length = run.row = 0
        run.step = 1
    plan.writes.first = plan.writes.length = plan.writes.row = 0
    plan.writes.step = 1
    plan.target, plan.cycles = Target.NOTHING, 1
    plan.faults = plan.wide_read = plan.wide_write = 0
    plan.releases = plan.flips = plan.clears = plan.neg_inf = 0
    plan.zeroes = plan.zero_mode = plan.zero_row = plan.zero_wide = plan.undo = 0
    plan.accumulates = plan.b_column = plan.low_half = plan.gives_zero = 0
    plan.modifier = -1


# --- formats (M9 to M12)


@part
def _format(plan: Record, sampled: Sampled, bank: int, file: int, implied_by: int) -> int:
    """Format code of SrcA or SrcB; ``implied_by``: whose bank's it is, where that counts (M9)."""
    if plan.settings.implied and not read(sampled.thread_config, plan.thread, F.NOT_IMPLIED[file]):
        plan.sources[file] = Source.IMPLIED
        return wide(sampled.implied[implied_by, sampled.matrix_bank[implied_by]])
    if read(sampled.config, bank, F.OVERRIDES[file]):
        plan.sources[file] = Source.OVERRIDE
        return read(sampled.config, bank, F.OVERRIDE[file])
    return read(sampled.config, bank, F.FORMAT[file])


@part
def _set_formats(plan: Record, sampled: Sampled, bank: int) -> None:
    op, config = plan.op, sampled.config
    forced = read(sampled.thread_config, plan.thread, F.FORCE_FP16)
    plan.forced = forced
    plan.integers = 1 - forced if read(config, bank, F.INTEGERS) else 0
    fp32 = 1 - forced if read(config, bank, F.FP32) else 0
    plan.wide = plan.integers | fp32
    for file in range(2):
        implied_by = 1 if op == Op.MOVB2D or op == Op.MOVD2B else file
        plan.sources[file] = Source.OWN
        code = _FP16
        if not forced or op == Op.MOVB2A:
            code = _format(plan, sampled, bank, file, implied_by)
        plan.codes[file] = code
        plan.e5[file] = (_E5_FORMATS >> code) & 1
        plan.tf32[file] = code == _TF32
    plan.moved_e5 = plan.e5[0] & (1 - plan.wide)
    plan.moved_tf32 = plan.tf32[0] | plan.settings.fp32_rows & fp32
    plan.kept = _ALL
    if plan.settings.cuts_b:
        plan.kept &= ~0xE0 if plan.e5[1] else _ALL
        plan.kept &= _ALL if (_TEN_BITS >> plan.codes[1]) & 1 else ~0x700
    if op == Op.MOVD2B and plan.settings.low_zero:
        plan.gives_zero = fp32
    plan.keeps_denormals = read(config, bank, F.KEEPS_DENORMALS)
    remaps = plan.settings.dst_remap
    plan.access.remap = remaps & read(config, bank, F.REMAP)
    plan.access.swizzle = remaps & read(config, bank, F.SWIZZLE)
    base = read(sampled.thread_config, plan.thread, F.PHASE_BASE)
    phase, exponent = (wide(plan.next_rwc[Rwc.PHASE]) + base) & 3, -127
    if plan.e5[0]:
        exponent = 97 if plan.wide else -15
    plan.phase = phase
    plan.exponent = exponent - 5 * (phase & 1) - 7 * (phase >> 1)


@part
def _check_formats(plan: Record) -> None:
    op = plan.op
    if not plan.integers and plan.e5[0] != plan.e5[1]:
        plan.faults |= Flag.MIXED
    if op == Op.GMPOOL and (plan.integers or plan.e5[0]):
        plan.faults |= Flag.POOL_FORMAT
    if is_sum(op) and plan.phase:
        plan.faults |= Flag.FIDELITY


# --- rows and cycles (M4, M30, M31)


@part
def _set_run(run: Record, first: int, length: int, row: int) -> None:
    run.first, run.length, run.row = first, length, row


@part
def _plan_to_dst(plan: Record, first: int, length: int, row: int) -> None:
    """Rows that are read of Dst and, each a cycle later, written."""
    row &= -length & _DST_ONES
    _set_run(plan.reads[Target.DST], first, length, row)
    _set_run(plan.writes, first + 1, length, row)
    plan.target, plan.cycles = Target.DST, first + length + 1
    plan.wide_read = plan.wide_write = plan.wide


@part
def _plan_products(plan: Record, word: int, dst: int) -> None:
    """ELW, MVMUL, GAPOOL, GMPOOL."""
    op, rwc = plan.op, plan.next_rwc
    a, b = rwc[Rwc.A] & _BLOCK, rwc[Rwc.B] & _BLOCK
    if is_elementwise(op):
        _set_run(plan.reads[0], 0, 8, a)
        _set_run(plan.reads[1], 0, 8, b)
        _plan_to_dst(plan, 0, 8, dst)
        if get(word, F.B_ROW):
            plan.reads[1].row, plan.reads[1].step = rwc[Rwc.B], 0
        plan.b_column = get(word, F.B_COLUMN)
        # ELWMUL's kernels count on it without the bit, phase by phase
        plan.accumulates = 1 if op == Op.ELWMUL else get(word, F.ACCUMULATES)
        return
    rows = 8 if op == Op.MVMUL else 4
    plan.accumulates = 1
    _set_run(plan.reads[0], 0, 16, a)
    _set_run(plan.reads[1], 16 - rows, rows, b)
    _plan_to_dst(plan, 16, rows, dst)
    if op == Op.GMPOOL:
        plan.reads[0].row &= 0x30
        _set_run(plan.reads[1], 0, 1, b)
        plan.reads[2].length = 1
    elif a & 8:
        plan.faults |= Flag.SRC_ROW
    if op == Op.MVMUL:
        if get(word, F.ROW_BROADCAST):
            plan.faults |= Flag.MVMUL_BCAST
    elif get(word, F.POOL_MODE) == 0 or get(word, F.ARGMAX):
        plan.faults |= Flag.POOL_MODE


@part
def _is_odd(plan: Record, word: int) -> bool:
    """Whether the number of the word's address modifier is odd."""
    return bool((word >> plan.settings.modifier) & 1)


@part
def _plan_move(plan: Record, sampled: Sampled, word: int, dst: int) -> None:
    """MOVA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A."""
    op, rwc, low = plan.op, plan.next_rwc, get(word, F.LOW_HALF)
    file = 1 if op == Op.MOVB2D or op == Op.MOVD2B else 0
    rows = (8 if op == Op.MOVA2D else 4) if get(word, F.ROWS) else 1
    if op == Op.MOVA2D and rows == 1 and plan.settings.row_block and _is_odd(plan, word):
        rows = 4
    src_rows = rows
    if op == Op.MOVB2D:
        mode = (word >> plan.settings.b2d_mode) & 7
        plan.b_column = mode & 1
        rows, src_rows = (8, 1) if mode & 2 else (4, 4) if mode & 4 else (1, 1)
    src = (get(word, F.SRC) + rwc[2 * file]) & 63
    if _is_to_dst(op):
        src &= -src_rows
        _plan_to_dst(plan, 0, rows, dst)
        _set_run(plan.reads[file], 0, rows, src)
        plan.reads[file].step = 0 if src_rows < rows else 1
        if not low:
            plan.reads[2].length = 0
        plan.low_half, plan.wide_read = low, low
        plan.wide_write = low | plan.moved_tf32
        if low and plan.moved_tf32:
            plan.faults |= Flag.TF32_LOW
        return
    _set_run(plan.writes, 1, rows, src if plan.settings.unaligned_write else src & -rows)
    plan.target, plan.cycles = file, rows + 1
    if op == Op.MOVB2A:
        _set_run(plan.reads[1], 0, rows, (get(word, F.SRC_B) + rwc[Rwc.B]) & 63 & -rows)
        return
    _set_run(plan.reads[2], 0, rows, dst & -rows & _DST_ONES)
    plan.wide_read = plan.wide
    plan.low_half = low & plan.wide
    plan.gives_zero &= low
    if not plan.wide and (low or plan.tf32[0]):
        plan.faults |= Flag.DST16
    if not sampled.owner[file, sampled.matrix_bank[file]]:
        plan.faults |= Flag.SRC_OWNER


@part
def _plan_zeroacc(plan: Record, sampled: Sampled, word: int, bank: int, dst: int) -> None:
    """ZEROACC (M27)."""
    mode = get(word, F.ZERO_MODE)
    where = get(word, F.DST)
    plan.zeroes, plan.zero_mode = 1, mode
    if mode == 0:
        plan.zero_row = dst & _DST_ONES
        if plan.settings.storage_rows:
            plan.zeroes = plan.cycles = 8 if _is_odd(plan, word) else 1
        else:
            for field in (F.FP32, F.INTEGERS):
                plan.zero_wide |= read(sampled.config, bank, field)
    elif mode == 1:
        base = dst - where
        where &= 0xFF
        if plan.settings.half_rows:
            base += where
        plan.zero_wide = (word >> plan.settings.zero_wide) & 1
        plan.undo = (word >> plan.settings.zero_undo) & 1
        if not plan.settings.is_wh and not read(sampled.config, bank, F.ABSOLUTE):
            if plan.zero_wide:
                where += 16 if (base >> 8) & 3 else 0
            else:
                where += 32 * ((base >> 9) & 1)
        if where >= (32 if plan.zero_wide else 64):
            plan.faults |= Flag.ZEROACC_RANGE
            plan.zeroes = plan.zero_mode = plan.zero_wide = plan.undo = 0
        else:
            plan.zero_row = 16 * where
    elif mode == 2:
        plan.zero_row = 512 * (where & 1)
    if mode < 2 and not plan.settings.is_wh and get(word, F.WH_WIDE):
        plan.faults |= Flag.WH_WORD


@part
def _plan_zerosrc(plan: Record, sampled: Sampled, word: int) -> None:
    """ZEROSRC (M28)."""
    for file in range(2):
        if (word >> file) & 1:
            bank = wide(sampled.src_bank[file])
            if get(word, F.MATRIX_BANK):
                bank = wide(sampled.matrix_bank[file])
            banks = 3 if get(word, F.BOTH_BANKS) else 1 << bank
            plan.clears |= banks << (2 * file)
    plan.neg_inf = get(word, F.NEG_INF) & word & 1


# --- what happens at the end (M6, M7)


@part
def _plan_end(plan: Record, sampled: Sampled, word: int) -> None:
    op, settings = plan.op, plan.settings
    if op == Op.SETRWC:
        counters.set_counters(plan.next_rwc, word)
    elif op == Op.INCRWC:
        counters.increment(plan.next_rwc, word)
    elif op == Op.GAPOOL or op == Op.GMPOOL:
        number = (word >> settings.pool_modifier) & settings.pool_modifier_ones
        counters.modify(plan, sampled, number)
    elif (plan.target != Target.NOTHING and op != Op.TRNSPSRCB) or (
        op == Op.ZEROACC and get(word, F.ZERO_MODE) < 2
    ):
        number = (word >> settings.modifier) & settings.modifier_ones
        counters.modify(plan, sampled, number)
    if op == Op.CLEARDVALID:
        plan.releases = get(word, F.GIVES_BACK)
        plan.flips = 0 if get(word, F.KEEP) else plan.releases
        if get(word, F.RESET):
            plan.faults |= Flag.DVALID_RESET
    elif op == Op.SETRWC or is_elementwise(op) or is_matrix_product(op) or op == Op.GMPOOL:
        plan.flips = plan.releases = get(word, F.GIVES_BACK)
        for file in range(2):
            if read(sampled.thread_config, plan.thread, F.KEEPS_OWNER[file]):
                plan.releases &= ~(1 << file)


@part
def _begin(plan: Record, sampled: Sampled, thread: int, word: int) -> None:
    _clear(plan)
    plan.op, plan.thread = word >> 24, thread
    for place in range(COUNTERS):
        plan.next_rwc[place] = sampled.rwc[thread, place]
    plan.banks[0], plan.banks[1] = sampled.matrix_bank[0], sampled.matrix_bank[1]


@part
def sample(plan: Record, sampled: Sampled, thread: int, word: int) -> None:
    """Plan of a word of class MATH; ``plan.settings`` stays as it is."""
    op = word >> 24
    _begin(plan, sampled, thread, word)
    bank = read(sampled.thread_config, thread, F.STATE_ID) & 1
    _set_formats(plan, sampled, bank)
    offset = read(sampled.thread_config, thread, F.OFFSET)
    dst = get(word, F.DST) + offset + plan.next_rwc[Rwc.D]
    if is_elementwise(op) or is_matrix_product(op) or op == Op.GMPOOL:
        _plan_products(plan, word, dst)
        _check_formats(plan)
    elif _is_to_dst(op) or _is_from_dst(op) or op == Op.MOVB2A:
        _plan_move(plan, sampled, word, dst)
    elif op == Op.TRNSPSRCB:
        _set_run(plan.reads[1], 0, 16, 16)
        _set_run(plan.writes, 16, 16, 16)
        plan.target, plan.cycles = Target.SRC_B, 32
    elif op == Op.ZEROACC:
        _plan_zeroacc(plan, sampled, word, bank, dst)
    elif op == Op.ZEROSRC:
        _plan_zerosrc(plan, sampled, word)
    elif not _EXECUTED[op]:
        plan.faults |= Flag.UNSUPPORTED
        return
    _plan_end(plan, sampled, word)
