# SPDX-License-Identifier: Apache-2.0
"""What README.md and the pages on the model show of the model must work."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def _python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (_ROOT / name).read_text(), re.DOTALL)


_PAGES = [("README.md", 1), ("docs/machine.md", 8), ("docs/tiles.md", 1)]
_PAGES += [("docs/replay-a-kernel.md", 1)]


@pytest.mark.parametrize(("name", "count"), _PAGES)
def test_model_examples(
    name: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's examples print what their comments say, and draw the pictures of the pages."""
    monkeypatch.chdir(tmp_path)
    model = re.compile(r"(Machine|FlagPipe|machine_of)\(")
    sources = [block for block in _python_blocks(name) if model.search(block)]
    assert len(sources) == count
    for source in sources:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, name, "exec"), {})
        assert out.getvalue().splitlines() == re.findall(r"print\(.*\)(?:  |\n)# (.*)", source)
    drawn = sorted(tmp_path.iterdir())
    assert [path.name for path in drawn] == re.findall(r'Path\("(.*)"\)', "".join(sources))
    for path in drawn:
        assert path.read_text() == (_ROOT / "docs" / path.name).read_text()
        assert f"]({path.name})" in (_ROOT / name).read_text()
