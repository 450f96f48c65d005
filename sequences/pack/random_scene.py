# SPDX-License-Identifier: Apache-2.0
"""Scenes of constrained random stimulus: a set-up and what Dst holds, then threads that pack.

While anything is written that packers read or that is read of them, they are idle; the last part of
a scene closes all tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.draw import Draw
from tilepath.engine.stimulus.tables import Table
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import dst, words
from tilepath.sequences.pack.config import four
from tilepath.sequences.pack.disturbances import (
    disturb,
    in_the_first_cycles,
    in_the_midst,
    with_columns,
)
from tilepath.sequences.pack.faults import KEPT, open_change, wrong_setup, wrong_word
from tilepath.sequences.pack.random_setup import Drawn, legal_setup
from tilepath.sequences.pack.script import PACKERS, Script
from tilepath.sequences.pack.tables import LEGAL_MASKS

SPACING: Final = 80  # cycles, fewer than most scenes take
FORCED: Final = 2  # scenes after which a player gets something to do: no item stands for long
_MOST_ROWS: Final = 14  # of a scene's two parts 28, and 32 are legal
_TARGET: Final = 1 << PACKERS
_AHEAD: Final = 256  # rows of a table
_APART: Final = ("writes", "disturb")


class Scenes:
    """Makes scenes of ``tables``, one after the other."""

    def __init__(self, rng: np.random.Generator, tables: Mapping[str, Table], profile: str) -> None:
        self._rng = rng
        self._d = Draw(rng)
        self._contents = dst.Contents(rng, tables["contents"])
        self._next: dict[str, Iterator[Any]] = {
            name: table.drawn(rng, _AHEAD) for name, table in tables.items() if name not in _APART
        }
        # from generators of their own: what is packed does not depend on them
        for name, own in zip(_APART, rng.spawn(len(_APART)), strict=True):
            if name in tables:
                self._next[name] = tables[name].drawn(own, _AHEAD)
        self._profile = profiles.get(profile)
        self._idle = dict.fromkeys(Script.holding.sources, 0)  # scenes without an item
        self._open = [False] * 4
        self._context = 0
        self._in_order = True  # one thread in this scene: what is open is known
        self._disturb: Any = None  # row of this scene
        self._runs: list[Any] = []  # that it has written to Dst

    def _row(self, table: str) -> Any:
        return next(self._next[table])

    def __call__(self, script: Script) -> None:
        """Append a scene."""
        self._disturb = self._row("disturb")
        if self._disturb.early and not script.total:
            in_the_first_cycles(script)
        before = dict(script.counts)
        self._in_order = True
        self._begin(script, before)
        scene = self._row("scene")
        drawn = legal_setup(self._row("setup"), self._profile)
        if scene.faults:
            wrong_setup(self._d, self._row("fault"), drawn.fields)
        self._prepare(script, scene, drawn)
        script.phase(idle=False)
        self._run(script, drawn, scene.faults)
        if scene.second:
            script.phase()
            drawn = self._moved(script, scene, drawn)
            script.phase(idle=False)
            if scene.faults and self._profile.packers > 1 and self._d.chance(0.3):
                self._end_others(script)
            self._run(script, drawn, scene.faults)
        script.phase(idle=False)
        self._close(script, scene)
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

    def _prepare(self, script: Script, scene: Any, drawn: Drawn) -> None:
        fields, writes = drawn.fields, self._row("writes")
        if scene.histograms:
            for packer in range(self._profile.packers):
                script.histogram(packer, scene.mode[packer])
            script.histogram(scene.any_packer, 9, scene.any_bin)
        if scene.clear:
            script.clear()
        banks = (0, 1) if scene.other else (scene.bank,)
        script.setup(fields, banks[0], wide=scene.wide[0], flops=writes.flops)
        if scene.other:  # that a thread looks at the wrong bank shows in values
            other = {**fields, "relu": scene.other_relu}
            script.setup(other, 1, wide=scene.wide[1], flops=writes.flops[1:])
        for thread in range(3):
            *ways, bank, stats = writes.ways[thread]
            script.bank(thread, banks[scene.thread_bank[thread] % len(banks)], bank)
            script.stats(thread, int(scene.stats[thread]), stats)
            for number, way in enumerate(ways):
                if scene.mods[4 * thread + number]:
                    script.addr_mod(thread, number, self._row("mod").word, way=way)
        if scene.offset:
            script.offset(scene.offset_packers, scene.offset_value)
        if scene.valid:
            for _ in range(self._disturb.times if self._disturb.zeroed else 1):
                script.zero((None, 0, 1)[scene.cleared])
        self._load(script, drawn)
        if four(fields, "source_l1")[0]:
            high = four(fields, "source_high")[0] & 1
            first = four(fields, "base0")[0] // 16 + (high << 14)
            for line in range(first & ~3, first + 200, 4):
                script.l1(line, self._rng.integers(0, 1 << 32, 16, np.uint32))
        if any(four(fields, "accumulate")) and scene.old_sums:
            self._old_sums(script, scene, drawn)

    def _load(self, script: Script, drawn: Drawn) -> None:
        fields, cell, load = drawn.fields, drawn.cell, self._row("load")
        remap, swizzle = four(fields, "remap")[0], four(fields, "swizzle")[0]
        base = four(fields, "base0")[0] // cell.datum_bytes // 16
        wanted = np.zeros(dst.ROWS, np.bool_)
        wanted[self._rng.integers(0, dst.ROWS, load.rows)] = True
        for packer, offset in enumerate(four(fields, "dst_offset")):
            first = base + offset + load.begin[packer]
            wanted[np.arange(first, first + load.count[packer]) % dst.ROWS] = True
        rows = np.flatnonzero(wanted)
        image = dst.Image()
        image.put_rows(
            rows, self._contents.rows(cell.stored, len(rows)), cell.stored, remap, swizzle
        )
        self._runs = with_columns(self._d, self._disturb, [*image.runs(load.longest)])
        after = 0 if self._disturb.zeroed else script.done("dst_zero")
        script.add_all("dst_write", self._runs, after)

    def _old_sums(self, script: Script, scene: Any, drawn: Drawn) -> None:
        """What L1 holds before it is added to."""
        for packer, line in enumerate(drawn.area):
            kind = {C.INT32: "int32", C.FP32: "fp32", C.FP16: "fp16"}.get(
                four(drawn.fields, "to")[packer], "bf16"
            )
            datums = self._contents.rows(kind, 4 * scene.sums[packer]).reshape(-1)
            raw = datums if kind in ("int32", "fp32") else datums.astype(np.uint16).view(np.uint32)
            script.l1(line & ~3, raw)

    def _moved(self, script: Script, scene: Any, drawn: Drawn) -> Drawn:
        """Other destinations, which tiles that are open do not take, and other values."""
        fields = dict(drawn.fields)
        moved = zip(four(fields, "l1_dest"), scene.moved, strict=True)
        fields["l1_dest"] = tuple((a + more) & 0xFFFF_FFFF for a, more in moved)
        if scene.downsamples:
            fields["downsample"] = tuple(scene.downsample_mask)
        if scene.relus:
            fields["relu"] = scene.relu_mode
        if scene.faults:
            open_change(self._d, self._row("fault"), fields)
        writes = self._row("writes")
        script.setup(fields, 0, 1, flops=writes.flops)
        drawn = Drawn(drawn.cell, fields, drawn.area)
        self._load(script, drawn)
        return drawn

    # -- instructions

    def _run(self, script: Script, drawn: Drawn, faulty: bool) -> None:
        run = self._row("run")
        own = run.order[: 1 + run.threads]
        self._in_order &= len(own) == 1
        alike = all(len(set(four(drawn.fields, name))) == 1 for name in KEPT)
        for thread in range(3):
            if thread in own or run.override[thread]:
                names = ("y0", "z0", "w0", "y1", "z1", "w1")
                script.counters(thread, **{n: getattr(run, n)[thread] for n in names})
                script.word(thread, self._range())
        length, fields = run.length, drawn.fields
        packed = not all(four(fields, "uncompressed")) or fields.get("uncompressed_override")
        if packed and not faulty:
            length = min(length, _MOST_ROWS)
        for number in range(length):
            step = self._row("step")
            self._step(script, step, own[step.thread % len(own)], alike, faulty, len(own) == 1)
            if number == length // 2:
                in_the_midst(script, self._d, self._disturb, own[-1], self._runs)
        if faulty and run.disturb:
            disturb(script, self._d)

    def _end_others(self, script: Script) -> None:
        """A packer's PACR brings what has changed, SETREG ends the tiles of others (P68)."""
        one = self._d.upto(3)
        script.word(0, words.pacr(1 << one), words.setreg(0, stream=40, packers=15 ^ 1 << one))
        self._open = [packer == one for packer in range(4)]

    def _step(
        self, script: Script, step: Any, thread: int, alike: bool, faulty: bool, alone: bool
    ) -> None:
        gap = step.pause if step.gap else 0
        if step.zero and alone and self._profile.packers == 1 and step.long:
            script.word(thread, *self._long_zero(step))
            return
        if step.anew:
            script.word(thread, self._range())
        if faulty and step.far:
            script.word(thread, self._xx(step.far_first, step.far_last))
        if step.setreg:
            script.word(thread, *self._setreg(faulty), gap=gap)
            self._open = [False] * 4
            return
        may_switch = alike or self._may_switch() or self._disturb.switches
        if self._profile.packers == 1 and may_switch and step.switch:
            self._context = step.context
        word = self._pacr(step)
        if faulty and step.wrong:
            word = wrong_word(self._d, word)
        script.word(thread, word, gap=gap)
        if step.mod:
            after = script.done(f"t{thread}.issue")
            script.addr_mod(thread, step.mod_number, self._row("mod").word, after=after)

    def _range(self) -> int:
        """SETADCXX: the first and the last datum."""
        row = self._row("range")
        first, count = row.first * row.shift, row.datums
        if self._profile.packers == 1:
            first &= 15
            count = min(count, 16 - first)
        if count == 0:
            first = max(first, 1)
        return self._xx(first, first + count - 1)

    def _long_zero(self, step: Any) -> list[int]:
        """More zeros than the four interfaces have in their rows (P55)."""
        self._open[0] = True
        word = words.pacr(0, zero=1, concat=step.which & 1, context=self._context)
        return [self._xx(0, step.zeros - 1), word, self._range()]

    @staticmethod
    def _xx(first: int, last: int) -> int:
        return counter_words.setadcxx(_TARGET, first, last)

    def _pacr(self, step: Any) -> int:
        one = self._profile.packers == 1
        mask = step.mask if one else step.legal_mask
        more = {"context": self._context, "strided": int(step.strided)} if one else {}
        which = 15 if one else mask or self._profile.pack_mask0
        self._open = self._opened(which, step.last or step.flush)
        return words.pacr(
            mask,
            last=int(step.last),
            flush=int(step.flush),
            concat=int(step.concat),
            zero=int(step.zero),
            mode=step.mode * step.step,
            override=int(step.override),
            which=step.which,
            **more,
        )

    def _may_switch(self) -> bool:
        """Whether no tile is open that needs the context it has."""
        return self._in_order and not self._open[0]

    def _opened(self, mask: int, closes: bool) -> list[bool]:
        return [not closes if mask >> p & 1 else is_open for p, is_open in enumerate(self._open)]

    def _setreg(self, faulty: bool) -> list[int]:
        row = self._row("setreg")
        stream = row.any_stream if faulty else row.stream
        odd = {"push": row.push, "flush": row.flushes} if faulty and row.odd else {}
        if not words.is_bh(self._profile.name):
            packers = {"packers": row.packers} if odd else {}
            return [words.setreg(row.value, row.select & 1, stream, **odd, **packers)]
        loads = [words.load_bh(half, row.half[half]) for half in (0, 1) if row.load[half]]
        return [*loads, words.setreg_bh(row.select, stream, **odd)]

    def _close(self, script: Script, scene: Any) -> None:
        packers = self._profile.packers
        mask = sum(is_open << p for p, is_open in enumerate(self._open))
        if packers == 1:
            mask = scene.close_mask
        elif mask not in LEGAL_MASKS or mask == 0 or not self._in_order or scene.close_all:
            mask = 15
        more = {"context": self._context} if packers == 1 else {}
        if scene.flushes:
            script.word(scene.close_thread, words.pacr(mask, flush=1, **more))
        else:
            script.word(scene.close_thread, self._xx(0, 15), words.pacr(mask, last=1, **more))
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
