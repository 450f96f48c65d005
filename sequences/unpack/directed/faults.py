# SPDX-License-Identifier: Apache-2.0
"""Every fault and warning of section 8, with what comes closest to it without being one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.isa import profiles
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread, alu_word
from tilepath.sequences.unpack.directed.common import (
    PLACE,
    Cases,
    at,
    case_test,
    fill_tile,
    same,
    tile,
)
from tilepath.sequences.unpack.script import DST, NOTHING, READ, RELEASE, SRCA, SRCB, ZERO
from tilepath.sequences.unpack.words import unpacr

ZEROS: Final = {"x0": 0, "y0": 0, "z0": 0, "w0": 0, "y1": 0, "z1": 0, "w1": 0}
FEW: Final = {**ZEROS, "x1": 19}


def _plain(cases: Cases) -> None:
    for code in (6, 5):
        fill_tile(cases.memory, cases.d, code, PLACE, 2048)


def _words(cases: Cases) -> None:
    """Bits of the word: reserved ones in all forms, Last, ContextADC, contexts of unpacker 1."""
    forms = (unpacr(0), w.inc_context(0), w.flush_cache(0), unpacr(1), w.inc_context(1))
    words = [
        form ^ bits
        for form in forms
        for bits in (0, 1, 1 << 5, 1 << 14, 1 << 5 | 1 << 14, 1 << 5 | 1)
    ]
    for u in (0, 1):
        setup = tile(add_dest=1)
        cases.case(u, setup, [(t, FEW) for t in range(3)], {t: Thread() for t in range(3)})
        chosen = [word for word in words if word >> 23 & 1 == u]
        chosen += [unpacr(u, multi=1, adc=adc, ctx=ctx) for adc in range(4) for ctx in range(8)]
        chosen += [unpacr(u, multi=0, adc=3, ctx=7)]
        for t in range(3):
            cases.issue(u, [(t, word) for word in (chosen if t == 0 else chosen[t::5])])


def _formats(cases: Cases) -> None:
    """Every pair of codes, to Src and to Dst, plain and compressed."""
    for u, to_dst in ((0, 0), (0, 1), (1, 0)):
        for code in range(16):
            for out in range(16):
                near = code == out or code == 0 or (code + out) % 5 == u
                if not near:
                    continue
                extra: dict[str, Any] = {"if_sel": to_dst, "throttle": (code + out) % 4}
                setup = tile(**same(code, out), x_dim=32, z_dim=1, out_base=256, **extra)
                cases.case(u, setup, [(0, FEW), (0, unpacr(u))])


def _modes(cases: Cases) -> None:
    """Set-ups that do not go together."""
    small: tuple[dict[str, Any], ...] = (
        {"uncompressed": 0, **same(15)},
        {"uncompressed": 0, **same(11)},
        {"uncompressed": 0, **same(11), "tilize": 1},
        *(
            {**same(code), "no_exponents": 1, "force_exponent": force}
            for code in (7, 3, 15, 11, 6, 2, 14)
            for force in (0, 1)
        ),
        *({**same(code), "out_base": base} for code in (0, 5, 14) for base in range(64, 69)),
        # the first amount is part of tilize's stride; where tilize is off, it shifts columns
        *({"tilize": 1, "upsample": rate, "shift": (3, 0, 0, 0)} for rate in range(4)),
        *({"tilize": 1, "uncompressed": plain, "shift": (3, 0, 0, 0)} for plain in (0, 1)),
        *({"tilize": 1, **same(code)} for code in (7, 15, 6, 0)),
        *(
            {"if_sel": 1, "transpose": t, "tilize": tilize, "shift": (shift, 0, 0, 0)}
            for t in (0, 1)
            for tilize in (0, 1)
            for shift in (0, 3)
        ),
        *({"throttle": mode} for mode in range(4)),
        *({"transpose": 1, "base": at(0x400 + k)} for k in (0, 1)),
    )
    for u in (0, 1):
        for one in small:
            setup = tile(x_dim=32, z_dim=1).with_(**{"out_base": 256, **one})
            cases.case(u, setup, [(0, FEW), (0, unpacr(u)), (0, unpacr(u, multi=1))])
    for ovrd in (0, 1):
        for sel in (0, 1):
            setup = tile(x_dim=32, if_sel=sel, out_base=256, dest=(65, 66, 64, 0), add_dest=1)
            own = {0: Thread(ovrd=ovrd)}
            cases.case(0, setup, [(0, FEW), (0, unpacr(0)), (0, unpacr(0, multi=1))], own)
            setup = setup.with_(add_dest=0, ctx_if_sel=sel, out_base=33, **same(0, 5))
            cases.case(0, setup, [(0, FEW), (0, unpacr(0, multi=1, ctx=3))], own)


def _counters(cases: Cases) -> None:
    """The X window, its order, Y, blobs, starts that are not aligned."""
    for code, limit in ((0, 2048), (5, 4096), (6, 8192), (7, 8192), (15, 8192)):
        setup = tile(**same(code), x_dim=limit, z_dim=1, throttle=2)
        for x0, x1 in (
            (limit - 1, limit - 1), (limit, limit + 2), (limit - 3, limit), (limit + 1, limit - 1),
            (limit, limit - 1), (limit + 1, limit), (9, 8), (9, 7), (0x3FFFF, 0x3FFFE),
        ):  # fmt: skip
            if 0 < x1 - x0 > 40:
                continue
            words = [(0, {**ZEROS, "x0": x0, "x1": x1}), (0, unpacr(1)), (0, unpacr(1, flip=1))]
            cases.case(1, setup, words)
    for y in (0, 255, 256, 257, 0x1FFF):
        setup = tile(x_dim=16, y_dim=2, z_dim=1)
        cases.case(1, setup, [(0, {**FEW, "y0": y}), (0, unpacr(1)), (0, unpacr(1, search=1))])
    for blobs in (0, 1, 7):
        for x in (6, 7, 8, 15):
            setup = tile(x_dim=64, blobs=blobs, blob_starts=0x76543210, z_dim=1)
            words = [(0, {**FEW, "x0": x, "x1": 15}), (0, unpacr(1, search=1)), (0, unpacr(1))]
            cases.case(1, setup, words)
            # the blob behind the eighth is none: it does not begin where the first one does
            cases.case(1, setup.with_(blob_starts=0x76543219), words)
    for u in (0, 1):
        for code in (0, 5, 6):
            for mode in ({"tilize": 1}, {"transpose": 1}):
                for x in (0, 1, 4, 8, 16):
                    setup = tile(**same(code), x_dim=64, z_dim=1, out_base=256).with_(**mode)
                    cases.case(u, setup, [(0, {**FEW, "x0": x, "x1": x + 9}), (0, unpacr(u))])


def _reads(cases: Cases) -> None:
    """L1 ends: datums, exponents, RSI, nibbles out of it, and the last of each in it."""
    lines = profiles.get(cases.profile).l1_bytes // 16
    for back in (0, 1, 2, 3, 4, 6):
        for code in (5, 6, 15, 0):
            setup = tile(lines - back, **same(code), x_dim=64, z_dim=1)
            cases.case(1, setup, [(0, {**FEW, "x1": 40}), (0, unpacr(1))])
    # exponents beyond, datums within: the limit wraps the latter only
    setup = tile(lines - 1, **same(6), x_dim=1024, z_dim=4, limit=lines + 1, fifo=lines)
    cases.case(1, setup, [(0, {**FEW, "x1": 700}), (0, unpacr(1))])
    cases.case(1, tile(0xFFFF_FFF0, **same(5)), [(0, FEW), (0, unpacr(1))])
    for back in (0, 1, 2, 3, 5, 7):
        for code in (14, 5, 6):
            for line in (lines - back, lines - back - 1):
                cases.memory.put_datums((line * 16) * 4, 16, np.array([0, 20, 40, 60], np.int64))
                setup = tile(line, **same(code), uncompressed=0, x_dim=16, y_dim=3, z_dim=1)
                for x1 in (15, 9):
                    words = [(0, {**ZEROS, "x1": x1, "y0": 1}), (0, unpacr(1))]
                    cases.case(1, setup, words)


def _rows(cases: Cases) -> None:
    """Rows beyond the end, of SrcA without override, of SrcB; warnings of the output address."""
    for u in (0, 1):
        for ovrd in (0, 1):
            for row in (0, 3, 4, 18, 19, 20, 62, 63, 64, 65, 66, 68, 300):
                setup = tile(x_dim=64, z_dim=1, out_base=32 * row, set_upd=1)
                words = [(0, {**FEW, "x1": 39}), (0, unpacr(u)), (0, unpacr(u, flip=1))]
                cases.case(u, setup, words, {0: Thread(ovrd=ovrd, base=(1, 1))})
    for code in (0, 5, 6):
        for base in (63, 64, 65, 80):
            unit = 4 if code == 0 else 2 if code == 5 else 1
            out = 5 if code == 0 else code
            for start in (0, 1, 3, 4, 8):
                unit = 2 if code != 6 else 1
                setup = tile(**same(code, out), x_dim=64, z_dim=1, throttle=start % 3)
                setup = setup.with_(out_base=unit * (base + 16 * start))
                cases.case(0, setup, [(0, {**FEW, "x1": 47}), (0, unpacr(0))], {0: Thread(ovrd=1)})


def _bursts(cases: Cases) -> None:
    """Rows at which a burst begins or not, by size of datum and throttle (U33)."""
    for code, out in ((0, 4), (5, 5), (6, 6), (7, 7), (15, 15)):
        for own, throttle in ((0, 0), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)):
            for row in (0, 1, 2, 4):
                setup = tile(**same(code, out), x_dim=64, z_dim=1, throttle=throttle)
                setup = setup.with_(ovrd_throttle=own, ctx_if_sel=0, dest=(64 + 16 * row,) * 4)
                words = [(0, {**FEW, "x1": 16}), (0, unpacr(0, multi=1))]
                cases.case(0, setup, words, {0: Thread(ovrd=1)})
                tilized = setup.with_(tilize=1, shift=(4, 0, 0, 0))
                cases.case(0, tilized, [(0, {**FEW, "x1": 32}), words[1]])


def _spare(cases: Cases) -> None:
    """SrcA behind an unpack to Dst, with a spare UNPACR between them and without (U68)."""
    setup = tile(x_dim=32, z_dim=1, ctx_if_sel=2, dest=(64,) * 4, add_dest=1, out_base=0)
    own = {t: Thread() for t in (0, 1)}
    cases.case(0, setup, [(t, FEW) for t in (0, 1)], own)
    cases.prepare({(0, 1): tile(x_dim=32, z_dim=1)})
    cases.script.counters(0, 1, **FEW)
    dst, spare, flip = (unpacr(0, multi=1, ctx=1), unpacr(0, multi=1), unpacr(0, multi=1, flip=1))
    nothing = w.nop(cases.profile, 0)
    for words in (
        [(0, dst), (0, flip)], [(0, dst), (0, spare), (0, flip)], [(1, dst), (0, flip)],
        [(0, dst), (0, w.flush_cache(0)), (0, nothing), (0, unpacr(1)), (0, flip)],
        [(0, dst), (0, dst | flip), (0, flip), (0, flip)], [(0, dst), (1, spare), (0, flip)],
    ):  # fmt: skip
        cases.script.phase()
        for thread, word in words:
            cases.script.word(thread, word)
            cases.script.fence(thread)
            if word & flip == flip:
                cases.script.release(0)


def _exponents(cases: Cases) -> None:
    """BFPa exponents that do not fit, in datums that are written, masked, dropped or zeroed."""
    for code in (2, 3, 11):
        for exponent in (0, 1, 6, 7, 31, 32, 38, 255):
            cases.memory.put(PLACE, np.full(16, exponent, np.uint8))
            cases.memory.put(PLACE + 16, np.arange(64, dtype=np.uint8) * 5)
            for base in (0, 64):
                setup = tile(**same(code), x_dim=64, z_dim=1, out_base=base)
                words = [(0, {**FEW, "x1": 47}), (0, unpacr(0)), (0, unpacr(0, zero=1))]
                cases.case(0, setup, words)
        forced = tile(**same(code), x_dim=64, z_dim=1, force_exponent=1, shared_exponent=3)
        cases.case(0, forced, [(0, FEW), (0, unpacr(0)), (0, unpacr(1))])


def _owners(cases: Cases) -> None:
    """Banks that are handed over twice; clears of the Matrix Unit's bank, and at its time."""
    profile = cases.profile
    for u in (0, 1):
        empty = [(0, {**ZEROS, "x0": 1, "x1": 0}), *[(0, unpacr(u, flip=1))] * 3]
        cases.case(u, tile(x_dim=32, z_dim=1), empty, release=False).own(u)
        cases.prepare({})
        cases.issue(u, [(0, w.setdvalid(profile, u)) for _ in range(5)], release=False).own(u)
        for both in (0, 1):
            for wait in (0, 1):
                cases.prepare({})
                cases.issue(u, [(0, w.setdvalid(profile, u))], release=False)
                cases.issue(u, [(0, w.zerosrc(profile, u, 0, both, wait))])
                cases.script.phase(idle=False)
                for bank in (0, 1):
                    cases.script.matrix(RELEASE, u, bank, gap=30)
                cases.script.released[u] = cases.script.view.bank[u]
        for when in range(12):
            cases.prepare({})
            cases.issue(u, [(0, w.zerosrc(profile, u, 1, 0, 1)), (0, None)])
            cases.script.matrix(ZERO, u, gap=when)
            cases.script.matrix(ZERO, 1 - u)
            cases.script.matrix(ZERO, DST)
            cases.script.matrix(NOTHING, u)


