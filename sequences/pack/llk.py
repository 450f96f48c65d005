# SPDX-License-Identifier: Apache-2.0
"""What pack kernels do with whole tiles: pack, untilize, reduce, accumulate, compress.

Sources: pack-data-path 3 to 17; with four packers P37 and P48. A program goes through its *cases*,
one after another; tests compute from the same cases what must be in L1. Thread 2 issues everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.isa import assemble, profiles
from tilepath.sequences.pack.dst import Image
from tilepath.sequences.pack.script import Script, script_test
from tilepath.sequences.pack.tile_image import F64, FACE, KINDS, ROWS, Kind, put, values
from tilepath.sequences.pack.words import pacr

PACKERS: Final = 4
FACES: Final = 4
TILES: Final = 2
"""Tiles side by side, of which untilize makes rows of 64."""
ACCUMULATED: Final = 3
REDUCED: Final = ("row", "column", "scalar", "row -inf")
"""What is not masked; masked datums are 0, or minus infinity."""
FACE_APART: Final = 0x1000
"""Bytes from one packer's part to the next in ``pack_compressed_faces``."""
THREAD: Final = 2

_APART: Final = FACES * FACE_APART  # of cases
_RELATIVE: Final = 1 << 31
_ALL: Final = 15
_BY_FOUR: Final = (0x0104, 0x2820, 0x1120, 0)
"""Seed 17.1: four rows on; back to row 0 and face 0; row 0 of the next face."""
_BY_ROWS: Final = (0x0001, 0x2820, 0x1000, 0x2000)
"""A row on; back to row 0 and face 0; a face on; back to face 0."""
Four = tuple[int, int, int, int]
Changes = Mapping[str, int | tuple[int, ...]]
"""Of ``config.DEFAULTS``."""

_MAPPED: Final[tuple[Changes, Changes]] = ({}, {"remap": 1, "swizzle": 1})


