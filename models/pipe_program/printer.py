# SPDX-License-Identifier: Apache-2.0
"""Writes a program of the flag pipe as text that the parser reads back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilepath.isa.boundary.flag_pipe import SPLITS
from tilepath.models.pipe_program import program as P

_INDENT: Final = "  "
_MASKS: Final = {**{bit: str(name) for name, bit in P.DIR_BIT.items()}, 3: "BOTH"}


def to_text(program: P.Program, bases: Mapping[tuple[str, str], int] | None = None) -> str:
    """The text of a program; addresses that the allocator has chosen stand in comments."""
    lines = [f"platform {program.platform.name.lower()}"]
    default = P.Program(P.A5, ())
    for name in ("nflags", "hold_max", "beat_bytes"):
        if getattr(program, name) != getattr(default, name):
            lines.append(f"{name} {getattr(program, name)}")
    if program.sram:
        lines.append("sram " + " ".join(f"{k}={v}" for k, v in program.sram.items()))
    for name, (base, size) in program.gm_bufs.items():
        lines.append(f"gm {name} base={base:#x} size={size}")
    for func in program.funcs:
        lines += ["", f"func @{func.name} on {func.core} {{"]
        lines += [_INDENT + line for line in _declarations(func, bases or {})]
        lines += [_INDENT + line for line in _body(func, func.body)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _declarations(func: P.Func, bases: Mapping[tuple[str, str], int]) -> Iterator[str]:
    def base(value: int | P.Auto, name: str) -> str:
        if not isinstance(value, P.Auto):
            return f"base={value:#x}"
        chosen = bases.get((func.name, name))
        return "base=auto" if chosen is None else f"base=auto  # {chosen:#x}"

    for reserve in func.reserves:
        text = f"reserve_buffer {reserve.name} size={reserve.size} "
        space = f"memory_space={reserve.memory_space} " if reserve.memory_space else ""
        yield text + space + base(reserve.base, reserve.name)
    for imported in func.imports:
        text = f"import_peer_buffer {imported.name} peer_func=@{imported.peer_func} "
        yield text + base(imported.base, imported.name)
    for alloc in func.allocs:
        yield f"alloc %{alloc.name} size={alloc.size} " + base(alloc.base, f"%{alloc.name}")


def _body(func: P.Func, body: Sequence[P.Stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, P.Loop):
            yield f"loop {node.n} {{"
            yield from (_INDENT + line for line in _body(func, node.body))
            yield "}"
        elif isinstance(node, P.If):
            decisions = ", ".join("taken" if taken else "not-taken" for taken in node.decisions)
            yield f"if {decisions} {{"
            yield from (_INDENT + line for line in _body(func, node.then))
            if node.else_:
                yield "} else {"
                yield from (_INDENT + line for line in _body(func, node.else_))
            yield "}"
        else:
            yield _leaf(func, node)


def _leaf(func: P.Func, node: P.Stmt) -> str:
    words = [P.OP_NAME[type(node)]]
    if isinstance(node, P.Init):
        words += [_MASKS.get(node.dir_mask, hex(node.dir_mask)), f"slot_size={node.slot_size}"]
        if node.gm:
            offset = f"+{node.gm.offset:#x}" if node.gm.offset else ""
            words.append(f"gm={node.gm.buf}{offset}")
        if node.sync_period != 1:
            words.append(f"sync_period={node.sync_period}")
        if node.split:
            words.append(f"split={SPLITS[node.split]}" + f" row={node.row}" * (node.row > 0))
        for name, buffer in (("c2v_buf", node.c2v_buf), ("v2c_buf", node.v2c_buf)):
            if buffer != 0:
                words.append(f"{name}={buffer if isinstance(buffer, str) else hex(buffer)}")
    elif not isinstance(node, P.Free):
        words.append(f"%{getattr(node, 'tile', '')}")
    if cycles := getattr(node, "cycles", 0):
        words.append(str(cycles))
    halved = getattr(node, "flag", 0) in func.halved
    if func.core == "AIC" and hasattr(node, "peer") and not halved:
        words.append(f"peer={node.peer}")
    if flag := getattr(node, "flag", 0):
        words.append(f"flag={flag}")
    return " ".join(words)
