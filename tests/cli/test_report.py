# SPDX-License-Identifier: Apache-2.0
"""``tilepath report``: the page and what is beside it; nothing that a run says is code."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tilepath.engine.commands.regress.store import Group, Store
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report_page.drawn import growth
from tilepath.engine.commands.report_page.page import steps
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.coverage import rtl
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.coverage.rtl import CodePoint
from tilepath.engine.host.run import RunRequest
from tilepath.tests.blocks.test_check import flip
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST, simulate

EVIL = "<script>alert('x')</script>"
GROUP = Group(FAST, "baseline")
REPORT = f"MISMATCH t0.issue event 5, cycle 7: word differs {EVIL}"


def run_of(test: str, seed: int) -> PlannedRun:
    return PlannedRun("frontend", test, seed)


def regression(folder: Path) -> Path:
    """A file: four jobs passed, two failed alike, one in its own way, one is left."""
    bins = [{"hit": 1, "late": int(seed == 3), "never": 0} for seed in range(4)]
    done = [Outcome(run_of("random_mix", n), "pass", 100, 50, 0, 1.5) for n in range(4)]
    for number, outcome in enumerate(done):
        path = folder / f"coverage{number}.json"
        CoverageReport("frontend", "baseline", 1, {f"point {EVIL}": bins[number]}).write_json(path)
        done[number] = replace(outcome, coverage_file=path)
    text = folder / "report.txt"
    text.write_text(REPORT)
    alike = Outcome(run_of("vectors", 1), "fail", 90, 50, 0, 0.5, REPORT, text, command="again 1")
    alike = replace(alike, signature="t0.issue word, caused by MOP")
    odd = Outcome(run_of(EVIL, 9), "error", 10, 0, 0, 0.1, EVIL, command=f"run {EVIL}")
    done += [replace(alike, run=run_of("vectors", 2), cycles=900, command="again 2"), alike]
    done += [replace(odd, signature=EVIL)]
    file = folder / "night.sqlite"
    with closing(Store(file, create=True)) as store:
        runs = [outcome.run for outcome in done]
        store.begin(1, {}, 77, {GROUP: [*runs, run_of("vectors", 3)]})
        jobs = store.jobs(1, GROUP)
        for outcome in done:
            store.done(jobs[outcome.run], outcome, GROUP)
    return file


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of such a file, whose shortest failure has its run's folder."""
    folder = tmp_path_factory.mktemp("report")
    file = regression(folder)
    request = RunRequest("frontend", "vectors", 1, FAST, out_dir=folder / "out", block_cycles=1000)
    kept = folder / "night.sqlite.runs" / "1" / f"{FAST}-baseline" / "frontend" / "vectors-1"
    shutil.copytree(simulate(request), kept)
    flip(kept, "t0.issue", 5, "word", bit=13)
    assert "wrote" in printed("report", file)
    return file.with_suffix(".html")


def test_what_is_on_the_page(page: Path) -> None:
    text = page.read_text()
    assert "3 of 7 jobs failed</strong>, 1 not done" in text
    assert "frontend: t0.issue word, caused by MOP</strong>: 2 jobs" in text
    assert "again 1" in text and "vectors seed 2 (" in text  # the shortest, then the other
    assert '<td class="n pass">4/4</td>' in text and '<td class="n fail">0/2</td>' in text
    assert "2 of 3 bins (66.67 %)" in text and "never hit: 1" in text
    assert re.findall(r"http[^\s\"]*", text) == []  # nothing from elsewhere


def test_both_sides_around_the_first_difference(page: Path) -> None:
    (wave,) = re.findall(r'<svg class="wave".*?</svg>', page.read_text(), re.S)
    # four events before and four from there on, a box for each side; the flipped bit of one is odd
    assert wave.count('<rect class="bx') == 2 * 2 * 8  # two fields
    assert wave.count('class="bx odd"') == 2
    assert "word in cycle" in wave and "0x26004000" in wave and "0x26006000" in wave