@dataclass(frozen=True)
class Case:
    """A tile, or several: of ``kind``, the first one called ``number``.

    ``tile``: its place in Dst. ``address``: the byte of L1 where what is packed begins. ``tame``
    and ``dense``: of its numbers (``tile_image.values``). ``option``: what the program makes of it.
    """

    kind: Kind
    number: int
    tile: int
    address: int
    tame: bool
    dense: int
    option: str

    def numbers(self, place: int = 0) -> F64:
        """The tile ``place`` behind the first one, in the order of Dst."""
        return values(self.kind, self.number + place, self.tame, self.dense)

    @property
    def half(self) -> int:
        """The row of Dst that ``tile`` counts from with the W counter."""
        return 4 * ROWS * (self.tile // 4)


def _cases(
    first: int, kinds: Iterable[Kind], *options: str, tame: bool = False, dense: int = 15
) -> tuple[Case, ...]:
    """A case a kind and option; the tiles lie all over Dst, with two more behind each."""
    found: list[Case] = []
    for kind, option in product(kinds, options or ("",)):
        k = len(found)
        tile = 4 * (k * 3 % (2 if kind.wide else 4)) + k % 2
        address = 0x4000 + _APART * k
        found.append(Case(kind, first + 4 * k, tile, address, tame, dense, option))
    return tuple(found)


def _named(*names: str) -> list[Kind]:
    return [KINDS[name] for name in names]


_SUMS: Final = _named("fp32", "bf16", "fp32_bf16", "fp16", "fp32_fp16", "int32")
_MASKED: Final = _named("bf16", "fp32", "fp16", "bf16_bfp8")
_ZEROED: Final = _named(
    "fp32", "bf16", "int16", "int32_int8", "bf16_bfp8", "bf16_bfp4", "fp16_bfp2a"
)
_SPARSE: Final = _named(
    "fp32", "fp32_tf32", "int32", "bf16", "fp16", "int16", "fp16_e5m2", "fp16_e4m3", "int32_int8",
    "bf16_bfp8", "bf16_bfp4", "fp16_bfp8a", "fp16_bfp4a",
)  # fmt: skip
_EVERY: Final = KINDS.values()

CASES: Final[dict[str, tuple[Case, ...]]] = {
    "pack_tile": _cases(0x1000, _EVERY),
    "pack_rows": _cases(0x2000, _EVERY, tame=True),
    "pack_untilize": _cases(0x3000, (kind for kind in _EVERY if not kind.bfp)),
    "pack_reduce": _cases(0x4000, _MASKED, *REDUCED),
    "pack_accumulate": _cases(0x5000, _SUMS, tame=True),
    "pack_zero": _cases(0x6000, _ZEROED),
    "pack_compressed": _cases(0x7000, _SPARSE, tame=True, dense=6),
    "pack_compressed_faces": _cases(0x8000, _SPARSE, dense=6),
}
"""Program → its cases, in order."""


def cases(program: str, profile: str) -> list[Case]:
    """Those of them that the profile has: some have no E4M3."""
    has_e4m3 = profiles.get(profile).pack_e4m3
    return [case for case in CASES[program] if has_e4m3 or not case.kind.e4m3]


# -- parts of programs


def four(profile: str) -> bool:
    """Whether there are four packers, not one with four interfaces."""
    return profiles.get(profile).packers == PACKERS


def formats(case: Case) -> Changes:
    """Conversions and input strides; what packers write begins a line behind ``l1_dest``."""
    kind = case.kind
    return {
        "inner": kind.inner,
        "wide": int(kind.wide),
        "unsigned": int(kind.unsigned),
        "round_10b": int(kind.narrow),
        "e4m3": int(kind.e4m3),
        "relu": kind.relu,
        "descale": int(kind.shift > 0),
        "shift": kind.shift,
        "y_stride": 16 * kind.input_bytes,
        "z_stride": 256 * kind.input_bytes,
        "w_stride": 1024 * kind.input_bytes,
        "dst_offset": case.half,
        "from_": kind.source,
        "to": kind.to,
        "threshold_en": int(kind.threshold > 0),
        "threshold": kind.threshold,
        "no_header": 0,
    }


def _outputs(case: Case, apart: int, rows: Four, profile: str) -> Changes:
    """Tile at ``address``, the packers' parts ``apart`` lines apart, of Dst from ``rows`` on.

    Addresses as kernels write them: those of packers 1 to 3 are relative to packer 0's.
    """
    kind = case.kind
    first = _RELATIVE | case.address // 16 - 1
    if not four(profile):
        return {"l1_dest": (first, 0, 0, 0), "exp_size": kind.exponent_lines}
    later = range(1, PACKERS)
    sizes = [kind.exponent_lines] * PACKERS
    if kind.bfp:  # P37: a packer's exponents are a line behind those before, its datums a part
        sizes = [kind.exponent_lines + p * (apart - 1) for p in range(PACKERS)]
    return {
        "dst_offset": tuple(case.half + row for row in rows),
        "l1_dest": (first, *(p * (1 if kind.bfp else apart) - 1 for p in later)),
        "exp_size": tuple(sizes),
    }


def faces(case: Case, profile: str) -> Changes:
    """A face a packer, or all four by the same one."""
    return _outputs(case, FACE * case.kind.bits // 128, (0, 16, 32, 48), profile)


def begin(script: Script, case: Case, setup: Changes, mods: Four, count: int) -> None:
    """Configure; counters are 0 then but X1 (``count`` datums), and W, which is the tile's."""
    script.setup(setup)
    for number, value in enumerate(mods):
        script.addr_mod(THREAD, number, value)
    script.phase(idle=False)
    _asm(script, f"ttsetadcxx 4,{count - 1},0", "ttsetadcxy 4,0,0,0,0,11")
    _asm(script, "ttsetadczw 4,0,0,0,0,15", f"ttsetadc 4,0,3,{case.tile % 4}")


def _asm(script: Script, *lines: str) -> None:
    script.word(THREAD, *(assemble(line, script.profile) for line in lines))


def _rows_of_four(script: Script, **fields: int) -> None:
    """Seed 17.2: 16 instructions of four rows each."""
    for face in range(FACES):
        for row in range(0, 16, 4):
            end = row == 12
            last = int(end and face == FACES - 1)
            script.word(THREAD, pacr(mode=1 if last else 2 * end, last=last, **fields))


def _whole(script: Script, case: Case, setup: Changes, **fields: int) -> None:
    """Pack a tile: one instruction of 256 datums for each packer, or 16 of four rows."""
    if four(script.profile):
        begin(script, case, setup, _BY_ROWS, FACE)
        script.word(THREAD, pacr(_ALL, mode=1, last=1, **fields))
    else:
        begin(script, case, setup, _BY_FOUR, 16)
        _rows_of_four(script, **fields)


def _put(script: Script, case: Case, *tiles: F64, mapped: bool = False) -> None:
    """Write ``tiles`` to Dst behind one another; ``mapped``: as with ``_MAPPED``."""
    image = Image()
    for place, numbers in enumerate(tiles):
        put(image, case.kind, case.tile + place, numbers, mapped)
    script.dst(image)


# -- programs


def _tile(script: Script, case: Case) -> None:
    """The whole tile."""
    _put(script, case, case.numbers())
    _whole(script, case, {**formats(case), **faces(case, script.profile)})


def _rows(script: Script, case: Case) -> None:
    """A row an instruction; one packer takes the same row of four faces (P53)."""
    mapped = not four(script.profile)
    _put(script, case, case.numbers(), mapped=mapped)
    setup = {**formats(case), **faces(case, script.profile), **_MAPPED[mapped]}
    begin(script, case, setup, _BY_ROWS, 16)
    for row in range(16):
        last = int(row == 15)
        script.word(THREAD, pacr(_ALL, strided=int(mapped), mode=last, last=last))


def _untilize(script: Script, case: Case) -> None:
    """Rows of two tiles: four packers have 8 each, one packer goes through all (P53)."""
    mapped = not four(script.profile)
    _put(script, case, *(case.numbers(place) for place in range(TILES)), mapped=mapped)
    part = 8 * 32 * TILES * case.kind.bits // 128
    outputs = _outputs(case, part, (0, 8, 32, 40), script.profile)
    begin(script, case, {**formats(case), **outputs, **_MAPPED[mapped]}, _BY_ROWS, 16)
    for row in range(32 if mapped else 8):
        _asm(script, f"ttsetadc 4,0,1,{row % 16}")
        for place in range(TILES):
            last = int(place == TILES - 1 and row == (31 if mapped else 7))
            _asm(script, f"ttsetadc 4,0,3,{case.tile % 4 + place}")
            if mapped:
                _asm(script, f"ttsetadc 4,0,2,{row // 16 * 2}")
                script.word(THREAD, pacr(3, strided=1, mode=3, last=last))
            else:
                script.word(THREAD, pacr(_ALL, mode=2), pacr(_ALL, mode=3, last=last))


def _reduce(script: Script, case: Case) -> None:
    """The first column, row or datum, all else masked: what a reduction leaves of a tile."""
    _put(script, case, case.numbers())
    dimension, *more = case.option.split()
    kept = {"row": (0, 2), "column": (0, 1), "scalar": (0,)}[dimension]
    chosen = sum(1 << 2 * face for face in kept)
    by_packer = four(script.profile) and not more
    masks: Changes = {
        "edge_mask": (0, 0xFFFF if dimension == "column" else 1, 0, 0),
        "row_map": (0, 0x5555_5555 if dimension == "row" else 1, 0, 0),
        "edge_mode": len(more),
        # by the face: the tile position of one packer, ZOffset of four
        "row_select": chosen if by_packer else 0,
        "face_enable": int(not by_packer),
        "face_map": (chosen, 0, 0, 0),
        "z_offset": (0, 1, 2, 3),
    }
    _whole(script, case, {**formats(case), **faces(case, script.profile), **masks})


def _accumulate(script: Script, case: Case) -> None:
    """Tiles are packed, the second and those behind it onto what is there."""
    _put(script, case, *(case.numbers(place) for place in range(ACCUMULATED)))
    for place in range(ACCUMULATED):
        part = replace(case, tile=case.tile + place)
        setup = {**formats(case), **faces(case, script.profile), "accumulate": int(place > 0)}
        _whole(script, part, setup)
        script.phase()


def _zero(script: Script, case: Case) -> None:
    """Zeros instead of what Dst holds; one packer's mask is 0 then (P55)."""
    _put(script, case, case.numbers())
    _whole(script, case, {**formats(case), **faces(case, script.profile)}, zero=1)


def _compress(case: Case, rows: int, addresses: Iterable[int]) -> Changes:
    """``rows`` rows, each packer's part at its own address."""
    lines = tuple(address // 16 - 1 for address in addresses)
    more = {"uncompressed": 0, "row_size": (2 * rows + 17) // 16}
    return {**formats(case), "exp_size": case.kind.exponent_lines, "l1_dest": lines, **more}


def _compressed(script: Script, case: Case) -> None:
    """One packer, 32 rows of 32, each of them two instructions long."""
    _put(script, case, case.numbers())
    begin(script, case, _compress(case, 32, [case.address] * PACKERS), _BY_ROWS, 16)
    for row in range(ROWS):
        last = int(row == ROWS - 1)
        script.word(THREAD, pacr(1, concat=1 - row % 2, mode=last, last=last))


def _compressed_faces(script: Script, case: Case) -> None:
    """Four packers, a face each, by rows of 16; one packer by rows of 64."""
    _put(script, case, case.numbers())
    setup = dict(_compress(case, 16, (case.address + FACE_APART * p for p in range(PACKERS))))
    if not four(script.profile):
        begin(script, case, setup, _BY_FOUR, 16)
        _rows_of_four(script)
        return
    setup |= {"dst_offset": tuple(case.half + 16 * p for p in range(PACKERS))}
    begin(script, case, setup, _BY_ROWS, 16)
    for row in range(16):
        last = int(row == 15)
        script.word(THREAD, pacr(_ALL, mode=last, last=last))


_PROGRAMS: Final[dict[str, tuple[Callable[[Script, Case], None], str]]] = {
    "pack_tile": (_tile, "tiles from Dst of 16 and 32 bits to all formats"),
    "pack_rows": (_rows, "the same a row of each face an instruction"),
    "pack_untilize": (_untilize, "two tiles to rows of 64, all formats without exponents"),
    "pack_reduce": (_reduce, "tiles masked but for the first column, row or datum"),
    "pack_accumulate": (_accumulate, "tiles added up in L1, all formats that can"),
    "pack_zero": (_zero, "tiles of zeros that are not read from Dst"),
    "pack_compressed": (_compressed, "compressed tiles of 32 rows"),
    "pack_compressed_faces": (_compressed_faces, "compressed faces, a packer each"),
}

_HAZARDS: Final = {  # that they really have: BFP with minus infinity, sums of FP16
    "pack_reduce": ("edge_neginf_bfp",),
    "pack_accumulate": ("fp16_accumulate",),
}


def _test(name: str) -> TestSpec:
    program, summary = _PROGRAMS[name]

    def build(script: Script, _ctx: Context) -> None:
        for case in cases(name, script.profile):
            program(script, case)
            script.phase()

    some = sum(not case.kind.e4m3 for case in CASES[name])  # all, where there is no E4M3
    floor = {"issue": some, "w0.write": 64}
    faults = _HAZARDS.get(name, ())
    return script_test(name, summary, build, floor, kind="program", faults=faults)


TESTS: Final[dict[str, TestSpec]] = {name: _test(name) for name in _PROGRAMS}
