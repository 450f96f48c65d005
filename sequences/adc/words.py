# SPDX-License-Identifier: Apache-2.0
"""Words of the address-counter instructions, and ADDR_MOD_PACK words.

A counter's number is 4 · channel + dimension, dimensions X, Y, Z, W. Values may be arrays, which
broadcast; ``IsaError`` for an unknown field. Functions of one ``…_word`` take and give integers,
because arrays of one cost much more. Nothing is checked against widths: what is drawn fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.isa import config_field, layout_of

Words = NDArray[np.int64]

OPS: Final = (
    "setadc", "setadcxy", "setadczw", "setadcxx", "incadcxy", "incadczw", "addrcrxy", "addrcrzw",
)  # fmt: skip
PACKED: Final = ("setadcxy", "setadczw", "incadcxy", "incadczw", "addrcrxy", "addrcrzw")
"""Instructions with four 3-bit values."""
MASKED: Final = ("setadcxy", "setadczw", "addrcrxy", "addrcrzw")
OPCODES: Final[Mapping[str, int]] = {op: layout_of(op).opcode for op in OPS}
ILLEGAL: Final = tuple(code for code in range(256) if code not in OPCODES.values())
"""Opcodes that the block reports."""
IGNORED: Final[Mapping[str, int]] = {op: layout_of(op).ignored for op in OPS}
"""Bits that no field covers."""
X, Y, Z, W = range(4)

_VALUES: Final = {
    op: tuple(
        field.name
        for field in sorted(layout_of(op).fields, key=lambda field: field.lsb)
        if field.name.endswith(("_val", "_inc"))
    )
    for op in PACKED
}
_LSB: Final = {op: {f.name: f.lsb for f in layout_of(op).fields} for op in OPS}
ADDR_MOD: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
"""Fields of an ADDR_MOD_PACK word (P18)."""


def place(counter: int) -> int:
    """Position of ``counter`` among the four values, and mask bits, of its instructions."""
    return counter >> 2 << 1 | counter & 1


def of_counter(family: str, counter: int) -> str:
    """The instruction of ``family`` (setadc, incadc, addrcr) with a 3-bit value for ``counter``."""
    return family + ("xy" if counter & 2 == 0 else "zw")


def word(op: str, **fields: ArrayLike) -> Words:
    """Words of ``op`` with these fields; all other bits are 0."""
    layout = layout_of(op)
    total: Words = np.asarray(layout.opcode << 24, np.int64)
    for name, value in fields.items():
        total = total | np.asarray(value, np.int64) << layout.find(name).lsb
    return total


def setadc(target: ArrayLike, counter: ArrayLike, value: ArrayLike) -> Words:
    """SETADC; ``value`` [17:16] is the ThreadOverride as well (A2)."""
    number = np.asarray(counter, np.int64)
    return word("setadc", target=target, channel=number >> 2, xyzw=number & 3, value=value)


def setadcxx(target: ArrayLike, x0: ArrayLike, x1: ArrayLike) -> Words:
    """SETADCXX."""
    return word("setadcxx", target=target, x1_val=x1, x0_val=x0)


def packed(
    op: str,
    target: ArrayLike,
    values: tuple[ArrayLike, ...],
    mask: ArrayLike = 0,
    override: ArrayLike = 0,
) -> Words:
    """An instruction with four ``values``: X0, Y0, X1, Y1 or Z0, W0, Z1, W1.

    ``mask``: ignored by INCADCXY and INCADCZW, which have none.
    """
    fields: dict[str, Any] = dict(zip(_VALUES[op], values, strict=True))
    if op in MASKED:
        fields["mask"] = mask
    return word(op, target=target, thread_override=override, **fields)


def setadc_word(targets: int, counter: int, value: int) -> int:
    """One word of :func:`setadc`."""
    at = _LSB["setadc"]
    word = OPCODES["setadc"] << 24 | targets << at["target"] | value << at["value"]
    return word | counter >> 2 << at["channel"] | (counter & 3) << at["xyzw"]


def setadcxx_word(targets: int, x0: int, x1: int) -> int:
    """One word of :func:`setadcxx`."""
    at = _LSB["setadcxx"]
    word = OPCODES["setadcxx"] << 24 | targets << at["target"]
    return word | x1 << at["x1_val"] | x0 << at["x0_val"]


def packed_word(
    op: str, targets: int, values: tuple[int, ...], mask: int = 0, override: int = 0
) -> int:
    """One word of :func:`packed`."""
    at = _LSB[op]
    word = OPCODES[op] << 24 | targets << at["target"] | override << at["thread_override"]
    for name, value in zip(_VALUES[op], values, strict=True):
        word |= value << at[name]
    return word | mask << at["mask"] if op in MASKED else word


def one(op: str, target: int, counter: int, value: int, override: int = 0) -> int:
    """An instruction with 3-bit values that touches ``counter`` alone."""
    values = tuple(value if k == place(counter) else 0 for k in range(4))
    return packed_word(op, target, values, 1 << place(counter), override)


def set_words(target: int, values: Mapping[int, int], thread: int | None = None) -> list[int]:
    """Words that set counters (number → value) of target 0, 1 or 2 of a thread's set.

    ``thread``: whose set it is; ``None``: the issuer's. SETADC, but for X of another thread, of
    whose value the ThreadOverride would be a part (A2): a value of up to 7 and increments.
    """
    targets, override = 1 << target, 0 if thread is None else thread + 1
    found = []
    for number, value in values.items():
        if override == 0 or number & 3:
            found.append(setadc_word(targets, number, value | override << 16))
            continue
        found.append(one("setadcxy", targets, number, min(value, 7), override))
        whole, rest = divmod(max(0, value - 7), 7)
        found += [one("incadcxy", targets, number, 7, override)] * whole
        if rest:
            found.append(one("incadcxy", targets, number, rest, override))
    return found


def addr_mod(**fields: ArrayLike) -> Words:
    """An ADDR_MOD_PACK word with these fields; all others are 0."""
    total: Words = np.asarray(0, np.int64)
    for name, value in fields.items():
        field = config_field(f"ADDR_MOD_PACK_SEC0_{name}")
        total = total | np.asarray(value, np.int64) << field.lsb
    return total
