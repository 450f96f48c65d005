# SPDX-License-Identifier: Apache-2.0
"""Classes by name, so that describing a block imports neither its model nor its coverage."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def made_by(module: str, name: str) -> Callable[[str], Any]:
    """A function that makes one of class ``name`` for a profile; it imports the class when called.

    ``module`` is below the package: ``models.pack``. ``ImportError`` and ``AttributeError`` are
    raised by the call.
    """

    def make(profile: str) -> Any:
        return getattr(import_module(f"tilepath.{module}"), name)(profile)

    return make
