# SPDX-License-Identifier: Apache-2.0
"""What the parser makes of texts, and of what is no program: one line with its place."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from tilepath.engine.text import TextError
from tilepath.models.pipe_program import check, load, parse, to_text
from tilepath.models.pipe_program import program as P
from tilepath.tests.pipe_program.texts import BASES

PROGRAMS = Path(__file__).resolve().parents[2] / "sequences" / "flag_pipe" / "programs"

FULL = """# everything there is
platform a5
nflags 4
hold_max 2
beat_bytes 64
sram L1=0x10000, UB=4096
gm g base=0x100 size=256   # not used by A5

func @c on AIC {
  reserve_buffer r size=64, base=0x40, memory_space=L1
  import_peer_buffer i peer_func=@v base=auto
  alloc %t size=64
  initialize_pipe BOTH slot_size=64 gm=g+0x10 c2v_buf=i v2c_buf=0x40 peer=1
  loop 3 {
    if taken, not-taken {
      tpush %t peer=1
    } else {
      tpop %x.1 peer=1
      use %x.1 17
      tfree peer=1
    }
    if not-taken {
    }
  }
}
"""
EXPECTED = P.Program(
    P.A5,
    [
        P.Func(
            "c",
            "AIC",
            [
                P.Init(3, 64, P.GmRef("g", 0x10), "i", 0x40, 1),
                P.Loop(
                    3,
                    [
                        P.If([P.Push("t", 1)], [P.Pop("x.1", 1), P.Use("x.1", 17), P.Free(1)],
                             [True, False]),
                        P.If([], [], [False]),
                    ],
                ),
            ],
            [P.Alloc("t", P.AUTO, 64)],
            [P.ReserveBuffer("r", 64, 0x40, "L1")],
            [P.ImportPeerBuffer("i", "v")],
        )
    ],
    {"g": (0x100, 256)},
    {"L1": 0x10000, "UB": 4096},
    hold_max=2,
    nflags=4,
    beat_bytes=64,
)  # fmt: skip


def test_everything() -> None:
    assert parse(FULL) == EXPECTED
    assert parse(to_text(EXPECTED)) == EXPECTED
    places = [str(node.where) for node in parse(FULL, "f").funcs[0].nodes()]
    assert places == ["f:13:3", "f:16:7", "f:18:7", "f:19:7", "f:20:7"]


BROKEN = {  # what programs say wrongly, and end all the same
    "all_pipes": "C07 C25",
    "credits_differ": "C04 C07",
    "edges_gm": "C03 C04 C12 C16 C20 C24",
    "first_requests": "C20",
    "head_of_line": "C21",
    "hold_limit": "C20",
    "relaunch_without_clear": "C03 C07",
    "set_against_wait": "C04 C07 C21",
    "set_set": "C04 C07 C21",
}


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.pipe")), ids=lambda path: path.stem)
def test_programs_that_come_with_it(path: Path) -> None:
    program = load(path)
    report = check(program)
    ends = dict.fromkeys(("deadlock", "crossed", "mixed", "stands"), "DEADLOCK")
    ends |= {"starved": "STARVED"}
    ends |= {"set_set": "UNDECIDED", "set_against": "UNDECIDED"}
    kpn = next((end for part, end in ends.items() if part in path.stem), "DONE")
    if kpn == "DONE" or path.stem in BROKEN:
        assert " ".join(sorted({one.code for one in report.errors})) == BROKEN.get(path.stem, "")
    assert (report.kpn, report.verdict) == (kpn, "ERROR" if report.errors else "OK")
    assert not report.warnings or path.stem == "edges_gm"
    assert parse(to_text(program, report.resolved_bases)) == program


def in_func(line: str, core: str = "AIC") -> str:
    return f"func @f on {core} {{\n{line}\n}}\n"


REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())
BAD: dict[str, str] = {
    **REFUSED["texts"],
    **{in_func(line): says for line, says in REFUSED["in_a_function"].items()},
    in_func("tpush %x peer=0", "AIV0"): "2:10: 'peer' is not one of flag",
    in_func("use %x\n" * 20001): "20002:1: more than 20000 statements",
    in_func("alloc %x size=1\n" * 1001): "1002:1: more than 1000 declarations",
    in_func("loop 1 {\n" * 21 + "}\n" * 21): "22:1: more than 21 blocks in one another",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_text(text: str) -> None:
    with pytest.raises(TextError) as caught:
        parse(text, "f")
    assert str(caught.value) == f"f:{BAD[text]}"


def test_damaged_programs_give_one_line(tmp_path: Path) -> None:
    """Characters changed, lines lost or doubled, text cut: a program, or one clear line."""
    path = tmp_path / "x.pipe"
    for seed in range(500):
        rng = random.Random(seed)
        text = bytearray(rng.choice([FULL, *BASES.values()]), "ascii")
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text))
            if rng.random() < 0.5:
                text[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
            else:
                text[at : at + rng.randrange(60)] = b""
        path.write_bytes(bytes(text))
        try:
            check(load(path))
        except TextError as error:
            assert str(error).startswith(f"{path}:")
            assert len(str(error).splitlines()) == 1


def test_the_largest_programs_are_checked_in_bounded_time() -> None:
    """Nothing here waits for the square of a size: what is too much is undecided."""
    pops = "".join(f"tpop %t{k}\nuse %t{k}\ntfree\n" for k in range(1500))
    errors = check(parse(in_func(f"initialize_pipe V2C slot_size=32\n{pops}"))).errors
    assert "use of tiles undecided: too many tiles" in [diag.msg for diag in errors]
    reserves = "".join(f"reserve_buffer r{k} size=32\n" for k in range(300))
    assert check(parse(in_func(reserves))).verdict == "OK"
