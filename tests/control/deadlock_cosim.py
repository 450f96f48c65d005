# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for what nobody does: tests that no regression has, and what loads them."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyuvm

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.control import TESTS
from tilepath.sequences.control.programs import PROGRAMS

_FILE: Final = Path(__file__).with_name("deadlocks.toml")
ROWS: Final[dict[str, Any]] = tomllib.loads(_FILE.read_text())


def _stimulus(text: str, ctx: Context) -> Stimulus:
    return PROGRAMS.loader(_FILE, f"{text}end\n", ctx.profile).load().stimulus()


DEADLOCKS: Final = {
    name: TestSpec(name, "a deadlock", "program", partial(_stimulus, row["program"]), floor={})
    for name, row in ROWS.items()
}


@pyuvm.test()
class DeadlockTest(CosimTest):
    """Runs a request whose test is one of ``DEADLOCKS``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS.update(DEADLOCKS)
        super().__init__(name, parent)
