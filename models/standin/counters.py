# SPDX-License-Identifier: Apache-2.0
"""Row counters: SETRWC, INCRWC, address modifiers (M4 to M6). They change a plan's ``next_rwc``."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.fields import get
from tilepath.models.standin import fields as F
from tilepath.models.standin.fields import read
from tilepath.models.standin.plan import Flag, Rwc, Sampled

_ONES: Final = (63, 63, 1023)  # of A, B, D
_D: Final = 2


@part
def _set_both(rwc: Record, which: int, value: int) -> None:
    """A counter of A, B, D and its Cr."""
    rwc[2 * which] = rwc[2 * which + 1] = value & _ONES[which]


@part
def _advance(rwc: Record, which: int, by_cr: int, by: int) -> None:
    """A counter goes on, from its Cr, which goes with it, or from itself."""
    if by_cr:
        _set_both(rwc, which, rwc[2 * which + 1] + by)
    else:
        rwc[2 * which] = (rwc[2 * which] + by) & _ONES[which]


@part
def set_counters(rwc: Record, word: int) -> None:
    """SETRWC (M5)."""
    for file in range(2):
        if get(word, F.RWC_SET[file]):
            base = rwc[2 * file + 1] if get(word, F.RWC_CR[file]) else 0
            _set_both(rwc, file, base + get(word, F.RWC[file]))
    if get(word, F.RWC_SET[_D]) or get(word, F.D_TO_CR):
        base = rwc[Rwc.D_CR] if get(word, F.RWC_CR[_D]) else 0
        if get(word, F.D_TO_CR):
            base = rwc[Rwc.D]
        _set_both(rwc, _D, base + get(word, F.RWC[_D]))
    if get(word, F.SET_PHASE):
        rwc[Rwc.PHASE] = 0


@part
def increment(rwc: Record, word: int) -> None:
    """INCRWC (M5)."""
    for which in range(3):
        _advance(rwc, which, get(word, F.RWC_CR[which]), get(word, F.RWC[which]))


@part
def modify(plan: Record, sampled: Sampled, number: int) -> None:
    """Address modifier ``number`` as the instruction has it (M6)."""
    rwc, config, thread = plan.next_rwc, sampled.thread_config, plan.thread
    if plan.settings.is_wh:
        number += 4 * rwc[Rwc.BIAS]
    plan.modifier = number
    for file in range(2):
        if read(config, thread, F.SRC_CLEAR[file], number):
            _set_both(rwc, file, 0)
        else:
            by = read(config, thread, F.SRC_INCR[file], number)
            _advance(rwc, file, read(config, thread, F.SRC_CR[file], number), by)
    by = read(config, thread, F.DEST_INCR, number)
    if read(config, thread, F.DEST_CLEAR, number):
        _set_both(rwc, _D, 0)
    elif read(config, thread, F.DEST_C_TO_CR, number):
        _set_both(rwc, _D, rwc[Rwc.D] + by)
    else:
        _advance(rwc, _D, read(config, thread, F.DEST_CR, number), by)
    if read(config, thread, F.PHASE_CLEAR, number):
        rwc[Rwc.PHASE] = 0
    else:
        rwc[Rwc.PHASE] = (rwc[Rwc.PHASE] + read(config, thread, F.PHASE_INCR, number)) & 3
    moves = read(config, thread, F.BIAS_INCR, number) & 3
    if read(config, thread, F.BIAS_CLEAR, number):
        rwc[Rwc.BIAS] = 0
    elif moves:
        rwc[Rwc.BIAS] ^= 1
    if moves and not plan.settings.is_wh:
        plan.faults |= Flag.BIAS
