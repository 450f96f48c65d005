# SPDX-License-Identifier: Apache-2.0
"""What README.md shows must work: its Python runs, and its sequence yields items."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from pathlib import Path
from typing import Any

from tb.frontend.streams import PLAYERS
from tb.kernel.stimulus import Context, TestSpec

_README = Path(__file__).resolve().parents[2] / "README.md"


def _python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", _README.read_text(), re.DOTALL)


def test_model_examples() -> None:
    """The model's examples print what their comments say."""
    sources = [block for block in _python_blocks() if "Machine(" in block]
    assert len(sources) == 3
    for source in sources:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, "README.md", "exec"), {})
        assert out.getvalue().splitlines() == re.findall(r"print\(.*\)(?:  |\n)# (.*)", source)


def test_sequence_example() -> None:
    """The example's test has valid stimulus for players that exist."""
    source = next(block for block in _python_blocks() if "my_zmask" in block and "def " in block)
    names: dict[str, Any] = {}
    exec(compile(source, "README.md", "exec"), names)
    spec = names["TESTS"]["my_zmask"]
    assert isinstance(spec, TestSpec)
    widths = {name: p.words for p in PLAYERS for name in p.instances}
    stimulus = spec.stimulus(Context("frontend", "my_zmask", 1, "baseline", 5000))
    for player, arrays in stimulus.items():
        for items in itertools.islice(arrays, 3):
            assert items.shape[1] == widths[player]
