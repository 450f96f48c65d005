# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

    # comment; also behind an operation
    thread 0                   the lines that follow belong to this thread (0, 1, 2):
    ttsetadcxx 1,255,0         issue a word, in assembly as ``isa.assemble`` takes it
    420000C1                   issue a word, as eight hexadecimal digits (0x in front or not)
    ttsetc16 5,4               goes through the port for it; the order of the thread's lines stays
    config                     the lines that follow are writes of configuration, bank 0:
    write 76 0x1000            word index, data: a store of a core
    add 124 0x81               data is what stands there, so much higher: RDCFG, ADDDMAREG, WRCFG
    l1                         the lines that follow fill L1:
    tile 0x10000 bf16 3        byte address, kind (sequences.unpack.tile_image.KINDS), number
    matrix                     the lines that follow are what the Matrix Unit does:
    take A 64                  waits for the bank of SrcA (B), reads so many rows and releases it
    read 64 32                 rows of Dst: the first and how many
    gap 20                     idle cycles before the next operation of the section
    wait issue 0 20            the next operation waits until thread 0 has issued 20 words; without
                               the number, all that stand above, repeats counted as they run
    wait config 4              ... until 4 configuration words are written, or all so far
    wait l1                    ... likewise L1 and ``wait matrix``: writes of 64 bytes, commands
    wait idle 0x2              ... until these bits of ``busy`` (2 · thread + unpacker) are 0
    repeat 4                   the lines up to the matching ``endrepeat``, four times
    endrepeat
    end                        must be the last line: a file without it is truncated

Numbers are decimal, hexadecimal with 0x, or eight hexadecimal digits. What the sections name are
players that each run on their own: the order of lines matters within one, and for ``wait``, of
which an operation can have two, and ``wait idle`` besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.programs import ProgramFiles, Sections, number, numbers
from tilepath.isa import profiles
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.unpack import llk, tile_image
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.view import Memory
from tilepath.sequences.waiting_text import HeldLoader
from tilepath.tb.unpack import items
from tilepath.tb.unpack.streams import HOLDING, THREADS

_DST_ROWS: Final = 1024
_FILES: Final = {"a": items.SRCA, "b": items.SRCB}
_WORDS: Final = frozenset((w.OPCODE, w.NOP_OPCODE, *counter_words.OPCODES.values()))


class _Loader(HeldLoader):
    sections = Sections(
        players={"config": "cfg", "l1": "l1_write", "matrix": "matrix"},
        conditions={
            "config": items.after_cfg,
            "l1": items.after_l1_write,
            "matrix": items.after_matrix,
        },
        after_issue=items.after_issue,
        threads=THREADS,
    )
    holding = HOLDING
    opcodes = _WORDS
    unit = "the unpackers"

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._memory = Memory(np.zeros(profiles.get(profile).l1_bytes, np.uint8))

    def item(self, kind: str, *fields: Any, **waits: Any) -> Items:
        made: Items = getattr(items, kind)(*fields, **waits)
        return made

    def operate(self, section: str, name: str, rest: list[str]) -> bool:
        if section == "l1_write" and name == "tile":
            self._tile(rest)
        elif section == "matrix" and name == "take":
            self._take(rest)
        elif section == "matrix" and name == "read":
            first, count = numbers(rest, name, 2)
            if first + count > _DST_ROWS:
                raise ValueError(f"there is no row {first + count - 1}: Dst has {_DST_ROWS}")
            for row in range(first, first + count):
                self._matrix(items.READ, items.DST, row)
        else:
            return False
        return True

    # -- what the sections do

    def _tile(self, rest: list[str]) -> None:
        if len(rest) != 3:
            raise ValueError("tile takes an address, a kind and a number")
        kind = tile_image.KINDS.get(rest[1])
        if kind is None:
            raise ValueError(f"there is no kind {rest[1]!r}: {', '.join(tile_image.KINDS)}")
        address, which = number(rest[0]), number(rest[2])
        if address % items.LINE_BYTES or address + kind.tile_bytes > self._memory.size:
            raise ValueError("the address is a multiple of 16, with the tile inside L1")
        if which >= 1 << 16:
            raise ValueError("the number has 16 bits")
        self._memory.put(address, tile_image.image(kind, tile_image.values(kind, which)))
        lines, data = self._memory.flush()
        for line, row in zip(lines, data, strict=True):
            self.put("l1_write", line, row)

    def _take(self, rest: list[str]) -> None:
        if len(rest) != 2 or rest[0] not in _FILES:
            raise ValueError("take takes A or B, and a number of rows")
        file, count = _FILES[rest[0]], number(rest[1])
        for row in range(count):
            self._matrix(items.READ, file, row, wait=1, follow=1)
        self._matrix(items.RELEASE, file, wait=1, toggle=1, follow=1)

    def _matrix(self, op: int, file: int, row: int = 0, **flags: int) -> None:
        bit = 1 << file if file < items.DST else 0
        named = {name: flags.get(name, 0) * bit for name in ("wait", "toggle")}
        follow = {"follow": flags.get("follow", 0)}
        self.put("matrix", items.command(op, file, 0, row) | named | follow)


def _floor(threads: Sequence[int]) -> dict[str, int]:
    return {f"t{thread}.counter": 4 for thread in threads} | {"answer_a": 50, "answer_b": 50}


PROGRAMS: Final = ProgramFiles(Path(__file__).parent / "programs", _Loader, _floor)
TESTS: dict[str, TestSpec] = PROGRAMS.tests() | llk.TESTS
