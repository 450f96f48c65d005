# SPDX-License-Identifier: Apache-2.0
"""What the Matrix Unit must read in each program, from the values of its tiles alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.unpack import llk
from tilepath.sequences.unpack.llk import CASES, WIDTH, Case
from tilepath.sequences.unpack.tile_image import KINDS, values
from tilepath.tests.unpack.tile_values import dst_rows, in_src

U32 = NDArray[np.uint32]
F64 = NDArray[np.float64]


def _rows(raw: U32) -> U32:
    return raw.reshape(-1, 16)


def _picture(tile: F64) -> F64:
    """The 32 by 32 numbers of a tile of four faces of 16 by 16."""
    return tile.reshape(2, 2, 16, 16).swapaxes(1, 2).reshape(32, 32)


def _faces(picture: F64) -> F64:
    """The inverse."""
    return picture.reshape(2, 16, 2, 16).swapaxes(1, 2).reshape(-1)


def _unpack_a(case: Case, _: str) -> Iterator[U32]:
    yield _rows(in_src(case.a, case.tile_a()))
    yield np.zeros((64, 16), np.uint32)


def _unpack_a_transpose(case: Case, _: str) -> Iterator[U32]:
    yield _rows(in_src(case.a, _faces(_picture(case.tile_a()).T)))


def _unpack_ab(case: Case, _: str) -> Iterator[U32]:
    a, b = _rows(in_src(case.a, case.tile_a())), _rows(in_src(case.b, case.tile_b()))
    for face in range(4):
        yield a[16 * face : 16 * face + 16]
        yield b[16 * face : 16 * face + 16]


def _tilize(case: Case, profile: str) -> Iterator[U32]:
    strip = case.tile_a(0, WIDTH * WIDTH).reshape(WIDTH, WIDTH)
    width = llk.row_width(case, profile)
    for tile in (0, 1):
        part = strip[: 1024 // width, width * tile : width * tile + width]
        yield _rows(in_src(case.a, part.reshape(-1)))


def _tilize_ab(case: Case, _: str) -> Iterator[U32]:
    strip = case.tile_a(0, WIDTH * WIDTH).reshape(WIDTH, WIDTH)
    a, b = in_src(case.a, _faces(strip[:32, :32])), in_src(case.b, case.tile_b())
    for face in range(4):
        yield _rows(a)[16 * face : 16 * face + 16]
        yield _rows(b)[16 * face : 16 * face + 16]


def _untilize(case: Case, _: str) -> Iterator[U32]:
    wide = np.hstack([_picture(case.tile_a(0)), _picture(case.tile_a(1))])
    yield _rows(in_src(case.a, wide.reshape(-1)))


def _unpack_dst(case: Case, _: str) -> Iterator[U32]:
    yield dst_rows(case.a, case.dst_row, case.tile_a())[1]


def _matmul(case: Case, _: str) -> Iterator[U32]:
    a = _rows(in_src(case.a, case.tile_a()))
    for step in range(4):
        if step % 2 == 0:
            yield a[8 * step : 8 * step + 16]
        yield _rows(in_src(case.b, case.tile_b(step)))


_BY_CASE: dict[str, Callable[[Case, str], Iterator[U32]]] = {
    "unpack_a": _unpack_a,
    "unpack_a_transpose": _unpack_a_transpose,
    "unpack_ab": _unpack_ab,
    "tilize": _tilize,
    "tilize_ab": _tilize_ab,
    "untilize": _untilize,
    "unpack_dst": _unpack_dst,
    "matmul_formats": _matmul,
}


def _bf16(*numbers: int) -> list[U32]:
    kind = KINDS["bf16"]
    return [_rows(in_src(kind, values(kind, number))) for number in numbers]


def _add1() -> Iterator[U32]:
    for a, b in zip(_bf16(1, 2, 3, 4), _bf16(11, 12, 13, 14), strict=True):
        for face in range(4):
            yield a[16 * face : 16 * face + 16]
            yield b[16 * face : 16 * face + 16]


def _matmul_text() -> Iterator[U32]:
    a, b = _bf16(21, 22), _bf16(31, 32, 33, 34, 41, 42, 43, 44)
    for turn in range(2):
        for context in range(2):
            yield a[context][16 * turn : 16 * turn + 16]
            yield from b[4 * context : 4 * context + 4]


_TEXTS = {"add1": _add1, "matmul": _matmul_text}
PROGRAMS = (*_TEXTS, *_BY_CASE)


def valid(program: str) -> list[int]:
    """Valid bit of each row that is read (U36): of Dst only; a row of 32 bits has one, above.

    Each tile begins with all rows invalid.
    """
    if program != "unpack_dst":
        return []
    found = []
    for case in CASES[program]:
        rows = dst_rows(case.a, case.dst_row, case.tile_a())[0].tolist()
        found += [int(not (case.a.wide and row & 8)) for row in rows]
    return found


def parts(program: str, profile: str) -> list[tuple[str, U32]]:
    """All rows that are read, in order, in parts of n × 16, each with the kinds that it is of."""
    if program in _TEXTS:
        return [("bf16", part) for part in _TEXTS[program]()]
    return [
        (f"{case.a.name}, {case.b.name}", part)
        for case in CASES[program]
        for part in _BY_CASE[program](case, profile)
    ]


def check(program: str, profile: str, read: U32) -> None:
    """``AssertionError`` that says which cases are read wrong."""
    found = parts(program, profile)
    wanted = np.concatenate([part for _, part in found])
    assert read.shape == wanted.shape
    names = np.repeat([name for name, _ in found], [len(part) for _, part in found])
    bad = np.flatnonzero((read != wanted).any(axis=1))
    assert not len(bad), f"{set(names[bad])}: row {bad[0]}: {read[bad[0]]} not {wanted[bad[0]]}"
