# SPDX-License-Identifier: Apache-2.0
"""Scenes of constrained random stimulus: a set-up and what Dst holds, then threads that pack.

While anything is written that packers read or that is read of them, they are idle; the last part of
a scene closes all tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.pack import cells, dst, words
from tilepath.sequences.pack.config import four
from tilepath.sequences.pack.faults import KEPT, open_change, wrong_setup, wrong_word
from tilepath.sequences.pack.knobs import Knobs
from tilepath.sequences.pack.random_setup import Drawn, draw_setup, each
from tilepath.sequences.pack.script import PACKERS, Script

LEGAL_MASKS: Final = (0, 1, 2, 4, 8, 3, 0xC, 0xF, 5, 7, 0xA)
SPACING: Final = 80  # cycles, fewer than most scenes take
FORCED: Final = 2  # scenes after which a player gets something to do: no item stands for long
_EDGES: Final = (7, 8, 15, 17, 31, 32, 33, 63, 64, 255)
_MOST_ROWS: Final = 14  # of a scene's two parts 28, and 32 are legal
_TARGET: Final = 1 << PACKERS


class Scenes:
    """Makes scenes of ``knobs``, one after the other."""

    def __init__(self, rng: np.random.Generator, knobs: Knobs, profile: str) -> None:
        self._d = Draw(rng)
        self._knobs = knobs
        self._profile = profiles.get(profile)
        self._idle = dict.fromkeys(Script.holding.sources, 0)  # scenes without an item
        self._open = [False] * 4
        self._context = 0
        self._in_order = True  # one thread in this scene: what is open is known

    def __call__(self, script: Script) -> None:
        """Append a scene."""
        d, knobs = self._d, self._knobs
        before = dict(script.counts)
        self._in_order = True
        self._begin(script, before)
        drawn = draw_setup(d, knobs, self._profile)
        if faulty := d.chance(knobs.faults):
            wrong_setup(d, drawn.fields)
        self._prepare(script, drawn)
        script.phase(idle=False)
        self._run(script, drawn, faulty)
        if d.chance(knobs.second):
            script.phase()
            drawn = self._moved(script, drawn, faulty)
            script.phase(idle=False)
            self._run(script, drawn, faulty)
        script.phase(idle=False)
        self._close(script)
        self._space(script, before)

    def _begin(self, script: Script, before: dict[str, int] | None) -> None:
        """A phase in which the packers are idle; ``before``: see ``_space``, of the first one."""
        script.phase()
        if before is not None:
            before[script.waiter[0]] += 1
            for player, scenes in self._idle.items():
                if scenes >= FORCED:
                    self._something(script, player)

    # -- what packers read

    def _prepare(self, script: Script, drawn: Drawn) -> None:
        d, knobs, fields = self._d, self._knobs, drawn.fields
        packers = range(self._profile.packers)
        if d.chance(0.5):
            for packer in packers:
                script.histogram(packer, d.one((6, 7)))
            script.histogram(d.upto(3), 9, d.upto(15))
        if d.chance(knobs.clear):
            script.clear()
        banks = (0, 1) if d.chance(knobs.other) else (d.upto(1),)
        for bank in banks:
            script.setup(fields, bank, d.chance(0.7))
        for thread in range(3):
            script.bank(thread, d.one(banks))
            script.stats(thread, d.flag(knobs.stats))
            for number in range(4):
                if d.chance(0.3):
                    script.addr_mod(thread, number, self._addr_mod())
        if d.chance(knobs.offset):
            script.offset(d.upto(15), d.upto(1000))
        if d.chance(knobs.valid):
            script.zero(d.one((None, 0, 1)))
        self._load(script, drawn)
        if four(fields, "source_l1")[0]:
            high = four(fields, "source_high")[0] & 1
            first = four(fields, "base0")[0] // 16 + (high << 14)
            for line in range(first & ~3, first + 200, 4):
                script.l1(line, d.rng.integers(0, 1 << 32, 16, np.uint32))
        if any(four(fields, "accumulate")) and d.chance(0.7):
            self._old_sums(script, drawn)

    def _addr_mod(self) -> int:
        d = self._d
        fields = {name: d.flag(0.25) for name in counter_words.ADDR_MOD}
        fields |= {
            "YsrcIncr": d.one((0, 1, 1, 4, d.upto(15))),
            "YdstIncr": d.one((0, 1, d.upto(15))),
        }
        return int(counter_words.addr_mod(**fields))

    def _load(self, script: Script, drawn: Drawn) -> None:
        d, fields, cell = self._d, drawn.fields, drawn.cell
        remap, swizzle = four(fields, "remap")[0], four(fields, "swizzle")[0]
        base = four(fields, "base0")[0] // cell.datum_bytes // 16
        rows = set(d.rng.integers(0, 1024, d.upto(self._knobs.rows)).tolist())
        for offset in four(fields, "dst_offset"):
            first = base + offset + d.upto(3)
            rows |= {row & 1023 for row in range(first, first + d.between(1, 18))}
        image = dst.Image()
        image.fill(d, sorted(rows), cell.stored, self._knobs.data, remap, swizzle)
        script.dst(image, d.between(4, 9), after=script.done("dst_zero"))

    def _old_sums(self, script: Script, drawn: Drawn) -> None:
        """What L1 holds before it is added to."""
        d = self._d
        for packer, line in enumerate(drawn.area):
            kind = {cells.INT32: "int32", cells.FP32: "fp32", cells.FP16: "fp16"}.get(
                four(drawn.fields, "to")[packer], "bf16"
            )
            count = 64 * d.between(1, 4)
            datums = dst.values(d.rng, kind, d.by(self._knobs.data), count)
            raw = datums if kind in ("int32", "fp32") else datums.astype(np.uint16).view(np.uint32)
            script.l1(line & ~3, raw)

    def _moved(self, script: Script, drawn: Drawn, faulty: bool) -> Drawn:
        """Other destinations, which tiles that are open do not take, and other values."""
        d, fields = self._d, dict(drawn.fields)
        fields["l1_dest"] = tuple((a + d.upto(300)) & 0xFFFF_FFFF for a in four(fields, "l1_dest"))
        if d.chance(0.5):
            fields["downsample"] = each(d, lambda: d.one((0, d.upto(0xFFFF))))
        if d.chance(0.5):
            fields["relu"] = d.upto(1)
        if faulty and d.chance(0.5):
            open_change(d, fields)
        for bank in (0, 1):
            script.setup(fields, bank)
        drawn = Drawn(drawn.cell, fields, drawn.area)
        self._load(script, drawn)
        return drawn

    # -- instructions

    def _run(self, script: Script, drawn: Drawn, faulty: bool) -> None:
        d, knobs = self._d, self._knobs
        threads = d.rng.permutation(3)[: {"one": 1, "two": 2, "three": 3}[d.by(knobs.threads)]]
        own = [int(thread) for thread in threads]
        self._in_order &= len(own) == 1
        alike = all(len(set(four(drawn.fields, name))) == 1 for name in KEPT)
        for thread in range(3):
            if thread in own or d.chance(knobs.override):
                values = {"y0": d.upto(3), "z0": d.upto(3), "w0": d.upto(1)}
                script.counters(thread, **values, y1=d.upto(63), z1=d.upto(20), w1=d.upto(20))
                script.word(thread, self._range())
        length = knobs.length
        if not all(four(drawn.fields, "uncompressed")) or drawn.fields.get("uncompressed_override"):
            length = min(length, _MOST_ROWS)
        for _ in range(d.between(1, length)):
            thread = d.one(own)
            gap = d.between(1, 40) if d.chance(knobs.gap) else 0
            zero = d.chance(knobs.zero)
            if zero and len(own) == 1 and self._profile.packers == 1 and d.chance(0.3):
                script.word(thread, *self._long_zero())
                continue
            if d.chance(knobs.anew):
                script.word(thread, self._range())
            if faulty and d.chance(0.1):
                script.word(thread, self._xx(d.upto(600), d.upto(600)))
            if d.chance(knobs.setreg):
                script.word(thread, *self._setreg(faulty), gap=gap)
                self._open = [False] * 4
                continue
            if self._profile.packers == 1 and (alike or self._may_switch()):
                self._context = d.upto(3) if d.chance(0.3) else self._context
            word = self._pacr(zero)
            if faulty and d.chance(0.3):
                word = wrong_word(d, word)
            script.word(thread, word, gap=gap)
            if d.chance(0.1):
                script.addr_mod(
                    thread, d.upto(3), self._addr_mod(), after=script.done(f"t{thread}.issue")
                )
        if faulty and d.chance(0.3):
            self._disturb(script)

    def _range(self) -> int:
        """SETADCXX: the first and the last datum."""
        d, knobs = self._d, self._knobs
        first = d.upto(31) if d.chance(knobs.shift) else 0
        if self._profile.packers == 1:
            first &= 15
        kind = d.by(knobs.counts)
        count = {
            "zero": 0, "one": 1, "few": d.between(2, 15), "row": 16, "edge": d.one(_EDGES),
            "face": d.one((256, d.between(65, 256))),
        }[kind]  # fmt: skip
        if self._profile.packers == 1:
            count = min(count, 16 - first)
        if count == 0:
            first = max(first, 1)
        return self._xx(first, first + count - 1)

    def _long_zero(self) -> list[int]:
        """More zeros than the four interfaces have in their rows (P55)."""
        self._open[0] = True
        word = words.pacr(0, zero=1, concat=self._d.flag(), context=self._context)
        zeros = self._d.one((16 * self._d.between(1, 64), self._d.between(17, 1024)))
        return [self._xx(0, zeros - 1), word, self._range()]

    @staticmethod
    def _xx(first: int, last: int) -> int:
        return int(counter_words.setadcxx(_TARGET, first, last))

    def _pacr(self, zero: bool) -> int:
        d, knobs = self._d, self._knobs
        one = self._profile.packers == 1
        mask = d.upto(15) if one else d.one(LEGAL_MASKS)
        last, flush = d.chance(knobs.last), d.chance(knobs.flush)
        more: dict[str, int] = {}
        if one:
            more = {"context": self._context, "strided": d.flag(knobs.strided)}
        which = 15 if one else mask or self._profile.pack_mask0
        self._open = self._opened(which, last or flush)
        return words.pacr(
            mask,
            last=int(last),
            flush=int(flush),
            concat=d.flag(knobs.concat),
            zero=int(zero),
            mode=d.upto(3) if d.chance(knobs.step) else 0,
            override=d.flag(knobs.override),
            which=d.upto(3),
            **more,
        )

    def _may_switch(self) -> bool:
        """Whether no tile is open that needs the context it has."""
        return self._in_order and not self._open[0]

    def _opened(self, mask: int, closes: bool) -> list[bool]:
        return [not closes if mask >> p & 1 else is_open for p, is_open in enumerate(self._open)]

    def _setreg(self, faulty: bool) -> list[int]:
        d = self._d
        stream = d.upto(63) if faulty else d.between(17, 63)
        odd: Mapping[str, int] = {}
        if faulty and d.chance(0.3):
            odd = {"push": d.flag(), "flush": d.flag()}
        if not words.is_bh(self._profile.name):
            packers = {"packers": d.upto(15)} if odd else {}
            return [words.setreg(d.upto(0x3FF), d.upto(1), stream, **odd, **packers)]
        loads = [words.load_bh(half, d.upto(0xFFFF)) for half in (0, 1) if d.chance(0.6)]
        return [*loads, words.setreg_bh(d.upto(3), stream, **odd)]

    def _disturb(self, script: Script) -> None:
        """What should wait until the packers are idle."""
        d = self._d
        if d.chance(0.5):
            script.histogram(d.upto(3), d.one((6, 7, 9)))
        if d.chance(0.3):
            script.clear()
        script.config(1 << d.upto(1), d.one((0, 1, 2, 13, 18, 25, 31, 33, 71, 99, 150)), d.upto(15))

    def _close(self, script: Script) -> None:
        d, packers = self._d, self._profile.packers
        thread = d.upto(2)
        mask = sum(is_open << p for p, is_open in enumerate(self._open))
        if packers == 1:
            mask = d.upto(15)
        elif mask not in LEGAL_MASKS or mask == 0 or not self._in_order or d.chance(0.3):
            mask = 15
        more = {"context": self._context} if packers == 1 else {}
        if d.chance(0.6):
            script.word(thread, words.pacr(mask, flush=1, **more))
        else:
            script.word(thread, self._xx(0, 15), words.pacr(mask, last=1, **more))
        self._open = [False] * 4

    # -- players with little to do

    def _space(self, script: Script, before: Mapping[str, int]) -> None:
        """Each player gets an item now and then, with as long a gap as scenes have taken.

        The bench asks each player for as many items as can fill a number of cycles: one with few
        items would have to be far ahead of the others.
        """
        for player, count in before.items():
            new = script.counts[player] - count
            if new:
                script.widen(player, new, SPACING * (self._idle[player] + 1))
            self._idle[player] = 0 if new else self._idle[player] + 1

    def _something(self, script: Script, player: str) -> None:
        lead = script.leads.get(player.rpartition(".")[2])
        if lead:
            script.add(player, lead)
        elif player == "dst_zero":
            script.zero(self._d.upto(1))
