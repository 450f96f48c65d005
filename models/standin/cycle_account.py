# SPDX-License-Identifier: Apache-2.0
"""How the account is written while the cycles pass; with an account alone anything is called."""

from __future__ import annotations

from typing import Any, Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.matrix import COLUMNS
from tilepath.models.fields import get
from tilepath.models.standin import fields as F
from tilepath.models.standin.arithmetic import counts, exponent_in_dst, operand
from tilepath.models.standin.fields import read
from tilepath.models.standin.moves import held_in_dst, largest_of_a, ordered
from tilepath.models.standin.plan import DST_ROWS, OPS, SRC_ROWS, Op, Rwc, Sampled, Target
from tilepath.models.standin.sample import is_elementwise, is_matrix_product

_EXECUTED: Final = list(Op)
_NUMBER: Final = tuple(
    _EXECUTED.index(Op(opcode)) if opcode in frozenset(Op) else len(OPS) - 1
    for opcode in range(256)
)
_SIGN: Final = 1 << 18  # of a Src datum


@part
def _row(kind: Record, timing: Record, cycle: int) -> Record:
    """Another row, of the instruction that is inside."""
    row = new_row(kind, cycle)
    row.thread, row.op = timing.thread, _NUMBER[timing.plan.op]
    return row


# ── Sampling ─────────────────────────────────────────────────────────────────────────────────────


@part
def _tell_sums(row: Record, sampled: Sampled, timing: Record) -> None:
    op, word, rwc = timing.plan.op, timing.word, timing.rwc[timing.thread]
    row.sums[0], row.sums[1] = rwc[Rwc.A], rwc[Rwc.B]
    if op == Op.MOVA2D or op == Op.MOVD2A or op == Op.MOVB2A:
        row.sums[0] += get(word, F.SRC)
    if op == Op.MOVB2D or op == Op.MOVD2B:
        row.sums[1] += get(word, F.SRC)
    if op == Op.MOVB2A:
        row.sums[1] += get(word, F.SRC_B)
    offset = read(sampled.thread_config, timing.thread, F.OFFSET)
    row.sums[2] = get(word, F.DST) + offset + rwc[Rwc.D]
    row.phase, row.bias = rwc[Rwc.PHASE], rwc[Rwc.BIAS]


@part
def _tell_settings(row: Record, sampled: Sampled, timing: Record) -> None:
    config, own = sampled.config, sampled.thread_config
    bank = read(own, timing.thread, F.STATE_ID) & 1
    for file in range(2):
        row.unpack_banks[file] = timing.unpack_bank[file]
        row.keeps_owner[file] = read(own, timing.thread, F.KEEPS_OWNER[file])
    row.fp32, row.absolute = read(config, bank, F.FP32), read(config, bank, F.ABSOLUTE)
    row.swizzle, row.remap = read(config, bank, F.SWIZZLE), read(config, bank, F.REMAP)


@part
def _counter(account: Record, timing: Record, which: int, cycle: int) -> Any:
    row = _row(account.counter, timing, cycle)
    row.counter = which
    row.old = timing.rwc[timing.thread, 2 * which]
    row.checkpoint = timing.rwc[timing.thread, 2 * which + 1]
    row.chosen = row.to_cr = row.clear = 0
    return row


@part
def _tell_modifier(account: Record, row: Record, own: Any, timing: Record, cycle: int) -> None:
    thread, number = timing.thread, timing.plan.modifier
    row.phase_clear = row.phase_step = row.bias_clear = row.bias_step = 0
    if number < 0:
        return
    row.phase_clear = read(own, thread, F.PHASE_CLEAR, number)
    row.phase_step = read(own, thread, F.PHASE_INCR, number)
    row.bias_clear = read(own, thread, F.BIAS_CLEAR, number)
    row.bias_step = read(own, thread, F.BIAS_INCR, number)
    for file in range(2):
        counter = _counter(account, timing, file, cycle)
        counter.amount = read(own, thread, F.SRC_INCR[file], number)
        counter.cr = read(own, thread, F.SRC_CR[file], number)
        counter.clear = read(own, thread, F.SRC_CLEAR[file], number)
    counter = _counter(account, timing, 2, cycle)
    counter.amount = read(own, thread, F.DEST_INCR, number)
    counter.cr = read(own, thread, F.DEST_CR, number)
    counter.clear = read(own, thread, F.DEST_CLEAR, number)
    counter.to_cr = read(own, thread, F.DEST_C_TO_CR, number)