def test_nothing_that_a_run_says_is_code(page: Path) -> None:
    text = page.read_text()
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(") >= 5  # test, message, report, command, point
    assert "<script" not in re.sub("`[^`]*`", "", page.with_suffix(".md").read_text())


def test_junit_and_summary_beside_it(page: Path) -> None:
    (suite,) = ET.parse(page.with_suffix(".xml")).getroot()
    told = {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")}
    assert told == dict(name="frontend", tests="8", failures="2", errors="1", skipped="1")
    assert any(REPORT in (found.text or "") for found in suite.iter("failure"))
    summary = page.with_suffix(".md").read_text()
    assert "3 of 7 jobs failed, 1 not done" in summary
    assert "| 2 | frontend: t0.issue word, caused by MOP |" in summary
    assert "| frontend, baseline | 2 | 3 | 66.67 |" in summary


def test_growth() -> None:
    rows = [np.array(row, dtype=bool) for row in ([1, 0, 0], [1, 0, 0], [0, 1, 0])]
    assert steps(rows) == [(1, 1), (3, 2)]
    assert "2 of 3 bins after 3 jobs, the last of them new in job 3" in growth(
        "b", steps(rows), 3, 3
    )
    assert "0 of 3 bins after 1 jobs" in growth("b", steps([np.zeros(3, dtype=bool)]), 1, 3)


def test_code_coverage(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "verilator-baseline"
    (folder / "frontend" / "rtl").mkdir(parents=True)
    place = ("rtl/frontend/frontend.sv", 50, 5)
    bits = {CodePoint(*place, "toggle", "frontend", f"a[{n}]:0->1", ""): n for n in range(3)}
    (folder / "frontend" / "rtl" / rtl.FILE).write_text(rtl.dat(bits))
    out = tmp_path / "page.html"
    file = page.with_suffix(".sqlite")
    printed("report", file, "--rtl-coverage", folder, "--out", out)
    found = out.read_text().partition("RTL of frontend, baseline")[2]
    assert '<th scope="row">frontend</th><td class="n"></td><td class="n"></td>' in found
    assert found.count("2 of 3") == 2  # of the module, and together


def test_mutants(page: Path, tmp_path: Path) -> None:
    place = dict(kind="index", file="rtl/frontend/frontend.sv", start=1, line=7, source="")
    verdicts = ["found"] * 7 + ["survived", "listed", "wrong list"]
    rows = [
        dict(number=n, mutant={**place, "old": EVIL, "new": f"{n}"}, verdict=v, message=f"why {n}")
        for n, v in enumerate(verdicts)
    ]
    told = dict(block="frontend", profile="baseline", mutants=rows)
    files = [tmp_path / name for name in ("mutants.json", "none.json")]
    for file, one in zip(files, (told, {**told, "block": "adc", "mutants": []}), strict=True):
        file.write_text(json.dumps(one))
    out = tmp_path / "page.html"
    both = [argument for file in files for argument in ("--mutants", file)]
    command = ("report", page.with_suffix(".sqlite"), "--out", out)
    printed(*command, *both)
    text = out.read_text()
    assert "frontend, baseline: 88.9 % found (7 found, 1 listed, 1 survived)" in text
    assert "adc, baseline: 100.0 % found (0 found, 0 listed, 0 survived)" in text
    assert "<script" not in text and text.count("frontend.sv:7</th>") == 3  # not the found ones
    for verdict in range(7, 10):
        assert f"<td>{verdict}</td><td>why {verdict}</td>" in text
    summary = out.with_suffix(".md").read_text()
    assert "| frontend, baseline | 7 | 1 | 1 | 1 | 88.9 |" in summary
    for wrong in (
        *("[", "[]", "{}", "[" * 10_000, '{"mutants": [1]}'),
        json.dumps({**told, "mutants": [{**rows[0], "mutant": place}]}),
        json.dumps({**told, "mutants": [{**rows[0], "verdict": "new"}]}),
    ):
        files[0].write_text(wrong)
        refused(invoke(*command, *both), "is no mutants.json of tilepath mutate")
    refused(invoke(*command, "--mutants", tmp_path), "it is a directory")


def many(page: Path, folder: Path) -> Path:
    """The page of a file with some ten thousand jobs more, half of them failed."""
    file = Path(shutil.copy(page.with_suffix(".sqlite"), folder))
    with closing(sqlite3.connect(file)) as db, db:
        names = [row[1] for row in db.execute("PRAGMA table_info(jobs)")][1:]
        given = ", ".join("seed + n" if name == "seed" else name for name in names)
        db.execute(
            "WITH RECURSIVE c(n) AS (SELECT 100 UNION ALL SELECT n + 100 FROM c WHERE n < 140000) "
            f"INSERT INTO jobs ({', '.join(names)}) SELECT {given} FROM jobs, c"
        )
    printed("report", file)
    return file.with_suffix(".html")


def test_ten_thousand_jobs(page: Path, tmp_path: Path) -> None:
    text = many(page, tmp_path).read_text()
    assert "of 9807 jobs failed" in text and len(text) < 5_000_000


def test_bad_input(page: Path, tmp_path: Path) -> None:
    file, empty = page.with_suffix(".sqlite"), tmp_path / "empty.sqlite"
    with closing(Store(empty, create=True)):
        pass
    for arguments, says in (
        ((tmp_path / "no.sqlite",), "there is no file"),
        ((page,), "file"),
        ((file, "--out", tmp_path / "page.pdf"), "is called .html"),
        ((file, "--out", tmp_path / "no" / "page.html"), "cannot be written"),
        ((file, "--rtl-coverage", tmp_path), "has no coverage of RTL"),
        ((empty,), "there is no regression in"),
    ):
        refused(invoke("report", *arguments), says)


# -- the page in a browser: screens, colours, keyboard, time to open


__all__ = ["page"]

_NEEDED = ("chromium", "chromedriver")
_PACKAGES = ("chromium", "chromium-driver")
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
)
_CONTRAST = Path(__file__).with_name("contrast.js").read_text()


def _installed() -> bool:
    return all(map(shutil.which, _NEEDED))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A headless Chromium; Debian's packages are installed where that asks nothing."""
    if not _installed():
        command = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *_PACKAGES]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if not _installed():
        pytest.skip(f"no browser; with Debian: apt-get install {' '.join(_PACKAGES)}")
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which(_NEEDED[0]))
    for text in (*_OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(text)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which(_NEEDED[1])))
    yield driver
    driver.quit()


