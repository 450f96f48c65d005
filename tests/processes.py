# SPDX-License-Identifier: Apache-2.0
"""What tests ask of processes that they have not started themselves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def alive(process: int) -> bool:
    """Whether it is there and has not ended: a zombie has."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something; the calling test fails when it does not come."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.02)
