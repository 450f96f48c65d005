# SPDX-License-Identifier: Apache-2.0
"""Wait latches, one a thread: section 3 of the contract."""

from __future__ import annotations

from typing import Final

from tilepath.isa import constants
from tilepath.models.control import cycle_config, values
from tilepath.models.control import fields as F
from tilepath.models.control.cycle_streams import append
from tilepath.models.control.fields import get
from tilepath.models.control.instructions import ALL_CLASSES, ANY_WAIT, IS_NOP, THREADS, Kind
from tilepath.models.jit import part
from tilepath.models.records import Record

# Kinds of latch
STALLWAIT: Final = 1
SEMWAIT: Final = 2
STREAMWAIT: Final = 3

_RISC_CONFIG: Final = 1 << constants.STALL_COND_TRISC_CFG
_CONFIG_PIPE: Final = 1 << constants.STALL_COND_CFG_PIPE


@part
def set_latch(block: Record, thread: int, cycle: int) -> None:
    """The thread's wait issues in ``cycle``."""
    offered = block.gates[thread].offered
    latch = block.gates[thread].latch
    classes = get(offered.word, F.WAIT_BLOCK)
    if classes == 0:
        classes = constants.STALL_DEFAULT_BLOCK  # C10
    latch.kind = offered.kind - Kind.STALLWAIT + STALLWAIT
    latch.block = classes
    latch.holds = classes | ANY_WAIT | (IS_NOP if classes == ALL_CLASSES else 0)  # C12, C21
    latch.what = values.condition(offered.kind, offered.word)
    latch.target = 0
    if offered.kind == Kind.STREAMWAIT:
        latch.target = get(offered.word, F.STREAMWAIT_TARGET_LO)
    latch.set_in = cycle
    latch.origin = offered.origin


@part
def evaluate(block: Record, outputs: Record, cycle: int) -> None:
    """Evaluate the conditions of the valid latches, and show those that are new."""
    for thread in range(THREADS):
        latch = block.gates[thread].latch
        if latch.kind == 0 or latch.set_in >= cycle:
            continue
        if latch.set_in == cycle - 1:
            if latch.kind == STREAMWAIT:  # C8: composed in the first cycle
                latch.target = values.stream_target(block.state, thread, latch.what, latch.target)
            _show(latch, outputs.latch[thread], cycle)
        if latch.kind == STALLWAIT:
            latch.met = conditions(block, cycle) & latch.what == 0
        elif latch.kind == SEMWAIT:
            latch.met = not values.semaphores_wait(block.state, latch.what)
        else:
            latch.met = values.stream_count(block.state, thread, latch.what) >= latch.target  # C9


@part
def conditions(block: Record, cycle: int) -> int:
    """The conditions of STALLWAIT that are 1 in ``cycle`` (C17)."""
    busy = block.busy.level
    if block.risc.accesses.cycle <= cycle or cycle <= block.risc.done_in:
        busy |= _RISC_CONFIG
    if cycle_config.holds_instruction(block.config_unit, cycle):
        busy |= _CONFIG_PIPE
    return int(busy)


@part
def clear(block: Record, cycle: int) -> None:
    """End of ``cycle``: latches whose condition was met are gone."""
    for thread in range(THREADS):
        latch = block.gates[thread].latch
        if latch.met:
            latch.met = False
            latch.kind = 0
            latch.gone_from = cycle + 1
            block.active_until = max(block.active_until, cycle + 2)


@part
def _show(latch: Record, shown: Record, cycle: int) -> None:
    """A latch as it is from ``cycle`` on."""
    row = shown.rows[shown.count]
    row["valid"] = 1
    row["kind"] = latch.kind
    row["block"] = latch.block
    row["what"] = latch.what
    row["target"] = latch.target
    append(shown, cycle, latch.origin)


@part
def show_gone(block: Record, outputs: Record, cycle: int) -> None:
    """Latches that are not valid any more from ``cycle`` on."""
    for thread in range(THREADS):
        latch = block.gates[thread].latch
        if latch.gone_from != cycle:
            continue
        shown = outputs.latch[thread]
        row = shown.rows[shown.count]
        row["valid"] = 0
        row["kind"] = 0
        row["block"] = 0
        row["what"] = 0
        row["target"] = 0
        append(shown, cycle, latch.origin)
