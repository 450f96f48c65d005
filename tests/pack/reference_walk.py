# SPDX-License-Identifier: Apache-2.0
"""The packers as a reader of the decisions would write them: tile by tile, nothing incremental.

All datums of a tile are collected, and its bytes are made when it ends. A tile's formats and
settings stay the same, narrowing behind ReLU is left out, and L1 is no source here.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tilepath.tests.pack import model_reference as reference
from tilepath.tests.pack.model_reference import Ints, Numbers

Settings = dict[str, Any]
MINUS_INFINITY = {1: 1023 / 1024, 2: 127 / 128, 10: 3 / 4}  # fraction by IF, with ``raw``
INT_BITS = {8: 32, 9: 16, 14: 8}


@dataclasses.dataclass
class Tile:
    """An open tile of a packer: where it is, and its datums in order."""

    settings: Settings
    address: int  # in lines
    elements: list[int] = dataclasses.field(default_factory=list)
    zeros: list[bool] = dataclasses.field(default_factory=list)
    lasts: list[bool] = dataclasses.field(default_factory=list)  # of their row, and known to be
    row_ends: list[int] = dataclasses.field(default_factory=list)  # number of datums before


class Packers:
    """What is left behind by PACRs of one thread."""

    def __init__(self, l1_bytes: int) -> None:
        self.l1 = np.zeros(l1_bytes, np.uint8)
        self.dst = np.zeros((1024, 16), np.uint16)
        self.valid = np.ones(1024, bool)
        self.bins = np.zeros((4, 32), np.int64)
        self.maximum = np.zeros(4, np.int64)
        self.tiles: dict[int, Tile] = {}
        self.position = [[0, 0, 0] for _ in range(4)]  # X, Y, Z

    def pacr(self, chip: Settings, packer: int, settings: Settings, word: Settings) -> None:
        """One packer's part of a PACR.

        ``chip``: ``lanes``, ``by_interface``, ``remap``, ``swizzle``, ``compares_19``.
        ``settings``: those of the tile. ``word``: ``rows`` of the lanes, ``column``, ``count``,
        ``zeros``, ``last``, ``concat``, ``address``.
        """
        tile = self.tiles.setdefault(packer, Tile(settings, word["address"]))
        elements, zeros = self._datums(chip, packer, settings, word)
        mask = settings["downsample"] or 0xFFFF
        kept = [k for k in range(len(elements)) if mask >> k % 16 & 1]
        closes = word["last"] or not word["concat"]
        for k in kept:
            tile.elements.append(elements[k])
            tile.zeros.append(zeros[k])
            is_last = k == kept[-1] and k >= len(elements) - _final_step(chip, word)
            tile.lasts.append(bool(closes) and is_last)
        before = tile.row_ends[-1] if tile.row_ends else 0
        if closes and len(tile.elements) > before:
            tile.row_ends.append(len(tile.elements))
        if word["last"]:
            self.position[packer] = [0, 0, 0]
            self._write(self.tiles.pop(packer))

    def _datums(
        self, chip: Settings, packer: int, settings: Settings, word: Settings
    ) -> tuple[list[int], list[bool]]:
        if word["zeros"]:
            return [0] * word["zeros"], [True] * word["zeros"]
        raw, passes = [], []
        for place, row in enumerate(word["rows"]):
            for k in range(word["count"]):
                at = row * 16 + word["column"] + k
                raw.append(self._storage(chip, settings, at // 16 % 1024, at % 16))
                passes.append(self._passes(chip, packer, settings, at % 16, place))
        if chip["by_interface"] and raw:
            self._move(packer, settings, len(word["rows"]))
        if not raw:
            return [], []
        numbers = reference.from_dst(np.array(raw, np.int64), settings)
        numbers = _masked(numbers, np.array(passes), settings)
        numbers = _relu(numbers, settings, chip["compares_19"])
        self._count(packer, numbers, settings)
        numbers = _above_threshold(numbers, settings)
        return reference.to_l1(numbers, settings).tolist(), _is_zero(numbers).tolist()

    def _storage(self, chip: Settings, settings: Settings, row: int, column: int) -> int:
        bits = [row >> k & 1 for k in range(10)]
        if chip["remap"]:
            bits[3], bits[4], bits[5] = bits[4], bits[5], bits[3]
        if settings["r32"] and chip["swizzle"]:
            bits[2], bits[3] = bits[3], bits[2] ^ bits[4]
        row = sum(bit << k for k, bit in enumerate(bits))
        if settings["r32"]:
            row = (row & 0x1F8) * 2 | row & 0x207
        if not self.valid[row] and not settings["ignore_valid"]:
            return 0
        high = int(self.dst[row, column])
        return high * 65536 + int(self.dst[row + 8, column]) if settings["r32"] else high

    def _passes(
        self, chip: Settings, packer: int, settings: Settings, column: int, lane: int
    ) -> bool:
        _, y, z = self.position[packer]
        if chip["by_interface"]:  # a lane is a row of the plane, which Z counts if transposed
            y, z = (y, z + lane) if settings["transposed"] else (y + lane, z)
        which = settings["row_select"] >> 2 * packer & 3
        if settings["face_enable"]:
            faces = settings[f"face_mapping{settings['face_select'] >> 2 * packer & 3}"]
            which = faces >> 2 * ((z + settings["z_offset"]) % 16) & 3
        mask = settings[f"mask{settings[f'row_mapping{which}'] >> 2 * (y % 16) & 3}"]
        if not chip["by_interface"]:
            self.position[packer][0] += 1
            if self.position[packer][0] == 16:
                self.position[packer][0] = 0
                self._move(packer, settings, 1)
        return bool(mask >> column & 1)

    def _move(self, packer: int, settings: Settings, rows: int) -> None:
        fast, slow = (2, 1) if settings["transposed"] else (1, 2)
        position = self.position[packer]
        position[fast] = (position[fast] + rows) % 256
        if position[fast] == settings["reads"]:
            position[fast] = 0
            position[slow] = (position[slow] + 1) % 256

    def _count(self, packer: int, numbers: Numbers | Ints, settings: Settings) -> None:
        if isinstance(numbers, Numbers):
            exponents = numbers.exponent
        else:
            exponents = (numbers >> 23 if settings["inner"] == 8 else numbers) % 256
        self.maximum[packer] = max(self.maximum[packer], *exponents.tolist(), 0)
        if settings["stats"]:
            counts = np.bincount(exponents % 32, minlength=32)
            self.bins[packer] = np.minimum(self.bins[packer] + counts, 255)

    def _write(self, tile: Tile) -> None:
        """The bytes of a whole tile."""
        settings, to = tile.settings, tile.settings["to"]
        elements, counters = list(tile.elements), []
        at = tile.address
        if settings["compressed"]:
            elements, counters, starts = _compressed(tile)
            self._store(at, np.array(starts, "<u2").tobytes())
            at += settings["row_size"]
        if to & 2:
            at += settings["exp_size"]
        bits = 32 >> (to & 3) if to & 3 < 3 else 2 if to & 8 else 4
        if to in (2, 3, 11, 6, 7, 15) and elements:
            elements += [0] * (-len(elements) % 16)
            exponents, data = reference.groups(np.array(elements).reshape(-1, 16), to)
            self._store(at - settings["exp_size"], exponents.astype(np.uint8).tobytes())
            elements = data.reshape(-1).tolist()
        data = _packed(elements, bits)
        if counters:
            block = 32 * bits // 8
            nibbles = _packed(counters, 4)
            data = b"".join(
                data[k * block : (k + 1) * block] + nibbles[k * 16 : (k + 1) * 16]
                for k in range(len(counters) // 32)
            )
        accumulates = settings["acc"] and not settings["compressed"] and to in (0, 1, 5, 8)
        self._store(at, data, to if accumulates else None)

    def _store(self, line: int, data: bytes, to: int | None = None) -> None:
        data += bytes(-len(data) % 16)
        place = self.l1[16 * line : 16 * line + len(data)]
        if to is None:
            place[:] = np.frombuffer(data, np.uint8)
            return
        kind = "<u4" if to in (0, 8) else "<u2"
        old, new = (np.frombuffer(given, kind) for given in (place.tobytes(), data))
        if to == 0:
            total = reference.add_fp32(old, new)
        else:
            add = {8: reference.add_int32, 5: reference.add_bf16}.get(to, _add_fp16)
            total = add(old.astype(np.int64), new.astype(np.int64))
        place[:] = np.frombuffer(total.astype(kind).tobytes(), np.uint8)


def _final_step(chip: Settings, word: Settings) -> int:
    """Datums of an instruction's last step: only among these is the last one of a row known."""
    if word["zeros"]:
        return (word["zeros"] - 1) % (16 * chip["lanes"]) + 1
    if chip["lanes"] > 1:
        return len(word["rows"]) * word["count"]
    last_column = (word["column"] + word["count"] - 1) % 16
    return min(last_column + 1, word["count"])


