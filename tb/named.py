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


def executes(*lines: str) -> Callable[[str], None]:
    """A function that lets a machine without time of a profile execute these instructions once.

    And asks of UNPACRs what they would do. So what is compiled for them is there before any run.
    ``IsaError`` is raised by the call.
    """

    def execute(profile: str) -> None:
        machine = import_module("tilepath.models.machine").Machine(profile)
        words = [import_module("tilepath.isa").assemble(line) for line in lines]
        machine.push(0, words)
        for line, word in zip(lines, words, strict=True):
            if line.startswith("UNPACR "):
                machine.unpack.writes(0, word)
                machine.adc.unpack_update(0, 0, adc=0, y0=0, z0=0, y1=0, z1=0)

    return execute
