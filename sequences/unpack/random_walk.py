# SPDX-License-Identifier: Apache-2.0
"""The walk over rows of table ``unpacr``: which ones suit the machine's state, and their words.

Whether one suits, the golden model says, which is asked for its plan.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.models.unpack.ask import Model, ask, pass_by
from tilepath.models.unpack.sample_source import x_dim
from tilepath.models.unpack.settings import read
from tilepath.sequences.adc.words import OPCODES
from tilepath.sequences.unpack.plan import reach
from tilepath.sequences.unpack.setup_table import AREA
from tilepath.sequences.unpack.tables import LAST

X, Y, Z, W, X1, Y1, Z1, W1 = range(8)
SETADC: Final = OPCODES["setadc"]
SETADCXX: Final = OPCODES["setadcxx"]
SETADCXY: Final = OPCODES["setadcxy"]
SETADCZW: Final = OPCODES["setadczw"]
INCADCXY: Final = OPCODES["incadcxy"]
TRIES: Final = 6
_MOST_WORDS: Final = 64
_PART: Final = 128
"""Positions of output of a part of a compressed row, which can take 45 cycles for each four."""
_MULTI, _COUNTER, _SEARCH, _FLIP = 1 << 7, 1 << 3, 1 << 2, 1 << 6

# What the walk reads of a row of table ``unpacr``
ROW: Final = record(
    **dict.fromkeys(
        ("faults", "multi", "other", "adc", "context", "word", "twist", "anew", "counts", "calm",
         "x", "y", "z", "w", "y1", "z1", "w1", "whole", "px", "more", "span", "joint", "packed",
         "gap"),
        np.int64,
    ),
    far=(np.int64, 4),
    again=(np.int64, 8),
)  # fmt: skip
# What one thread does with one unpacker in a scene; and what a step came to
LANE: Final = record(
    thread=np.int64,
    unpacker=np.int64,
    place=np.int64,  # first byte of the area of L1
    shared=np.int64,  # another thread drives the unpacker too
    most=np.int64,  # datums, and positions of output, of an UNPACR
    wild=np.int64,  # it need not be legal
    adc=np.int64,  # whose X and Y it uses
    values=(np.int64, 8),  # of the counters
    before=(np.int64, (2, 8)),
    told=(np.int64, 4),  # rows used, whether one is issued, whether it flips in vain, its gap
    words=(np.int64, _MOST_WORDS),
    word_count=np.int64,
)


@part
def _word(model: Model, lane: Record, row: Record, attempt: int) -> int:
    own, ctx = row.adc, row.context
    if row.multi:
        own = own % 3 if row.other and not lane.shared else lane.thread
    if lane.unpacker and not lane.wild:
        offset = model.states[0].settings.fields[1].context_offset
        ctx = (ctx & 1) - read(model.sampled.thread_config, lane.thread, offset) & 7
    word: int = row.word | lane.unpacker << 23 | ctx << 10 | own << 8
    if attempt >= 3:
        word &= ~_COUNTER
    if not lane.wild:
        return word
    # counters of a thread that sets them meanwhile would say how much is written
    return word ^ (row.twist & ~(3 << 8) if lane.shared else row.twist)


@part
def _fits(lane: Record, plan: Record, found: Record) -> bool:
    """Whether the instruction is legal; if wild, it need not be."""
    source = plan.source
    if lane.wild:
        return True
    if found.faults or found.unsure:
        return False
    first, last = lane.place, lane.place + AREA
    for k in range(found.piece_count):
        pointer, count = found.pieces[k, 0], found.pieces[k, 1]
        if source.compressed and not source.exponents <= pointer // 16 < source.datums:
            return False  # a wrap to where RSI or datums are
        if pointer < first * 16 or pointer + count > last * 16:
            return False
    return bool(found.low >= first * 4 and found.high <= last * 4 and found.group < last)


@part
def _set_packed_values(
    model: Model, lane: Record, row: Record, word: int, dims: tuple[int, int, int]
) -> None:
    """Values that suit a compressed tile; ``dims``: rows, ZDim and WDim."""
    values, (rows, z_dim, w_dim) = lane.values, dims
    values[Y] = row.far[0] * max(1, rows) >> 12
    values[Z] = row.far[1] * max(1, z_dim) >> 12
    values[W] = row.far[2] * max(1, w_dim) >> 12
    if word & _SEARCH:
        values[X] = min(values[Y] + row.more, max(0, rows - 1))
    elif row.whole:
        state = model.states[0]
        ask(model, lane.thread, word)
        values[X] = 0
        values[X1] = x_dim(state.settings, state.plan, model.sampled) - 1
    else:
        values[X] = row.px
        values[X1] = row.px + row.span


@part
def _set_values(model: Model, lane: Record, row: Record, word: int, calm: bool) -> None:
    """Values of the eight counters that suit ``word``."""
    config, fields = model.sampled.config, model.states[0].settings.fields[lane.unpacker]
    bank = read(model.sampled.thread_config, lane.thread, fields.state_id)
    y_dim, z_dim = read(config, bank, fields.tile_y), read(config, bank, fields.tile_z)
    w_dim, blobs = read(config, bank, fields.tile_w), read(config, bank, fields.tile_blobs)
    values, search = lane.values, word & _SEARCH
    count = row.calm if calm else row.counts
    if lane.adc != lane.thread:
        count = min(count, 48)
    for k in range(8):
        values[k] = 0
    if not calm:
        values[X] = row.x
        values[Y] = row.y if row.y != LAST else row.far[0] * y_dim >> 12
        values[Z] = row.z if row.z != LAST else max(0, z_dim - 1)
        values[W] = row.w if row.w != LAST else max(0, w_dim - 1)
        values[Y1], values[Z1], values[W1] = row.y1, row.z1, row.w1
    if read(config, bank, fields.tileize) or read(config, bank, fields.haloize):
        values[X] = values[X] & 16 if count <= 256 else 0
    if count == 0:
        values[X] = max(1, values[X])
    values[X1] = values[X] + count - 1
    plain = fields.disable_compress[0] if word & _MULTI else fields.tile_uncompressed
    if not read(config, bank, plain) & 1:
        rows = blobs if blobs and search else y_dim
        _set_packed_values(model, lane, row, word, (rows, z_dim, w_dim))
    elif search and not blobs:
        values[X1] = count
    elif search:
        values[X] = row.far[3] * 7 >> 12


@part
def _reach(model: Model, lane: Record, found: Record, word: int) -> bool:
    """What ``word`` would read and write now; whether it suits the lane."""
    ask(model, lane.thread, word)
    is_short = reach(model, lane.most, _PART, lane.wild, found)
    return is_short and _fits(lane, model.states[0].plan, found)


@part
def _try(model: Model, lane: Record, found: Record, word: int) -> bool:
    """The same if the counters had the lane's values: X, Y, X1 of its set of both."""
    theirs = model.sampled.live[lane.adc, lane.unpacker]
    own = model.sampled.live[lane.thread, lane.unpacker]
    for k in range(8):
        lane.before[0, k], lane.before[1, k] = theirs[k >> 2, k & 3], own[k >> 2, k & 3]
    for k in range(8):
        if k not in (X, Y, X1):
            own[k >> 2, k & 3] = lane.values[k]
    for k in (X, Y, X1):
        theirs[k >> 2, k & 3] = lane.values[k]
    suits = _reach(model, lane, found, word)
    for k in range(8):
        theirs[k >> 2, k & 3] = lane.before[0, k]
        own[k >> 2, k & 3] = lane.before[1, k]
    return suits


