# SPDX-License-Identifier: Apache-2.0
"""``tilepath coverage --export`` and ``--import``: UCIS and lcov, bin by bin."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ucis.mem import MemUCIS
from ucis.sqlite.sqlite_ucis import SqliteUCIS
from ucis.xml.xml_factory import XmlFactory

from tilepath.cli.exchange import _instances
from tilepath.tb.kernel.coverage.report import merge_files
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import refused

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
    """Instance and point → bins, as pyucis reads them."""
    if path.suffix == ".xml":
        database: Any = XmlFactory.read(str(path))
    else:
        database = SqliteUCIS(str(shutil.copy(path, path.with_name("copy"))))
    return {
        f"{name}/{own if ' ' in own else f'{group}.{own}'}": bins
        for name, points in _instances(database)
        for (group, own), bins in points.items()
    }


def _read_lcov(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        kind, _, value = line.partition(":")
        if kind == "SF":
            bins = found[value] = {}
            lines: list[int] = []
        elif kind == "FNDA":
            count, _, name = value.partition(",")
            bins[name] = int(count)
        elif kind == "DA":
            lines.append(int(value.partition(",")[2]))
        elif kind in ("LF", "FNF"):
            assert int(value) == len(bins)
        elif kind in ("LH", "FNH"):
            assert int(value) == sum(map(bool, bins.values()))
        elif kind == "end_of_record":
            assert lines == list(bins.values())
    return found


READERS: dict[str, Callable[[Path], dict[str, dict[str, int]]]] = {
    "all.xml": _read_back,
    "all.sqlite": _read_back,
    "all.info": _read_lcov,
}


@pytest.mark.parametrize("name", READERS)
def test_every_bin_of_an_export_is_read_back(runs: Path, name: str) -> None:
    file = runs.parent / name
    assert printed("coverage", runs, "--export", file) == f"wrote {file}\n"
    expected = {
        f"{block} ({profile})/{point}": bins
        for block, profile in (ADC, JOINED)
        for point, bins in _ours(runs, block).items()
    }
    assert READERS[name](file) == expected
    left = {"copy"} if name == "all.sqlite" else set()
    assert {one.name for one in runs.parent.iterdir()} - left <= {
        "runs",
        name,
        "copy-wal",
        "copy-shm",
    }


@pytest.mark.parametrize("name", ["all.xml", "all.sqlite"])
def test_what_is_imported_is_as_if_it_had_been_run_here(
    runs: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = runs.parent / name
    shown = printed("coverage", runs, "--all")
    printed("coverage", runs, "--export", file)
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


def _exported(runs: Path) -> str:
    file = runs.parent / "made.xml"
    printed("coverage", runs, "--export", file)
    return file.read_text()


def test_a_point_that_has_no_bin_in_a_profile(tmp_path: Path) -> None:
    _store(tmp_path / "runs", ("control", "baseline"), 1)
    file = tmp_path / "out.xml"
    printed("coverage", tmp_path / "runs", "--export", file)
    assert "points of control (baseline)" in printed(
        "coverage", tmp_path / "runs", "--import", file
    )


def test_a_database_of_another_tool(runs: Path) -> None:
    """It calls the instance after the block alone, and has points of its own."""
    text = _exported(runs).replace('name="adc (blackhole)"', 'name="adc"')
    text = text.replace('coverpoint name="no_increment_', 'coverpoint name="their_')
    file = runs.parent / "theirs.xml"
    file.write_text(text)
    shown = printed("coverage", runs, "--import", file)
    assert "points of adc with" in shown and "; points left out that are none of ours: 1" in shown
    assert "coverage of adc (baseline):" in shown and "of 3782 bins, 3 runs)" in shown


def _sqlite(table: str) -> Callable[[Path, Path], None]:
    def make(_runs: Path, file: Path) -> None:
        with sqlite3.connect(file) as database:
            database.execute(table)
        database.close()

    return make


def _empty_ucis(_runs: Path, file: Path) -> None:
    XmlFactory.write(MemUCIS(), str(file))


def _changed(pattern: str, by: str) -> Callable[[Path, Path], None]:
    def make(runs: Path, file: Path) -> None:
        file.write_text(re.sub(pattern, by, _exported(runs)))

    return make


def _cut_sqlite(runs: Path, file: Path) -> None:
    whole = runs.parent / "whole.sqlite"
    printed("coverage", runs, "--export", whole)
    file.write_bytes(whole.read_bytes()[: 1 << 14])


NO_DATABASE = "is no UCIS database, or a damaged one: "


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda runs, file: None, "No such file"),
        (lambda runs, file: file.mkdir(), "it is a directory, not a file"),
        (lambda runs, file: file.write_bytes(b""), NO_DATABASE),
        (lambda runs, file: file.write_bytes(bytes(range(256))), NO_DATABASE),
        (lambda runs, file: file.write_text("<html><body/></html>"), NO_DATABASE),
        (lambda runs, file: file.write_text(_exported(runs)[:-3000]), NO_DATABASE),
        (_sqlite("CREATE TABLE tests (name TEXT)"), "has none of our points"),
        (_cut_sqlite, NO_DATABASE),
        (_changed('coverageCount="2"', 'coverageCount="-2"'), NO_DATABASE),
        (_empty_ucis, NO_DATABASE),
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
        ("nowhere/cov.info", "nowhere/cov.info"),
        ("", "the path is empty"),
    ],
)
def test_what_cannot_be_exported(runs: Path, name: str, says: str) -> None:
    refused(invoke("coverage", runs, "--export", runs / name if name else ""), says)


def test_without_pyucis(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = runs.parent / "cov.xml"
    monkeypatch.setitem(sys.modules, "ucis", None)
    for option in ("--export", "--import"):
        refused(invoke("coverage", runs, option, file), "pip install 'tilepath[ucis]'")
    assert not file.exists()
    printed("coverage", runs, "--export", runs.parent / "cov.info")
