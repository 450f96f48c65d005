# SPDX-License-Identifier: Apache-2.0
"""Tables of cases that stand beside their tests, as TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def beside(file: str, name: str) -> dict[str, Any]:
    """The tables in ``name``.toml, in the folder of a test's ``file``."""
    return tomllib.loads(Path(file).with_name(f"{name}.toml").read_text())
