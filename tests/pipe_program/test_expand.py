# SPDX-License-Identifier: Apache-2.0
"""Where expansion puts tfrees and buffers, and what it says where it cannot."""

from __future__ import annotations

import random

import pytest

from tilepath.engine.text import TextError
from tilepath.models.pipe_program import Kpn, check, expand, parse, to_text
from tilepath.models.pipe_program import program as P
from tilepath.sequences.flag_pipe.random_pipe_program import random_program
from tilepath.sequences.flag_pipe.random_programs import bare
from tilepath.tests.pipe_program.texts import place

CUBE = """{head}platform {platform}
{gm}
func @cube on AIC {{
  initialize_pipe C2V slot_size=64 {arg}
  loop {pushes} {{
    tpush %out
  }}
}}
func @vector on AIV0 {{
  initialize_pipe C2V slot_size=64 {arg}
{body}}}
"""


def program(body: str, pushes: int = 1, platform: str = "a5", head: str = "") -> str:
    gm = "" if platform == "a5" else "gm slots base=0x100 size=512"
    arg = "" if platform == "a5" else "gm=slots"
    body = "".join(f"  {line}\n" for line in body.splitlines())
    return CUBE.format(body=body, pushes=pushes, platform=platform, gm=gm, arg=arg, head=head)


PLACED: dict[str, tuple[int, str]] = {
    "never used": (1, "tpop %a\n+\nuse %b"),
    "after the last use": (1, "tpop %a\nuse %a\nuse %b\nuse %a\n+\nuse %b"),
    "in both arms": (
        1,
        "tpop %a\nif taken {\n  use %a\n  +\n  use %b\n} else {\n  use %b\n  use %a\n  +\n}",
    ),
    "in one arm": (1, "tpop %a\nif taken {\n  use %a\n  +\n} else {\n  +\n  use %b\n}"),
    "no else": (1, "tpop %a\nif not-taken {\n  use %a\n  +\n} else {\n  +\n}"),
    "behind the if": (1, "tpop %a\nif taken {\n  use %a\n}\nuse %a\n+"),
    "before the if": (1, "tpop %a\nuse %a\n+\nif taken {\n  use %b\n}"),
    "nested ifs": (
        1,
        "tpop %a\nif taken {\n  if taken {\n    use %a\n    +\n  } else {\n    +\n  }\n  use %b\n"
        "} else {\n  +\n}",
    ),
    "in each turn": (3, "loop 3 {\n  tpop %a\n  use %a\n  +\n}"),
    "behind a loop of uses": (1, "tpop %a\nloop 4 {\n  use %a\n}\n+"),
    "before a loop of no turns": (1, "tpop %a\n+\nloop 0 {\n  use %a\n}"),
    "one after the other": (2, "tpop %a\nuse %a\n+\ntpop %a\nuse %a\n+"),
    "popped in both arms": (
        1,
        "if taken {\n  tpop %a\n} else {\n  use %b\n  tpop %a\n}\nuse %a\n+",
    ),
    "popped and used in an arm": (1, "if taken {\n  tpop %a\n  use %a\n  +\n}"),
    "arm of a loop": (
        2,
        "loop 2 {\n  tpop %a\n  if taken, not-taken {\n    use %a\n    +\n  } else {\n    +\n"
        "  }\n}",
    ),
}


@pytest.mark.parametrize("name", PLACED)
@pytest.mark.parametrize("platform", ["a5", "a2a3"])
def test_where_tfrees_go(name: str, platform: str) -> None:
    pushes, body = PLACED[name]
    bare = "\n".join(line for line in body.splitlines() if line.strip() != "+")
    bare = bare.replace(" else {\n}", "") if name == "no else" else bare
    expanded = expand(parse(program(bare, pushes, platform)))
    assert not expanded.errors
    assert expanded.program is not None
    wanted = parse(program(body.replace("+", "tfree"), pushes, platform)).funcs[1]
    assert [node for node in expanded.program.funcs[1].body if not isinstance(node, P.Init)] == [
        node for node in wanted.body if not isinstance(node, P.Init)
    ]
    assert check(parse(to_text(expanded.program))).verdict == "OK"


