# SPDX-License-Identifier: Apache-2.0
"""An ``adc`` built another way stands up to the tests of ``adc``; with a bug in it, it does not.

And what all other commands do with one's own RTL.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path

import pytest

from tilepath.engine.commands import gate
from tilepath.engine.commands.mutant_copy import write_copy
from tilepath.engine.commands.mutants import draw
from tilepath.engine.commands.own_rtl.own import OwnRtl, own_rtl
from tilepath.engine.commands.yosys import Sources
from tilepath.engine.description.block import OWN, ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.verilator import for_verilator, verilator_path
from tilepath.tests.bench import __main__ as bench
from tilepath.tests.commands import call, make, passed, python, refused
from tilepath.tests.cosim_runs import FAST, SMALL
from tilepath.tests.docs.examples import sources

_SECOND = ROOT / "tests" / "adc" / "second"
_TOP = ("--top", "second_adc")
_RUN = ("-m", "tilepath", "run", "--block", "adc", "--no-waves", *_TOP)


def _stored(out: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in out.glob("adc/*/result.json")]


def test_its_style() -> None:
    files = [ROOT / "rtl" / "isa" / "tilepath_isa_pkg.sv", _SECOND / "effect_pkg.sv"]
    files += sorted(_SECOND.glob("second_*.sv"))
    for width in (8, 13):
        words = ("--lint-only", "-Wall", "--top-module", "second_adc", f"-GZwW={width}")
        passed(call(verilator_path(), *words, *files, env=for_verilator(os.environ)))


def test_some_tests(tmp_path: Path) -> None:
    words = ("--sim", SMALL, "--out", tmp_path, "--rtl", "tests/adc/second/second.f")
    tests = ("--test", "crowds", "--test", "vectors", "--test", "pack_tiles")
    shown = passed(python(*_RUN, *words, *tests))
    results = _stored(tmp_path)
    assert len(results) == 3
    for result in results:
        whose = str(result["whose"])
        assert whose.startswith("tests/adc/second/second.f (") and f"RTL: {whose}\n" in shown
        assert f'<property name="rtl" value="{whose}"' in (tmp_path / "results.xml").read_text()


def test_a_bug_in_it_is_found(tmp_path: Path) -> None:
    words = ("--sim", SMALL, "--out", tmp_path, "--rtl", "tests/adc/second/wrong.f")
    done = python(*_RUN, *words, "--test", "random_default", "--seed", "1", "--cycles", "500")
    assert done.returncode == 1 and "t2.packers event 8, cycle 35: y0 differs" in done.stdout
    (result,) = _stored(tmp_path)
    again = "--cycles 500 --rtl tests/adc/second/wrong.f --top second_adc"
    assert str(result["command"]).endswith(again)
    report = next(tmp_path.glob("adc/*/report.txt")).read_text()
    assert f"\n  rtl     {result['whose']}\n" in report and f"  {result['command']}\n" in report
    (page,) = sources("docs/check-your-rtl.md", "MISMATCH")
    assert all(line.partition("…")[0] in report for line in page.splitlines())


@pytest.mark.long
def test_the_whole_regression(tmp_path: Path) -> None:
    words = ("--sim", FAST, "--out", tmp_path, "--rtl", "tests/adc/second/second.f")
    shown = passed(python(*_RUN, *words, "--root-seed", "1"))
    assert "coverage of adc: 100.0 %" in shown


# --- regressions in a file, mutants, netlists, benches and blocks with internals, of one's own RTL


def _wrong() -> OwnRtl:
    found = own_rtl(["adc"], [str(_SECOND / "wrong.f")], "second_adc")
    assert found is not None
    return found


def _changed(folder: Path, block: str, old: str, new: str) -> Path:
    """A copy of a block's files, with another name for a signal."""
    folder.mkdir()
    for path in (ROOT / "rtl" / block).glob("*.sv"):
        (folder / path.name).write_text(re.sub(rf"\b{old}\b", new, path.read_text()))
    return folder


def test_a_file_of_regressions_says_whose(tmp_path: Path) -> None:
    for path in _SECOND.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    words = ("--block", "adc", "--rtl", "wrong.f", *_TOP, "--sim", SMALL, "--test", "vectors")
    run = ("-m", "tilepath", "regress", "n.sqlite")
    done = python(*run, *words, cwd=tmp_path)
    name = f"{tmp_path / 'wrong.f'} ({_wrong().tree.name.rpartition('-')[2]})"
    assert done.returncode == 1 and f"\nRTL: {name}\n" in done.stdout
    with sqlite3.connect(tmp_path / "n.sqlite") as db:
        ((options, command),) = db.execute("SELECT options, command FROM regressions, jobs")
    assert json.loads(options)["whose"] == name
    assert command.endswith(f"--rtl {tmp_path / 'wrong.f'} --top second_adc")

    refused(python(*run, "--resume", "--top", "other", cwd=tmp_path), "begun with --top second_adc")
    (folder,) = tmp_path.glob("n.sqlite.runs/1/*/adc/vectors-*")
    shrink = ("-m", "tilepath", "shrink", folder, "--out", "small.py", "--seconds", "20")
    shown = passed(python(*shrink, cwd=tmp_path))
    assert f"--block adc --rtl {tmp_path / 'wrong.f'} --top second_adc\n" in shown
    with (tmp_path / "second_adc.sv").open("a") as file:
        file.write("// more\n")
    refused(python(*run, "--resume", cwd=tmp_path), "the sources have changed")
    (tmp_path / "wrong.f").unlink()
    refused(python(*shrink, cwd=tmp_path), f"there is no {tmp_path / 'wrong.f'}")


