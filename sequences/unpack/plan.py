# SPDX-License-Identifier: Apache-2.0
"""What an UNPACR would read and write: how far the golden model's walk goes, without data.

:func:`reach` follows the plan that the model was asked for (``models.unpack.ask``).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.models.unpack import l1_walk, to_registers
from tilepath.models.unpack.ask import Model
from tilepath.models.unpack.faults import FAULTS, Flag
from tilepath.models.unpack.formats import datum_quarters
from tilepath.models.unpack.plan import LOW32
from tilepath.models.unpack.sample_source import set_sections

WARNINGS: Final = frozenset(FAULTS[FAULTS.index("transpose_srcb") :])
_WARNINGS: Final = (1 << len(FAULTS)) - Flag.TRANSPOSE_SRCB
_QUARTERS: Final = tuple(map(datum_quarters, range(16)))
_RUNS: Final = 1024
_PIECES: Final = 64
_FAR: Final = 1 << 60

# A Regular UNPACR. Addresses of rows in quarters of a byte, of exponents in sixteenths
REACH: Final = record(
    code=np.int64,  # of the datums in L1
    compressed=np.int64,
    to_dst=np.int64,
    faults=np.int64,  # whether it is illegal, whatever its data are
    unsure=np.int64,  # whether exponents are put where its deltas are, after it was asked for
    count=np.int64,  # datums
    slots=np.int64,  # how far OutAddr moves
    writes=np.int64,  # whether a slot is written
    low=np.int64,  # of what is read of rows or groups, and the end of rows
    high=np.int64,
    group=np.int64,  # the highest byte that compressed datums take
    rsi=(np.int64, 2),  # byte addresses of the section and of the last entry that is read
    run_count=np.int64,
    runs=(np.int64, (_RUNS, 3)),  # rows in L1 that follow one another: where, first datum, end
    piece_count=np.int64,
    pieces=(np.int64, (_PIECES, 2)),  # exponents: where, how many
)


def quarters(code: int) -> int:
    """Size of a datum of format ``code`` in quarters of a byte."""
    return _QUARTERS[code]


def bits(code: int) -> int:
    """Size of a datum of format ``code`` in bits."""
    return 2 * quarters(code)


@part
def _add_run(source: Record, found: Record, pointer: int, first: int, count: int) -> None:
    """Datums that lie behind one another from ``pointer`` on."""
    found.low = min(found.low, pointer)
    end = pointer + count * source.quarters
    if source.compressed:
        found.group = max(found.group, (end + 3) // 4)
        return
    found.high = max(found.high, end)
    last = found.runs[max(0, found.run_count - 1)]
    if found.run_count and last[0] + (first - last[1]) * source.quarters == pointer:
        last[2] = first + count
    elif found.run_count < _RUNS:
        run = found.runs[found.run_count]
        run[0], run[1], run[2] = pointer, first, first + count
        found.run_count += 1


@part
def _add_piece(found: Record, pointer: int, count: int) -> None:
    """Exponents, a line at most."""
    last = found.pieces[max(0, found.piece_count - 1)]
    if found.piece_count and pointer & 255 and last[0] + last[1] == pointer:
        last[1] += count
    elif found.piece_count < _PIECES:
        piece = found.pieces[found.piece_count]
        piece[0], piece[1] = pointer, count
        found.piece_count += 1


@part
def _add(source: Record, found: Record, run: Record, count: int) -> None:
    """The first ``count`` datums of a run of the walk, with their exponents and deltas."""
    _add_run(source, found, run.datum, found.count, count)
    if source.compressed:
        found.low = min(found.low, 2 * run.delta)
        found.group = max(found.group, (2 * (run.delta + count) + 5) // 4)
        if source.exponents <= run.delta // 2 < source.datums:  # by a wrap
            found.unsure = 1
    if source.reads_exponents:
        _add_piece(found, run.exponent, count)
    found.count += count


@part
def _write(state: Record, found: Record) -> int:
    """The steps of a beat, whose values do not matter; returns how many datums they take."""
    plan, beat, writer, step = state.plan, state.beat, state.writer, state.step
    taken: int = beat.count
    if found.writes and not plan.source.bounded:  # how many slots there are is all that is left
        for k in range(beat.count):
            writer.out_addr += (1 + beat.nibbles[k]) * (1 + plan.target.zeros)
        step.ends = beat.ends
    else:
        to_registers.begin_beat(writer)
        step.ends_beat = 0
        while step.ends_beat == 0:
            to_registers.next_step(plan, writer, beat, step)
            found.writes |= step.writes
        if plan.source.bounded:
            taken = writer.datum + (writer.zero != to_registers.NO_ZERO)
    found.slots = (writer.out_addr - plan.target.out_addr) & LOW32
    return taken


@part
def reach(model: Model, most: int, part: int, wild: int, found: Record) -> bool:
    """What the plan of a Regular UNPACR reads and writes, unless that is too long or illegal.

    Of datums and of slots there may be ``most``, of the slots of a bounded output ``part``.
    ``wild``: it need not be legal.
    """
    state = model.states[0]
    plan, result, source, beat = state.plan, state.result, state.plan.source, state.beat
    found.faults = plan.faults & ~_WARNINGS | result.read_faults
    found.unsure = found.count = found.slots = found.writes = found.group = found.high = 0
    found.run_count = found.piece_count = 0
    found.low = _FAR
    found.code, found.compressed = source.in_format, source.compressed
    found.to_dst = plan.target.to_dst
    if source.compressed:
        found.rsi[0] = set_sections(state.settings, plan, model.sampled)
        found.rsi[1] = max(source.rsi_first, source.rsi_end)
    if source.bounded:
        is_long = source.items * (1 + plan.target.zeros) > min(most, part)
    else:
        is_long = source.count > most
    beyond = source.compressed and found.rsi[1] >= source.exponents  # a row the tile has not
    if is_long or (not wild and (found.faults or beyond)):
        return False
    l1_walk.begin(source, state.cursor)
    to_registers.begin(plan, state.writer)
    is_over = source.count == 0 or result.read_faults != 0
    while not is_over and found.count <= most and found.slots <= most:
        l1_walk.next_beat(plan, state.cursor, l1_walk.most_lines(source), beat)
        found.faults |= l1_walk.read_nibbles(plan, beat, model.l1) | beat.starts_unaligned
        left = _write(state, found)
        for number in range(beat.run_count):
            if left > 0:
                run = beat.runs[number]
                _add(source, found, run, min(left, run.count))
                left -= run.count
        is_over = state.step.ends != 0
    if found.slots:  # rows ascend; as if the last slot were written
        found.faults |= to_registers.row_faults(plan, plan.target.out_addr + found.slots - 1)
    return bool(found.count <= most and found.slots <= most)
