# SPDX-License-Identifier: Apache-2.0
"""Names that a package imports when they are asked for: a machine without time needs no cycles."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def later(package: str, **modules: str) -> Callable[[str], Any]:
    """``__getattr__`` of ``package``: ``modules`` has, by name, the module below it."""

    def asked(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return asked
