# SPDX-License-Identifier: Apache-2.0
"""The upper ends of ranges, bit by bit: what no ordinary tile comes near."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.isa import profiles
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import MISC, Thread, alu_word
from tilepath.sequences.unpack.directed.common import (
    FEW,
    LINE,
    PLACE,
    ZEROS,
    Cases,
    case_test,
    same,
    tile,
)
from tilepath.sequences.unpack.script import DST, FENCE, READ, RELEASE, SRCA, ZERO
from tilepath.sequences.unpack.tiles import Packed
from tilepath.sequences.unpack.words import unpacr


def _exponents(cases: Cases) -> None:
    """BFPa exponents out of range in every lane."""
    cases.script.phase()
    cases.memory.put(PLACE, np.full(128, 0x77, np.uint8))
    for exponent in (0, 0xFF):
        setup = tile(**same(3), force_exponent=1, shared_exponent=exponent, x_dim=256, z_dim=1)
        cases.case(1, setup, [(0, {**ZEROS, "x1": 255}), (0, unpacr(1))])


def _plain(cases: Cases) -> None:
    """Any bytes, behind row start indices of rows that are not too long."""
    cases.memory.put(PLACE, cases.d.rng.integers(0, 256, 0x1000).astype(np.uint8))
    cases.memory.put_datums(PLACE * 4, 16, np.arange(64) * 640)


def _counters(cases: Cases) -> None:
    """Every bit of Y above 7, X and X1 with their highest bit, XDim of blobs with bit 8."""
    for bit in range(8, 13):
        setup = tile(x_dim=16, y_dim=2, z_dim=1)
        cases.case(1, setup, [(0, {**FEW, "y0": 1 << bit}), (0, unpacr(1))])
    # only SETADC reaches these bits of X, which name the set as well
    for x1 in (0x3FFFE, 0x3FFFF):  # where the window ends: all bits 1, and none but the highest
        far = {**ZEROS, "x0": 0x3FFF0, "x1": x1}
        cases.case(1, tile(x_dim=16, z_dim=1), [(2, far), (2, unpacr(1))], {2: Thread()})
    for base in (0x20000, 0x20080):
        words = [(0, FEW), (0, unpacr(0))]
        cases.case(0, tile(x_dim=32, z_dim=1, out_base=base), words, {0: Thread(ovrd=1)})
    # the highest number of datums, and one less; the highest addresses
    setup = tile(**same(7), force_exponent=1, throttle=2, x_dim=256, z_dim=1)
    for x0 in (0, 1):
        words = [(0, FEW), (2, {**ZEROS, "x0": x0, "x1": 0x3FFFF}), (2, unpacr(1))]
        # ... and a full queue, with the counters of thread 0
        words += [(2, unpacr(1, multi=1, adc=0))] * 18
        cases.case(1, setup, words, {0: Thread(), 2: Thread()})
    most = {**FEW, "y1": 0x1FFF, "z1": 0xFF, "w1": 0xFF}
    for u, stride in product((0, 1), (0xDD82, 0x50D7, 0xFFFF)):
        setup = tile(**same(14), x_dim=32, z_dim=1, out_base=0x3FFFF, dest=(0xFFFF,) * 4)
        setup = setup.with_(y_stride=stride, z_stride=stride, w_stride=stride)
        cases.case(u, setup, [(0, most), (0, unpacr(u))], {0: Thread(ovrd=1)})
    setup = tile(x_dim=0x12F, blobs=2, blob_starts=0x76543210, z_dim=1)
    cases.case(1, setup, [(0, {**FEW, "x0": 1, "y0": 0xE}), (0, unpacr(1, search=1))])


def _windows(cases: Cases) -> None:
    """Where the window of X ends, by size; products of a stride beyond 16 bits."""
    for code, limit in ((0, 2048), (5, 4096), (6, 8192)):
        setup = tile(**same(code), x_dim=limit, z_dim=1)
        for last in (limit - 1, limit, limit + 2):
            cases.case(1, setup, [(0, {**FEW, "x0": last - 2, "x1": last}), (0, unpacr(1))])
    for value in (4095, 4096):
        setup = tile(x_dim=32, z_dim=1, if_sel=1, y_stride=16)
        cases.case(0, setup, [(0, {**FEW, "y1": value}), (0, unpacr(0))])


def _sections(cases: Cases) -> None:
    """Exponent sections of half a line and of the greatest tile; exponents at the highest lines."""
    for x in (64, 128, 192, 384):
        setup = tile(**same(6), x_dim=x, z_dim=1)
        cases.case(1, setup, [(0, FEW), (0, unpacr(1))])
    setup = tile(**same(6), x_dim=0xFFFF, y_dim=255, z_dim=255, w_dim=255)
    cases.case(1, setup, [(0, FEW), (0, unpacr(1))])
    setup = tile(0x0FFF_FFF0, **same(6), x_dim=64, z_dim=1)
    cases.case(1, setup, [(0, FEW), (0, unpacr(1))])
    # compressed: a part of a row, whatever its RSI entries are; a row
    for line, code, circle in ((0x0FFF_FFC0, 6, 0), (LINE, 5, 0x1_FFFF), (0x0FFF_FFC0, 3, 0)):
        setup = tile(line, **same(code), uncompressed=0, x_dim=64, y_dim=2, z_dim=1)
        for u, (x0, x1) in product((0, 1), ((1, 15), (0, 63))):
            circular = setup.with_(limit=circle, fifo=circle * (x0 > 0), out_base=128 * (1 - u))
            words = [(0, {**ZEROS, "x0": x0, "x1": x1})] + [(0, unpacr(u))] * (17 if x0 == 0 else 1)
            cases.case(u, circular, words, {0: Thread(ovrd=1)})
    for code, uncompressed in product((6, 14), (0, 1)):
        setup = tile(**same(code), uncompressed=uncompressed, x_dim=0xFFFF, y_dim=255)
        last = {**ZEROS, "x0": 1, "x1": 15, "y0": 255, "z0": 255, "w0": 255}
        cases.case(1, setup.with_(z_dim=255, w_dim=255), [(0, last), (0, unpacr(1))])


def _packed(cases: Cases) -> None:
    """A compressed row of 65 472 datums, and rows that begin behind it."""
    setup = tile(**same(14), uncompressed=0, x_dim=16, y_dim=4, z_dim=1)
    cases.script.phase()
    Packed(np.array((0xFFC0, 5, 40, 7))).put_index(cases.memory, PLACE)
    datums = PLACE + 16  # behind one line of RSI
    cases.memory.put(datums + 0x7FE * 48, cases.d.rng.integers(0, 256, 480).astype(np.uint8))
    for y in range(1, 4):
        cases.case(1, setup, [(0, {**ZEROS, "x1": 15, "y0": y}), (0, unpacr(1))])
    to_dst = setup.with_(if_sel=1, out_base=128)
    cases.case(0, to_dst, [(0, {**ZEROS, "x1": 15}), (0, unpacr(0, zero=1))])


def _items(cases: Cases) -> None:
    """Bounded outputs of 64 items and more, of which a beat has 256."""
    setup = tile(**same(14), uncompressed=0, x_dim=16, y_dim=2, z_dim=1)
    cases.script.phase()
    Packed(np.array((64, 64))).put_index(cases.memory, PLACE)
    for group in range(4):
        cases.memory.put(PLACE + 16 + 48 * group + 32, np.full(16, 0xFF, np.uint8))
    for x0, count in product((0, 9), (63, 64, 65, 100, 127, 128, 129)):
        cases.case(1, setup, [(0, {**ZEROS, "x0": x0, "x1": x0 + count - 1}), (0, unpacr(1))])
    nibbles = tile(**same(7), uncompressed=0, force_exponent=1, x_dim=16, y_dim=2, z_dim=1)
    cases.script.phase()
    for group in range(8):  # 512 items a beat, all dropped of the first
        cases.memory.put(PLACE + 16 + 32 * group + 16, np.full(16, 0xFF, np.uint8))
    cases.case(1, nibbles, [(0, {**ZEROS, "x0": 600, "x1": 1600}), (0, unpacr(1))])
    # the end's entry is named by eight bits of X
    far = setup.with_(y_dim=200)
    cases.script.phase()
    Packed(np.full(200, 3)).put_index(cases.memory, PLACE)
    for x, y in ((127, 126), (128, 126), (150, 140), (199, 199)):
        cases.case(1, far, [(0, {**ZEROS, "x0": x, "y0": y}), (0, unpacr(1, search=1))])


def _circles(cases: Cases) -> None:
    """Limits and FIFOs of more than 1 MB; FIFOs that lead below address 0, and rows up to it."""
    for line, limit, fifo in (
        (0x11000, 0x11002, 2), (0x12000, 0x12001, 0x10010), (0x9000, 0x19000, 8),
    ):  # fmt: skip
        setup = tile(line, x_dim=256, z_dim=1, limit=limit, fifo=fifo)
        cases.case(1, setup, [(0, {**ZEROS, "x1": 99}), (0, unpacr(1))])
    # each row wraps, from above to below; far strides, of all lines of a beat
    setup = tile(0x0FFF_FFC0, x_dim=256, z_dim=1, limit=0, fifo=0x1_FFFF)
    cases.case(1, setup, [(0, {**ZEROS, "x1": 99}), (0, unpacr(1))])
    setup = tile(**same(14), x_dim=256, z_dim=1, tilize=1, shift=(15,) * 4, limit=0x1_FFFF, fifo=8)
    cases.case(1, setup.with_(throttle=2), [(0, {**ZEROS, "x1": 199}), (0, unpacr(1))])
    for rest in range(125, 138):  # lines to the limit
        setup = tile(x_dim=256, z_dim=1, limit=LINE + rest, fifo=rest - 60)
        cases.case(1, setup, [(0, {**ZEROS, "x0": 5, "x1": 104}), (0, unpacr(1))])
    for code, back, more in product((0, 5, 14, 7), range(1, 9), (0, 3)):
        setup = tile(9, **same(code, 4 if code == 0 else code), x_dim=256, z_dim=1)
        setup = setup.with_(force_exponent=1, limit=9 + more, fifo=12 + more + back)
        cases.case(1, setup, [(0, {**ZEROS, "x1": 199}), (0, unpacr(1))])
        if code != 7:
            tilize = setup.with_(tilize=1, shift=(2, 0, 0, 0))
            cases.case(1, tilize, [(0, {**ZEROS, "x1": 199}), (0, unpacr(1))])


def _of_compressed(cases: Cases) -> None:
    """What is a fault of uncompressed tiles is none of compressed ones, but for bounded outputs."""
    setup = tile(**same(5), uncompressed=0, x_dim=48, y_dim=8, z_dim=1, blobs=7)
    cases.script.phase()
    Packed(np.full(64, 20)).put_index(cases.memory, PLACE)
    for y in (0, 1, 0x100, 0x1003):
        cases.case(1, setup, [(0, {**ZEROS, "x1": 47, "y0": y}), (0, unpacr(1))])
    for x in (7, 15, 3):  # 7: as many blobs as no tile has
        cases.case(1, setup, [(0, {**ZEROS, "x0": x, "x1": 9000}), (0, unpacr(1, search=1))])
    search = [(0, {**ZEROS, "x0": 2, "x1": 9000}), (0, unpacr(1, search=1))]
    cases.case(1, setup.with_(blobs=0), search)
    for x, x1 in ((9, 8), (9, 7), (0x100, 47)):
        cases.case(1, setup, [(0, {**ZEROS, "x0": x, "x1": x1}), (0, unpacr(1))])
    rows = tile(**same(5), uncompressed=0, x_dim=48, y_dim=8, z_dim=1)
    for transpose, start, y in product((0, 1), range(4), (0, 1, 3)):
        changed = rows.with_(transpose=transpose, out_base=128 + 32 * start)
        own = {0: Thread(ovrd=1)}
        cases.case(0, changed, [(0, {**ZEROS, "x1": 47, "y0": y}), (0, unpacr(0))], own)


def _rows(cases: Cases) -> None:
    """A transposed step in two parts, of which rows are out of range: told once."""
    for row, count in ((18, 40), (19, 64), (34, 48)):
        setup = tile(**same(14), x_dim=256, z_dim=1, transpose=1, out_base=16 * row)
        cases.case(0, setup, [(0, {**ZEROS, "x1": count - 1}), (0, unpacr(0))])


def _banks(cases: Cases) -> None:
    """ZEROSRC of the bank that is not stale; the Matrix Unit's zeroing of Dst beside a ZEROSRC."""
    script, profile = cases.script, cases.profile
    to_dst = tile(x_dim=32, z_dim=1, if_sel=1, out_base=128)
    cases.case(0, to_dst, [(0, FEW), (0, unpacr(0, flip=1))], release=False)
    cases.prepare({}).issue(0, [(0, w.zerosrc(profile, 0, 0, 0, 1))])
    script.phase()
    for bank in (0, 1):
        script.matrix(READ, SRCA, bank, row=5)
    script.phase()
    script.release(0)
    for u, when in product((0, 1), range(24)):
        cases.prepare({})
        cases.issue(u, [(0, w.zerosrc(profile, u, 0, 0, 1))])
        script.matrix(ZERO, DST, gap=when)


