# SPDX-License-Identifier: Apache-2.0
"""The golden model's one public face: push words into threads and look at what comes of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa import constants, profiles
from models.frontend import FunctionalThread
from models.frontend.functional import check_word
from models.frontend.streams import THREADS

Words = npt.NDArray[np.uint32]

_ILLEGAL = np.array(constants.MUST_NOT_ISSUE, dtype=np.bool_)


class Event(NamedTuple):
    """Something that happened: its name, the thread (0 to 2) and the 32-bit word it happened to."""

    name: str
    thread: int
    word: int


class Fault(NamedTuple):
    """Something that should not have happened; fields as in ``Event``."""

    name: str
    thread: int
    word: int


class _Log:
    """Growing array of words."""

    def __init__(self) -> None:
        self._words: Words = np.zeros(256, dtype=np.uint32)
        self._count = 0

    def append(self, words: Words) -> None:
        end = self._count + words.size
        if end > self._words.size:
            grown = np.zeros(max(end, 2 * self._words.size), dtype=np.uint32)
            grown[: self._count] = self._words[: self._count]
            self._words = grown
        self._words[self._count : end] = words
        self._count = end

    def view(self) -> Words:
        words = self._words[: self._count]
        words.flags.writeable = False
        return words


class Machine:
    """The modelled tile without time: each pushed word takes effect before the next one.

    Attributes:
        mop_cfg: per thread the nine MopCfg registers, uint32, shape (9,), writable; a write serves
            the MOPs pushed afterwards.
        events: what happened, in order: ``Event("illegal_word_retired", …)`` for each word that
            the front end retired by itself (F17).
        faults: named faults, in order: ``Fault("illegal", …)`` for the same words.
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Machine after reset. Raises ``ValueError`` for an unknown profile."""
        self._threads = tuple(FunctionalThread(profile) for _ in range(THREADS))
        self._logs = tuple(_Log() for _ in range(THREADS))
        self.mop_cfg: tuple[Words, ...] = tuple(thread.mop_cfg for thread in self._threads)
        self.events: list[Event] = []
        self.faults: list[Fault] = []

    @property
    def issued(self) -> tuple[Words, ...]:
        """Per thread the words that left the front end so far, illegal ones included.

        uint32, shape (n,), read-only; words issued later show only when asked for again.
        """
        return tuple(log.view() for log in self._logs)

    def push(self, thread: int, word: int) -> None:
        """Push a 32-bit word into thread 0, 1 or 2 (seed: MOP, then replay expander).

        Raises ``ValueError`` for another thread or a word that does not fit in 32 bits.
        """
        if thread not in range(THREADS):
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        words = self._threads[thread].feed([check_word(word)])
        self._logs[thread].append(words)
        for bad in words[_ILLEGAL[words >> 24]].tolist():
            self.events.append(Event("illegal_word_retired", thread, bad))
            self.faults.append(Fault("illegal", thread, bad))
