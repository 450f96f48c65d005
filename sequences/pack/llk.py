# SPDX-License-Identifier: Apache-2.0
"""What pack kernels do with whole tiles: pack, untilize, reduce, accumulate, compress.

Sources: pack-data-path 3 to 17; with four packers P37 and P48. A program goes through its *cases*,
one after another; tests compute from the same cases what must be in L1. Thread 2 issues everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tilepath.isa import encode, profiles
from tilepath.sequences.pack.script import Script
from tilepath.sequences.pack.tile_image import F64, KINDS, ROWS, Kind, values
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

TILES: Final = 2
"""Tiles side by side, of which untilize makes rows of 64."""
ACCUMULATED: Final = 3
REDUCED: Final = ("row", "column", "scalar")
ROW_OF_TWO: Final = 32
"""Datums of a row of ``pack_compressed``, which two instructions pack."""

_APART: Final = 0x4000  # bytes of L1 a case
_PACKER: Final = 4  # SETADC…: counters of packers
_BLOCKS: Final = tuple(f"THCON_SEC{s}_REG{r}_" for s in (0, 1) for r in (1, 8))
_RELATIVE: Final = 1 << 31
_ADDR_MOD: Final = 37
_FACE_LINES: Final = 2  # a bit of a datum
_FACES: Final = 4
_ALL: Final = 15
_MODS: Final = (0x0104, 0x2820, 0x1120, 0)
"""Seed 17.1: four rows on; back to row 0 and face 0; row 0 of the next face."""
_BY_ROWS: Final = (0x0001, 0x2820, 0x1000, 0x2000)
"""A row on; back to row 0 and face 0; a face on; back to face 0."""

Fields = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """A tile, or several: of ``kind``, the first one called ``number``.

    ``tile``: its place in Dst. ``address``: the byte of L1 where what is packed begins. ``option``:
    what the program makes of it.
    """

    kind: Kind
    number: int
    tile: int
    address: int
    option: str = ""

    def numbers(self, place: int = 0, tame: bool = False, dense: int = 15) -> F64:
        """The tile ``place`` behind the first one, in the order of Dst."""
        return values(self.kind, self.number + place, tame=tame, dense=dense)


def _cases(first: int, *kinds: Kind, options: tuple[str, ...] = ("",)) -> tuple[Case, ...]:
    """A case a kind and option; the tiles lie all over Dst."""
    both = [(kind, option) for kind in kinds for option in options]
    return tuple(
        Case(
            kind,
            first + 4 * k,
            4 * (k * 3 % (2 if kind.wide else 4)) + k % 2,
            0x4000 + _APART * k,
            option,
        )
        for k, (kind, option) in enumerate(both)
    )


def _named(*names: str) -> list[Kind]:
    return [KINDS[name] for name in names]


_PLAIN: Final = [kind for kind in KINDS.values() if not kind.bfp]
_SUMS: Final = _named("fp32", "bf16", "fp32_bf16", "fp16", "fp32_fp16", "int32")
_MASKED: Final = _named("bf16", "fp32", "fp16", "bf16_bfp8")
_ZEROED: Final = _named(
    "fp32", "bf16", "int16", "int32_int8", "bf16_bfp8", "bf16_bfp4", "fp16_bfp2a"
)
_SPARSE: Final = _named(
    "fp32", "fp32_tf32", "int32", "bf16", "fp16", "int16", "fp16_e5m2", "fp16_e4m3", "int32_int8",
    "bf16_bfp8", "bf16_bfp4", "fp16_bfp8a", "fp16_bfp4a",
)  # fmt: skip
MINUS_INFINITY: Final = "-inf"

CASES: Final[dict[str, tuple[Case, ...]]] = {
    "pack_tile": _cases(0x1000, *KINDS.values()),
    "pack_rows": _cases(0x2000, *KINDS.values()),
    "pack_untilize": _cases(0x3000, *_PLAIN),
    "pack_reduce": _cases(0x4000, *_MASKED, options=(*REDUCED, f"row {MINUS_INFINITY}")),
    "pack_accumulate": _cases(0x5000, *_SUMS),
    "pack_zero": _cases(0x6000, *_ZEROED),
    "pack_compressed": _cases(0x7000, *_SPARSE),
    "pack_compressed_faces": _cases(0x8000, *_SPARSE),
}
"""Program → its cases, in order."""


# -- parts of programs


def four(profile: str) -> bool:
    """Whether there are four packers, not one with four interfaces."""
    return profiles.get(profile).packers == len(_BLOCKS)


def _pacr(**fields: int) -> int:
    return encode("PACR", **fields)


def _block(packer: int, **fields: int) -> dict[str, int]:
    return {_BLOCKS[packer] + name: value for name, value in fields.items()}


def _formats(case: Case) -> dict[str, int]:
    """Conversions and input strides; no masks, no compression."""
    kind = case.kind
    half = 4 * ROWS * (case.tile // 4)
    found = {
        "ALU_FORMAT_SPEC_REG2_Dstacc": kind.inner,
        "PCK_DEST_RD_CTRL_Read_32b_data": kind.wide,
        "PCK_DEST_RD_CTRL_Read_unsigned": kind.unsigned,
        "PCK_DEST_RD_CTRL_Round_10b_mant": kind.narrow,
        "STACC_RELU_ApplyRelu": kind.relu,
        "INT_DESCALE_Enable": int(kind.shift > 0),
        "INT_DESCALE_VALUES_SEC0": kind.shift,
        "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 16 * kind.input_bytes,
        "PCK0_ADDR_CTRL_ZW_REG_0_Zstride": 256 * kind.input_bytes,
        "PCK0_ADDR_CTRL_ZW_REG_0_Wstride": 1024 * kind.input_bytes,
        **{f"PCK_EDGE_OFFSET_SEC{k}_mask": 0xFFFF for k in range(4)},
        "THCON_SEC0_REG1_Pac_LF8_4b_exp": kind.e4m3,
    }
    for packer in range(len(_BLOCKS)):
        found |= {
            f"DEST_TARGET_REG_CFG_PACK_SEC{packer}_Offset": half,
            f"PACK_COUNTERS_SEC{packer}_pack_reads_per_xy_plane": 16,
        }
        found |= _block(
            packer,
            Disable_zero_compress=1,
            Out_data_format=kind.to,
            In_data_format=kind.source,
            Exp_threshold_en=int(kind.threshold > 0),
            Exp_threshold=kind.threshold,
        )
    return found


def _outputs(case: Case, apart: int, rows: tuple[int, ...], profile: str) -> dict[str, int]:
    """Tile at ``address``, the packers' parts ``apart`` lines apart, of Dst from ``rows`` on.

    Addresses as kernels write them: a line below, those of packers 1 to 3 relative to packer 0's.
    """
    exponents = 0 if case.kind.to in (10, 14) else _FACES
    found = _block(0, L1_Dest_addr=_RELATIVE | case.address // 16 - 1, Exp_section_size=exponents)
    if not four(profile):
        return found
    half = 4 * ROWS * (case.tile // 4)
    for packer, row in enumerate(rows):
        found[f"DEST_TARGET_REG_CFG_PACK_SEC{packer}_Offset"] = half + row
        if packer:
            # P37: each packer's exponents are a line behind the ones before, its datums a part
            shift = packer if case.kind.bfp else packer * apart
            section = exponents + packer * (apart - 1) if case.kind.bfp else exponents
            found |= _block(packer, L1_Dest_addr=shift - 1, Exp_section_size=section)
    return found


def _faces(case: Case, profile: str) -> dict[str, int]:
    """A face a packer, or all four by the same one."""
    return _outputs(case, _FACE_LINES * case.kind.bits, (0, 16, 32, 48), profile)


def _to(counter: int, value: int) -> int:
    """Set X, Y, Z or W (0 to 3) of channel 0."""
    return encode("SETADC", target=_PACKER, channel=0, xyzw=counter, value=value)


def _begin(script: Script, fields: Fields, mods: tuple[int, ...], x1: int, case: Case) -> None:
    """Configure; counters are 0 then but X1, and W, which is the tile's."""
    script.configure(fields)
    for index, value in enumerate(mods):
        script.setc16(_ADDR_MOD + index, value)
    script.phase()
    script.words(
        encode("SETADCXX", target=_PACKER, x1_val=x1, x0_val=0),
        encode("SETADCXY", target=_PACKER, mask=0b1011),
        encode("SETADCZW", target=_PACKER, mask=0b1111),
        _to(3, case.tile % 4),
    )


