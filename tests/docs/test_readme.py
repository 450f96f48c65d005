# SPDX-License-Identifier: Apache-2.0
"""What README.md and the pages on the model show must work: Python runs, sequences yield items."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tilepath.tb.frontend.streams import PLAYERS
from tilepath.tb.kernel.description.stimulus import Context, TestSpec

_ROOT = Path(__file__).resolve().parents[2]


def _python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (_ROOT / name).read_text(), re.DOTALL)


_PAGES = [("README.md", 2), ("docs/machine.md", 7), ("docs/tiles.md", 1)]
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


def test_sequence_example() -> None:
    """The example's test has valid stimulus for players that exist."""
    blocks = _python_blocks("README.md")
    source = next(block for block in blocks if "my_zmask" in block and "def " in block)
    names: dict[str, Any] = {}
    exec(compile(source, "README.md", "exec"), names)
    spec = names["TESTS"]["my_zmask"]
    assert isinstance(spec, TestSpec)
    widths = {name: p.words for p in PLAYERS for name in p.instances}
    stimulus = spec.stimulus(Context("frontend", "my_zmask", 1, "baseline", 5000))
    for player, arrays in stimulus.items():
        for items in itertools.islice(arrays, 3):
            assert items.shape[1] == widths[player]
