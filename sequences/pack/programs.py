# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

    # comment; also behind an operation
    thread 2                   the lines that follow belong to this thread (0, 1, 2):
    ttsetadcxx 4,15,0          issue a word, in assembly as ``isa.assemble`` takes it
    41000000                   issue a word, as eight hexadecimal digits (0x in front or not)
    config                     the lines that follow write configuration: ``kernel.waiting_text``
    dst                        the lines that follow are what the Matrix Unit does to Dst:
    tile 3 bf16 7              place (rows 64 · 3 and up), kind (pack.tile_image.KINDS), number
    zero                       the lines that follow clear valid bits of Dst, as ZEROACC does:
    half 1                     of rows 512 to 1023; ``all``: of all rows
    gap 20                     idle cycles before the next operation of the section
    wait issue 2 20            the next operation waits until thread 2 has issued 20 words; without
                               the number, all that stand above, repeats counted as they run
    wait config 4              ... until 4 configuration words are written, or all so far
    wait dst                   ... likewise Dst (runs of up to nine rows) and ``wait zero``
    wait idle 0xF00            ... until these bits of ``busy`` (4 · thread + packer) are 0
    repeat 4                   the lines up to the matching ``endrepeat``, four times
    endrepeat
    end                        must be the last line: a file without it is truncated

What the sections name are players that each run on their own: the order of lines matters within
one, and for ``wait``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.programs import ProgramFiles, Sections, number, numbers
from tilepath.isa import constants
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import llk, tile_image
from tilepath.sequences.pack.dst import Image
from tilepath.sequences.waiting_text import HeldLoader
from tilepath.tb.pack.streams import HOLDING, THREADS, items

_PLAYERS: Final = {"config": "cfg", "dst": "dst_write", "zero": "dst_zero"}
_PLACES: Final = 16  # of tiles in Dst; of 32 bits half as many


class _Loader(HeldLoader):
    sections = Sections(
        players=_PLAYERS,
        conditions={name: partial(HOLDING.after, player) for name, player in _PLAYERS.items()},
        after_issue=lambda thread, count: HOLDING.after(f"t{thread}.issue", count),
        threads=THREADS,
    )
    holding = HOLDING
    opcodes = frozenset(
        (constants.OP_PACR, constants.OP_PACR_SETREG, *counter_words.OPCODES.values())
    )
    unit = "the packers"

    def item(self, kind: str, *fields: Any, **waits: Any) -> Items:
        if kind == "cfg":
            banks, index, data = fields
            fields = (banks, index, 0, (data, 0, 0, 0))
        return items(kind, fields, **waits)

    def operate(self, section: str, name: str, rest: list[str]) -> bool:
        if section == "dst_write" and name == "tile":
            self._tile(rest)
        elif section == "dst_zero" and name == "half":
            (half,) = numbers(rest, name, 1)
            self.put(section, 0, half)
        elif section == "dst_zero" and name == "all" and not rest:
            self.put(section, 1, 0)
        else:
            return False
        return True

    def _tile(self, rest: list[str]) -> None:
        if len(rest) != 3:
            raise ValueError("tile takes a place, a kind and a number")
        kind = tile_image.KINDS.get(rest[1])
        if kind is None:
            raise ValueError(f"there is no kind {rest[1]!r}: {', '.join(tile_image.KINDS)}")
        place, which = number(rest[0]), number(rest[2])
        if place >= _PLACES >> kind.wide or which >= 1 << 16:
            raise ValueError("the place is 0 to 15, of 32 bits 0 to 7; the number has 16 bits")
        image = Image()
        tile_image.put(image, kind, place, tile_image.values(kind, which))
        for fields in image.runs():
            self.put("dst_write", *fields)


def _floor(threads: Sequence[int]) -> dict[str, int]:
    return {f"t{thread}.counter": 3 for thread in threads} | {"issue": 16, "w0.write": 16}


PROGRAMS: Final = ProgramFiles(Path(__file__).parent / "programs", _Loader, _floor)
TESTS: dict[str, TestSpec] = PROGRAMS.tests() | llk.TESTS
