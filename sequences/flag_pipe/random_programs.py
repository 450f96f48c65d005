# SPDX-License-Identifier: Apache-2.0
"""Random programs of the checker's format on the hardware: it says before which of them end.

Those that end are played one after the other in one run, with a clear in between; of the others
one a run, because only a reset ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.stimulus.draw import Draw
from tilepath.models import pipe_program
from tilepath.sequences.flag_pipe.programs import add, walked
from tilepath.sequences.flag_pipe.random_pipe_program import T, random_program
from tilepath.sequences.flag_pipe.script import Script

PROGRAMS: Final = 80
"""In a run."""


class Dice(Draw):
    """Draws as the program generator wants it."""

    def random(self) -> float:
        """0 to 1."""
        return float(self.rng.random())

    def choice(self, seq: Sequence[T], /) -> T:
        """An element."""
        return self.one(seq)

    def randrange(self, start: int, stop: int | None = None, /) -> int:
        """As of ``range``."""
        low, high = (0, start) if stop is None else (start, stop)
        return self.between(low, high - 1)


def drawn(ctx: Context, ends: bool) -> Iterator[tuple[pipe_program.Program, pipe_program.Report]]:
    """Programs of the profile's platform and depth that end, or do not, as the checker says."""
    dice, setup = Dice(ctx.rng("programs")), Script(ctx.profile).setup
    platform = pipe_program.A2A3 if setup.a2a3 else pipe_program.A5
    while True:
        program = random_program(dice, platform, setup.nflags)
        report = pipe_program.check(program)
        if report.kpn in (("DONE",) if ends else ("DEADLOCK", "STARVED")):
            yield program, report


def bare(program: pipe_program.Program) -> pipe_program.Program:
    """Without buffers and tfrees."""

    def strip(body: Sequence[pipe_program.Stmt]) -> Iterator[pipe_program.Stmt]:
        for node in body:
            if isinstance(node, pipe_program.Loop):
                yield replace(node, body=tuple(strip(node.body)))
            elif isinstance(node, pipe_program.If):
                yield replace(node, then=tuple(strip(node.then)), else_=tuple(strip(node.else_)))
            elif isinstance(node, pipe_program.Init):
                yield replace(node, c2v_buf=0, v2c_buf=0)
            elif not isinstance(node, pipe_program.Free):
                yield node

    funcs = [
        replace(func, body=tuple(strip(func.body)), reserves=(), imports=())
        for func in program.funcs
    ]
    return replace(program, funcs=funcs)


def completed(ctx: Context) -> Iterator[tuple[pipe_program.Program, pipe_program.Report]]:
    """Programs as they come back from expansion, read from the text that it makes."""
    for program, _ in drawn(ctx, ends=True):
        expanded = pipe_program.expand(bare(program))
        if expanded.program is not None:
            text = pipe_program.to_text(expanded.program, expanded.report.resolved_bases)
            again = pipe_program.parse(text, "expanded")
            report = pipe_program.check(again)
            if report.errors:
                raise ValueError(f"what expansion made does not pass: {report.errors[0]}")
            yield again, report


def those_that_end(ctx: Context, expanded: bool = False) -> Stimulus:
    """``PROGRAMS`` programs, each from a cleared start; ``expanded``: see :func:`completed`."""
    script = Script(ctx.profile)
    programs = completed(ctx) if expanded else drawn(ctx, ends=True)
    for _ in range(PROGRAMS):
        program, report = next(programs)
        script.anew()
        add(script, program, pipe_program.lower(program, report))
    return {name: [made] for name, made in script.take().items()}


def one_that_hangs(ctx: Context) -> Mapping[str, Items]:
    """The items of one program that stands still."""
    script = Script(ctx.profile)
    program, report = next(drawn(ctx, ends=False))
    add(script, program, pipe_program.lower(program, report))
    return script.take()


def predicted(ctx: Context) -> tuple[str, ...]:
    """What is left of it; ``ValueError`` where checker and model without time do not agree."""
    verdict, left = walked(ctx.profile, one_that_hangs(ctx))
    if verdict == "DONE":
        raise ValueError("the checker says that it stands still, the model that it ends")
    return left


TESTS: Final[dict[str, TestSpec]] = {
    "programs": TestSpec(
        "programs",
        f"{PROGRAMS} random programs that end, as the checker says",
        "program",
        those_that_end,
        floor={"rsp": PROGRAMS},
    ),
    "programs_expanded": TestSpec(
        "programs_expanded",
        f"{PROGRAMS} random programs that have got their buffers and tfrees by expansion",
        "program",
        lambda ctx: those_that_end(ctx, expanded=True),
        floor={"rsp": PROGRAMS},
    ),
    "programs_hang": TestSpec(
        "programs_hang",
        "a random program that stands still, as the checker says",
        "program",
        lambda ctx: {name: [made] for name, made in one_that_hangs(ctx).items()},
        seeds=2,
        floor={"rsp": 2},
        stands=predicted,
    ),
}
