# SPDX-License-Identifier: Apache-2.0
"""The Matrix Unit's port to SrcA, SrcB and Dst, for both of its sides (docs/standin.md §2)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import Direction, Field, Stream

COLUMNS: Final = 16
FILES: Final = ("SrcA", "SrcB")
BANKS: Final = ("A0", "A1", "B0", "B1")
RWC: Final = (
    ("a", 6),
    ("a_cr", 6),
    ("b", 6),
    ("b_cr", 6),
    ("d", 10),
    ("d_cr", 10),
    ("phase", 2),
    ("bias", 1),
)


def bits(*names: str) -> tuple[tuple[str, int], ...]:
    """One-bit groups of a field, lowest first."""
    return tuple((name, 1) for name in names)


ACCESS: Final = Field("access", 2, bits=bits("swizzle", "remap"))
DATA: Final = Field("data", 32, count=COLUMNS)
TARGET: Final = Field("target", 2, values=(*FILES, "Dst"))
COMMAND: Final = (
    Field("read", 3, bits=bits(*FILES, "Dst")),
    Field("banks", 2, bits=bits("SrcA 1", "SrcB 1")),
    Field("row_a", 6),
    Field("row_b", 6),
    Field("row", 10),
    Field("wide"),
    ACCESS,
    Field("release", 2, bits=bits(*FILES)),
    Field("clear", 4, bits=bits(*BANKS)),
    Field("neg_inf"),
    Field("zero"),
    Field("zero_mode", 2, values=("row", "16 rows", "half", "all")),
    Field("undo"),
)
WRITE: Final = (TARGET, Field("bank"), Field("row", 10), Field("wide"), ACCESS, DATA)


def commands(direction: Direction) -> tuple[Stream, Stream]:
    """``matrix`` and ``matrix_write``: outputs of the unit, inputs of what keeps the rows."""
    return (
        Stream("matrix", direction, fields=COMMAND),
        Stream("matrix_write", direction, fields=WRITE),
    )


def answers(direction: Direction) -> tuple[Stream, Stream, Stream]:
    """Rows that were read in the cycle before, column 0 first."""
    src = Field("data", 19, count=COLUMNS)
    return (
        Stream("answer_a", direction, fields=(src,)),
        Stream("answer_b", direction, fields=(src,)),
        Stream("answer_d", direction, fields=(DATA, Field("row_valid"))),
    )
