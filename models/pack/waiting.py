# SPDX-License-Identifier: Apache-2.0
"""What holds the instructions that are in the packers, in words: for a run that stands still."""

from __future__ import annotations

from tilepath import isa
from tilepath.engine.compiled.records import Record
from tilepath.models.pack.timing_issue import has_drained
from tilepath.models.pack.timing_state import (
    LINES,
    UNDER_WAY,
    issue_at,
    rows_in_flight,
    sums_in_flight,
    under_way,
)


def _plan_queue(timing: Record) -> list[str]:
    """Instructions that have not departed."""
    lines = []
    for number in range(int(timing.departed), int(timing.issued)):
        head = issue_at(timing, number)
        what = f"{isa.named_word(int(head.word))} of thread {int(head.thread)}"
        if number > timing.departed:
            lines.append(f"{what}: behind it in the plan queue")
        elif not head.is_pacr or head.mode != timing.mode:
            lines.append(f"{what}: waits until all packers have drained")
        else:
            lines.append(f"{what}: in the plan queue, at most {UNDER_WAY} are under way")
    return lines


def _packer(packer: Record, number: int) -> str:
    """What a packer holds."""
    parts = (
        (under_way(packer), "instructions under way"),
        (rows_in_flight(packer), "rows in flight"),
        (int(packer.elements), "elements in the gather"),
        (int(packer.lines_in_flight), f"entries of {LINES} for L1"),
        (sums_in_flight(packer), "accumulations"),
    )
    held = ", ".join(f"{int(count)} {what}" for count, what in parts if count)
    return f"packer {number}: {held}{', closes' if packer.closes else ''}"


def describe(timing: Record, cycle: int) -> list[str]:
    """Lines for the plan queue and for each packer that has not drained, as ``cycle`` begins."""
    lines = _plan_queue(timing)
    for number in range(int(timing.packer_count)):
        packer = timing.packers[number]
        if not has_drained(packer, cycle):
            lines.append(_packer(packer, number))
    return [f"cycle {cycle}: {line}" for line in lines]
