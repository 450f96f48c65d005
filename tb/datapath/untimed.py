# SPDX-License-Identifier: Apache-2.0
"""The machine without time: what the cores did in a run, from L1 as it was written first.

Where L1 is written anew, all that was begun before is done: the machine gets there first. Beside
its L1 stands that which the RTL's packers left, and whose words wrote both.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from tilepath import isa
from tilepath.engine.compiled.state import Difference, State
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.engine.description.stream import Records
from tilepath.isa import constants
from tilepath.isa.boundary.datapath import BOUNDARY, THREADS
from tilepath.isa.boundary.pack import SLOTS
from tilepath.models.datapath import l1_sums
from tilepath.models.kernels import Kernel, play
from tilepath.models.kernels.play import compare
from tilepath.models.kernels.program import Expect, Tile
from tilepath.models.machine import Machine, items
from tilepath.models.tiles.layout import Bytes
from tilepath.tb.datapath.streams import CHUNK, LINE_BYTES, item_of

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


class UntimedDatapath:
    """Collects the cores' programs and L1; runs them when it is asked for the state.

    ``kernel``: what the cores play, whose tiles are told apart in L1; ``judged``: what it expects
    is checked as well.
    """

    def __init__(self, profile: str, kernel: Kernel | None = None, judged: bool = False) -> None:
        self._machine = Machine(profile)
        self._l1 = L1Writes(self._machine)
        self._tiles = list(kernel.tiles.values()) if kernel else []
        self._judged = kernel if judged else None
        self._programs: list[list[items.Item]] = [[] for _ in range(THREADS)]
        self._stands = ""

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """One block of cycles."""
        self._l1.words[RTL].extend(inputs["pack_issue"][["thread", "word"]].tolist())
        # in a cycle the packers' lines come first, as in L1
        streams = [expected[f"w{slot}.pack_write"] for slot in range(SLOTS)]
        streams += [inputs["l1_write"], *(inputs[f"t{t}.item"] for t in range(THREADS))]
        records = [(int(r["cycle"]), k, r) for k, some in enumerate(streams) for r in some]
        for _, k, record in sorted(records, key=itemgetter(0)):
            if k < SLOTS:
                self._l1.store(record)
            elif k > SLOTS:
                item = item_of(*(int(record[n]) for n in ("op", "index", "value")))
                self._programs[k - SLOTS - 1].append(item)
            else:
                self._run()
                self._l1.write(int(record["line"]), record["data"].tobytes())

    def _run(self) -> None:
        if any(self._programs):
            run = self._machine.run(self._programs)
            self._l1.settle()
            if run.end != "done":
                self._stands = self._stands or "; ".join(map(str, run.waiting))
            self._programs = [[] for _ in range(THREADS)]

    def state(self) -> State:
        """As ``Machine.run`` leaves it; ``ValueError`` if it does not come to an end."""
        m = self._machine
        self._run()
        if self._stands:
            raise ValueError(f"the machine without time does not come to the end: {self._stands}")
        its = {
            **m.state(),
            "src_owner": np.array(m.unpack.src_owner),
            "src_bank": np.array(m.unpack.src_bank),
            "rwc": np.array(m.matrix.rwc),
            "matrix_bank": np.array(m.matrix.matrix_bank),
            "l1_sum": l1_sums(np.array(m.unpack.l1).view(np.uint32)),
        }
        arrays = {array.name: array for array in BOUNDARY.state}
        return {name: its[name].astype(array.dtype) for name, array in arrays.items()}

    def explain(self, found: Sequence[Difference]) -> list[str]:
        """Numbers and lines of L1 in the place of sums that are as the RTL's writes make them.

        Behind all: what ``Machine.run`` finds wrong with the kernel itself.
        """
        sums = l1_sums(self._l1.bytes_.view(np.uint32))
        known = [d for d in found if d.name == "l1_sum" and sums[d.place] == d.got]
        lines = self._l1.differences(self._tiles) if known else []
        lines += [str(difference) for difference in found if difference not in known]
        failed = play(self._judged).failed if self._judged else []
        return [*lines, *(f"without time: {line}" for line in failed)]
