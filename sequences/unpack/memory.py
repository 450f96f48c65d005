# SPDX-License-Identifier: Apache-2.0
"""A picture of L1, as the stimulus has written it so far."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.jit import compiled

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
