# SPDX-License-Identifier: Apache-2.0
"""Tiles that packers wrote are unpacked: what the unpackers must do, and what they must find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import assemble
from tilepath.sequences.pack import llk
from tilepath.sequences.pack.tile_image import Kind
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Setup, Thread, alu_word
from tilepath.sequences.unpack.script import DST, READ, SRCA, SRCB, Script
from tilepath.sequences.unpack.tile_image import KINDS, SRC_KINDS
from tilepath.sequences.unpack.tile_image import Kind as Unpacked
from tilepath.tests.pack.tile_values import represented, represented_sparse
from tilepath.tests.unpack.tile_values import dst_rows, in_src

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]

PROGRAMS = ("pack_rows", "pack_compressed")
"""Whose tiles are unpacked again, plain and compressed."""
_HEADER_ROWS = 4  # OutAddr's row of row 0
_ROW = 32  # datums of a row of a compressed tile
_BYTES = 0x1400  # of L1, that a tile has at most


def _unpacked(kind: Kind) -> list[Unpacked]:
    """What the unpackers can make of what ``kind`` packs."""
    packed = kind.to, kind.e4m3, kind.unsigned
    some = sorted(KINDS.values(), key=lambda one: one.out_code != one.in_code)
    return [one for one in some if (one.in_code, one.e4m3, one.unsigned) == packed
            and not one.forced]  # fmt: skip


@dataclass(frozen=True)
class Again:
    """The tile of ``case`` is unpacked as ``kind`` to ``file``."""

    case: llk.Case
    kind: Unpacked
    file: int
    sparse: bool

    def wanted(self, profile: str) -> U32:
        """Rows that the Matrix Unit reads."""
        numbers = self.case.numbers()
        if self.sparse:
            numbers = represented_sparse(self.case.kind, numbers, _ROW)
        else:
            if not llk.four(profile):  # row 0 of four faces, row 1, ...
                numbers = numbers.reshape(4, 16, 16).swapaxes(0, 1).reshape(-1)
            numbers = represented(self.case.kind, numbers)
        if self.file == DST:
            return dst_rows(self.kind, 0, numbers)[1]
        return in_src(self.kind, numbers).reshape(-1, 16)


def _zero_with_a_sign(kind: Kind) -> bool:
    """Whether rounding makes a zero with a sign, of which the unpackers' helpers know nothing."""
    return kind.shift > 0


def tiles(program: str, profile: str) -> list[Again]:
    """All tiles of ``program``, to all places that can have them.

    Those to Dst come last: what is in SrcA is not defined behind one.
    """
    found = [
        Again(case, kind, file, program == "pack_compressed")
        for case in llk.cases(program, profile)
        if not _zero_with_a_sign(case.kind)
        for kind in _unpacked(case.kind)
        for file in ((SRCA, SRCB) if kind in SRC_KINDS else ()) + (DST,)
    ]
    return sorted(found, key=lambda again: again.file == DST)


def unpack(program: str, l1: U8, profile: str) -> Script:
    """Items that put the tiles of ``program`` as they are in ``l1`` into L1, and unpack them."""
    script = Script(profile)
    for again in tiles(program, profile):
        at = again.case.address
        if (script.view.memory.bytes[at : at + _BYTES] != l1[at : at + _BYTES]).any():
            script.view.memory.put(at, l1[at : at + _BYTES])
        _one(script, again)
        script.phase()
    return script


def _one(script: Script, again: Again) -> None:
    kind, unpacker = again.kind, int(again.file == SRCB)
    columns = _ROW if again.sparse else 1024
    uncompressed = 0 if again.sparse else 0xFF
    script.setup(
        1,
        unpacker,
        Setup(
            in_format=kind.in_code,
            out_format=kind.out_code,
            e4m3=int(kind.e4m3),
            base=(again.case.address // 16 - 1,) * 8,
            dest=(16 * _HEADER_ROWS,) * 4,
            ctx_x_dim=(columns,) * 4,
            x_dim=columns,
            y_dim=1024 // columns,
            z_dim=1,
            y_stride=columns * kind.out_bytes,
            add_dest=1,
            uncompressed=uncompressed & 1,
            ctx_uncompressed=uncompressed,
            ctx_if_sel=0xFF if again.file == DST else 0,
        ),
    )
    signs = [int(kind.unsigned and unpacker == u) for u in (0, 1)]
    script.unsigned(alu_word(*signs), banks=1)
    script.thread(0, Thread(ovrd=int(again.file != DST)))
    script.memory()
    script.phase()
    for line in (
        "ttsetadcxy 3,0,0,0,0,11", "ttsetadczw 3,0,0,0,0,15", f"ttsetadcxx 3,{columns - 1},0",
    ):  # fmt: skip
        script.word(0, assemble(line, script.profile))
    for row in range(1024 // columns):
        flip = int(again.file != DST and row == 1024 // columns - 1)
        script.word(0, w.unpacr(unpacker, inc=(1, 0, 1, 0), multi=1, flip=flip))
    if again.file != DST:
        script.release(again.file, reads=range(64))
        return
    done = script.done("t0.issue")
    for row in dst_rows(kind, 0, np.zeros(1024))[0].tolist():
        script.matrix(READ, DST, row=row, after=done, idle=1)


def check(program: str, profile: str, read: U32) -> None:
    """``AssertionError`` that says which tiles the Matrix Unit did not find."""
    wrong = []
    for again in tiles(program, profile):
        wanted = again.wanted(profile)
        found, read = read[: len(wanted)], read[len(wanted) :]
        bad = np.flatnonzero((found != wanted).any(axis=1))
        if len(bad):
            name = f"{again.case.kind.name} as {again.kind.name} to {again.file}"
            row = bad[0]
            wrong.append(f"{name}: {len(bad)} rows, {row}: {found[row]} for {wanted[row]}")
    assert not wrong, "\n".join(wrong)
    assert not len(read)
