# SPDX-License-Identifier: Apache-2.0
"""Decisions on the Matrix Unit without time, as ``decisions.toml`` has them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from tilepath import isa
from tilepath.models.standin import MatrixUnit
from tilepath.sequences.standin.config import CONFIG, THREAD
from tilepath.tests.tables import cases
from tilepath.tests.unpack.model_helpers import number_list, said, word_of

Array = npt.NDArray[np.int64]
CASES: Final = cases(__file__, "decisions")
_USUAL: Final = {"a": 5, "b": 5, "own_a": 1, "own_b": 1}
_FIELDS: Final = CONFIG | THREAD


def _shuffled(float32: Array) -> Array:
    """FP32 patterns as Dst stores them: the high half as sign, mantissa, exponent."""
    return float32 & 0x8000FFFF | (float32 & 0x7F0000) << 8 | float32 >> 7 & 0xFF0000


def _ordered(stored: Array) -> Array:
    return stored & 0x8000FFFF | stored >> 8 & 0x7F0000 | (stored & 0xFF0000) << 7


def values_of(name: str, text: str) -> Array:
    """Numbers; of Src sign:mantissa:exponent in hexadecimal, too, and with a point as ``name``."""
    found: list[int] = []
    for one in text.split():
        if ":" in one:
            sign, mantissa, exponent = (int(part, 16) for part in one.split(":"))
            found.append(sign << 18 | mantissa << 8 | exponent)
        elif "." in one.replace("..", ""):
            bits = int(np.float32(one).view(np.uint32))
            as_src = bits >> 31 << 18 | (bits >> 13 & 0x3FF) << 8 | bits >> 23 & 0xFF
            found.append({"dst32": bits, "dst16": bits >> 16}.get(name, as_src))
        else:
            found += number_list(one)
    return np.array(found, np.int64)


def place(text: str) -> tuple[str, tuple[Any, ...]]:
    """An array's name, and places in it: ``src_b[0,8:16,0]``, ``dst[8..11]``."""
    name, _, inside = text.rstrip("]").partition("[")
    found: list[Any] = []
    for one in inside.split(",") if inside else ():
        if ":" in one:
            found.append(slice(*(int(end) if end else None for end in one.split(":"))))
        else:
            found.append(number_list(one) if ".." in one or " " in one else int(one))
    return name, tuple(found)


def shaped(values: Array, shape: tuple[int, ...]) -> Array:
    """So many values for all, one for each, or one for each of the first direction."""
    by_row = (*shape[:1], *[1] * (len(shape) - 1))
    like = () if values.size == 1 else shape if values.size == np.prod(shape) else by_row
    return np.broadcast_to(values.reshape(like), shape)


class Unit(MatrixUnit):
    """A unit that has both banks."""

    def __init__(self, profile: str, settings: dict[str, int]) -> None:
        super().__init__(profile)
        self.src_owner[:] = 1
        self.configure({**_USUAL, **settings})

    def configure(self, settings: dict[str, int]) -> None:
        """Fields of Config, in both banks, or of ThreadConfig, of all threads."""
        for name, value in settings.items():
            field = _FIELDS.get(name) or isa.config_field(name)
            words: Any = self.thread_config if field.space == "Thread" else self.config
            for row in words:
                row[field.addr32] = field.insert(int(row[field.addr32]), value)

    def array(self, name: str) -> Any:
        """An array, or Dst as numbers of 16 or 32 bits."""
        if name == "dst16":
            return _ordered(self.dst.astype(np.int64) << 16) >> 16
        if name == "dst32":
            high, low = self.dst.astype(np.int64).reshape(64, 2, 8, 16).swapaxes(0, 1)
            return _ordered(high << 16 | low).reshape(512, 16)
        return getattr(self, name)

    def put(self, text: str) -> None:
        """``place=values``."""
        where, values = text.split("=")
        name, index = place(where)
        array = self.array(name)
        array[index] = shaped(values_of(name, values), array[index].shape)
        if name == "dst16":
            self.dst[:] = _shuffled(array << 16) >> 16
        elif name == "dst32":
            halves = _shuffled(array).reshape(64, 8, 16)
            self.dst.reshape(64, 2, 8, 16)[:] = np.stack((halves >> 16, halves & 0xFFFF), 1)


def word_said(text: str, profile: str) -> int:
    """A word by mnemonic and fields, or as it is."""
    _, name, fields = said(text)
    return int(name, 16) if name.startswith("0x") else word_of(name, fields, profile)


def _execute(unit: Unit, profile: str, line: str) -> None:
    text, _, told = line.partition(": ")
    assert unit.execute(1, word_said(text, profile)) == tuple(told.split()), line


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    case = CASES[name]
    profile = case.get("profile", "baseline")
    unit, before = Unit(profile, case.get("set", {})), {}
    for line in case.get("given", ()):
        first = line.split()[0]
        if first == "modifier":
            fields = (field.split("=") for field in line.split()[1:])
            unit.configure({f"ADDR_MOD_{field}": int(value) for field, value in fields})
        elif "=" in first:
            unit.put(line)
        else:
            before = before or {file: unit.array(file).copy() for file in ("src_a", "src_b", "dst")}
            _execute(unit, profile, line)
    assert case["see"]
    for key, wanted in case["see"].items():
        how, _, what = key.partition(" ")
        if how == "word":
            assert word_said(what, profile) == int(wanted, 16), key
        elif how == "cleared":
            assert np.flatnonzero(unit.dst_valid == 0).tolist() == number_list(wanted)
        elif how == "changed":
            rows = (unit.array(what) != before[what]).any(axis=-1).ravel()
            assert np.flatnonzero(rows).tolist() == number_list(wanted), key
        else:
            array, index = place(key)
            found = unit.array(array)[index]
            assert (found == shaped(values_of(array, str(wanted)), found.shape)).all(), (key, found)


def test_refused() -> None:
    unit = MatrixUnit()
    for thread, word, said_of_it in (
        (0, 0x70000000, "word 0x70000000 is none of the matrix unit's"),
        (3, 0x26000000, "no thread 3: choose from 0, 1, 2"),
    ):
        with pytest.raises(ValueError, match=said_of_it):
            unit.execute(thread, word)
    with pytest.raises(TypeError, match="no array of the matrix unit: src_c"):
        MatrixUnit(src_c=unit.src_a)