def _unsigned(cases: Cases) -> None:
    """Signedness that changes while an unpacker is busy, or just not."""
    for u in (0, 1):
        for banks in (1, 2):
            for thread, bits in ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3)):
                setup = tile(**same(14), x_dim=64, z_dim=1)
                program = [(thread, {**FEW, "x1": 63}), (thread, unpacr(u))]
                cases.case(u, setup, program, {thread: Thread()})
                script = cases.script
                value = alu_word(bits & 1, bits >> 1)
                after = script.done(f"t{thread}.issue")
                script.config(banks, 1, value, after=after)
                script.config(banks, 1, value)
                script.config4(banks, 1, (0, value ^ 1, 0, 0))
                script.config(banks, 1, 0, gap=2)
                for gap in (8, 4, 4):
                    script.config(banks, 1, value, gap=gap)
                    script.config(banks, 1, 0)
                script.config(3 ^ banks, 1, value)
                script.config(3, 1, 0)
                script.config(3, 1, 0)


def _stale(cases: Cases) -> None:
    """SrcA banks that unpack-to-Dst spoils, until they are cleared or released."""
    script, profile = cases.script, cases.profile
    setup = tile(x_dim=32, z_dim=1, if_sel=1, out_base=128)

    def look() -> None:
        script.phase()
        for file in (SRCA, SRCB, DST):
            for bank in (0, 1):
                script.matrix(READ, file, bank, row=5)

    for _ in (0, 1):
        cases.case(0, setup, [(0, FEW), (0, unpacr(0))])
        look()
        cases.prepare({}).issue(0, [(0, w.zerosrc(profile, 0, 0, 0, 1))])
        look()
        cases.case(0, setup, [(0, FEW), (0, unpacr(0, flip=1))], release=False)
        look()
        script.phase()
        script.release(0)
        look()
        cases.case(0, setup, [(0, FEW), (0, unpacr(0)), (0, w.zerosrc(profile, 0, 0, 1, 1))])
        look()
        # nothing is written: nothing is spoiled
        cases.case(0, setup, [(0, {**FEW, "x0": 20}), (0, unpacr(0, flip=1))])
        look()


