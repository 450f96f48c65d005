# SPDX-License-Identifier: Apache-2.0
"""Coverage of the address counters in the unit: instructions, and UNPACRs at the same counters.

Source: unpack-adc section 7, line ADC, cross 10; docs/adc.md. Every form and value of the
instructions is covered in block ``adc``, which is the same instance; here counts what meets UNPACR.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.adc.coverage.commands import INCREMENT, RELOAD, Commands
from tilepath.tb.adc.coverage.commands import Instructions as Words
from tilepath.tb.adc.coverage.layout import COUNTERS, OPS, THREADS, UNPACK, share_a_counter, width
from tilepath.tb.adc.coverage.touches import CYCLE, FOREIGN, KIND, THREAD, Memory, Touches
from tilepath.tb.adc.streams import STREAMS
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import Bool, Instructions
from tilepath.tb.unpack.coverage.layout import I64
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.points import UNPACKERS, numbers

_KINDS: Final = (*OPS, "unpacr")
_YZ: Final = (1, 2, 5, 6)
_YZ_NAMES: Final = tuple(COUNTERS[c] for c in _YZ)
_BY: Final = ("owner", "foreign")
_VALUES: Final = ("0", "1", "max", "other")
_RELATION: Final = ("cr_is_live", "cr_is_not_live")
_ADDS: Final = ("incadc", "addrcr", "unpacr")
_EMPTY: Final = {s.name: s.empty() for s in STREAMS if s.direction == "input"}
_UNPACK: Final = next(s.dtype for s in STREAMS if s.name == "unpack")


class Counters:
    """The counters of a run."""

    def __init__(self, points: Tally, profile: Profile) -> None:
        self._points = points
        add = points.group.add
        self._widths = np.array([width(d, profile.zw_w) for d in range(4)] * 2)
        add("counter.op_x_target", OPS, numbers(8))
        add(
            "counter.op_x_override_x_thread", OPS, numbers(4), THREADS,
            exclude=tuple(
                Exclude(("setadcxx", str(k), None), "SETADCXX has no ThreadOverride (A3)")
                for k in (1, 2, 3)
            ),
        )  # fmt: skip
        add(
            "counter.first_x_second_x_by", _KINDS, _KINDS, _BY,
            exclude=(
                *(
                    Exclude((one, other, None), "they share no counter")
                    for a, one in enumerate(_KINDS)
                    for b, other in enumerate(_KINDS)
                    if not share_a_counter(a, b)
                ),
                Exclude(("setadcxx", "setadcxx", "foreign"), "SETADCXX has no ThreadOverride (A3)"),
            ),
        )  # fmt: skip
        add("counter.unpacr_set_inc_in_a_row", UNPACKERS, _YZ_NAMES)
        add("counter.unpacker_x_counter_x_value", UNPACKERS, COUNTERS, _VALUES)
        add(
            "counter.wraps_by_x_counter", _ADDS, COUNTERS,
            exclude=tuple(
                Exclude(("unpacr", name), "UNPACR moves Y and Z only (A11)")
                for name in COUNTERS
                if name not in _YZ_NAMES
            ),
        )  # fmt: skip
        add("counter.addrcr_unpacker_x_counter_x_relation", UNPACKERS, COUNTERS, _RELATION)
        add("counter.unpacr_meets_x_unpacker", OPS, UNPACKERS, exclude=(
            Exclude(("setadcxx", None), "they share no counter"),
        ))  # fmt: skip
        self._memory = Memory.after_reset()
        self._late = np.zeros(0, _UNPACK)  # updates of UNPACRs that are sampled already

    def _updates(self, i: Instructions, end: int) -> Records:
        """What UNPACRs give the counters before ``end``."""
        word = i["word"]
        regular = (word >> 24 == 0x42) & (word & 0x2002 == 0)
        word = word[regular]
        new = np.zeros(len(word), _UNPACK)
        new["cycle"], new["unpacker"] = i["last"][regular], i["u"][regular]
        new["thread"] = thread = i["thread"][regular]
        named = np.where(word >> 8 & 3 == 3, 0, word >> 8 & 3)
        new["adc"] = np.where(word >> 7 & 1, named, thread)
        for name, low in (("z0", 15), ("y0", 17), ("z1", 19), ("y1", 21)):
            new[name] = word >> low & 3
        found = np.concatenate([self._late, new])
        self._late = found[found["cycle"] >= end]
        now: Records = found[found["cycle"] < end]
        return now

    def count(
        self, i: Instructions, streams: Mapping[str, Records],
        levels: tuple[tuple[Level, ...], ...], start: int, end: int,
    ) -> None:  # fmt: skip
        """Count a block; ``levels[set][unpacker]``."""
        hit = self._points.hit
        ports = dict(_EMPTY)
        ports |= {f"{name}.issue": streams[f"{name}.counter"] for name in THREADS}
        ports["unpack"] = self._updates(i, end)
        words = Words.of(ports)
        good = words.where(words.op >= 0)
        hit("counter.op_x_target", good.op, good.target)
        hit("counter.op_x_override_x_thread", good.op, good.override, good.thread)
        commands = Commands.of(ports, words, start, end)
        touches = Touches.of(commands, start, self._memory)
        self._count_order(touches)
        self._count_meetings(commands)
        self._count_sums(touches, commands, levels, start)
        for s in range(3):
            for u, name in enumerate(("unpacker0", "unpacker1")):
                records = streams[f"t{s}.{name}"]
                for number, counter in enumerate(COUNTERS):
                    value = records[counter].astype(np.int64)
                    value &= (1 << int(self._widths[number])) - 1
                    top = (1 << int(self._widths[number])) - 1
                    kind = np.where(value == top, 2, np.where(value > 1, 3, value))
                    hit("counter.unpacker_x_counter_x_value", u, number, kind)

    def _count_order(self, touches: Touches) -> None:
        now, before, earlier = touches.now, touches.before, touches.earlier
        distance = now[CYCLE] - before[CYCLE]
        hit = self._points.hit
        # of the packers' counters the unit shows nothing
        ours = touches.counter // 8 % 3 < 2
        sets = touches.counter // 24
        hit(
            "counter.first_x_second_x_by", before[KIND], now[KIND],
            _foreign(now, sets) | _foreign(before, sets),
            where=ours & (before[KIND] >= 0) & (distance > 0),
        )  # fmt: skip
        chain = (now[KIND] == 4) | (now[KIND] == 5)
        chain &= (before[KIND] >= 0) & (before[KIND] < 3) & (earlier[KIND] == UNPACK)
        chain &= (distance == 1) & (before[CYCLE] - earlier[CYCLE] == 1) & ours
        chain &= (now[THREAD] == before[THREAD]) & (now[THREAD] == earlier[THREAD])
        place = np.searchsorted(_YZ, touches.counter & 7)
        hit("counter.unpacr_set_inc_in_a_row", touches.counter // 8 % 3, place, where=chain)

    def _count_meetings(self, commands: Commands) -> None:
        """Commands of threads in the cycle of an UNPACR's update, at a counter of both."""
        for writer in range(3, 6):
            share = (commands.sets[:, 0] & commands.sets[:, writer]) != 0
            share &= (commands.targets[:, 0] & commands.targets[:, writer]) != 0
            share &= (commands.touched[:, 0] & commands.touched[:, writer]) != 0
            rows = np.flatnonzero(share)
            unpacker = commands.targets[rows, 0] >> 1
            kind = commands.kind[rows, writer]
            self._points.hit("counter.unpacr_meets_x_unpacker", kind, unpacker, where=kind >= 0)

    def _count_sums(
        self, touches: Touches, commands: Commands, levels: tuple[tuple[Level, ...], ...],
        start: int,
    ) -> None:  # fmt: skip
        alone = touches.alone
        counter, at = touches.counter[alone], touches.at[alone]
        writer, kind = touches.writer[alone], touches.now[KIND][alone]
        number, target, s = counter & 7, counter // 8 % 3, counter // 24
        action = commands.action[at, writer, number]
        amount = commands.amount[at, writer, number].astype(np.int64)
        live, cr = np.zeros_like(counter), np.zeros_like(counter)
        for place in range(6):
            rows = np.flatnonzero((s == place // 2) & (target == place % 2))
            both = counters_at(levels[place // 2][place % 2], at[rows] + start, number[rows])
            live[rows], cr[rows] = both
        ours = target < 2
        top = (1 << self._widths[number]) - 1
        reload = (action == RELOAD) & ours
        adds = (action == INCREMENT) & ours
        hit = self._points.hit
        hit("counter.addrcr_unpacker_x_counter_x_relation", target, number, live != cr,
            where=reload)  # fmt: skip
        total = np.where(reload, cr, live) + amount
        by = np.where(kind == UNPACK, 2, reload)
        hit("counter.wraps_by_x_counter", by, number, where=(reload | adds) & (total > top))


def _foreign(touch: I64, sets: I64) -> Bool:
    """Whether it comes from a thread that does not own the set; ContextADC names sets too (A11)."""
    unpacr = (touch[KIND] == UNPACK) & (touch[THREAD] != sets)
    found: Bool = (touch[FOREIGN] == 1) | unpacr
    return found


FIELDS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1", "x0_cr", "x1_cr")
"""Of a level, in the order of the counters' numbers, then the checkpoints of X."""


def counters_at(level: Level, cycles: I64, number: I64) -> tuple[I64, I64]:
    """Live value and checkpoint of the counters ``number`` in ``cycles``."""
    row = np.maximum(np.searchsorted(level.rows[:, 0], cycles, side="right") - 1, 0)
    value = level.rows[row, 1 + number]
    x = number & 3 == 0
    checkpoint = np.where(x, level.rows[row, 9 + (number >> 2)], value >> 16)
    return np.where(x, value, value & 0xFFFF), checkpoint
