# SPDX-License-Identifier: Apache-2.0
"""Completes a program of inits, pushes, pops and uses: reserves, imports and bases, and tfrees.

A tfree comes as soon as nothing reads the tile any more, on every path: behind its last use, at
the beginning of an arm that has none, behind an if or loop that has. That is found by liveness:
backwards which tiles are still read, then forwards which slots are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilepath.engine.text import Where
from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.check import check
from tilepath.models.pipe_program.report import Diag, Findings, Report, in_order

_OF_FREES = ("C20", "C21", "C22", "C23")
"""What is not worth saying of a program that lacks tfrees."""


@dataclass(frozen=True)
class Expanded:
    """The completed program, None if there is none that passes; what the checker says of it."""

    program: P.Program | None
    report: Report

    @property
    def errors(self) -> Sequence[Diag]:
        """Why there is none."""
        return self.report.errors


def expand(program: P.Program) -> Expanded:
    """Complete a program.

    Raises:
        TextError: it has reserves, imports or tfrees already.
    """
    for func in program.funcs:
        frees = [node for node in func.nodes() if isinstance(node, P.Free)]
        for node in (*func.reserves, *func.imports, *frees):
            raise node.where.error("the program has buffers or tfrees already")
    found = Findings()
    funcs = [
        _with_rings(program, replace(func, body=_Frees(program, func, found).body()))
        for func in program.funcs
    ]
    result = replace(program, funcs=funcs)
    report = check(result)
    if found.errors:
        others = [diag for diag in report.errors if diag.code not in _OF_FREES]
        warnings = tuple(diag for diag in report.warnings if diag.code not in _OF_FREES)
        report = replace(report, errors=in_order([*found.errors, *others]), warnings=warnings)
    return Expanded(None if report.errors else result, report)


def _with_rings(program: P.Program, func: P.Func) -> P.Func:
    """The function with the reserve or import of each of its rings as arguments of its inits."""
    if program.platform != P.A5:
        return func
    reserves: list[P.ReserveBuffer] = []
    imports: list[P.ImportPeerBuffer] = []
    buffers: dict[P.Link, dict[str, str]] = {}
    for link, init in func.inits().items():
        buddy = program.buddy(func, link.pair)
        for direction in init.dirs():
            # with halves the cube has one ring for both vectors
            pair = 0 if init.split and direction == "V2C" else link.pair
            name = f"{direction.lower()}_slot_buffer_p{pair}"
            name += f"_f{link.flag}" if link.flag else ""
            buffers.setdefault(link, {})[f"{direction.lower()}_buf"] = name
            if func.consumes(direction):
                size = program.slot_num(init) * init.slot_size
                if pair == link.pair or func.core != "AIC":
                    reserves.append(P.ReserveBuffer(name, size, where=init.where))
            elif buddy:
                imports.append(P.ImportPeerBuffer(name, buddy.name, where=init.where))

    def rewrite(body: Sequence[P.Stmt]) -> list[P.Stmt]:
        result: list[P.Stmt] = []
        for node in body:
            if isinstance(node, P.Loop):
                node = replace(node, body=rewrite(node.body))
            elif isinstance(node, P.If):
                node = replace(node, then=rewrite(node.then), else_=rewrite(node.else_))
            elif isinstance(node, P.Init):
                buffer = buffers.get(func.link(node), {}).get
                node = replace(node, c2v_buf=buffer("c2v_buf", 0), v2c_buf=buffer("v2c_buf", 0))
            result.append(node)
        return result

    return replace(func, reserves=reserves, imports=imports, body=rewrite(func.body))


Live = dict[str, P.Node]
"""Tile → a node that reads it later."""


@dataclass
class _Slot:
    """A held slot: the tile bound to it, and the tpops (one a path) that took it."""

    tile: str
    pops: tuple[P.Pop, ...]
    dead: bool = False


Held = dict[P.Link, list[_Slot]]
"""Pipe → held slots, oldest first."""


class _NoPointError(Exception):
    """There is no place for a tfree."""


class _Frees:
    """Places the tfrees of a function."""

    def __init__(self, program: P.Program, func: P.Func, found: Findings) -> None:
        self._program, self._func, self._found = program, func, found
        self._links = [P.Link(pair, flag) for pair in (0, 1) for flag in P.FLAGS]
        self._effects: dict[int, tuple[Live, set[str]]] = {}

    def body(self) -> list[P.Stmt]:
        """The function's body with tfrees; without, if one has no place, which is told."""
        held: Held = {link: [] for link in self._links}
        try:
            return self._place(self._func.body, held, {}, self._func.where)
        except _NoPointError:
            return list(self._func.body)

    def _fail(self, slot: _Slot, why: str, also: P.Node) -> None:
        message = f"'{slot.tile}': no safe point for tfree: {why}"
        self._found.error("C20", self._func, slot.pops[-1], message, also)
        raise _NoPointError

    def _effect(self, node: P.Stmt) -> tuple[Live, set[str]]:
        """Tiles that a statement reads before it binds them, and tiles that it surely binds."""
        if isinstance(node, (P.Use, P.Push)):
            return {node.tile: node}, set()
        if isinstance(node, P.Pop):
            return {}, {node.tile}
        if id(node) not in self._effects:
            if isinstance(node, P.If):
                (reads, binds), (reads2, binds2) = map(self._effects_of, (node.then, node.else_))
                self._effects[id(node)] = reads | reads2, binds & binds2
            else:
                body = node.body if isinstance(node, P.Loop) and node.n else ()
                self._effects[id(node)] = self._effects_of(body)
        return self._effects[id(node)]

    def _effects_of(self, body: Sequence[P.Stmt]) -> tuple[Live, set[str]]:
        reads: Live = {}
        binds: set[str] = set()
        for node in body:
            more, bound = self._effect(node)
            reads.update({tile: at for tile, at in more.items() if tile not in binds})
            binds |= bound
        return reads, binds

    def _place(
        self, body: Sequence[P.Stmt], held: Held, behind: Live, where: Where
    ) -> list[P.Stmt]:
        """A body with tfrees; ``held`` becomes what is held behind it."""
        live = [behind]
        for node in reversed(body):
            reads, binds = self._effect(node)
            kept = {tile: at for tile, at in live[-1].items() if tile not in binds}
            live.append({**kept, **reads})
        live.reverse()
        result = self._free(held, live[0], where)
        for node, after in zip(body, live[1:], strict=True):
            if isinstance(node, P.Loop):
                result.append(self._loop(node, held, after))
            elif isinstance(node, P.If):
                result.append(self._if(node, held, after))
            else:
                if isinstance(node, P.Pop):
                    self._hold(node, held)
                result.append(node)
            result += self._free(held, after, node.where)
        return result

    def _free(self, held: Held, live: Live, where: Where) -> list[P.Stmt]:
        frees: list[P.Stmt] = []
        for link, slots in held.items():
            for slot in slots:
                slot.dead |= slot.tile not in live
            while slots and slots[0].dead:
                slots.pop(0)
                peer = link.pair if self._func.core == "AIC" else 0
                frees.append(P.Free(peer, link.flag, where=where))
        return frees

    def _hold(self, pop: P.Pop, held: Held) -> None:
        link = self._func.link(pop)
        slots = held[link]
        if len(slots) >= self._program.hold_limit(self._func.inits().get(link)):
            self._fail(
                slots[0], f"a second tpop, while {len(slots)} held, before its last use", pop
            )
        slots.append(_Slot(pop.tile, (pop,)))

    def _loop(self, loop: P.Loop, held: Held, after: Live) -> P.Loop:
        again = self._effects_of(loop.body)[0] if loop.n > 1 else {}
        inside = _copy(held if loop.n else {link: [] for link in self._links})
        behind = {**again, **after} if loop.n else {}
        body = self._place(loop.body, inside, behind, loop.where)
        known = {id(pop) for slots in held.values() for slot in slots for pop in slot.pops}
        for slot in (slot for slots in inside.values() for slot in slots):
            if any(id(pop) not in known for pop in slot.pops):
                why = "its last use is not in the same turn of the loop as its tpop"
                self._fail(slot, why, behind.get(slot.tile, loop))
        if loop.n:
            held.update(inside)
        return replace(loop, body=body)

    def _if(self, node: P.If, held: Held, after: Live) -> P.If:
        other = _copy(held)
        then = self._place(node.then, held, after, node.where)
        else_ = self._place(node.else_, other, after, node.where)
        for link, slots in held.items():
            names, names2 = ([slot.tile for slot in part] for part in (slots, other[link]))
            if names != names2:
                odd = next(
                    slot
                    for slot in (*slots, *other[link])
                    if names.count(slot.tile) != names2.count(slot.tile) or len(names) > 1
                )
                why = "its last use is behind the if, and only one arm has its tpop"
                self._fail(odd, why, after.get(odd.tile, node))
            for slot, twin in zip(slots, other[link], strict=True):
                slot.pops += twin.pops
                slot.dead |= twin.dead
        return replace(node, then=then, else_=else_)


def _copy(held: Held) -> Held:
    return {link: [replace(slot) for slot in slots] for link, slots in held.items()}