@part
def _tell_counters(account: Record, timing: Record, cycle: int) -> None:
    """SETRWC, INCRWC."""
    word, sets = timing.word, timing.plan.op == Op.SETRWC
    for which in range(3):
        counter = _counter(account, timing, which, cycle)
        counter.amount = get(word, F.RWC[which])
        counter.cr = get(word, F.RWC_CR[which])
        if sets:
            counter.chosen = get(word, F.RWC_SET[which])
            counter.to_cr = get(word, F.D_TO_CR) if which == Target.DST else 0


@compiled
def sampled(account: Record, seen: Sampled, timing: Record, cycle: int) -> None:
    """An instruction has sampled; ``left`` and ``ended`` have the rest."""
    plan = timing.plan
    row = _row(account.instruction, timing, timing.issued)
    row.word, row.sampled = timing.word, cycle
    for place in range(3):
        row.cfg_writes[place] = row.setc16s[place] = 0
    row.cfg_writes[0] = timing.cfg_written == cycle - 1
    row.setc16s[0] = timing.own_written[timing.thread] == cycle - 1
    _tell_sums(row, seen, timing)
    _tell_settings(row, seen, timing)
    _tell_modifier(account, row, seen.thread_config, timing, cycle)
    if plan.op == Op.SETRWC or plan.op == Op.INCRWC:
        _tell_counters(account, timing, cycle)


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


@part
def _tell_results(account: Record, timing: Record, op: int, cycle: int) -> None:
    plan, rows, thread = timing.plan, timing.rows, timing.thread
    five, integers, wide = plan.e5[0], plan.integers, plan.wide
    if plan.op == Op.GMPOOL:
        five, integers = integers & 0, integers & 0
    for column in range(COLUMNS):
        row = new_row(account.result, cycle)
        row.thread, row.op = thread, op
        row.stored = rows.out[column]
        row.wide, row.five, row.integers = wide, five, integers


@part
def _tell_terms(account: Record, timing: Record, op: int, number: int, cycle: int) -> None:
    plan, rows, thread = timing.plan, timing.rows, timing.thread
    five, wide, inverted = plan.e5[0], plan.wide, _SIGN if plan.op == Op.ELWSUB else 0
    multiplies, added = plan.op == Op.ELWMUL, plan.exponent
    widened = 112 if five and wide else 0
    phase, accumulates = plan.phase, plan.accumulates
    for column in range(COLUMNS):
        row = new_row(account.term, cycle)
        row.thread, row.op = thread, op
        a = operand(plan, rows.a[number, column], 0)
        b = operand(plan, rows.b[number, 0 if plan.b_column else column], 1)
        b ^= inverted
        row.a, row.b = a, b
        row.zeros = (not counts(plan, a, 0)) | (not counts(plan, b, 1)) << 1
        e_a, e_b = a & 0xFF, b & 0xFF
        row.distance = e_a - e_b
        size_a, size_b = e_a << 10 | (a >> 8) & 0x3FF, e_b << 10 | (b >> 8) & 0x3FF
        row.larger = (size_a > size_b) + 2 * (size_b > size_a)
        row.opposite = ((a ^ b) & _SIGN) != 0
        row.exponent = e_a + e_b + added if multiplies else max(e_a, e_b) + widened
        row.phase, row.wide, row.five, row.accumulates = phase, wide, five, accumulates
        row.old = exponent_in_dst(plan, rows.d[number, column])


@part
def _ones(bits: int) -> int:
    """How many bits are set."""
    number = 0
    while bits:
        bits &= bits - 1
        number += 1
    return number


@part
def _tell_dots(account: Record, timing: Record, op: int, cycle: int) -> None:
    thread, phase = timing.thread, timing.plan.phase
    for column in range(COLUMNS):
        row, note = new_row(account.dot_, cycle), timing.rows.dots[column]
        row.thread, row.op = thread, op
        row.tops[0], row.tops[1] = note.tops[0], note.tops[1]
        row.zeros, row.phase = _ones(note.zeros), phase
        for place in range(5):
            row.shifts[place] = note.shifts[place]


@part
def _tell_maxima(account: Record, timing: Record, op: int, cycle: int) -> None:
    for column in range(COLUMNS):
        row = new_row(account.maximum, cycle)
        row.thread, row.op = timing.thread, op
        row.of_a = ordered(largest_of_a(timing.plan, timing.rows, column))
        row.of_dst = ordered(held_in_dst(timing.plan, timing.rows, column))


