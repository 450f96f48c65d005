# SPDX-License-Identifier: Apache-2.0
"""Input records as rows of numbers, checked before the model believes them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models.inputs import Rows, checked_rows
from tilepath.models.records import Records
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import streams


def _rows(name: str, given: Records, start: int, until: int) -> Rows:
    """Records of one stream; wide fields, which come last, take a column for each word."""
    fields = BOUNDARY.stream(name).fields
    narrow = {field.name: field.width for field in fields if field.words == 1}
    rows = checked_rows(name, given, narrow, start, until)
    for field in fields:
        if field.words > 1:
            shape = (given.shape[0], field.words)
            if field.name not in (given.dtype.names or ()) or given[field.name].shape != shape:
                raise ValueError(f"{name}: want {field.name} as {shape[1]} words")
            rows = np.concatenate((rows, given[field.name].astype(np.int64)), axis=1)
    return rows


def _check_issues(name: str, rows: Rows) -> None:
    if (rows[:, 1] >= streams.THREADS).any():
        raise ValueError(f"{name}: there is no thread {streams.THREADS}")
    opcode = rows[:, 2] >> 24
    ours = (opcode == L.OPCODE_UNPACR) | (opcode == L.OPCODE_NOP)
    ours &= (rows[:, 2] >> 23) & 1 == int(name[1])
    if not ours.all():
        word = int(rows[~ours][0, 2])
        raise ValueError(f"{name}: {word:08X} is no instruction of this unpacker")


def inputs(given: Mapping[str, Records], start: int, until: int) -> list[Rows]:
    """Rows of all inputs, in the order of ``streams.INPUT_NAMES``: cycle, then the fields.

    Raises ``ValueError`` for what is wrong with them.
    """
    if unknown := set(given) - set(streams.INPUT_NAMES):
        raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
    rows = [
        _rows(name, given.get(name, _NOTHING[name]), start, until) for name in streams.INPUT_NAMES
    ]
    for u in range(streams.UNPACKERS):
        _check_issues(f"u{u}.issue", rows[u])
    return rows


def changes(counters: Mapping[str, Records]) -> Rows:
    """Live values of the unpackers' counters: cycle, set, unpacker, X0 … W0, X1 … W1; in order."""
    parts = []
    for number in range(streams.THREADS):
        for unpacker in range(streams.UNPACKERS):
            records = counters[f"t{number}.unpacker{unpacker}"]
            rows = np.empty((records.shape[0], 11), dtype=np.int64)
            rows[:, 0] = records["cycle"]
            rows[:, 1] = number
            rows[:, 2] = unpacker
            for k in range(8):
                value = records[f"{'xyzw'[k % 4]}{k // 4}"]
                rows[:, 3 + k] = value if k % 4 == 0 else value & 0xFFFF
            parts.append(rows)
    rows = np.concatenate(parts)
    return rows[np.argsort(rows[:, 0], kind="stable")]


_NOTHING = {name: np.empty(0, dtype=streams.input_dtype(name)) for name in streams.INPUT_NAMES}
