# SPDX-License-Identifier: Apache-2.0
"""A checkout is written into; where the package is installed, it never is."""

from __future__ import annotations

import os
from pathlib import Path

from tilepath.engine.compiled.jit_cache import BUILD_VARIABLE as BUILD_VARIABLE
from tilepath.engine.compiled.jit_cache import cache_folder as cache_folder
from tilepath.engine.description.block import ROOT


def in_checkout() -> bool:
    """Whether the package is used from a checkout (or an unpacked sdist) and not installed."""
    return (ROOT / "pyproject.toml").is_file()


def build_folder() -> Path:
    """Folder of compiled simulations: ``TILEPATH_BUILD``, the checkout's ``build/``, or a cache."""
    given = os.environ.get(BUILD_VARIABLE)
    if given:
        return Path(given).resolve()
    return ROOT / "build" if in_checkout() else cache_folder() / "build"
