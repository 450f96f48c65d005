# SPDX-License-Identifier: Apache-2.0
"""Makes the commands of the three cores of a program: what the hardware is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tilepath.engine.text import Where
from tilepath.isa import constants
from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.report import Report

MAX_OPERATIONS: Final = 1 << 20
"""Most operations and uses that a program may make, loops unrolled."""


class PipeOp(IntEnum):
    """The operation of a command."""

    INIT = constants.PIPE_OP_INIT
    TPUSH = constants.PIPE_OP_TPUSH
    TPOP = constants.PIPE_OP_TPOP
    TFREE = constants.PIPE_OP_TFREE


_OPS: Final = {P.Init: PipeOp.INIT, P.Push: PipeOp.TPUSH, P.Pop: PipeOp.TPOP, P.Free: PipeOp.TFREE}


@dataclass(frozen=True)
class Command:
    """A command of a core's interface, as wide as its fields there; what does not count is 0.

    ``gap`` is for how many cycles the core computes before it presents the command.
    """

    op: PipeOp
    peer: int
    text: str
    where: Where
    gap: int = 0
    dir_mask: int = 0
    slot_size: int = 0
    gm_base: int = 0
    c2v_buf: int = 0
    v2c_buf: int = 0
    tile_addr: int = 0
    pipe: int = 0
    period: int = 0
    split: int = 0
    row: int = 0


def cost(body: Sequence[P.Stmt]) -> int:
    """Return at least as many operations and uses as a body makes, loops unrolled."""
    total = 0
    for node in body:
        if isinstance(node, P.Loop):
            total += max(0, node.n) * max(1, cost(node.body))
        elif isinstance(node, P.If):
            total += 1 + max(cost(node.then), cost(node.else_))
        else:
            total += 1
    return total


def execution(func: P.Func) -> Iterator[P.Op | P.Use]:
    """The operations and uses of a function in the order in which they happen."""
    turns: dict[int, int] = {}

    def run(body: Sequence[P.Stmt]) -> Iterator[P.Op | P.Use]:
        for node in body:
            if isinstance(node, P.Loop):
                for _ in range(node.n):
                    yield from run(node.body)
            elif isinstance(node, P.If):
                turn = turns.get(id(node), 0)
                turns[id(node)] = turn + 1
                taken = node.decisions[turn % len(node.decisions)]
                yield from run(node.then if taken else node.else_)
            else:
                yield node

    return run(func.body)


def lower(program: P.Program, report: Report) -> dict[P.Core, list[Command]]:
    """Core → its commands, loops unrolled; ``report`` is what ``check`` says of the program.

    A program with errors has commands too as long as its addresses are known: what deadlocks is
    to be seen on the hardware.

    Raises:
        TextError: an address that the report does not have, a mask that does not fit, or
            more than ``MAX_OPERATIONS``.
    """
    result: dict[P.Core, list[Command]] = {core: [] for core in P.CORES}
    for func in program.funcs:
        if cost(func.body) > MAX_OPERATIONS:
            raise func.where.error(f"more than {MAX_OPERATIONS} operations")
        gap, made = 0, dict[int, Command]()
        for node in execution(func):
            if isinstance(node, P.Use):
                gap += node.cycles
                continue
            if gap or id(node) not in made:
                command = _command(program, report, func, node, gap)
                if not gap:
                    made[id(node)] = command
            else:
                command = made[id(node)]
            result[func.core].append(command)
            gap = 0
    return result


def _command(program: P.Program, report: Report, func: P.Func, node: P.Op, gap: int) -> Command:
    def known(name: str) -> int:
        try:
            return report.resolved_bases[func.name, name]
        except KeyError:
            raise node.where.error(f"'{name}' of @{func.name} has no address") from None

    def buffer(arg: str | int) -> int:
        return arg if isinstance(arg, int) else 0 if program.platform == P.A2A3 else known(arg)

    text, pipe = P.OP_NAME[type(node)], node.flag // 2
    if isinstance(node, P.Init):
        buffers = buffer(node.c2v_buf), buffer(node.v2c_buf)
        period = node.sync_period.bit_length() - 1
        values = node.slot_size, program.gm_base(node), *buffers
        fits = node.sync_period in (1, 2, 4, 8) and 0 <= node.dir_mask < 256
        if not (fits and all(0 <= value < P.GM_BYTES for value in values)):
            raise node.where.error("a value does not fit into its field")
        return Command(
            PipeOp.INIT,
            node.peer,
            text,
            node.where,
            gap,
            node.dir_mask,
            *values,
            pipe=pipe,
            period=period,
            split=node.split,
            row=max(0, node.row.bit_length() - 1),
        )
    address = 0
    if isinstance(node, P.Push) or (isinstance(node, P.Pop) and program.platform == P.A2A3):
        address = known(f"%{node.tile}")
    text += "" if isinstance(node, P.Free) else f" %{node.tile}"
    return Command(_OPS[type(node)], node.peer, text, node.where, gap, tile_addr=address, pipe=pipe)
