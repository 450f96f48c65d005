# SPDX-License-Identifier: Apache-2.0
"""What kernels do with the counters: the sequences of the seeds, in their own assembly.

Sources: unpack-data-path 4.4, 5.2, 6 and 11.1; pack-data-path 4.2 to 4.6. UNPACR and PACR
themselves belong to other blocks; here their updates come at the ports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.isa import profiles
from tilepath.sequences.adc.random_tests import floor
from tilepath.sequences.adc.timeline import Timeline

_UNPACK, _PACK = 0, 2  # threads
_UNPACR: Final = 2
"""Cycles of a UNPACR's address phase."""


def _unpack_init(tl: Timeline) -> None:
    tl.asm(
        _UNPACK,
        "ttsetadcxy 3,0,0,0,0,11",  # X0, Y0 and Y1 of both unpackers
        "ttsetadczw 3,0,0,0,0,15",
        "ttsetadcxx 1,255,0",  # a face of 16 by 16
        "ttsetadcxx 2,255,0",
    )


def unpack_tiles(tl: Timeline) -> None:
    """Tiles of four faces to SrcA and SrcB, face by face (4.4, 11.1, 11.2)."""
    _unpack_init(tl)
    for _ in range(8):
        tl.asm(_UNPACK, "ttsetadczw 3,0,0,0,0,15")
        for _face in range(4):
            for unpacker in (0, 1):
                tl.step(_UNPACR).unpack(unpacker, _UNPACK, _UNPACK, z0=1, z1=1)
        tl.step(_UNPACR)


def tilize(tl: Timeline) -> None:
    """Rows of a tile-high strip: Y0 moves on, Z0 goes back to its checkpoint (4.4, 5.2)."""
    _unpack_init(tl)
    tl.asm(_UNPACK, "ttsetadcxx 1,1023,0")
    for _tile in range(4):
        for _row in range(8):
            tl.step(_UNPACR).unpack(0, _UNPACK, _UNPACK, z0=1, y1=1).step()
            tl.asm(_UNPACK, "ttincadcxy 1,0,0,1,0", "ttaddrcrzw 1,0,0,0,0,1")
        tl.asm(_UNPACK, "ttaddrcrxy 1,0,0,0,0,10")  # Y0 and Y1 back as well


def untilize(tl: Timeline) -> None:
    """Two 1 by 16 rows a tile, then the Z counter back to its first face (6)."""
    _unpack_init(tl)
    tl.asm(_UNPACK, "ttsetadcxx 1,15,0")
    for _row in range(16):
        for _tile in range(4):
            for _ in range(2):
                tl.step(_UNPACR).unpack(0, _UNPACK, _UNPACK, z0=1, y1=1)
            tl.step(3).asm(_UNPACK, "ttaddrcrzw 1,0,0,0,0,1")
        tl.asm(_UNPACK, "ttincadcxy 1,0,0,1,0", "ttaddrcrxy 1,0,0,0,0,8")
    tl.asm(_UNPACK, "ttsetadcxy 1,0,0,0,0,11", "ttsetadczw 1,0,0,0,0,15")


# 4.6: four rows of a face; the next face; the end of a tile
_ROWS: Final = {"YsrcIncr": 4, "YdstIncr": 4}
_TILE: Final = {"YsrcClear": 1, "YdstClear": 1, "ZsrcClear": 1}
_FACE: Final = {"YsrcClear": 1, "YdstIncr": 4, "ZsrcIncr": 1}


def pack_tiles(tl: Timeline) -> None:
    """Tiles of four faces packed four rows at a time (4.2, 4.4, 4.5, 4.6)."""
    tl.asm(_PACK, "ttsetadcxx 4,15,0", "ttsetadcxy 4,0,0,0,0,11", "ttsetadczw 4,0,0,0,0,15")
    tiles = min(40, (1 << profiles.get(tl.profile).zw_w) - 1)
    for tile in range(tiles):
        tl.asm(_PACK, f"ttsetadc 4,0,3,{tile}")  # W0: the tile in Dst
        for face in range(4):
            for row in range(4):
                last = _TILE if face == 3 else _FACE
                tl.step().pack(1 << _PACK, **(last if row == 3 else _ROWS))
        tl.step().asm(_PACK, "ttsetadczw 4,0,0,0,0,5")  # Z0 and Z1


def pipeline(tl: Timeline) -> None:
    """Unpack and pack threads at once, each with its own set."""
    _unpack_init(tl)
    tl.asm(_PACK, "ttsetadcxx 4,15,0", "ttsetadcxy 4,0,0,0,0,11", "ttsetadczw 4,0,0,0,0,15")
    for step in range(400):
        if step % 12 == 0:
            tl.asm(_UNPACK, "ttsetadczw 3,0,0,0,0,15")
        tl.unpack(step % 2, _UNPACK, _UNPACK, z0=1, z1=1)
        tl.pack(1 << _PACK, **(_FACE if step % 4 == 3 else _ROWS)).step()
        if step % 16 == 15:
            tl.asm(_PACK, "ttsetadczw 4,0,0,0,0,5", f"ttsetadc 4,0,3,{step // 16}")


def _program(build: Callable[[Timeline], None], name: str, summary: str, **least: int) -> TestSpec:
    def stimulus(ctx: Context) -> Stimulus:
        tl = Timeline(ctx.profile)
        build(tl)
        return tl.stimulus()

    return TestSpec(name, summary, "program", stimulus, floor=floor({}) | least)


TESTS: dict[str, TestSpec] = {
    test.name: test
    for test in (
        _program(
            unpack_tiles, "unpack_tiles", "tiles to SrcA and SrcB, face by face",
            **{"t0.issue": 12, "unpack": 64, "t0.unpacker0": 30, "t0.unpacker1": 30},
        ),
        _program(
            tilize, "tilize", "tilize: Y0 moves on, Z0 goes back",
            **{"t0.issue": 60, "unpack": 32, "t0.unpacker0": 60},
        ),
        _program(
            untilize, "untilize", "untilize: Z0 back to its checkpoint after each tile",
            **{"t0.issue": 90, "unpack": 128, "t0.unpacker0": 150},
        ),
        _program(
            pack_tiles, "pack_tiles", "tiles packed four rows at a time",
            **{"t2.issue": 80, "pack": 500, "t2.packers": 500},
        ),
        _program(
            pipeline, "pipeline", "unpack and pack threads at once",
            **{"t0.issue": 30, "t2.issue": 40, "unpack": 400, "pack": 400, "t0.unpacker1": 150},
        ),
    )
}  # fmt: skip
