# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the text of a kernel is told in one line, with its place."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tilepath.isa import assemble, encode
from tilepath.models.kernels import TextError, load, parse, play
from tilepath.models.machine import items as I
from tilepath.tests.commands import ROOT, python, refused
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS


def _thread(*lines: str) -> str:
    return "\n".join(("thread 0 {", *lines, "}"))


REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())
BAD: dict[str, tuple[int, int, str]] = {
    **REFUSED["texts"],
    **{f"{text}\n{_thread()}": told for text, told in REFUSED["before_a_thread"].items()},
    **{_thread(f"  {text}"): told for text, told in REFUSED["in_a_thread"].items()},
    _thread("  " + "A" * 999): (2, 3, "unknown instruction"),
    "\0" * 100: (1, 1, r"character '\x00'"),
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: " / ".join(text.split("\n"))[:60])
def test_it_says_where(text: str, tmp_path: Path) -> None:
    line, column, what = BAD[text]
    file = str(tmp_path / "my.kernel")
    with pytest.raises(TextError) as error:
        parse(text, file)
    told = str(error.value)
    assert "\n" not in told and told.startswith(f"{file}:{line}:{column}: "), told
    assert len(told.removeprefix(file)) < 320
    assert what in told.removeprefix(f"{file}:{line}:{column}: ")


def test_files_of_numbers_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    np.save(tmp_path / "x.npy", np.zeros((3, 3)))
    (tmp_path / "y.npy").write_bytes(b"hello")
    np.save(tmp_path / "z.npy", np.array(["a"]))
    (tmp_path / "zip.npy").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "folder.npy").mkdir()
    os.mkfifo(tmp_path / "pipe.npy")
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,)}"
    (tmp_path / "long.npy").write_bytes(b"\x93NUMPY\1\0" + b"\x76\0" + f"{header:117}\n".encode())
    for name, told in (
        ("x", "has shape"),
        ("y", "no file of numbers"),
        ("z", "no array of numbers"),
        ("zip", "no file of numbers"),
        ("long", "no file of numbers"),
        ("folder", "it is a directory, not a file"),
        ("pipe", "it is a FIFO, not a file"),
    ):
        with pytest.raises(TextError, match=f":1:26: .*{told}"):
            parse(f'tile a BF16 32x32 at 0 = "{name}.npy"\n' + _thread(), str(file))
    for name, told in (("pipe.npy", "it is a FIFO"), ("my.kernel", "an included file include")):
        file.write_text(f'include "{name}"\n' + _thread())
        with pytest.raises(TextError, match=f"my.kernel:1:.*{told}"):
            load(file)
    with pytest.raises(TextError, match="there is no constant 'B' to be set"):
        parse("const A = 1\n" + _thread(), given={"B": 1})


def test_what_editors_make_of_a_text(tmp_path: Path) -> None:
    file, text = tmp_path / "my.kernel", "tile a BF16 32x32 at 0 = arange\nthread 1 {\n    NOP\n}"
    for data in (text, text.replace("\n", "\r\n"), text.replace(" ", "\t"), "\ufeff" + text):
        file.write_bytes(data.encode())
        assert load(file).programs[1] == (I.Push((assemble("NOP"),)),)
    file.write_bytes(text.replace("\n", "\r").encode())
    with pytest.raises(TextError, match=r"my.kernel:1:32: character '\\r'"):
        load(file)


def test_a_block_may_stand_in_a_line() -> None:
    kernel = parse("thread 1 { if 1 { NOP } else { post 1 } }  # } {\n")
    assert kernel.programs[1] == (I.Push((assemble("NOP"),)),)


def test_items_of_a_thread() -> None:
    kernel = parse("""
const N = 2                              # a comment
config ADDR_MOD_AB_SEC0_ SrcAIncr=8, SrcBIncr=4
config ALU_FORMAT_SPEC_REG0_SrcA=5
thread 1 {
    repeat N as k {
        SETADCXX 3, 16*(k + 1) - 1, 0
        if k { NOP_IS_NOT_HERE = 0
        } else {
            NOP
        }
    }
}
""".replace("if k { NOP_IS_NOT_HERE = 0", "if k {")
        + """
thread 2 {
    poll MATH_PACK < 1
    store ALU_FORMAT_SPEC_ REG2_Dstacc=1
    store 0x100 = N
    set ADDR_MOD_AB_SEC0_SrcACR=1
    set ALU_FORMAT_SPEC_REG1_SrcB=5
    post 2
    get 2
    sync
    replay 4 {
        NOP
        DMANOP
    }
    mop 0 {
        a0 NOP
        b DMANOP
    }
    mop 1 {
        outer 3
        inner 4
        loop NOP
        last_outer DMANOP
        end SETRWC 3,0,0,0,0,15
    }
}
""")  # fmt: skip
    nop, dmanop = assemble("NOP"), assemble("DMANOP")
    first = (assemble("SETADCXX 3,15,0"), nop, assemble("SETADCXX 3,31,0"))
    assert kernel.programs[0] == () and kernel.programs[1] == (I.Push(first),)
    config = 0xFFEF0000
    assert kernel.programs[2] == (
        I.Poll(1, "<", 1),
        I.Store(config + 4, 1 << 25 | 5 << 17),  # the rest of the word as it was
        I.Store(0x100, 2),
        I.Push((
            encode("SETC16", cfg_index=12, value=8 | 4 << 8 | 1 << 6),
            encode("RMWCIB2", mask=0xE0, data=5 << 5, cfg_index=1),
            encode("RMWCIB3", mask=0x01, data=0, cfg_index=1),
        )),
        I.Post(2), I.Get(2), I.Sync(),
        I.Push((encode("REPLAY", index=4, count=2, load=1, exec=0), nop, dmanop)),
        *(I.MopCfg(k, v) for k, v in enumerate((0, 1, dmanop, nop, nop, nop, nop, nop, nop))),
        *(I.MopCfg(k, v) for k, v in enumerate(
            (3, 4, nop, assemble("SETRWC 3,0,0,0,0,15"), nop, nop, nop, dmanop, nop))),
    )  # fmt: skip


