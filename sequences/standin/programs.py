# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

# comment; also behind an operation
thread 1                   the lines that follow belong to this thread (0, 1, 2):
ttmvmul 0,0,1,0            issue a word, in assembly as ``isa.assemble`` takes it
26004000                   issue a word, as eight hexadecimal digits (0x in front or not)
ttsetc16 12,0x10           goes through the port for it; the order of the thread's lines stays
config                     the lines that follow write configuration: ``kernel.waiting_text``
rows                       the lines that follow load rows from outside:
tile a 0 7                 64 rows of bank 0 of SrcA (b: SrcB), numbers near 1, the seventh such
ones b 1                   64 rows of bank 1 of SrcB, all 1.0
dst 64 32 9                rows 64 to 95 of Dst's storage, as BF16, the ninth such
gap 20                     idle cycles before the next operation of the section
wait issue 1 20            the next operation waits until 20 words were issued, of all threads;
without the number, all that stand above, repeats counted as they run
wait config 4              ... until 4 configuration words are written, or all so far
wait rows                  ... likewise rows
wait idle 0x2              ... until these bits of ``busy`` (a bit a thread) are 0
repeat 4                   the lines up to the matching ``endrepeat``, four times
endrepeat
end                        must be the last line: a file without it is truncated
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.stimulus.noise import Noise
from tilepath.engine.stimulus.programs import Given, ProgramFiles, Sections, number, numbers
from tilepath.isa.boundary.standin import THREADS
from tilepath.sequences.standin.script import COLUMNS, DST
from tilepath.sequences.waiting_text import HeldLoader
from tilepath.tb.standin.streams import HOLDING, OPCODES, items

_PLAYERS: Final = {"config": "cfg", "rows": "load"}
_ROWS: Final = 64
_ONE: Final = 0x7F
_NEAR: Final = (124, 130)  # exponents of numbers near 1


def _own(player: str) -> str:
    """All threads share a player of words."""
    return "issue" if player.endswith(".issue") else player


def _numbers(which: int, rows: int) -> NDArray[np.int64]:
    """``rows`` rows of 16 numbers as BF16 in storage: sign, mantissa, exponent."""
    draw = Noise(which, rows * COLUMNS)
    made = draw.below(2) << 15 | draw.below(128) << 8 | draw.between(*_NEAR)
    return np.asarray(made, np.int64).reshape(rows, COLUMNS)


class _Loader(HeldLoader):
    sections = Sections(
        players=_PLAYERS,
        conditions={name: partial(HOLDING.after, player) for name, player in _PLAYERS.items()},
        after_issue=lambda _thread, count: HOLDING.after("issue", count),
        threads=THREADS,
    )
    holding = HOLDING
    opcodes = OPCODES
    unit = "the stand-in"

    def given(self, player: str = "") -> Given:
        return super().given(_own(player or self._section))

    def _so_far(self, player: str, count: list[int]) -> int:
        return super()._so_far(_own(player), count)

    def _after(self, player: str, count: int) -> int:
        return super()._after(_own(player), count)

    def item(self, kind: str, *fields: Any, **waits: Any) -> Items:
        if kind == "cfg":
            banks, index, data = fields
            fields = (banks, index, 0, (data, 0, 0, 0))
        elif kind == "issue":
            fields = (int(self._section[1]), *fields)
        return items(kind, fields, **waits)

    def operate(self, section: str, name: str, rest: list[str]) -> bool:
        if section != "load" or name not in ("tile", "ones", "dst"):
            return False
        if name == "dst":
            first, count, which = numbers(rest, name, 3)
            if first + count > 1024:
                raise ValueError("Dst has 1024 rows")
            for row, data in enumerate(_numbers(which, count), first):
                self.put("load", DST, 0, row, 1, data)
            return True
        if len(rest) != 2 + (name == "tile") or rest[0] not in "ab" or rest[1] not in "01":
            raise ValueError(f"{name} takes a or b, and a bank")
        rows = np.full((_ROWS, COLUMNS), _ONE)
        if name == "tile":
            made = _numbers(number(rest[2]), _ROWS)
            # a mantissa has three bits more than in storage
            rows = made >> 15 << 18 | (made & 0x7F00) << 3 | made & 0xFF
        for row, one in enumerate(rows):
            self.put("load", "ab".index(rest[0]), int(rest[1]), row, 0, one)
        return True


def _floor(_threads: Sequence[int]) -> dict[str, int]:
    return {"issue": 16, "matrix_write": 64}


PROGRAMS: Final = ProgramFiles(Path(__file__).parent / "programs", _Loader, _floor)
TESTS: dict[str, TestSpec] = PROGRAMS.tests()
