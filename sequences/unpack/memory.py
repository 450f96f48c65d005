# SPDX-License-Identifier: Apache-2.0
"""A picture of L1, as the stimulus has written it so far."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles

CHUNK: Final = 64
"""Bytes that one write makes: four lines."""


class Memory:
    """L1 of a profile: bytes, and which chunks of 64 have been changed since :meth:`flush`."""

    def __init__(self, profile: str) -> None:
        self.size = profiles.get(profile).l1_bytes
        self.bytes: NDArray[np.uint8] = np.zeros(self.size, np.uint8)
        self._dirty: set[int] = set()

    def put(self, address: int, data: NDArray[np.uint8]) -> None:
        """Write ``data`` from byte ``address`` on; what is beyond the memory is dropped."""
        end = min(address + len(data), self.size)
        if not 0 <= address < end:
            return
        self.bytes[address:end] = data[: end - address]
        self._dirty.update(range(address // CHUNK, (end - 1) // CHUNK + 1))

    def put_datums(self, address4: int, bits: int, values: NDArray[np.int64]) -> None:
        """Write datums of ``bits`` (2 to 32) from ``address4``, which counts quarters of a byte.

        The lowest bits of a byte come first; other datums of a byte stay.
        """
        if bits >= 8:
            raw = values.astype(np.uint64).astype("<u8").view(np.uint8).reshape(-1, 8)
            self.put(address4 // 4, np.ascontiguousarray(raw[:, : bits // 8]).reshape(-1))
            return
        begin = address4 // 4
        first = (address4 % 4) * 2
        total = first + bits * len(values)
        end = begin + -(-total // 8)
        if not 0 <= begin < end <= self.size:
            return
        old = np.unpackbits(self.bytes[begin:end], bitorder="little")
        planes = (values[:, None] >> np.arange(bits)) & 1
        old[first:total] = planes.reshape(-1).astype(np.uint8)
        self.put(begin, np.packbits(old, bitorder="little"))

    def u16(self, address: int) -> int:
        """The 16-bit little-endian number at ``address``; 0 outside the memory."""
        if not 0 <= address < self.size - 1:
            return 0
        return int(self.bytes[address]) | int(self.bytes[address + 1]) << 8

    def nibble(self, address2: int) -> int:
        """The nibble at ``address2``, which counts halves of a byte; 0 outside the memory."""
        if not 0 <= address2 // 2 < self.size:
            return 0
        return int(self.bytes[address2 // 2]) >> 4 * (address2 & 1) & 15

    def flush(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The changed chunks: line numbers (n, multiples of 4) and data (n × 16 words)."""
        chunks = np.array(sorted(self._dirty), np.int64)
        self._dirty.clear()
        data = self.bytes.view("<u4").reshape(-1, CHUNK // 4)[chunks]
        return chunks * 4, data.astype(np.uint32)
