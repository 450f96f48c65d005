# SPDX-License-Identifier: Apache-2.0
"""What comes while the packers work: writes that should wait, rows, words of the counters."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.draw import Draw
from tilepath.engine.stimulus.tables import Table, chance, uniform
from tilepath.isa.constants import CFG_THCON_BASE
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import words
from tilepath.sequences.pack.dst import ROWS, RUN, RUN_WORDS
from tilepath.sequences.pack.script import PACKERS, Script
from tilepath.tb.pack.streams import THREADS

DISTURB: Final = Table(
    "disturb",
    zeroed=chance(0.0),
    times=uniform(1, 24),
    columns=chance(0.0),
    masks=uniform(0, 5, shape=RUN),
    writes=chance(0.0, faulty=True),
    configs=chance(0.0, faulty=True),
    histograms=chance(0.0, faulty=True),
    strays=chance(0.0, faulty=True),
    switches=chance(0.0, faulty=True),
    early=chance(0.0, faulty=True),
).aimed(
    columns="dst_write.columns",
    writes="rows.written_x_asked",
    configs="cfg.banks_x_wide_x_global",
    histograms="histogram.clear_x_last_row",
    strays="fault.counter_x_thread",
)
"""Scenes of which other tables do not tell. ``zeroed``: ZEROACC, so many ``times``, in cycles in
which rows are written; ``columns``: these have some, by ``masks``. The rest comes in the midst of
instructions: ``writes`` of the same rows (of no column: what packers get does not depend on the
cycle), ``configs``; ``histograms`` are read and cleared; ``strays``: words of the counters that
do nothing, or that meet what a PACR does to them. ``switches``: to contexts that differ in what is
to stay while a tile is open. ``early``: in the first cycles of all, a SETREG and rows.
"""
Run = tuple[Any, ...]
"""Fields of ``dst_write``."""
MASKS: Final = (0xFFFF, 0, 0x0FF0, 0x7FFF, 1, 0x8000)
_WRITES: Final = 150
_WORD: Final = (1 << 32) - 1
_READ: Final = 0, 1, 2, 13, 18, 25, 31, 33, 71, 99, 150
"""Words of Config that packers read, of either kind of register."""
_SOME: Final = 14, 33, 40, 64, *range(204, 208)
"""Words that decide little, or nothing."""


def in_the_first_cycles(script: Script) -> None:
    """A SETREG, and a run of rows that needs banks twice."""
    is_bh = words.is_bh(script.profile)
    script.word(0, words.setreg_bh(0) if is_bh else words.setreg(0))
    script.add("dst_write", (124, RUN, (0xFFFF,) * RUN, (0x3F80_3F80,) * RUN_WORDS))


def disturb(script: Script, d: Draw) -> None:
    """What should wait until the packers are idle."""
    if d.chance(0.5):
        script.histogram(d.upto(3), d.one((6, 7, 9)))
    if d.chance(0.3):
        script.clear()
    bank, index = d.upto(1), d.one(_READ)
    if index >= CFG_THCON_BASE and d.chance(0.5):
        script.flop(bank, index, (d.upto(15), 0, 0, 0))
    else:
        script.config(1 << bank, index, d.upto(15))


def with_columns(d: Draw, row: Any, runs: list[Run]) -> list[Run]:
    """``runs`` as ``row`` of the table wants them; one more at the end of Dst, or beyond."""
    if not row.columns:
        return runs
    masks = np.array(MASKS)[row.masks]
    last = (d.between(ROWS - RUN, ROWS - 1), d.between(1, RUN), masks, (d.upto(_WORD),) * RUN_WORDS)
    return [*((first, count, own & masks, words) for first, count, own, words in runs), last]


def in_the_midst(script: Script, d: Draw, row: Any, thread: int, runs: list[Run]) -> None:
    """What ``row`` of the table wants once ``thread`` has issued what there is so far.

    ``runs``: what has been written to Dst.
    """
    issued = script.done(f"t{thread}.issue")
    if row.writes and not row.zeroed:
        for number in range(_WRITES):
            first, most, *_ = d.one(runs)
            place = d.upto(min(most, ROWS - first) - 1)
            count = d.between(1, min(most - place, 16 - (first + place) % 16))  # in one cycle
            fields = (first + place, count, (0,) * RUN, (0,) * RUN_WORDS)
            script.add("dst_write", fields, 0, 0 if number else issued)
    if row.configs:
        for banks in range(4):
            index, value = d.one(_SOME), (d.upto(1), 0, 0, 0)
            if d.flag():
                script.config4(banks, index, value, d.upto(30), issued)
            else:
                script.config(banks, index, value[0], d.upto(30), issued)
    if row.histograms:
        for _ in range(4):
            script.add("hist", (d.flag(), d.one((6, 7, 9)), d.upto(3)), d.upto(30), issued)
    if row.strays:
        for thread in range(THREADS):
            script.word(thread, *(_stray(d) for _ in range(12)))


def _stray(d: Draw) -> int:
    """A word that nothing has, that has no target, or sets Y of a thread's counters to 0 or 1."""
    kind = d.upto(7)
    if kind == 0:
        return 0x0100_0000
    if kind == 1:
        return int(counter_words.setadc(1 << PACKERS, 0, 1 << 16))
    if kind == 2:
        return int(counter_words.packed("setadcxy", 0, (0, 0, 0, 0), 15))
    values = 0, d.upto(1), 0, 0
    return int(counter_words.packed("setadcxy", 1 << PACKERS, values, 2, d.upto(3)))
