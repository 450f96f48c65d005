# SPDX-License-Identifier: Apache-2.0
"""``tilepath check-pipe`` and ``tilepath expand-pipe``: what they print, and their status."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tilepath.cli.pipes import own_programs
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.outside import names_of
from tilepath.engine.host.request import PROGRAMS_VARIABLE, RunRequest
from tilepath.tb.datapath.streams import OWN_KERNELS
from tilepath.tb.flag_pipe.streams import OWN_PROGRAMS
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import ROOT, python, refused
from tilepath.tests.pipe_program.texts import TWO, UNI, changed

PROGRAMS = ROOT / "sequences" / "flag_pipe" / "programs"
OVERLAP = changed(
    TWO,
    ("reserve_buffer ring0 size=256", "reserve_buffer ring0 size=256 base=0x100"),
    ("reserve_buffer ring1 size=256", "reserve_buffer ring1 size=256 base=0x120"),
)
BARE = changed(
    UNI,
    ("  import_peer_buffer ring peer_func=@vector\n", ""),
    ("  reserve_buffer ring size=512 base=0x1000\n", ""),
    (" slot_size=64 c2v_buf=ring", " slot_size=64"),
    (" c2v_buf=ring slot_size=64", " slot_size=64"),
    ("    tfree\n", ""),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A program file, yet to be written."""
    return tmp_path / "p.pipe"


def test_warnings_alone_pass(file: Path) -> None:
    file.write_text(changed(UNI, ("loop 3 {\n    tpush", "loop 4 {\n    tpush")))
    warning = f"{file}:5:3: warning C23: pair 0 C2V: 1 tiles never popped"
    assert printed("check-pipe", file).splitlines()[0] == warning


def test_json(file: Path) -> None:
    file.write_text(OVERLAP)
    found = json.loads(printed("check-pipe", "--json", file, status=1))
    assert (found["verdict"], found["kpn"], found["warnings"]) == ("ERROR", "DONE", [])
    assert {"func": "cube", "name": "ring1", "base": 0x120} in found["bases"]
    assert found["errors"] == [
        {
            **{"code": "C13", "func": "cube", "file": str(file), "line": 4, "column": 3},
            "message": "reserve 'ring1' overlaps 'ring0'",
            "also": {"file": str(file), "line": 3, "column": 3},
        }
    ]


@pytest.mark.parametrize("name", ["deadlock", "starved"])
def test_programs_that_hang(name: str) -> None:
    text = printed("check-pipe", PROGRAMS / f"{name}.pipe", status=1)
    assert f"error C22: {name.upper()}: " in text
    assert re.match(r"ERROR: \d+ errors, 0 warnings, end: [A-Z]+$", text.splitlines()[-1])


def test_expand_to_stdout_and_to_a_file(file: Path, tmp_path: Path) -> None:
    file.write_text(BARE)
    shown, out = printed("expand-pipe", file), tmp_path / "out.pipe"
    assert printed("expand-pipe", file, "-o", out) == ""
    assert out.read_text() == shown
    assert "base=auto  # 0x40" in shown
    printed("check-pipe", out)
    refused(invoke("expand-pipe", out), "has buffers or tfrees already")


def test_expand_says_why_not_and_writes_nothing(file: Path, tmp_path: Path) -> None:
    file.write_text(changed(BARE, ("    use %in\n  }\n", "  }\n  use %in\n")))
    out = tmp_path / "out.pipe"
    result = invoke("expand-pipe", file, "-o", out)
    assert (result.exit_code, result.stdout, out.exists()) == (1, "", False)
    why = "'in': no safe point for tfree: its last use is not in the same turn of the loop"
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"{file}:13:5: error C20: {why}")
    assert lines[1] == f"{file}:15:3: note: the other place"


@pytest.mark.parametrize("command", ["check-pipe", "expand-pipe"])
@pytest.mark.parametrize(("data", "expected"), CASES["programs"].items())
def test_bad_files_are_one_line_and_status_2(
    file: Path, command: str, data: str, expected: str
) -> None:
    if data != "none":
        file.write_bytes(data.encode("latin-1"))
    assert refused(invoke(command, file)).startswith(f"tilepath: {file}{expected}")