def _conflicts(cases: Cases) -> None:
    """Commands that meet at a counter: threads, and an UNPACR's own increments."""
    script = cases.script
    inc = int(counter_words.packed("incadcxy", 3, (1, 1, 1, 1)))
    over = [int(counter_words.packed("incadczw", 3, (1, 1, 1, 1), 0, k)) for k in range(4)]
    cases.prepare(
        {(0, u): tile(x_dim=16, z_dim=1) for u in (0, 1)}, {t: Thread() for t in range(3)}
    )
    for t in range(3):
        for u in (0, 1):
            script.counters(t, u, **FEW)
    for k in range(4):
        script.phase()
        for t in range(3):
            script.word(t, over[k], over[(k + t) % 4], over[0])
    for delay in range(6):
        for other in (1, 2):
            for form in (inc, over[1]):
                script.phase()
                script.word(0, unpacr(delay & 1, inc=(1, 1, 1, 1), multi=1, adc=other))
                script.word(other, form, gap=delay)
                script.word(3 - other, over[1], gap=delay)


def _illegal(cases: Cases) -> None:
    """Counter words that are none, have no target, or override X."""
    for t in range(3):
        for word in (0x0200_0000, int(counter_words.setadc(0, 1, 3)), 0x52FF_FFFF, 0xB000_0000):
            cases.script.word(t, word)
        cases.script.word(t, int(counter_words.setadc(3, 0, 0x1_0005)))
        cases.script.word(t, int(counter_words.packed("setadcxy", 3, (1, 1, 1, 1), 0)))


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "faults", "every fault of words, counters, L1, rows and owners", _plain, _words, _modes,
        _counters, _reads, _rows, _bursts, _spare, _exponents, _owners, _unsigned, _stale,
        _conflicts, _illegal,
        u0_fault=80, u1_fault=80, u0_write_fault=20, u1_read_fault=20, unit_fault=20,
        counter_conflict=10,
        faults=ANY,
    ),
    case_test(
        "fault_formats", "pairs of formats, legal and not", _plain, _formats,
        u0_fault=100, u1_fault=60, u0_write=60,
        faults=(
            "bfpa", "burst", "format_code", "format_fp32", "format_pair",
            "format_src", "throttle",
        ),
    ),
)  # fmt: skip
