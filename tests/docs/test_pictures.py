# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/: as their descriptions say, and shown by a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilepath.engine.commands.pictures import FOLDER, drawn, stale


def test_the_svgs_are_fresh() -> None:
    assert stale() == []
    named = {path.stem for path in FOLDER.glob("*.d2")} - {"style"}
    assert {path.stem for path in FOLDER.glob("*.svg")} == named


def test_each_is_shown_by_a_page() -> None:
    pages = "".join(path.read_text() for path in FOLDER.parent.glob("*.md"))
    shown = set(re.findall(r"!\[[^]]+\]\(pictures/(\w+)\.svg\)", pages))
    assert {path.stem for path in FOLDER.glob("*.svg")} == shown


@pytest.mark.parametrize("line", ["a ->", "a: {shape: nosuch}", "...@nosuch"])
def test_a_description_that_is_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "p.d2").write_text(f"b\n{line}\n")
    with pytest.raises(ValueError, match=r"p\.d2:2:"):
        drawn(tmp_path / "p.d2")