def test_a_place_that_cannot_be_written(file: Path) -> None:
    file.write_text(BARE)
    place = "/nonexistent/out.pipe"
    refused(invoke("expand-pipe", file, "-o", place), f"{place}: cannot be written")


@pytest.mark.parametrize("count", [4294967295, 2000000])
def test_endless_loops_end(file: Path, count: int) -> None:
    file.write_text(UNI.replace("loop 3", f"loop {count}"))
    text = printed("check-pipe", file, status=1)
    assert "error C22: undecided: more than 1048576 operations" in text
    assert text.splitlines()[-1].endswith("end: UNDECIDED")


def test_program_files_are_tests(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Where tests are looked up afterwards, the file is one of them, by its name."""
    for name in (OWN_PROGRAMS, PROGRAMS_VARIABLE):
        monkeypatch.setenv(name, "")  # to be put back
        monkeypatch.delenv(name)
    assert own_programs(["c2v", "starved"]) == ("c2v", "starved")
    assert OWN_PROGRAMS not in os.environ
    file.write_text(UNI)
    assert own_programs(["c2v", str(file)]) == ("c2v", "p")
    code = "from tilepath.sequences.flag_pipe import TESTS; print(TESTS['p'].summary)"
    assert python("-c", code).stdout == "the program p.pipe\n"
    # and it is named by the command that repeats its run
    assert f" --test {file} " in RunRequest("flag_pipe", "p", 1, "icarus").command
    assert " --test c2v " in RunRequest("flag_pipe", "c2v", 1, "icarus").command


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("none.pipe", None, r"none\.pipe:1:1: cannot be read"),
        ("bad.pipe", "platform a6\n", r"bad\.pipe:1:10: 'a6' where"),
        ("a b.pipe", UNI, "a test cannot be called like this file"),
        ("fifo.pipe", "", r"fifo\.pipe:1:1: cannot be read: it is a FIFO, not a file"),
    ],
)
def test_program_files_that_cannot_be_tests(
    tmp_path: Path, name: str, text: str | None, why: str
) -> None:
    if text:
        (tmp_path / name).write_text(text)
    elif text is not None:
        os.mkfifo(tmp_path / name)
    assert re.search(why, refused(invoke("run", "--test", tmp_path / name)))


@pytest.mark.parametrize(
    "name", ["random_rates.pipe", "starved.pipe", "add1.kernel", "random_default.kernel"]
)
def test_a_file_cannot_take_the_place_of_a_test(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    block = {".pipe": "flag_pipe", ".kernel": "datapath"}[path.suffix]
    path.write_text(UNI if path.suffix == ".pipe" else "thread 0 {\n    NOP\n}\n")
    done = python("-m", "tilepath", "run", "--block", block, "--test", path)
    refused(done, f"tilepath: {path}: {block} has a test {path.stem} of its own; rename it")


@pytest.mark.parametrize("name", ["p.pipe", "p.kernel"])
def test_two_files_of_one_name_are_refused(tmp_path: Path, name: str) -> None:
    paths = [tmp_path / folder / name for folder in ("one", "other")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(UNI if path.suffix == ".pipe" else "thread 0 {\n    NOP\n}\n")
    with pytest.raises(UsageError, match=rf"{name}: another file is called p, too; rename one"):
        names_of([str(path) for path in paths], "baseline")
    assert not {OWN_PROGRAMS, OWN_KERNELS} & os.environ.keys()


def test_a_program_that_cannot_be_played_is_found_before_anything_is_built(file: Path) -> None:
    file.write_text(UNI.replace("loop 3", "loop 4294967295"))
    out, build = file.parent / "out", file.parent / "build"
    command = ("-m", "tilepath", "run", "--test", file, "--out", out)
    done = python(*command, env={**os.environ, "TILEPATH_BUILD": str(build)})
    refused(done, f"{file}:", "more than 1048576 operations")
    assert not out.exists() and not build.exists()