def _nothing_yet(cases: Cases) -> None:
    """Items that are dropped, hundreds of them, do not make SrcA stale; what follows does."""
    script = cases.script
    setup = tile(**same(14), uncompressed=0, x_dim=16, y_dim=2, z_dim=1, if_sel=1, out_base=128)
    script.phase()
    Packed(np.array((64, 64))).put_index(cases.memory, PLACE)
    for group in range(4):
        cases.memory.put(PLACE + 16 + 48 * group + 32, np.full(16, 0xFF, np.uint8))
    program = [(0, {**ZEROS, "x0": 900, "x1": 910}), (0, unpacr(0))]
    cases.case(0, setup, program)
    for bank in (0, 1):
        script.matrix(RELEASE, SRCA, bank)
    for _ in range(50):
        script.matrix(READ, SRCA, script.view.bank[0], row=1, gap=2)


def _commands(cases: Cases) -> None:
    """All of Dst by either half; a row that is written to no file."""
    script = cases.script
    for half, target in product((0, 1), (DST, 3)):
        setup = tile(x_dim=256, z_dim=1, if_sel=1, out_base=128)
        cases.case(0, setup, [(0, {**ZEROS, "x1": 99}), (0, unpacr(0))])
        script.phase()
        script.matrix(ZERO, DST, half, row=1)
        script.matrix_write(target, half, 3, tuple(range(16)), after=script.done("matrix"))
        written = script.done("matrix_write")
        for k in (900, 600, 5, 3, 0):
            script.matrix(READ, DST, row=k, after=written)
        script.matrix(READ, SRCA, row=2)
    for half in (0, 1):
        for row in (8, 600):
            setup = tile(x_dim=256, z_dim=1, if_sel=1, out_base=32 * row)
            cases.case(0, setup, [(0, {**ZEROS, "x1": 99}), (0, unpacr(0))])
        script.phase()
        script.matrix(ZERO, DST, half)
        for row in (8, 600):
            script.matrix(READ, DST, row=row)


