# SPDX-License-Identifier: Apache-2.0
"""Short ways to set the Matrix Unit up; what Src and Dst hold, from and to numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.models.standin import MatrixUnit

THREAD = 1

Ints = npt.NDArray[np.int64]


def src(value: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Numbers as SrcA and SrcB hold them, cut to ten mantissa bits."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    return (bits >> 31 << 18) | (bits >> 13 & 0x3FF) << 8 | (bits >> 23 & 0xFF)


def datum(sign: int, mantissa: int, exponent: int) -> int:
    """A Src datum from its parts."""
    return sign << 18 | mantissa << 8 | exponent


def integers(value: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Integers as SrcA and SrcB hold them, -1023 to 1023."""
    given = np.asarray(value, np.int64)
    return ((given < 0) << 18 | np.abs(given) << 8 | 16).astype(np.uint32)


def stored(bits: npt.ArrayLike) -> Ints:
    """32-bit patterns as Dst stores them: the high half as sign, mantissa, exponent."""
    given = np.asarray(bits, np.int64)
    high = given >> 16
    return (high & 0x8000 | (high & 0x7F) << 8 | high >> 7 & 0xFF) << 16 | given & 0xFFFF


def unstored(bits: npt.ArrayLike) -> Ints:
    """The inverse of ``stored``."""
    given = np.asarray(bits, np.int64)
    high = given >> 16
    return (high & 0x8000 | (high & 0xFF) << 7 | high >> 8 & 0x7F) << 16 | given & 0xFFFF


class Unit(MatrixUnit):
    """A unit that has both banks; configuration by name, instructions by mnemonic."""

    def __init__(self, profile: str = "baseline") -> None:
        super().__init__(profile)
        self.profile = profile
        self.src_owner[:] = 1

    def set(self, name: str, value: int) -> None:
        """A field of Config, in both banks, or of ThreadConfig, of all threads."""
        field = isa.config_field(name)
        words: Any = self.thread_config if field.space == "Thread" else self.config
        for row in words:
            row[field.addr32] = field.insert(int(row[field.addr32]), value)

    def formats(self, a: int, b: int | None = None, *, fp32: int = 0, int8: int = 0) -> None:
        """Formats of SrcA and SrcB (the same, unless given), width of Dst, integers."""
        self.set("ALU_FORMAT_SPEC_REG0_SrcA", a)
        self.set("ALU_FORMAT_SPEC_REG1_SrcB", a if b is None else b)
        self.set("ALU_ACC_CTRL_Fp32_enabled", fp32)
        self.set("ALU_ACC_CTRL_INT8_math_enabled", int8)
        self.set("DISABLE_IMPLIED_SRCA_FMT_Base", 1)
        self.set("DISABLE_IMPLIED_SRCB_FMT_Base", 1)

    def do(self, mnemonic: str, thread: int = THREAD, **fields: int) -> tuple[str, ...]:
        """Execute; the faults."""
        return self.execute(thread, isa.encode(mnemonic, self.profile, **fields)).faults

    def put32(self, row: int, bits: npt.ArrayLike) -> None:
        """32-bit rows from ``row`` on, all below 512 and in map of ``baseline``; bit patterns."""
        for k, values in enumerate(np.atleast_2d(stored(bits))):
            at = (row + k) // 8 * 16 + (row + k) % 8
            self.dst[at], self.dst[at + 8] = values >> 16, values & 0xFFFF

    def get32(self, row: int, rows: int = 1) -> Ints:
        """The inverse: bit patterns, shape (rows, 16)."""
        at = [k // 8 * 16 + k % 8 for k in range(row, row + rows)]
        high = self.dst[at].astype(np.int64)
        return unstored(high << 16 | self.dst[[k + 8 for k in at]])

    def get_bf16(self, row: int, rows: int = 1) -> Ints:
        """Rows of 16 bits as bit patterns of BF16."""
        return unstored(self.dst[row : row + rows].astype(np.int64) << 16) >> 16
