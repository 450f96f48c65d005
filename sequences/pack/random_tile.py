# SPDX-License-Identifier: Apache-2.0
"""Scenes of whole tiles, as kernels pack them: four faces, in one PACR or in sixteen (P37, P48)."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import cells, dst, words
from tilepath.sequences.pack.config import four
from tilepath.sequences.pack.random_scene import Scenes
from tilepath.sequences.pack.random_setup import Drawn, draw_cell, draw_target, draw_values
from tilepath.sequences.pack.script import Script

FACES: Final = 4
_TILE_LINES: Final = 300
_FIRST_LINE: Final = 17_500
_WIDE_TILES: Final = 8  # that Dst has room for
_STEP, _NEXT = 0, 1  # numbers of ADDR_MOD_PACK words


class Tiles(Scenes):
    """Makes scenes of whole tiles, one after the other."""

    def __call__(self, script: Script) -> None:
        """Append a scene: one set-up, one to four tiles."""
        d, before = self._d, dict(script.counts)
        drawn = self._tile_setup()
        thread = d.upto(2)
        for number in range(d.between(1, 4)):
            self._begin(script, before if number == 0 else None)
            place = d.upto(_WIDE_TILES - 1)
            self._place(drawn, d.upto(200) * _TILE_LINES)
            for bank in (0, 1):
                script.setup(drawn.fields, bank)
            script.bank(thread, d.upto(1))
            rows = counter_words.addr_mod(YsrcIncr=4 if self._profile.packers == 1 else 1)
            script.addr_mod(thread, _STEP, int(rows))
            script.addr_mod(thread, _NEXT, int(counter_words.addr_mod(YsrcClear=1)))
            self._fill(script, drawn, place)
            script.phase(idle=False)
            self._pack(script, thread, place)
        self._space(script, before)

    def _tile_setup(self) -> Drawn:
        d, knobs, profile = self._d, self._knobs, self._profile
        drawn = Drawn(draw_cell(d, knobs, profile))
        cell, fields, size = drawn.cell, drawn.fields, drawn.cell.datum_bytes
        accumulate = d.chance(knobs.accumulate)
        to = draw_target(d, knobs, cell, False, accumulate)
        fields |= cell.setup() | {"to": to, "from_": cell.from_}
        fields |= {"accumulate": int(accumulate and to in cells.ACCUMULATED), "no_header": 0}
        fields |= {"x_stride": size, "y_stride": 16 * size, "z_stride": 256 * size}
        fields |= {"w_stride": 1024 * size}
        if profile.packers > 1:
            fields["dst_offset"] = tuple(16 * face for face in range(FACES))
        draw_values(d, knobs, drawn)
        fields["downsample"] = 0
        return drawn

    def _place(self, drawn: Drawn, first: int) -> None:
        """Destinations: packer 0's, and the others' from there on."""
        fields, packers = drawn.fields, self._profile.packers
        to = four(fields, "to")[0]
        bits = {0: 32, 1: 16, 2: 8}.get(to & 3, 2 if to & 8 else 4)
        face = 256 * bits // 128
        bfp = to in cells.BFP_TARGETS
        fields["exp_size"] = FACES if bfp and packers == 1 else 0
        apart = face
        if bfp and packers > 1:
            fields["exp_size"] = tuple(FACES + p * face - p for p in range(FACES))
            apart = 1
        start = _FIRST_LINE + first % 70_000 - 1
        dests = [start + p * apart for p in range(FACES)]
        if self._profile.pack_relative and packers > 1:
            dests = [start | 1 << 31, *((p * apart - 1) & 0xFFFF_FFFF for p in (1, 2, 3))]
        fields["l1_dest"] = tuple(dests)

    def _fill(self, script: Script, drawn: Drawn, place: int) -> None:
        d, cell = self._d, drawn.cell
        image = dst.Image()
        image.fill(d, range(64 * place, 64 * place + 64), cell.stored, self._knobs.data)
        script.dst(image, 9 if cell.wide else 8, after=script.done("dst_zero"))

    def _pack(self, script: Script, thread: int, place: int) -> None:
        one = self._profile.packers == 1
        whole = not one and self._d.chance(0.5)
        values = {"y0": 0, "z0": 0, "w0": place, "y1": 0, "z1": 0, "w1": 0}
        script.counters(thread, **values, x0=0, x1=255 if whole else 15)
        mask = 0 if one else 15
        steps = 1 if whole else 16
        for step in range(steps):
            last = int(step == steps - 1)
            script.word(thread, words.pacr(mask, last=last, mode=_NEXT if last else _STEP))
