# SPDX-License-Identifier: Apache-2.0
"""Wait latches, one a thread: section 3 of the contract."""

from __future__ import annotations

import enum
from typing import Final

from tilepath.engine.compiled.compiled_io import put
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.models.control import cycle_config, sync_values, values
from tilepath.models.control import fields as F
from tilepath.models.control.cycle_block import CHANGE_LASTS, stay_awake
from tilepath.models.control.instructions import ALL_CLASSES, ANY_WAIT, IS_NOP, THREADS, Kind
from tilepath.models.control.state import SEMAPHORES
from tilepath.models.fields import get

_RISC_CONFIG: Final = 1 << constants.STALL_COND_TRISC_CFG
_CONFIG_PIPE: Final = 1 << constants.STALL_COND_CFG_PIPE


class LatchKind(enum.IntEnum):
    """Kinds of latch, as in stream ``latch``; in the order of the waits in ``Kind``. 0: none."""

    STALLWAIT = 1
    SEMWAIT = 2
    STREAMWAIT = 3


# ``what`` of a latch (section 3 of the contract): STALLWAIT: the conditions; SEMWAIT: SemMask, Cond
# above it; STREAMWAIT: CondIdx, StreamSel above it.


@part
def sem_mask(what: int) -> int:
    """SemMask in the ``what`` of a SEMWAIT."""
    return what & ((1 << SEMAPHORES) - 1)


@part
def sem_cond(what: int) -> int:
    """Cond in the ``what`` of a SEMWAIT."""
    return what >> SEMAPHORES


@part
def stream_cond(what: int) -> int:
    """CondIdx in the ``what`` of a STREAMWAIT."""
    return what & 1


@part
def stream_select(what: int) -> int:
    """StreamSel in the ``what`` of a STREAMWAIT."""
    return what >> 1


@part
def set_latch(block: Record, thread: int, cycle: int) -> None:
    """The thread's wait issues in ``cycle``."""
    offered = block.gates[thread].offered
    latch = block.gates[thread].latch
    mask = get(offered.word, F.WAIT_BLOCK)
    if mask == 0:
        mask = constants.STALL_DEFAULT_BLOCK  # C10
    latch.kind = offered.kind - Kind.STALLWAIT + LatchKind.STALLWAIT
    latch.mask = mask
    latch.holds = mask | ANY_WAIT | (IS_NOP if mask == ALL_CLASSES else 0)  # C12, C21
    latch.what = values.latch_what(offered.kind, offered.word)
    latch.target = 0
    if offered.kind == Kind.STREAMWAIT:
        latch.target = get(offered.word, F.STREAMWAIT_TARGET_LO)
    latch.set_in = cycle
    latch.origin = offered.origin


@part
def evaluate(block: Record, outputs: Record, cycle: int) -> None:
    """Evaluate the conditions of the valid latches, and show those that are new.

    In each cycle, the first one included (C13).
    """
    for thread in range(THREADS):
        latch = block.gates[thread].latch
        if latch.kind == 0:
            continue
        if latch.set_in == cycle - 1:
            if latch.kind == LatchKind.STREAMWAIT:  # composed in the first cycle (C11)
                cond = stream_cond(latch.what)
                latch.target = values.stream_target(block.state, thread, cond, latch.target)
            _show(latch, outputs.latch[thread], cycle)
        latch.met = is_met(block, thread, latch.kind, cycle)


@part
def is_met(block: Record, thread: int, kind: int, cycle: int) -> bool:
    """Whether the condition of the thread's last latch, of this kind, is met in ``cycle``."""
    latch = block.gates[thread].latch
    what = latch.what
    if kind == LatchKind.STALLWAIT:
        return bool(conditions(block, thread, cycle) & what == 0)
    if kind == LatchKind.SEMWAIT:
        return not sync_values.semaphores_wait(block.state, sem_mask(what), sem_cond(what))
    count = values.stream_count(block.state, thread, stream_cond(what), stream_select(what))
    return count >= latch.target  # type: ignore[no-any-return]  # C9


@part
def conditions(block: Record, thread: int, cycle: int) -> int:
    """The conditions of STALLWAIT that are 1 in ``cycle`` for ``thread`` (C17)."""
    busy = block.gates[thread].busy
    if block.risc.offered <= cycle or cycle <= block.risc.done_in:
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
            stay_awake(block, cycle + CHANGE_LASTS)


@part
def _show(latch: Record, shown: Record, cycle: int) -> None:
    """A latch as it is from ``cycle`` on."""
    row = put(shown, cycle, latch.origin)
    row.valid = 1
    row.kind = latch.kind
    row.block = latch.mask
    row.what = latch.what
    row.target = latch.target


@part
def show_gone(block: Record, outputs: Record, cycle: int) -> None:
    """Latches that are not valid any more from ``cycle`` on."""
    for thread in range(THREADS):
        latch = block.gates[thread].latch
        if latch.gone_from != cycle:
            continue
        row = put(outputs.latch[thread], cycle, latch.origin)
        row.valid = row.kind = row.block = row.what = row.target = 0
