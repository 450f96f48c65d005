# SPDX-License-Identifier: Apache-2.0
"""What the core of a thread does, item after item: the program of a kernel (``Machine.run``).

Items say nothing of time: each begins when the one before it is done, so a program is right
whatever the latencies are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

RELATIONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<": operator.lt,
    "=": operator.eq,
}
"""What a poll compares with, by how it is written."""


@dataclass(frozen=True)
class Push:
    """Push words of 32 bits into the thread's front end, one after the other.

    ``where``, here and below: the place of each in a text, if it is known.
    """

    words: tuple[int, ...]
    where: tuple[object, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Store:
    """Store 32 bits at a byte address of the core's: configuration, semaphores, registers, L1."""

    address: int
    value: int
    where: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"store {self.address:#x} {self.value:#x}"


@dataclass(frozen=True)
class MopCfg:
    """Store 32 bits in MopCfg register 0 to 8; MOPs that are pushed afterwards use it."""

    index: int
    value: int
    where: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"mop {self.index} {self.value:#x}"


@dataclass(frozen=True)
class Poll:
    """Read semaphore 0 to 7 until its value is ``>=``, ``<`` or ``=`` the one given."""

    semaphore: int
    relation: str
    value: int

    def met(self, value: int) -> bool:
        """Whether the poll is over when the semaphore has ``value``."""
        return RELATIONS[self.relation](value, self.value)

    def __str__(self) -> str:
        return f"poll {self.semaphore} {self.relation} {self.value}"


@dataclass(frozen=True)
class Post:
    """Add 1 to semaphore 0 to 7, up to 15."""

    semaphore: int

    def __str__(self) -> str:
        return f"post {self.semaphore}"


@dataclass(frozen=True)
class Get:
    """Take 1 from semaphore 0 to 7, down to 0."""

    semaphore: int

    def __str__(self) -> str:
        return f"get {self.semaphore}"


@dataclass(frozen=True)
class Sync:
    """Wait until all that the thread was given is done: nothing queued, no wait, units idle."""

    def __str__(self) -> str:
        return "sync"


Item = Push | Store | MopCfg | Poll | Post | Get | Sync


class CoreProgram(tuple[Item, ...]):
    """A core's items that stay: what ``Machine.run`` makes of them is kept with them."""

    def __init__(self, _items: object = ()) -> None:
        """The items, in order."""
        self.made: dict[tuple[str, int], Any] = {}
        """By profile and thread."""