def _rows_of_four(script: Script, case_x1: Mapping[str, int], **fields: int) -> None:
    """Seed 17.2: 16 instructions of four rows each."""
    for face in range(_FACES):
        for row in range(0, 16, 4):
            end = row == 12
            last = int(end and face == _FACES - 1)
            mod = 1 if last else 2 if end else 0
            script.words(_pacr(addr_mode=mod, last=last, **case_x1, **fields))


def _whole(script: Script, case: Case, fields: Fields, **pacr: int) -> None:
    """Pack a tile: one instruction of 256 datums for each packer, or 16 of four rows."""
    if four(script.profile):
        _begin(script, fields, _BY_ROWS, 255, case)
        script.words(_pacr(read_intf_sel=_ALL, addr_mode=1, last=1, **pacr))
    else:
        _begin(script, fields, _MODS, 15, case)
        _rows_of_four(script, pacr)


# -- programs


def _tile(script: Script, case: Case) -> None:
    """The whole tile."""
    script.tile(case.kind, case.tile, case.numbers())
    _whole(script, case, _formats(case) | _faces(case, script.profile))


_MAPPED: Final = {"DEST_ACCESS_CFG_remap_addrs": 1, "DEST_ACCESS_CFG_swizzle_32b": 1}


def _rows(script: Script, case: Case) -> None:
    """A row an instruction; one packer takes the same row of four faces (P53)."""
    mapped = not four(script.profile)
    script.tile(case.kind, case.tile, case.numbers(), mapped)
    fields = _formats(case) | _faces(case, script.profile) | (_MAPPED if mapped else {})
    _begin(script, fields, _BY_ROWS, 15, case)
    for row in range(16):
        last = int(row == 15)
        script.words(
            _pacr(read_intf_sel=_ALL, dst_access_mode=int(mapped), addr_mode=last, last=last)
        )