def _add_fp16(old: Ints, new: Ints) -> Ints:
    return reference.add_fp16(old, new, True)


def _packed(values: list[int], bits: int) -> bytes:
    total = sum(value << bits * k for k, value in enumerate(values))
    return total.to_bytes(-(-len(values) * bits // 8), "little")


def _compressed(tile: Tile) -> tuple[list[int], list[int], list[int]]:
    """Datums and counters in whole blocks of 32, and row starts."""
    elements: list[int] = []
    counters: list[int] = []
    starts = []
    for row, end in enumerate(tile.row_ends):
        begin = tile.row_ends[row - 1] if row else 0
        for k in range(begin, end):
            elided = k > begin and tile.zeros[k] and not tile.lasts[k]
            if elided and counters[-1] < 15:
                counters[-1] += 1
            else:
                elements.append(tile.elements[k])
                counters.append(0)
        starts.append(len(elements))
    missing = -len(elements) % 32
    return elements + [0] * missing, counters + [0] * missing, [0, *starts] if starts else []


def _masked(numbers: Numbers | Ints, passes: Any, settings: Settings) -> Numbers | Ints:
    inner = settings["inner"]
    if not isinstance(numbers, Numbers):
        ones = (1 << INT_BITS[inner]) - 1
        return np.where(passes, numbers, ones if settings["edge_mode"] else 0)
    other = reference.zero_of(numbers)
    if settings["edge_mode"]:
        fraction = 0.0 if numbers.wide else MINUS_INFINITY[inner]
        if inner == 2 and not settings["raw"]:
            fraction = 63 / 64
        top = 255 if numbers.wide else 31
        other = dataclasses.replace(
            other, sign=other.sign + 1, exponent=other.exponent + top, fraction=fraction
        )
    return reference.where(passes, numbers, other)


def _relu(numbers: Numbers | Ints, settings: Settings, short: int) -> Numbers | Ints:
    mode = settings["relu"]
    if not mode:
        return numbers
    if not isinstance(numbers, Numbers):
        signed = not (settings["inner"] == 14 and settings["uns"])
        negative = numbers >> (INT_BITS[settings["inner"]] - 1) == 1
        return np.where(negative & signed, 0, numbers)
    bits = np.full_like(numbers.sign, settings["relu_threshold"])
    limit = reference.split(bits, 7 if numbers.wide else 10, numbers.wide)
    size, most = numbers.exponent + numbers.fraction, limit.exponent + limit.fraction
    seen = numbers.exponent + np.floor(numbers.fraction * 1024) / 1024 if short else size
    zero = (numbers.sign == 1) | ((mode == 2) & (size <= most))
    numbers = reference.where((mode == 3) & (seen > most) & ~zero, limit, numbers)
    return reference.where(zero, reference.zero_of(numbers), numbers)


def _above_threshold(numbers: Numbers | Ints, settings: Settings) -> Numbers | Ints:
    if not settings["threshold_en"] or not isinstance(numbers, Numbers):
        return numbers
    below = numbers.exponent < settings["threshold"]
    return reference.where(below, reference.zero_of(numbers), numbers)


def _is_zero(numbers: Numbers | Ints) -> Any:
    if not isinstance(numbers, Numbers):
        return numbers == 0
    return (numbers.sign == 0) & (numbers.exponent == 0) & (numbers.fraction == 0)
