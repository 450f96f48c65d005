# SPDX-License-Identifier: Apache-2.0
"""Functional expansion: which words leave the front end, and in which order, without time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants, profiles
from tilepath.models.frontend import layout as L
from tilepath.models.frontend import mop
from tilepath.models.jit import kernel

Words = npt.NDArray[np.uint32]
Writes = Iterable[tuple[int, int, int]] | npt.NDArray[np.integer]

_ROOM = 64  # words that one word of M can become at most


@kernel
def _run(m: L.Memory, words: L.Memory, writes: L.Memory, out: L.Memory) -> int:
    """Expand ``words`` from ``N_WORD`` on into ``out``; returns the count of words written.

    Stops early, ready to be called again with a new ``out``, when fewer than ``_ROOM`` are free.
    """
    k = m[L.N_WORD]
    n = 0
    while n + _ROOM <= out.shape[0]:
        if m[L.P_LEFT] > 0:
            w = mop.next_word(m)
        else:
            if k >= words.shape[0]:
                break
            while m[L.N_WRITE] < writes.shape[0] and writes[m[L.N_WRITE], 0] <= k:
                if writes[m[L.N_WRITE], 1] < 9:
                    m[L.CFG + writes[m[L.N_WRITE], 1]] = writes[m[L.N_WRITE], 2]
                m[L.N_WRITE] += 1
            w = words[k]
            k += 1
            kind = m[L.FLAG + (w >> 24)] & L.KIND
            if kind == L.MOP:
                mop.prepare(m, w)
                continue
            if kind == L.MOP_CFG:
                m[L.MASK_HI] = w & 0xFFFF
                continue
        if m[L.E_STATE] == L.REC:
            # Taken as they are, REPLAY words too (F13).
            m[L.BUFFER + m[L.E_INDEX]] = w
            m[L.E_INDEX] = (m[L.E_INDEX] + 1) & 31
            m[L.E_LEFT] -= 1
            if m[L.E_LEFT] == 0:
                m[L.E_STATE] = L.PASS
            if m[L.E_EXEC] != 0:
                out[n] = w
                n += 1
        elif (m[L.FLAG + (w >> 24)] & L.KIND) != L.REPLAY:
            out[n] = w
            n += 1
        else:
            index = (w >> 14) & 31
            count = (w >> 4) & 63
            if count == 0:
                count = m[L.COUNT0]
            if w & 1:
                m[L.E_STATE] = L.REC
                m[L.E_INDEX] = index
                m[L.E_LEFT] = count
                m[L.E_EXEC] = w & 2
            else:
                for i in range(count):
                    out[n + i] = m[L.BUFFER + ((index + i) & 31)]
                n += count
    m[L.N_WORD] = k
    return n


def check_word(word: int, what: str = "word") -> int:
    """``word`` as an int; ``ValueError`` with one line unless it fits in 32 bits, unsigned."""
    value = int(word)
    if not 0 <= value <= L.LOW32:
        raise ValueError(f"{what} {value:#x} does not fit in 32 bits")
    return value


def _as_words(words: npt.ArrayLike) -> npt.NDArray[np.int64]:
    given = np.asarray(words)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError("words: want a sequence of integers")
    if given.dtype != np.uint32 and (given.min() < 0 or given.max() > L.LOW32):
        raise ValueError("words: one does not fit in 32 bits")
    return given.astype(np.int64)


def _as_writes(writes: Writes) -> npt.NDArray[np.int64]:
    rows = np.array(
        writes if isinstance(writes, np.ndarray) else list(writes), dtype=np.int64
    ).reshape(-1, 3)
    if rows.size and (rows.min() < 0 or rows[:, 2].max() > L.LOW32):
        raise ValueError("mop_cfg_writes: negative entry, or data beyond 32 bits")
    if (np.diff(rows[:, 0]) < 0).any():
        raise ValueError("mop_cfg_writes: positions must not decrease")
    return rows


def _drive(m: L.Memory, words: L.Memory, writes: L.Memory) -> Words:
    """Run all of ``words`` through ``m``; uint32 array of the words that leave."""
    m[L.N_WORD] = 0
    m[L.N_WRITE] = 0
    size = max(256, 4 * words.shape[0] + _ROOM)
    parts = []
    while True:
        out = np.empty(size, dtype=np.uint32)
        parts.append(out[: _run(m, words, writes, out)])
        if m[L.N_WORD] == words.shape[0] and m[L.P_LEFT] == 0:
            break
        size = min(2 * size, 1 << 20)
    return np.concatenate(parts)


class FunctionalThread:
    """One thread's front end without time: MopCfg, MaskHi, replay buffer and recording persist.

    Every word is expanded as if the words before it had left already, so there is no depth, no
    race and no collision; BRISC words are not modelled here.

    Attributes:
        mop_cfg: uint32, shape (9,): the MopCfg registers; may be written at any time and serves
            the MOPs fed afterwards.
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Thread after reset (all zero). Raises ``ValueError`` for an unknown profile."""
        self._m = L.new_memory(profiles.get(profile))
        self.mop_cfg: Words = np.zeros(9, dtype=np.uint32)

    @property
    def mask_hi(self) -> int:
        """Upper half of the template 0 mask, 16 bits, as the last MOP_CFG left it (F8)."""
        return int(self._m[L.MASK_HI])

    @property
    def buffer(self) -> Words:
        """Copy of the replay buffer: uint32, shape (32,)."""
        return self._m[L.BUFFER : L.BUFFER + 32].astype(np.uint32)

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
        given, writes = _as_words(words), _as_writes(mop_cfg_writes)
        self._m[L.CFG : L.CFG + 9] = self.mop_cfg
        issued = _drive(self._m, given, writes)
        for _, index, data in writes[int(self._m[L.N_WRITE]) :]:
            if index < 9:
                self._m[L.CFG + index] = data
        self.mop_cfg[:] = self._m[L.CFG : L.CFG + 9]
        return issued


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
    if check_word(word) >> 24 != constants.OP_MOP:
        raise ValueError(f"word {word:#010x} is no MOP")
    if not 0 <= int(mask_hi) <= 0xFFFF:
        raise ValueError(f"mask_hi {int(mask_hi):#x} does not fit in 16 bits")
    registers = _as_words(mop_cfg)
    if registers.shape != (9,):
        raise ValueError(f"mop_cfg: want 9 registers, got {registers.size}")
    m = L.new_memory(profiles.get())
    m[L.MASK_HI] = mask_hi
    m[L.CFG : L.CFG + 9] = registers
    mop.prepare(m, int(word))
    one = m[L.PATTERN : L.PATTERN + int(m[L.P_LENGTH])].astype(np.uint32)
    passes = np.tile(one, (int(m[L.P_PASSES]), 1))
    if passes.size and m[L.P_SLOT] >= 0:
        passes[-1, m[L.P_SLOT]] = m[L.P_LAST]
    return passes.reshape(-1)


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
    m = L.new_memory(profiles.get(profile))
    for opcode in (constants.OP_MOP, constants.OP_MOP_CFG):
        m[L.FLAG + opcode] = L.PLAIN
    if buffer is not None:
        if buffer.shape != (32,) or buffer.dtype != np.uint32:
            raise ValueError("buffer: want a uint32 array of 32 words")
        m[L.BUFFER : L.BUFFER + 32] = buffer
    issued = _drive(m, _as_words(words), _as_writes(()))
    if buffer is not None:
        buffer[:] = m[L.BUFFER : L.BUFFER + 32]
    return issued


def expand(
    words: npt.ArrayLike, mop_cfg_writes: Writes = (), profile: str = profiles.DEFAULT
) -> Words:
    """Words that one thread issues for pushed ``words``, starting from reset.

    Arguments, result and errors are those of ``FunctionalThread.feed``; an unknown profile raises
    ``ValueError`` too.
    """
    return FunctionalThread(profile).feed(words, mop_cfg_writes)