def _untilize(script: Script, case: Case) -> None:
    """Rows of two tiles: four packers have 8 each, one packer goes through all (P53)."""
    mapped = not four(script.profile)
    for place in range(TILES):
        script.tile(case.kind, case.tile + place, case.numbers(place), mapped)
    fields = _formats(case) | _outputs(
        case, 8 * TILES * 2 * case.kind.bits // 8, (0, 8, 32, 40), script.profile
    )
    _begin(script, fields | (_MAPPED if mapped else {}), _BY_ROWS, 15, case)
    rows, halves = (16, 2) if mapped else (8, 1)
    for half in range(halves):
        for row in range(rows):
            script.words(_to(1, row), _to(2, 2 * half))
            for place in range(TILES):
                last = int((half, row, place) == (halves - 1, rows - 1, TILES - 1))
                script.words(_to(3, case.tile % 4 + place))
                if mapped:
                    script.words(_pacr(read_intf_sel=3, dst_access_mode=1, addr_mode=3, last=last))
                    script.words(_to(2, 2 * half))
                else:
                    script.words(
                        _pacr(read_intf_sel=_ALL, addr_mode=2),
                        _pacr(read_intf_sel=_ALL, addr_mode=3, last=last),
                    )


def _reduce(script: Script, case: Case) -> None:
    """The first column, row or datum, all else masked: what a reduction leaves of a tile."""
    script.tile(case.kind, case.tile, case.numbers())
    dimension, *more = case.option.split()
    kept = {"row": (0, 2), "column": (0, 1), "scalar": (0,)}[dimension]
    fields = _formats(case) | _faces(case, script.profile)
    fields |= {
        "PCK_EDGE_OFFSET_SEC0_mask": 0,
        "PCK_EDGE_OFFSET_SEC1_mask": 0xFFFF if dimension == "column" else 1,
        "TILE_ROW_SET_MAPPING_1": 0x5555_5555 if dimension == "row" else 1,
        "PCK_EDGE_MODE_mode": int(more == [MINUS_INFINITY]),
    }
    chosen = sum(1 << 2 * face for face in kept)
    if four(script.profile) and not more:
        fields["PCK_EDGE_TILE_ROW_SET_SELECT_select"] = chosen
    else:  # by the face: the tile position of one packer, ZOffset of four
        fields |= {
            "PCK_EDGE_TILE_FACE_SET_SELECT_enable": 1,
            "TILE_FACE_SET_MAPPING_0": chosen,
            **{f"DEST_TARGET_REG_CFG_PACK_SEC{p}_ZOffset": p for p in range(_FACES)},
        }
    _whole(script, case, fields)


