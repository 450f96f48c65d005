# SPDX-License-Identifier: Apache-2.0
"""Scenes of constrained random stimulus: set-ups, then some threads that use them.

A scene may overlap with the one before: its set-ups, in the other bank, and its tiles are written
while that runs, and it begins when the last word of that has issued.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread, alu_word
from tilepath.sequences.unpack.knobs import Knobs
from tilepath.sequences.unpack.random_lane import Fill, Lane, fill
from tilepath.sequences.unpack.random_setup import area, draw_setup
from tilepath.sequences.unpack.scenes import FENCE, Script

THREADS: Final = (0, 1, 2)
_PAUSE: Final = 60
"""Cycles, fewer than most scenes take."""
_CHAIN: Final = 2
"""Scenes that may follow one another before all must be idle: with those around them, six areas."""


@dataclass
class _Cast:
    """Who does what: (thread, unpacker, shared) for each lane."""

    lanes: list[tuple[int, int, bool]]

    @property
    def threads(self) -> list[int]:
        """The threads that do something."""
        return sorted({thread for thread, _, _ in self.lanes})


def _cast(d: Draw, kind: str) -> _Cast:
    a, b, c = (THREADS[k] for k in d.rng.permutation(3))
    u = d.upto(1)
    return _Cast(
        {
            "one": [(a, u, False)],
            "both": [(a, 0, False), (a, 1, False)],
            "two": [(a, 0, False), (b, 1, False)],
            "same": [(a, u, True), (b, u, True)],
            "three": [(a, 1 - u, False), (b, u, True), (c, u, True)],
        }[kind]
    )


class Scenes:
    """Makes scenes of ``knobs``, one after the other."""

    def __init__(self, d: Draw, knobs: Knobs, profile: str) -> None:
        self._d = d
        self._knobs = knobs
        self._profile = profile
        self._numbers = [0, 0]  # areas that each unpacker has had
        self._chain = 0  # scenes that have begun since all was idle
        self._banks = 0  # what the scene before uses
        self._unsigned = 0

    def __call__(self, script: Script) -> None:
        """Append a scene."""
        d, knobs = self._d, self._knobs
        cast = _cast(d, d.by(knobs.lanes))
        switch = d.chance(knobs.switch)
        overlap = self._banks in (1, 2) and not switch and d.chance(knobs.overlap)
        # queues hold instructions of several scenes, whose areas must stay as they are
        overlap = overlap and self._chain < _CHAIN
        self._chain = self._chain + 1 if overlap else 0
        state = self._banks & 1 if self._banks in (1, 2) else d.upto(1)
        if not overlap:
            script.phase()
            if d.chance(0.3):
                self._unsigned = d.upto(3)
                script.unsigned(alu_word(self._unsigned & 1, self._unsigned >> 1))
            if d.chance(0.4):
                script.dst_map(d.upto(3))
        banks = (0, 1) if switch else (state,)
        places = {}
        for u in sorted({lane[1] for lane in cast.lanes}):
            for bank in banks:
                self._numbers[u] += 1
                places[u, bank] = area(u, self._numbers[u])[0]
                kind = d.by(knobs.kinds)
                faults = d.chance(knobs.faults)
                setup = draw_setup(d, knobs, u, places[u, bank], kind, faults)
                script.setup(1 << bank, u, setup, d.chance(0.7))
        script.phase(idle=not overlap)
        self._threads(script, cast, state)
        made: set[tuple[int, int]] = set()
        lanes = [self._lane(script, lane, places[lane[1], state], made) for lane in cast.lanes]
        self._run(script, lanes, places, switch)
        for thread in THREADS:
            if thread in cast.threads or d.chance(0.1):
                script.fence(thread)
        script.pause(_PAUSE)
        fills: list[Fill] = [one for lane in lanes for one in lane.fills]
        fill(d, knobs, script, fills)
        script.memory_before()
        self._banks = sum(1 << bank for bank in banks)

    def _threads(self, script: Script, cast: _Cast, state: int) -> None:
        d = self._d
        for thread in cast.threads:
            dst = any(
                script.view.setups[bank][0].if_sel | script.view.setups[bank][0].ctx_if_sel
                for bank in (0, 1)
            )
            offset = (0, 0)
            if d.chance(self._knobs.offset):
                offset = (d.one((0, 1, 7, 8, d.upto(15))), d.one((0, 1, 7, 8, d.upto(15))))
            own = Thread(
                state=state,
                base=(d.one((0, 0, 0, 1, 2, 3)), d.one((0, 0, 0, 0, 1))),
                ovrd=0 if dst else d.flag(self._knobs.ovrd),
                offset=offset,
                reset=(d.flag(), d.flag()),
                stream=(d.upto(63), d.upto(63)),
            )
            script.thread(thread, own)
            script.word(thread, FENCE, after=script.done(f"t{thread}.setc16"))

    def _lane(
        self, script: Script, lane: tuple[int, int, bool], place: int, made: set[tuple[int, int]]
    ) -> Lane:
        thread, unpacker, shared = lane
        others = THREADS if not shared else (thread,)
        return Lane(
            self._d, self._knobs, script, thread, unpacker, place, shared, others, made=made
        )

    def _run(
        self,
        script: Script,
        lanes: list[Lane],
        places: dict[tuple[int, int], int],
        switch: bool,
    ) -> None:
        d, knobs = self._d, self._knobs
        steps = [lane for lane in lanes for _ in range(d.between(1, knobs.length))]
        for k in d.rng.permutation(len(steps)):
            lane = steps[int(k)]
            if switch and d.chance(0.5):
                self._switch(script, lanes, lane.thread, places)
            lane.step()
            if d.chance(knobs.nop):
                self._nop(script, lane)
            if d.chance(knobs.noise):
                lane.noise()
            if not lane.shared and d.chance(knobs.noise):
                lane.counter_word()

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
                lane.place = places[lane.unpacker, new.state]

    def _nop(self, script: Script, lane: Lane) -> None:
        d, knobs, u, t, profile = self._d, self._knobs, lane.unpacker, lane.thread, self._profile
        wild = d.chance(knobs.faults)
        kind = d.by(knobs.nops)
        bh = w.is_bh(profile)
        if wild and d.chance(0.5):
            script.word(t, self._foreign(profile, u))
            return
        if kind == "nop":
            script.word(t, w.nop(profile, u))
        elif kind == "overlay":
            script.word(t, w.overlay(profile, u))
        elif kind == "overlay_stream":
            count = d.one((0, 1, 7, d.upto(7) if bh else d.upto(0x7FF)))
            script.word(t, w.overlay_stream(profile, u, d.upto(63), count))
        elif kind == "setreg":
            value = d.one((0, 1, 0x7FF, d.upto(0x7FF)))
            acc, mid, sel = d.flag(0.7), d.upto(63), d.upto(1)
            if value or acc or mid or sel or not bh:
                script.word(t, w.setreg(profile, u, value, acc, mid, sel))
        elif kind == "zerosrc":
            self._zerosrc(script, lane, wild)
        elif kind == "setdvalid":
            if not lane.shared:
                script.word(t, w.setdvalid(profile, u, d.upto(1)), after=script.done("matrix"))
                script.flips(t, u)
                lane.release()
        elif kind == "flush":
            script.word(t, w.flush_cache(u, d.upto(1), d.flag(0.9)))
        else:
            script.word(t, w.inc_context(u, d.flag(0.9)))

    def _zerosrc(self, script: Script, lane: Lane, wild: bool) -> None:
        d, u, t, profile = self._d, lane.unpacker, lane.thread, self._profile
        both, wait = d.flag(0.3), d.flag()
        value, fmt, valid = d.upto(1), 0, 0
        if w.is_bh(profile):
            value, valid = d.upto(3), d.flag(0.3) * (not lane.shared)
            fmt = d.upto(2) if value == 2 else 0
        guarded = (both and not wild) or valid
        if guarded and lane.shared:
            return
        after = script.done("matrix") if guarded else 0
        script.word(t, w.zerosrc(profile, u, value, both, wait, fmt, valid), after=after)
        if valid:
            script.flips(t, u)
            lane.release()

    def _foreign(self, profile: str, unpacker: int) -> int:
        """A NOP with bits that its form does not name, or a reserved one; none that hands over."""
        d = self._d
        while True:
            word = w.NOP_OPCODE << 24 | unpacker << 23 | d.upto((1 << 23) - 1)
            if d.chance(0.5):
                word &= ~(d.upto((1 << 23) - 1) & ~7)
            if word & 3 != 1 and not hands_over(profile, word):
                return word


def hands_over(profile: str, word: int) -> bool:
    """Whether an UNPACR_NOP hands its bank over."""
    if not w.is_bh(profile):
        return word & 7 == 7
    valid = bool(word >> 8 & 1)
    if word & 3 == 1:
        return valid or word >> 6 & 3 == 3
    return word & 3 == 2 and valid
