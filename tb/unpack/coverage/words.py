# SPDX-License-Identifier: Apache-2.0
"""Coverage of the words of UNPACR, of contexts and of the bank of the configuration.

Source: unpack-adc section 7, lines UNPACR, Context counter, StateID; crosses 3 and 8; U3 to U10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import Instructions, Regular
from tilepath.tb.unpack.coverage.layout import I64, NOP, UNPACR
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.points import NO_YES, THREADS, UNPACKERS, numbers

FORMS: Final = ("regular", "increment", "flush")
_FIELDS: Final = (("y0", 17), ("z0", 15), ("y1", 21), ("z1", 19))
_REGISTERS: Final = (
    "base", "offset", "x_dim", "dest", "shift", "format", "if_sel", "uncompressed",
)  # fmt: skip
_AROUND: Final = ("cycle_before", "sampling_cycle", "cycle_behind")
_ONLY_U0: Final = ("x_dim", "dest", "shift", "if_sel")


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("unpacr.unpacker_x_thread_x_form", UNPACKERS, THREADS, FORMS)
    points.add("unpacr.unpacker_x_multi_x_use_counter", UNPACKERS, NO_YES, NO_YES)
    points.add("unpacr.unpacker_x_context", UNPACKERS, numbers(8))
    points.add("unpacr.unpacker_x_flip_x_all_zero_x_row_search", UNPACKERS, NO_YES, NO_YES, NO_YES)
    points.add("unpacr.unpacker_x_field_x_increment", UNPACKERS,
               tuple(name for name, _ in _FIELDS), numbers(4))  # fmt: skip
    points.add(
        "unpacr.multi_x_thread_x_context_adc_x_field_x_increment",
        NO_YES, THREADS, numbers(4), tuple(name for name, _ in _FIELDS), numbers(4),
    )  # fmt: skip
    points.add("unpacr.context_adc_is", ("same_thread", "other_thread", "3"))
    points.add(
        "context.counter_x_count_x_offset", numbers(8), numbers(4), ("0", "1", "2-6", "7", "8-15")
    )
    points.add("context.increment_counter_x_count", numbers(8), numbers(4))
    points.add("context.reset_x_form_x_unpacker", _AROUND, FORMS[:2], UNPACKERS)
    points.add(
        "context.register_x_context_x_unpacker", _REGISTERS, numbers(8), UNPACKERS,
        exclude=tuple(
            Exclude((name, None, "u1"), "unpacker 1 has or uses no such register")
            for name in _ONLY_U0
        ),
    )  # fmt: skip
    points.add("state.bank_x_the_other_differs_x_unpacker", numbers(2), NO_YES, UNPACKERS)
    points.add("state.switched_in_x_unpacker", ("sampling_cycle", "pipeline"), UNPACKERS)


def count(points: Tally, i: Instructions, r: Regular) -> None:
    """Count the instructions ``i`` of a block; ``r``: the Regular ones."""
    unpacr = i.where(i["word"] >> 24 == UNPACR)
    form = np.where(unpacr.bits("word", 1), 2, unpacr.bits("word", 13))
    points.hit("unpacr.unpacker_x_thread_x_form", unpacr["u"], unpacr["thread"], form)
    points.hit("unpacr.unpacker_x_multi_x_use_counter", r.u, r.multi, r.use_counter)
    multi = r.multi == 1
    points.hit("unpacr.unpacker_x_context", r.u, r.ctx, where=multi)
    points.hit("unpacr.unpacker_x_flip_x_all_zero_x_row_search", r.u, r.flip, r.all_zero, r.search)
    adc, thread = r.i.bits("word", 8, 2), r.i["thread"]
    for number, (_, low) in enumerate(_FIELDS):
        step = r.i.bits("word", low, 2)
        points.hit("unpacr.unpacker_x_field_x_increment", r.u, number, step)
        points.hit(
            "unpacr.multi_x_thread_x_context_adc_x_field_x_increment",
            r.multi, thread, adc, number, step,
        )  # fmt: skip
    relation = np.where(adc == 3, 2, np.where(adc == thread, 0, 1))
    points.hit("unpacr.context_adc_is", relation, where=multi)
    _count_contexts(points, unpacr.where(form == 1), r)
    both = i.where(np.isin(i["word"] >> 24, (UNPACR, NOP)))
    points.hit(
        "state.bank_x_the_other_differs_x_unpacker", both["state"], both["differs"], both["u"]
    )


def _count_contexts(points: Tally, increment: Instructions, r: Regular) -> None:
    counts = r.i.bits("reg2", 6, 2)
    offset = np.select([r.offset4 == 0, r.offset4 == 1, r.offset4 < 7, r.offset4 == 7], range(4), 4)
    used = (r.multi == 1) & (r.use_counter == 1)
    points.hit("context.counter_x_count_x_offset", r.i["context"], counts, offset, where=used)
    points.hit(
        "context.increment_counter_x_count", increment["context"], increment.bits("reg2", 6, 2)
    )
    i, u0 = r.i, r.u == 0
    high = np.arange(8) // 4 * 12
    values = {
        "base": np.stack([i[f"base{k}"] for k in range(8)], 1),
        "offset": np.stack([i[f"reg7_{k & 3}"] & 0xFFFF for k in range(8)], 1),
        "x_dim": np.stack([i[("xdim01", "xdim23")[k >> 1 & 1]] >> 16 * (k & 1) & 0xFFFF
                           for k in range(8)], 1),
        "dest": np.stack([i[("dest01", "dest23")[k >> 1 & 1]] >> 16 * (k & 1) & 0xFFFF
                          for k in range(8)], 1),
        "shift": np.stack([i["reg2"] >> 16 + 4 * (k & 3) & 15 for k in range(8)], 1),
        "format": np.stack([i[f"reg7_{k & 3}"] >> 16 + 8 * (k >> 2) & 255 for k in range(8)], 1),
        "if_sel": i["reg2b"][:, None] >> np.arange(8) + 4 + high & 1,
        "uncompressed": i["reg2b"][:, None] >> np.arange(8) + high & 1,
    }  # fmt: skip
    uses = {
        "x_dim": u0, "dest": u0, "if_sel": u0, "format": r.by_context,
        "shift": (r.dest == 0) & ~r.tilize,
    }  # fmt: skip
    row = np.arange(len(i))
    for number, name in enumerate(_REGISTERS):
        seen = (r.multi == 1) & uses.get(name, True)
        # a wrong bit of the number of the context would be seen
        for bit in (1, 2, 4):
            if bit < 4 or name in ("base", "format", "if_sel", "uncompressed"):
                seen &= values[name][row, r.ctx] != values[name][row, r.ctx ^ bit]
        points.hit("context.register_x_context_x_unpacker", number, r.ctx, r.u, where=seen)


class Around:
    """SETC16 and instructions that meet: resets of context counters, switches of StateID."""

    def __init__(self) -> None:
        self._resets = [[np.zeros(0, np.int64) for _ in range(2)] for _ in range(3)]
        self._waiting = np.zeros((0, 4), np.int64)  # sample, thread, unpacker, form
        self._state = [0, 0, 0]

    def count(
        self, points: Tally, i: Instructions, streams: Mapping[str, Records], busy: Level, end: int
    ) -> None:
        """Count a block's; ``busy``: the recorded level."""
        word = i["word"]
        regular = (word & 0x2002 == 0) & (word >> 7 & 1 == 1) & (word >> 3 & 1 == 1)
        increment = (word & 0x2002) == 0x2000
        chosen = (word >> 24 == UNPACR) & (regular | increment)
        new = np.stack([i["sample"], i["thread"], i["u"], increment], 1)[chosen]
        rows = np.concatenate([self._waiting, new])
        now = rows[rows[:, 0] < end - 1]
        self._waiting = rows[rows[:, 0] >= end - 1]
        for thread in range(3):
            setc = streams[f"t{thread}.setc16"]
            misc = setc[setc["index"] == 41]
            for u in range(2):
                some = misc[misc["value"] >> 4 + 8 * u & 1 == 1]["cycle"].astype(np.int64)
                resets = np.concatenate([self._resets[thread][u], some])
                mine = now[(now[:, 1] == thread) & (now[:, 2] == u)]
                for number in range(3):
                    met = np.isin(mine[:, 0] + number - 1, resets)
                    points.hit("context.reset_x_form_x_unpacker", number, mine[:, 3], u, where=met)
                self._resets[thread][u] = resets[resets >= end - 4]
            self._switches(points, setc, thread, i, busy)

    def _switches(
        self, points: Tally, setc: Records, thread: int, i: Instructions, busy: Level
    ) -> None:
        some = setc[setc["index"] == 0]
        values = np.concatenate([[self._state[thread]], some["value"].astype(np.int64) & 1])
        cycles: I64 = some["cycle"].astype(np.int64)[values[1:] != values[:-1]]
        self._state[thread] = int(values[-1])
        level = busy.at(cycles)
        for u in range(2):
            mine = i["sample"][(i["thread"] == thread) & (i["u"] == u)]
            at_sampling = np.isin(cycles, mine)
            inside = level >> 2 * thread + u & 1 == 1
            points.hit("state.switched_in_x_unpacker", 0, u, where=at_sampling)
            points.hit("state.switched_in_x_unpacker", 1, u, where=inside & ~at_sampling)
