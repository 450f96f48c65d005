# SPDX-License-Identifier: Apache-2.0
"""Runs a program without time, and says how it ends (rules C22 and C23).

Cores that block, do everything in order and share nothing but flags with one setter and one waiter
make a Kahn network: how it ends does not depend on who runs when. What hardware refuses (before
initialize_pipe, in a direction that is off, a tpop too many, a tfree too many) does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tilepath.isa import constants
from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.lower import MAX_OPERATIONS, cost, execution
from tilepath.models.pipe_program.report import Findings, Kpn

Pipe = tuple[P.Link, P.Dir]
Bank = tuple[P.Link, bool]  # pipe, and whether the cube is its setter
Schedule = Callable[[Sequence[P.Core]], P.Core]


@dataclass
class _Endpoint:
    """What a core knows of a pipe."""

    init: P.Init | None = None
    slots: int = 0
    period: int = 1
    push_tag: int = 0
    pop_tag: int = 0
    free_tag: int = 0
    held: int = 0


@dataclass(frozen=True)
class Blocked:
    """What a core waits for at the end: tile ``count`` of a pipe, counted from 0."""

    func: P.Func
    op: P.Transfer
    pipe: Pipe
    count: int
    missing: tuple[P.Core, ...]  # the vectors whose flags the cube waits for

    def name(self) -> str:
        """The pipe; of halves with the vectors that are waited for."""
        link, direction = self.pipe
        name = str(link)
        if self.func.core == "AIC" and link.flag in self.func.halved:
            name = name.replace(str(P.Link(link.pair)), " and ".join(self.missing))
        return f"{name} {direction}"

    def __str__(self) -> str:
        state = "full" if isinstance(self.op, P.Push) else "empty"
        what = f"{self.func.core} blocked at {P.OP_NAME[type(self.op)]}#{self.count}"
        return f"{what} ({self.name()} {state})"


@dataclass
class Network:
    """The cores of a program, and the flags between them."""

    program: P.Program
    pushed: dict[Pipe, int] = field(default_factory=dict)
    popped: dict[Pipe, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._funcs = {func.core: func for func in self.program.funcs}
        self._todo = {core: execution(func) for core, func in self._funcs.items()}
        self._next: dict[P.Core, P.Op] = {}
        links = [P.Link(pair, flag) for pair in (0, 1) for flag in P.FLAGS]
        self._ends = {(core, link): _Endpoint() for core in self._funcs for link in links}
        # One bit a flag.
        self._flags: dict[Bank, int] = {(link, cube): 0 for link in links for cube in (False, True)}
        for core in self._funcs:
            self._advance(core)

    def run(self, schedule: Schedule | None = None) -> None:
        """Run until nothing moves; ``schedule`` chooses who does the next operation."""
        while able := [core for core in self._next if self._able(core)]:
            core = schedule(able) if schedule else able[0]
            self._act(core)
            while not schedule and core in self._next and self._able(core):
                self._act(core)

    def blocked(self) -> dict[P.Core, Blocked]:
        """Who waits at the end, and for what."""
        result: dict[P.Core, Blocked] = {}
        for core, op in self._next.items():
            func = self._funcs[core]
            if not isinstance(op, P.Init):
                pipe = func.link(op), func.direction(op)
                done = self.pushed if isinstance(op, P.Push) else self.popped
                missing = tuple(P.CORES[1 + bank[0].pair] for bank in self._missing(core))
                result[core] = Blocked(func, op, pipe, done.get(pipe, 0), missing)
        return result

    def left(self, core: P.Core) -> int:
        """Operations that a core has not done; to be asked for when nothing moves any more."""
        rest = sum(not isinstance(node, P.Use) for node in self._todo[core])
        return rest + (core in self._next)

    def _advance(self, core: P.Core) -> None:
        self._next.pop(core, None)
        for node in self._todo[core]:
            if not isinstance(node, P.Use):
                self._next[core] = node
                return

    def _flag(self, end: _Endpoint, direction: P.Dir, tag: int) -> int:
        both = end.init is not None and end.init.dir_mask == constants.PIPE_DIR_BOTH
        return 1 << (tag + (self.program.nflags // 2 if both and direction == "V2C" else 0))

    def _wait(self, core: P.Core) -> tuple[Sequence[Bank], int]:
        """Banks and bit that the next operation of a core waits for; no bit if it does not wait."""
        func, op = self._funcs[core], self._next[core]
        end = self._ends[core, func.link(op)]
        banks = [(link, core != "AIC") for link in func.links(op)]
        if isinstance(op, (P.Init, P.Free)) or not self._accepted(end, func, op):
            return banks, 0
        tag = end.push_tag if isinstance(op, P.Push) else end.pop_tag
        if isinstance(op, P.Push) and tag % end.period:  # its slot came with a credit before
            return banks, 0
        return banks, self._flag(end, func.direction(op), tag)

    def _missing(self, core: P.Core) -> Sequence[Bank]:
        """The banks in which the flag that a core waits for is not set."""
        banks, bit = self._wait(core)
        return [bank for bank in banks if bit and not self._flags[bank] & bit]

    def _accepted(self, end: _Endpoint, func: P.Func, op: P.Transfer) -> bool:
        if not end.init or not end.init.dir_mask & P.DIR_BIT[func.direction(op)]:
            return False
        if isinstance(op, P.Pop):
            return end.held < self.program.hold_limit(end.init)
        return isinstance(op, P.Push) or end.held > 0

    def _able(self, core: P.Core) -> bool:
        return not self._missing(core)

    def _act(self, core: P.Core) -> None:
        func, op = self._funcs[core], self._next[core]
        end = self._ends[core, func.link(op)]
        own = [(link, core == "AIC") for link in func.links(op)]
        if isinstance(op, P.Init):
            self._initialize(end, func, op, own)
        elif self._accepted(end, func, op):
            banks, bit = self._wait(core)
            for bank in banks:
                self._flags[bank] &= ~bit
            direction = func.direction(op)
            if isinstance(op, P.Push):
                self._set(own, self._flag(end, direction, end.push_tag))
                end.push_tag = (end.push_tag + 1) % end.slots
            elif isinstance(op, P.Pop):
                end.pop_tag = (end.pop_tag + 1) % end.slots
                end.held += 1
            if not isinstance(op, P.Free):
                done = self.pushed if isinstance(op, P.Push) else self.popped
                for link in func.links(op):
                    done[link, direction] = done.get((link, direction), 0) + 1
            else:
                if (end.free_tag + 1) % end.period == 0:
                    first = end.free_tag + 1 - end.period
                    self._set(own, self._flag(end, direction, first))
                end.free_tag = (end.free_tag + 1) % end.slots
                end.held -= 1
        self._advance(core)

    def _set(self, banks: Sequence[Bank], bit: int) -> None:
        for bank in banks:
            self._flags[bank] |= bit

    def _initialize(self, end: _Endpoint, func: P.Func, op: P.Init, own: Sequence[Bank]) -> None:
        if end.init or not op.dirs() or op.sync_period not in self.program.periods(op):
            return
        end.init, end.slots, end.period = op, self.program.slot_num(op), op.sync_period
        for direction in op.dirs():
            if func.consumes(direction):
                for tag in range(0, end.slots, end.period):
                    self._set(own, self._flag(end, direction, tag))


def check_run(program: P.Program, found: Findings) -> Kpn:
    """How the program ends; C22 where it does not end well, C23 where tiles are left over.

    A pair whose sides have different masks, or an invalid one, is beyond this: ``UNDECIDED``.
    """
    for func in program.funcs:
        if cost(func.body) > MAX_OPERATIONS:
            found.error("C22", func, func, f"undecided: more than {MAX_OPERATIONS} operations")
            return Kpn.UNDECIDED
    if any(
        diag.code in ("C01", "C26") or ": dir_mask differs" in diag.msg for diag in found.errors
    ):
        return Kpn.UNDECIDED
    network = Network(program)
    network.run()
    blocked = network.blocked()
    if not blocked:
        _check_left(program, network, found)
        return Kpn.DONE
    cube = blocked.get("AIC")
    peers = [blocked[core] for core in cube.missing if core in blocked] if cube else []
    if cube and peers:
        message = f"DEADLOCK: {', '.join(map(str, (cube, *peers)))}"
        found.error("C22", cube.func, cube.op, message, peers[0].op)
        return Kpn.DEADLOCK
    for core, wait in blocked.items():
        if core == "AIC" or not cube:
            what, who = f"tile {wait.count}", "producer"
            if isinstance(wait.op, P.Push):
                what, who = f"a free slot for tile {wait.count}", "consumer"
            named = wait.pipe[0].flag or wait.pipe[0].flag in wait.func.halved
            what += f" ({wait.name()})" if named else ""
            message = f"STARVED: {core} waits for {what}, {who} finished"
            found.error("C22", wait.func, wait.op, message)
    return Kpn.STARVED


def _check_left(program: P.Program, network: Network, found: Findings) -> None:
    for func in program.funcs:
        for link, init in func.inits().items():
            for direction in P.DIRS:
                pipe = link, direction
                left = network.pushed.get(pipe, 0) - network.popped.get(pipe, 0)
                if left and not func.consumes(direction):
                    message = f"{link} {direction}: {left} tiles never popped"
                    found.warn("C23", func, init, message)