def _words(cases: Cases) -> None:
    """Special forms with FlipSrc or Set_Upd; a reset of the context in the cycle of a flip."""
    script = cases.script
    for u in (0, 1):
        setup = tile(x_dim=16, z_dim=1, set_upd=1, context_count=3, out_base=128 * (1 - u))
        cases.prepare({(0, u): setup}, {0: Thread(base=(2, 1))})
        script.counters(0, u, **{**ZEROS, "x1": 3})
        for form in (w.inc_context(u), w.flush_cache(u), w.flush_cache(u) | w.inc_context(u)):
            script.word(0, form, form | 1 << 6, form)
        for delay in range(6):
            script.phase()
            script.word(0, FENCE, unpacr(u, multi=1, counter=1, flip=1), w.inc_context(u))
            script.release(u, 3)
            script.setc16(0, MISC, 0x1010, gap=delay)
        script.view.context[u][0] = 0
        script.phase()
        script.setc16(0, MISC, 0x1010)
        script.phase()


def _formats(cases: Cases) -> None:
    """One context alone has BFP2, which is never compressed, so its address phase is short."""
    for u, ctx in product((0, 1), range(8)):
        for code, other in ((15, 5), (5, 15)):
            codes = tuple(code if k == ctx else other for k in range(8))
            setup = tile(
                0x3000, ctx_in=codes, ctx_out=codes, ovrd_format=1, ctx_uncompressed=0, x_dim=16,
                z_dim=1, ctx_x_dim=(16,) * 4,
            )  # fmt: skip
            words = [(0, FEW), (0, unpacr(u, multi=1, ctx=ctx)), (0, unpacr(u, multi=1, ctx=ctx))]
            # bank 1 behind bank 0: any write to a section finds this out again for all of them
            cases.case(u, (setup, setup), words)


