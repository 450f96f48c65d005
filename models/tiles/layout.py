# SPDX-License-Identifier: Apache-2.0
"""Whole tiles: NumPy arrays ↔ the bytes of L1.

In L1 a tile is: header; compressed: row starts; block floats: exponents; datums. Each section is a
multiple of 16 bytes, but for the datums of the host. Faces follow one another, row by row of the
tile, and each has its rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.models.tiles import formats as F
from tilepath.models.tiles import host
from tilepath.models.tiles.formats import GROUP, Bits, Format, Numbers

Bytes = npt.NDArray[np.uint8]

LINE: Final = 16
FACE: Final = (16, 16)
HARDWARE: Final = "hardware"


# --- compressed tiles: datums with the number of zeros behind each, and where rows start (P44, U20)

# A datum that is kept is *augmented* by a count of 0 to 15 zeros that follow it. Datums lie in
# blocks of 32, each with its 32 counts behind it, four bits each.

BLOCK: Final = 32
_MOST_ZEROS: Final = 15


def kept_of(zero: npt.NDArray[np.bool_], row: int) -> tuple[Bits, Bits, Bits]:
    """What is kept of datums of which ``zero`` says whether they are +0, in rows of ``row``.

    Returns the places of the kept ones, the zeros behind each, and the row starts: for each row
    the kept datums before it, and at last all of them.
    """
    places: list[int] = []
    zeros: list[int] = []
    starts = [0]
    for first in range(0, len(zero), row):
        for place in range(first, first + row):
            inner = first < place < first + row - 1
            if inner and zero[place] and zeros[-1] < _MOST_ZEROS:
                zeros[-1] += 1
            else:
                places.append(place)
                zeros.append(0)
        starts.append(len(places))
    return np.array(places), np.array(zeros), np.array(starts)


def sources(zeros: Bits, starts: Bits, row: int) -> Bits:
    """Return for each datum of the tile which kept one it is, or -1: a zero.

    Raises:
        ValueError: row starts that do not increase or lie beyond the datums, or a row with another
            number of datums than ``row``.
    """
    rows = []
    for number in range(len(starts) - 1):
        first, end = int(starts[number]), int(starts[number + 1])
        if not first <= end <= len(zeros):
            raise ValueError(f"row {number} starts at datum {first} and ends at {end}")
        length = int(zeros[first:end].sum()) + end - first
        if length != row:
            raise ValueError(f"row {number} has {length} datums, want {row}")
        ends = np.cumsum(zeros[first:end] + 1)
        found = np.full(row, -1)
        found[ends - zeros[first:end] - 1] = np.arange(first, end)
        rows.append(found)
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


# --- where things are


def _lines(count: int) -> int:
    """``count`` bytes, rounded up to whole lines."""
    return -(-count // LINE) * LINE


@dataclass(frozen=True)
class Layout:
    """A layout says where things are in a tile, in bytes.

    Attributes:
        form: the format.
        shape: rows and columns of the tile.
        face: rows and columns of a face, which divide those of the tile; ``None``: the tile is not
            cut into faces, its rows follow one another.
        header: bytes in front, a multiple of 16: 16 × (1 + DigestSize) for the unpackers (U12);
            packers leave 16 out or none, and write none (P32).
        row: of a compressed tile the datums of a row (XDim for the unpackers), which divide those
            of the tile; ``None``: it is not compressed.
    """

    form: Format
    shape: tuple[int, int] = (32, 32)
    face: tuple[int, int] | None = FACE
    header: int = LINE
    row: int | None = None

    def __post_init__(self) -> None:
        """Refuse what there is not, with ``ValueError``."""
        for name, pair in (("shape", self.shape), ("face", self.face or FACE)):
            whole = isinstance(pair, tuple) and all(type(n) is int and n > 0 for n in pair)
            if not whole or len(pair) != 2:
                raise ValueError(f"{name} {pair!r}: want a tuple, rows and columns")
        rows, columns = self.face or self.shape
        if self.shape[0] % rows or self.shape[1] % columns:
            raise ValueError(f"shape {self.shape}: faces of {rows} x {columns} do not fill it")
        if type(self.header) is not int or self.header < 0 or self.header % LINE:
            raise ValueError(f"header {self.header!r}: want a multiple of 16 bytes")
        if self.row is not None:
            if type(self.row) is not int or self.row <= 0 or self.count % self.row:
                raise ValueError(f"row {self.row!r}: want a divisor of {self.count} datums")
            if self.form.bits == 2:
                raise ValueError(f"{self.form.name} cannot be compressed (U21, P44)")

    @property
    def count(self) -> int:
        """Datums of the tile."""
        return self.shape[0] * self.shape[1]

    @property
    def row_starts(self) -> int:
        """Bytes of the section of row starts."""
        return 0 if self.row is None else _lines(2 * (self.count // self.row + 1))

    @property
    def exponents(self) -> int:
        """Bytes of the section of exponents, one for 16 datums."""
        return _lines(-(-self.count // GROUP)) if self.form.shared else 0

    @property
    def datums(self) -> int:
        """Bytes of the datums of a tile that is not compressed, not rounded up to lines."""
        return -(-self.count * self.form.bits // 8)

    @property
    def before(self) -> int:
        """Bytes before the datums."""
        return self.header + self.row_starts + self.exponents

    def flat(self, numbers: Numbers) -> Numbers:
        """``numbers``, shape ``shape``, in the order of L1: shape (count,)."""
        rows, columns = self.face or self.shape
        cut = numbers.reshape(self.shape[0] // rows, rows, self.shape[1] // columns, columns)
        return cut.transpose(0, 2, 1, 3).reshape(-1)

    def square(self, flat: Numbers) -> Numbers:
        """The other way."""
        rows, columns = self.face or self.shape
        cut = flat.reshape(self.shape[0] // rows, self.shape[1] // columns, rows, columns)
        return cut.transpose(0, 2, 1, 3).reshape(self.shape)


def _packed(bits: Bits, width: int) -> Bytes:
    """Datums of ``width`` bits, the lowest bits of a byte first."""
    if width >= 8:
        return bits.astype(f"<u{width // 8}").view(np.uint8)
    planes = (bits[:, None] >> np.arange(width) & 1).astype(np.uint8)
    return np.packbits(planes.reshape(-1), bitorder="little")


def _unpacked(data: Bytes, width: int, count: int) -> Bits:
    """The other way: the first ``count`` datums."""
    size = -(-count * width // 8)
    if width >= 8:
        return np.ascontiguousarray(data[:size]).view(f"<u{width // 8}").astype(np.int64)
    places = np.unpackbits(data[:size], bitorder="little")[: count * width].reshape(-1, width)
    bits: Bits = (places.astype(np.int64) << np.arange(width)).sum(axis=1)
    return bits


def _filled(values: npt.NDArray[Any], multiple: int) -> npt.NDArray[Any]:
    """``values`` and as many zeros as make their number a multiple."""
    return np.concatenate((values, np.zeros(-len(values) % multiple, values.dtype)))


def to_l1(
    numbers: npt.ArrayLike,
    form: str | Format,
    *,
    face: tuple[int, int] | None = FACE,
    header: int = LINE,
    row: int | None = None,
    rounding: str = HARDWARE,
) -> Bytes:
    """The bytes of a tile: uint8, shape (n,), n a multiple of 16; the header is all 0.

    Of the host's, 1 x 16 numbers of BFP4 or BFP2 are less than a multiple of 16.

    Args:
        numbers: shape (rows, columns): numbers, for an integer format integers that it has.
        form: format, by name (``tiles.FORMATS``).
        face: rows and columns of a face; ``None``: the tile is one.
        header: bytes in front.
        row: compress it, with so many datums a row; ``None``: do not.
        rounding: ``hardware``: as packers do; ``host``: as the host library does, whose integers
            are ``INT32``, ``UINT16``, … then.

    Raises:
        ValueError: an unknown format, or one that the host has not, numbers that it has not, a
            layout that there is not (``Layout``).
    """
    chosen, by_host = _chosen(form, "rounding", rounding, row)
    values = F.as_numbers(chosen, numbers)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"numbers of shape {values.shape}: want rows and columns")
    layout = Layout(chosen, values.shape, face, header, row)
    flat = layout.flat(values)
    starts, zeros = np.zeros(0, np.int64), None
    if row is not None:
        kept, counts, starts = kept_of((flat == 0) & ~np.signbit(flat), row)
        flat, zeros = _filled(flat[kept], BLOCK), _filled(counts, BLOCK)
    exponents = np.zeros(0, np.int64)
    if chosen.shared:
        made = host.group_bits if by_host else F.group_bits
        exponents, bits = made(chosen, _filled(flat, GROUP))
        bits = bits[: len(flat)]
    else:
        bits = (host if by_host else F).datum_bits(chosen, flat)
    data = _packed(bits, chosen.bits)
    if zeros is not None:
        blocks = data.reshape(-1, BLOCK * chosen.bits // 8)
        data = np.hstack((blocks, _packed(zeros, 4).reshape(-1, BLOCK // 2))).reshape(-1)
    tile = np.zeros(layout.before + (len(data) if by_host else _lines(len(data))), np.uint8)
    tile[header : header + 2 * len(starts)] = starts.astype("<u2").view(np.uint8)
    tile[header + layout.row_starts :][: len(exponents)] = exponents
    tile[layout.before :][: len(data)] = data
    return tile


def from_l1(
    data: npt.NDArray[np.uint8] | bytes,
    form: str | Format,
    shape: tuple[int, int] = (32, 32),
    *,
    face: tuple[int, int] | None = FACE,
    header: int = LINE,
    row: int | None = None,
    reader: str = HARDWARE,
) -> Numbers:
    """The numbers of a tile: shape ``shape``; float32, or int32 of an integer format.

    UINT32_HOST has uint32. Warns of bytes that can hardly be of the format.

    Args:
        data: bytes from the tile's first on; what follows the tile is ignored.
        form: format, by name (``tiles.FORMATS``).
        shape: rows and columns.
        face: rows and columns of a face; ``None``: the tile is one.
        header: bytes in front.
        row: it is compressed, with so many datums a row; ``None``: it is not.
        reader: ``hardware``: as unpackers do; ``host``: as the host library does, whose integers
            are ``INT32``, ``UINT16``, … then.

    Raises:
        ValueError: an unknown format, or one that the host has not, a layout that there is not
            (``Layout``), too few bytes, row starts that do not fit the datums.
    """
    chosen, by_host = _chosen(form, "reader", reader, row)
    if isinstance(data, np.ndarray) and (data.dtype != np.uint8 or data.ndim != 1):
        raise ValueError(f"data of {data.dtype}, shape {data.shape}: want bytes")
    numbers, doubt = read(data, Layout(chosen, shape, face, header, row), by_host=by_host)
    if doubt:
        warnings.warn(doubt, stacklevel=2)
    return numbers


def read(
    data: npt.NDArray[np.uint8] | bytes, layout: Layout, *, by_host: bool = False
) -> tuple[Numbers, str]:
    """The numbers of a tile, and why bytes can hardly be so laid out, in a line or ``""``.

    Raises ``ValueError`` as ``from_l1`` does.
    """
    chosen, row = layout.form, layout.row
    tile = np.frombuffer(bytes(data), np.uint8)
    place = None
    count = layout.count
    if row is not None:
        starts, zeros = _row_starts(tile, layout)
        place, count = sources(zeros, starts, row), int(starts[-1])
    _want(tile, layout.before + (layout.datums if row is None else 0))
    stored = tile[layout.before :]
    if row is not None:
        stored = _blocks(stored, chosen, count)[:, : BLOCK * chosen.bits // 8].reshape(-1)
    bits, exponents = _unpacked(stored, chosen.bits, count), np.zeros(0, np.int64)
    if chosen.shared:
        first = layout.header + layout.row_starts
        exponents = tile[first:][: -(-count // GROUP)].astype(np.int64)
        made = host.group_values if by_host else F.group_values
        flat = made(chosen, exponents, _filled(bits, GROUP))[:count]
    else:
        flat = (host if by_host else F).datum_values(chosen, bits)
    doubt = host.doubt(chosen, exponents, bits)
    if place is not None:
        flat = np.where(place >= 0, _filled(flat, 1)[place], flat.dtype.type(0))
    return layout.square(flat), doubt


def _chosen(form: str | Format, what: str, whose: str, row: int | None) -> tuple[Format, bool]:
    """The format, and whether it is done as the host does."""
    if whose not in (HARDWARE, "host"):
        raise ValueError(f"{what} {whose!r}: want {HARDWARE!r} or 'host'")
    if whose == HARDWARE:
        return F.format_of(form), False
    if row is not None:
        raise ValueError("the host has no compressed tiles")
    return host.format_of(form), True


def _want(tile: Bytes, size: int) -> None:
    if len(tile) < size:
        raise ValueError(f"{len(tile)} bytes: the tile has {size}")


def _blocks(stored: Bytes, form: Format, count: int) -> Bytes:
    """Blocks of a compressed tile with ``count`` kept datums, a row each."""
    size = BLOCK * form.bits // 8 + BLOCK // 2
    blocks = -(-count // BLOCK)
    _want(stored, blocks * size)
    return stored[: blocks * size].reshape(blocks, size)


def _row_starts(tile: Bytes, layout: Layout) -> tuple[Bits, Bits]:
    """Row starts of a compressed tile, and the zeros behind each datum that is kept."""
    _want(tile, layout.before)
    entries = layout.count // (layout.row or 1) + 1
    starts = _unpacked(tile[layout.header :], 16, entries)
    blocks = _blocks(tile[layout.before :], layout.form, int(starts[-1]))
    zeros = _unpacked(blocks[:, -BLOCK // 2 :].reshape(-1), 4, int(starts[-1]))
    return starts, zeros
