# SPDX-License-Identifier: Apache-2.0
"""UNPACR_NOP: every mode, behind everything, with every owner of the banks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, same, tile
from tilepath.sequences.unpack.directed.faults import FEW
from tilepath.sequences.unpack.script import NOTHING, READ, RELEASE
from tilepath.sequences.unpack.words import unpacr


def clears(profile: str, unpacker: int) -> Iterator[int]:
    """All forms of ZEROSRC that do not hand over."""
    values = (
        ((0, 0), (1, 0))
        if not w.is_bh(profile)
        else ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (3, 0))
    )
    if w.clears_by_value(profile):
        values = (*values, (0, 3), (1, 3), (3, 3))
    for (value, fmt), both, wait in product(values, (0, 1), (0, 1)):
        yield w.zerosrc(profile, unpacker, value, both, wait, fmt)


def modes(profile: str, unpacker: int) -> list[int]:
    """A word of each mode that does not hand over."""
    return [
        w.nop(profile, unpacker),
        w.overlay(profile, unpacker),
        w.overlay_stream(profile, unpacker, 9, 5),
        w.setreg(profile, unpacker, 77, 0, 3, 1),
        w.setreg(profile, unpacker, 5, 1, 1, 0),
        w.zerosrc(profile, unpacker, 1, 0, 1),
        w.zerosrc(profile, unpacker, 0, 0, 0),
    ]


def _clears(cases: Cases) -> None:
    """ZEROSRC by value, banks, wait; the Matrix Unit's pointer here or there; owners."""
    script, profile = cases.script, cases.profile
    cases.prepare({(0, u): tile(x_dim=32, z_dim=1, clear_value=0x5A5A5A5) for u in (0, 1)})
    for u in (0, 1):
        for pointer, own in product((0, 1), (0, 1, 2, 3)):
            for word in clears(profile, u):
                # own: banks of the Matrix Unit: the one to be cleared, the other one
                script.phase()
                first = script.view.bank[u]
                for _ in range(2 if own else 0):
                    script.word(0, w.setdvalid(profile, u))
                script.phase()
                for bank in (0, 1):
                    if own and not own >> (bank ^ first) & 1:
                        script.matrix(RELEASE, u, bank)
                if script.pointer[u] != first ^ pointer:
                    script.matrix(NOTHING, u, toggle=1)
                script.phase()
                script.word(0, word)
                if own:
                    script.matrix(RELEASE, u, first, gap=12)
                    script.matrix(RELEASE, u, 1 - first, gap=12)
                script.phase()
                for bank, row in ((0, 3), (1, 60)):
                    script.matrix(READ, u, bank, row=row)
    for u in (0, 1):
        script.released[u] = script.view.bank[u]


def _selector(cases: Cases) -> None:
    """Format 3 of the newer encoding: each value, with Set_Dvalid and, of one, without (U69)."""
    script, profile = cases.script, cases.profile
    if not w.is_bh(profile):
        return
    setup = tile(x_dim=32, z_dim=1, clear_value=0x5A5A5, out_base=128)
    cases.prepare({(0, u): setup for u in (0, 1)}, {0: Thread(base=(1, 2))})
    for u, (value, valid) in product((0, 1), ((0, 1), (1, 1), (3, 1), (2, 1), (2, 0))):
        script.counters(0, u, **FEW)
        script.word(0, unpacr(u))
        script.fence(0)
        script.word(0, w.zerosrc(profile, u, value, 0, 1, 3, valid))
        script.release(u, reads=(0, 4, 8, 63))


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 5, PLACE, 2048)


def _behind(cases: Cases) -> None:
    """Each mode behind an UNPACR of some lengths, with and without flip, and in front of one."""
    script, profile = cases.script, cases.profile
    for u in (0, 1):
        for count, flip in product((0, 1, 40, 200), (0, 1)):
            setup = tile(**same(5), x_dim=256, z_dim=1, throttle=count & 1, out_base=128 * (1 - u))
            cases.prepare({(0, u): setup}, {0: Thread(stream=(7, 9)), 1: Thread()})
            script.counters(0, u, **{**FEW, "x0": 1, "x1": count})
            for k, word in enumerate(modes(profile, u)):
                # with nothing to write it would not wait for the bank
                script.word(0, unpacr(u, flip=flip), after=0 if count else script.done("matrix"))
                if flip:
                    script.release(u, (0, 3, 40)[k % 3])
                script.word(0, word)
            for word in modes(profile, u):
                script.word(0, word)
                script.word(0, word, unpacr(u))
            if count:
                script.word(0, unpacr(u), w.setdvalid(profile, u)).release(u, 5)
                script.word(0, unpacr(u), w.setdvalid(profile, u, 1)).release(u)


