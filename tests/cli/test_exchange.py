# SPDX-License-Identifier: Apache-2.0
"""``tilepath coverage --export`` and ``--import``: UCIS and lcov, bin by bin."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ucis.mem import MemUCIS
from ucis.xml.xml_factory import XmlFactory

from tilepath.engine.commands.exchange import _formats, _read, _sum
from tilepath.engine.coverage.report import merge_files
from tilepath.engine.description.registry import load_block
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import stored, write
from tilepath.tests.commands import call, python, refused

ADC = ("adc", "blackhole")
JOINED = ("frontend_control", "baseline")  # whose points are not called GROUP.NAME


def _store(out: Path, key: tuple[str, str], seed: int) -> None:
    """A passed run that has hit some bins."""
    block, profile = key
    report = load_block(block).coverage(profile).report()
    rng = random.Random(seed)
    for bins in report.points.values():
        bins |= {name: rng.choice((0, 1, 2, 3_000_000_000)) for name in bins}
    began = f"2026-01-01T00:00:{seed:02}"
    stored(out, (block, "mix", seed), coverage=report, began=began, profile=profile)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Runs of two blocks."""
    for key, seed in ((ADC, 1), (ADC, 2), (JOINED, 3)):
        _store(tmp_path / "runs", key, seed)
    return tmp_path / "runs"


def _ours(runs: Path, block: str) -> dict[str, dict[str, int]]:
    return merge_files(runs.glob(f"{block}/*/coverage.json")).points


def _read_back(path: Path) -> dict[str, dict[str, int]]:
    """Instance and point → bins."""
    if path.suffix == ".info":
        return _read_lcov(path)
    return {
        f"{name}/{own if ' ' in own else f'{group}.{own}'}": bins
        for name, points in _read(path.read_bytes(), _formats())[0]
        for (group, own), bins in points.items()
    }


def _pyucis(runs: Path, *arguments: str) -> str:
    return python("-m", "ucis", *arguments, cwd=runs.parent, check=True).stdout


def _read_lcov(path: Path) -> dict[str, dict[str, int]]:
    found = {}
    for record in path.read_text().split("end_of_record\n")[:-1]:
        rows: dict[str, list[str]] = {}
        for kind, _, value in (line.partition(":") for line in record.splitlines()):
            rows.setdefault(kind, []).append(value)
        bins = {name: int(n) for n, _, name in (one.partition(",") for one in rows["FNDA"])}
        assert rows["FN"] == [f"{line},{name}" for line, name in enumerate(bins, 1)]
        assert rows["DA"] == [f"{line},{n}" for line, n in enumerate(bins.values(), 1)]
        assert rows["LF"] == rows["FNF"] == [str(len(bins))]
        assert rows["LH"] == rows["FNH"] == [str(sum(map(bool, bins.values())))]
        source = Path(*rows["SF"])
        assert source.is_absolute() and source.read_text().splitlines() == list(bins)
        block, profile, _ = source.parent.name.split("-")
        found[f"{block} ({profile})/{source.stem}"] = bins
    return found


def _exported(runs: Path, name: str = "made.xml") -> Path:
    file = runs.with_name(name)
    assert printed("coverage", runs, "--export", file) == f"wrote {file}\n"
    return file


@pytest.mark.parametrize("name", ["all.xml", "all.sqlite", "all.info"])
def test_every_bin_of_an_export_is_read_back(runs: Path, name: str) -> None:
    file = _exported(runs, name)
    expected = {
        f"{block} ({profile})/{point}": bins
        for block, profile in (ADC, JOINED)
        for point, bins in _ours(runs, block).items()
    }
    assert _read_back(file) == expected
    there = {one.name for one in runs.parent.iterdir()}
    assert there - {"tilepath-bins"} == {"runs", name}


@pytest.mark.skipif(not shutil.which("genhtml"), reason="lcov, which has it, is not installed")
def test_genhtml_makes_a_page_in_any_folder_and_lcov_adds(runs: Path) -> None:
    for name in ("one.info", "two.info"):
        _exported(runs, name)
    points = (*_ours(runs, ADC[0]).values(), *_ours(runs, JOINED[0]).values())
    counts = sorted(count for bins in points for count in bins.values())
    page = call("genhtml", "-o", "page", "../one.info", cwd=runs, check=True).stdout
    assert f"({sum(map(bool, counts))} of {len(counts)} lines)" in page
    call("lcov", "-a", "../one.info", "-a", "../two.info", "-o", "sum", cwd=runs, check=True)
    added = re.findall(r"(?m)^DA:\d+,(\d+)", (runs / "sum").read_text())
    assert sorted(map(int, added)) == [2 * count for count in counts]


