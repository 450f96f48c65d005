# SPDX-License-Identifier: Apache-2.0
"""Files that people write: which are refused, and how lines and blocks are found."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tilepath.engine.text import Line, TextError, read_text, tree


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "1:1: cannot be read: No such file"),
        ("folder", "1:1: cannot be read: it is a directory, not a file"),
        ("fifo", "1:1: cannot be read: it is a FIFO, not a file"),
        (b"#" * ((4 << 20) + 1), "1:1: longer than 4194304 bytes"),
        (b"# \n\n  \xff", "3:3: this is not UTF-8 text"),
    ],
    ids=["missing", "folder", "fifo", "long", "binary"],
)
def test_files_that_are_no_text(tmp_path: Path, data: bytes | str | None, told: str) -> None:
    path = tmp_path / "x"
    if isinstance(data, bytes):
        path.write_bytes(data)
    elif data:
        (path.mkdir if data == "folder" else lambda: os.mkfifo(path))()
    with pytest.raises(TextError, match=f"^{re.escape(str(path))}:{told}"):
        read_text(path)


def test_what_a_shell_pipes_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, "a é\n".encode())
    os.close(writing)
    assert read_text(Path(f"/dev/fd/{reading}")) == "a é\n"
    os.close(reading)


def test_statements_and_blocks() -> None:
    text = '\ufeff# none\na "#{" # one\n\tb 1 { c{2}d; e { } }\r\nif x {\n} else { f }\n'
    lines = [*tree(text.removeprefix("\ufeff"), "t")]

    def shown(line: Line) -> str:
        body = "" if line.body is None else f" {{{', '.join(map(shown, line.body))}}}"
        behind = shown(line.behind) if line.behind else ""
        return f"{line.where.line}:{line.where.column} {line.text}{body}{behind}"

    assert [*map(shown, lines)] == [
        '2:1 a "#{"',
        "3:2 b 1 {3:8 c{2}d; e {}}",
        "4:1 if x {}5:1 else {5:10 f}",
    ]
    assert (lines[0].word, lines[0].rest, str(lines[0].at('"#{"'))) == ("a", '"#{"', "t:2:3")
    assert str(lines[1].error("what  is\nthat?")) == "t:3:2: what is that?"
    assert len(str(lines[1].error("a" * 999))) == len("t:3:2: ") + 301


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\nb \x0c c", r"2:3: character '\x0c'"),
        ("a {\r}", r"1:4: character '\r'"),
        ("a\n}", "2:1: this } closes nothing"),
        ("a {\n b {\n }\n", "1:3: this { has no }"),
        ("{ }", "1:1: a { of nothing"),
        ("a {\n} b", "2:1: 'b' behind the }"),
        ("a {\n} else {\n}", "2:1: a has no else"),
        ("if {\n} else b", "2:1: an else is written } else {"),
        ("a {\n" * 22, "22:1: more than 21 blocks in one another"),
    ],
)
def test_what_is_wrong_with_a_text(text: str, told: str) -> None:
    with pytest.raises(TextError, match=f"^t:{re.escape(told)}$"):
        list(tree(text, "t"))


def test_lines_before_what_is_wrong_are_handed_over() -> None:
    """They may be why: here a { is missing."""
    found = tree("a\nif b\n c\n}", "t")
    assert [next(found).text for _ in range(3)] == ["a", "if b", "c"]
    with pytest.raises(TextError, match="t:4:1: this } closes nothing"):
        next(found)
