# SPDX-License-Identifier: Apache-2.0
"""Benches without Python record a design, and what they recorded is checked."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.checking.checker import Checker
from tilepath.engine.commands import foreign
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host.verilator import for_verilator, verilator_path
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import call, passed, refused
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.docs.examples import sources
from tilepath.tests.tables import beside

HERE = Path(__file__).parent
RTL = load_block("adc").rtl_sources()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """The folder of the page, which somebody has written without our recorder."""
    (page,) = sources("docs/traces.md", "$ cat")
    files = dict(re.findall(r"\$ cat (\S+)\n([^$]*)", page))
    files |= {f"t{t}.{stream}.txt": "" for t in (1, 2) for stream in ("issue", "fault")}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a bench under Icarus has recorded."""
    folder = tmp_path_factory.mktemp("icarus")
    recorder, program, trace = (folder / name for name in ("adc_bind.sv", "sim.vvp", "trace"))
    assert f"wrote {recorder}" in printed("recorders", "--block", "adc", "--out", recorder)
    bench = HERE / "adc_bench.sv"
    passed(call("iverilog", "-g2012", "-s", "adc_bench", "-o", program, *RTL, recorder, bench))
    trace.mkdir()
    passed(call("vvp", "-n", program, f"+adc_trace={trace}"))
    return trace


def check(folder: Path, status: int = 0) -> str:
    """What is printed of a folder, with results in it."""
    return printed("check", folder, "--block", "adc", "--out", folder / "out", status=status)


def wrong(folder: Path, *parts: str) -> None:
    """It is refused in one line with these ``parts``, and nothing is left behind."""
    refused(invoke("check", folder, "--block", "adc", "--out", folder / "out"), *parts)
    assert not (folder / "out").exists()


@needs_icarus
def test_a_bench_under_icarus(recorded: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(recorded, tmp_path / "same")
    told = check(folder)
    assert "999 cycles of adc, profile baseline" in told and "1 runs: 1 passed" in told
    result = json.loads((folder / "out/adc/same-0/result.json").read_text())
    assert result["events"] > 1000 and result["faults"] > 100
    assert "<testcase" in (folder / "out/results.xml").read_text()
    assert "coverage of adc" in printed("coverage", folder / "out")


@needs_icarus
def test_one_event_changed_is_told(recorded: Path, tmp_path: Path) -> None:
    path = shutil.copytree(recorded, tmp_path / "changed") / "t1.unpacker0.bin"
    rows = np.fromfile(path, "<u4").reshape(-1, 11)
    rows[50, 3] ^= 4
    rows.tofile(path)
    told = check(path.parent, status=1)
    assert f"t1.unpacker0 event 50, cycle {rows[50, 0]}: y0 differs" in told
    assert "caused by: t0.issue event 111" in told and "again   tilepath check" in told
    assert "<failure" in (path.parent / "out/results.xml").read_text()


@needs_icarus
@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("manifest.txt", lambda data: data.replace(b"4321", b"1234"), "byte order 1234: 4321"),
        ("t0.issue.bin", lambda data: data[:-8], "t0.issue.bin is truncated"),
        ("t0.issue.bin", lambda data: data[8:16] + data[:8] + data[16:], "record 1: cycle"),
        ("t0.unpacker0.bin", lambda data: data[:7] + b"\x80" + data[8:], "x0 has over 18 bits"),
        ("t0.issue.bin", lambda _data: b"", "has 0 blocks of cycles instead of 1"),
    ],
)
def test_binary_that_is_damaged(
    recorded: Path, tmp_path: Path, name: str, change: Callable[[bytes], bytes], says: str
) -> None:
    path = shutil.copytree(recorded, tmp_path / "damaged") / name
    path.write_bytes(change(path.read_bytes()))
    wrong(path.parent, says)


def test_a_bench_in_cpp_under_verilator(tmp_path: Path) -> None:
    recorder = tmp_path / "adc_bind.sv"
    printed("recorders", "--block", "adc", "--out", recorder)
    words = "--cc --exe --build --no-timing -Wall -O1 -CFLAGS -O0 -j 2 --top-module adc".split()
    sources = [*RTL, recorder, HERE / "adc_bench.cpp", "-Mdir", tmp_path / "obj"]
    passed(call(verilator_path(), *words, *sources, env=for_verilator(os.environ)))
    passed(call(tmp_path / "obj" / "Vadc", f"+adc_trace={tmp_path}"))
    assert "1,995 cycles of adc" in check(tmp_path)


def test_text_is_taken(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = check(text)
    assert "not recorded, so not compared: unpacker0" in told and "1 runs: 1 passed" in told
    assert "inputs without a record: unpack, pack, flop, t1.issue" in told
    (text / "t0.fault.txt").write_text("5 1 0 1\n")
    assert "t0.fault event 0, cycle 5: empty differs" in check(text, status=1)
    monkeypatch.setattr(foreign, "_PATIENCE", -1.0)
    (text / "t0.fault.txt").write_text("5 1 0 0\n")
    progress = invoke("check", text, "--out", text / "out").stderr
    assert progress.splitlines()[-1] == "checked 20 of 20 cycles"


BAD = beside(__file__, "bad_input")


@pytest.mark.parametrize(("name", "old", "new", "says"), BAD.values(), ids=BAD)
def test_bad_input(text: Path, name: str, old: str, new: str, says: str) -> None:
    path = text / name
    path.write_text(path.read_text().replace(old, new))
    wrong(text, says)


def test_files_that_are_there_twice_or_not_at_all(text: Path) -> None:
    (text / "t1.issue.bin").touch()
    wrong(text, "t1.issue.bin is there as t1.issue.txt, too")
    (text / "t1.issue.bin").unlink()
    (text / "t1.issue.txt").write_bytes(b"\xff")
    wrong(text, "t1.issue.txt cannot be read: it is no text")
    (text / "t1.issue.txt").unlink()
    wrong(text, "byte order none")


def test_nothing_compared_and_a_model_that_breaks(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t0.issue.txt", "t0.fault.txt"):
        (text / name).write_text("")
    assert "no event of an output was compared (cycle 20)" in check(text, status=1)
    monkeypatch.setattr(Checker, "check", lambda *_: 1 / 0)
    assert "the model cannot follow the traces" in check(text, status=1)


@pytest.mark.parametrize("name", block_names())
def test_each_block_has_a_recorder_that_compiles_or_says_why(name: str, tmp_path: Path) -> None:
    block, path = load_block(name), tmp_path / "recorder.sv"
    result = invoke("recorders", "--block", name, "--profile", block.profiles[-1])
    if not block.dut or block.borrows:
        refused(result, "has no RTL of its own")
        return
    path.write_text(result.stdout)
    words = f"--lint-only -Wall -Wno-fatal -D{block.dut.upper()}_NO_BIND --top-module".split()
    packages = [one for one in block.rtl_sources() if one.stem.endswith("_pkg")]
    sources = [f"{block.dut}_recorder", *packages, path]
    done = call(verilator_path(), *words, *sources, env=for_verilator(os.environ))
    passed(done)
    assert path.name not in done.stderr
