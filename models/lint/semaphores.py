# SPDX-License-Identifier: Apache-2.0
"""Semaphores that nobody can change as somebody wants it, of all threads' words."""

from __future__ import annotations

from collections import Counter
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
    steps = [step for its in threads for step in its]
    inits, posts = Counter[int](), Counter[int]()
    raised: set[int] = set()  # by anybody
    lowered: set[int] = set()
    bounded: set[int] = set()  # with a maximum above 0
    for step in steps:
        item, kind = step.item, step.kind
        named = [item.semaphore] if isinstance(item, I.Post | I.Get) else _named(step)
        if isinstance(item, I.Post) or kind == Kind.SEMPOST:
            raised.update(named)
        elif isinstance(item, I.Get) or kind == Kind.SEMGET:
            lowered.update(named)
        elif kind == Kind.SEMINIT:
            inits.update(named)
            raised.update(named if get(step.word, F.SEMINIT_VALUE) else ())
            bounded.update(named if get(step.word, F.SEMINIT_MAX) else ())
    for step in steps:
        for n in filter(inits.__contains__, _named(step)):
            cond = get(step.word, F.SEMWAIT_COND) * (step.kind == Kind.SEMWAIT)
            posts[n] += step.kind == Kind.SEMPOST
            about = f"{step.name}, {semaphore_name(n)}: "
            if step.kind == Kind.SEMGET and n not in raised:
                yield "semaphore-lost", step.where, about + "nobody posts it"
            elif step.kind == Kind.SEMPOST and n not in lowered and posts[n] > inits[n] * SEM_MOST:
                yield "semaphore-lost", step.where, about + "nobody gets it"
            elif cond >> constants.SEM_COND_ZERO & 1 and n not in raised:
                yield "wait-without-end", step.where, about + "nobody posts it"
            elif cond >> constants.SEM_COND_MAX & 1 and n not in bounded:
                yield "wait-without-end", step.where, about + "maximum 0"


def _named(step: Step) -> list[int]:
    """Semaphores of a word."""
    own = step.kind in (Kind.SEMINIT, Kind.SEMPOST, Kind.SEMGET, Kind.SEMWAIT)
    return [n for n in range(SEMAPHORES) if own and get(step.word, F.SEM_MASK) >> n & 1]
