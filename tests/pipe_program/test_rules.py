# SPDX-License-Identifier: Apache-2.0
"""Every rule fires with its message at its place, and does not for a neighbour that is right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tilepath.models.pipe_program import Diag, check, parse
from tilepath.tests.pipe_program.texts import BASES, CASES, MESSAGES, changed, place


@pytest.mark.parametrize("base", ["uni", "gm", "two", "halves"])
def test_without_a_change_it_passes(base: str) -> None:
    report = check(parse(BASES[base]))
    assert (report.errors, report.warnings, report.verdict) == ((), (), "OK")


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    base, case = CASES[name]
    text = changed(BASES[base], *case["changes"])
    report = check(parse(text))
    left = [diag for diag in report.warnings if diag.code == "C23" and base == "body"]
    _assert_told(text, report.errors, case.get("errors", ()))
    warnings = [diag for diag in report.warnings if diag not in left]
    _assert_told(text, warnings, case.get("warnings", ()))
    assert report.verdict == ("ERROR" if "errors" in case else "OK")
    assert report.kpn == case.get("kpn", report.kpn)


def _assert_told(text: str, found: Sequence[Diag], expected: Sequence[Sequence[str]]) -> None:
    """Assert that what was found is what was expected, in the order of the text."""
    told = [(diag.code, (diag.where.line, diag.where.column), diag.msg) for diag in found]
    wanted = [(code, place(text, fragment), message) for code, fragment, message in expected]
    assert sorted(told) == sorted(wanted)
    assert [diag.where for diag in found] == sorted(diag.where for diag in found)


def test_every_rule_has_a_case() -> None:
    assert {code for code, _ in MESSAGES} == {f"C{k:02d}" for k in range(1, 27)}