def prefers(browser: webdriver.Chrome, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sizes_and_colours_in_a_browser(
    browser: webdriver.Chrome, page: Path, width: int, scheme: str
) -> None:
    """Only tables and pictures scroll sideways; all text has the contrast that WCAG AA asks for."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    prefers(browser, scheme)
    browser.get(page.as_uri())
    for found in browser.find_elements(By.TAG_NAME, "details"):
        browser.execute_script("arguments[0].open = true", found)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(_CONTRAST) >= 4.5


def test_keyboard_and_names_in_a_browser(browser: webdriver.Chrome, page: Path) -> None:
    """The first key skips to the content; whatever takes the focus has a name to be read out."""
    browser.get(page.as_uri())
    found = []
    for _ in range(40):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        at = browser.switch_to.active_element
        if at.tag_name == "body":
            break
        found.append((at.tag_name, at.accessible_name or at.text))
    assert found[0] == ("a", "Skip to the content")
    assert all(name for _, name in found)
    assert {tag for tag, _ in found} >= {"a", "summary", "div", "pre"}
    for picture in browser.find_elements(By.TAG_NAME, "svg"):
        assert picture.accessible_name
    heads = [int(e.tag_name[1]) for e in browser.find_elements(By.CSS_SELECTOR, "h1,h2,h3")]
    assert heads[0] == 1 and all(b - a <= 1 for a, b in pairwise(heads))


def test_no_script_and_no_network_in_a_browser(browser: webdriver.Chrome, page: Path) -> None:
    browser.get(page.as_uri())
    assert browser.find_elements(By.TAG_NAME, "script") == []
    loaded = "return performance.getEntriesByType('resource').length"
    assert browser.execute_script(loaded) == 0
    assert "<script>alert('x')</script>" in browser.find_element(By.TAG_NAME, "main").text


def test_ten_thousand_jobs_open_in_a_browser(
    browser: webdriver.Chrome, page: Path, tmp_path: Path
) -> None:
    """It is drawn; how long that took is printed, and not judged here."""
    browser.get(many(page, tmp_path).as_uri())
    took = browser.execute_script(
        "return performance.getEntriesByType('navigation')[0].domComplete"
    )
    print(f"10,000 jobs: {took:.0f} ms")
    assert "of 9807 jobs failed" in browser.find_element(By.TAG_NAME, "header").text
