# SPDX-License-Identifier: Apache-2.0
"""Bit fields of instruction words, as compiled loops take them; where they are, ``isa`` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.isa import tables

# int64 of what is stored in fewer bits: sums and shifts need the room
wide: Final = cast("Callable[[Any], int]", np.int64)


class Field(NamedTuple):
    """A field of a word: its lowest bit, and the mask of its bits once they are shifted down."""

    lsb: int
    mask: int


@part
def get(word: int, field: Field) -> int:
    """Value of a field of ``word``."""
    return (word >> field.lsb) & field.mask


def placed(bits: tables.Bits) -> Field:
    """The field at ``bits``."""
    return Field(bits.lsb, bits.mask >> bits.lsb)


def instruction_field(symbol: str) -> Field:
    """The field of an instruction, such as ``PACR_LAST``; ``IsaError`` when unknown."""
    return placed(tables.position(symbol))
