# SPDX-License-Identifier: Apache-2.0
"""What docs/pipe-programs.md shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from tilepath.cli.pipes import check_pipe
from tilepath.models.pipe_program import check, expand, parse, to_text
from tilepath.tests.pipe_program.texts import MESSAGES

_TEXT = (Path(__file__).resolve().parents[2] / "docs" / "pipe-programs.md").read_text()


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", _TEXT, re.DOTALL)


def test_the_example_and_what_is_wrong_when_it_is_broken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = _blocks("pipe")[0]
    right, wrong, *_ = _blocks("text")
    path = tmp_path / "p.pipe"
    path.write_text(text)
    assert check_pipe(path, as_json=False) == 0
    assert capsys.readouterr().out == right
    text = text.replace("base=auto", "base=0x3fe00").replace("    tfree\n", "")
    path.write_text(text.replace("loop 16 {\n    tpop", "loop 17 {\n    tpop"))
    assert check_pipe(path, as_json=False) == 1
    assert capsys.readouterr().out.replace(f"{path}", "p.pipe").startswith(wrong)


def test_the_expansion() -> None:
    _, before, after = _blocks("pipe")
    expanded = expand(parse(before))
    assert expanded.program is not None
    assert to_text(expanded.program, expanded.report.resolved_bases) == after
    assert check(parse(after)).verdict == "OK"


def test_python() -> None:
    (source,) = _blocks("python")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "pipe-programs.md", "exec"), {})
    assert out.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", source)


def test_every_message_of_a_rule_is_in_the_table() -> None:
    table = {row[0]: row[1] for row in re.findall(r"(?m)^\| (C\d\d) \|(.*)$", _TEXT)}
    assert sorted(table) == [f"C{k:02d}" for k in range(1, 27)]
    for code, message in MESSAGES:
        shown = re.findall("`([^`]+)`", table[code])
        patterns = [re.sub(r"\\\{.*?\\\}", ".*", re.escape(s)).replace("…", ".*") for s in shown]
        assert any(re.match(pattern, message) for pattern in patterns), message
