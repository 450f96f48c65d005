# SPDX-License-Identifier: Apache-2.0
"""Draws programs of the flag pipe that break no rule but those about how a program ends.

Half of them are cut out of an execution that ends, one list of operations a core; the others are
drawn core by core, so that many of them deadlock or starve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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


class Masks(dict[Link, int]):
    """Pipe → direction mask, or something else that is a number.

    ``halves``: how tiles are halved (T37), and the bytes of a row; such a pipe is that of pair 0.
    """

    def __init__(self, values: Iterable[tuple[Link, int]] = ()) -> None:
        super().__init__(values)
        self.halves: dict[Link, tuple[int, int]] = {}


def random_program(rng: Rng, platform: Platform | None = None, nflags: int = 8) -> Program:
    """A program for one vector or both, of up to about 100 operations a core.

    ``check`` finds nothing but C22 and C23 in it.
    """
    pairs = rng.choice(((0,), (1,), (0, 1), (0, 1)))
    links, halves = [Link(pair, flag) for pair in pairs for flag in rng.choice(_FLAGS)], 0
    if len(pairs) == 2 and rng.random() < 0.5:  # the first pipes in halves, others plain
        flags = rng.choice(_FLAGS)
        halves = rng.randrange(1, 1 + len(flags))
        links = [Link(0, flag) for flag in flags[:halves]]
        links += [Link(pair, flag) for pair in pairs for flag in flags[halves:]]
    masks = Masks((link, rng.choice((1, 2, 3, 3))) for link in links)
    sizes = {link: rng.choice(_SLOT_SIZES) for link in links}
    periods = {link: rng.choice((1, 1, 2, 4)) for link in links}
    for link in links[:halves]:
        row = rng.choice((0, 64, 128))
        masks.halves[link] = 1 + (row > 0), row
        sizes[link] = rng.choice((128, 256))
    bodies = _one_execution(rng, masks, nflags) if rng.random() < 0.5 else _core_by_core(rng, masks)
    chosen = rng.choice(tuple(Platform)) if platform is None else platform
    program = _program(chosen, masks, sizes, bodies, nflags)
    return replace(program, funcs=[_with_periods(func, masks, periods) for func in program.funcs])


def _with_periods(func: Func, masks: Masks, periods: Mapping[Link, int]) -> Func:
    """The function whose inits have their sync_period, and how tiles are halved."""
    body: list[Stmt] = []
    for node in func.body:
        if isinstance(node, Init):
            link = Link(0, node.flag)
            split, row = masks.halves.get(link, (0, 0))
            link = link if split else func.link(node)
            node = replace(node, sync_period=periods[link], split=split, row=row)
        body.append(node)
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
    return [link for link in masks if core in ("AIC", f"AIV{link.pair}") or link in masks.halves]


def _vectors(core: Core, link: Link, masks: Masks) -> Sequence[int]:
    """Whose flags an operation of a core waits for and SETs."""
    if core != "AIC":
        return (int(core[-1]),)
    return (0, 1) if link in masks.halves else (link.pair,)


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
    filled = Counter[tuple[Link, Dir, int]]()
    moves = rng.randrange(1, 25)
    while moves or any(filled.values()):
        core = rng.choice(list(lists))
        link, pushes = rng.choice(_chances(core, masks))
        way = _dir(core, pushes)
        pipes = [(link, way, vector) for vector in _vectors(core, link, masks)]
        room = nflags // 2 if masks[link] == 3 else nflags
        found = [filled[pipe] for pipe in pipes]
        # the other half is there
        behind = core != "AIC" and filled[link, way, 1 - pipes[0][2]] > found[0]
        if pushes and (moves or behind) and max(found) < room:
            lists[core].append(Push("out", *_peer(core, link)))
            filled.update(pipes)
            moves -= moves > 0
        elif not pushes and min(found):
            lists[core] += _consume(rng, _peer(core, link))
            filled.subtract(pipes)
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
    platform: Platform,
    masks: Masks,
    sizes: Mapping[Link, int],
    bodies: dict[Core, list[Stmt]],
    nflags: int,
) -> Program:
    gm = {f"gm{k}": (0x1000 + 0x8000 * k, nflags * sizes[link]) for k, link in enumerate(masks)}
    funcs = [_func(platform, core, masks, sizes, body, nflags) for core, body in bodies.items()]
    return Program(platform, funcs, {} if platform == A5 else gm, nflags=nflags)


def _func(
    platform: Platform,
    core: Core,
    masks: Masks,
    sizes: Mapping[Link, int],
    body: list[Stmt],
    nflags: int,
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
        if link in masks.halves and core == "AIV1" and "C2V" in names:
            names["C2V"] += "b"
        buffers = names.get("C2V", 0), names.get("V2C", 0)
        inits.append(Init(mask, size, None, *buffers, peer=peer, flag=flag))
        for direction, name in names.items():
            if (direction == "V2C") == (core == "AIC"):
                slots = nflags // 2 if mask == 3 else nflags
                reserves.append(ReserveBuffer(name, slots * size))
            elif core != "AIC":
                imports.append(ImportPeerBuffer(name, "aic"))
            else:
                for vector, end in zip(_vectors(core, link, masks), ("", "b"), strict=False):
                    imports.append(ImportPeerBuffer(name + end, f"aiv{vector}"))
    return Func(core.lower(), core, [*inits, *body], (), reserves, imports)
