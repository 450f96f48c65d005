# SPDX-License-Identifier: Apache-2.0
"""Which wait is missing: STALLWAITs are put in front of statements until schedules agree."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from tilepath.engine.text import Where
from tilepath.isa import constants, encode
from tilepath.models.kernels.program import Kernel
from tilepath.models.kernels.tries import tries
from tilepath.models.machine import items as I
from tilepath.models.machine.run import DEFAULT_LIMIT
from tilepath.models.machine.schedule import Schedule

_EVERYTHING: Final = (1 << constants.CLS_SFPU + 1) - 1
# The class of what is held is tried first; a wait word behind it holds whatever comes then (C12).
_CLASSES: Final = {
    1 << getattr(constants, name): f"1<<{name}"
    for name in ("CLS_UNPACK", "CLS_PACK", "CLS_MATH", "CLS_SYNC", "CLS_CFG", "CLS_THCON")
}
_CONDITIONS: Final = {
    1 << value: f"1<<{name}"
    for name, value in vars(constants).items()
    if name.startswith("STALL_COND_")
}
# What a statement may have to wait for: what is busy; or a bank, and who is to give it
_UNITS: Final = sum(
    1 << condition
    for condition in (
        *range(constants.STALL_COND_UNPACK0, constants.STALL_COND_MATH + 1),
        *(constants.STALL_COND_TRISC_CFG, constants.STALL_COND_CFG_PIPE),
    )
)
_BANKS: Final = tuple(
    1 << unit | 1 << bank
    for unit, bank in (
        (constants.STALL_COND_MATH, constants.STALL_COND_SRCA_MATH_BANK),
        (constants.STALL_COND_MATH, constants.STALL_COND_SRCB_MATH_BANK),
        (constants.STALL_COND_UNPACK0, constants.STALL_COND_SRCA_UNPACK_BANK),
        (constants.STALL_COND_UNPACK1, constants.STALL_COND_SRCB_UNPACK_BANK),
    )
)


class Mend(NamedTuple):
    """A STALLWAIT that would do, in front of a statement of a thread."""

    thread: int
    where: Where
    block: int
    conditions: int

    def __str__(self) -> str:
        conditions = (name for bit, name in _CONDITIONS.items() if bit & self.conditions)
        wait = f"STALLWAIT {_CLASSES.get(self.block, hex(self.block))}, {' | '.join(conditions)}"
        return f"{wait} in front of {self.where} (thread {self.thread})"


def mended(kernel: Kernel, mend: Mend) -> Kernel:
    """The kernel with a wait more."""
    word = encode("STALLWAIT", block=mend.block, cond=mend.conditions)
    program = list(kernel.programs[mend.thread])
    for place, offset in reversed(kernel.places[mend.thread][mend.where]):
        behind = program[place] if place < len(program) else None
        if isinstance(behind, I.Push):
            words = behind.words
            program[place] = I.Push((*words[:offset], word, *words[offset:]))
        else:
            program.insert(place, I.Push((word,)))
    programs = [*kernel.programs]
    programs[mend.thread] = I.CoreProgram(program)
    return dataclasses.replace(kernel, programs=tuple(programs))


def mends(kernel: Kernel, odd: Sequence[Schedule], limit: int = DEFAULT_LIMIT) -> Iterator[Mend]:
    """For each thread the latest wait, if there is one, with which no schedule ends otherwise.

    It is as small as can be. ``odd``: schedules that end otherwise without it.
    """

    def does(mend: Mend, some: Sequence[Schedule] = odd) -> bool:
        return not any(one.lines for one in tries(kernel, some, limit, mended(kernel, mend)))

    for thread, places in enumerate(kernel.places):
        for conditions, where in itertools.product((_UNITS, *_BANKS), reversed(places)):
            found = Mend(thread, where, _EVERYTHING, conditions)
            if does(found, odd[:1]) and does(found):
                yield _smallest(found, does)
                break


def _smallest(mend: Mend, does: Callable[[Mend], bool]) -> Mend:
    for bit in _CONDITIONS:
        less = mend._replace(conditions=mend.conditions & ~bit)
        if less.conditions not in (mend.conditions, 0) and does(less):
            mend = less
    blocks = (mend._replace(block=block) for block in _CLASSES)
    return next(filter(does, blocks), mend)
