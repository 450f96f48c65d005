# SPDX-License-Identifier: Apache-2.0
"""``make lint`` finds decisions without entry or citation, and endless lines of documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tilepath.cli.houserules import WIDEST, citation_problems, citations, decisions, long_lines
from tilepath.tests.cli.files import CASES, write

_ROOT = Path(__file__).resolve().parents[2]


def _cited(root: Path, name: str, text: str) -> list[str]:
    return [number for _, number in citations(write(root, name, text), root)]


@pytest.mark.parametrize(("name", "text", "expected"), CASES["citations"])
def test_what_is_a_citation(tmp_path: Path, name: str, text: str, expected: str) -> None:
    assert sorted(_cited(tmp_path, name, text)) == sorted(expected.split())


def test_a_citation_without_an_entry_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, "docs/decisions/unpack.md", "# U\n\n### U1 — One\nText.\n\n### U3 — Three\n")
    write(tmp_path, "docs/decisions/adc.md", "### A1 — One\n### A2\n### A1 — Again\n")
    write(tmp_path, "docs/decisions/standin.md", "### M1 — One\n\n### M3 — As M3\n")
    write(tmp_path, "models/x.py", '"""Said (U1).\n\nAnd (U1 to U3), M1 and M2.\n"""\n')
    write(tmp_path, "rtl/x.sv", "// A1\n// not A2\n")
    assert dict(decisions(tmp_path)) == {"U1": 1, "U3": 1, "A1": 2, "M1": 1, "M3": 1}
    assert sorted(citation_problems(tmp_path)) == [
        "docs/decisions/adc.md:2: A2 is not in docs/decisions",
        "docs/decisions: A1 has 2 entries",
        "docs/decisions: M3 is cited nowhere",
        "models/x.py:3: M2 is not in docs/decisions",
        "models/x.py:3: U2 is not in docs/decisions",
        "rtl/x.sv:2: A2 is not in docs/decisions",
    ]


def test_long_lines_of_documents(tmp_path: Path) -> None:
    long = "x " * WIDEST
    write(tmp_path, "docs/a/b.md", f"short\n\n{long}\n\n| {long} |\n\n```\n{long}\n```\n")
    write(tmp_path, "README.md", f"{'y' * WIDEST}\n{'z' * (WIDEST + 1)}\n")
    write(tmp_path, "notes.md", f"{long}\n")
    assert [line.partition(": ")[0] for line in long_lines(tmp_path)] == [
        "README.md:2",
        "docs/a/b.md:3",
    ]


def test_this_repository() -> None:
    """Each family is there without a gap; a decision that a comment cites is an entry."""
    known = decisions(_ROOT)
    families = Counter(number[0] for number in known)
    assert set(families) == set("ACFMPTU")
    assert set(known) == {f"{name}{k + 1}" for name, n in families.items() for k in range(n)}
    assert list(citation_problems(_ROOT)) == []
    assert list(long_lines(_ROOT)) == []
