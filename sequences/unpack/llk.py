# SPDX-License-Identifier: Apache-2.0
"""What unpack kernels do to whole tiles, in every format: unpack, tilize, untilize, to Dst.

Sources: unpack-data-path 4.4 to 7 and 11. A program goes through its *cases*, one after another;
tests compute from the same cases what the Matrix Unit must read. Thread 0 issues everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.isa import assemble, profiles
from tilepath.models.dst_rows import Access
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Setup, Thread, alu_word
from tilepath.sequences.unpack.script import (
    DST,
    READ,
    SRCA,
    SRCB,
    ZERO,
    Script,
    script_test,
)
from tilepath.sequences.unpack.tile_image import (
    DST_KINDS,
    FACE,
    ROW_KINDS,
    SRC_KINDS,
    TILE,
    Kind,
    datums,
    image,
    values,
)

HEADER_ROWS: Final = 4  # U35: OutAddr's row of row 0 of SrcA or Dst
ROW: Final = 16
FACES: Final = 4
WIDTH: Final = 64
"""Columns and rows of what is tilized, row by row in L1."""

_A, _B = 0x1_0000, 0x8_0000  # byte addresses in L1
_OVRD: Final = Thread(ovrd=1)


@dataclass(frozen=True)
class Case:
    """``a`` and ``b``: what goes to SrcA (or Dst) and SrcB; ``number``: of its tiles.

    ``dst_row``: the first row in Dst. ``context``: of the configuration, 0 or 1.
    """

    a: Kind
    b: Kind
    number: int
    dst_row: int = 0

    @property
    def context(self) -> int:
        """The context that all its instructions use, or the first of two."""
        return self.number // 16 & 1

    def tile_a(self, place: int = 0, count: int = TILE) -> NDArray[np.float64]:
        """Values of the tile at ``place`` of SrcA's."""
        return values(self.a, self.number + place, count)

    def tile_b(self, place: int = 0) -> NDArray[np.float64]:
        """Values of the tile at ``place`` of SrcB's."""
        return values(self.b, self.number + 8 + place)


def _cases(kinds: tuple[Kind, ...], first: int, apart: int = 0) -> tuple[Case, ...]:
    """A case a kind; SrcB's kind is ``apart`` places further on."""
    return tuple(
        Case(kind, kinds[(k + apart) % len(kinds)], first + 16 * k) for k, kind in enumerate(kinds)
    )


def _dst_cases() -> tuple[Case, ...]:
    found = []
    for k, kind in enumerate(DST_KINDS):
        rows = 64 * (k * 5 % (8 if kind.wide else 16))
        found.append(Case(kind, kind, 0x7000 + 16 * k, rows))
    return tuple(found)


CASES: Final[dict[str, tuple[Case, ...]]] = {
    "unpack_a": _cases(SRC_KINDS, 0x1000),
    "unpack_a_transpose": _cases(SRC_KINDS, 0x2000),
    "unpack_ab": _cases(SRC_KINDS, 0x3000, 5),
    "tilize": _cases(ROW_KINDS, 0x4000),
    "tilize_ab": _cases(ROW_KINDS, 0x5000, 3),
    "untilize": _cases(SRC_KINDS, 0x6000),
    "unpack_dst": _dst_cases(),
    "matmul_formats": _cases(SRC_KINDS, 0x8000, 7),
}
"""Program → its cases, in order."""


# -- parts of programs


def _asm(script: Script, *lines: str) -> None:
    script.word(0, *(assemble(line, script.profile) for line in lines))


def _setup(kind: Kind, context: int, where: int, **changes: object) -> Setup:
    """Faces of the tile at byte ``where``, to row 0 of SrcA or SrcB, by ``context``."""
    base = [0xDEAD] * 8
    base[context] = where // 16  # the line behind it is the first one that is read
    some = Setup(
        in_format=kind.in_code,
        out_format=kind.out_code,
        e4m3=int(kind.e4m3),
        force_exponent=int(kind.forced),
        shared_exponent=kind.shared_exponent,
        base=tuple(base),  # type: ignore[arg-type]
        dest=(ROW * HEADER_ROWS,) * 4,
        ctx_x_dim=(FACE,) * 4,
    )
    return some.with_(**changes)


def _put(script: Script, where: int, *images: NDArray[np.uint8]) -> None:
    """Put tiles into L1 behind one another."""
    for data in images:
        script.view.memory.put(where, data)
        where += len(data)


def _begin(
    script: Script, case: Case, a: Setup, b: Setup | None = None, own: Thread = _OVRD
) -> None:
    """Configure, fill L1; what follows waits for it. Counters are 0 then, X1 of a face."""
    script.setup(1, 0, a)
    if b is not None:
        script.setup(1, 1, b)
    script.unsigned(alu_word(int(case.a.unsigned), int(case.b.unsigned)), banks=1)
    context = case.context
    offsets = Thread(own.state, own.base, own.ovrd, offset=(context, context))
    script.thread(0, offsets)
    script.memory()
    script.phase()
    _asm(script, "ttsetadcxy 3,0,0,0,0,11", "ttsetadczw 3,0,0,0,0,15")
    _asm(script, "ttsetadcxx 3,255,0")