@part
def _tell_moved(account: Record, timing: Record, op: int, number: int, cycle: int) -> None:
    plan, rows = timing.plan, timing.rows
    for column in range(COLUMNS):
        row = new_row(account.moved, cycle)
        row.thread, row.op = timing.thread, op
        row.datum = rows.a[number, column] if plan.op == Op.MOVA2D else rows.b[number, column]
        row.keeps_denormals = plan.keeps_denormals


@compiled
def row_written(account: Record, timing: Record, number: int, cycle: int) -> None:
    """A row is written, from those that were read for it."""
    plan, op = timing.plan, _NUMBER[timing.plan.op]
    row = _row(account.row, timing, cycle)
    row.target = plan.target
    ones = (DST_ROWS if plan.target == Target.DST else SRC_ROWS) - 1
    row.number = (plan.writes.row + number) & ones
    row.reads_dst = row.wide = row.valid = 0
    if number < plan.reads[2].length:
        row.reads_dst, row.wide, row.valid = 1, plan.wide_read, timing.rows.row_valid[number]
    if plan.op == Op.MOVA2D or plan.op == Op.MOVB2D:
        _tell_moved(account, timing, op, number, cycle)
    elif is_elementwise(plan.op):
        _tell_results(account, timing, op, cycle)
        if not plan.integers:
            _tell_terms(account, timing, op, number, cycle)
    elif is_matrix_product(plan.op):
        _tell_results(account, timing, op, cycle)
        if not plan.integers:
            _tell_dots(account, timing, op, cycle)
    elif plan.op == Op.GMPOOL:
        _tell_results(account, timing, op, cycle)
        if number == 0 and not plan.integers and not plan.e5[0]:
            _tell_maxima(account, timing, op, cycle)


# ── Pauses, the end ──────────────────────────────────────────────────────────────────────────────


@part
def _reads(plan: Record, step: int) -> bool:
    """Whether a row is read in that cycle of the instruction."""
    found = False
    for file in range(3):
        found |= 0 <= step - plan.reads[file].first < plan.reads[file].length
    return found


@compiled
def paused(account: Record, timing: Record, cycle: int) -> None:
    """A cycle in which nothing happens to the instruction that is inside."""
    memory, plan, step = account.memory, timing.plan, timing.step
    begun = account.pause.count
    if begun > memory.whole.pause:
        row = account.pause.rows[begun - 1]
        if cycle - row.cycle == row.cycles:
            row.cycles += 1
            return
    row = _row(account.pause, timing, cycle)
    row.op, row.cycles = _NUMBER[timing.word >> 24], 1
    row.sampled, row.kept = timing.sampled, timing.sampled and _reads(plan, step - 1)
    row.reads = timing.sampled and _reads(plan, step)
    row.writes = timing.sampled and 0 <= step - plan.writes.first < plan.writes.length
    row.last = timing.sampled and step == plan.cycles - 1


@compiled
def left(account: Record, timing: Record, cycle: int) -> None:
    """The last cycle."""
    plan = timing.plan
    row = account.instruction.rows[account.instruction.count - 1]
    row.last, row.plan = cycle, plan
    for file in range(2):
        row.owners[file] = timing.owner[file, plan.banks[file]]


@compiled
def ended(account: Record, timing: Record, cycle: int) -> None:
    """A cycle ends in which an instruction was inside: writes to what it has sampled."""
    memory = account.memory
    if timing.sampled:
        row = account.instruction.rows[account.instruction.count - 1]
        place = 1 if row.sampled == cycle else 2
        row.cfg_writes[place] += timing.cfg_written == cycle
        row.setc16s[place] += timing.own_written[row.thread] == cycle
    if not timing.inside:
        whole = memory.whole
        whole.instruction, whole.counter = account.instruction.count, account.counter.count
        whole.row, whole.result = account.row.count, account.result.count
        whole.term, whole.dot_ = account.term.count, account.dot_.count
        whole.maximum, whole.moved = account.maximum.count, account.moved.count
        whole.pause = account.pause.count


@compiled
def stored(account: Record, store: Record, setc16: int, cycle: int) -> None:
    """A core's store; ``setc16``: index of the SETC16 of its thread in the same cycle, or -1."""
    row = new_row(account.store, cycle)
    account.memory.whole.store = account.store.count
    row.thread, row.index, row.setc16 = store.thread, store.index, setc16
