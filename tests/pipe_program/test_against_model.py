# SPDX-License-Identifier: Apache-2.0
"""The checker's verdict, and how far each core comes, against the block's model without time.

The two have nothing in common but the commands: here a program is interpreted, there the commands
that it becomes are.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from tilepath.engine.text import TextError
from tilepath.models import flag_pipe
from tilepath.models.pipe_program import Report, check, lower
from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.kahn import Network
from tilepath.models.pipe_program.lower import execution
from tilepath.sequences.flag_pipe.random_pipe_program import random_program


def _walk(program: P.Program, report: Report) -> tuple[str, dict[P.Core, int], int]:
    """The model's verdict, commands that it has answered by core, and with an error."""
    commands = lower(program, report)
    names = flag_pipe.Command._fields[1:9]
    lists = [
        [
            flag_pipe.Command(int(c.op), **{name: getattr(c, name) for name in names})
            for c in commands[core]
        ]
        for core in P.CORES
    ]
    pipe = flag_pipe.FlagPipe(f"baseline,platform={program.platform.name.lower()}")
    outcome = pipe.run(lists)
    answered = dict(zip(P.CORES, map(len, outcome.responses), strict=True))
    errors = sum(bool(rsp.err) for responses in outcome.responses for rsp in responses)
    return outcome.verdict, {core: answered[core] for core in P.CORES if answered[core]}, errors


def _interpret(program: P.Program) -> dict[P.Core, int]:
    """Operations that each core has done at the end."""
    network = Network(program)
    network.run()
    result: dict[P.Core, int] = {}
    for func in program.funcs:
        total = sum(isinstance(node, (P.Init, P.Push, P.Pop, P.Free)) for node in execution(func))
        result[func.core] = total - network.left(func.core)
    return {core: count for core, count in result.items() if count}


def test_a_thousand_programs() -> None:
    ends: Counter[str] = Counter()
    for seed in range(1000):
        program = random_program(random.Random(seed))
        report = check(program)
        assert _walk(program, report) == (report.kpn, _interpret(program), 0), seed
        ends[report.kpn] += 1
    assert min(ends["DONE"], ends["DEADLOCK"], ends["STARVED"]) > 150


def _damaged(rng: random.Random, func: P.Func) -> P.Func:
    """A function with operations left out, doubled and put in."""

    def damage(body: tuple[P.Stmt, ...]) -> list[P.Stmt]:
        result: list[P.Stmt] = []
        for node in body:
            if isinstance(node, P.Loop):
                node = P.Loop(node.n, damage(tuple(node.body)))
            elif isinstance(node, P.If):
                arms = damage(tuple(node.then)), damage(tuple(node.else_))
                node = P.If(*arms, node.decisions)
            result += [node] * rng.choices((0, 1, 2), (6, 90, 4))[0]
            if rng.random() < 0.04:
                plain = func.core == "AIC" and 0 not in func.halved
                peer = rng.randrange(2) if plain else 0
                result.append(rng.choice([P.Push("out", peer), P.Pop("more", peer), P.Free(peer)]))
        return result

    return replace(func, body=damage(tuple(func.body)))


def test_what_hardware_refuses_does_nothing_here_either() -> None:
    compared = refused = 0
    for seed in range(250):
        rng = random.Random(seed)
        program = random_program(rng)
        program = replace(program, funcs=[_damaged(rng, func) for func in program.funcs])
        report = check(program)
        try:
            verdict, answered, errors = _walk(program, report)
        except TextError:  # a tile without a size, since its pair has no init
            continue
        assert (verdict, answered) == (report.kpn, _interpret(program)), seed
        compared += 1
        refused += errors > 0
    assert compared > 170
    assert refused > 100