def _faces(kind: Kind) -> dict[str, int]:
    """Output a face further for each Z1, added to where the context says."""
    return {"z_stride": FACE * kind.out_bytes, "add_dest": 1}


def _rows(kind: Kind) -> dict[str, int]:
    """Output a row further for each Y1."""
    return {"y_stride": ROW * kind.out_bytes, "add_dest": 1}


def _no_source_b(script: Script) -> None:
    """SrcB is zeros: what the Matrix Unit waits for all the same."""
    script.word(0, w.zerosrc(script.profile, 1, wait=1), w.setdvalid(script.profile, 1))


def _read(script: Script, file: int, rows: int) -> None:
    script.release(file, reads=range(rows))


# -- programs


def _unpack_a(script: Script, case: Case) -> None:
    """Four faces into one bank: both Z counters go on (4.4)."""
    _put(script, _A, image(case.a, case.tile_a()))
    _begin(script, case, _setup(case.a, case.context, _A, **_faces(case.a)))
    _no_source_b(script)
    for face in range(FACES):
        script.word(0, w.unpacr(0, inc=(0, 1, 0, 1), multi=1, flip=int(face == 3)))
    _read(script, SRCA, 64)
    _read(script, SRCB, 64)


def _unpack_a_transpose(script: Script, case: Case) -> None:
    """The same, faces and their contents exchanged about the diagonal."""
    _put(script, _A, image(case.a, case.tile_a()))
    _begin(script, case, _setup(case.a, case.context, _A, transpose=1, **_faces(case.a)))
    for first in (0, 1):
        _asm(script, f"ttsetadczw 1,0,0,0,{first},1")
        for last in (0, 1):
            script.word(0, w.unpacr(0, inc=(0, 2, 0, 1), multi=1, flip=first & last))
    _read(script, SRCA, 64)


def _unpack_ab(script: Script, case: Case) -> None:
    """A face to each file, and hand both over (11.2)."""
    _put(script, _A, image(case.a, case.tile_a()))
    _put(script, _B, image(case.b, case.tile_b()))
    a, b = _setup(case.a, case.context, _A), _setup(case.b, case.context, _B)
    _begin(script, case, a, b)
    for _ in range(FACES):
        for unpacker in (0, 1):
            script.word(0, w.unpacr(unpacker, inc=(0, 1, 0, 0), multi=1, flip=1))
        _read(script, SRCA, 16)
        _read(script, SRCB, 16)


def row_width(case: Case, profile: str) -> int:
    """Columns of a tile that is tilized (U25); its 1024 datums give the rows."""
    return profiles.get(profile).row_w if case.a.bits > 8 else 16


