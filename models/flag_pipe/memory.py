# SPDX-License-Identifier: Apache-2.0
"""The four memories, and what stands in for the cores' computing: ``fill`` and ``look``.

All are in one array of words: L1, UB0, UB1, then the first 4,194,304 and the last 524,288 bytes of
the global memory; in the beginning they are 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part
from tilepath.models.flag_pipe.rules import ADDRESS_END, L1_BYTES, UB_BYTES, Memory

Words = npt.NDArray[np.uint32]

LOW, TOP = 4_194_304, 524_288
"""Bytes of the global memory: its first ones, and its last."""
# First word of each memory, and behind the last
FIRST: Final[tuple[int, ...]] = tuple(
    np.cumsum([0, L1_BYTES // 4, UB_BYTES // 4, UB_BYTES // 4, (LOW + TOP) // 4]).tolist()
)
_STAMP, _INDEX = 0x9E3779B1, 0x85EBCA6B
_WORD: Final = (1 << 32) - 1


def new_memory() -> Words:
    """All words, 0."""
    return np.zeros(FIRST[-1], np.uint32)


@part
def place(memory: int, address: int) -> int:
    """Place of a word in the array, or -1 where the bench has no memory."""
    if memory == Memory.GM and address >= ADDRESS_END - TOP:
        address -= ADDRESS_END - LOW - TOP
    elif memory == Memory.GM and address >= LOW:
        return -1
    at = FIRST[memory] + address // 4
    return at if at < FIRST[memory + 1] else -1


@part
def fill(words: Words, core: int, address: int, count: int, stamp: int) -> None:
    """New values for ``count`` words of a core's SRAM; what is beyond it is dropped."""
    high, low = stamp >> 16, stamp & 0xFFFF  # their products fit in 64 bits
    first = ((high * _STAMP & 0xFFFF) << 16) + low * _STAMP
    for number in range(count):
        at = place(core, address + 4 * number)
        if at >= 0:
            words[at] = (first + number * _INDEX) & _WORD


@part
def look(words: Words, core: int, address: int, count: int) -> tuple[np.int64, np.int64]:
    """Sum and mix of ``count`` words of a core's SRAM; what is beyond it counts as 0."""
    total = np.int64(0)
    mix = np.int64(0)
    for number in range(count):
        at = place(core, address + 4 * number)
        word = np.int64(words[at]) if at >= 0 else np.int64(0)
        total = (total + word) & _WORD
        mix = (((mix << 1) & _WORD) + (mix >> 31) + word) & _WORD
    return total, mix


@compiled
def compute(
    words: Words, core: int, looked: tuple[int, int], filled: tuple[int, int], stamp: int
) -> tuple[np.int64, np.int64]:
    """``look`` and then ``fill``, each with address and number of words."""
    found = look(words, core, looked[0], looked[1])
    fill(words, core, filled[0], filled[1], stamp)
    return found


def tile(words: Words, memory: int, address: int, size: int) -> Words:
    """The ``size`` bytes of a tile, as a view. ``ValueError`` where the bench has no memory."""
    first, last = place(memory, address), place(memory, address + size - 4)
    if first < 0 or last - first != size // 4 - 1:
        raise ValueError(f"{Memory(memory).name} has no {size} bytes at {address:#x}")
    return words[first : last + 1]


def sums(words: Words) -> npt.NDArray[np.uint32]:
    """Return each memory's 64-bit sum of word · (2 · index + 1): shape (4, 2), low word first."""
    found = np.zeros((len(Memory), 2), np.uint32)
    for memory in Memory:
        part_of = words[FIRST[memory] : FIRST[memory + 1]]
        weights = 2 * np.arange(part_of.size, dtype=np.uint64) + np.uint64(1)
        found[memory] = np.array([(part_of * weights).sum(dtype=np.uint64)]).view(np.uint32)
    return found