def _rsi_beyond(cases: Cases) -> None:
    """The entry of a row's end is out of L1, that of its first datum the last one in it."""
    end = profiles.get(cases.profile).l1_bytes // 16
    cases.script.phase()
    cases.memory.put((end - 1) * 16, np.zeros(16, np.uint8))
    setup = tile(end - 1, **same(14), uncompressed=0, x_dim=16, y_dim=16, z_dim=1)
    for y in (6, 7, 8):
        cases.case(1, setup, [(0, {**ZEROS, "x1": 15, "y0": y}), (0, unpacr(1))])


def _alu_words(cases: Cases) -> None:
    """Words beside that with SrcAUnsigned and SrcBUnsigned."""
    script = cases.script
    for bank, index in product((1, 2), (0, 2, 3)):
        script.phase()
        script.config(bank, index, alu_word(1, 1))
        for u in (0, 1):
            setup = tile(LINE, **same(14), x_dim=64, z_dim=1, out_base=128 * (1 - u))
            words = [(0, FEW), (0, unpacr(u))]
            cases.case(u, (setup, setup), words, {0: Thread(bank - 1, ovrd=1)})
        script.phase()
        script.config(bank, index, 0)
    cases.prepare({}, {0: Thread()})


def _every_bit(cases: Cases) -> None:
    """All bits of all words, those that nobody reads among them; of threads, first and last word.

    No case can follow: what the words of set-ups hold is lost.
    """
    script = cases.script
    script.phase()
    for index, value in product(range(CFG_GLOBAL_BASE), (0xFFFF_FFFF, 0)):
        script.config(3, index, value)
    for thread, (index, value) in product(range(3), ((67, 0xFFFF), (0, 0))):
        script.setc16(thread, index, value)
        script.add("store", (thread, index, value))


