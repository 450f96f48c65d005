# SPDX-License-Identifier: Apache-2.0
"""What each ring lies in: rules C07 to C09, C11, C16 to C19."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.regions import Bases, import_target, overlap
from tilepath.models.pipe_program.report import Findings

Buffer = P.ReserveBuffer | P.ImportPeerBuffer
Rings = Mapping[tuple[str, P.Link, P.Dir], Buffer]


def check_names(program: P.Program, bases: Bases, found: Findings) -> None:
    """C08 and C11: names, and what imports lead to. A2A3 knows neither reserves nor imports."""
    for func in program.funcs:
        seen: dict[str, P.Node] = {}
        declared: list[P.Alloc | Buffer] = [*func.allocs, *func.reserves, *func.imports]
        for named in declared:
            if named.name in seen:
                message = f"'{named.name}' declared twice"
                found.error("C08", func, named, message, seen[named.name])
            seen.setdefault(named.name, named)
        if program.platform == P.A2A3:
            continue
        for node in func.imports:
            target = import_target(program, node)
            here = bases.get((func.name, node.name))
            if target is None:
                message = f"import '{node.name}': no reserve_buffer in @{node.peer_func}"
                found.error("C08", func, node, message)
                continue
            if (target[0].core == "AIC") == (func.core == "AIC"):
                message = f"import '{node.name}': @{node.peer_func} is not the buddy core"
                found.error("C08", func, node, message)
            there = bases.get((target[0].name, node.name))
            if not isinstance(node.base, P.Auto) and there is not None and here != there:
                message = f"import '{node.name}' base {here:#x} != {there:#x}"
                found.error("C11", func, node, message, target[1])


def check_rings(program: P.Program, bases: Bases, found: Findings) -> None:
    """C07, C09 and C19 on A5, C16 and C18 on A2A3, C17 on either."""
    if program.platform == P.A2A3:
        _check_gm(program, found)
    else:
        rings = _rings(program, bases, found)
        _check_sizes(program, rings, found)
        _check_shared(program, rings, found)
    _warn(program, found)


def _rings(program: P.Program, bases: Bases, found: Findings) -> Rings:
    """(function, pipe, direction) → the reserve or import of that ring (C07)."""
    rings: dict[tuple[str, P.Link, P.Dir], Buffer] = {}
    for func in program.funcs:
        for link, init in func.inits().items():
            for direction in init.dirs():
                buffer = _ring(program, func, link.pair, init, direction, bases, found)
                if buffer:
                    rings[func.name, link, direction] = buffer
    return rings


def _ring(
    program: P.Program,
    func: P.Func,
    pair: int,
    init: P.Init,
    direction: P.Dir,
    bases: Bases,
    found: Findings,
) -> Buffer | None:
    buddy = program.buddy(func, pair)
    choice: list[Buffer] = [
        node for node in func.imports if buddy is None or node.peer_func == buddy.name
    ]
    what = "import_peer_buffer"
    if func.consumes(direction):
        choice, what = list(func.reserves), "reserve_buffer"
    arg = init.buf(direction)
    if init.split and isinstance(arg, str):  # of both vectors one is named
        arg = bases.get((func.name, arg), arg)
    for node in choice:
        if arg in (node.name, bases.get((func.name, node.name))):
            return node
    known = {node.name for node in func.reserves} | {node.name for node in func.imports}
    if not choice or (isinstance(arg, str) and arg not in known):
        found.error("C07", func, init, f"{direction}: missing {what}")
    else:
        found.error("C07", func, init, f"{direction}: init argument is not the resolved base")
    return None


def _check_sizes(program: P.Program, rings: Rings, found: Findings) -> None:
    for func in program.funcs:
        for link, init in func.inits().items():
            needed = program.slot_num(init) * init.slot_size
            for direction in init.dirs():
                node = rings.get((func.name, link, direction))
                if isinstance(node, P.ReserveBuffer) and node.size != needed:
                    message = f"reserve '{node.name}' size {node.size}, ring needs {needed}"
                    found.error("C09", func, node, message, init)


def _check_shared(program: P.Program, rings: Rings, found: Findings) -> None:
    """C19. A vector's rings have one producer; those of the cube may have two."""
    for func in program.funcs:
        inits = func.inits()
        for (one, first), (two, second) in combinations(inits.items(), 2):
            if first is second:
                continue
            for direction in P.DIRS:
                ring = rings.get((func.name, one, direction))
                if not isinstance(ring, P.ReserveBuffer):
                    continue
                if ring is rings.get((func.name, two, direction)):
                    who = "producers" if one.pair != two.pair else "pipes"
                    message = f"{direction} ring '{ring.name}' shared by two {who}"
                    found.error("C19", func, second, message, first)


def _check_gm(program: P.Program, found: Findings) -> None:
    for func in program.funcs:
        for init in func.inits().values():
            base, needed = program.gm_base(init), program.nflags * init.slot_size
            size = 0
            if init.gm and base:
                size = max(0, program.gm_bufs[init.gm.buf][1] - init.gm.offset)
            if size < needed:
                message = f"GM_SLOT_BUFFER {size} B < {needed} B"
                found.error("C16", func, init, message)
            elif base + needed > P.GM_BYTES:
                message = f"GM_SLOT_BUFFER [{base:#x},{base + needed:#x}) exceeds GM ({P.GM_BYTES})"
                found.error("C16", func, init, message)
            if base % program.beat_bytes:
                message = f"GM_SLOT_BUFFER {base:#x} is not aligned to {program.beat_bytes}"
                found.error("C16", func, init, message)
    cube = program.on("AIC")
    for (one, first), (two, second) in combinations(cube.inits().items() if cube else (), 2):
        if cube and first.gm and second.gm and first is not second:
            spans = [
                (base, base + program.nflags * init.slot_size)
                for init in (first, second)
                for base in (program.gm_base(init),)
            ]
            if overlap(*spans):
                names = (str(link).replace("pair ", "AIV") for link in (one, two))
                message = f"GM rings of {' and '.join(names)} overlap"
                found.error("C18", cube, second, message, first)


def _warn(program: P.Program, found: Findings) -> None:
    imported = {(node.peer_func, node.name) for func in program.funcs for node in func.imports}
    for func in program.funcs:
        if program.platform == P.A2A3:
            for kind, nodes in (("reserve", func.reserves), ("import", func.imports)):
                for node in nodes:
                    found.warn("C17", func, node, f"{kind} '{node.name}' ignored on A2A3")
            continue
        for init in func.inits().values():
            if init.gm:
                found.warn("C17", func, init, "GM_SLOT_BUFFER ignored on A5")
        for reserve in func.reserves:
            if (func.name, reserve.name) not in imported:
                found.warn("C17", func, reserve, f"reserve '{reserve.name}' never imported")
