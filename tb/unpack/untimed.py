# SPDX-License-Identifier: Apache-2.0
"""The unpackers without time, led by what a run recorded.

Everything is executed at the end of the run, in the order of these cycles:

- A write to the configuration, a SETC16 and a word of the counters: its own.
- An instruction: its sampling cycle, behind what was written in the cycle before it. That is the
  cycle after its issue; of the second of two UNPACRs that issue in one cycle it is two after the
  first one's address phase, and when a phase ends, ``hold`` shows.
- The increments of the counters: the last cycle of the address phase, in front of the counters'
  words (A13).
- Releases and hand-overs of banks: their own; a hand-over wins over a release. Which instruction
  hands which bank over is for the untimed model to say; when it does, ``owner`` shows, or
  ``flip_owner`` where the bank was not the Unpackers'.
- L1: a write is there for an instruction if it came before the request for that line. The requests
  of an unpacker are in order, those of the two are not, so each has an L1 of its own; they share
  the configuration and the counters, and have nothing else in common.
- What the Matrix Unit writes, clears and zeroes: in front of the first instruction that writes or
  clears in that file in that cycle or later. Of an instruction amid whose writes it comes, all rows
  count as written behind it: tests that compare the end leave the Matrix Unit away from them then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.compiled.state import State
from tilepath.engine.description.boundary import Origin
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS, WRITES
from tilepath.isa.constants import OP_UNPACR
from tilepath.models.applied import STREAMS
from tilepath.models.unpack import UnpackState
from tilepath.models.unpack.timing_state import PLAN, REQUEST
from tilepath.tb.unpack.matrix_unit import MatrixUnit

_RSI_AFTER: Final = PLAN + REQUEST  # from the sampling of a compressed UNPACR to its RSI request
_LINE_WORDS: Final = 4
_BEAT: Final = (
    *("cycle", "count", "has_exponent", "exponent", "has_delta", "delta"),
    *(f"line{number}" for number in range(4)),
)
# Places within a cycle
_INCREMENT, _WRITE, _SAMPLE = range(3)


class Issued(NamedTuple):
    """An instruction, and the cycles of its address phase that matter."""

    unit: int
    thread: int
    word: int
    origin: int
    sampled: int
    last: int


class Handover(NamedTuple):
    """The cycle at whose end a bank changes hands."""

    cycle: int
    to_matrix: int  # 0: a release
    file: int
    bank: int


class UntimedUnpackers:
    """Leads an ``UnpackState`` for each unpacker."""

    def __init__(self, profile: str) -> None:
        first = UnpackState(profile)
        second = UnpackState(profile, first.config, first.thread_config, first.adc)
        self._states: Final = (first, second)
        self._inputs: dict[str, list[Records]] = {name: [] for name in BOUNDARY.inputs}
        self._outputs: dict[str, list[Records]] = {name: [] for name in BOUNDARY.outputs}
        self._owner = np.zeros((2, 2), np.uint8)

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Keep what one block of cycles has recorded."""
        for name, kept in self._inputs.items():
            kept.append(inputs[name])
        for name, kept in self._outputs.items():
            kept.append(expected[name])

    def state(self) -> State:
        """As the boundary describes it, after everything that has been followed."""
        if any(self._inputs.values()):
            self._execute()
        first, second = self._states
        return {
            "src_a": first.src_a.copy(),
            "src_b": second.src_b.copy(),
            "dst": first.dst.copy(),
            "dst_valid": first.dst_valid.copy(),
            "src_owner": self._owner.copy(),
            "src_bank": self._both("src_bank"),
            "src_row": self._both("src_row"),
            "context_counter": self._both("context_counter"),
            "setreg_acc": self._both("setreg_acc"),
            "live": first.adc.live[:, :UNPACKERS].copy(),
            "checkpoint": first.adc.checkpoint[:, :UNPACKERS].copy(),
        }

    def _both(self, name: str) -> NDArray[np.uint32]:
        """An array of which the first index is the unpacker: of each the part that is its own."""
        parts = [getattr(state, name)[unit] for unit, state in enumerate(self._states)]
        return np.array(parts, np.uint32)

    def _execute(self) -> None:
        run = Recorded(
            {name: np.concatenate(kept) for name, kept in self._inputs.items()},
            {name: np.concatenate(kept) for name, kept in self._outputs.items()},
        )
        for kept in (*self._inputs.values(), *self._outputs.values()):
            kept.clear()
        issued = [instruction for unit in range(UNPACKERS) for instruction in run.issued(unit)]
        acts: list[tuple[tuple[int, int, int], str, Any]] = []
        for name in STREAMS[: STREAMS.index("l1_write")]:
            for record in run.inputs[name]:
                acts.append(((int(record["cycle"]), _WRITE, 0), name, record))
        for one in issued:
            acts.append(((one.sampled - 1, _SAMPLE, one.unit), "issue", one))
            if one.word >> 24 == OP_UNPACR and not one.word & 0x2002:
                acts.append(((one.last, _INCREMENT, 0), "increment", one))
        memories = tuple(Memory(state, run, unit) for unit, state in enumerate(self._states))
        flips: list[list[int]] = [[] for _ in range(UNPACKERS)]  # banks, in order
        for _, name, what in sorted(acts, key=lambda act: act[0]):
            if name == "issue":
                self._issue(what, memories[what.unit], flips[what.unit])
            elif name == "increment":
                self._increment(what)
            else:
                self._write(name, what)
        for memory in memories:
            memory.matrix_until(None)
        self._hand_over(run, flips)

    def _issue(self, one: Issued, memory: Memory, flips: list[int]) -> None:
        state = self._states[one.unit]
        bank = int(state.src_bank[one.unit])
        live = state.adc.live.copy()
        memory.prepare(one)
        state.execute(one.thread, one.word)
        memory.finish()
        state.adc.live[:] = live  # they are incremented in the last cycle of the phase
        if state.src_bank[one.unit] != bank:
            flips.append(bank)

    def _increment(self, one: Issued) -> None:
        word = one.word
        adc = one.thread
        if word >> 7 & 1:
            adc = (word >> 8 & 3) % THREADS
        z0, y0, z1, y1 = (word >> shift & 3 for shift in (15, 17, 19, 21))
        self._states[0].adc.unpack_update(one.unit, one.thread, adc, y0, z0, y1, z1)

    def _write(self, name: str, record: Any) -> None:
        """A write to the configuration, a SETC16 or a word of the counters.

        Of all that the states share only the context counters are each one's own.
        """
        for state in self._states if name.endswith("setc16") else self._states[:1]:
            state.apply(name, record)

    def _hand_over(self, run: Recorded, flips: list[list[int]]) -> None:
        """Releases and flips in the order of their cycles."""
        events = run.releases()
        for unit, banks in enumerate(flips):
            cycles = run.flip_cycles(unit)
            if len(cycles) != len(banks):
                raise CheckError(
                    f"unpacker {unit} of the untimed model hands over {len(banks)} banks, "
                    f"{len(cycles)} were recorded"
                )
            events += [Handover(c, 1, unit, b) for c, b in zip(cycles, banks, strict=True)]
        for event in sorted(events):
            self._owner[event.file, event.bank] = event.to_matrix


