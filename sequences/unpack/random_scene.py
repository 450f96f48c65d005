# SPDX-License-Identifier: Apache-2.0
"""Scenes of constrained random stimulus: set-ups, then some threads that use them.

A scene may overlap with the one before: its set-ups, in the other bank, and its tiles are written
while that runs, and it begins when the last word of that has issued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.tables import Table, TableError
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread, alu_word
from tilepath.sequences.unpack.random_lane import Lane, Rows, any_dst, fill
from tilepath.sequences.unpack.script import FENCE, Script
from tilepath.sequences.unpack.setup_table import area, setup_of
from tilepath.sequences.unpack.tables import KEPT, LANES, NOPS

THREADS: Final = (0, 1, 2)
_TRIES: Final = 1000
_PAUSE: Final = 60
"""Cycles, fewer than most scenes take."""
_CHAIN: Final = 2
"""Scenes that may follow one another before all must be idle: with those around them, six areas."""


def _cast(row: Any) -> list[tuple[int, int, bool]]:
    """Who does what: (thread, unpacker, shared) for each lane."""
    (a, b, c), u = row.threads, row.unpacker
    return {
        "one": [(a, u, False)],
        "both": [(a, 0, False), (a, 1, False)],
        "two": [(a, 0, False), (b, 1, False)],
        "same": [(a, u, True), (b, u, True)],
        "three": [(a, 1 - u, False), (b, u, True), (c, u, True)],
    }[LANES[row.lanes]]


class Scenes:
    """Makes scenes from ``tables``, one after the other; ``rng``: makes a generator of a name."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        rng: Callable[[str], np.random.Generator],
        profile: str,
    ) -> None:
        self._rows = Rows(tables, rng)
        self._profile = profile
        self._numbers = [0, 0]  # areas that each unpacker has had
        self._chain = 0  # scenes that have begun since all was idle
        self._banks = 0  # what the scene before uses
        self._legal = all(table.legal for table in tables.values())
        self._kept: list[tuple[int, int]] = []  # bytes of L1 that must stay, while it goes on

    def __call__(self, script: Script) -> None:
        """Append a scene."""
        row = self._rows("scene")
        cast = _cast(row)
        threads = sorted({thread for thread, _, _ in cast})
        # queues hold instructions of several scenes, whose areas must stay as they are
        follows = self._banks in (1, 2) and not row.switch
        overlap = follows and row.overlap and self._chain < _CHAIN
        self._chain = self._chain + 1 if overlap else 0
        state = self._banks & 1 if self._banks in (1, 2) else row.bank
        if not overlap:
            self._kept.clear()
            script.phase()
            if row.unsigned != KEPT:
                script.unsigned(alu_word(row.unsigned & 1, row.unsigned >> 1))
            if row.dst_map != KEPT:
                script.dst_map(row.dst_map)
        banks: tuple[int, ...] = (0, 1) if row.switch else (state,)
        places = {}
        for u in sorted({unpacker for _, unpacker, _ in cast}):
            for bank in banks:
                self._numbers[u] += 1
                places[u, bank] = area(u, self._numbers[u])
                drawn = self._rows(f"setup{u}")
                setup = setup_of(drawn, places[u, bank])
                script.setup(1 << bank, u, setup, drawn.four, drawn.flops)
        script.phase(idle=not overlap)
        for thread in threads:
            self._thread(script, thread, state, banks)
        made: set[tuple[int, int]] = set()
        lanes = [Lane(self._rows, script, made, banks, who) for who in cast]
        for lane in lanes:
            lane.own["most"], lane.own["place"] = row.most, places[lane.unpacker, state]
        self._run(script, lanes, row, places)
        for thread in THREADS:
            if thread in threads or row.fence[thread]:
                script.fence(thread)
        fills = [one for lane in lanes for one in lane.fills]
        if not self._legal:
            # with other counts an instruction might write nothing, and hand a bank over unasked
            self._kept += [one for each in fills for one in each.counts]
        fill(self._rows.data, script, fills, self._kept)
        script.memory_before()
        script.pause(_PAUSE)
        self._banks = sum(1 << bank for bank in banks)

    def _thread(self, script: Script, thread: int, state: int, banks: tuple[int, ...]) -> None:
        row = self._rows("thread")
        own = Thread(
            state=state,
            base=(row.base0, row.base1),
            ovrd=0 if any_dst(script, banks) else int(row.ovrd),
            offset=tuple(row.offset),
            reset=tuple(row.reset),
            stream=tuple(row.stream),
        )
        script.thread(thread, own, stores=row.stores, overruled=row.overruled)
        for player in (f"t{thread}.setc16", "store"):
            script.word(thread, FENCE, after=script.done(player))

    def _run(
        self, script: Script, lanes: list[Lane], row: Any, places: dict[tuple[int, int], int]
    ) -> None:
        steps = np.repeat(np.arange(len(lanes)), row.length[: len(lanes)])
        for k in self._rows.order.permutation(steps).tolist():
            lane = lanes[k]
            done = lane.step()
            if row.switch and done.swap:
                self._switch(script, lanes, lane.thread, places)
            if done.nop:
                self._nop(script, lane)
            if done.noise[0]:
                lane.noise(done)
            if done.noise[1] and not lane.shared:
                lane.counter_word(done)

    def _switch(
        self, script: Script, lanes: list[Lane], thread: int, places: dict[tuple[int, int], int]
    ) -> None:
        """The thread goes over to the other bank, behind the instructions that it has issued."""
        own = script.view.threads[thread]
        script.fence(thread)
        new = Thread(1 - own.state, own.base, own.ovrd, own.offset, (0, 0), own.stream)
        script.thread(thread, new, after=script.done(f"t{thread}.issue"))
        script.word(thread, FENCE, after=script.done(f"t{thread}.setc16"))
        for lane in lanes:
            if lane.thread == thread:
                lane.own["place"] = places[lane.unpacker, new.state]

    def _nop(self, script: Script, lane: Lane) -> None:
        row, u, t, profile = self._rows("nop"), lane.unpacker, lane.thread, self._profile
        bh, last, kind = w.is_bh(profile), int(row.last), NOPS[row.nops]
        if row.faults and row.foreign:
            script.word(t, self._foreign(script, row, u))
        elif kind == "nop":
            script.word(t, w.nop(profile, u))
        elif kind == "overlay":
            script.word(t, w.overlay(profile, u))
        elif kind == "overlay_stream":
            count = row.number & (7 if bh else 0x7FF)
            script.word(t, w.overlay_stream(profile, u, row.stream, count))
        elif kind == "setreg":
            if row.number or row.accumulate or row.stream or row.select or not bh:
                some = (row.number, int(row.accumulate), row.stream, row.select)
                script.word(t, w.setreg(profile, u, *some))
        elif kind == "zerosrc":
            self._zerosrc(script, lane, row)
        elif kind == "setdvalid":
            if not lane.shared:
                word = w.setdvalid(profile, u, row.form)
                script.word(t, word, after=script.done("matrix"))
                lane.release()
        elif kind == "flush":
            script.word(t, w.flush_cache(u, row.form, last))
        else:
            script.word(t, w.inc_context(u, last))

    def _zerosrc(self, script: Script, lane: Lane, row: Any) -> None:
        u, t, profile = lane.unpacker, lane.thread, self._profile
        value, both, fmt, valid = row.clear & 1, int(row.both), 0, 0
        if w.is_bh(profile):
            value, valid = row.clear, int(row.valid and not lane.shared)
            if value == 2:
                fmt = row.format % 3
            elif w.clears_by_value(profile):
                fmt = row.format
        guarded = (both and not row.faults) or valid
        if guarded and lane.shared:
            return
        after = script.done("matrix") if guarded else 0
        script.word(t, w.zerosrc(profile, u, value, both, row.wait, fmt, valid), after=after)
        if valid:
            lane.release()

    def _foreign(self, script: Script, row: Any, unpacker: int) -> int:
        """A NOP with bits that its form does not name, or a reserved one; none that hands over."""
        no_op = w.NOP_OPCODE << 24 | unpacker << 23
        for _ in range(_TRIES):
            word: int = no_op | row.thin
            if word & 3 != 1 and not script.view.machine.ask(0, word).flips:
                return word
            row = self._rows("nop")
        raise TableError(f"table nop: in {_TRIES:,} rows no word of thin that hands no bank over")
