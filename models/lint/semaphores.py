# SPDX-License-Identifier: Apache-2.0
"""Semaphores that nobody can change as somebody wants it, of all threads' words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilepath.isa import constants
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import Kind
from tilepath.models.control.state import SEM_MOST, SEMAPHORES
from tilepath.models.control.waiting_text import semaphore_name
from tilepath.models.fields import get
from tilepath.models.lint.stream import Step
from tilepath.models.lint.walk import Told
from tilepath.models.machine import items as I


def tell(threads: Sequence[Sequence[Step]]) -> Iterator[Told]:
    """Posts and gets that are lost, and waits without an end, where SEMINIT says how it begins."""
    begun = [0] * SEMAPHORES  # how often
    raised, lowered, bounded = 0, 0, 0  # as bits: by anybody; with a maximum above 0
    for step in (step for steps in threads for step in steps):
        item, kind, named = step.item, step.kind, get(step.word, F.SEM_MASK)
        if isinstance(item, I.Post | I.Get):
            named = 1 << item.semaphore
        init = kind == Kind.SEMINIT
        begun = [count + (init and named >> n & 1) for n, count in enumerate(begun)]
        bounded |= named if init and get(step.word, F.SEMINIT_MAX) else 0
        up = isinstance(item, I.Post) or kind == Kind.SEMPOST
        raised |= named if up or (init and get(step.word, F.SEMINIT_VALUE)) else 0
        lowered |= named if isinstance(item, I.Get) or kind == Kind.SEMGET else 0
    posts = [0] * SEMAPHORES
    for step in (step for steps in threads for step in steps):
        kind, cond = step.kind, get(step.word, F.SEMWAIT_COND) * (step.kind == Kind.SEMWAIT)
        for n in (n for n in range(SEMAPHORES) if begun[n] and get(step.word, F.SEM_MASK) >> n & 1):
            name, never = semaphore_name(n), not raised >> n & 1
            posts[n] += kind == Kind.SEMPOST
            if kind == Kind.SEMGET and never:
                yield "semaphore-lost", step.where, f"SEMGET, {name}: nobody posts it"
            elif (
                kind == Kind.SEMPOST
                and begun[n] == 1
                and not lowered >> n & 1
                and posts[n] > SEM_MOST
            ):
                yield "semaphore-lost", step.where, f"SEMPOST, {name}: nobody gets it"
            elif cond >> constants.SEM_COND_ZERO & 1 and never:
                yield "wait-without-end", step.where, f"SEMWAIT, {name}: nobody posts it"
            elif cond >> constants.SEM_COND_MAX & 1 and not bounded >> n & 1:
                yield "wait-without-end", step.where, f"SEMWAIT, {name}: maximum 0"
