# SPDX-License-Identifier: Apache-2.0
"""What words of the sync unit do to semaphores and mutexes: values and who owns what."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import FREE, SEM_MOST, SEMAPHORES, wide
from tilepath.models.fields import get


@part
def semaphore_after(kind: int, word: int, value: int) -> int:
    """Value of a semaphore that a SEMINIT, SEMPOST or SEMGET selects, behind it (C20, C23)."""
    if kind == Kind.SEMPOST:
        return min(value + 1, SEM_MOST)
    return max(value - 1, 0) if kind == Kind.SEMGET else get(word, F.SEMINIT_VALUE)


@part
def is_lost(kind: int, value: int) -> bool:
    """Whether a SEMPOST or SEMGET changes nothing of a semaphore (C26)."""
    return value == (SEM_MOST if kind == Kind.SEMPOST else 0) and kind != Kind.SEMINIT


@part
def loses(state: Record, kind: int, word: int, acting: int, other: int) -> int:
    """Semaphores, a bit each, of which a SEMPOST or SEMGET is lost, behind another word (C26).

    ``acting``, ``other``: ``Kind`` and word of what acts first; no semaphore's kind: there is none.
    """
    if kind != Kind.SEMPOST and kind != Kind.SEMGET:
        return 0
    lost = 0
    for number in range(SEMAPHORES):
        if (get(word, F.SEM_MASK) >> number) & 1:
            value = wide(state.semaphores[number].value)
            if Kind.SEMINIT <= acting <= Kind.SEMGET and (get(other, F.SEM_MASK) >> number) & 1:
                value = semaphore_after(acting, other, value)
            if is_lost(kind, value):
                lost |= 1 << number
    return lost


@part
def change_semaphores(state: Record, kind: int, word: int) -> bool:
    """SEMINIT, SEMPOST or SEMGET (C20, C23); whether anything is different then."""
    changed = False
    for number in range(SEMAPHORES):
        if (get(word, F.SEM_MASK) >> number) & 1 == 0:
            continue
        semaphore = state.semaphores[number]
        value = wide(semaphore.value)
        new = semaphore_after(kind, word, value)
        if kind == Kind.SEMINIT:
            maximum = get(word, F.SEMINIT_MAX)
            changed = changed or wide(semaphore.maximum) != maximum
            semaphore.maximum = maximum
        changed = changed or new != value
        semaphore.value = new
    return changed


@part
def semaphores_wait(state: Record, mask: int, cond: int) -> bool:
    """Whether a SEMWAIT with SemMask and Cond waits; with Cond 0 it does not (C19, C20)."""
    at_zero = (cond >> constants.SEM_COND_ZERO) & 1
    at_maximum = (cond >> constants.SEM_COND_MAX) & 1
    for number in range(SEMAPHORES):
        if (mask >> number) & 1:
            value = wide(state.semaphores[number].value)
            if at_zero and value == 0:
                return True
            if at_maximum and value >= wide(state.semaphores[number].maximum):
                return True
    return False


@part
def mutex_place(word: int) -> int:
    """Place of mutex 0, 2, 3, 4 in the state; -1 for an index that there is not (C19)."""
    index = get(word, F.MUTEX_INDEX)
    if index == 0:
        return 0
    return index - 1 if 2 <= index <= 4 else -1


@part
def mutex_owner_after(state: Record, thread: int, kind: int, place: int) -> int:
    """Who holds a mutex after ATGETM (which has to be possible) or ATRELM."""
    if kind == Kind.ATGETM:
        return thread
    owner = wide(state.mutex_owners[place])
    return FREE if owner == thread else owner
