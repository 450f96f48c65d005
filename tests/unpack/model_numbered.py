# SPDX-License-Identifier: Apache-2.0
"""Numbered datums for the unpackers: INT16 throughout, so a value tells where it was read.

The 16-bit word at byte address 2k is k.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr

START = 0x4010
NOT_WRITTEN = 0x7FFFF


def numbered(**more: Any) -> Any:
    """``plain`` for INT16 and one datum, with numbered words."""
    code = more.pop("code", F.INT16)
    s = plain(code, **{"count": 1, "y_dim": 16, **more})
    number(s)
    return s


def number(state: Any) -> None:
    load(state, 0, np.arange(1 << 16), "u2")


def places(values: npt.ArrayLike) -> list[int]:
    """Byte addresses that INT16 values in Src were read from."""
    x = np.asarray(values, dtype=np.int64)
    return (2 * (x >> 11 << 8 | x & 0xFF)).tolist()


def place(state: Any, unit: int = 0, bank: int = 0, **word: int) -> int:
    """Where the one datum of an UNPACR was read from."""
    thread = word.pop("thread", 0)
    (state.src_b if unit else state.src_a)[:] = 0
    state.execute(thread, unpacr(unit, **word))
    return places((state.src_b if unit else state.src_a)[bank, 0, 0])


def contexts(unit: int) -> Any:
    """Every context has its own base, and every one of four its own offset."""
    s = numbered(unit=unit, disable_0_3=15, disable_4_7=15)
    for k in range(8):
        put(s, unit, **{f"base{k}" if k else "base": 0x100 + 0x100 * k})
    for k in range(4):
        put(s, unit, **{f"offset{k}" if k else "offset": 1 + k, f"x_dim{k}": 256, f"dest{k}": 64})
    return s


def compressed(rows: list[int], nibbles: list[int], **more: Any) -> Any:
    """INT16, numbered datums, x_dim 8; RSI at 0x4010, datums right behind its section."""
    s = numbered(uncompressed=0, **{"x_dim": 8, "x1": 7, "y_dim": 4, "z_dim": 1, **more})
    load(s, START, rows, "u2")
    section = START + -(-2 * (more.get("blobs", 4) * more.get("z_dim", 1) + 1) // 16) * 16
    packed = nibbles + [0] * (32 * 8 - len(nibbles))
    for group in range(8):
        data = [a | b << 4 for a, b in zip(packed[0:32:2], packed[1:32:2], strict=True)]
        load(s, section + 80 * group + 64, data)
        packed = packed[32:]
    return s


def emit(state: Any, **word: int) -> list[int]:
    """Sources of all that an UNPACR emits, as ``emitted``."""
    state.src_a[:] = NOT_WRITTEN
    state.execute(0, unpacr(**word))
    return emitted(state)


def emitted(state: Any) -> list[int]:
    """Sources of the values in SrcA; 0 for a zero, -1 for what is not written."""
    values = state.src_a[0].ravel()
    found = [0 if v == 0 else -1 if v == NOT_WRITTEN else places(v) for v in values.tolist()]
    while found and found[-1] == -1:
        found.pop()
    return found
