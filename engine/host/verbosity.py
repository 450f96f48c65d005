# SPDX-License-Identifier: Apache-2.0
"""How much of what components and sequences report is written to the log of a run."""

from __future__ import annotations

import os
from typing import Final

from tilepath.engine.errors import there_are

VERBOSITY_VARIABLE: Final = "UVM_VERBOSITY"
"""Environment variable: a level, ``UVM_HIGH`` or ``HIGH``, which pyuvm reads in the simulator."""

_LEVELS: Final = ("NONE", "LOW", "MEDIUM", "HIGH", "FULL", "DEBUG")


def verbosity() -> str:
    """The level that is asked for, or UVM's default, as pyuvm calls it; ``ValueError`` for others.

    Of ``UVM_HIGH``, and of anything that it does not know, pyuvm would make ``LOW``.
    """
    text = os.environ.get(VERBOSITY_VARIABLE) or "MEDIUM"
    level = text.upper().removeprefix("UVM_")
    if level not in _LEVELS:
        known = there_are([f"UVM_{name}" for name in _LEVELS], text.upper())
        raise ValueError(f"{text!r} is no verbosity; {known}")
    return level


def tell_pyuvm() -> None:
    """Let it find what it understands.

    And no limit to errors, or it leaves out all but one, nor to the length of lines: of a longer
    one it prints the message alone, without a traceback.
    """
    os.environ[VERBOSITY_VARIABLE] = verbosity()
    os.environ.setdefault("UVM_MAX_QUIT_COUNT", "0")
    os.environ.setdefault("UVM_PRINT_CHAR_LEN", "1000000")
