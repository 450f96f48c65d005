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

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath.isa import constants
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.program_text import (
    BadLineError,
    Loader,
    Program,
    ProgramError,
    number,
    program_names,
    read_text,
    summary_and_threads,
)
from tilepath.sequences.unpack import llk, tile_image
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.memory import Memory
from tilepath.tb.kernel.description.player import GAP_MASK, Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec
from tilepath.tb.unpack import items
from tilepath.tb.unpack.streams import THREADS

__all__ = [
    "DIRECTORY",
    "SUFFIX",
    "TESTS",
    "Program",
    "ProgramError",
    "load_program",
    "program_test",
]

DIRECTORY: Final = Path(__file__).parent / "programs"
SUFFIX: Final = ".tt"

_SECTIONS: Final = {"config": "cfg", "l1": "l1_write", "matrix": "matrix"}
_CONDITIONS: Final = {
    "config": items.after_cfg,
    "l1": items.after_l1_write,
    "matrix": items.after_matrix,
}
_FILES: Final = {"a": items.SRCA, "b": items.SRCB}
_WORDS: Final = frozenset((w.OPCODE, w.NOP_OPCODE, *counter_words.OPCODES.values()))
_BANK: Final = 1  # multi-hot
_WAITS: Final = 2


@dataclass
class _Player:
    """What a player has been given so far, and what its next item must wait for."""

    rows: list[Items] = field(default_factory=list)
    gap: int = 0
    idle: int = 0
    after: list[int] = field(default_factory=list)


def load_program(path: Path, profile: str) -> Program:
    """Read ``path``; ``ProgramError`` for an unreadable, truncated or malformed file."""
    return _Loader(path, read_text(path), profile).load()


