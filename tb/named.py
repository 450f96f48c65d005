# SPDX-License-Identifier: Apache-2.0
"""What describes a block and imports neither model nor coverage: names, and instructions."""

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


def executes(module: str, name: str, *lines: str) -> Callable[[str], None]:
    """A function that lets what ``made_by`` makes for a profile execute these instructions once.

    And asks of UNPACRs what they would do. So what is compiled for them is there before any run.
    ``IsaError`` is raised by the call.
    """

    def execute(profile: str) -> None:
        unit = made_by(module, name)(profile)
        for line in lines:
            word = import_module("tilepath.isa").assemble(line)
            (unit.adc if line.startswith("SETADC") else unit).execute(0, word)
            if line.startswith("UNPACR "):
                unit.writes(0, word)
                unit.adc.unpack_update(0, 0, adc=0, y0=0, z0=0, y1=0, z1=0)

    return execute
