# SPDX-License-Identifier: Apache-2.0
"""The checker of programs of the flag pipe: all rules, C01 to C26.

``docs/pipe-programs.md`` lists them.
"""

from __future__ import annotations

from itertools import permutations

from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.buffers import check_names, check_rings
from tilepath.models.pipe_program.kahn import check_run
from tilepath.models.pipe_program.paths import check_paths
from tilepath.models.pipe_program.regions import Bases, check_regions, resolve
from tilepath.models.pipe_program.report import Findings, Report, in_order


def check(program: P.Program) -> Report:
    """Check every rule; what is found is in the order of the text."""
    found = Findings()
    bases = resolve(program, found)
    for func in program.funcs:
        _check_values(program, func, found)
        _check_directions(func, found)
    _check_pairs(program, bases, found)
    check_names(program, bases, found)
    check_rings(program, bases, found)
    check_regions(program, bases, found)
    check_paths(program, found)
    kpn = check_run(program, found)
    return Report(bases, in_order(found.errors), in_order(found.warnings), kpn)


def _check_values(program: P.Program, func: P.Func, found: Findings) -> None:
    """C01, C02 and C26."""
    beat = program.beat_bytes
    for node in func.nodes():
        if not isinstance(node, P.Init):
            continue
        if not node.dirs():
            mask = f"dir_mask {node.dir_mask:#x} invalid"
            message = f"{mask} (1=C2V,2=V2C,3=both; enum 0/1 is not a mask)"
            found.error("C01", func, node, message)
        if node.sync_period not in program.periods(node):
            choice = ", ".join(map(str, program.periods(node)))
            message = f"sync_period {node.sync_period} is not one of {choice}"
            found.error("C26", func, node, message)
        if node.slot_size <= 0 or node.slot_size % beat:
            message = f"slot_size {node.slot_size} must be a positive multiple of {beat}"
            found.error("C02", func, node, message)


def _check_directions(func: P.Func, found: Findings) -> None:
    """C06; where there is no usable Init, other rules say so."""
    inits = func.inits()
    for node in func.nodes():
        if isinstance(node, (P.Use, P.Init)):
            continue
        init, direction = inits.get(func.link(node)), func.direction(node)
        if init and init.dirs() and direction not in init.dirs():
            message = f"{P.OP_NAME[type(node)]} on {func.core}: {direction} not in dir_mask"
            found.error("C06", func, node, message, init)


def _check_pairs(program: P.Program, bases: Bases, found: Findings) -> None:
    """C04 at the vector's Init, C05; C25."""
    for func in program.funcs:
        _check_flags(func, found)
        for link, init in func.inits().items():
            buddy = program.buddy(func, link.pair)
            other = buddy.inits().get(link) if buddy else None
            if buddy is None or other is None:
                found.error("C05", func, init, f"{link}: no peer initialize_pipe")
            elif func.core != "AIC":
                vector = _config(program, func, init, bases)
                for field, value in _config(program, buddy, other, bases).items():
                    if vector.get(field, value) != value:
                        what = f"{field} differs: {value} vs {vector[field]}"
                        found.error("C04", func, init, f"{link}: {what}", other)


def _check_flags(func: P.Func, found: Findings) -> None:
    """C25: a pipe has two flags, one of both directions four."""
    for (one, first), (two, second) in permutations(func.inits().items(), 2):
        if len(first.dirs()) == 2 and two == (one.pair, one.flag + 2):
            message = f"{one}: with both directions it has flags {one.flag} to {one.flag + 3}"
            found.error("C25", func, second, f"{message}, which {two} has as well", first)


def _config(program: P.Program, func: P.Func, init: P.Init, bases: Bases) -> dict[str, str]:
    """What must be the same on both sides: field → value, as far as it is known."""
    fields = {"dir_mask": str(init.dir_mask), "slot_size": str(init.slot_size)}
    fields["sync_period"] = str(init.sync_period)
    if program.platform == P.A2A3:
        return fields | {"gm_base": f"{program.gm_base(init):#x}"}
    for direction in init.dirs():
        arg = init.buf(direction)
        base = bases.get((func.name, arg)) if isinstance(arg, str) else arg
        if base is not None:
            fields[f"{direction.lower()}_buf"] = f"{base:#x}"
    return fields