def _tilize(script: Script, case: Case) -> None:
    """One instruction a tile, the two contexts for two tiles side by side (5.2)."""
    size = case.a.bits // 8
    stride = WIDTH * size
    width = row_width(case, script.profile)
    header = np.zeros(16, np.uint8)
    _put(script, _A, np.concatenate((header, datums(case.a, case.tile_a(0, WIDTH * WIDTH)))))
    line = _A // 16
    setup = _setup(
        case.a, 0, _A,
        tilize=1,
        z_dim=1,
        ctx_x_dim=(TILE,) * 4,
        shift=(stride >> 4 & 15, stride >> 8 & 15, stride >> 12 & 15, 0),
        base=(line, line + width * size // 16, 0, 0, 0, 0, 0, 0),
    )  # fmt: skip
    _begin(script, case, setup)
    _asm(script, f"ttsetadcxx 1,{TILE - 1},0")
    for tile in (0, 1):
        # both contexts whatever the thread's offset: ContextNumber makes up for it
        script.word(0, w.unpacr(0, multi=1, ctx=(tile - case.context) & 7, flip=1))
        _read(script, SRCA, 64)


def _tilize_ab(script: Script, case: Case) -> None:
    """SrcB a face, SrcA a face by rows of 16: Y counters of both channels go on (5.3)."""
    header = np.zeros(16, np.uint8)
    _put(script, _A, np.concatenate((header, datums(case.a, case.tile_a(0, WIDTH * WIDTH)))))
    _put(script, _B, image(case.b, case.tile_b()))
    a = _setup(
        case.a, case.context, _A, y_dim=WIDTH, z_dim=1, ctx_x_dim=(WIDTH,) * 4, **_rows(case.a)
    )
    _begin(script, case, a, _setup(case.b, case.context, _B))
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        script.word(0, w.unpacr(1, inc=(0, 1, 0, 0), multi=1, flip=1))
        _asm(script, f"ttsetadcxx 1,{16 * right + 15},{16 * right}")
        _asm(script, f"ttsetadc 1,0,1,{16 * down}", "ttsetadc 1,1,1,0")
        for row in range(16):
            script.word(0, w.unpacr(0, inc=(1, 0, 1, 0), multi=1, flip=int(row == 15)))
        _read(script, SRCA, 16)
        _read(script, SRCB, 16)


def _untilize(script: Script, case: Case) -> None:
    """Two tiles side by side become 32 rows of 64: by rows of two faces, tile after tile (6)."""
    _put(script, _A, image(case.a, case.tile_a(0)), image(case.a, case.tile_a(1)))
    a = _setup(case.a, case.context, _A, x_dim=16, y_dim=16, ctx_x_dim=(16,) * 4, **_rows(case.a))
    _begin(script, case, a)
    _asm(script, "ttsetadcxx 1,15,0")
    offset_word = 92 + case.context
    for _ in (0, 1):  # upper and lower faces
        for row in range(16):
            for tile in (0, 1):
                last = row == 15 and tile == 1
                # the seed's ttwrcfg, which waits for what the thread has issued
                offset = tile * case.a.tile_bytes // 16
                script.config(1, offset_word, offset, after=script.done("t0.issue"))
                written = script.done("cfg")
                script.word(0, w.unpacr(0, inc=(0, 1, 1, 0), multi=1), after=written)
                script.word(0, w.unpacr(0, inc=(0, 1, 1, 0), multi=1, flip=int(last)))
                _asm(script, "ttaddrcrzw 1,0,0,0,0,1")  # Z0 back to its checkpoint
            _asm(script, "ttincadcxy 1,0,0,1,0")  # Y0
        _asm(script, "ttsetadcxy 1,0,0,0,0,10", "ttaddrcrzw 1,0,0,0,2,1")
        _read(script, SRCA, 64)


def stored_rows(case: Case) -> list[int]:
    """Rows of Dst that hold a tile (U36), in order."""
    rows = range(case.dst_row, case.dst_row + 64)
    if not case.a.wide:
        return list(rows)
    high = [Access().row(1, row) for row in rows]
    return sorted(high + [row + 8 for row in high])


def _unpack_dst(script: Script, case: Case) -> None:
    """Four faces to Dst, whose rows were all invalid before, without SetOvrdWithAddr (7.4)."""
    script.matrix(ZERO, DST, row=1)
    _put(script, _A, image(case.a, case.tile_a()))
    dest = (ROW * (HEADER_ROWS + case.dst_row),) * 4
    a = _setup(case.a, case.context, _A, ctx_if_sel=0xFF, **_faces(case.a), dest=dest)
    _begin(script, case, a, own=Thread())
    script.word(0, *[w.unpacr(0, inc=(0, 1, 0, 1), multi=1)] * FACES)
    done = script.done("t0.issue")
    for row in stored_rows(case):
        script.matrix(READ, DST, row=row, after=done, idle=1)


def _matmul(script: Script, case: Case) -> None:
    """SrcA a face an instruction; SrcB a tile, its base address then a tile further (11.3)."""
    _put(script, _A, image(case.a, case.tile_a()))
    _put(script, _B, *(image(case.b, case.tile_b(tile)) for tile in range(FACES)))
    a = _setup(case.a, case.context, _A)
    b = _setup(case.b, case.context, _B, x_dim=TILE, z_dim=1)
    _begin(script, case, a, b)
    _asm(script, f"ttsetadcxx 2,{TILE - 1},0")
    base = b.base[case.context]
    written = 0
    for step in range(FACES):
        if step % 2 == 0:
            script.word(0, w.unpacr(0, inc=(0, 1, 0, 0), multi=1, flip=1))
            _read(script, SRCA, 16)
        script.word(0, w.unpacr(1, multi=1, flip=1), after=written)
        base += case.b.tile_bytes // 16
        issued = script.done("t0.issue")
        script.config(1, 124 + case.context, base, after=issued)
        written = script.done("cfg")
        _read(script, SRCB, 64)


_PROGRAMS: Final[dict[str, tuple[Callable[[Script, Case], None], str]]] = {
    "unpack_a": (_unpack_a, "tiles to SrcA by four faces, SrcB zeros, all formats"),
    "unpack_a_transpose": (_unpack_a_transpose, "transposed tiles to SrcA, all formats"),
    "unpack_ab": (_unpack_ab, "tiles to SrcA and SrcB face by face, all formats"),
    "tilize": (_tilize, "rows in L1 to tiles, one instruction a tile"),
    "tilize_ab": (_tilize_ab, "rows in L1 to SrcA by 1 by 16, faces to SrcB"),
    "untilize": (_untilize, "tiles in L1 to rows of two tiles, all formats"),
    "unpack_dst": (_unpack_dst, "tiles to Dst, 16 and 32 bits, all formats"),
    "matmul_formats": (_matmul, "SrcA by faces, SrcB by tiles with moving base, all formats"),
}


def _test(name: str) -> TestSpec:
    program, summary = _PROGRAMS[name]

    def build(script: Script, _ctx: Context) -> None:
        for case in CASES[name]:
            program(script, case)
            script.phase()

    reads = 32 * len(CASES[name])
    answers = "answer_d" if name == "unpack_dst" else "answer_a"
    return script_test(name, summary, build, floor={"u0.issue": 16, answers: reads}, kind="program")


TESTS: dict[str, TestSpec] = {name: _test(name) for name in _PROGRAMS}
