# SPDX-License-Identifier: Apache-2.0
"""Scenes of whole tiles, as kernels pack them: four faces, in one PACR or in sixteen (P37, P48)."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa import formats
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import cells, dst, words
from tilepath.sequences.pack.config import four
from tilepath.sequences.pack.random_scene import Scenes
from tilepath.sequences.pack.random_setup import (
    Drawn,
    chosen_cell,
    chosen_target,
    set_values,
    tile_strides,
)
from tilepath.sequences.pack.script import Script

FACES: Final = 4
_TILE_LINES: Final = 300
_FIRST_LINE: Final = 17_500
_STEP, _NEXT = 0, 1  # numbers of ADDR_MOD_PACK words


class Tiles(Scenes):
    """Makes scenes of whole tiles, one after the other."""

    def __call__(self, script: Script) -> None:
        """Append a scene: one set-up, one to four tiles."""
        before = dict(script.counts)
        drawn, tile = self._tile_setup(), self._row("tile")
        for number in range(tile.tiles):
            self._begin(script, before if number == 0 else None)
            self._place(drawn, tile.area[number] * _TILE_LINES)
            writes = self._row("writes")
            script.setup(drawn.fields, 0, 1, flops=writes.flops)
            script.bank(tile.thread, tile.bank[number], writes.ways[0][0])
            rows = counter_words.addr_mod(YsrcIncr=4 if self._profile.packers == 1 else 1)
            script.addr_mod(tile.thread, _STEP, int(rows))
            script.addr_mod(tile.thread, _NEXT, int(counter_words.addr_mod(YsrcClear=1)))
            self._fill(script, drawn, tile.place[number])
            script.phase(idle=False)
            self._pack(script, tile.thread, tile.place[number], tile.whole[number])
        self._space(script, before)

    def _tile_setup(self) -> Drawn:
        row, profile = self._row("setup"), self._profile
        drawn = Drawn(chosen_cell(row, profile))
        cell, fields = drawn.cell, drawn.fields
        accumulate = bool(row.accumulate[0])
        to = chosen_target(row, 0, cell, False, accumulate)
        fields |= cell.setup() | tile_strides(cell.datum_bytes) | {"to": to, "from_": cell.from_}
        fields |= {"accumulate": int(accumulate and to in cells.ACCUMULATED), "no_header": 0}
        if profile.packers > 1:
            fields["dst_offset"] = tuple(16 * face for face in range(FACES))
        set_values(row, drawn)
        fields["downsample"] = 0
        return drawn

    def _place(self, drawn: Drawn, first: int) -> None:
        """Destinations: packer 0's, and the others' from there on."""
        fields, packers = drawn.fields, self._profile.packers
        to = formats.get(four(fields, "to")[0])
        face = 256 * to.bits // 128
        fields["exp_size"] = FACES if to.shared and packers == 1 else 0
        apart = face
        if to.shared and packers > 1:
            fields["exp_size"] = tuple(FACES + p * face - p for p in range(FACES))
            apart = 1
        start = _FIRST_LINE + first % 70_000 - 1
        dests = [start + p * apart for p in range(FACES)]
        if self._profile.pack_relative and packers > 1:
            dests = [start | 1 << 31, *((p * apart - 1) & 0xFFFF_FFFF for p in (1, 2, 3))]
        fields["l1_dest"] = tuple(dests)

    def _fill(self, script: Script, drawn: Drawn, place: int) -> None:
        cell, image = drawn.cell, dst.Image()
        rows = np.arange(64 * place, 64 * place + 64)
        image.put_rows(rows, self._contents.rows(cell.stored, len(rows)), cell.stored)
        script.dst(image, 9 if cell.wide else 8, after=script.done("dst_zero"))

    def _pack(self, script: Script, thread: int, place: int, whole: bool) -> None:
        one = self._profile.packers == 1
        whole = whole and not one
        values = {"y0": 0, "z0": 0, "w0": place, "y1": 0, "z1": 0, "w1": 0}
        script.counters(thread, **values, x0=0, x1=255 if whole else 15)
        mask = 0 if one else 15
        steps = 1 if whole else 16
        for step in range(steps):
            last = int(step == steps - 1)
            script.word(thread, words.pacr(mask, last=last, mode=_NEXT if last else _STEP))
