# SPDX-License-Identifier: Apache-2.0
"""Where things are written: in a checkout into it, else never where the package is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tilepath.tb.kernel.description.block import ROOT

BUILD_VARIABLE: Final = "TILEPATH_BUILD"
"""Environment variable: folder of the builds, which several checkouts may share."""


def in_checkout() -> bool:
    """Whether the package is used from a checkout (or an unpacked sdist) and not installed."""
    return (ROOT / "pyproject.toml").is_file()


def cache_folder() -> Path:
    """The user's folder for what can be made again at any time."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # the XDG rules say to ignore a relative path
    home = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return home / "tilepath"


def build_folder() -> Path:
    """Folder of compiled simulations: ``TILEPATH_BUILD``, the checkout's ``build/``, or a cache."""
    given = os.environ.get(BUILD_VARIABLE)
    if given:
        return Path(given).resolve()
    return ROOT / "build" if in_checkout() else cache_folder() / "build"
