# SPDX-License-Identifier: Apache-2.0
"""Rules about every path through a function: C03, C20 and C21.

A path is any choice of arms of its ifs, whatever their decisions. Instead of one path after the
other, the set of states in which paths can be is led through the text; a loop is left as soon as
its sets repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.report import Findings

MAX_STATES: Final = 1024
"""Most states at once, and most sets of a loop, before a function is undecided."""
MAX_WORK: Final = 4_000_000
"""Most tiles times operations of a function before it is undecided when tiles are used."""

State = TypeVar("State")
Step = Callable[[State, "P.Op | P.Use", "P.Loop | None"], State]
"""What an operation makes of a state; the loop is the innermost that does not run for the first
time."""


class _UndecidedError(Exception):
    pass


def _follow(
    body: Sequence[P.Stmt],
    states: frozenset[State],
    step: Step[State],
) -> frozenset[State]:
    """The states after a body, of the states before it."""
    known: dict[tuple[int, frozenset[State]], frozenset[State]] = {}

    def run(
        part: Sequence[P.Stmt], now: frozenset[State], again: P.Loop | None
    ) -> frozenset[State]:
        for node in part:
            if isinstance(node, (P.Loop, P.If)):
                key = id(node), now
                if key not in known:
                    known[key] = (
                        loop(node, now, again)
                        if isinstance(node, P.Loop)
                        else (run(node.then, now, again) | run(node.else_, now, again))
                    )
                now = known[key]
            else:
                now = frozenset(step(state, node, again) for state in now)
            if len(now) > MAX_STATES:
                raise _UndecidedError
        return now

    def loop(node: P.Loop, now: frozenset[State], again: P.Loop | None) -> frozenset[State]:
        before = {now: 0}
        for turn in range(node.n):
            now = run(node.body, now, node if turn else again)
            if now in before:
                first, period = before[now], turn + 1 - before[now]
                return list(before)[first + (node.n - first) % period]
            if len(before) > MAX_STATES:
                raise _UndecidedError
            before[now] = turn + 1
        return now

    return run(body, states, None)


def check_paths(program: P.Program, found: Findings) -> None:
    """C03, C20 and C21 of every function."""
    for func in program.funcs:
        nodes = list(P.leaves(func.body))
        for link in sorted({func.link(node) for node in nodes if not isinstance(node, P.Use)}):
            _check_inits(func, link, found)
            try:
                _check_held(program, func, link, found)
            except _UndecidedError:
                found.error("C20", func, func, "tpop/tfree undecided: too many paths")
        if program.platform == P.A5:
            tiles = sorted({node.tile for node in nodes if isinstance(node, P.Pop)})
            if len(tiles) * len(nodes) > MAX_WORK:
                found.error("C21", func, func, "use of tiles undecided: too many tiles")
                continue
            for tile in tiles:
                try:
                    _check_uses(program, func, tile, found)
                except _UndecidedError:
                    found.error("C21", func, func, f"use of '{tile}' undecided: too many paths")


def _check_inits(func: P.Func, link: P.Link, found: Findings) -> None:
    """C03. A path is without, with an excuse (that it has been told of) or with an Init."""
    first = func.inits().get(link)

    def step(state: str, node: P.Op | P.Use, _: P.Loop | None) -> str:
        if isinstance(node, P.Use) or func.link(node) != link:
            return state
        if isinstance(node, P.Init):
            if state == "with" or node is not first:
                found.error("C03", func, node, "duplicate initialize_pipe", first)
            return "with"
        if state == "without":
            message = f"{P.OP_NAME[type(node)]} before initialize_pipe"
            found.error("C03", func, node, message)
            return "excused"
        return state

    _follow(func.body, frozenset({"without"}), step)


class _Held(NamedTuple):
    """Pops (numbers of nodes) whose slots are held; whether the path has been complained about."""

    pops: tuple[int, ...] = ()
    told: bool = False


def _check_held(program: P.Program, func: P.Func, link: P.Link, found: Findings) -> None:
    """C20, one complaint a path. One that the first turn of a loop does not have is the loop's."""
    nodes: list[P.Node] = list(P.leaves(func.body))
    number = {id(node): k for k, node in enumerate(nodes)}
    direct: set[int] = set()
    limit = program.hold_limit(func.inits().get(link))

    def tell(node: P.Node, message: str, also: P.Node | None, again: P.Loop | None) -> None:
        if again is None:
            direct.add(id(node))
            found.error("C20", func, node, message, also)
        elif id(node) not in direct:
            found.error("C20", func, again, "tpop/tfree unbalanced in loop", node)

    def step(state: _Held, node: P.Op | P.Use, again: P.Loop | None) -> _Held:
        pops, told = state
        if isinstance(node, (P.Use, P.Init, P.Push)) or func.link(node) != link:
            return state
        if isinstance(node, P.Free):
            if not pops and not told:
                tell(node, "tfree without tpop", None, again)
            return _Held(pops[1:], told or not pops)
        full = len(pops) >= limit
        if full and not told:
            tell(node, f"second tpop while {len(pops)} held", nodes[pops[0]], again)
        return _Held((*pops[full:], number[id(node)]), told or full)

    for state in sorted(_follow(func.body, frozenset({_Held()}), step)):
        for pop in state.pops if not state.told else ():
            found.error("C20", func, nodes[pop], "tpop without tfree")


class _Tile(NamedTuple):
    """A state of a tile: which of each pipe's held slots, oldest first, it is bound to.

    ``freed`` is the number of the tfree of the tile's slot.
    """

    slots: tuple[tuple[bool, ...], ...]
    bound: bool = False
    freed: int = -1


def _check_uses(program: P.Program, func: P.Func, tile: str, found: Findings) -> None:
    """C21: a tile is used while its slot is held and not otherwise, and not bound again then."""
    nodes: list[P.Node] = list(P.leaves(func.body))
    inits = func.inits()
    links = sorted({func.link(node) for node in func.nodes() if not isinstance(node, P.Use)})
    number = {id(node): k for k, node in enumerate(nodes)}

    def step(state: _Tile, node: P.Op | P.Use, _: P.Loop | None) -> _Tile:
        if isinstance(node, P.Use):
            if node.tile == tile and not state.bound:
                message = f"use of '{tile}' before tpop"
                if state.freed >= 0:
                    message = f"use of '{tile}' after tfree (slot may be overwritten)"
                also = nodes[state.freed] if state.freed >= 0 else None
                found.error("C21", func, node, message, also)
            return state
        if isinstance(node, (P.Init, P.Push)):
            return state
        slots, link = list(state.slots), func.link(node)
        at = links.index(link)
        if isinstance(node, P.Free):
            freed = bool(slots[at]) and slots[at][0]
            slots[at] = slots[at][1:]
            after = _Tile(tuple(slots), state.bound, state.freed)
            return after._replace(bound=False, freed=number[id(node)]) if freed else after
        if len(slots[at]) >= program.hold_limit(inits.get(link)):
            return state
        if node.tile != tile:
            slots[at] = (*slots[at], False)
            return _Tile(tuple(slots), state.bound, state.freed)
        if state.bound:
            found.error("C21", func, node, f"'{tile}' bound again while held")
        slots = [tuple(False for _ in held) for held in slots]
        slots[at] = (*slots[at], True)
        return _Tile(tuple(slots), True)

    _follow(func.body, frozenset({_Tile(((),) * len(links))}), step)
