# SPDX-License-Identifier: Apache-2.0
"""Files that tests of lint and synthesis begin from."""

from __future__ import annotations

from pathlib import Path

from tilepath.cli.yosys import Sources


def write(root: Path, name: str, text: str) -> Path:
    """A file ``name`` below ``root``."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def design(root: Path, text: str, *macros: str, **parameters: int) -> Sources:
    """The module ``dut`` of ``text``, with what it has in it."""
    return Sources("dut", [write(root, "dut.sv", text)], parameters, root, macros)
