# SPDX-License-Identifier: Apache-2.0
"""What the parser makes of texts, and of what is no program: one line with its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.pipe")), ids=lambda path: path.stem)
def test_programs_that_come_with_it(path: Path) -> None:
    program = load(path)
    report = check(program)
    wrong = {"deadlock": "DEADLOCK", "starved": "STARVED", "mixed": "DEADLOCK"}
    assert report.kpn == wrong.get(path.stem, "DONE")
    assert report.verdict == ("ERROR" if path.stem in wrong else "OK")
    assert not report.warnings
    assert parse(to_text(program, report.resolved_bases)) == program


def in_func(line: str, core: str = "AIC") -> str:
    return f"func @f on {core} {{\n{line}\n}}\n"


BAD = {
    "": "1:1: there is no function",
    "# only this": "1:1: there is no function",
    "platform a5\n": "2:1: there is no function",
    "platform a6": "1:10: 'a6' where a2a3 or a5 should be",
    "platform": "1:9: a2a3 or a5 is missing",
    "platform a5 a5": "1:13: 'a5' is too much",
    "platform a5\nplatform a5": "2:1: platform is given twice",
    "flatform a5": "1:1: 'flatform' where platform or nflags or hold_max or beat_bytes or sram or "
    "gm or func should be",
    "nflags 6": "1:8: nflags is 6: a power of 2 is wanted",
    "nflags 2": "1:8: nflags is 2: from 4 to 64",
    "hold_max 0": "1:10: hold_max is 0: from 1 to 64",
    "hold_max 99999999999999999999999": "1:10: '99999999999999999999999' is not a number "
    "(decimal or 0x)",
    "beat_bytes -4": "1:12: '-' is not a number (decimal or 0x)",
    "sram L1=524320\n" + in_func(""): "1:1: L1 has 524288 bytes",
    "platform a2a3\nsram UB=196640\n" + in_func(""): "2:1: UB has 196608 bytes",
    "sram L2=5": "1:6: 'L2' is not one of L1, UB",
    "gm g base=0": "1:12: size= is missing",
    "gm g base=0 base=0": "1:13: 'base' is given twice",
    "gm g size=0x100000000": "1:11: size is 0x100000000: from 0 to 4294967295",
    "gm null base=0 size=1": "1:4: there is already a gm buffer 'null'",
    "func f on AIC {": "1:6: 'f' is not a function (@name)",
    "func @f on AIV2 {": "1:12: 'AIV2' where AIC or AIV0 or AIV1 should be",
    "func @f on AIC": "1:15: { is missing",
    "func @f on AIC {": "1:16: this { has no }",
    "func @f on AIC {\n  loop 2 {\n}\n": "1:16: this { has no }",
    "func @f on AIC { }": "1:18: '}' is too much",
    in_func("") + "}": "4:1: '}' where platform or nflags or hold_max or beat_bytes or sram or gm "
    "or func should be",
    in_func("") + in_func(""): "4:6: there are two functions @f",
    in_func("") + in_func("").replace("@f", "@g"): "4:6: there are two functions on AIC",
    in_func("} else {"): "2:3: a function has no else",
    in_func("frobnicate"): "2:1: 'frobnicate' where alloc or reserve_buffer or import_peer_buffer "
    "or initialize_pipe or tpush or tpop or tfree or use or loop or if should be",
    in_func("tpush"): "2:6: a tile (%name) is missing",
    in_func("tpush x"): "2:7: 'x' is not a tile (%name)",
    in_func("tpush %"): "2:7: '%' is not a tile (%name)",
    in_func("tpush %x peer=2"): "2:15: peer is 2: from 0 to 1",
    in_func("tpush %x peer"): "2:14: = is missing",
    in_func("tpush %x peer=0", "AIV0"): "2:10: 'peer' is not one of (nothing)",
    in_func("use %x 1000001"): "2:8: cycles is 1000001: from 0 to 1000000",
    in_func("use %x 5 5"): "2:10: '5' is too much",
    in_func("tfree %x"): "2:7: '%x' is not one of peer",
    in_func("loop 5"): "2:7: { is missing",
    in_func("loop {"): "2:6: '{' is not a number (decimal or 0x)",
    in_func("loop 4294967296 {"): "2:6: the number of times is 4294967296: from 0 to 4294967295",
    in_func("loop 2 {\n} else {\n}"): "3:3: a loop has no else",
    in_func("if maybe {"): "2:4: 'maybe' where taken or not-taken should be",
    in_func("if taken {\n} else {\n} else {\n}"): "4:3: an if has one else",
    in_func("if taken {\nalloc %x size=4\n}"): "3:1: alloc belongs to the function, not into a "
    "loop or an if",
    in_func("alloc %x base=0"): "2:16: size= is missing",
    in_func("alloc %x size=0"): "2:15: size is 0: from 1 to 4294967295",
    in_func("reserve_buffer r size=1 memory_space=GM"): "2:38: 'GM' where L1 or UB should be",
    in_func("import_peer_buffer r peer_func=f"): "2:32: 'f' is not a function (@name)",
    in_func("initialize_pipe C2V"): "2:20: slot_size= is missing",
    in_func("initialize_pipe V2V slot_size=32"): "2:17: 'V2V' is not a number (decimal or 0x)",
    in_func("initialize_pipe 1 slot_size=32 gm=g"): "2:35: there is no gm buffer 'g'",
    in_func("initialize_pipe 1 slot_size=32 c2v_buf=%x"): "2:40: '%x' is not a buffer",
    in_func("tpop \u0663"): "2:6: '\u0663' is not a tile (%name)",
    in_func("use %x\n" * 20001): "20002:1: more than 20000 statements",
    in_func("alloc %x size=1\n" * 1001): "1002:1: more than 1000 declarations",
    in_func("loop 1 {\n" * 21 + "}\n" * 21): "22:8: more than 20 loops and ifs in one another",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_text(text: str) -> None:
    with pytest.raises(P.PipeProgramError) as caught:
        parse(text, "f")
    assert str(caught.value) == f"f:{BAD[text]}"


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.pipe"
    for data, expected in (
        (b"platform a5\n\x00\xff\xfe", f"{path}:2:2: this is not UTF-8 text"),
        (b"#" * ((4 << 20) + 1), f"{path}:0:0: longer than 4194304 bytes"),
    ):
        path.write_bytes(data)
        with pytest.raises(P.PipeProgramError) as caught:
            load(path)
        assert str(caught.value) == expected
    for missing in (tmp_path / "no.pipe", tmp_path):
        with pytest.raises(P.PipeProgramError, match="cannot be read"):
            load(missing)


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
        except P.PipeProgramError as error:
            assert str(error).startswith(f"{path}:")
            assert len(str(error).splitlines()) == 1


def test_the_largest_programs_are_checked_in_bounded_time() -> None:
    """Nothing here waits for the square of a size: what is too much is undecided."""
    pops = "".join(f"tpop %t{k}\nuse %t{k}\ntfree\n" for k in range(1500))
    errors = check(parse(in_func(f"initialize_pipe V2C slot_size=32\n{pops}"))).errors
    assert "use of tiles undecided: too many tiles" in [diag.msg for diag in errors]
    reserves = "".join(f"reserve_buffer r{k} size=32\n" for k in range(300))
    assert check(parse(in_func(reserves))).verdict == "OK"