def _accumulate(script: Script, case: Case) -> None:
    """Tiles are packed, the second and those behind it onto what is there."""
    for place in range(ACCUMULATED):
        script.tile(case.kind, case.tile // 4 * 4 + place, case.numbers(place, tame=True))
    for place in range(ACCUMULATED):
        fields = _formats(case) | _faces(case, script.profile)
        for packer in range(len(_BLOCKS)):
            on = int(place > 0)
            fields |= _block(packer, Pack_L1_Acc=on, Disable_pack_zero_flags=on)
        part = Case(case.kind, 0, case.tile // 4 * 4 + place, case.address)
        _whole(script, part, fields)
        script.phase(idle=True)


def _zero(script: Script, case: Case) -> None:
    """Zeros instead of what Dst holds; one packer's mask is 0 then (P55)."""
    script.tile(case.kind, case.tile, case.numbers())
    _whole(script, case, _formats(case) | _faces(case, script.profile), zero_write=1)


def _compress(rows: int) -> dict[str, int]:
    """Fields of a packer that compresses ``rows`` rows."""
    return {"Disable_zero_compress": 0, "Row_start_section_size": (2 * rows + 17) // 16}


def _compressed(script: Script, case: Case) -> None:
    """One packer, 32 rows of 32, each of them two instructions long."""
    script.tile(case.kind, case.tile, case.numbers(dense=6))
    fields = _formats(case) | _block(
        0, L1_Dest_addr=case.address // 16 - 1, Exp_section_size=_FACES, **_compress(32)
    )
    _begin(script, fields, _BY_ROWS, 15, case)
    for row in range(ROWS):
        last = int(row == ROWS - 1)
        concat = 1 - row % 2
        script.words(_pacr(read_intf_sel=1, concat=concat, addr_mode=last, last=last))


def faces_apart() -> int:
    """Bytes from one packer's part to the next in ``pack_compressed_faces``."""
    return _APART // 4


def _compressed_faces(script: Script, case: Case) -> None:
    """Four packers, a face each, by rows of 16; one packer by rows of 64."""
    script.tile(case.kind, case.tile, case.numbers(dense=6))
    fields = _formats(case) | _faces(case, script.profile)
    for packer in range(_FACES if four(script.profile) else 1):
        where = case.address + packer * faces_apart()
        fields |= _block(
            packer, L1_Dest_addr=where // 16 - 1, Exp_section_size=_FACES, **_compress(16)
        )
    if not four(script.profile):
        _begin(script, fields, _MODS, 15, case)
        _rows_of_four(script, {})
        return
    _begin(script, fields, _BY_ROWS, 15, case)
    for row in range(16):
        last = int(row == 15)
        script.words(_pacr(read_intf_sel=_ALL, addr_mode=last, last=last))


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


def _test(name: str) -> TestSpec:
    program, summary = _PROGRAMS[name]

    def stimulus(ctx: Context) -> Stimulus:
        script = Script(ctx.profile)
        for case in CASES[name]:
            script.phase(idle=True)
            program(script, case)
        return script.stimulus()

    cases = len(CASES[name])
    return TestSpec(name, summary, "program", stimulus, floor={"issue": cases})


TESTS: Final[dict[str, TestSpec]] = {name: _test(name) for name in _PROGRAMS}
