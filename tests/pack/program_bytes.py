# SPDX-License-Identifier: Apache-2.0
"""What must be in L1 after each program, from the numbers of its tiles alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.stream import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.pack import SLOTS
from tilepath.sequences.pack import llk
from tilepath.sequences.pack.llk import ACCUMULATED, TILES, Case
from tilepath.sequences.pack.tile_image import KINDS, TILE, values
from tilepath.tests.pack.tile_values import added, compressed, inner, stored, tile

U8 = NDArray[np.uint8]
F64 = NDArray[np.float64]
Part = tuple[int, U8]  # byte address, bytes

UNTOUCHED: Final = 0xA5
PROFILES: Final = profiles.names()


def _tile(case: Case, _: str) -> Iterator[Part]:
    yield case.address, tile(case.kind, case.numbers())


def _rows(case: Case, profile: str) -> Iterator[Part]:
    numbers = case.numbers()
    if not llk.four(profile):  # row 0 of four faces, row 1, ...
        numbers = numbers.reshape(4, 16, 16).swapaxes(0, 1).reshape(-1)
    yield case.address, tile(case.kind, numbers)


def picture(numbers: F64) -> F64:
    """The 32 by 32 numbers of a tile of four faces of 16 by 16."""
    return numbers.reshape(2, 2, 16, 16).swapaxes(1, 2).reshape(32, 32)


def _untilize(case: Case, _: str) -> Iterator[Part]:
    wide = np.hstack([picture(case.numbers(place)) for place in range(TILES)])
    yield case.address, tile(case.kind, wide.reshape(-1))


def _reduce(case: Case, _: str) -> Iterator[Part]:
    numbers = picture(case.numbers())
    dimension, *more = case.option.split()
    keep = np.zeros((32, 32), bool)
    keep[slice(None) if dimension == "row" else 0, slice(None) if dimension == "column" else 0] = 1
    faces = [
        some.reshape(2, 16, 2, 16).swapaxes(1, 2).reshape(-1)
        for some in (np.where(keep, numbers, 0.0), keep)
    ]
    data = tile(case.kind, faces[0])
    if more:
        lost = faces[1] == 0
        size = case.kind.bits // 8
        if case.kind.bfp:  # the largest exponent there is makes all others 0
            group = lost.reshape(-1, 16).any(axis=1)
            data[: len(group)][group] = 0xFF
            codes_ = data[len(group) :]
            codes_[np.repeat(group, 16)] = 0
            codes_[lost] = 0xC0
        else:
            code = {0: 0xFF80_0000, 5: 0xFF80, 1: 0xFFFF}[case.kind.to]
            raw = np.frombuffer(code.to_bytes(size, "little"), np.uint8)
            data.reshape(-1, size)[lost] = raw
    yield case.address, data


def _accumulate(case: Case, _: str) -> Iterator[Part]:
    kind = case.kind
    total = inner(kind, case.numbers(0))
    for place in range(1, ACCUMULATED):
        total = added(kind, total, inner(kind, case.numbers(place)))
    yield case.address, stored(kind, total)


def _zero(case: Case, _: str) -> Iterator[Part]:
    exponents = TILE // 16 if case.kind.bfp else 0
    yield case.address, np.zeros(exponents + TILE * case.kind.bits // 8, np.uint8)


def sections(case: Case, numbers: F64, row: int, at: int) -> Iterator[Part]:
    """A compressed tile at ``at``: row starts, exponents, datums."""
    starts, exponents, data = compressed(case.kind, numbers, row)
    yield at, starts
    at += len(starts)
    if case.kind.bfp:
        yield at, exponents
        at += 64  # the size of the section, however few there are
    yield at, data


def _compressed(case: Case, _: str) -> Iterator[Part]:
    yield from sections(case, case.numbers(), 32, case.address)


def _compressed_faces(case: Case, profile: str) -> Iterator[Part]:
    numbers = case.numbers()
    if not llk.four(profile):
        yield from sections(case, numbers, 64, case.address)
        return
    for packer, face in enumerate(numbers.reshape(4, -1)):
        yield from sections(case, face, 16, case.address + packer * llk.FACE_APART)


_BY_CASE: Final[dict[str, Callable[[Case, str], Iterator[Part]]]] = {
    "pack_tile": _tile,
    "pack_rows": _rows,
    "pack_untilize": _untilize,
    "pack_reduce": _reduce,
    "pack_accumulate": _accumulate,
    "pack_zero": _zero,
    "pack_compressed": _compressed,
    "pack_compressed_faces": _compressed_faces,
}
PROGRAMS: Final = ("add1", "matmul", *_BY_CASE)


def _text(program: str, profile: str) -> Iterator[Part]:
    """The seed's instructions take four rows at once, or with four packers one of four."""
    kind = KINDS["bf16"]
    step = 4 if llk.four(profile) else 1
    first, number, faces = {"add1": (0x1_0000, 1, 1), "matmul": (0x2_0000, 21, 4)}[program]
    for place in range(4):
        rows = values(kind, number + place).reshape(-1, 16)[: 16 * faces : step]
        yield first + 2048 * place, tile(kind, rows.reshape(-1))


def parts(program: str, profile: str) -> list[tuple[str, Part]]:
    """What lies where in L1 after ``program``, each part with a name; nothing else is written."""
    if program not in _BY_CASE:
        return [(program, part) for part in _text(program, profile)]
    made = _BY_CASE[program]
    return [
        (f"{case.kind.name} {case.option}", part)
        for case in llk.cases(program, profile)
        for part in made(case, profile)
    ]


def check(program: str, profile: str, l1: U8) -> None:
    """``AssertionError`` that names what is wrong in ``l1``, which was ``UNTOUCHED`` before."""
    wanted = np.full_like(l1, UNTOUCHED)
    wrong = []
    for name, (at, data) in parts(program, profile):
        wanted[at : at + len(data)] = data
        bad = np.flatnonzero(l1[at : at + len(data)] != data)
        if len(bad):
            first = at + int(bad[0])
            got, want = l1[first : first + 8], wanted[first : first + 8]
            wrong.append(
                f"{name}: {len(bad)} of {len(data)} from {first - at} on: {got} for {want}"
            )
    assert not wrong, "\n".join(wrong)
    odd = np.flatnonzero(l1 != wanted)
    assert not len(odd), f"written beyond the tiles: {odd[:8]}"


def l1_of(streams: Mapping[str, Records], profile: str, before: int) -> NDArray[np.uint8]:
    """Bytes of L1, which was all ``before``; no line is written twice in a cycle here."""
    lines = np.full((profiles.get(profile).l1_bytes // 16, 4), before * 0x0101_0101, "<u4")
    writes = np.concatenate(
        [streams[f"w{slot}.write"][["cycle", "line", "data"]] for slot in range(SLOTS)]
    )
    for record in writes[np.argsort(writes["cycle"], kind="stable")]:
        lines[record["line"]] = record["data"]
    return lines.view(np.uint8).reshape(-1)