class _Loader(Loader):
    max_items = 100_000

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._players: dict[str, _Player] = {}
        self._section = ""
        self._thread = 0
        self._config: dict[int, int] = {}
        self._memory = Memory(profile)

    def players(self) -> dict[str, Items]:
        return {name: np.concatenate(p.rows) for name, p in self._players.items() if p.rows}

    def operation(self, line: str) -> None:
        name, *rest = line.lower().split()
        if name == "thread":
            (self._thread,) = _numbers(rest, name, 1)
            if self._thread >= THREADS:
                raise BadLineError(f"there is no thread {self._thread}")
            self._section = f"t{self._thread}.issue"
        elif name in _SECTIONS and not rest:
            self._section = _SECTIONS[name]
        elif not self._section:
            raise BadLineError("no section yet: thread, config, l1 or matrix")
        elif name == "gap":
            player = self._player()
            player.gap += _numbers(rest, name, 1)[0]
            if player.gap > GAP_MASK:
                raise BadLineError(f"a gap is at most {GAP_MASK} cycles")
        elif name == "wait":
            self._wait(rest)
        else:
            try:
                self._do(name, rest, line)
            except BadLineError:
                raise
            except ValueError as error:
                raise BadLineError(str(error)) from None

    def _do(self, name: str, rest: list[str], line: str) -> None:
        if self._section == "cfg" and name in ("write", "add"):
            index, data = _numbers(rest, name, 2)
            if name == "add":
                data += self._config.get(index, 0)
            self._config[index] = data & 0xFFFF_FFFF
            self._put(items.cfg(_BANK, index, data & 0xFFFF_FFFF, **self._head()))
        elif self._section == "l1_write" and name == "tile":
            self._tile(rest)
        elif self._section == "matrix" and name == "take":
            self._take(rest)
        elif self._section == "matrix" and name == "read":
            first, count = _numbers(rest, name, 2)
            for row in range(first, first + count):
                self._put(items.matrix(items.READ, items.DST, 0, row, **self._head()))
        elif self._section in _SECTIONS.values():
            raise BadLineError(f"there is no operation {name!r} here")
        else:
            self._word(self.word(line))

    # -- what the sections do

    def _word(self, word: int) -> None:
        own = self._player()
        if word >> 24 == constants.OP_SETC16:
            port = self._player(f"t{self._thread}.setc16")
            port.gap, own.gap = own.gap, 0
            port.idle, own.idle = own.idle, 0
            same = items.source_of(int(items.after_setc16(self._thread, 0)))
            # its own order is kept anyway
            port.after = [c for c in own.after if items.source_of(c) != same]
            own.after = []
            if own.rows:
                self._append(port, int(items.after_issue(self._thread, len(own.rows))))
            head = self._head(port)
            self._put(items.setc16(word >> 16 & 0x7F, word & 0xFFFF, **head), port)
            self._append(own, int(items.after_setc16(self._thread, len(port.rows))))
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

    def _player(self, name: str = "") -> _Player:
        return self._players.setdefault(name or self._section, _Player())

    def _head(self, player: _Player | None = None) -> dict[str, Any]:
        player = player or self._player()
        after, and_after = (*player.after, 0, 0)[:_WAITS]
        return {"gaps": player.gap, "idle": player.idle, "after": after, "and_after": and_after}

    def _put(self, item: Items, player: _Player | None = None) -> None:
        player = player or self._player()
        player.rows.append(item)
        player.gap = player.idle = 0
        player.after = []

    @staticmethod
    def _append(player: _Player, condition: int) -> None:
        # of two counts of one thing the later one says it all
        source = items.source_of(condition)
        same = [c for c in player.after if items.source_of(c) == source]
        player.after = [c for c in player.after if c not in same]
        player.after.append(max([condition, *same]))
        if len(player.after) > _WAITS:
            raise BadLineError(f"an operation waits for {_WAITS} things at most")

    def _wait(self, rest: list[str]) -> None:
        kind, operands = (rest[0] if rest else ""), rest[1:]
        player = self._player()
        if kind == "idle":
            (mask,) = _numbers(operands, "wait idle", 1)
            if mask > items.ALL_IDLE:
                raise BadLineError("wait idle takes a mask of six bits")
            player.idle |= mask
        elif kind == "issue":
            if not 1 <= len(operands) <= 2:
                raise BadLineError("wait issue takes the number of a thread, and a count at most")
            thread, *count = _numbers(operands, "wait issue", None)
            if thread >= THREADS:
                raise BadLineError(f"there is no thread {thread}")
            so_far = self._so_far(f"t{thread}.issue", count)
            self._append(player, int(items.after_issue(thread, so_far)))
        elif kind in _CONDITIONS:
            so_far = self._so_far(_SECTIONS[kind], _numbers(operands, f"wait {kind}", None))
            self._append(player, int(_CONDITIONS[kind](so_far)))
        else:
            raise BadLineError("wait takes issue, config, l1, matrix or idle")

    def _so_far(self, player: str, count: list[int]) -> int:
        if len(count) > 1:
            raise BadLineError("wait takes one count at most")
        if count and count[0] >= 1 << 28:
            raise BadLineError("a count has 28 bits")
        done = self._players.get(player)
        return count[0] if count else len(done.rows) if done else 0


def _numbers(rest: list[str], name: str, count: int | None) -> list[int]:
    """The numbers in ``rest``: ``count`` of them, or any number of them with ``None``."""
    if count is not None and len(rest) != count:
        raise BadLineError(f"{name} takes {count} number{'s' if count > 1 else ''}")
    return [number(text) for text in rest]


def program_test(path: Path) -> TestSpec:
    """The program at ``path`` as a test; its first comment is the summary."""
    summary, threads = summary_and_threads(path)

    def stimulus(ctx: Context) -> Stimulus:
        return load_program(path, ctx.profile).stimulus()

    floor = {f"t{thread}.counter": 4 for thread in threads} | {"matrix_read": 100}
    return TestSpec(path.stem, summary, "program", stimulus, floor=floor)


TESTS: dict[str, TestSpec] = {
    name: program_test(DIRECTORY / f"{name}{SUFFIX}") for name in program_names(DIRECTORY)
} | llk.TESTS