FORMATS = {"all.xml": "xml", "all.sqlite": "sqlite", "all.cdb": "ncdb"}  # as pyucis calls them


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_imported_is_as_if_it_had_been_run_here(
    runs: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = runs.parent / name
    shown = printed("coverage", runs, "--all")
    made = _exported(runs, "all.xml" if name == "all.cdb" else name)
    if made != file:
        _pyucis(runs, "convert", "-of", "ncdb", "-o", name, made.name)
    before = file.read_bytes()
    monkeypatch.chdir(runs.parent / "runs" / "adc")  # where no folder is called runs
    text = printed("coverage", "--import", file, "--all")
    points = {block: len(_ours(runs, block)) for block, _ in (ADC, JOINED)}
    assert text.splitlines()[0].startswith(
        f"{file}: {points['adc']} points of adc (blackhole) with"
    )
    assert text.partition("\n")[2] == shown
    both = printed("coverage", runs, "--import", file, "--import", file)
    assert "of 3782 bins, 6 runs)" in both and "of 109 bins, 3 runs)" in both
    assert file.read_bytes() == before
    again = runs.parent / "again.info"
    printed("coverage", runs, "--import", file, "--export", again)
    bins = _read_lcov(again)["adc (blackhole)/unpack.no_increment_thread_x_adc"]
    ours = _ours(runs, "adc")["unpack.no_increment_thread_x_adc"]
    assert bins == {name: 2 * count for name, count in ours.items()}
    text = _pyucis(runs, "show", "tests", "-if", FORMATS[name], name)
    summary = json.loads(text[text.index("{") :])["summary"]
    assert summary == {"total_tests": 3, "passed": 3, "failed": 0}


def test_a_point_that_has_no_bin_in_a_profile(tmp_path: Path) -> None:
    _store(tmp_path / "runs", ("control", "baseline"), 1)
    text = printed("coverage", "--import", _exported(tmp_path / "runs"))
    assert "points of control (baseline)" in text


def test_a_point_of_a_plan_of_ones_own_stays_one(runs: Path) -> None:
    ours = merge_files(runs.glob("adc/*/coverage.json"))
    ours.outside = ("mine",)
    assert _sum(Path(), ours, {}, 1).outside == ("mine",)


def test_a_database_of_another_tool(runs: Path) -> None:
    """It calls the instance after the block alone, and has points of its own."""
    text = _exported(runs).read_text().replace('name="adc (blackhole)"', 'name="adc"')
    text = text.replace('coverpoint name="no_increment_', 'coverpoint name="their_')
    file = write(runs.parent, "theirs.xml", text)
    shown = printed("coverage", runs, "--import", file)
    assert "points of adc with" in shown and "; points left out that are none of ours: 1" in shown
    assert "coverage of adc (baseline):" in shown and "of 3782 bins, 3 runs)" in shown


def _other_tables(_runs: Path, file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE tests (name TEXT)")
    database.close()


def _changed(pattern: str, by: str) -> Callable[[Path, Path], None]:
    def make(runs: Path, file: Path) -> None:
        file.write_text(re.sub(pattern, by, _exported(runs).read_text()))

    return make


def _cut_sqlite(runs: Path, file: Path) -> None:
    file.write_bytes(_exported(runs, "whole.sqlite").read_bytes()[: 1 << 14])


NO_DATABASE = "is no UCIS database in XML, SQLite or NCDB, or a damaged one ("


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda runs, file: None, "No such file"),
        (lambda runs, file: file.mkdir(), "it is a directory, not a file"),
        (lambda runs, file: file.write_bytes(b""), NO_DATABASE),
        (lambda runs, file: file.write_bytes(bytes(range(256))), NO_DATABASE),
        (lambda runs, file: file.write_bytes(b"PK\3\4 no ZIP"), NO_DATABASE),
        (lambda runs, file: file.write_text("coverage: {}\n"), "pyucis convert -if FORMAT -of xml"),
        (lambda runs, file: file.write_text("<html><body/></html>"), NO_DATABASE),
        (lambda runs, file: file.write_text(_exported(runs).read_text()[:-3000]), NO_DATABASE),
        (_other_tables, "has none of our points"),
        (_cut_sqlite, NO_DATABASE),
        (_changed('coverageCount="2"', 'coverageCount="-2"'), NO_DATABASE),
        (lambda runs, file: XmlFactory.write(MemUCIS(), str(file)), NO_DATABASE),
        (_changed(r'name="\w+ \(\w+\)"', 'name="top"'), "has none of our points"),
        (_changed(r"\((blackhole|baseline)\)", "(nosuch)"), "has none of our points"),
        (_changed('coverpointBin name="', 'coverpointBin name="x'), "has no bin 'x"),
    ],
)
def test_what_cannot_be_imported(runs: Path, make: Callable[[Path, Path], None], says: str) -> None:
    file, kept = runs.parent / "bad.db", runs.parent / "kept.xml"
    make(runs, file)
    kept.write_text("kept")
    refused(invoke("coverage", runs, "--import", file, "--export", kept), str(file), says)
    assert kept.read_text() == "kept"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("cov.html", "cov.html: a file is called .xml, .sqlite or .info"),
        ("nowhere/cov.xml", "nowhere/cov.xml"),
        ("nowhere/cov.sqlite", "nowhere/cov.sqlite"),
        ("nowhere/cov.info", "nowhere/tilepath-bins"),
        ("", "the path is empty"),
    ],
)
def test_what_cannot_be_exported(runs: Path, name: str, says: str) -> None:
    refused(invoke("coverage", runs, "--export", runs / name if name else ""), says)


@pytest.mark.parametrize(
    ("name", "says"), [("tilepath-bins", "File exists"), ("cov.info", "Is a directory")]
)
def test_an_export_to_lcov_leaves_nothing_if_it_fails(runs: Path, name: str, says: str) -> None:
    taken = runs.with_name(name)
    taken.write_text("mine") if name == "tilepath-bins" else taken.mkdir()
    before = set(runs.parent.rglob("*"))
    refused(invoke("coverage", runs, "--export", runs.with_name("cov.info")), says, name)
    assert set(runs.parent.rglob("*")) == before


def test_without_pyucis(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = runs.parent / "cov.xml"
    monkeypatch.setitem(sys.modules, "ucis", None)
    for option in ("--export", "--import"):
        refused(invoke("coverage", runs, option, file), "pip install 'tilepath[ucis]'")
    assert not file.exists()
    printed("coverage", runs, "--export", runs.parent / "cov.info")
