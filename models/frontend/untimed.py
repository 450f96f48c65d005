# SPDX-License-Identifier: Apache-2.0
"""Untimed: which words leave the front end, and in which order."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, copied, for_compiled, record, zeros
from tilepath.isa import profiles
from tilepath.isa.constants import OP_MOP, OP_MOP_CFG
from tilepath.models.frontend.untimed_mop import CONFIG_REGISTERS, NO_WORD, THREAD, next_expanded
from tilepath.models.frontend.untimed_replay import BUFFER_WORDS, LONGEST_PLAYBACK, pass_through

Words = npt.NDArray[np.uint32]
Writes = Iterable[tuple[int, int, int]] | npt.NDArray[np.integer]

_LAST_WORD: Final = 0xFFFFFFFF

_WRITE: Final = record(position=np.int64, index=np.int64, datum=np.int64)


class _Program(NamedTuple):
    """What is pushed: words, and MopCfg writes, each before the word at its position."""

    words: Words
    writes: Records  # of _WRITE


@part
def _write_mop_cfg(thread: Record, writes: Records, position: int) -> None:
    """Perform the MopCfg writes that come before the word at ``position``."""
    while thread.next_write < len(writes) and writes[thread.next_write].position <= position:
        index = writes[thread.next_write].index
        if index < CONFIG_REGISTERS:
            thread.mop.mop_cfg[index] = writes[thread.next_write].datum
        thread.next_write += 1


@compiled
def _expand(threads: Records, program: _Program, issued: Words, behind: bool, plays: bool) -> int:
    """Expand the program from ``next_word`` on into ``issued``; returns the count of words there.

    Stops early, ready to be called again with another ``issued``, when a playback may not fit.
    ``behind``: the words come behind the MOP expander. Without ``plays`` none goes further than to
    the replay expander.
    """
    thread = threads[0]
    words, writes = program
    count = 0
    thread.finished = False
    while count + LONGEST_PLAYBACK <= len(issued):
        if thread.mop.words_left == 0:
            if thread.next_word == len(words):
                thread.finished = True
                break
            _write_mop_cfg(thread, writes, thread.next_word)
        word = next_expanded(thread, words, behind)
        if word == NO_WORD:
            continue
        if plays:
            count = pass_through(thread.replay, word, issued, count)
        else:
            issued[count] = word
            count += 1
    return count


def check_word(word: int, what: str = "word") -> int:
    """``word`` as an int; ``ValueError`` with one line unless it fits in 32 bits, unsigned."""
    if isinstance(word, (bool, float, str)):
        raise ValueError(f"{what} {word!r}: want an integer")
    value = operator.index(word)
    if not 0 <= value <= _LAST_WORD:
        raise ValueError(f"{what} {value:#x} does not fit in 32 bits")
    return value


def _as_words(words: npt.ArrayLike) -> Words:
    given = np.asarray(words)
    if given.size == 0:
        return np.zeros(0, dtype=np.uint32)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError("words: want a sequence of integers")
    if given.dtype != np.uint32 and (given.min() < 0 or given.max() > _LAST_WORD):
        raise ValueError("words: one does not fit in 32 bits")
    return np.ascontiguousarray(given, dtype=np.uint32)


_NO_WRITES: Final = for_compiled(zeros(_WRITE, 0))


def _as_writes(writes: Writes) -> Records:
    if isinstance(writes, tuple) and not writes:
        return _NO_WRITES
    given = writes if isinstance(writes, np.ndarray) else list(writes)
    rows = np.array(given, dtype=np.int64).reshape(-1, 3)
    if rows.size and (rows.min() < 0 or rows[:, 2].max() > _LAST_WORD):
        raise ValueError("mop_cfg_writes: negative entry, or data beyond 32 bits")
    if (np.diff(rows[:, 0]) < 0).any():
        raise ValueError("mop_cfg_writes: positions must not decrease")
    return for_compiled(rows.view(_WRITE).reshape(-1))


def architectural_state(mop: Record, replay: Record) -> dict[str, npt.NDArray[Any]]:
    """The state of one thread's expanders, as of ``FunctionalThread.state``."""
    return {
        "mop_cfg": np.array(mop["mop_cfg"]),
        "mask_hi": np.array(mop["mask_hi"], dtype=np.uint16),
        "replay_buffer": np.array(replay["buffer"]),
    }


@functools.cache
def _reset_thread(profile: str) -> npt.NDArray[Any]:
    """A thread after reset, an array of one ``THREAD``."""
    threads = np.zeros(1, THREAD)
    threads["replay"]["count_of_zero"] = profiles.get(profile).replay_count0
    return threads