class Recorded:
    """All records of a run: the order of what was executed."""

    def __init__(self, inputs: Mapping[str, Records], outputs: Mapping[str, Records]) -> None:
        self.inputs = inputs
        self.outputs = outputs

    def issued(self, unit: int) -> list[Issued]:
        """The instructions of an unpacker, in order."""
        name = f"u{unit}.issue"
        other = self.inputs[f"u{1 - unit}.issue"]
        is_unpacr = other["word"] >> 24 == OP_UNPACR
        tied = dict(
            zip(
                other["cycle"][is_unpacr].tolist(), other["thread"][is_unpacr].tolist(), strict=True
            )
        )
        found = []
        for index, record in enumerate(self.inputs[name]):
            cycle, thread, word = (int(record[field]) for field in ("cycle", "thread", "word"))
            origin = Origin(name, index).encode(BOUNDARY.inputs)
            sampled, last = cycle + 1, cycle + 1
            if word >> 24 == OP_UNPACR:
                last = self._phase_end(thread, cycle)
                if cycle in tied and self._phase_end(tied[cycle], cycle) < last:
                    sampled = self._phase_end(tied[cycle], cycle) + 2
            found.append(Issued(unit, thread, word, origin, sampled, last))
        return found

    def _phase_end(self, thread: int, issue: int) -> int:
        """The last cycle in which a thread is held."""
        hold = self.outputs["hold"]
        behind = hold[np.searchsorted(hold["cycle"], issue + 2) :]
        free = behind["cycle"][behind["value"] >> thread & 1 == 0]
        if not free.size:
            raise ValueError(f"thread {thread}, issue in cycle {issue}: it is held for ever")
        return int(free[0]) - 1

    def releases(self) -> list[Handover]:
        """What the Matrix Unit gives back."""
        return [
            Handover(int(record["cycle"]), 0, file, int(record["banks"]) >> file & 1)
            for record in self.inputs["matrix"]
            for file in range(UNPACKERS)
            if record["release"] >> file & 1
        ]

    def flip_cycles(self, unit: int) -> list[int]:
        """The cycles at whose ends an unpacker's hand-overs are, in order; one a cycle at most.

        One that is at fault shows in ``owner`` too, if the bank has been released meanwhile.
        """
        owner = self.outputs["owner"]
        values = np.concatenate(([0], owner["value"]))
        rising = values[1:] & ~values[:-1]
        cycles: list[int] = []
        for bank in range(2):
            cycles += (owner["cycle"][rising >> (2 * unit + bank) & 1 == 1] - 1).tolist()
        faults = self.outputs[f"u{unit}.write_fault"]
        # told a cycle before
        cycles += (faults["cycle"][faults["flip_owner"] == 1] + 1).tolist()
        return sorted(set(cycles))


