# SPDX-License-Identifier: Apache-2.0
"""The account of the math stand-in: what instructions saw, read, made and waited for, a row each.

The model keeps it where it is asked to (``compiled``). An instruction's rows come when it has
left; of one that is inside at the end of a run there are none. Numbers: ``op`` as in ``plan.OPS``,
``thread`` 0 to 2, files SrcA, SrcB, Dst; banks and data as in docs/standin.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of, new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, attribute, record
from tilepath.isa.boundary.matrix import COLUMNS
from tilepath.models.standin import fields as F
from tilepath.models.standin.arithmetic import counts, exponent_in_dst, operand
from tilepath.models.standin.fields import read
from tilepath.models.standin.moves import held_in_dst, largest_of_a, ordered
from tilepath.models.standin.plan import (
    COUNTERS,
    DOT_NOTE,
    DST_ROWS,
    OPS,
    PLAN,
    SRC_ROWS,
    Op,
    Sampled,
    Target,
)
from tilepath.models.standin.sample import is_elementwise, is_matrix_product

# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "thread": np.uint8, "op": np.uint8}

INSTRUCTION: Final = record(  # one that has left (M30); what it saw is as sampled
    **_WHEN,  # of its issue
    word=np.uint32,
    sampled=np.uint32,  # cycle
    last=np.uint32,
    # writes to Config, and of its thread by SETC16: one cycle before sampling, in that cycle, later
    cfg_writes=(np.uint16, 3),
    setc16s=(np.uint16, 3),
    rwc=(np.int64, COUNTERS),  # as in ``plan.Rwc``
    offset=np.uint16,  # rows
    # words of the address modifier that is applied (M6); 0: none
    mod_ab=np.uint32,
    mod_dst=np.uint32,
    mod_bias=np.uint32,
    fp32=np.uint8,  # Fp32_enabled
    # Dst's addresses (P52, M27), as configured
    swizzle=np.uint8,
    remap=np.uint8,
    absolute=np.uint8,
    # SrcA's and SrcB's banks (M7, M28)
    unpack_banks=(np.uint8, 2),
    keeps_owner=(np.uint8, 2),  # ThreadConfig: giving back leaves the owner
    owners=(np.uint8, 2),  # of its banks, in the last cycle; 1: Matrix Unit
    plan=PLAN,
)
ROW: Final = record(  # a row written (M31)
    **_WHEN,
    target=np.uint8,  # a ``plan.Target``
    number=np.uint16,  # of the row in its file
    reads_dst=np.uint8,  # whether a row of Dst was read for it, its width and valid bit (M14)
    wide=np.uint8,
    valid=np.uint8,
)
RESULT: Final = record(  # a datum that an arithmetic instruction writes to Dst (M20, M21, M23)
    **_WHEN,
    stored=np.uint32,
    wide=np.uint8,
    five=np.uint8,  # whether it was computed with five bits of exponent
    integers=np.uint8,
)
TERM: Final = record(  # a datum of ELWMUL, ELWADD, ELWSUB, without integers
    **_WHEN,
    a=np.uint32,  # as cut (M11); of ELWSUB, b has its sign inverted (M13)
    b=np.uint32,
    zeros=np.uint8,  # bit 0 SrcA's counts as 0 (M13), bit 1 SrcB's
    # of a product the sum (M17); of a sum the larger one, 112 more if a wide Dst holds five bits
    exponent=np.int16,
    phase=np.uint8,
    wide=np.uint8,
    five=np.uint8,
    accumulates=np.uint8,
    old=np.uint8,  # exponent of what was read of Dst (M19)
)
DOT: Final = record(  # a datum of MVMUL or GAPOOL, without integers (M18)
    **_WHEN,
    note=DOT_NOTE,
    phase=np.uint8,
)
MAXIMUM: Final = record(  # a datum of GMPOOL as it should be used, of row 0 (M23)
    **_WHEN,
    of_a=np.int32,  # the largest of SrcA, as a number by which data compare
    of_dst=np.int32,  # what Dst held
)
MOVED: Final = record(  # a datum read by MOVA2D or MOVB2D (M24)
    **_WHEN,
    datum=np.uint32,
    keeps_denormals=np.uint8,
)
PAUSE: Final = record(  # pauses one after the other while an instruction is inside (M32)
    **_WHEN,  # of the first
    cycles=np.uint32,
    kept=np.uint8,  # whether a row was read in the cycle before
    sampled=np.uint8,  # whether the instruction has been; and what its next cycle does
    reads=np.uint8,
    writes=np.uint8,
    last=np.uint8,
)
STORE: Final = record(  # a core's store to ThreadConfig
    cycle=np.uint32,
    thread=np.uint8,
    index=np.uint8,
    setc16=np.int16,  # index of the SETC16 of that thread in the same cycle, which wins; -1: none
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "instruction": INSTRUCTION, "row": ROW, "result": RESULT, "term": TERM,
    "dot": DOT, "maximum": MAXIMUM, "moved": MOVED, "pause": PAUSE, "store": STORE,
}  # fmt: skip
# Most rows of a cycle; an instruction has those of half of ``_LONGEST`` at most
_MOST: Final = dict.fromkeys(("result", "term", "dot", "maximum", "moved"), 16)
_LONGEST: Final = 64  # cycles

MEMORY: Final = record(
    # rows of instructions that have left
    whole=record(**dict.fromkeys(map(attribute, KINDS), np.int64)),
)
CYCLES: Final = 2048  # in which anything happens, in a pass
ACCOUNT: Final = account_of(KINDS, CYCLES + _LONGEST, _MOST, MEMORY)


def whole_rows(told: Mapping[str, Records], following: Records) -> dict[str, Records]:
    """The rows of instructions that have left; the others begin the next pass."""
    whole = following["memory"]["whole"]
    found = {}
    for kind, rows in told.items():
        field = attribute(kind)
        left = rows[int(whole[field][0]) :]
        following[field]["rows"][0, : len(left)] = left
        following[field]["count"] = len(left)
        found[kind] = rows[: int(whole[field][0])]
        whole[field] = 0
    return found


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
def _tell_results(account: Record, timing: Record, cycle: int) -> None:
    plan, rows = timing.plan, timing.rows
    five, integers, wide = plan.e5[0], plan.integers, plan.wide
    if plan.op == Op.GMPOOL:
        five, integers = integers & 0, integers & 0
    for column in range(COLUMNS):
        row = _row(account.result, timing, cycle)
        row.stored = rows.out[column]
        row.wide, row.five, row.integers = wide, five, integers


@part
def _tell_terms(account: Record, timing: Record, number: int, cycle: int) -> None:
    plan, rows = timing.plan, timing.rows
    five, wide, inverted = plan.e5[0], plan.wide, _SIGN if plan.op == Op.ELWSUB else 0
    multiplies, added = plan.op == Op.ELWMUL, plan.exponent
    widened = 112 if five and wide else 0
    phase, accumulates = plan.phase, plan.accumulates
    for column in range(COLUMNS):
        row = _row(account.term, timing, cycle)
        a = operand(plan, rows.a[number, column], 0)
        b = operand(plan, rows.b[number, 0 if plan.b_column else column], 1)
        b ^= inverted
        row.a, row.b = a, b
        row.zeros = (not counts(plan, a, 0)) | (not counts(plan, b, 1)) << 1
        e_a, e_b = a & 0xFF, b & 0xFF
        row.exponent = e_a + e_b + added if multiplies else max(e_a, e_b) + widened
        row.phase, row.wide, row.five, row.accumulates = phase, wide, five, accumulates
        row.old = exponent_in_dst(plan, rows.d[number, column])


@part
def _tell_dots(account: Record, timing: Record, cycle: int) -> None:
    for column in range(COLUMNS):
        row = _row(account.dot_, timing, cycle)
        row.note, row.phase = timing.rows.dots[column], timing.plan.phase


@part
def _tell_maxima(account: Record, timing: Record, cycle: int) -> None:
    for column in range(COLUMNS):
        row = _row(account.maximum, timing, cycle)
        row.of_a = ordered(largest_of_a(timing.plan, timing.rows, column))
        row.of_dst = ordered(held_in_dst(timing.plan, timing.rows, column))


@part
def _tell_moved(account: Record, timing: Record, number: int, cycle: int) -> None:
    plan, rows = timing.plan, timing.rows
    for column in range(COLUMNS):
        row = _row(account.moved, timing, cycle)
        row.datum = rows.a[number, column] if plan.op == Op.MOVA2D else rows.b[number, column]
        row.keeps_denormals = plan.keeps_denormals


@compiled
def row_written(account: Record, timing: Record, number: int, cycle: int) -> None:
    """A row is written, from those that were read for it."""
    plan = timing.plan
    row = _row(account.row, timing, cycle)
    row.target = plan.target
    ones = (DST_ROWS if plan.target == Target.DST else SRC_ROWS) - 1
    row.number = (plan.writes.row + number) & ones
    row.reads_dst = row.wide = row.valid = 0
    if number < plan.reads[2].length:
        row.reads_dst, row.wide, row.valid = 1, plan.wide_read, timing.rows.row_valid[number]
    if plan.op == Op.MOVA2D or plan.op == Op.MOVB2D:
        _tell_moved(account, timing, number, cycle)
    elif is_elementwise(plan.op):
        _tell_results(account, timing, cycle)
        if not plan.integers:
            _tell_terms(account, timing, number, cycle)
    elif is_matrix_product(plan.op):
        _tell_results(account, timing, cycle)
        if not plan.integers:
            _tell_dots(account, timing, cycle)
    elif plan.op == Op.GMPOOL:
        _tell_results(account, timing, cycle)
        if number == 0 and not plan.integers and not plan.e5[0]:
            _tell_maxima(account, timing, cycle)


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
