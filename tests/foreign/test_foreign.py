# SPDX-License-Identifier: Apache-2.0
"""Benches without Python record a design, and what they recorded is checked."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.description.registry import block_names, load_block
from tilepath.tb.kernel.host.verilator import for_verilator, verilator_path
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import call, passed, refused
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.tables import beside

HERE = Path(__file__).parent
RTL = load_block("adc").rtl_sources()
TEXT = {
    "manifest.txt": "tilepath-trace 1\nblock adc\nstream issue event t*3 word:32\n"
    "stream fault event t*3 illegal:1 x_override:1 empty:1\nend 20\n",
    **{f"t{t}.{stream}.txt": "" for t in range(3) for stream in ("issue", "fault")},
    "t0.issue.txt": "5 ff000000  # no instruction\n",
    "t0.fault.txt": "5 1 0 0\n",
}


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A folder that somebody has written without our recorder."""
    folder = tmp_path / "text"
    folder.mkdir()
    for name, content in TEXT.items():
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a bench under Icarus has recorded."""
    folder = tmp_path_factory.mktemp("icarus")
    recorder = folder / "adc_bind.sv"
    assert f"wrote {recorder}" in printed("recorders", "--block", "adc", "--out", recorder)
    program, bench = folder / "sim.vvp", HERE / "adc_bench.sv"
    passed(call("iverilog", "-g2012", "-s", "adc_bench", "-o", program, *RTL, recorder, bench))
    (folder / "trace").mkdir()
    passed(call("vvp", "-n", program, f"+adc_trace={folder / 'trace'}"))
    return folder / "trace"


def check(folder: Path, status: int = 0) -> str:
    """What is printed of a folder, with results beside it."""
    out = folder.parent / "out"
    return printed("check", folder, "--block", "adc", "--out", out, status=status)


@needs_icarus
def test_a_bench_under_icarus(recorded: Path) -> None:
    told = check(recorded)
    assert "999 cycles of adc, profile baseline" in told and "1 runs: 1 passed" in told
    result = json.loads((recorded.parent / "out/adc/trace-0/result.json").read_text())
    assert result["events"] > 1000 and result["faults"] > 100
    assert (recorded.parent / "out/results.xml").is_file()
    assert "coverage of adc" in printed("coverage", recorded.parent / "out")


@needs_icarus
def test_one_event_changed_is_told(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded, tmp_path / "changed")
    path = folder / "t1.unpacker0.bin"
    rows = np.fromfile(path, "<u4").reshape(-1, 11)
    rows[50, 3] ^= 4
    rows.tofile(path)
    told = check(folder, status=1)
    assert f"t1.unpacker0 event 50, cycle {rows[50, 0]}: y0 differs" in told
    assert "caused by: t0.issue event 111" in told and "again   tilepath check" in told
    assert told.count("<--") == 2 and "<failure" in (tmp_path / "out/results.xml").read_text()


@needs_icarus
@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (
            "manifest.txt",
            lambda data: data.replace(b"4321", b"1234"),
            "byte order 1234: 4321 alone",
        ),
        ("t0.issue.bin", lambda data: data[:-8], "t0.issue.bin is truncated"),
        ("t0.issue.bin", lambda data: data[8:16] + data[:8] + data[16:], "record 1: cycle"),
        ("t0.issue.bin", lambda data: b"", "has 0 blocks of cycles instead of 1"),
    ],
)
def test_binary_that_is_damaged(
    recorded: Path, tmp_path: Path, name: str, change: type, says: str
) -> None:
    folder = shutil.copytree(recorded, tmp_path / "damaged")
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    refused(invoke("check", folder, "--out", tmp_path / "out"), says)
    assert not (tmp_path / "out").exists()


def test_a_bench_in_cpp_under_verilator(tmp_path: Path) -> None:
    recorder, trace = tmp_path / "adc_bind.sv", tmp_path / "trace"
    printed("recorders", "--block", "adc", "--out", recorder)
    trace.mkdir()
    words = "--cc --exe --build --no-timing -Wall -O1 -CFLAGS -O0 -j 2 --top-module adc".split()
    sources = [*RTL, recorder, HERE / "adc_bench.cpp", "-Mdir", tmp_path / "obj"]
    environment = for_verilator(os.environ)
    passed(call(verilator_path(), *words, *sources, env=environment))
    passed(call(tmp_path / "obj" / "Vadc", f"+adc_trace={trace}"))
    assert "1,995 cycles of adc" in check(trace)


def test_text_is_taken(text: Path) -> None:
    told = check(text)
    assert "not recorded, so not compared: unpacker0" in told
    assert "inputs without a record: unpack, pack, flop" in told
    assert "1 runs: 1 passed" in told
    (text / "t0.fault.txt").write_text("5 1 0 1\n")
    assert "t0.fault event 0, cycle 5: empty differs" in check(text, status=1)


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [pytest.param(*x, id=n) for n, x in beside(__file__, "bad_input").items()],
)
def test_bad_input(text: Path, name: str, old: str, new: str, says: str) -> None:
    path = text / name
    path.write_text(path.read_text().replace(old, new))
    refused(invoke("check", text, "--block", "adc", "--out", text / "out"), says)
    assert not (text / "out").exists()


def test_files_that_are_not_there_or_twice(text: Path) -> None:
    (text / "t1.issue.bin").write_bytes(b"")
    refused(invoke("check", text), "t1.issue.bin is there as t1.issue.txt, too")
    (text / "t1.issue.bin").unlink()
    (text / "t1.issue.txt").unlink()
    refused(invoke("check", text), "byte order none")
    (text / "t1.issue.txt").write_bytes(b"\xff")
    refused(invoke("check", text), "t1.issue.txt cannot be read: it is no text")


def test_nothing_compared_and_a_model_that_breaks(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text / "t0.issue.txt").write_text("")
    (text / "t0.fault.txt").write_text("")
    assert "no event of an output was compared (cycle 20)" in check(text, status=1)
    monkeypatch.setattr(Checker, "check", lambda *_: 1 / 0)
    assert "the model cannot follow the traces" in check(text, status=1)


@pytest.mark.parametrize("block", block_names())
def test_each_block_has_a_recorder_or_says_why(block: str) -> None:
    if load_block(block).dut and not load_block(block).borrows:
        assert "module " in invoke("recorders", "--block", block).stdout
    else:
        refused(invoke("recorders", "--block", block), "has no RTL of its own")


def test_folders_of_another_block(tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text("{}")
    refused(invoke("check", tmp_path, "--block", "adc"), "is not a stored run request")
