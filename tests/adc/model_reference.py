# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of the address counters taken literally, and random commands to try it with.

Slow and plain on purpose: a dictionary of counters by name, bit positions as the specification
prints them, one Python call per cycle and command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel

Records = npt.NDArray[Any]
Row = tuple[int, ...]
Counter = tuple[int, str, int, str]  # set, target, channel, X Y Z W

TARGETS = ("unpacker0", "unpacker1", "packers")
# In which the commands of a cycle apply (A13)
ORDER = ("unpack", "pack", "flop", "t0.issue", "t1.issue", "t2.issue")
OPCODES = (0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E)


class Reference:
    """All counters, and what one cycle after the other does to them."""

    def __init__(self, profile: str = "baseline") -> None:
        zw = {"baseline": 8, "blackhole": 13}[profile]
        self.width = {"X": 18, "Y": 13, "Z": zw, "W": zw}
        names = [
            (s, target, channel, name)
            for s in range(3)
            for target in TARGETS
            for channel in (0, 1)
            for name in "XYZW"
        ]
        self.live: dict[Counter, int] = dict.fromkeys(names, 0)
        self.cr: dict[Counter, int] = dict.fromkeys(names, 0)
        self.touched: list[tuple[Counter, int]] = []  # in this cycle, with the origin
        self.outputs: dict[str, list[Row]] = {name: [] for name in BOUNDARY.outputs}
        self.shown: dict[str, Row] = {
            f"t{s}.{target}": (0,) * 10 for s in range(3) for target in TARGETS
        }
        self.last: dict[str, int] = {}  # level: origin of the last touch in the cycle before

    def put(
        self, counter: Counter, origin: int, live: int | None = None, cr: int | None = None
    ) -> None:
        size = 2 ** self.width[counter[3]]
        if live is not None:
            self.live[counter] = live % size
        if cr is not None:
            self.cr[counter] = cr % size
        self.touched.append((counter, origin))

    def instruction(self, thread: int, word: int, origin: int) -> tuple[bool, bool, bool]:
        """Execute a word; illegal, x_override, empty."""
        opcode = word >> 24
        if opcode not in OPCODES:
            return True, False, False
        targets = [TARGETS[bit] for bit in range(3) if word >> (21 + bit) & 1]
        mask = word & 0xF
        low3 = [word >> lowest & 7 for lowest in (6, 9, 12, 15)]
        fields = [(0, 0), (0, 1), (1, 0), (1, 1)]  # channel, which of the two names
        override = word >> 18 & 3
        x_override = False
        if opcode == 0x50:
            override = word >> 16 & 3
            x_override = word >> 18 & 3 == 0 and override != 0
        s = thread
        if opcode != 0x5E and override != 0:
            s = override - 1
        for target in targets:
            if opcode == 0x50:
                counter = (s, target, word >> 20 & 1, "XYZW"[word >> 18 & 3])
                self.put(counter, origin, word & 0x3FFFF, word & 0x3FFFF)
            elif opcode == 0x5E:
                for channel in (0, 1):
                    value = word >> (10 * channel) & 0x3FF
                    self.put((s, target, channel, "X"), origin, value, value)
            else:
                names = "XY" if opcode in (0x51, 0x52, 0x53) else "ZW"
                for bit, (channel, which) in enumerate(fields):
                    counter = (s, target, channel, names[which])
                    value = low3[bit]
                    if opcode in (0x51, 0x54) and mask >> bit & 1:
                        self.put(counter, origin, value, value)
                    if opcode in (0x52, 0x55) and value:
                        self.put(counter, origin, self.live[counter] + value)
                    if opcode in (0x53, 0x56) and mask >> bit & 1:
                        total = self.cr[counter] + value
                        self.put(counter, origin, total, total)
        empty = not targets or (opcode in (0x51, 0x53, 0x54, 0x56) and mask == 0)
        return False, x_override, empty

    def unpack(self, fields: Sequence[int], origin: int) -> bool:
        """An unpacker update; whether it is at fault."""
        unpacker, thread, adc, *increments = fields
        if thread == 3 or adc == 3:
            return True
        for s in {thread, adc}:
            for i, increment in enumerate(increments):
                counter = (s, TARGETS[unpacker], i // 2, "YZ"[i % 2])
                if increment:
                    self.put(counter, origin, self.live[counter] + increment)
        return False

    def pack(self, fields: Sequence[int], origin: int) -> None:
        sets, mod = fields
        for s in range(3):
            if not sets >> s & 1:
                continue
            for channel in (0, 1):
                y, z = (s, "packers", channel, "Y"), (s, "packers", channel, "Z")
                incr = mod >> (6 * channel) & 0xF
                if mod >> (6 * channel + 5) & 1:
                    self.put(y, origin, 0, 0)
                elif mod >> (6 * channel + 4) & 1:
                    self.put(y, origin, self.cr[y] + incr, self.cr[y] + incr)
                elif incr:
                    self.put(y, origin, self.live[y] + incr)
                if mod >> (13 + 2 * channel) & 1:
                    self.put(z, origin, 0, 0)
                elif mod >> (12 + 2 * channel) & 1:
                    self.put(z, origin, self.live[z] + 1)

    def flop(self, fields: Sequence[int], origin: int) -> tuple[bool, bool]:
        """A write by REG2FLOP; flop_thread, flop_select."""
        thread, select, channel, name, checkpoint, value = fields
        if thread != 3 and select != 3:
            counter = (thread, TARGETS[select], channel, "XYZW"[name])
            if checkpoint:
                self.put(counter, origin, cr=value)
            else:
                self.put(counter, origin, live=value)
        return thread == 3, select == 3

    def level(self, s: int, target: str) -> Row:
        row: list[int] = []
        for channel in (0, 1):
            for name in "XYZW":
                live, cr = self.live[s, target, channel, name], self.cr[s, target, channel, name]
                row += [live, cr] if name == "X" else [cr * 65536 + live]
        return tuple(row)

    def cycle(self, time: int, commands: Mapping[str, tuple[int, Row]]) -> None:
        """One cycle: input stream -> index and fields of its command."""
        for s in range(3):
            for target in TARGETS:
                name = f"t{s}.{target}"
                row = self.level(s, target)
                if row != self.shown[name]:
                    self.outputs[name].append((time, *row, self.last[name]))
                    self.shown[name] = row
        self.touched = []
        unit, unit_origin = [False] * 3, 0
        for name in ORDER:
            if name not in commands:
                continue
            index, fields = commands[name]
            origin = Origin(name, index).encode(BOUNDARY.inputs)
            if name == "unpack":
                at_fault = [self.unpack(fields, origin), False, False]
            elif name == "pack":
                self.pack(fields, origin)
                continue
            elif name == "flop":
                at_fault = [False, *self.flop(fields, origin)]
            else:
                flags = self.instruction(int(name[1]), fields[0], origin)
                if any(flags):
                    self.outputs[f"{name[:2]}.fault"].append((time, *map(int, flags), origin))
                continue
            if any(at_fault):
                unit = [a or b for a, b in zip(unit, at_fault, strict=True)]
                unit_origin = origin
        if any(unit):
            self.outputs["unit_fault"].append((time, *map(int, unit), unit_origin))
        self.conflicts(time)

    def conflicts(self, time: int) -> None:
        """Which targets have a counter that several commands touched."""
        where, by = 0, 0
        for place, (counter, origin) in enumerate(self.touched):
            self.last[f"t{counter[0]}.{counter[1]}"] = origin
            if any(c == counter and o != origin for c, o in self.touched[:place]):
                where |= 1 << (3 * counter[0] + TARGETS.index(counter[1]))
                by = origin
        if where:
            self.outputs["conflict"].append((time, where, by))


Timeline = dict[int, dict[str, tuple[int, Row]]]


def timeline(inputs: Mapping[str, Records]) -> Timeline:
    """Cycle -> input stream -> index and fields of its command."""
    found: Timeline = {}
    for name, records in inputs.items():
        for index, record in enumerate(records.tolist()):
            found.setdefault(record[0], {})[name] = (index, tuple(record[1:]))
    return found


def reference_run(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, list[Row]]:
    """Output rows (cycle, fields, origin) by stream."""
    reference, commands = Reference(profile), timeline(inputs)
    for time in range(cycles):
        reference.cycle(time, commands.get(time, {}))
    return reference.outputs


def stream(name: str, rows: Sequence[Sequence[int]]) -> Records:
    """Structured array of an input stream from rows (cycle, fields)."""
    return np.array([tuple(row) for row in rows], dtype=BOUNDARY.stream(name).dtype)


def model_run(
    inputs: Mapping[str, Records], cuts: Sequence[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    model = AdcModel(profile)
    parts = []
    start = 0
    for end in cuts:
        now = {n: a[(a["cycle"] >= start) & (a["cycle"] < end)] for n, a in inputs.items()}
        part = model.step(now, end)
        for records in part.values():
            assert not len(records) or start <= records["cycle"][0] <= records["cycle"][-1] < end
        parts.append(part)
        start = end
    return {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}


def random_word(rng: np.random.Generator) -> int:
    """A word for an issue port: mostly counter instructions, some with masks or targets of 0."""
    word = int(rng.integers(0, 1 << 24))
    kind = int(rng.integers(0, 24))
    if kind == 0:
        return int(rng.choice([0x02, 0x4F, 0x57, 0x5D, 0x5F, 0x00, 0xFF])) << 24 | word
    if kind < 4:
        word &= ~0xF  # no mask
    if kind == 4:
        word &= ~0xE00000  # no target
    if kind < 12:
        word &= ~0x0F0000  # own thread
    return int(rng.choice(OPCODES)) << 24 | word


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Commands of all writers, each with its own density."""
    inputs = {}
    for name in BOUNDARY.inputs:
        at = np.flatnonzero(rng.random(cycles) < rng.choice([0.02, 0.3, 0.9, 1.0]))
        rows: list[list[int]] = []
        for time in at.tolist():
            if name == "unpack":
                fields = [int(rng.integers(0, 2)), *rng.choice([0, 1, 2, 2, 0, 1, 3], 2).tolist()]
                fields += rng.integers(0, 4, 4).tolist()
            elif name == "pack":
                fields = [int(rng.integers(0, 8)), int(rng.integers(0, 65536))]
            elif name == "flop":
                fields = [*rng.choice([0, 1, 2, 2, 0, 1, 3], 2).tolist()]
                fields += [int(rng.integers(0, n)) for n in (2, 4, 2, 1 << 18)]
            else:
                fields = [random_word(rng)]
            rows.append([time, *fields])
        inputs[name] = stream(name, rows)
    return inputs
