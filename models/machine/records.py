# SPDX-License-Identifier: Apache-2.0
"""What a machine tells, events, faults and issued words, and what it takes: threads and words."""

from __future__ import annotations

import operator
from array import array
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import errata
from tilepath.isa.boundary.frontend import THREADS

Words = npt.NDArray[np.uint32]

LARGEST_WORD: Final = 0xFFFFFFFF
_FIRST_ROOM: Final = 256
_LONGEST_TEXT: Final = 60


class Event(NamedTuple):
    """Something that happened: its name, the thread (0 to 2) and the 32-bit word it happened to.

    ``values``: more about it, by name of the event.
    """

    name: str
    thread: int
    word: int
    values: tuple[int, ...] = ()


class Fault(NamedTuple):
    """Something that should not have happened; fields as in ``Event``."""

    name: str
    thread: int
    word: int

    @property
    def erratum(self) -> str:
        """Name of what it stems from, of ``docs/silicon.md``; empty: of no erratum."""
        found = errata.of_fault(self.name)
        return found.name if found else ""


class Log:
    """Growing array of words. What it has given out is never written again."""

    def __init__(self) -> None:
        """An empty one."""
        self.count = 0
        self._set_room(np.empty(_FIRST_ROOM, dtype=np.uint32))

    def _set_room(self, words: Words) -> None:
        self._words = words
        self._shown = words.view()  # slices of it are read-only, too
        self._shown.flags.writeable = False
        # a single word is written, and shown, in half the time
        self._places, self._rows = words.data, self._shown.reshape(-1, 1)

    def _grow(self, end: int) -> None:
        grown = np.empty(max(end, 2 * self._words.size), dtype=np.uint32)
        grown[: self.count] = self._words[: self.count]
        self._set_room(grown)

    def clear(self) -> None:
        """Begin anew, in other memory: what was given out stays."""
        self.__init__()  # type: ignore[misc]  # all of it

    def append_one(self, word: int) -> Words:
        """Append a word; returns it: uint32, shape (1,), read-only."""
        first = self.count
        try:
            self._places[first] = word
        except IndexError:
            self._grow(first + 1)
            return self.append_one(word)
        self.count = first + 1
        return self._rows[first]  # type: ignore[no-any-return]

    def append(self, words: Words) -> None:
        """Append words."""
        end = self.count + len(words)
        if end > self._words.size:
            self._grow(end)
        first, self.count = self.count, end
        self._words[first:end] = words

    def view(self, first: int = 0) -> Words:
        """All of them, or from ``first`` on: uint32, shape (n,), read-only."""
        return self._shown[first : self.count]


def _text(given: Any) -> str:
    """``given`` in a line that is not too long."""
    text = " ".join(repr(given).split())
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def as_integer(what: str, given: Any, bits: int) -> int:
    """``given`` as an int of ``bits`` bits, unsigned.

    Raises:
        ValueError: no integer (``True`` and 2.5 are none), or one that does not fit.
    """
    if given.__class__ is int and 0 <= given < 1 << bits:
        return int(given)
    if isinstance(given, (bool, np.bool_)):
        raise ValueError(f"{what} {_text(given)}: want an integer")
    try:
        value = operator.index(given)
    except TypeError:
        raise ValueError(f"{what} {_text(given)}: want an integer") from None
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{what} {value:#x} does not fit in {bits} bits")
    return value


def as_choice(what: str, given: Any, count: int) -> int:
    """``given`` as an int from 0 to ``count`` - 1; ``ValueError`` unless it is one."""
    if given.__class__ is int and 0 <= given < count:
        return int(given)
    if not isinstance(given, (bool, np.bool_)):
        try:
            value = operator.index(given)
        except TypeError:
            value = -1
        if 0 <= value < count:
            return value
    raise ValueError(f"no {what} {_text(given)}: choose from 0 to {count - 1}")


def as_thread(given: Any) -> int:
    """A thread's number as an int; ``ValueError`` unless it is 0, 1 or 2."""
    if given.__class__ is int and 0 <= given < THREADS:
        return int(given)
    try:
        return as_choice("thread", given, THREADS)
    except ValueError:
        raise ValueError(f"no thread {_text(given)}: choose from 0, 1, 2") from None


def quick_words(given: Any) -> Words | None:
    """Ints of a list or tuple, or of an array, in a tenth of the time; ``None``: not these."""
    if given.__class__ is list or given.__class__ is tuple:
        try:
            words = np.frombuffer(array("I", given), np.uint32)
        except (TypeError, OverflowError):
            return None
        # no other integers but True and False are refused
        return None if words.min(initial=2) < 2 and {*map(type, given)} - {int} else words
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype == np.uint32:
        return np.array(given, np.uint32)
    return None


def as_words(given: Any) -> Words:
    """Words of 32 bits, one or many, as an array of its own.

    Raises:
        ValueError: one that is no integer (``True`` and 2.5 are none) or does not fit.
    """
    words = quick_words(given)
    if words is not None:
        return words
    if isinstance(given, np.ndarray) and given.ndim > 1:
        raise ValueError(f"words of shape {given.shape}: want one word, or a sequence of words")
    if isinstance(given, (str, bytes, bytearray)):
        raise ValueError(f"word {_text(given)}: want an integer")
    try:
        many = list(given)
    except TypeError:  # not a sequence: a single one
        many = [given]
    return np.array([as_integer("word", word, 32) for word in many], np.uint32)
