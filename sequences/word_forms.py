# SPDX-License-Identifier: Apache-2.0
"""Instruction words from the rows of a table: which column goes to which bits, by kind of word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.tables import Table
from tilepath.isa.codec import layout_of

Place = tuple[str, int, int]
"""Column, lowest bit, width: what of it does not fit is cut off."""


class Form(NamedTuple):
    """A word: bits that are always there, and columns that are added at their places."""

    base: int
    places: tuple[Place, ...]


def raw(base: int, *places: Place) -> Form:
    """A word of ``base`` and columns at bits."""
    return Form(base, places)


def form(mnemonic: str, *more: Place, **fields: str | int) -> Form:
    """An instruction: field or view → column, or a number; ``more``: what is added besides."""
    layout = layout_of(mnemonic)
    base, places = layout.template, list(more)
    for name, source in fields.items():
        field = layout.find(name)
        if isinstance(source, int):
            base |= source << field.lsb
        else:
            places.append((source, field.lsb, (field.mask >> field.lsb).bit_length()))
    return Form(base, tuple(places))


class Forms:
    """Words of the kinds of a table's column ``form``, whose names are those of ``forms``."""

    def __init__(self, forms: Mapping[str, Form]) -> None:
        self.names = tuple(forms)
        self._forms = [
            (base, places, tuple(column for column, _, _ in places))
            for base, places in forms.values()
        ]

    def words(
        self, rng: np.random.Generator, table: Table, kind: int, count: int
    ) -> NDArray[np.int64]:
        """``count`` words of the form at ``kind``; only columns are drawn that it has."""
        base, places, columns = self._forms[kind]
        words = np.full(count, base, np.int64)
        drawn = table.some(rng, count, columns, form=kind) if columns else {}
        for column, low, width in places:
            words += (drawn[column] & (1 << width) - 1) << low
        return words
