# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the text of a kernel is told in one line, with its place."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from tilepath.isa import assemble, encode
from tilepath.models.kernels import KernelError, load, parse, play
from tilepath.models.machine import items as I
from tilepath.tests.commands import ROOT, python, refused
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS

IN = "THCON_SEC0_REG0_TileDescriptor_InDataFormat"
OUT = "THCON_SEC0_REG2_Out_data_format"
PACK = "THCON_SEC0_REG1_"


def _thread(*lines: str) -> str:
    return "\n".join(("thread 0 {", *lines, "}"))


BAD = {
    _thread("  FROBNICATE 1"): (2, 3, "unknown instruction"),
    _thread("  UNPACR 1"): (2, 3, "UNPACR takes 13 operands"),
    _thread("  SETADCXX 3, 5000, 0"): (2, 3, "x1_val"),
    _thread("  SETADCXX 3, nothing, 0"): (2, 15, "no constant 'nothing'"),
    _thread("  SETADCXX 3, 1 +, 0"): (2, 15, "not an expression"),
    _thread("  SETADCXX 3, 1/0, 0"): (2, 15, "a division by 0"),
    _thread("  SETADCXX 3, 1<<99, 0"): (2, 15, "a shift by 99"),
    _thread("  .word"): (2, 3, ".word of nothing"),
    "tile a BF16 32x32 at 0x16DFF0\n" + _thread(): (1, 22, "a ends at 0x16e800, L1 at 0x16e000"),
    "tile a BF16 32x32 at -16\n" + _thread(): (1, 22, "not that of a line"),
    "tile a BF16 32x32 at 8\n" + _thread(): (1, 22, "not that of a line"),
    "tile a BF16 32x32 at 0\ntile b BF16 32x32 at 0x800\n" + _thread(): (2, 22, "b lies over a"),
    "tile a[2] BF16 32x32 at 0\ntile a BF16 32x32 at 0x4000\n": (2, 6, "already a tile 'a'"),
    "tile a BF17 32x32 at 0\n" + _thread(): (1, 8, "no format 'BF17'"),
    "tile a BF16 30x32 at 0\n" + _thread(): (1, 13, ""),
    "tile a BF16 at 0\n" + _thread(): (1, 1, "want tile NAME"),
    "tile a[0] BF16 32x32 at 0\n" + _thread(): (1, 8, "count is 0"),
    "tile a INT8 32x32 at 0 = arange\n" + _thread(): (1, 26, "INT8: one is not in"),
    'tile a BF16 32x32 at 0 = "none.npy"\n' + _thread(): (1, 26, "cannot be read: No such file"),
    "tile a BF16 32x32 at 0 = random 3 1\n" + _thread(): (1, 33, "random from 3 to 1"),
    "tile a BF16 32x32 at 0 = noise\n" + _thread(): (1, 26, "want zeros, arange"),
    f"config {IN}=5\nconfig {OUT}=1\n" + _thread(): (2, 24, "0 does not take BF16 to FP16"),
    f"config {IN}=13, {OUT}=13\n" + _thread(): (1, 72, "unpacker 0 does not take format 13"),
    f"config {PACK} In_data_format=5, Out_data_format=14\n" + _thread(): (
        1, 43, "packer 0 does not take BF16 to",
    ),
    "config NO_SUCH_FIELD=1\n" + _thread(): (1, 8, "unknown configuration field"),
    f"config {IN}=16\n" + _thread(): (1, 52, "is 16: from 0 to 15"),
    "config ALU_ACC_CTRL_Fp32_enabled\n" + _thread(): (1, 8, "want config [REGISTER_] NAME=VALUE"),
    "thread 3 {\n}\n": (1, 8, "there are threads 0, 1, 2"),
    _thread() + "\nthread 0 {\n}\n": (3, 8, "thread 0 is there already"),
    "thread 0\n": (1, 1, "thread without {"),
    "const A = 1\n": (1, 1, "there is no thread"),
    _thread("  repeat 1000000 {", "    repeat 1000000 {", "      NOP", "    }", "  }"): (
        4, 7, "1,000,000 statements",
    ),
    _thread("  repeat 1 << 60 {", "    NOP", "  }"): (2, 10, "repeat is 1152921504606846976"),
    _thread("  repeat -1 {", "    NOP", "  }"): (2, 10, "repeat is -1"),
    _thread("  repeat {", "    NOP", "  }"): (2, 3, "an expression is missing"),
    _thread("  repeat 2 {", "    NOP"): (1, 10, "this { has no }"),
    _thread("  repeat 2", "  NOP"): (2, 3, "repeat without {"),
    _thread() + "\n}\n": (3, 1, "this } closes nothing"),
    _thread("  NOP {", "  }"): (2, 3, "NOP has no block"),
    _thread("  {", "  }"): (2, 3, "a { of nothing"),
    _thread("  if 1 {", "  } else NOP"): (3, 3, "an else is written } else {"),
    _thread("  repeat 1 {", "  } else {", "  }"): (3, 3, "repeat has no else"),
    _thread("  poll 5 >= 16"): (2, 13, "poll 5 >= 16 can never come true: semaphores are 0 to 15"),
    _thread("  poll 5 < 0"): (2, 12, "can never come true"),
    _thread("  poll 5 = 99"): (2, 12, "can never come true"),
    _thread("  poll 3 >= 1", "  post 4"): (2, 3, "nobody posts semaphore 3"),
    _thread("  poll 8 >= 1"): (2, 8, "semaphore is 8: from 0 to 7"),
    _thread("  poll 3 > 1"): (2, 3, "want poll SEMAPHORE >= VALUE"),
    _thread("  post"): (2, 3, "an expression is missing"),
    _thread("  " + "A" * 999): (2, 3, "unknown instruction"),
    _thread("  get 9"): (2, 7, "semaphore is 9"),
    _thread("  sync 3"): (2, 8, "'3' is too much"),
    _thread("  store 3 = 1"): (2, 9, "address 0x3: not that of a word of 32 bits"),
    _thread("  store 0xFFFFFF00 = 5"): (2, 9, "address 0xffffff00: nothing that the core of thr"),
    _thread("  store STATE_RESET_EN = 1"): (2, 9, "no core can write STATE_RESET (C18)"),
    _thread("  store 0 = 1 << 32"): (2, 13, "value is 4294967296"),
    _thread("  store"): (2, 3, "want store [REGISTER_] NAME=VALUE"),
    _thread("  store NO_SUCH=1"): (2, 9, "unknown configuration field"),
    _thread("  mop 2 {", "  }"): (2, 7, "mop is 2"),
    _thread("  mop 1 {", "    outer 1", "    inner 1", "  }"): (2, 3, "loop is missing"),
    _thread("  mop 1 {", "    middle 1", "  }"): (3, 5, "'middle' is not one of outer, inner"),
    _thread("  mop 1 {", "    outer 1", "    outer 2", "  }"): (4, 5, "outer is given twice"),
    _thread("  mop 1 {", "    outer 128", "  }"): (3, 11, "outer is 128"),
    _thread("  replay 32 {", "    NOP", "  }"): (2, 10, "replay is 32"),
    _thread("  replay 0 {", "  }"): (2, 3, "replay takes 1 to 32 words"),
    _thread("  replay 0 {", "    post 1", "  }"): (2, 3, "and nothing else"),
    "const 3A = 1\n" + _thread(): (1, 7, "'3A' is not a name"),
    "const A = 1\nconst A = 2\n" + _thread(): (2, 7, "there is already a 'A'"),
    "const A\n" + _thread(): (1, 7, "want const NAME = NUMBER"),
    "hello\n" + _thread(): (1, 1, "'hello' outside of a thread"),
    'include "none.kernel"\n' + _thread(): (1, 9, "none.kernel:1:1: cannot be read"),
    "include none\n" + _thread(): (1, 1, 'want include "file"'),
    _thread('  include "none.kernel"'): (2, 11, "none.kernel:1:1: cannot be read"),
    "tile a BF16 32x32 at 0\nexpect b = a\n" + _thread(): (2, 8, "there is no tile 'b'"),
    "tile a BF16 32x32 at 0\nexpect a = c\n" + _thread(): (2, 12, "there is no tile 'c'"),
    "tile a BF16 32x32 at 0\nexpect a = a @ a[:3]\n" + _thread(): (2, 12, ""),
    "tile a BF16 32x32 at 0\nexpect a = open(a)\n" + _thread(): (2, 12, "cannot be computed"),
    "tile a BF16 32x32 at 0\nexpect a = a within 1.2.3\n" + _thread(): (2, 21, "no tolerance"),
    "tile a BF16 32x32 at 0\nexpect a = a within 1e999\n" + _thread(): (2, 21, "no tolerance"),
    "tile a BF16 32x32 at 0\nexpect a\n" + _thread(): (2, 1, "want expect TILE"),
    _thread("  NOP \x07"): (2, 7, r"character '\x07'"),
    "\0" * 100: (1, 1, r"character '\x00'"),
    "": (1, 1, "there is no thread"),
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=lambda text: " / ".join(text.split("\n"))[:60])
def test_it_says_where(text: str, tmp_path: Path) -> None:
    line, column, what = BAD[text]
    file = str(tmp_path / "my.kernel")
    with pytest.raises(KernelError) as error:
        parse(text, file)
    told = str(error.value)
    assert "\n" not in told and told.startswith(f"{file}:{line}:{column}: "), told
    assert len(told.removeprefix(file)) < 320
    assert what in told.removeprefix(f"{file}:{line}:{column}: ")


