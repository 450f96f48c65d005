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

    def __str__(self) -> str:
        link, direction = self.pipe
        state = "full" if isinstance(self.op, P.Push) else "empty"
        return (
            f"{self.func.core} blocked at {P.OP_NAME[type(self.op)]}#{self.count} "
            f"({link} {direction} {state})"
        )


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
        # By pipe and setter (False: a vector): one bit a flag.
        self._flags = {(link, cube): 0 for link in links for cube in (False, True)}
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
                result[core] = Blocked(func, op, pipe, done.get(pipe, 0))
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

    def _wait(self, core: P.Core) -> tuple[tuple[P.Link, bool], int]:
        """Bank and bit that the next operation of a core waits for; no bit if it does not wait."""
        func, op = self._funcs[core], self._next[core]
        link = func.link(op)
        end = self._ends[core, link]
        bank = link, core != "AIC"
        if isinstance(op, (P.Init, P.Free)) or not self._accepted(end, func, op):
            return bank, 0
        tag = end.push_tag if isinstance(op, P.Push) else end.pop_tag
        if isinstance(op, P.Push) and tag % end.period:  # its slot came with a credit before
            return bank, 0
        return bank, self._flag(end, func.direction(op), tag)

    def _accepted(self, end: _Endpoint, func: P.Func, op: P.Transfer) -> bool:
        if not end.init or not end.init.dir_mask & P.DIR_BIT[func.direction(op)]:
            return False
        if isinstance(op, P.Pop):
            return end.held < self.program.hold_limit(end.init)
        return isinstance(op, P.Push) or end.held > 0

    def _able(self, core: P.Core) -> bool:
        bank, bit = self._wait(core)
        return not bit or bool(self._flags[bank] & bit)

    def _act(self, core: P.Core) -> None:
        func, op = self._funcs[core], self._next[core]
        link = func.link(op)
        end = self._ends[core, link]
        own = link, core == "AIC"
        if isinstance(op, P.Init):
            self._initialize(end, func, op, own)
        elif self._accepted(end, func, op):
            bank, bit = self._wait(core)
            self._flags[bank] &= ~bit
            direction = func.direction(op)
            pipe = link, direction
            if isinstance(op, P.Push):
                self._flags[own] |= self._flag(end, direction, end.push_tag)
                end.push_tag = (end.push_tag + 1) % end.slots
                self.pushed[pipe] = self.pushed.get(pipe, 0) + 1
            elif isinstance(op, P.Pop):
                end.pop_tag = (end.pop_tag + 1) % end.slots
                end.held += 1
                self.popped[pipe] = self.popped.get(pipe, 0) + 1
            else:
                if (end.free_tag + 1) % end.period == 0:
                    first = end.free_tag + 1 - end.period
                    self._flags[own] |= self._flag(end, direction, first)
                end.free_tag = (end.free_tag + 1) % end.slots
                end.held -= 1
        self._advance(core)

    def _initialize(
        self, end: _Endpoint, func: P.Func, op: P.Init, own: tuple[P.Link, bool]
    ) -> None:
        if end.init or not op.dirs() or op.sync_period not in self.program.periods(op):
            return
        end.init, end.slots, end.period = op, self.program.slot_num(op), op.sync_period
        for direction in op.dirs():
            if func.consumes(direction):
                for tag in range(0, end.slots, end.period):
                    self._flags[own] |= self._flag(end, direction, tag)


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
    peer = blocked.get("AIV1" if cube.pipe[0].pair else "AIV0") if cube else None
    if cube and peer:
        found.error("C22", cube.func, cube.op, f"DEADLOCK: {cube}, {peer}", peer.op)
        return Kpn.DEADLOCK
    for core, wait in blocked.items():
        if core == "AIC" or not cube:
            what, who = f"tile {wait.count}", "producer"
            if isinstance(wait.op, P.Push):
                what, who = f"a free slot for tile {wait.count}", "consumer"
            what += f" ({wait.pipe[0]} {wait.pipe[1]})" if wait.pipe[0].flag else ""
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
