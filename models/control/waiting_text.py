# SPDX-License-Identifier: Apache-2.0
"""What a wait holds and waits for, in words: of runs with and without time."""

from __future__ import annotations

from typing import Any, Final

from tilepath.isa import constants
from tilepath.models.control.state import SEM_MOST, SEMAPHORES


def _names(prefix: str, but: str = "-") -> dict[int, str]:
    return {
        value: name.removeprefix(prefix)
        for name, value in vars(constants).items()
        if name.startswith(prefix) and not name.startswith(but)
    }


_CLASSES: Final = _names("CLS_")
CONDITIONS: Final = _names("STALL_COND_")
SEMAPHORE_NAMES: Final = _names("SEM_", "SEM_COND_")


def semaphore_name(number: int) -> str:
    """Number and name of a semaphore."""
    return f"semaphore {number} ({SEMAPHORE_NAMES[number]})"


def latch_text(name: str, mask: int, condition: str) -> str:
    """A latch: the wait's name, its block mask (9 bits) and what it waits for."""
    classes = " ".join(_CLASSES[bit] for bit in range(9) if (mask >> bit) & 1)
    return f"{name}, block {mask:03X} ({classes}): {condition}"


def stallwait_text(what: int, busy: int) -> str:
    """Conditions of a STALLWAIT, of those that are ``busy`` (13 bits each)."""
    still = [CONDITIONS[bit] for bit in range(13) if (what & busy) >> bit & 1]
    if not still:
        return f"condition {what:03X} is met"
    return f"waits while {' or '.join(still)} busy"


def semwait_text(semaphores: Any, mask: int, cond: int, lost: Any = (0,) * SEMAPHORES) -> str:
    """SemMask and Cond of a SEMWAIT; ``semaphores``: (8, 2), value and maximum.

    ``lost``: posts of each that came when it was at 15.
    """
    reasons = []
    for number in range(SEMAPHORES):
        if not (mask >> number) & 1:
            continue
        value, maximum = (int(part) for part in semaphores[number])
        name = semaphore_name(number)
        held = f"value {value}, max {maximum}"
        held += f", {lost[number]} posts lost at {SEM_MOST}" if lost[number] else ""
        if cond >> constants.SEM_COND_ZERO & 1 and value == 0:
            reasons.append(f"{name} is 0; {held}")
        elif cond >> constants.SEM_COND_MAX & 1 and value >= maximum:
            reasons.append(f"{name} is at its maximum; {held}")
    return f"waits while {', or '.join(reasons)}" if reasons else "condition is met"


def streamwait_text(stream: int, cond: int, value: int, target: int) -> str:
    """CondIdx of a STREAMWAIT, and what it compares."""
    name = "message count" if cond == constants.STREAM_COND_MSGS else "phase"
    relation = "<" if value < target else ">="
    return f"stream {stream} {name} {value} {relation} target {target}"
