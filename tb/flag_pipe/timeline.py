# SPDX-License-Identifier: Apache-2.0
"""What happened in a recorded run of the flag pipe: commands, flags and slots over the cycles.

Cycles count from that in which the first command is accepted (docs/flag_pipe.md section 7).
A span has the cycles ``begin`` ≤ c < ``end``, in which a state is registered: a SET in cycle s is
on its way from s + 1 on, and a flag that is consumed in w is 0 from w + 1 on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.checking.stored import stored_run
from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.description.stream import stream_table
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    CORES,
    ENDPOINTS,
    OPS,
    PAIR_FAULTS,
    PAIRS,
    PIPES,
    STATES,
    STREAMS,
)

WAYS: Final = ("C2V", "V2C")
INIT, TPUSH, TPOP, TFREE = range(len(OPS))
_READ: Final = ("core", "cmd", "rsp", "endpoint", "flags", "status", "pair_fault")
_BOTH: Final = 3  # direction mask


class Span(NamedTuple):
    """Cycles in which something of ``row`` is in one state; ``tag``: of the slot."""

    row: tuple[Any, ...]
    kind: str
    begin: int
    end: int
    tag: int = 0


class Command(NamedTuple):
    """An accepted command; ``states``: its states in order; ``done``: cycle of ``rsp``, or -1."""

    core: int
    pipe: tuple[int, int]  # of which pair, and which pipe of it (T34)
    op: int
    way: int
    tag: int
    error: int
    accepted: int
    states: tuple[Span, ...]
    done: int
    credit: int  # slots for which there is one (T36)
    both: bool  # with halves a command of the cube is for both pairs (T37)

    def pairs(self) -> tuple[int, ...]:
        """The pairs that it is for."""
        return (0, 1) if self.both else self.pipe[:1]

    def span(self, state: str) -> Span | None:
        """Its cycles in a state; ``None`` when it was not in it."""
        return next((span for span in self.states if span.kind == state), None)

    def passed(self) -> int:
        """The cycle in which the awaited flag was consumed; -1 when it has none, or waits still."""
        wait = self.span("WAIT")
        return wait.end - 1 if wait and self.states[-1] != wait else -1


class Signal(NamedTuple):
    """A core SETs a flag, or consumes it (``kind`` WAIT); ``means``: ``r`` ready or ``f`` free."""

    kind: str
    core: int
    bank: tuple[str, int]  # name, pipe
    flag: int
    cycle: int
    means: str
    way: int
    tag: int


class Mark(NamedTuple):
    """Something about a pair as a whole."""

    pair: int
    cycle: int
    text: str


@dataclass
class Timeline:
    """A run: ``title`` says which; ``origin``: the run's cycle that is cycle 0 here."""

    title: str
    platform: str
    nflags: int
    flag_lat: int
    origin: int
    cycles: int
    commands: list[Command] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    flags: list[Span] = field(default_factory=list)  # row: bank, flag; flying or set
    slots: list[Span] = field(default_factory=list)  # row: pair, pipe, way, slot
    uses: list[Span] = field(default_factory=list)  # row: core, pair, pipe, way
    marks: list[Mark] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last cycle in which something changed."""
        moves = [c.states[-1].begin for c in self.commands] + [s.begin for s in self.slots]
        return max(moves + [s.begin for s in self.flags], default=0)


def read_timeline(run_dir: Path) -> Timeline:
    """The timeline of a stored run of the flag pipe.

    Raises:
        ValueError: no such run, one of another block, or one in which no command was accepted.
        TraceError: damaged traces.
    """
    request, ends = stored_run(run_dir)
    if request.block != "flag_pipe":
        raise ValueError(f"{run_dir} is a run of block {request.block}, not of flag_pipe")
    table = {n: s for n, s in stream_table(STREAMS).items() if n.split(".")[-1] in _READ}
    blocks = list(stored_blocks(run_dir / "trace", table, ends))
    records = {name: np.concatenate([b.streams[name] for b in blocks]) for name in table}
    busy = [r["cycle"][r["state"] != 0] for r in (records[f"core{n}.core"] for n in range(3))]
    if not any(len(cycles) for cycles in busy):
        raise ValueError(f"{run_dir}: no command was accepted in any cycle")
    origin = min(int(cycles[0]) for cycles in busy if len(cycles)) - 1
    values = profiles.get(request.profile).rtl_parameters()
    title = f"{request.test}, seed {request.seed}, {request.profile}, {request.sim}"
    platform = ("a2a3", "a5")[values["PLATFORM"]]
    found = Timeline(
        title, platform, values["NFLAGS"], values["FLAG_LAT"], origin, ends[-1] - origin
    )
    columns = {name: _rows(part, origin) for name, part in records.items()}
    _Reader(found, columns).read()
    return found


def _rows(records: np.ndarray[Any, Any], origin: int) -> list[dict[str, int]]:
    names = records.dtype.names or ()
    rows = [dict(zip(names, values, strict=True)) for values in records.tolist()]
    for row in rows:
        row["cycle"] -= origin
    return rows


class _Reader:
    """Fills a timeline from the streams' records."""

    def __init__(self, found: Timeline, records: Mapping[str, list[dict[str, int]]]) -> None:
        self.found = found
        self.records = records
        self.ends = [records[f"end{number}.endpoint"] for number in range(ENDPOINTS)]
        self.begins = [[row["cycle"] for row in rows] for rows in self.ends]
        self.credits: dict[tuple[int, tuple[int, int]], int] = {}  # slots of one, by core, pipe
        self.halved: dict[int, bool] = {}  # by pipe, whether the cube's INIT had halves
        self.turns: dict[tuple[int, int, int, int], list[tuple[int, str]]] = defaultdict(list)

    def read(self) -> None:
        """Everything."""
        for core in range(len(CORES)):
            self._commands(core)
        for command in sorted(self.found.commands, key=lambda c: c.accepted):
            for pair in () if command.error else command.pairs():
                self._effects(command._replace(pipe=(pair, command.pipe[1])))
        self._clears()
        self._slots()
        self._flags()
        self._marks()

    def _endpoint(self, core: int, pipe: tuple[int, int], cycle: int) -> dict[str, int]:
        number = 2 * PAIRS * pipe[1] + pipe[0] + (PAIRS if core else 0)
        at = bisect_right(self.begins[number], cycle) - 1
        return self.ends[number][at] if at >= 0 else defaultdict(int)

    def _commands(self, core: int) -> None:
        """Each stretch of states other than IDLE is one command; they are in the order offered."""
        offered = iter(self.records[f"core{core}.cmd"])
        responses = {row["cycle"]: row for row in self.records[f"core{core}.rsp"]}
        states: list[Span] = []
        levels = self.records[f"core{core}.core"]
        following = [row["cycle"] for row in levels[1:]] + [self.found.cycles]
        for level, end in zip(levels, following, strict=False):
            if level["state"]:
                states.append(Span((core,), STATES[level["state"]], level["cycle"], end))
                pipe = level["peer"] if core == 0 else core - 1, level["pipe"]
            if states and (not level["state"] or end == self.found.cycles):
                begin, done = states[0].begin, states[-1].end - 1
                given = next(offered)
                op, response = given["op"], responses.get(done)
                if op == INIT and response and not response["err"]:
                    if core == 0:
                        self.halved[pipe[1]] = given["split"] > 0
                    for pair in (0, 1) if core == 0 and given["split"] else pipe[:1]:
                        self.credits[core, (pair, pipe[1])] = 1 << given["period"]
                both = core == 0 and self.halved.get(pipe[1], False)
                tag = self._endpoint(core, pipe, begin).get(_TAG.get(op, ""), 0)
                way = int((op == TPUSH) != (core == 0))
                error = response["err"] if response else 0
                found = (core, pipe, op, way, 0 if error else tag, error, begin - 1, tuple(states))
                credit = self.credits.get((core, pipe), 1)
                self.found.commands.append(Command(*found, done if response else -1, credit, both))
                states = []

    def _effects(self, command: Command) -> None:
        """The SETs and the WAIT of a command, and what they make of its slot."""
        core, pipe, op, way, tag = command[:5]
        passed, slot = command.passed(), (*pipe, way, tag)
        once = pipe[0] == command.pairs()[0]  # a use of both halves is one
        pre = command.span("PRE")
        if pre:
            for k in range(pre.end - pre.begin):
                self._credit(command, k * command.credit, pre.begin + k)
        if passed >= 0:
            if op != TPUSH or tag % command.credit == 0:
                self._signal("WAIT", command, tag, passed)
            self.turns[slot].append((passed + 1, "writing" if op == TPUSH else "held"))
        if command.done >= 0 and op == TPUSH:
            self._signal("SET", command, tag, command.done)
            self.turns[slot].append((command.done + 1, "ready"))
        if command.done >= 0 and op == TFREE:
            self.turns[slot].append((command.done + 1, ""))  # until its credit is SET
            if (tag + 1) % command.credit == 0:
                self._credit(command, tag + 1 - command.credit, command.done)
        if command.done >= 0 and op == TPOP and once:
            self.found.uses.append(Span((core, *slot), "use", command.done + 1, -1, tag))
        if op == TFREE:
            for at, use in enumerate(self.found.uses):
                if use.row == (core, *slot) and use.end < 0:
                    self.found.uses[at] = use._replace(end=command.accepted)

    def _credit(self, command: Command, first: int, cycle: int) -> None:
        """A SET gives slots back, from ``first`` on (T36)."""
        self._signal("SET", command, first, cycle)
        for slot in range(first, first + command.credit):
            self.turns[*command.pipe, command.way, slot].append((cycle + 1, "free"))

    def _signal(self, kind: str, command: Command, tag: int, cycle: int) -> None:
        core, pipe, op, way = command[:4]
        mask = self._endpoint(core, pipe, command.states[0].begin)["mask"]
        flag = tag + (self.found.nflags // 2 if mask == _BOTH and way else 0)
        bank = BANKS[2 * pipe[0] + ((core != 0) ^ (kind == "WAIT"))], pipe[1]
        means = "r" if (op == TPUSH) == (kind == "SET") else "f"
        self.found.signals.append(Signal(kind, core, bank, flag, cycle, means, way, tag))
        if kind == "SET":
            end = cycle + self.found.flag_lat
            self.found.flags.append(Span((bank, flag), "flying", cycle + 1, end, tag))

    def _clears(self) -> None:
        """Slots are no more, and none is held, when a pair's endpoints are cleared."""
        cleared = set()
        for number, rows in enumerate(self.ends):
            before = [{"init": 0}, *rows]
            cleared |= {
                (number % PAIRS, row["cycle"])
                for old, row in zip(before, rows, strict=False)
                if old["init"] and not row["init"]
            }
        for pair, cycle in sorted(cleared):
            self.found.marks.append(Mark(pair, cycle - 1, "clear"))
            for row, turns in self.turns.items():
                if row[0] == pair:
                    turns.append((cycle, ""))
            for at, use in enumerate(self.found.uses):
                if use.row[1] == pair and use.begin < cycle and not 0 <= use.end < cycle:
                    self.found.uses[at] = use._replace(end=cycle)

    def _slots(self) -> None:
        for row, turns in sorted(self.turns.items()):
            turns.sort(key=lambda turn: turn[0])
            following = [cycle for cycle, _ in turns[1:]] + [self.found.cycles]
            for (begin, kind), end in zip(turns, following, strict=True):
                if kind and begin < end:
                    self.found.slots.append(Span(row, kind, begin, end, row[3]))
        found = [u if u.end >= 0 else u._replace(end=self.found.cycles) for u in self.found.uses]
        self.found.uses = [use for use in found if use.begin < use.end]

    def _flags(self) -> None:
        rest = dict.fromkeys(BANKS, 0) | {"cycle": self.found.cycles}
        for pipe in range(PIPES):
            rise: dict[tuple[tuple[str, int], int], int] = {}
            for level in [*self.records[f"pipe{pipe}.flags"], rest]:
                for bank in BANKS:
                    for flag in range(self.found.nflags):
                        row, now = ((bank, pipe), flag), level[bank] >> flag & 1
                        if now and row not in rise:
                            rise[row] = level["cycle"]
                        elif not now and row in rise:
                            span = Span(row, "set", rise.pop(row), level["cycle"])
                            self.found.flags.append(span)

    def _marks(self) -> None:
        for pair in range(PAIRS):
            for row in self.records[f"pair{pair}.pair_fault"]:
                names = [fault.name for fault in PAIR_FAULTS if row[fault.name]]
                self.found.marks.append(Mark(pair, row["cycle"], ", ".join(names)))
            before = 0
            for row in self.records[f"pair{pair}.status"]:
                if row["deadlock"] and not before:
                    self.found.marks.append(Mark(pair, row["cycle"], self._deadlock(row["cycle"])))
                before = row["deadlock"]

    def _deadlock(self, cycle: int) -> str:
        """A deadlock, with the pipes that the cores wait in where one is not the first."""
        waits = {
            c.pipe[1]
            for c in self.found.commands
            if c.accepted < cycle <= c.states[-1].end and c.states[-1].kind == "WAIT"
        }
        flags = " and ".join(f"flag {2 * pipe}" for pipe in sorted(waits))
        return f"deadlock in {flags}" if any(waits) else "deadlock"


_TAG: Final = {TPUSH: "push_tag", TPOP: "pop_tag", TFREE: "free_tag"}