def test_mutants_are_of_ones_own_files(tmp_path: Path) -> None:
    block, tree = load_block("adc"), _wrong().tree
    mutants = draw(block, 60, 1, root=tree)
    assert len(mutants) == 60 and {one.file.rpartition("/")[0] for one in mutants} == {OWN}
    lines = (tree / OWN / "second_units.sv").read_text().splitlines()
    bug = next(number for number, line in enumerate(lines, 1) if "bits[4] ? STEP" in line)
    found = draw(block, 1000, 1, module="second_units", root=tree)
    assert bug in {one.line for one in found} and bug + 2 not in {one.line for one in found}
    write_copy(block, mutants, tmp_path / "copy", tree=tree)
    listed = block.rtl_sources(tmp_path / "copy")
    assert listed[0].name == "planted_pkg.sv" and all(path.is_file() for path in listed)
    assert "planted_pkg::bug == 1 ?" in (tmp_path / "copy" / mutants[0].file).read_text()


def test_a_mutant_is_of_what_stands_in_the_file(tmp_path: Path) -> None:
    for path in _SECOND.glob("*.sv"):
        (tmp_path / path.name).write_text(path.read_text())
    units = tmp_path / "second_units.sv"
    text = units.read_text().replace("2'd3 ||", "`THREE ||")
    units.write_text(f"`define THREE (2'd2 + 2'd1)\n{text}")
    found = own_rtl(["adc"], [str(tmp_path)], "second_adc")
    assert found is not None
    for one in draw(load_block("adc"), 1000, 1, module="second_units", root=found.tree):
        assert units.read_text()[one.start : one.start + len(one.old)] == one.old
        assert "THREE" not in one.old or one.old.startswith("unpack_thread_i")


def test_a_netlist_takes_the_place_of_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block, asked = load_block("adc"), []
    bits = "".join(
        f"  {kind} \\{name} ;\n" for kind, name, _ in gate._PORT.findall(gate.header(block))
    )

    def synthesized(_name: str, sources: Sources, _kept: object) -> str:
        asked.append(sources.read())
        return bits

    monkeypatch.setattr(gate, "_synthesized", synthesized)
    monkeypatch.setenv("TILEPATH_BUILD", str(tmp_path))
    folder = gate.netlist(block, "baseline", _wrong().tree)
    assert f"+incdir+{OWN} +define+SECOND_WRONG rtl/isa/" in asked[0]
    listed = [path.relative_to(folder).as_posix() for path in block.rtl_sources(folder)]
    assert listed[-1] == f"{OWN}.sv" and all(name.endswith("_pkg.sv") for name in listed[:-1])
    assert "module adc\n" in (folder / f"{OWN}.sv").read_text()


def test_make_passes_it_on() -> None:
    for target in ("run", "gate", "bench"):
        shown = passed(make("-n", target, "BLOCK=adc", "RTL=my.f more", "TOP=mine"))
        assert "--rtl 'my.f' --rtl 'more' --top 'mine'" in shown
    shown = passed(make("-n", "regress", "FILE=n.sqlite", "BLOCK=adc", "RTL=my.f"))
    assert "--rtl 'my.f'" in shown and "--top" not in shown


def test_bad_input_of_a_bench(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--block", "adc", "--sim", SMALL, "--rtl", "nosuch"]) == 2
    assert capsys.readouterr().err == "--rtl: there is no nosuch\n"


def test_state_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    folder = _changed(tmp_path / "mine", "frontend", "cfg_q", "settings_q")
    words = ("--block", "frontend", "--rtl", folder, "--sim", SMALL, "--test", "vectors")
    shown = passed(python("-m", "tilepath", "run", *words, "--out", tmp_path / "runs"))
    assert "note: the bench cannot read its mop_cfg: left out at the end\n" in shown
    (file,) = (tmp_path / "runs").glob("frontend/*/result.json")
    assert json.loads(file.read_text())["left_out"] == ["mop_cfg"]
    there = {path.name for path in (file.parent / "trace").glob("t0.*.state")}
    assert there == {"t0.mask_hi.state", "t0.replay_buffer.state"}
    passed(python("-m", "tilepath", "check", file.parent))


@pytest.mark.parametrize(
    "old, told",
    [
        ("flags_q", "the bench of flag_pipe reads in its DUT: flags"),
        ("flying_o", "the bench of flag_pipe reads in its DUT: flag_pipe_harness.sv:132: "),
    ],
)
def test_a_stream_that_is_not_there_is_refused(old: str, told: str, tmp_path: Path) -> None:
    folder = _changed(tmp_path / "mine", "flag_pipe", old, "other")
    words = ("--block", "flag_pipe", "--rtl", folder, "--out", tmp_path / "runs")
    refused(python("-m", "tilepath", "run", *words), told)
    assert not (tmp_path / "runs").exists()
