# SPDX-License-Identifier: Apache-2.0
"""Words of UNPACR and UNPACR_NOP as integers, the latter in the encoding of a profile (U1)."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from tilepath.engine.description.given import checked
from tilepath.isa import encode, profiles

OPCODE: Final = 0x42
NOP_OPCODE: Final = 0x43
ALL_COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")


@checked(
    lambda: (
        dict.fromkeys(("inc", "adc"), 3)
        | dict.fromkeys(("unpacker", "multi", "flip", "zero", "counter", "search", "last"), 1)
        | {"ctx": 7}
    )
)
def unpacr(
    unpacker: int,
    *,
    inc: tuple[int, int, int, int] = (0, 0, 0, 0),
    multi: int = 0,
    ctx: int = 0,
    adc: int = 0,
    flip: int = 0,
    zero: int = 0,
    counter: int = 0,
    search: int = 0,
    last: int = 1,
) -> int:
    """A Regular UNPACR; ``inc``: increments of Y0, Z0, Y1, Z1 (2 bits each)."""
    y0, z0, y1, z1 = inc
    word = OPCODE << 24 | unpacker << 23 | (y1 << 6 | z1 << 4 | y0 << 2 | z0) << 15
    word |= ctx << 10 | adc << 8 | multi << 7 | flip << 6 | zero << 4 | counter << 3 | search << 2
    return word | last


def of_columns(
    inc: Any, multi: Any, flip: Any, zero: Any, counter: Any, search: Any, last: Any
) -> Any:
    """Regular UNPACRs of unpacker 0, a row each: ``inc`` (n × 4), the others flags."""
    y0, z0, y1, z1 = inc.T
    flags = {"multi": multi, "flip": flip, "zero": zero, "counter": counter, "search": search}
    whole: dict[str, Any] = {name: flag.astype(np.int64) for name, flag in flags.items()}
    return unpacr(0, inc=(y0, z0, y1, z1), last=last.astype(np.int64), **whole)


def inc_context(unpacker: int, last: int = 1) -> int:
    """The form IncrementContextCounter."""
    return OPCODE << 24 | unpacker << 23 | 1 << 13 | last


def flush_cache(unpacker: int, multi: int = 0, last: int = 1) -> int:
    """The form FlushCache."""
    return OPCODE << 24 | unpacker << 23 | multi << 7 | 2 | last


def is_bh(profile: str) -> bool:
    """Whether ``profile`` has the newer encoding of UNPACR_NOP."""
    return profiles.get(profile).nop_enc == "BH"


@cache
def _nop(profile: str, mnemonic: str, fields: tuple[tuple[str, int], ...]) -> int:
    some: dict[str, Any] = dict(fields)
    return encode(mnemonic, profile, **some)


def _word(profile: str, mnemonic: str, **fields: int) -> int:
    return _nop(profile, mnemonic, tuple(fields.items()))


def nop(_profile: str, unpacker: int) -> int:
    """Nop: occupies the unpacker for a cycle (U62)."""
    return NOP_OPCODE << 24 | unpacker << 23 | 2


def setdvalid(profile: str, unpacker: int, form: int = 0) -> int:
    """SETDVALID (U59); BH: ``form`` 0 is the clear to one with format 3, 1 Nop with Set_Dvalid."""
    if not is_bh(profile):
        return NOP_OPCODE << 24 | unpacker << 23 | 7
    fields = {"unpack_pop": 2} if form else {"unpack_pop": 1, "src_clr_val": 2, "clr_to1_fmt": 3}
    return _word(profile, "UNPACR_NOP", unpacker=unpacker, set_dvalid=1, **fields)


def clears_by_value(profile: str) -> bool:
    """Whether format 3 of the newer encoding clears with values other than one (U69)."""
    own = profiles.get(profile)
    return own.nop_enc == "BH" and own.unpacr_nop_zero_clears == 1


def zerosrc(
    profile: str,
    unpacker: int,
    value: int = 0,
    both: int = 0,
    wait: int = 0,
    fmt: int = 0,
    valid: int = 0,
) -> int:
    """ZEROSRC.

    ``value``: 0 zero, 1 minus infinity, BH only: 2 one by ``fmt``, 3 the configured one.
    ``valid``: hand over as well (BH only).
    """
    if is_bh(profile):
        return _word(
            profile, "UNPACR_NOP", unpacker=unpacker, unpack_pop=1, src_clr_val=value,
            bank_clr=both, stall_clr=wait, clr_to1_fmt=fmt, set_dvalid=valid,
        )  # fmt: skip
    if value > 1 or fmt or valid:
        raise ValueError("the older encoding of ZEROSRC has no such value")
    return _word(
        profile, "UNPACR_NOP_ZEROSRC", unpacker=unpacker, neg_inf_src_a=value, both_banks=both,
        wait_like_unpacr=wait,
    )  # fmt: skip


def overlay(_profile: str, unpacker: int) -> int:
    """OverlayClear of the configured stream (U60)."""
    return NOP_OPCODE << 24 | unpacker << 23


def overlay_stream(profile: str, unpacker: int, stream: int, count: int) -> int:
    """OverlayClear of ``stream`` (6 bits), unless ``count`` (WH 11 bits, BH 3) is 0."""
    shift, width = (12, 3) if is_bh(profile) else (4, 11)
    if not 0 <= count < 1 << width:
        raise ValueError(f"count {count} does not fit {width} bits")
    return NOP_OPCODE << 24 | unpacker << 23 | stream << 16 | count << shift | 3


def setreg(
    profile: str, unpacker: int, value: int, accumulate: int = 0, mid: int = 0, select: int = 0
) -> int:
    """SETREG (U61): ``value`` 11 bits, ``mid`` 6 bits."""
    mode = 7 if is_bh(profile) else 4
    word = NOP_OPCODE << 24 | unpacker << 23 | select << 22 | mid << 16 | value << 4
    return word | accumulate << 3 | mode
