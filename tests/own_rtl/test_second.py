# SPDX-License-Identifier: Apache-2.0
"""An ``adc`` built another way stands up to the tests of ``adc``; with a bug in it, it does not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.engine.host.verilator import for_verilator, verilator_path
from tilepath.tests.commands import call, passed, python
from tilepath.tests.cosim_runs import FAST, SMALL
from tilepath.tests.docs.examples import sources

_SECOND = ROOT / "tests" / "adc" / "second"
_RUN = ("-m", "tilepath", "run", "--block", "adc", "--no-waves", "--top", "second_adc")


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