@part
def _issue(model: Model, lane: Record, word: int) -> None:
    if lane.word_count < _MOST_WORDS:
        lane.words[lane.word_count] = word
        lane.word_count += 1
        pass_by(model, lane.thread, word)


@part
def _one(model: Model, lane: Record, op: int, k: int, value: int) -> None:
    """An instruction with 3-bit values that touches X or X1, of the lane's other set."""
    place = k >> 1
    word = op << 24 | 1 << 21 + lane.unpacker | lane.adc + 1 << 18 | value << 6 + 3 * place
    _issue(model, lane, word | 1 << place if op == SETADCXY else word)


@part
def _set(model: Model, lane: Record, k: int, override: int) -> None:
    """Words that set counter ``k``: as ``sequences.adc.words.set_words`` has it."""
    value = lane.values[k]
    if override == 0 or k & 3:
        word = SETADC << 24 | 1 << 21 + lane.unpacker | k << 18 | value | override << 16
        _issue(model, lane, word)
        return
    _one(model, lane, SETADCXY, k, min(value, 7))
    rest = max(0, value - 7)
    while rest:
        _one(model, lane, INCADCXY, k, min(rest, 7))
        rest -= min(rest, 7)


@part
def _set_counters(model: Model, lane: Record, row: Record) -> None:
    """The counters as they must be: X, Y, X1 of set ``adc``, the others of the own one."""
    u, t, values = lane.unpacker, lane.thread, lane.values
    override = 0 if lane.adc == t else lane.adc + 1
    todo, top = 0, 0
    for k in range(8):
        of = lane.adc if k in (X, Y, X1) else t
        if model.sampled.live[of, u, k >> 2, k & 3] != values[k] or row.again[k]:
            todo |= 1 << k
            top = top if k in (X, Y, X1) else max(top, values[k])
    both = 1 << X | 1 << X1
    if row.joint and not override and todo & both == both and max(values[X], values[X1]) < 1024:
        word = SETADCXX << 24 | 1 << 21 + u | values[X1] << 10 | values[X]
        _issue(model, lane, word)
        todo &= ~both
    for k in (X, Y, X1):
        if todo >> k & 1:
            _set(model, lane, k, override)
    near = todo & ~(both | 1 << Y)
    if row.packed and near and not near >> Y1 & 1 and top < 8:
        word = SETADCZW << 24 | 1 << 21 + u
        for place in range(4):
            k = Z + (place & 1) + 4 * (place >> 1)
            if near >> k & 1:
                word |= values[k] << 6 + 3 * place | 1 << place
        _issue(model, lane, word)
        return
    for k in (Z, W, Y1, Z1, W1):
        if near >> k & 1:
            _set(model, lane, k, 0)


@compiled
def step(model: Model, reaches: Records, lanes: Records, rows: Records, at: int) -> None:
    """One more instruction of a lane: the first of some rows from ``at`` on that suits."""
    found, lane = reaches[0], lanes[0]
    lane.word_count = 0
    lane.wild = rows[at].faults
    lane.told[0], lane.told[1] = TRIES, 0
    for attempt in range(TRIES):
        row = rows[at + attempt]
        word = _word(model, lane, row, attempt)
        anew = attempt > 0 or row.anew != 0
        if anew:
            lane.adc = word >> 8 & 3 if word & _MULTI else lane.thread
            lane.adc = 0 if lane.adc == 3 else lane.adc
            _set_values(model, lane, row, word, attempt >= TRIES - 2)
            suits = _try(model, lane, found, word)
        else:
            suits = _reach(model, lane, found, word)
        if not suits:
            continue
        in_vain = word & _FLIP and not found.writes
        lane.told[0] = attempt + 1
        if in_vain and lane.shared:
            return
        if anew:
            _set_counters(model, lane, row)
        _issue(model, lane, word)
        lane.told[1], lane.told[2], lane.told[3] = 1, in_vain != 0, row.gap
        return
