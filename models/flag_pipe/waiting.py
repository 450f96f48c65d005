# SPDX-License-Identifier: Apache-2.0
"""A run that stands still is told by which core waits for which flag, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.flag_pipe import BANKS, CORES
from tilepath.models.flag_pipe.rules import NONE, Op
from tilepath.models.flag_pipe.timing import is_starved_of
from tilepath.models.flag_pipe.timing_state import State


def pipe_name(pair: int, pipe: int) -> str:
    """A pipe as programs name it: by its pair, and by its flag where that is not 0 (T34)."""
    return f"pair {int(pair)}" + (f" flag {2 * int(pipe)}" if pipe else "")


def blocked(core: int, plan: Record, missing: Sequence[int], index: str = "") -> str:
    """Say it as in ``AIC blocked at TPUSH#4 (pair 0 C2V full), waits for free flag vc0[3]``.

    A pipe but the first is named: ``(pair 0 flag 2 C2V full)``. Of a pipe of halves the vectors
    whose flag is ``missing``: ``(AIV0 and AIV1 flag 2 C2V full), waits for … vc0[3] and vc1[3]``.
    """
    pushes = plan.op == Op.TPUSH
    way = "C2V" if (core == 0) == pushes else "V2C"
    why, kind = ("full", "free") if pushes else ("empty", "ready")
    banks = [int(plan.wait_bank) % len(BANKS) + 2 * (pair - int(plan.pair)) for pair in missing]
    flag = " and ".join(f"{BANKS[bank]}[{int(plan.wait_flag)}]" for bank in banks)
    name = pipe_name(plan.pair, plan.pipe)
    if plan.pairs > 1:
        vectors = " and ".join(CORES[1 + pair] for pair in missing)
        name = name.replace(pipe_name(plan.pair, 0), vectors)
    at = f"{Op(int(plan.op)).name}{index} ({name} {way} {why})"
    return f"{CORES[core]} blocked at {at}, waits for {kind} flag {flag}"


def describe(timing: Record, offered: Sequence[bool], cycle: int) -> list[str]:
    """A line for each core that is not idle, or that is offered a command, as ``cycle`` begins."""
    lines = []
    for number, name in enumerate(CORES):
        core = timing.cores[number]
        state = State(int(core.state))
        if state == State.WAIT and core.plan.wait_flag != NONE:
            pairs = range(len(timing.pairs))
            missing = [pair for pair in pairs if is_starved_of(timing, number, pair)]
            lines.append(blocked(number, core.plan, missing))
        elif state != State.IDLE:
            done = f"{int(core.writes)} of {int(core.plan.beats)} beats written"
            op = Op(int(core.plan.op)).name if core.plan.op in tuple(Op) else "a reserved operation"
            lines.append(f"{name} in {state.name} of {op}, {done}")
        if number < len(offered) and offered[number]:
            lines.append(f"{name} is offered a command")
    return [f"cycle {cycle}: {line}" for line in lines]
