# SPDX-License-Identifier: Apache-2.0
"""What has been written, and what instructions leave behind: the golden model without time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import Records
from tilepath.models.unpack import UnpackState
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.plan import REACH

Bytes = NDArray[np.uint8]

CHUNK: Final = 64
"""Bytes that one write makes: four lines."""


@compiled
def _lay(values: NDArray[np.int64], l1: Bytes, place: int, width: int, stride: int) -> None:
    for k in range(len(values)):
        bit = place + k // 32 * stride + k % 32 * width
        for number in range(max(1, width // 8)):
            byte, value, ones = (bit >> 3) + number, values[k] >> 8 * number, 255
            if width < 8:
                value, ones = value << (bit & 7), (1 << width) - 1 << (bit & 7)
            if byte < len(l1):
                l1[byte] = np.int64(l1[byte]) & ~ones | value & ones


class Memory:
    """L1: its bytes, and which chunks of 64 have been changed since :meth:`flush`."""

    def __init__(self, l1: Bytes) -> None:
        self.size, self.bytes = len(l1), l1
        self._dirty: set[int] = set()

    def put(self, address: int, data: Bytes) -> None:
        """Write ``data`` from byte ``address`` on; what is beyond the memory is dropped."""
        end = min(address + len(data), self.size)
        if not 0 <= address < end:
            return
        self.bytes[address:end] = data[: end - address]
        self.changed(address, end)

    def changed(self, begin: int, end: int) -> None:
        """Bytes from ``begin`` to ``end`` have been written."""
        self._dirty.update(range(begin // CHUNK, (end - 1) // CHUNK + 1))

    def put_datums(
        self, address4: int, bits: int, values: NDArray[np.int64], stride: int = 0
    ) -> None:
        """Write datums of ``bits`` (2 to 32) from ``address4``, which counts quarters of a byte.

        The lowest bits of a byte come first; other datums of a byte stay. ``stride``: bytes from
        one group of 32 datums to the next; 0: they follow one another.
        """
        whole, rest = divmod(len(values), 32)
        place, apart = 2 * address4, 8 * stride or 32 * bits
        if not 0 <= place < 8 * self.size or not len(values):
            return
        _lay(np.ascontiguousarray(values, np.int64), self.bytes, place, bits, apart)
        if whole:
            end = place + (whole - 1) * apart + 32 * bits
            self.changed(place >> 3, min(end + 7 >> 3, self.size))
        if rest:
            begin = place + whole * apart
            self.changed(begin >> 3, min(begin + rest * bits + 7 >> 3, self.size))

    def flush(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The changed chunks: line numbers (n, multiples of 4) and data (n × 16 words)."""
        chunks = np.array(sorted(self._dirty), np.int64)
        self._dirty.clear()
        data = self.bytes.view("<u4").reshape(-1, CHUNK // 4)[chunks]
        return chunks * 4, data.astype(np.uint32)


class View:
    """Configuration, counters and pointers as a program leaves them, and L1 as it was written.

    ``machine`` has all of them, but for data in the registers: words pass it by.
    """

    def __init__(self, profile: str) -> None:
        self.machine: Final = UnpackState(profile)
        self.memory = Memory(self.machine.l1)
        self.reaches: Records = np.zeros(1, REACH)
        self.bank, self.context = self.machine.src_bank, self.machine.context_counter
        self.setups = [[Setup(), Setup()] for _ in range(2)]
        self.threads = [Thread() for _ in range(3)]
        for bank in (0, 1):
            for unpacker in (0, 1):
                self.set_up(bank, unpacker, Setup())

    def set_up(self, bank: int, unpacker: int, setup: Setup) -> dict[int, int]:
        """What ``unpacker`` reads in a bank; returns the words of that."""
        self.setups[bank][unpacker] = setup
        words = setup.words(unpacker)
        self.machine.config[bank, [*words]] = [*words.values()]
        return words

    def set_thread(self, thread: int, own: Thread, words: Mapping[int, int]) -> None:
        """The thread's own ``words``, those of ``own``; resets of context counters."""
        self.threads[thread] = own
        for index, value in words.items():
            self.machine.thread_config[thread, index] = value
            self.machine.set_thread_config(thread, index, value)

    def setup(self, thread: int, unpacker: int) -> Setup:
        """What ``thread`` has set up for ``unpacker``: in the bank of its StateID."""
        return self.setups[self.threads[thread].state][unpacker]
