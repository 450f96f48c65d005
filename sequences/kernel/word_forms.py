# SPDX-License-Identifier: Apache-2.0
"""Instruction words from the rows of a table: which column goes to which bits, by kind of word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
        every = [one.places for one in forms.values()]
        self._columns = sorted({column for places in every for column, _, _ in places})
        slots = max(map(len, every))
        self._base = np.array([one.base for one in forms.values()], np.int64)
        self._source, self._low, self._mask = np.zeros((3, slots, len(forms)), np.int64)
        for kind, places in enumerate(every):
            for slot, (column, low, width) in enumerate(places):
                self._source[slot, kind] = self._columns.index(column)
                self._low[slot, kind], self._mask[slot, kind] = low, (1 << width) - 1

    def words(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """A word of each row of the table."""
        kind = rows["form"]
        columns = np.array([rows[name] for name in self._columns], np.int64)
        words: NDArray[np.int64] = self._base[kind]
        number = np.arange(len(rows))
        for source, low, mask in zip(self._source, self._low, self._mask, strict=True):
            words += (columns[source[kind], number] & mask[kind]) << low[kind]
        return words
