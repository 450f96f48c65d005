# SPDX-License-Identifier: Apache-2.0
"""Tiles that the host library writes and reads, against ``tiles`` and against what was measured.

A request is what to do (write, read), a format, the shape of the tile, whether it is transposed,
and an array: numbers, or bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tilepath.models import tiles
from tilepath.models.tiles import HOST_INTEGERS, Layout
from tilepath.tests.tables import beside

SHAPES = list(product((1, 2, 4, 8, 16, 32), (16, 32)))
FLOATS = ("FP32", "BF16", "BFP8", "BFP4", "BFP2", "E4M3")
FORMATS = (*FLOATS, *HOST_INTEGERS)
TABLE = beside(str(Path(__file__).parents[1] / "tiles" / "host"), "host")
_KINDS = {"UINT32_HOST": np.uint32}


class Request(NamedTuple):
    what: str
    form: str
    shape: tuple[int, int]
    transposed: bool
    given: np.ndarray[Any, Any]


def face(shape: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of the host's faces."""
    return min(shape[0], 16), 16


def played(one: Request) -> np.ndarray[Any, Any]:
    """What ``tiles`` makes of it: a transposed tile is that of the transposed numbers."""
    shape = one.shape[::-1] if one.transposed else one.shape
    if one.what == "write":
        numbers = one.given.T if one.transposed else one.given
        return tiles.to_l1(numbers, one.form, face=face(shape), header=0, rounding="host")
    numbers = tiles.from_l1(one.given, one.form, shape, face=face(shape), header=0, reader="host")
    return numbers.T if one.transposed else numbers


def exact(array: np.ndarray[Any, Any], what: str = "read") -> str:
    """What was written, bytes, or read, FP32 patterns or integers, in hexadecimal."""
    if what == "write":
        return array.tobytes().hex().upper()
    flat = np.ascontiguousarray(array).reshape(-1)
    bits = flat.view(np.uint32) if flat.dtype == np.float32 else flat.astype(np.int64) & 0xFFFFFFFF
    return " ".join(f"{int(one):08X}" for one in bits)


def measured() -> Iterator[tuple[Request, str]]:
    """Requests of ``host.toml``, and what the library answered, as ``exact`` has it."""
    for form, given, want in TABLE["writes"]:
        codes = np.array([int(code, 16) for code in given.split()], np.uint32)
        numbers = codes.view(np.float32 if form in FLOATS else _KINDS.get(form, np.int32))
        yield Request("write", form, (1, 16), False, numbers.reshape(1, 16)), want
    for form, given, want in TABLE["reads"]:
        data = np.frombuffer(bytes.fromhex(given), np.uint8)
        yield Request("read", form, (1, 16), False, data), want


def drawn(form: str, shape: tuple[int, int], transposed: bool, seed: int) -> Iterator[Request]:
    """Numbers to be written and bytes to be read, of many kinds by turns, the same each time."""
    rng = np.random.default_rng([seed, zlib.crc32(form.encode()), *shape, transposed])
    if form in HOST_INTEGERS:
        kind = HOST_INTEGERS[form]
        given = rng.integers(kind.least, kind.largest, shape, np.int64, endpoint=True)
        given = given.astype(_KINDS.get(form, np.int32))
    else:
        near = rng.integers(0, 255, (shape[0], 1)) + rng.integers(-9, 2, shape)
        codes = (
            rng.normal(size=shape).astype(np.float32).view(np.uint32),
            rng.integers(0, 1 << 32, shape, np.uint32),
            (near.clip(0, 254) << 23 | rng.integers(0, 1 << 7, shape) << 16).astype(np.uint32),
            rng.choice(np.array(TABLE["patterns"], np.uint32), shape),
            rng.integers(112, 140, shape).astype(np.uint32) << 23
            | rng.integers(0, 1 << 8, shape, np.uint32) << 15,
        )[seed % 5]
        given = (codes | rng.integers(0, 2, shape).astype(np.uint32) << 31).view(np.float32)
    yield Request("write", form, shape, transposed, given)
    layout = Layout(tiles.host.format_of(form), shape, face(shape), header=0)
    data = rng.integers(0, 256, layout.before + layout.datums, np.uint8)
    if seed % 3:  # exponents at both ends, where numbers have no float
        data[: layout.exponents] = rng.integers(*((0, 9), (250, 256))[seed % 2], layout.exponents)
    yield Request("read", form, shape, transposed, data)


def some(formats: Sequence[str] = FORMATS) -> Iterator[Request]:
    """Requests of all formats, shapes and directions."""
    for form, shape, transposed, seed in product(formats, SHAPES, (False, True), range(15)):
        # Of BFP2 the library has whole tiles only, and of E4M3 no tiles.
        only = {"BFP2": (32, 32), "E4M3": (1, 16)}.get(form)
        if only in (None, shape) and (not transposed or (only is None and shape[0] >= 16)):
            yield from drawn(form, shape, transposed, seed)


def problems(answers: Callable[[Sequence[Request]], Sequence[np.ndarray[Any, Any]]]) -> list[str]:
    """What the library answers otherwise than it did, or than ``tiles`` does."""
    old = list(measured())
    requests = [one for one, _ in old] + list(some())
    found, sums = [], dict.fromkeys(FORMATS, 0)
    for k, (one, got) in enumerate(zip(requests, answers(requests), strict=True)):
        case = f"{one.what} {one.form} {one.shape} {'transposed ' * one.transposed}"
        text, own = exact(got, one.what), exact(played(one), one.what)
        if k < len(old) and text != old[k][1]:
            found.append(f"{case}{exact(one.given)}: {text}, was {old[k][1]}")
        if k >= len(old):
            sums[one.form] = zlib.crc32(text.encode(), sums[one.form])
        if text != own:
            found.append(f"{case}{exact(one.given)}: {text}, tiles has {own}")
    found += [f"drawn {k}: {v:#010x}" for k, v in sums.items() if TABLE["drawn"].get(k) != v]
    print(f"{len(old)} measured and {len(requests) - len(old)} drawn, {len(found)} differ")
    return found
