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
        self.changed(address, end)

    def changed(self, begin: int, end: int) -> None:
        """Bytes from ``begin`` to ``end`` have been written."""
        self._dirty.update(range(begin // CHUNK, (end - 1) // CHUNK + 1))

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

    def flush(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The changed chunks: line numbers (n, multiples of 4) and data (n × 16 words)."""
        chunks = np.array(sorted(self._dirty), np.int64)
        self._dirty.clear()
        data = self.bytes.view("<u4").reshape(-1, CHUNK // 4)[chunks]
        return chunks * 4, data.astype(np.uint32)