class FunctionalThread:
    """One thread's front end without time: MopCfg, MaskHi, replay buffer and recording persist.

    Every word is expanded as if the words before it had left already, so there is no depth, no
    race and no collision. BRISC's words go to ``replay`` (F18).

    Attributes:
        mop_cfg: uint32, shape (9,): the MopCfg registers; may be written at any time and serves
            the MOPs fed afterwards.
        buffer_in_use: uint32, shape (32,): the replay buffer itself; may be written, too.
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Thread after reset (all zero). Raises ``ValueError`` for an unknown profile."""
        self._reset = _reset_thread(profile)
        threads = copied(self._reset)
        self.mop_cfg: Words = threads["mop"]["mop_cfg"][0]
        self.buffer_in_use: Words = threads["replay"]["buffer"][0]
        self._state = threads
        self._threads = for_compiled(threads)
        self._thread = self._threads[0]

    def reset(self) -> None:
        """Put the state after reset into the same arrays."""
        self._state[:] = self._reset

    @property
    def mask_hi(self) -> int:
        """Upper half of the template 0 mask, 16 bits, as the last MOP_CFG left it (F8)."""
        return int(self._thread["mop"]["mask_hi"])

    @property
    def buffer(self) -> Words:
        """Copy of the replay buffer: uint32, shape (32,)."""
        return self.buffer_in_use.copy()

    def feed(self, words: npt.ArrayLike, mop_cfg_writes: Writes = ()) -> Words:
        """Push ``words`` and return what leaves for it: uint32, shape (n,).

        Args:
            words: 32-bit words in program order.
            mop_cfg_writes: rows (position, index, data), positions not decreasing: written before
                ``words[position]``; at or beyond the end: after all words. An index above 8
                writes nothing.

        Raises:
            ValueError: a word or datum that does not fit in 32 bits, or unordered positions.

        Illegal words (F17) are among those returned, as they are in the ``issue`` stream.
        """
        return self._walk(words, mop_cfg_writes, False, True)

    def expand_mops(self, words: npt.ArrayLike, mop_cfg_writes: Writes = ()) -> Words:
        """Push ``words`` and return what leaves the MOP expander, before any replay.

        Arguments, result and errors are those of ``feed``. What is returned goes to ``replay``,
        with BRISC's words (F18) where they came between: ``feed`` is one behind the other.
        """
        return self._walk(words, mop_cfg_writes, False, False)

    def replay(self, words: npt.ArrayLike) -> Words:
        """What leaves the replay expander for ``words`` that come to it: uint32, shape (n,).

        MOP and MOP_CFG are words like others here (F9). Raises ``ValueError`` for a word that does
        not fit in 32 bits.
        """
        return self._walk(words, (), True, True)

    @property
    def unrecorded(self) -> int:
        """How many words a recording still waits for; 0: none is under way."""
        return int(self._thread["replay"]["words_left"])

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """MopCfg, MaskHi and replay buffer, as ``compiled.state`` says; copies.

        ``mop_cfg``: uint32, shape (9,); ``mask_hi``: uint16, shape (); ``replay_buffer``: uint32,
        shape (32,).
        """
        return architectural_state(self._thread["mop"], self._thread["replay"])

    def _walk(self, words: npt.ArrayLike, writes: Writes, behind: bool, plays: bool) -> Words:
        """All that comes of ``words``, however long, piece by piece."""
        program = _Program(_as_words(words), _as_writes(writes))
        state = self._thread
        state["next_word"] = state["next_write"] = 0
        room = max(256, 4 * len(program.words) + LONGEST_PLAYBACK)
        parts = []
        while True:
            made = np.empty(room, dtype=np.uint32)
            parts.append(made[: _expand(self._threads, program, made, behind, plays)])
            if state["finished"]:
                break
            room = min(2 * room, 1 << 20)
        for write in program.writes[state["next_write"] :]:
            if write["index"] < CONFIG_REGISTERS:
                self.mop_cfg[write["index"]] = write["datum"]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def expand_mop(word: int, mask_hi: int, mop_cfg: npt.ArrayLike) -> Words:
    """Expansion of one MOP word (seed, templates 0 and 1; F1 to F6, F9, F10).

    Args:
        word: 32-bit MOP word.
        mask_hi: 16-bit MaskHi.
        mop_cfg: 9 registers of 32 bits.

    Returns:
        uint32, shape (n,), n from 0 to 32639; REPLAY words in it are not expanded.

    Raises:
        ValueError: no MOP word, or an argument of the wrong width or shape.
    """
    if check_word(word) >> 24 != OP_MOP:
        raise ValueError(f"word {word:#010x} is no MOP")
    if not 0 <= int(mask_hi) <= 0xFFFF:
        raise ValueError(f"mask_hi {int(mask_hi):#x} does not fit in 16 bits")
    registers = _as_words(mop_cfg)
    if registers.shape != (CONFIG_REGISTERS,):
        raise ValueError(f"mop_cfg: want 9 registers, got {registers.size}")
    thread = FunctionalThread()
    thread.mop_cfg[:] = registers
    return thread.expand_mops([OP_MOP_CFG << 24 | int(mask_hi), int(word)])


def expand_replay(
    words: npt.ArrayLike, buffer: Words | None = None, *, profile: str = profiles.DEFAULT
) -> Words:
    """What the replay expander makes of ``words`` (seed, Replay Expander; F13 to F16).

    Args:
        words: 32-bit words as the MOP expander emits them; MOP and MOP_CFG are ordinary here.
        buffer: replay buffer before the first word, uint32, shape (32,); brought up to date in
            place. All zero when missing.
        profile: gives the meaning of count 0.

    Returns:
        uint32, shape (n,): the words that go on to issue. A recording still open at the end is
        dropped with all that it stored kept in ``buffer``.

    Raises:
        ValueError: a word beyond 32 bits, a buffer of another shape or type, unknown profile.
    """
    given = _as_words(words)
    thread = FunctionalThread(profile)
    if buffer is not None:
        if buffer.shape != (BUFFER_WORDS,) or buffer.dtype != np.uint32:
            raise ValueError("buffer: want a uint32 array of 32 words")
        thread.buffer_in_use[:] = buffer
    issued = thread.replay(given)
    if buffer is not None:
        buffer[:] = thread.buffer_in_use
    return issued


def expand(
    words: npt.ArrayLike, mop_cfg_writes: Writes = (), profile: str = profiles.DEFAULT
) -> Words:
    """Words that one thread issues for pushed ``words``, starting from reset.

    Arguments, result and errors are those of ``FunctionalThread.feed``; an unknown profile raises
    ``ValueError`` too.
    """
    return FunctionalThread(profile).feed(words, mop_cfg_writes)