class Memory:
    """L1 as an unpacker finds it, and what else its instructions' outputs are ordered by."""

    def __init__(self, state: UnpackState, run: Recorded, unit: int) -> None:
        self._state = state
        self._lines = state.l1.view("<u4").reshape(-1, _LINE_WORDS)
        reads = run.outputs[f"u{unit}.read"]
        self._reads = reads[np.argsort(reads["origin"], kind="stable")]
        self._origins = self._reads["origin"].astype(np.int64)
        self._by_cycle = reads
        self._cycles = reads["cycle"].astype(np.int64)
        self._writes = run.inputs["l1_write"]
        self._write_cycles = self._writes["cycle"].tolist()
        self._written = 0
        matrix = MatrixUnit(state)
        acts = [
            (int(record["cycle"]), place, act, record)
            for place, (act, name) in enumerate(
                ((matrix.zero, "matrix"), (matrix.write, "matrix_write"), (matrix.clear, "matrix"))
            )
            for record in run.inputs[name]
        ]
        self._acts = sorted(acts, key=lambda act: act[:2])
        self._ends: dict[int, int] = {}  # origin -> the last cycle in which it writes or clears
        for name in (*WRITES, "clear"):
            effects = run.outputs[f"u{unit}.{name}"]
            cycles = zip(effects["cycle"].tolist(), effects["origin"].tolist(), strict=True)
            for cycle, origin in cycles:
                self._ends[origin] = max(cycle, self._ends.get(origin, 0))

    def matrix_until(self, cycle: int | None) -> None:
        """What the Matrix Unit does before a cycle, or all that is left."""
        while self._acts and (cycle is None or self._acts[0][0] < cycle):
            _, _, act, record = self._acts.pop(0)
            act(record)

    def prepare(self, one: Issued) -> None:
        """The lines that an instruction reads, each as it was when it was requested."""
        if one.origin in self._ends:
            self.matrix_until(self._ends[one.origin])
        found: dict[int, Any] = {}
        early = _equal(self._by_cycle, self._cycles, one.sampled + _RSI_AFTER)
        requests = [(int(read["cycle"]), _rsi(read)) for read in early]
        requests += _beats(_equal(self._reads, self._origins, one.origin))
        for cycle, lines in sorted(requests):
            self._write_until(cycle)
            for line in lines:
                if line < len(self._lines):
                    found[line] = self._lines[line].copy()
        at = np.fromiter(found, np.int64)
        self._kept = (at, self._lines[at])
        self._lines[at] = np.reshape([*found.values()], (-1, _LINE_WORDS))

    def finish(self) -> None:
        """Lines that were written between two requests are as they are after that."""
        at, words = self._kept
        self._lines[at] = words

    def _write_until(self, cycle: int) -> None:
        while self._written < len(self._writes):
            if self._write_cycles[self._written] >= cycle:
                return
            self._state.apply("l1_write", self._writes[self._written])
            self._written += 1


def _rsi(read: Any) -> list[int]:
    return [int(read[f"rsi{k}"]) for k in range(int(read["rsi_count"]))]


def _equal(records: Records, keys: NDArray[np.int64], key: int) -> Records:
    """The records whose key, ascending in ``keys``, is this one: a run has many."""
    first, end = np.searchsorted(keys, (key, key + 1))
    return records[first:end]


def _beats(reads: Records) -> list[tuple[int, list[int]]]:
    """Cycle and lines of each request for datums."""
    fields = zip(*(reads[name].tolist() for name in _BEAT), strict=True)
    return [
        (cycle, lines[:count] + [exponent] * has_exponent + [delta] * has_delta)
        for cycle, count, has_exponent, exponent, has_delta, delta, *lines in fields
    ]
