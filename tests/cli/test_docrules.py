# SPDX-License-Identifier: Apache-2.0
"""``make lint`` finds decisions without entry or citation, and endless lines of documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tilepath.cli.docrules import WIDEST, citation_problems, citations, decisions, long_lines
from tilepath.tests.cli.files import write

_ROOT = Path(__file__).resolve().parents[2]


def _cited(root: Path, name: str, text: str) -> list[str]:
    return [number for _, number in citations(write(root, name, text), root)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", "x = 1  # as F12 says\n", "F12"),
        ("a.py", "x = 1  # M4 (M7 to M9), and M[3:0], 5M2, M05\n", "M4 M7 M8 M9"),
        ("a.py", '"""Words (U45 to U47).\n\nNot only A2-A4, P7."""\n', "U45 U46 U47 A2 A3 A4 P7"),
        ("a.py", 'reason = f"only {x} (U33)"\n', "U33"),
        ("a.py", 'BUGS = Catalogue(r"A\\d+|P18|C14")\n', "P18 C14"),
        ("a.py", "U1, A0, F64 = 1, 0x_A5, C14.f(U9)\n", ""),
        ("a.sv", "assign A1 = C2;  // x (C17-C19)\n/* also\n F3 … F5 */\n", "C17 C18 C19 F3 F4 F5"),
        ("a.sv", "// 0xA5, 8'hA5, A5_q, hA7, A1.5, F05, C0, E5M2, B7, FP32, BFP8A2\n", ""),
        ("a.sv", "// opcodes A2, A6 and A7; opcode A45; F64; the hex C30\n", ""),
        ("a.toml", 'source = "U66, P24–27"\nopcodes = "A0 A1 A10"\n', "U66 P24 P25 P26 P27"),
        ("a.toml", 'x = { A5 = 1 }  # C9\nmeaning = "Alu (C2)"\n', "C9 C2"),
        ("a.tt", "A1000001   # an override (A3)\nttnop F9\n", "A3"),
        ("a.md", "`A1`, F2\n\n| U3 |\n\n```\nC9\n```\nP4\n", "A1 F2 U3 P4"),
        ("Makefile", "C9 := $(A8)  # F1\n", "F1"),
        ("a.toml", 'breaks = "C9"\nold = "  a = 1; // C8"\n', "C9"),
        # threads, templates, timelines
        ("a.py", "# T0 before T1; timelines T1 to T4, T5 (of thread T2)\n", ""),
        ("a.py", "# one flag (T3), two (T10, C2)\n", "T3 T10 C2"),
        ("a.toml", 'source = "T10"\n', "T10"),
        ("rtl/flag_pipe/a.sv", "// as T7 says, and T9\n", "T7 T9"),
    ],
)
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
