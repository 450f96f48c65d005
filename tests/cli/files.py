# SPDX-License-Identifier: Apache-2.0
"""Files that tests of the command line begin from."""

from __future__ import annotations

import shutil
from pathlib import Path

from tilepath.cli.yosys import Sources
from tilepath.tb.kernel.description.block import ROOT

PARTS = (
    *("__init__.py", "__main__.py", "pyproject.toml", "cli", "isa"),
    *("models/__init__.py", "models/jit.py", "models/state.py"),
    *("models/jit_cache.py", "models/jit_parts.py", "models/records.py", "models/account.py"),
    *("tb/__init__.py", "tb/kernel", "tb/hdl", "sequences/__init__.py", "sequences/kernel"),
)


def write(root: Path, name: str, text: str) -> Path:
    """A file ``name`` below ``root``."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def design(root: Path, text: str, *macros: str, **parameters: int) -> Sources:
    """The module ``dut`` of ``text``, with what it has in it."""
    return Sources("dut", [write(root, "dut.sv", text)], parameters, root, macros)


def small_checkout(folder: Path) -> Path:
    """The command line and the kernel in ``folder / "tilepath"``, without any block."""
    root = folder / "tilepath"
    for part in PARTS:
        source, target = ROOT / part, root / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (root / "models" / "__init__.py").write_text("")  # the real one offers what blocks have
    return root
