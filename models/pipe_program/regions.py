# SPDX-License-Identifier: Apache-2.0
"""An allocator for ``auto`` says where all lies in the SRAM; C10, C12 to C15 and C24."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.report import Findings

Region = P.Alloc | P.ReserveBuffer
Bases = dict[tuple[str, str], int]
Span = tuple[int, int]
_NOTHING: Final[Span] = (0, 0)


def overlap(a: Span, b: Span) -> bool:
    """Whether two spans ``[begin, end)`` have a byte in common."""
    return max(a[0], b[0]) < min(a[1], b[1])


def first_fit(size: int, taken: Iterable[Span], capacity: int, alignment: int) -> int | None:
    """The lowest aligned address of ``size`` bytes outside of ``taken``; None if there is none."""
    at = 0
    for begin, end in sorted(taken):
        if begin < end and at + size > begin:
            at = max(at, -(-end // alignment) * alignment)
    return at if at + size <= capacity else None


def transfers(program: P.Program, func: P.Func) -> Iterator[tuple[P.Push | P.Pop, int]]:
    """What moves between a tile of ``func`` and a ring, with its bytes; 0 if nobody says."""
    inits = func.inits()
    for node in func.nodes():
        if isinstance(node, P.Push) or (isinstance(node, P.Pop) and program.platform != P.A5):
            init = inits.get(func.link(node))
            yield node, func.tile_bytes(init) if init else 0


def bound_tiles(program: P.Program, func: P.Func) -> set[str]:
    """Tiles that name a slot of a ring, since a pop copies nothing on A5."""
    pops = {node.tile for node in func.nodes() if isinstance(node, P.Pop)}
    return pops if program.platform == P.A5 else set()


def resolve(program: P.Program, found: Findings) -> Bases:
    """(function, name) → address of every reserve, import and tile (``%name``) that has one.

    First what has a literal base, then ``auto`` reserves in the order of their declaration, then
    tiles; each at the lowest address that fits (C15 where none does).
    """
    bases: Bases = {}
    for func in program.funcs:
        _resolve_func(program, func, bases, found)
    funcs = {func.name: func for func in program.funcs}
    for func in program.funcs:
        for node in func.imports:
            target = bases.get((node.peer_func, node.name))
            here = node.base if not isinstance(node.base, P.Auto) else target
            if here is not None and program.platform == P.A5 and node.peer_func in funcs:
                bases[func.name, node.name] = here
    return bases


def _resolve_func(program: P.Program, func: P.Func, bases: Bases, found: Findings) -> None:
    regions: list[Region] = [*program.reserves(func), *func.allocs, *_implied(program, func)]
    taken: list[Span] = []
    for region in regions:
        if not isinstance(region.base, P.Auto):
            bases[key(func, region)] = region.base
            taken.append((region.base, region.base + region.size))
    capacity = program.capacity(func.memory_space)
    for region in regions:
        if isinstance(region.base, P.Auto):
            base = first_fit(region.size, taken, capacity, program.beat_bytes)
            if base is None:
                message = f"no hole of {region.size} B in {func.memory_space}"
                found.error("C15", func, region, message)
            else:
                bases[key(func, region)] = base
                taken.append((base, base + region.size))


def _implied(program: P.Program, func: P.Func) -> Iterator[P.Alloc]:
    """Tiles that move and have no alloc: as big as the biggest slot that they fill."""
    named = {alloc.name for alloc in func.allocs} | bound_tiles(program, func)
    sizes: dict[str, int] = {}
    places: dict[str, P.Push | P.Pop] = {}
    for node, size in transfers(program, func):
        if node.tile not in named and size:
            sizes[node.tile] = max(size, sizes.get(node.tile, 0))
            places.setdefault(node.tile, node)
    for tile, size in sizes.items():
        yield P.Alloc(tile, P.Auto.AUTO, size, where=places[tile].where)


def check_regions(program: P.Program, bases: Bases, found: Findings) -> None:
    """C10, C12 to C14 of reserves and allocs, C24 of what moves."""
    for func in program.funcs:
        for reserve in program.reserves(func):
            if reserve.memory_space not in (None, func.memory_space):
                message = f"reserve '{reserve.name}': {reserve.memory_space} on {func.core}"
                found.error("C10", func, reserve, message)
        _check_layout(program, func, bases, found)
        _check_tiles(program, func, bases, found)


def key(func: P.Func, region: Region) -> tuple[str, str]:
    """The key of a region's address: a tile's name has a ``%`` there."""
    return func.name, f"%{region.name}" if isinstance(region, P.Alloc) else region.name


def span(func: P.Func, region: Region, bases: Bases) -> Span:
    """Return where a region lies; nothing if it could not be placed."""
    base = bases.get(key(func, region))
    return _NOTHING if base is None else (base, base + region.size)


def _check_layout(program: P.Program, func: P.Func, bases: Bases, found: Findings) -> None:
    reserves = program.reserves(func)
    space = func.memory_space
    capacity = program.capacity(space)
    moved = {node.tile for node, _ in transfers(program, func)}
    regions: list[Region] = [*reserves, *func.allocs]
    for region in regions:
        begin, end = span(func, region, bases)
        kind = "reserve" if isinstance(region, P.ReserveBuffer) else "alloc"
        where = f"{kind} '{region.name}' [{begin:#x},{end:#x})"
        if end > capacity:
            found.error("C12", func, region, f"{where} exceeds {space} ({capacity})")
        if begin % program.beat_bytes and (kind == "reserve" or region.name in moved):
            message = f"{where} is not aligned to {program.beat_bytes}"
            found.error("C12", func, region, message)
    for a, b in combinations(reserves, 2):
        if overlap(span(func, a, bases), span(func, b, bases)):
            found.error("C13", func, b, f"reserve '{b.name}' overlaps '{a.name}'", a)
    for alloc in func.allocs:
        for reserve in reserves:
            if overlap(span(func, alloc, bases), span(func, reserve, bases)):
                message = f"'{alloc.name}' allocated inside reserved '{reserve.name}'"
                found.error("C14", func, alloc, message, reserve)


def _check_tiles(program: P.Program, func: P.Func, bases: Bases, found: Findings) -> None:
    """C24: what moves is as big as a slot, and is no part of a ring."""
    allocs = {alloc.name: alloc for alloc in func.allocs}
    views = bound_tiles(program, func)
    for node, size in transfers(program, func):
        alloc = allocs.get(node.tile)
        if alloc and alloc.size < size:
            what = "half a slot" if node.flag in func.halved and func.core != "AIC" else "a slot"
            message = f"tile '{node.tile}' has {alloc.size} B, {what} {size} B"
            found.error("C24", func, node, message, alloc)
        base = bases.get((func.name, f"%{node.tile}"))
        moved = _NOTHING if base is None else (base, base + size)
        rings = [r for r in program.reserves(func) if overlap(moved, span(func, r, bases))]
        if node.tile in views or rings:
            message = f"tile '{node.tile}' overlaps ring"
            found.error("C24", func, node, message, rings[0] if rings else None)


def import_target(
    program: P.Program, node: P.ImportPeerBuffer
) -> tuple[P.Func, P.ReserveBuffer] | None:
    """The reserve that an import names, and its function."""
    every = ((func, reserve) for func in program.funcs for reserve in func.reserves)
    wanted = node.peer_func, node.name
    return next((it for it in every if (it[0].name, it[1].name) == wanted), None)
