# SPDX-License-Identifier: Apache-2.0
"""Random scenes: two pairs are initialised, work, and are cleared.

A scene draws one order in which all its commands can be done. Each core gets its part of it, so
that every command is done in the end, however the cores' timing turns out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tilepath.sequences.flag_pipe.errors import error
from tilepath.sequences.flag_pipe.knobs import MASKS, Knobs
from tilepath.sequences.flag_pipe.script import (
    C2V,
    GM_WINDOW,
    L1_BYTES,
    TFREE,
    TPOP,
    TPUSH,
    V2C,
    Config,
    Script,
    cores,
    produced,
)
from tilepath.sequences.kernel.draw import Draw

RATES: Final = {"none": (0, 0), "short": (0, 4), "medium": (3, 40), "long": (40, 250)}
_LONG: Final = 2500
"""Cycles after which a scene begins nothing more: what a slow core is waited for stays below what
the check at the end of a run takes for stuck (``LONGEST_WAIT``)."""
_RING: Final = 1 << 17
Window = tuple[int, int]


class Scenes:
    """Appends one scene after the other to a script."""

    def __init__(self, rng: np.random.Generator, knobs: Knobs) -> None:
        self.d = Draw(rng)
        self.knobs = knobs
        self.rings: dict[str, list[Window]] = {}
        self.tiles: list[Window] = []
        self.rate = ["none"] * 3
        self.least = [0, 0, 0]  # cycles that the scene takes each core
        self.busy = [0, 0, 0]  # cycles that its last command takes it; gaps pass meanwhile
        self.configs: list[list[Config]] = []  # by pair, then that of the cube and of the vector

    # -- places

    def _place(self, window: Window, size: int, beat: int) -> int:
        low, high = window
        if self.d.chance(self.knobs.edge):
            return self.d.one((low, high - size))
        return low + self.d.upto((high - size - low) // beat) * beat

    def _layout(self, script: Script) -> None:
        """Where rings and tiles are in a scene: none overlap."""
        top, s = self.d.flag(), script.setup
        half, end = L1_BYTES // 2, s.sram(1)
        first = half if top else 0
        swap = self.d.flag()
        windows = [(first, first + _RING), (first + _RING, first + 2 * _RING)]
        high = self.d.flag()
        ub = (end - _RING, end) if high else (0, _RING)
        low, last = (s.beat, GM_WINDOW), ((1 << 32) - GM_WINDOW, 1 << 32)
        self.rings = {
            "v2c": windows[::-1] if swap else windows,
            "c2v": [ub, ub],
            "gm": [last, low] if swap else [low, last],
        }
        if s.a2a3:
            self.tiles = [(0, L1_BYTES), (0, end), (0, end)]
        else:
            rest = (0, end - _RING) if high else (_RING, end)
            self.tiles = [(half - first, L1_BYTES - first), rest, rest]

    def _config(self, script: Script, pair: int) -> Config:
        s, kind = script.setup, self.d.by(self.knobs.beats)
        beats = self.d.one((5, 17, 33, 64)) if kind == "long" else int(kind)
        mask = 1 + MASKS.index(self.d.by(self.knobs.masks))
        slot = beats * s.beat
        size = {"gm": s.nflags * slot, "c2v": s.slots(mask) * slot, "v2c": s.slots(mask) * slot}
        where = {n: self._place(self.rings[n][pair], size[n], s.beat) for n in size}
        return Config(mask, slot, **where)

    def _mismatched(self, script: Script, pair: int, config: Config) -> Config:
        """One operand is different; not the mask: with two maps of the flags timing decides."""
        beat = script.setup.beat
        names = ["gm"] if script.setup.a2a3 else [
            name for name, way in (("c2v", C2V), ("v2c", V2C)) if config.mask & way
        ]  # fmt: skip
        if config.slot > beat and self.d.chance(0.3):
            return replace(config, slot=config.slot - beat)
        name = self.d.one(names)
        low, _ = self.rings[name][pair]
        value = getattr(config, name)
        return replace(config, **{name: value - beat if value > low else value + beat})

    # -- commands

    def _waits(self, core: int) -> dict[str, int]:
        return {"gap": self.d.between(*RATES[self.rate[core]])}

    def _do(self, script: Script, core: int, op: int, peer: int) -> None:
        waits = self._waits(core)
        self.least[core] += max(waits["gap"] + 1, self.busy[core])
        self.busy[core] = 2
        if op == TFREE:
            script.release(core, peer, **waits)
            return
        config = script.side(core, peer).config
        assert config is not None
        if op == TPUSH or script.setup.a2a3:
            self.busy[core] = config.slot // script.setup.beat + 5
        (low, high), beat = self.tiles[core], script.setup.beat
        middle = (low + high) // 2 // beat * beat
        if script.setup.a2a3:  # tiles that come do not overlap with those that go
            low, high = (low, middle) if op == TPUSH else (middle, high)
        tile = self._place((low, high), config.slot, beat)
        (script.push if op == TPUSH else script.pop)(core, peer, tile, **waits)

    def _start(self, script: Script, pair: int) -> None:
        """Both INITs of a pair, if they were not yet; perhaps one after a command that waits."""
        own = self.configs[pair]
        order = [0, pair + 1]
        if self.d.chance(0.5):
            order.reverse()
        todo = [core for core in order if script.side(core, pair).config is None]
        if len(todo) < 2:
            for core in todo:
                script.init(core, own[min(core, 1)], pair, **self._waits(core))
            return
        first, second = todo
        script.init(first, own[min(first, 1)], pair, **self._waits(first))
        late = self.d.chance(self.knobs.late)
        # without the other's INIT nothing but a TPUSH or a TPOP can be begun
        if late and own[0].mask & produced(first) and own[0] == own[1]:
            way = produced(first)
            script.free[pair][way] += 1  # which the second INIT will give
            self._do(script, first, TPUSH, pair)
            after = script.done(f"core{first}.cmd")
            script.init(second, own[min(second, 1)], pair, after=after)
            script.free[pair][way] -= 1
            return
        script.init(second, own[min(second, 1)], pair, **self._waits(second))

    def _feasible(self, script: Script, core: int, pairs: list[int]) -> list[tuple[int, int]]:
        peers = pairs if core == 0 else [core - 1] if core - 1 in pairs else []
        return [
            (op, peer)
            for peer in peers
            for op in (TPUSH, TPOP, TFREE)
            if script.can(core, op, peer)
        ]

    def __call__(self, script: Script) -> None:
        """One scene."""
        d, knobs = self.d, self.knobs
        script.noise = d if d.chance(knobs.noise) else None
        # the bench asks each player for so many cycles: let this one not be far ahead of the others
        script.phase().widen("clr", 1, max(self.least))
        self.least, self.busy = [0, 0, 0], [0, 0, 0]
        if not self.configs or not d.chance(knobs.keep):
            script.clear().phase(idle=False)
            self._layout(script)
            self.configs = []
            for pair in (0, 1):
                config = self._config(script, pair)
                differs = d.chance(knobs.mismatch)
                other = self._mismatched(script, pair, config) if differs else config
                self.configs.append([config, other])
        elif d.chance(0.3):
            script.clear(d.between(1, 2)).phase(idle=False)
        self.rate = [d.by(knobs.rates) for _ in cores()]
        pairs = [d.upto(1)] if d.chance(knobs.single) else [0, 1]
        if d.chance(knobs.errors):
            self._errors(script, pairs)
        for pair in pairs:
            self._start(script, pair)
        self._work(script, pairs)
        if d.chance(knobs.drain):
            self._drain(script)

    def _work(self, script: Script, pairs: list[int]) -> None:
        d, knobs = self.d, self.knobs
        busy = d.chance(knobs.busy)
        core, op, peer = 0, TPUSH, pairs[0]
        for _ in range(d.between(1, knobs.length)):
            if max(self.least) > _LONG:
                return
            if d.chance(knobs.errors):
                self._errors(script, pairs)
            options = [(c, o, p) for c in cores() for o, p in self._feasible(script, c, pairs)]
            if not options:
                return
            again = [x for x in options if x[0] == core and x[2] == peer]
            same = [x for x in again if x[1] == op]
            chosen = again if again and d.chance(knobs.burst) else options
            core, op, peer = d.one(same if same and d.chance(knobs.burst) else chosen)
            self._do(script, core, op, peer)
            if busy and op == TPUSH and core:
                # in the next cycle the vector is at work: no clear of its pair
                script.refused(1 << core - 1, after=script.done(f"core{core}.cmd"))
                busy = False

    def _errors(self, script: Script, pairs: list[int]) -> None:
        core = self.d.upto(2)
        pair = self.d.one(pairs) if core == 0 else core - 1
        error(self.d, script, core, pair, self.configs[pair][min(core, 1)])

    def _drain(self, script: Script) -> None:
        """Pop and free all that there is, without long gaps: who waits for it waits on."""
        self.rate = ["short" if rate == "long" else rate for rate in self.rate]
        for core in cores():
            for peer in (0, 1) if core == 0 else (core - 1,):
                while script.can(core, TPOP, peer) or script.can(core, TFREE, peer):
                    self._do(script, core, TFREE if script.can(core, TFREE, peer) else TPOP, peer)
