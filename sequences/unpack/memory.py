# SPDX-License-Identifier: Apache-2.0
"""A picture of L1, as the stimulus has written it so far."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles

CHUNK: Final = 64
"""Bytes that one write makes: four lines."""


def datum_bytes(bits: int, values: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The bytes of datums of ``bits`` (2 to 32), which fill whole ones: lowest bits first."""
    if bits >= 8:
        return values.astype(f"<u{bits // 8}").view(np.uint8)
    parts = (values & (1 << bits) - 1).astype(np.uint8).reshape(-1, 8 // bits)
    found = parts[:, 0].copy()
    for k in range(1, 8 // bits):
        found |= parts[:, k] << np.uint8(k * bits)
    return found


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
            self.put(address4 // 4, datum_bytes(bits, values))
            return
        begin = address4 // 4
        first = (address4 % 4) * 2
        total = first + bits * len(values)
        end = begin + -(-total // 8)
        if not 0 <= begin < end <= self.size:
            return
        if first == 0 and total % 8 == 0:
            self.put(begin, datum_bytes(bits, values))
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

    def nibbles(self, address2: int, count: int) -> list[int]:
        """``count`` nibbles from ``address2`` on, as :meth:`nibble` has them."""
        begin, end = address2 // 2, (address2 + count + 1) // 2
        if not 0 <= begin <= end <= self.size:
            return [self.nibble(address2 + k) for k in range(count)]
        both = [n for byte in self.bytes[begin:end].tolist() for n in (byte & 15, byte >> 4)]
        return both[address2 & 1 : (address2 & 1) + count]

    def runs(self, address2: int, most: int, enough: int) -> tuple[int, int]:
        """How many datums with nibbles from ``address2`` on make ``enough``, and what they make.

        ``most`` datums are looked at. Each makes itself and as many zeros as its nibble says.
        """
        zeros = self.nibbles(address2, most)
        total = most + sum(zeros)
        if total < enough:
            return most, total
        total = 0
        for number, run in enumerate(zeros, 1):
            total += 1 + run
            if total >= enough:
                return number, total
        return most, total

    def flush(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The changed chunks: line numbers (n, multiples of 4) and data (n × 16 words)."""
        chunks = np.array(sorted(self._dirty), np.int64)
        self._dirty.clear()
        data = self.bytes.view("<u4").reshape(-1, CHUNK // 4)[chunks]
        return chunks * 4, data.astype(np.uint32)
