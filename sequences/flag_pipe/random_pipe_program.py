# SPDX-License-Identifier: Apache-2.0
"""Draws programs of the flag pipe that break no rule but those about how a program ends.

Half of them are cut out of an execution that ends, one list of operations a core; the others are
drawn core by core, so that many of them deadlock or starve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from tilepath.models.pipe_program import (
    A5,
    Free,
    Func,
    GmRef,
    If,
    ImportPeerBuffer,
    Init,
    Loop,
    Platform,
    Pop,
    Program,
    Push,
    ReserveBuffer,
    Use,
)
from tilepath.models.pipe_program.program import CORES, Core, Dir, Link, Stmt

_SLOT_SIZES = (32, 64, 96, 128, 256)
_FLAGS = ((0,), (0,), (4,), (0, 4), (2, 6))  # of the pipes of a pair, with room for both ways
T = TypeVar("T")


class Rng(Protocol):
    """What is drawn with, as ``random.Random`` has it."""

    def random(self) -> float:
        """0 to 1."""

    def choice(self, seq: Sequence[T], /) -> T:
        """An element."""

    def randrange(self, start: int, stop: int | None = None, /) -> int:
        """As of ``range``."""


Masks = dict[Link, int]
"""Pipe → direction mask, or size of a slot."""


def random_program(rng: Rng, platform: Platform | None = None, nflags: int = 8) -> Program:
    """A program for one vector or both, of up to about 100 operations a core.

    ``check`` finds nothing but C22 and C23 in it.
    """
    pairs = rng.choice(((0,), (1,), (0, 1), (0, 1)))
    links = [Link(pair, flag) for pair in pairs for flag in rng.choice(_FLAGS)]
    masks = {link: rng.choice((1, 2, 3, 3)) for link in links}
    sizes = {link: rng.choice(_SLOT_SIZES) for link in links}
    periods = {link: rng.choice((1, 1, 2, 4)) for link in links}
    bodies = _one_execution(rng, masks, nflags) if rng.random() < 0.5 else _core_by_core(rng, masks)
    chosen = rng.choice(tuple(Platform)) if platform is None else platform
    program = _program(chosen, masks, sizes, bodies, nflags)
    return replace(program, funcs=[_with_periods(func, periods) for func in program.funcs])


def _with_periods(func: Func, periods: Masks) -> Func:
    """The function whose inits have their sync_period, where the ring has so many slots."""
    body = [
        replace(node, sync_period=periods[func.link(node)]) if isinstance(node, Init) else node
        for node in func.body
    ]
    return replace(func, body=body)


def _cores(masks: Masks) -> list[Core]:
    return [core for core in CORES if _of(core, masks)]


def _dir(core: Core, pushes: bool) -> Dir:
    return "C2V" if pushes == (core == "AIC") else "V2C"


def _active(mask: int, direction: Dir) -> bool:
    return bool(mask & (1 if direction == "C2V" else 2))


def _peer(core: Core, link: Link) -> tuple[int, int]:
    return link.pair if core == "AIC" else 0, link.flag


def _of(core: Core, masks: Masks) -> list[Link]:
    """The pipes of a core."""
    return [link for link in masks if core in ("AIC", f"AIV{link.pair}")]


def _chances(core: Core, masks: Masks) -> list[tuple[Link, bool]]:
    """What a core can do: a pipe, and whether it pushes there."""
    return [
        (link, pushes)
        for link in _of(core, masks)
        for pushes in (True, False)
        if _active(masks[link], _dir(core, pushes))
    ]


def _one_execution(rng: Rng, masks: Masks, nflags: int) -> dict[Core, list[Stmt]]:
    """Operations in an order in which they can happen, dealt out to their cores."""
    lists: dict[Core, list[Stmt]] = {core: [] for core in _cores(masks)}
    filled: dict[tuple[Link, Dir], int] = {}
    moves = rng.randrange(1, 25)
    while moves or any(filled.values()):
        core = rng.choice(list(lists))
        link, pushes = rng.choice(_chances(core, masks))
        pipe = link, _dir(core, pushes)
        room = nflags // 2 if masks[link] == 3 else nflags
        if pushes and moves and filled.get(pipe, 0) < room:
            lists[core].append(Push("out", *_peer(core, link)))
            filled[pipe] = filled.get(pipe, 0) + 1
            moves -= 1
        elif not pushes and filled.get(pipe, 0):
            lists[core] += _consume(rng, _peer(core, link))
            filled[pipe] -= 1
    times = rng.choice((1, 1, 2, 3))
    return {core: [Loop(times, body)] if times > 1 else body for core, body in lists.items()}


def _consume(rng: Rng, peer: tuple[int, int], between: Sequence[Stmt] = ()) -> list[Stmt]:
    tile = f"in{peer[0]}_{peer[1]}"
    uses = [Use(tile, rng.choice((0, 0, 1, 7, 40)))] if rng.random() < 0.7 else []
    return [Pop(tile, *peer), *between, *uses, Free(*peer)]


def _core_by_core(rng: Rng, masks: Masks) -> dict[Core, list[Stmt]]:
    return {core: _body(rng, core, masks, rng.randrange(2, 12), 2) for core in _cores(masks)}


def _body(rng: Rng, core: Core, masks: Masks, length: int, depth: int) -> list[Stmt]:
    body: list[Stmt] = []
    for _ in range(length):
        dice = rng.random() if depth else 1.0
        if dice < 0.15:
            inner = _body(rng, core, masks, rng.randrange(1, 4), depth - 1)
            body.append(Loop(rng.randrange(6), inner))
        elif dice < 0.25:
            arms = [_body(rng, core, masks, rng.randrange(3), depth - 1) for _ in range(2)]
            decisions = [rng.random() < 0.5 for _ in range(rng.randrange(1, 4))]
            body.append(If(arms[0], arms[1], decisions))
        else:
            link, pushes = rng.choice(_chances(core, masks))
            out = Push("out", *_peer(core, link))
            if pushes:
                body += [out] * rng.choice((1, 1, 2, 5))
            else:
                held = [out] if rng.random() < 0.2 and (link, True) in _chances(core, masks) else []
                body += _consume(rng, _peer(core, link), held)
    return body


def _program(
    platform: Platform, masks: Masks, sizes: Masks, bodies: dict[Core, list[Stmt]], nflags: int
) -> Program:
    gm = {f"gm{k}": (0x1000 + 0x8000 * k, nflags * sizes[link]) for k, link in enumerate(masks)}
    funcs = [_func(platform, core, masks, sizes, body, nflags) for core, body in bodies.items()]
    return Program(platform, funcs, {} if platform == A5 else gm, nflags=nflags)


def _func(
    platform: Platform, core: Core, masks: Masks, sizes: Masks, body: list[Stmt], nflags: int
) -> Func:
    inits: list[Stmt] = []
    reserves: list[ReserveBuffer] = []
    imports: list[ImportPeerBuffer] = []
    for link in _of(core, masks):
        mask, size, number = masks[link], sizes[link], list(masks).index(link)
        peer, flag = _peer(core, link)
        names = {d: f"{d.lower()}_{number}" for d in ("C2V", "V2C") if _active(mask, d)}
        if platform != A5:
            inits.append(Init(mask, size, GmRef(f"gm{number}"), peer=peer, flag=flag))
            continue
        buffers = names.get("C2V", 0), names.get("V2C", 0)
        inits.append(Init(mask, size, None, *buffers, peer=peer, flag=flag))
        for direction, name in names.items():
            if (direction == "V2C") == (core == "AIC"):
                slots = nflags // 2 if mask == 3 else nflags
                reserves.append(ReserveBuffer(name, slots * size))
            else:
                imports.append(
                    ImportPeerBuffer(name, f"aiv{link.pair}" if core == "AIC" else "aic")
                )
    return Func(core.lower(), core, [*inits, *body], (), reserves, imports)
