# SPDX-License-Identifier: Apache-2.0
"""Words of the address-counter instructions, and ADDR_MOD_PACK words.

A counter's number is 4 · channel + dimension, dimensions X, Y, Z, W. Values may be integers, which
give an integer, or arrays, which broadcast; ``IsaError`` for an unknown field. Nothing is checked
against widths: what is drawn fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from tilepath.isa import config_field, layout_of

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
ADDR_MOD: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
"""Fields of an ADDR_MOD_PACK word (P18)."""


@cache
def _lsb(op: str, field: str) -> int:
    return layout_of(op).find(field).lsb


def _wide(value: Any) -> Any:
    return value if isinstance(value, int) else np.asarray(value, np.int64)


def place(counter: int) -> int:
    """Position of ``counter`` among the four values, and mask bits, of its instructions."""
    return counter >> 2 << 1 | counter & 1


def word(op: str, **fields: Any) -> Any:
    """A word of ``op`` with these fields, or words; all other bits are 0."""
    total: Any = OPCODES[op] << 24
    for name, value in fields.items():
        total = total | _wide(value) << _lsb(op, name)
    return total


def setadc(target: Any, counter: Any, value: Any) -> Any:
    """SETADC; ``value`` [17:16] is the ThreadOverride as well (A2)."""
    return word("setadc", target=target, channel=counter >> 2, xyzw=counter & 3, value=value)


def setadcxx(target: Any, x0: Any, x1: Any) -> Any:
    """SETADCXX."""
    return word("setadcxx", target=target, x1_val=x1, x0_val=x0)


def packed(op: str, target: Any, values: tuple[Any, ...], mask: Any = 0, override: Any = 0) -> Any:
    """An instruction with four ``values``: X0, Y0, X1, Y1 or Z0, W0, Z1, W1.

    ``mask``: ignored by INCADCXY and INCADCZW, which have none.
    """
    fields: dict[str, Any] = dict(zip(_VALUES[op], values, strict=True))
    if op in MASKED:
        fields["mask"] = mask
    return word(op, target=target, thread_override=override, **fields)


def one(op: str, target: int, counter: int, value: int, override: int = 0) -> int:
    """An instruction with 3-bit values that touches ``counter`` alone."""
    values = tuple(value if k == place(counter) else 0 for k in range(4))
    return packed(op, target, values, 1 << place(counter), override)  # type: ignore[no-any-return]


def set_words(target: int, values: Mapping[int, int], thread: int | None = None) -> list[int]:
    """Words that set counters (number → value) of target 0, 1 or 2 of a thread's set.

    ``thread``: whose set it is; ``None``: the issuer's. SETADC, but for X of another thread, of
    whose value the ThreadOverride would be a part (A2): a value of up to 7 and increments.
    """
    targets, override = 1 << target, 0 if thread is None else thread + 1
    found = []
    for number, value in values.items():
        if override == 0 or number & 3:
            found.append(setadc(targets, number, value | override << 16))
            continue
        found.append(one("setadcxy", targets, number, min(value, 7), override))
        whole, rest = divmod(max(0, value - 7), 7)
        found += [one("incadcxy", targets, number, 7, override)] * whole
        if rest:
            found.append(one("incadcxy", targets, number, rest, override))
    return found


def addr_mod(**fields: Any) -> Any:
    """An ADDR_MOD_PACK word with these fields; all others are 0."""
    total: Any = 0
    for name, value in fields.items():
        total = total | _wide(value) << config_field(f"ADDR_MOD_PACK_SEC0_{name}").lsb
    return total
