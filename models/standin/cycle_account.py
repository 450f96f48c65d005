# SPDX-License-Identifier: Apache-2.0
"""How the account is written while the cycles pass; with an account alone anything is called."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.matrix import COLUMNS
from tilepath.models.standin import fields as F
from tilepath.models.standin.arithmetic import counts, exponent_in_dst, operand
from tilepath.models.standin.fields import read
from tilepath.models.standin.moves import held_in_dst, largest_of_a, ordered
from tilepath.models.standin.plan import COUNTERS, DST_ROWS, OPS, SRC_ROWS, Op, Sampled, Target
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


@compiled
def sampled(account: Record, seen: Sampled, timing: Record, cycle: int) -> None:
    """An instruction has sampled; ``left`` and ``ended`` have the rest."""
    thread, number = timing.thread, timing.plan.modifier
    config, own = seen.config, seen.thread_config
    bank = read(own, thread, F.STATE_ID) & 1
    row = _row(account.instruction, timing, timing.issued)
    row.word, row.sampled = timing.word, cycle
    for place in range(3):
        row.cfg_writes[place] = row.setc16s[place] = 0
    row.cfg_writes[0] = timing.cfg_written == cycle - 1
    row.setc16s[0] = timing.own_written[thread] == cycle - 1
    for counter in range(COUNTERS):
        row.rwc[counter] = timing.rwc[thread, counter]
    row.offset = read(own, thread, F.OFFSET)
    row.mod_ab = row.mod_dst = row.mod_bias = 0
    if number >= 0:
        row.mod_ab = own[thread, F.SRC_INCR[0].word + number]
        row.mod_dst = own[thread, F.DEST_INCR.word + number]
        row.mod_bias = own[thread, F.BIAS_INCR.word + number]
    for file in range(2):
        row.unpack_banks[file] = timing.unpack_bank[file]
        row.keeps_owner[file] = read(own, thread, F.KEEPS_OWNER[file])
    row.fp32, row.absolute = read(config, bank, F.FP32), read(config, bank, F.ABSOLUTE)
    row.swizzle, row.remap = read(config, bank, F.SWIZZLE), read(config, bank, F.REMAP)


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
        whole.instruction, whole.row = account.instruction.count, account.row.count
        whole.result, whole.term = account.result.count, account.term.count
        whole.dot_, whole.maximum = account.dot_.count, account.maximum.count
        whole.moved, whole.pause = account.moved.count, account.pause.count


@compiled
def stored(account: Record, store: Record, setc16: int, cycle: int) -> None:
    """A core's store; ``setc16``: index of the SETC16 of its thread in the same cycle, or -1."""
    row = new_row(account.store, cycle)
    account.memory.whole.store = account.store.count
    row.thread, row.index, row.setc16 = store.thread, store.index, setc16