LOOP = "its last use is not in the same turn of the loop as its tpop"
ARM = "its last use is behind the if, and only one arm has its tpop"
SECOND = "a second tpop, while 1 held, before its last use"
REFUSED: dict[str, tuple[str, str, str, str]] = {
    "used behind the loop": ("loop 2 {\n  tpop %a\n}\nuse %a", "tpop %a", LOOP, "use %a"),
    "used behind a loop of one turn": ("loop 1 {\n  tpop %a\n}\nuse %a", "tpop %a", LOOP, "use %a"),
    "used in the next turn": (
        "tpop %a\nloop 2 {\n  use %a\n  tpop %a\n}",
        "tpop %a\n  }",
        LOOP,
        "use %a",
    ),
    "second pop": ("tpop %a\ntpop %b\nuse %a", "tpop %a", SECOND, "tpop %b"),
    "second pop in a loop": (
        "tpop %a\nloop 2 {\n  tpop %b\n  use %a\n}",
        "tpop %a",
        SECOND,
        "tpop %b",
    ),
    "one arm": ("if taken {\n  tpop %a\n}\nuse %a", "tpop %a", ARM, "use %a"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_safe_point(name: str) -> None:
    body, pop, why, other = REFUSED[name]
    text = program(body, 3)
    expanded = expand(parse(text))
    (diag,) = expanded.errors
    assert expanded.program is None
    assert diag.msg == f"'a': no safe point for tfree: {why}"
    assert (diag.where.line, diag.where.column) == place(text, pop)
    assert diag.also is not None
    assert (diag.also.line, diag.also.column) == place(text, other)


def test_several_held_slots_are_freed_oldest_first() -> None:
    body = "tpop %a\ntpop %b\nuse %b\nuse %a\nuse %b\ntpop %c"
    expanded = expand(parse(program(body, 3, head="hold_max 2\n")))
    assert expanded.program is not None
    kinds = [type(node) for node in expanded.program.funcs[1].body[1:]]
    assert kinds == [P.Pop, P.Pop, P.Use, P.Use, P.Free, P.Use, P.Free, P.Pop, P.Free]


def test_a_push_of_the_tile_is_a_use() -> None:
    init = P.Init(3, 32, P.GmRef("gm"))
    cube = P.Func("c", "AIC", [init, P.Push("o"), P.Pop("i")])
    vector = P.Func("v", "AIV0", [init, P.Pop("t"), P.Use("u"), P.Push("t"), P.Use("u")])
    expanded = expand(P.Program(P.A2A3, [cube, vector], {"gm": (32, 256)}))
    assert expanded.program is not None
    kinds = [type(node) for node in expanded.program.funcs[1].body]
    assert kinds == [P.Init, P.Pop, P.Use, P.Push, P.Free, P.Use]


def test_buffers_of_both_pairs() -> None:
    cube: list[P.Stmt] = [
        P.Init(3, 64),
        P.Init(2, 32, peer=1),
        P.Push("o"),
        P.Pop("i"),
        P.Pop("j", 1),
    ]
    vectors = [
        P.Func("v0", "AIV0", [P.Init(3, 64), P.Pop("i"), P.Push("o")]),
        P.Func("v1", "AIV1", [P.Init(2, 32), P.Push("o")]),
    ]
    expanded = expand(P.Program(P.A5, [P.Func("c", "AIC", cube), *vectors]))
    assert expanded.program is not None
    assert to_text(expanded.program).splitlines()[2:9] == [
        "func @c on AIC {",
        "  reserve_buffer v2c_slot_buffer_p0 size=256 base=auto",
        "  reserve_buffer v2c_slot_buffer_p1 size=256 base=auto",
        "  import_peer_buffer c2v_slot_buffer_p0 peer_func=@v0 base=auto",
        "  initialize_pipe BOTH slot_size=64 c2v_buf=c2v_slot_buffer_p0 "
        "v2c_buf=v2c_slot_buffer_p0 peer=0",
        "  initialize_pipe V2C slot_size=32 v2c_buf=v2c_slot_buffer_p1 peer=1",
        "  tpush %o peer=0",
    ]
    kinds = [type(node) for node in expanded.program.funcs[0].body]
    assert kinds == [P.Init, P.Init, P.Push, P.Pop, P.Free, P.Pop, P.Free]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("platform a5", "platform a5\nsram L1=32"), ("C15", "no hole of 64 B in L1")),
        (("C2V slot_size=64", "C2V slot_size=48"), ("C02", "slot_size 48 must be a")),
        (("loop 1 {", "loop 0 {"), ("C22", "STARVED: AIV0 waits for tile 0, producer finished")),
    ],
)
def test_what_cannot_pass_says_why(change: tuple[str, str], expected: tuple[str, str]) -> None:
    text = program("tpop %a\nuse %a").replace(*change)
    expanded = expand(parse(text))
    assert expanded.program is None
    assert {diag.code for diag in expanded.errors} == {expected[0]}
    assert expanded.errors[0].msg.startswith(expected[1])


def test_what_is_complete_is_refused() -> None:
    text = program("tpop %a\nuse %a\ntfree")
    with pytest.raises(TextError, match=r"^p:13:3: the program has buffers or tfrees"):
        expand(parse(text, "p"))


def test_random_programs_are_completed_again() -> None:
    """Without buffers and tfrees, a program that ends well becomes one that does, with as many."""
    done = 0
    for seed in range(300):
        whole = random_program(random.Random(seed))
        if check(whole).kpn != Kpn.DONE:
            continue
        done += 1
        expanded = expand(bare(whole))
        assert not expanded.errors
        assert expanded.program is not None
        assert check(parse(to_text(expanded.program))).errors == ()
        for func, again in zip(whole.funcs, expanded.program.funcs, strict=True):
            frees, frees2 = (
                sum(isinstance(node, P.Free) for node in P.leaves(body))
                for body in (func.body, again.body)
            )
            assert frees <= frees2
    assert done > 100
