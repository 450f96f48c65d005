# SPDX-License-Identifier: Apache-2.0
"""Short ways to set the packers up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa import ConfigField
from tilepath.models.pack import PackState
from tilepath.sequences.pack.config import FIELDS

TILE = 0x1000  # where ``ready`` lets a tile begin


def _field(name: str, packer: int) -> ConfigField:
    if name not in FIELDS:
        return FIELDS[name[:-1]][int(name[-1])]
    return FIELDS[name][packer if len(FIELDS[name]) > 1 else 0]


def put(state: Any, packer: int = 0, **values: int) -> None:
    """Write fields by their names in ``FIELDS``, or of a word of a table, in both banks."""
    for name, value in values.items():
        field = _field(name, packer)
        for bank in state.config:
            bank[field.addr32] = int(bank[field.addr32]) & ~field.mask | value << field.lsb


def plain(state: Any, apart: int, **values: int) -> None:
    """Let packers pack rows of 16 of BF16, without masks and compression, to ``TILE``.

    ``apart``: units of 16 bytes from packer to packer.
    """
    for packer in range(4):
        put(state, packer, uncompressed=1, no_header=1, l1_dest=(TILE >> 4) + apart * packer)
        put(state, packer, reads=16, from_=5, to=5, **{f"edge_mask{packer}": 0xFFFF})
    put(state, **{"inner": 5, **values})


def ready(profile: str = "baseline", **values: int) -> PackState:
    """Packers that pack rows of 1.0; ``values``: settings of packer 0."""
    state = PackState(profile)
    plain(state, 0x1000, **values)
    state.dst[:] = 0x007F
    datums(state, 16)
    return state


def datums(state: PackState, count: int, first: int = 0) -> None:
    """Let a PACR of thread 0 take ``count`` datums from X = ``first`` on."""
    first = max(first, 1 - count)
    state.adc.live[0, 2, 0, 0] = first
    state.adc.live[0, 2, 1, 0] = first + count - 1


def fill(state: PackState, storage: Sequence[int] | npt.NDArray[Any], wide: bool = False) -> None:
    """Raw storage of the first rows; 32-bit values if ``wide``."""
    values = np.zeros(-(-len(storage) // 16) * 16, dtype=np.uint32)
    values[: len(storage)] = storage
    for row, given in enumerate(values.reshape(-1, 16)):
        if wide:
            place = (row & 0x1F8) << 1 | row & 0x207
            state.dst[place], state.dst[place + 8] = given >> 16, given & 0xFFFF
        else:
            state.dst[row] = given


def storage(value: int, settings: dict[str, int]) -> int:
    """Storage of a number (P19)."""
    if settings.get("wide"):
        return storage(value >> 16, {"inner": 5}) << 16 | value & 0xFFFF
    if settings["inner"] in (1, 2, 10):
        return value & 0x8000 | (value & 0x3FF) << 5 | value >> 10 & 0x1F
    if settings["inner"] in (9, 14):
        return value
    return value & 0x8000 | (value & 0x7F) << 8 | value >> 7 & 0xFF


def word(mask: int = 1, last: int = 1, **fields: int) -> int:
    """A PACR."""
    return isa.encode("PACR", read_intf_sel=mask, last=last, **fields)