def test_files_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    for data, told in (
        (None, "1:1: cannot be read: No such file"),
        (b"\0" * 10_000_000, "1:1: longer than 1048576 bytes"),
        (b"# \n\n  \xff", "3:3: this is not UTF-8 text"),
    ):
        if data is not None:
            file.write_bytes(data)
        with pytest.raises(KernelError, match=f"^{re.escape(str(file))}:{told}"):
            load(file)
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
        ("folder", "it is not a file"),
        ("pipe", "it is not a file"),
    ):
        with pytest.raises(KernelError, match=f":1:26: .*{told}"):
            parse(f'tile a BF16 32x32 at 0 = "{name}.npy"\n' + _thread(), str(file))
    for name, told in (("pipe.npy", "it is not a file"), ("my.kernel", "an included file include")):
        file.write_text(f'include "{name}"\n' + _thread())
        with pytest.raises(KernelError, match=f"my.kernel:1:.*{told}"):
            load(file)
    with pytest.raises(KernelError, match="there is no constant 'B' to be set"):
        parse("const A = 1\n" + _thread(), given={"B": 1})


def test_what_editors_make_of_a_text(tmp_path: Path) -> None:
    file, text = tmp_path / "my.kernel", "tile a BF16 32x32 at 0 = arange\nthread 1 {\n    NOP\n}"
    for data in (text, text.replace("\n", "\r\n"), text.replace(" ", "\t"), "\ufeff" + text):
        file.write_bytes(data.encode())
        assert load(file).programs[1] == [I.Push((assemble("NOP"),))]
    file.write_bytes(text.replace("\n", "\r").encode())
    with pytest.raises(KernelError, match=r"my.kernel:1:32: character '\\r'"):
        load(file)


def test_a_block_may_stand_in_a_line() -> None:
    kernel = parse("thread 1 { if 1 { NOP } else { post 1 } }  # } {\n")
    assert kernel.programs[1] == [I.Push((assemble("NOP"),))]


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
    assert kernel.programs[0] == [] and kernel.programs[1] == [I.Push(first)]
    config = 0xFFEF0000
    assert kernel.programs[2] == [
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
    ]  # fmt: skip


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
