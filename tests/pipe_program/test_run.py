# SPDX-License-Identifier: Apache-2.0
"""How programs end, whoever runs first; their commands; programs that cannot be."""

from __future__ import annotations

import random

import pytest

from tilepath.engine.text import TextError
from tilepath.models.pipe_program import Kpn, check, lower, parse, to_text
from tilepath.models.pipe_program import program as P
from tilepath.models.pipe_program.kahn import Network
from tilepath.sequences.flag_pipe.random_pipe_program import random_program

TAKE: tuple[P.Stmt, ...] = (P.Pop("in"), P.Free())


def test_a_core_behind_another_is_not_blamed() -> None:
    init = P.Init(1, 32, P.GmRef("gm"))
    inits: list[P.Stmt] = [P.Init(1, 32, P.GmRef("gm")), P.Init(1, 32, P.GmRef("gm", 256), peer=1)]
    cube = P.Func("c", "AIC", [*inits, P.Loop(9, [P.Push("out")]), P.Push("out", 1)])
    vectors = [
        P.Func("v0", "AIV0", [init]),
        P.Func("v1", "AIV1", [P.Init(1, 32, P.GmRef("gm", 256)), *TAKE]),
    ]
    report = check(P.Program(P.A2A3, [cube, *vectors], {"gm": (32, 512)}))
    assert report.kpn == Kpn.STARVED
    assert [diag.func for diag in report.errors] == ["c"]


def _end(program: P.Program, rng: random.Random | None) -> tuple[object, ...]:
    network = Network(program)
    network.run(rng.choice if rng else None)
    waits = {core: str(wait) for core, wait in network.blocked().items()}
    return waits, network.pushed, network.popped


def test_how_a_program_ends_does_not_depend_on_who_runs_when() -> None:
    ends = set()
    for seed in range(200):
        program = random_program(random.Random(seed))
        expected = _end(program, None)
        for turn in range(3):
            assert _end(program, random.Random(1000 * seed + turn)) == expected
        ends.add(check(program).kpn)
    assert ends == {Kpn.DONE, Kpn.DEADLOCK, Kpn.STARVED}


def test_random_programs_break_no_other_rule_and_are_read_back() -> None:
    for seed in range(200):
        program = random_program(random.Random(seed))
        report = check(program)
        assert {diag.code for diag in (*report.errors, *report.warnings)} <= {"C22", "C23"}
        assert parse(to_text(program)) == program
        assert program == random_program(random.Random(seed))
        commands = lower(program, report)
        assert 0 < max(map(len, commands.values())) < 1000


def test_commands() -> None:
    text = """platform a2a3
gm slots base=0x1000 size=4096
func @c on AIC {
  alloc %x size=64 base=0x40
  initialize_pipe BOTH slot_size=64 gm=slots+0x20 peer=1
  loop 2 {
    use %x 3
    if taken, not-taken {
      use %x 4
      tpush %x peer=1
    } else {
      tpop %x peer=1
    }
  }
  use %x 5
  tfree peer=1
  use %x 6
}
"""
    program = parse(text, "f")
    commands = lower(program, check(program))
    assert commands["AIV0"] == commands["AIV1"] == []
    found = [(c.op.name, c.peer, c.gap, c.tile_addr, c.text, str(c.where)) for c in commands["AIC"]]
    assert found == [
        ("INIT", 1, 0, 0, "initialize_pipe", "f:5:3"),
        ("TPUSH", 1, 7, 0x40, "tpush %x", "f:10:7"),
        ("TPOP", 1, 3, 0x40, "tpop %x", "f:12:7"),
        ("TFREE", 1, 5, 0, "tfree", "f:16:3"),
    ]
    first = commands["AIC"][0]
    assert (first.dir_mask, first.slot_size, first.gm_base) == (3, 64, 0x1020)


@pytest.mark.parametrize(
    ("funcs", "expected"),
    [
        ([P.Func("f", "AIV0", [P.Push("t", 1)])], "peer 1 on AIV0"),
        ([P.Func("f", "AIC", [P.Push("t", 2)])], "peer 2 on AIC"),
        ([P.Func("f", "AIC", [P.Init(1, 32, P.GmRef("g"))])], "there is no gm buffer 'g'"),
        ([P.Func("f", "AIC"), P.Func("g", "AIC")], "two functions on AIC"),
        ([P.Func("f", "AIC"), P.Func("f", "AIV0")], "two functions @f"),
    ],
)
def test_programs_that_cannot_be(funcs: list[P.Func], expected: str) -> None:
    with pytest.raises(TextError, match=expected):
        P.Program(P.A2A3, funcs)


@pytest.mark.parametrize("mask", [256, -1])
def test_what_does_not_fit_has_no_command(mask: int) -> None:
    program = P.Program(P.A2A3, [P.Func("f", "AIC", [P.Init(mask, 32)])])
    with pytest.raises(TextError, match="does not fit"):
        lower(program, check(program))