def _other_thread(cases: Cases) -> None:
    """NOPs of one thread while the other unpacks: issue in every cycle of the address phase."""
    script, profile = cases.script, cases.profile
    for u, other, compressed in product((0, 1), (0, 1), (0, 1)):
        setup = tile(x_dim=64, z_dim=1, uncompressed=1 - compressed)
        cases.prepare({(0, 0): setup, (0, 1): setup}, {0: Thread(), 1: Thread(stream=(3, 5))})
        script.counters(0, u, **FEW)
        for delay in range(7):
            script.phase()
            script.word(0, unpacr(u))
            script.word(1, w.nop(profile, other), gap=delay)
            script.word(1, *modes(profile, other)[1:5])
            script.word(0, unpacr(u))


def _values(cases: Cases) -> None:
    """SETREG: accumulate, addresses, overflow; OverlayClear: streams and counts."""
    script, profile = cases.script, cases.profile
    bh = w.is_bh(profile)
    cases.prepare({}, {t: Thread(stream=(10 + t, 20 + t)) for t in range(3)})
    for u in (0, 1):
        for value, acc in product((0, 1, 0x400, 0x7FF), (0, 1)):
            for mid, sel in ((0, 0), (1, 1), (63, 0), (32, 1)):
                script.word(u, w.setreg(profile, u, value, acc, mid, sel))
        for _ in range(70):  # past 17 bits
            script.word(u, w.setreg(profile, u, 0x7FF, 1, 5, u))
        script.word(u, w.setreg(profile, u, 0, 1), w.setreg(profile, u, 3, 1))
        for t in range(3):
            script.word(t, w.overlay(profile, u))
            for count in (0, 1, 2, 4, 7, *(() if bh else (8, 0x400, 0x7FF))):
                for stream in (0, 1, 33, 63):
                    script.word(t, w.overlay_stream(profile, u, stream, count))


def _latency(cases: Cases) -> None:
    """Effects that wait for answers: behind UNPACRs of several lengths."""
    script, profile = cases.script, cases.profile
    for u, count in product((0, 1), (1, 16, 64)):
        cases.prepare({(0, u): tile(x_dim=256, z_dim=1)}, {0: Thread()})
        script.counters(0, u, **{**FEW, "x1": count - 1})
        script.word(0, unpacr(u), w.setreg(profile, u, 9), w.overlay(profile, u), w.nop(profile, u))
        script.word(0, unpacr(u), w.overlay_stream(profile, u, 1, 1), unpacr(u))


def _foreign(cases: Cases) -> None:
    """Words of the other encoding, reserved modes, and each bit that a form does not name."""
    script, profile = cases.script, cases.profile
    mode = {
        name: w.NOP_OPCODE << 24 | low for name, low in (("wh", 7), ("bh", 0x101), ("bh2", 0xC1))
    }
    for u in (0, 1):
        script.phase()
        both = "baseline" if w.is_bh(profile) else "blackhole"
        words = [*modes(both, u), *clears(both, u)]
        words = [*words, *(word | u << 23 for word in mode.values())]
        words += [w.NOP_OPCODE << 24 | u << 23 | low for low in range(16)]
        for form in range(8):
            words += [w.NOP_OPCODE << 24 | u << 23 | form | 1 << bit for bit in range(3, 23)]
        words += [w.NOP_OPCODE << 24 | u << 23 | form | 3 << 6 for form in range(8)]
        for word in words:
            # handed over or not: all banks come back before anybody waits for one
            script.phase()
            script.word(0, word)
            script.matrix(RELEASE, u, 0, gap=12)
            script.matrix(RELEASE, u, 1)
            script.phase()
            script.matrix(RELEASE, u, 0)
            script.matrix(RELEASE, u, 1)


def _after(cases: Cases) -> None:
    """The bank pointers are where nobody knows: make them even again."""
    cases.script.phase()
    for u in (0, 1):
        cases.own(u)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "nop_clears", "ZEROSRC: values, banks, waits, owners", _clears, _selector,
        u0_clear=30, u1_clear=30, answer_a=50, answer_b=50, u0_write_fault=1,
        faults=("neginf_srcb", "zerosrc_matrix"),
    ),
    case_test(
        "nops", "each NOP behind and in front of UNPACRs, and beside them", _plain, _behind,
        _other_thread, _values, latency=((7, 1), (90, 3), (60, 14)),
        u0_overlay=50, u1_overlay=50, u0_setreg=60, u1_setreg=60, u0_clear=20, u0_write=100,
        faults=("empty_flip", "neginf_srcb", "nop_foreign", "out_low"),
    ),
    case_test(
        "nop_latency", "NOPs that wait for L1", _plain, _latency, _latency,
        latency=((60, 31), (60, 1)), u0_setreg=4, u1_overlay=4,
        faults=("out_low",),
    ),
    case_test(
        "nop_foreign", "NOP words of the other encoding, and with bits of no meaning", _foreign,
        _after, u0_fault=60, u1_fault=60,
        faults=("neginf_srcb", "nop_foreign", "nop_reserved"),
    ),
)  # fmt: skip