def _first(cases: Cases) -> None:
    """The first UNPACRs since reset, of both unpackers at once, of what nobody has set up.

    That is a compressed tile at 0; its row start indices say that a row has three datums.
    """
    cases.memory.put(0, np.arange(0, 3 * 512, 3, np.uint16).view(np.uint8))
    cases.script.memory()
    cases.script.phase()
    for u in (0, 1):
        cases.script.word(u, unpacr(u))


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "first_requests", "both unpackers at once, in the state of reset", _first,
        u0_read=1, u1_read=1, faults=ANY,
    ),
    case_test(
        "ranges", "highest bits of counters, sections, limits; what is no fault of compressed rows",
        _exponents, _plain, _counters, _windows, _sections, _packed, _items, _circles,
        _of_compressed, _rows, _banks, _nothing_yet, _commands, _words, _formats, _rsi_beyond,
        _alu_words, _every_bit,
        u0_write=100, u1_write=100, u1_fault=5,
        faults=(
            "bfpa", "burst", "compressed_bfp2", "context_range", "datum", "delta", "exponent",
            "format_src", "out_low", "out_row", "rsi", "spare_unpacr", "srca_row", "srca_row_high",
            "srcb_row", "stale", "start_align", "x_order", "x_override", "x_window", "y_range",
        ),
    ),
)  # fmt: skip
