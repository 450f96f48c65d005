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

from tilepath.isa import constants
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.kernel.program_files import ProgramFiles
from tilepath.sequences.kernel.program_text import BadLineError, number
from tilepath.sequences.kernel.section_text import Given, SectionLoader, Sections, numbers
from tilepath.sequences.unpack import llk, tile_image
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.memory import Memory
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import TestSpec
from tilepath.tb.unpack import items
from tilepath.tb.unpack.streams import THREADS

_FILES: Final = {"a": items.SRCA, "b": items.SRCB}
_WORDS: Final = frozenset((w.OPCODE, w.NOP_OPCODE, *counter_words.OPCODES.values()))
_BANK: Final = 1  # multi-hot
_WAITS: Final = 2


class _Loader(SectionLoader):
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

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._config: dict[int, int] = {}
        self._memory = Memory(profile)

    def do(self, section: str, name: str, rest: list[str], line: str) -> None:
        if section == "cfg" and name in ("write", "add"):
            index, data = numbers(rest, name, 2)
            if name == "add":
                data += self._config.get(index, 0)
            self._config[index] = data & 0xFFFF_FFFF
            self._put(items.cfg(_BANK, index, data & 0xFFFF_FFFF, **self._head()))
        elif section == "l1_write" and name == "tile":
            self._tile(rest)
        elif section == "matrix" and name == "take":
            self._take(rest)
        elif section == "matrix" and name == "read":
            first, count = numbers(rest, name, 2)
            for row in range(first, first + count):
                self._put(items.matrix(items.READ, items.DST, 0, row, **self._head()))
        elif section in self.sections.players.values():
            raise BadLineError(f"there is no operation {name!r} here")
        else:
            self._word(int(section[1]), self.word(line))

    # -- what the sections do

    def _word(self, thread: int, word: int) -> None:
        own = self.given()
        if word >> 24 == constants.OP_SETC16:
            port = self.given(f"t{thread}.setc16")
            port.gap, own.gap = own.gap, 0
            port.idle, own.idle = own.idle, 0
            same = items.source_of(int(items.after_setc16(thread, 0)))
            # its own order is kept anyway
            port.after = [c for c in own.after if items.source_of(c) != same]
            own.after = []
            if own.rows:
                self._append(port, int(items.after_issue(thread, len(own.rows))))
            head = self._head(port)
            port.put(items.setc16(word >> 16 & 0x7F, word & 0xFFFF, **head))
            self._append(own, int(items.after_setc16(thread, len(port.rows))))
            return
        if word >> 24 not in _WORDS:
            raise BadLineError(f"word {word:08X} goes to no port of the unpackers")
        self._put(items.issue(word, **self._head()))

    def _tile(self, rest: list[str]) -> None:
        if len(rest) != 3:
            raise BadLineError("tile takes an address, a kind and a number")
        kind = tile_image.KINDS.get(rest[1])
        if kind is None:
            raise BadLineError(f"there is no kind {rest[1]!r}: {', '.join(tile_image.KINDS)}")
        address, which = number(rest[0]), number(rest[2])
        if address % items.LINE_BYTES or address + kind.tile_bytes > self._memory.size:
            raise BadLineError("the address is a multiple of 16, with the tile inside L1")
        if which >= 1 << 16:
            raise BadLineError("the number has 16 bits")
        self._memory.put(address, tile_image.image(kind, tile_image.values(kind, which)))
        lines, data = self._memory.flush()
        for line, row in zip(lines, data, strict=True):
            self._put(items.l1_write(line, row, **self._head()))

    def _take(self, rest: list[str]) -> None:
        if len(rest) != 2 or rest[0] not in _FILES:
            raise BadLineError("take takes A or B, and a number of rows")
        file, count = _FILES[rest[0]], number(rest[1])
        for row in range(count):
            read = items.matrix(items.READ, file, 0, row, wait=1, follow=1, **self._head())
            self._put(read)
        release = items.matrix(items.RELEASE, file, wait=1, toggle=1, follow=1, **self._head())
        self._put(release)

    # -- players and what they wait for

    def _head(self, given: Given | None = None) -> dict[str, Any]:
        given = given or self.given()
        after, and_after = (*given.after, 0, 0)[:_WAITS]
        return {"gaps": given.gap, "idle": given.idle, "after": after, "and_after": and_after}

    def _put(self, item: Items) -> None:
        self.given().put(item)

    @staticmethod
    def _append(given: Given, condition: int) -> None:
        # of two counts of one thing the later one says it all
        source = items.source_of(condition)
        same = [c for c in given.after if items.source_of(c) == source]
        given.after = [c for c in given.after if c not in same]
        given.after.append(max([condition, *same]))
        if len(given.after) > _WAITS:
            raise BadLineError(f"an operation waits for {_WAITS} things at most")

    def wait(self, kind: str, operands: list[str]) -> None:
        given = self.given()
        if kind == "idle":
            (mask,) = numbers(operands, "wait idle", 1)
            if mask > items.ALL_IDLE:
                raise BadLineError("wait idle takes a mask of six bits")
            given.idle |= mask
        elif kind == "issue" or kind in self.sections.conditions:
            self._append(given, self.counted(kind, operands))
        else:
            raise BadLineError("wait takes issue, config, l1, matrix or idle")


def _floor(threads: Sequence[int]) -> dict[str, int]:
    return {f"t{thread}.counter": 4 for thread in threads} | {"matrix_read": 100}


PROGRAMS: Final = ProgramFiles(Path(__file__).parent / "programs", _Loader, _floor)
TESTS: dict[str, TestSpec] = PROGRAMS.tests() | llk.TESTS