def test_tiles_and_what_is_expected(tmp_path: Path) -> None:
    numbers = np.arange(64 * 96).reshape(64, 96) % 100
    np.save(tmp_path / "n.npy", numbers)
    text = """
tile a[2, 3] BF16 32x32 at 0x1000 = "n.npy"
tile b[2] BFP8 16x32 at 0x8000 = random
tile c INT32 16x16 at 0x10000 flat = arange
tile d FP32 32x32 at 0x12000 = random -3 3
expect a = "n.npy"
expect a = a[:, 0:1] + a - a[:, 0:1]
expect b = max(b, 0) + min(b, 0)
expect c = c + 0.4 within 0.5
expect c = c + 2 within 1%
expect d = -(-d)
expect c = c + 1
expect d = abs(d) within 6
""" + _thread()
    file = str(tmp_path / "my.kernel")
    kernel = parse(text, file)
    verdict = play(kernel)
    assert [line.split(":")[1] for line in verdict.passed] == ["6", "7", "8", "9", "10", "11", "13"]
    (failed,) = verdict.failed
    assert failed == (
        f"{file}:12:1: 256 of 256 numbers of c are wrong; the first is [0, 0]: 0, want 1 within 0"
    )
    l1 = verdict.machine.read_l1(0x1000 + 16, 6 * 0x810)
    second = l1[0x810 : 0x810 + 32].view(np.uint16).astype(np.uint32) << 16
    np.testing.assert_array_equal(second.view(np.float32), numbers[0, 32:48])


def test_the_command(tmp_path: Path) -> None:
    copy = PROGRAMS / "copy.kernel"
    done = python("-m", "tilepath", "model", copy, "--set", "TILES=1", "--order", "2,0,1")
    assert done.returncode == 0 and done.stdout.splitlines()[0].endswith("1 tiles of out are right")
    assert re.search(r"copy\.kernel: passed, \d+ steps, profile baseline$", done.stdout.strip())
    for given, told in (
        (("--order", "1,2"), "--order 1,2: want round"),
        (("--set", "TILES"), "--set TILES: want NAME=NUMBER"),
        (("--set", "NO=1"), "copy.kernel:1:1: there is no constant 'NO'"),
        (("--set", "TILES=0"), "count is 0: from 1"),
        (("--profile", "none"), "none"),
    ):
        refused(python("-m", "tilepath", "model", copy, *given), told)
    os.mkfifo(tmp_path / "pipe.kernel")
    refused(python("-m", "tilepath", "model", tmp_path / "pipe.kernel"), "cannot be read")
    stuck = tmp_path / "stuck.kernel"
    stuck.write_text("thread 1 {\n  SEMWAIT 0x1FF, 1<<MATH_PACK, 1\n  NOP\n}\n")
    done = python("-m", "tilepath", "model", stuck)
    assert done.returncode == 1 and done.stdout.splitlines() == [
        f"{stuck}: deadlock after 1 steps",
        "  thread 1: NOP (02000000): SEMWAIT, block 1FF (TDMA SYNC PACK UNPACK XMOV THCON MATH CFG "
        "SFPU): waits while semaphore 1 (MATH_PACK) is 0; value 0, max 0",
    ]


def test_the_command_loads_what_it_needs() -> None:
    said = "print(sum(bool(re.search(wanted, name)) for name in sys.modules))"
    for module, wanted in (
        ("cli.main", "^(numpy|numba)$"),
        ("cli.kernels", r"tilepath\.models\.(flag_pipe|\w+\.(cycle|timing))"),
    ):
        program = f"import re, sys, tilepath.{module}\nwanted = {wanted!r}\n{said}"
        assert python("-c", program).stdout == "0\n", module


def test_the_page_shows_add1_as_it_is() -> None:
    page = (ROOT / "docs" / "kernels.md").read_text()
    shown = re.findall(r"```kernel\n(.*?)```", page, re.DOTALL)
    text = (PROGRAMS / "add1.kernel").read_text()
    assert [line for part in shown for line in part.splitlines() if line] == [
        line for line in text.splitlines()[2:] if line
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"ELWADD": "ELWSUB", "a + b": "a - b"},
        {"ELWADD": "ELWMUL", "a + b": "a * b", "-100 100": "-15 15"},
        {
            "DST=FMT_BF16, L1_OUT=FMT_BF16, WIDE=0": "DST=FMT_FP32, L1_OUT=FMT_FP32, WIDE=1",
            "out[TILES] BF16": "out[TILES] FP32",
            "ZEROACC 2, 0,": "ZEROACC 2, WIDE,",
        },
    ],
    ids=("sub", "mul", "wide"),
)
@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_page_says_of_one_s_own(changes: dict[str, str], profile: str) -> None:
    file = PROGRAMS / "add1.kernel"
    text = file.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    assert play(parse(text, str(file), profile, {"TILES": 3})).failed == []


def test_the_page_s_python(capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "kernels.md").read_text(), re.DOTALL
    )
    exec(compile(source, "kernels.md", "exec"), {})
    said = re.findall(r"print\(.*\)  # (.*)", source)
    assert capsys.readouterr().out.splitlines() == said and len(said) == 4
