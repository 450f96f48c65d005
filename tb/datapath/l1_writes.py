# SPDX-License-Identifier: Apache-2.0
"""L1 as the RTL's packers left it beside the machine's, and whose words wrote it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from typing import Any, Final

import numpy as np

from tilepath import isa
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.isa import constants
from tilepath.models.kernels.play import compare
from tilepath.models.kernels.program import Expect, Tile
from tilepath.models.machine import Machine
from tilepath.models.tiles.layout import Bytes
from tilepath.tb.datapath.streams import CHUNK, LINE_BYTES

_WRITE: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)
RTL, MACHINE = 0, 1


class L1Writes:
    """L1 of the RTL, ``bytes_``, from what was recorded, and that of ``machine``.

    ``words``: of both, thread and word of all that issued to the packers.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        machine.on_issue = self._issues
        self.bytes_ = np.zeros(len(machine.unpack.l1), np.uint8)
        self.words: tuple[list[Any], list[Any]] = [], []
        self._last: tuple[dict[int, int], dict[int, int]] = {}, {}  # line → the last that wrote it
        self._cycle: dict[int, int] = {}  # line → cycle in which the RTL's did
        self._issued = (0, 0)  # thread and word of the machine's last, which may write yet

    def write(self, line: int, data: bytes) -> None:
        """Write four lines of both, as the test does."""
        at = LINE_BYTES * line
        self._machine.write_l1(at, data)
        self.bytes_[at : at + len(data)] = np.frombuffer(data, np.uint8)
        for number in range(line, line + CHUNK):
            for last in self._last:
                last.pop(number, None)

    def store(self, record: np.void) -> None:
        """Write a line as the RTL's packers did; beyond the end it is lost."""
        line = int(record["line"])
        if line < len(self.bytes_) // LINE_BYTES:
            self.bytes_.reshape(-1, LINE_BYTES)[line] = record["data"].view(np.uint8)
            self._last[RTL][line] = int(record["origin"]) // ORIGIN_STREAMS
            self._cycle[line] = int(record["cycle"])

    def _issues(self, thread: int, word: int) -> None:
        self.settle()
        self._issued = thread, word

    def settle(self) -> None:
        """Note what the word that was the last to issue has written."""
        if self._issued[1] >> 24 in _WRITE:
            walk = self._machine.pack.walk[0]
            lines = walk["lines"]["line"][: walk["line_count"]].tolist()
            self._last[MACHINE].update(dict.fromkeys(lines, len(self.words[MACHINE])))
            self.words[MACHINE].append(self._issued)
        self._issued = (0, 0)

    def differences(self, tiles: Collection[Tile]) -> list[str]:
        """What is not as the machine has it: numbers of ``tiles``, then other lines."""
        got, want = self.bytes_, np.array(self._machine.unpack.l1)
        wrong = got != want
        found = []
        for tile in tiles:
            span = slice(tile.at, tile.end)
            numbers, wanted = tile.from_l1(got[span]), tile.from_l1(want[span])
            same = np.isnan(numbers) & np.isnan(wanted)
            numbers[same] = wanted[same] = 0
            for text in compare(tile, Expect(tile.name, wanted, 0, False, tile.where), {}, numbers):
                place = tuple(np.argwhere(numbers != wanted)[0])
                address = _first_byte(tile, got[span], want[span], place)
                found.append(f"{text}; address {address:#x}: {self._who(address // LINE_BYTES)}")
                wrong[span] = False
        lines = np.flatnonzero(wrong.reshape(-1, LINE_BYTES).any(axis=1))
        for run in np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if len(lines) else ():
            first, end = LINE_BYTES * int(run[0]), LINE_BYTES * int(run[-1] + 1)
            sides = [side[first : first + LINE_BYTES].tobytes().hex(" ") for side in (got, want)]
            text = f"elsewhere in L1, {first:#x} to {end - 1:#x}: {sides[0]}, want {sides[1]}"
            found.append(f"{text}: {self._who(int(run[0]))}")
        return found

    def _who(self, line: int) -> str:
        rtl, machine = (self._word(side, line) for side in (RTL, MACHINE))
        text = f"written last in cycle {self._cycle[line]} by {rtl}" if rtl else "never written"
        if rtl == machine:
            return text
        return f"{text}; should be by {machine}" if machine else f"{text}; should never be"

    def _word(self, side: int, line: int) -> str:
        if line not in self._last[side]:
            return ""
        words = self.words[side][: self._last[side][line] + 1]
        thread, word = words[-1]
        count = sum(other == thread for other, _ in words)
        return f"thread {thread}: {isa.named_word(word)}, number {count} of its packer words"


def _first_byte(tile: Tile, got: Bytes, want: Bytes, place: tuple[int, ...]) -> int:
    """Address of the byte of ``got`` with which the number at ``place`` is no longer as wanted."""
    at = np.flatnonzero(got != want)

    def differs(count: int) -> bool:
        mixed = want.copy()
        mixed[at[:count]] = got[at[:count]]
        return bool(tile.from_l1(mixed)[place] != tile.from_l1(want)[place])

    return tile.at + int(at[bisect_left(range(1, len(at)), True, key=differs)])
