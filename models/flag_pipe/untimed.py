# SPDX-License-Identifier: Apache-2.0
"""``FlagPipe``: the flag pipe without time, as a walk of three lists of commands.

Cores take their commands in order and block; flags have one setter and one waiter each. So what a
program leaves behind, and whether it ends, does not depend on how fast anybody is (T27).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    CORES,
    ENDPOINT_STATE,
    ENDPOINTS,
    PAIRS,
    PIPES,
)
from tilepath.models.flag_pipe import memory, rules
from tilepath.models.flag_pipe.plan import make_plan
from tilepath.models.flag_pipe.rules import NONE, Error, Memory, Op
from tilepath.models.flag_pipe.waiting import blocked

Verdict = Literal["DONE", "DEADLOCK", "STARVED"]
_PLAN: Final = dict.fromkeys(rules.PLAN.names or (), 0)


def _each(plan: Any, first: int, step: int = 2) -> range:
    """Of each pair that a plan is for: its bank, or its endpoint, from that of ``plan.pair`` on."""
    return range(first, first + plan.pairs * step, step)


class Command(NamedTuple):
    """A command of one core: what the hardware gets, then what the core computes before it.

    ``op``: an ``Op``, or a reserved number; the fields are those of the boundary's ``cmd``.
    ``fill_beats`` beats at ``tile_addr`` get values that follow from ``stamp``; the digest of
    ``look_beats`` beats from ``look_addr`` on is in the response.
    """

    op: int
    peer: int = 0
    pipe: int = 0
    dir_mask: int = 0
    period: int = 0
    split: int = 0
    row: int = 0
    slot_size: int = 0
    gm_base: int = 0
    c2v_buf: int = 0
    v2c_buf: int = 0
    tile_addr: int = 0
    fill_beats: int = 0
    stamp: int = 0
    look_addr: int = 0
    look_beats: int = 0


_NOTHING: Final[Any] = Command(Op.INIT)


class Response(NamedTuple):
    """What a command gave: operation, error, tag acted on, address; the digest it looked at."""

    op: int
    err: Error
    tag: int
    addr: int
    look: tuple[int, int] | None = None


class Outcome(NamedTuple):
    """How far a walk came: the verdict, a line for each blocked core, the responses by core."""

    verdict: Verdict
    lines: tuple[str, ...]
    responses: tuple[list[Response], ...]


class _Core:
    """Commands that a core has yet to take, and the one that it is blocked in."""

    def __init__(self) -> None:
        self.commands: deque[Command] = deque()
        self.blocked: Any = None  # a plan
        self.look: tuple[int, int] | None = None
        self.taken = 0


class FlagPipe:
    """The flag pipe without time: endpoints, flags and memories; commands take effect in order.

    >>> from tilepath.models.flag_pipe import Command, FlagPipe, Op
    >>> pipe = FlagPipe("baseline")  # platform a5: the ring is in the vector's buffer
    >>> tile = np.arange(64, dtype=np.float32).reshape(8, 8)
    >>> pipe.store("L1", 0x1000, tile)
    >>> init = Command(Op.INIT, dir_mask=1, slot_size=tile.nbytes, c2v_buf=0x8000)
    >>> cube = [init, Command(Op.TPUSH, tile_addr=0x1000)]
    >>> outcome = pipe.run([cube, [init, Command(Op.TPOP)]])
    >>> outcome.verdict, hex(outcome.responses[1][-1].addr)
    ('DONE', '0x8000')
    >>> bool((pipe.load("UB0", 0x8000, (8, 8), np.float32) == tile).all())
    True
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Begin after reset; memories are 0. Raises ``ValueError`` for an unknown profile.

        The platform is a parameter of the profile: ``"baseline,platform=a2a3"``.
        """
        given = rules.new_rules(profile)[0]
        self._rules: Any = SimpleNamespace(
            **{name: int(given[name]) for name in rules.RULES.names or ()}
        )
        self._ends: Any = [
            SimpleNamespace(**dict.fromkeys(ENDPOINT_STATE, 0)) for _ in range(ENDPOINTS)
        ]
        self._flags = [0] * (PIPES * len(BANKS))
        self._set_set = [0] * (PIPES * len(BANKS))
        self._words = memory.new_memory()
        self._cores = [_Core() for _ in CORES]

    # ── Memories ─────────────────────────────────────────────────────────────────────────────────

    def store(self, where: str, address: int, values: npt.ArrayLike) -> None:
        """Put an array's bytes into ``L1``, ``UB0``, ``UB1`` or ``GM``.

        Raises ``ValueError`` for an address or a size that is no multiple of 4, and where there is
        no memory: of the global one there are the first 4,194,304 and the last 524,288
        bytes.
        """
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self._tile(where, address, raw.size)[:] = raw.view(np.uint32)

    def load(
        self, where: str, address: int, shape: tuple[int, ...], dtype: npt.DTypeLike = np.uint32
    ) -> npt.NDArray[Any]:
        """A copy of an array that is in a memory; raises as ``store``."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return self._tile(where, address, size).copy().view(dtype).reshape(shape)

    def _tile(self, where: str, address: int, size: int) -> memory.Words:
        if where not in Memory.__members__:
            raise ValueError(f"no memory {where!r}: choose from {', '.join(Memory.__members__)}")
        if address % 4 or size % 4 or size == 0:
            raise ValueError(f"{size} bytes at {address:#x}: multiples of 4 are wanted")
        return memory.tile(self._words, Memory[where], address, size)

    # ── Commands ─────────────────────────────────────────────────────────────────────────────────

    def run(self, commands: Sequence[Iterable[Command]]) -> Outcome:
        """Walk the commands of AIC, AIV0, AIV1 as far as they go; missing lists are empty.

        What is blocked stays so, and goes on in a later call. The verdict is DEADLOCK if both cores
        of a pair wait for each other, STARVED if a core waits for one that has nothing left to do,
        else DONE. Raises ``ValueError`` for more lists than cores, and for a transfer to or from
        global memory that there is not.
        """
        if len(commands) > len(CORES):
            raise ValueError(f"{len(commands)} lists of commands for {len(CORES)} cores")
        for core, given in zip(self._cores, commands, strict=False):
            core.commands.extend(given)
        responses: tuple[list[Response], ...] = tuple([] for _ in CORES)
        moved = True
        while moved:
            moved = False
            for number in range(len(CORES)):
                while (response := self._advance(number)) is not None:
                    responses[number].append(response)
                    moved = True
        return Outcome(*self.verdict(), responses)

    def _advance(self, number: int) -> Response | None:
        """A core's next command, or the one it is blocked in; None if it stays blocked."""
        core = self._cores[number]
        if core.blocked is None:
            if not core.commands:
                return None
            command = core.commands.popleft()
            core.taken += 1
            core.look = self._compute(number, command)
            core.blocked = SimpleNamespace(**_PLAN)
            given: Any = command
            make_plan(self._rules, self._ends, number, given, core.blocked)
            if core.blocked.op == Op.INIT and core.blocked.error == Error.OK:
                for end in _each(core.blocked, core.blocked.end, 1):
                    rules.initialise(self._ends[end], given)
        plan = core.blocked
        if plan.wait_flag != NONE:
            if self._missing(plan):
                return None
            for bank in _each(plan, plan.wait_bank):
                self._flags[bank] &= ~(1 << plan.wait_flag)
        core.blocked = None
        self._effect(plan)
        return Response(plan.op, Error(plan.error), plan.tag, plan.addr, core.look)

    def _compute(self, number: int, command: Command) -> tuple[int, int] | None:
        """What stands in for the core's computing when it takes a command."""
        if not command.look_beats and not command.fill_beats:
            return None
        beat = self._rules.beat_bytes
        looked = command.look_addr & -beat, command.look_beats * beat // 4
        filled = command.tile_addr & -beat, command.fill_beats * beat // 4
        found = memory.compute(self._words, number, looked, filled, command.stamp)
        return (int(found[0]), int(found[1])) if command.look_beats else None

    def _effect(self, plan: Any) -> None:
        """The tile moves, flags are SET, tags go on."""
        if plan.error != Error.OK:
            return
        self._move(plan)
        sets = sum(1 << plan.set_flag + k * plan.set_step for k in range(plan.sets))
        for bank in _each(plan, plan.own_bank):
            self._set_set[bank] |= self._flags[bank] & sets != 0
            self._flags[bank] |= sets
        for end in _each(plan, plan.end, 1):
            rules.advance(self._ends[end], plan)

    def _missing(self, plan: Any) -> list[int]:
        """The pairs whose flag a plan waits for."""
        banks = enumerate(_each(plan, plan.wait_bank), plan.pair)
        return [pair for pair, bank in banks if not self._flags[bank] >> plan.wait_flag & 1]

    def _move(self, plan: Any) -> None:
        """The tile, of halves run by run (T37)."""
        beat, run = self._rules.beat_bytes, plan.apart or plan.turns or plan.beats or 1
        for done in range(0, plan.beats, run):
            ring = rules.ring_place(plan, done) * beat
            there, here = (ring, done * beat)[:: 1 if plan.op == Op.TPUSH else -1]
            source = plan.from_memory, plan.from_addr + here
            target = rules.written_memory(plan, done), plan.to_addr + there
            words = memory.tile(self._words, *source, run * beat)
            memory.tile(self._words, *target, run * beat)[:] = words

    def clear(self, *pairs: int) -> bool:
        """A clear of pairs; whether it is granted: not while a command for one of them is left.

        One alone is not granted either where the cube has a pipe of halves (T37).
        """
        cube, tied = self._cores[0], any(end.split for end in self._ends[:: len(BANKS)])
        busy = tied and len(pairs) < PAIRS
        for pair in pairs:
            vector = self._cores[1 + pair]
            busy |= cube.blocked is not None and rules.is_for(cube.blocked, pair)
            busy |= any(command.peer == pair for command in cube.commands)
            busy |= vector.blocked is not None or len(vector.commands) > 0
        if busy:
            return False
        for pair in pairs:
            for end in range(pair, ENDPOINTS, PAIRS):
                rules.forget(self._ends[end], _NOTHING)
            for first in range(2 * pair, len(self._flags), len(BANKS)):
                self._flags[first : first + 2] = self._set_set[first : first + 2] = [0, 0]
        return True

    # ── What has come of it ──────────────────────────────────────────────────────────────────────

    def verdict(self) -> tuple[Verdict, tuple[str, ...]]:
        """DONE, DEADLOCK or STARVED, and a line for each blocked core."""
        waits = [core.blocked for core in self._cores]
        lines = tuple(
            blocked(number, plan, self._missing(plan), f"#{self._cores[number].taken - 1}")
            for number, plan in enumerate(waits)
            if plan is not None
        )
        if waits[0] is not None and any(waits[1 + pair] for pair in self._missing(waits[0])):
            return "DEADLOCK", lines
        return ("STARVED" if lines else "DONE"), lines

    @property
    def set_set(self) -> dict[str, bool]:
        """Whether a set flag has been SET, by name of the bank, of any pipe (T2)."""
        return {name: any(self._set_set[k :: len(BANKS)]) for k, name in enumerate(BANKS)}

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        """Endpoints, flags and memories, as the boundary describes."""
        ends = [[getattr(end, name) for name in ENDPOINT_STATE] for end in self._ends]
        return {
            "endpoints": np.array(ends, np.uint32),
            "flags": np.array(self._flags, np.uint8),
            "memory": memory.sums(self._words),
        }
