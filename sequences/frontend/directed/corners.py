# SPDX-License-Identifier: Apache-2.0
"""What random tests meet too seldom, or not at all: counts at their ends, ignored bits, faults."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import (
    Cfg,
    Gate,
    Piece,
    Pieces,
    alternating,
    cfg,
    cfg_of_length,
    finite_test,
    piece_test,
    plain,
    stalled,
)
from tilepath.sequences.frontend.mop_lengths import cycles, mop_words
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec

# -- template 1 (F3-F6, F10)

_COUNTS: Final = (0, 1, 2, 5, 127)
_MOP: Final = w.mop(1)
_START: Final = plain(0xA0, 0x50)
_END0: Final = plain(0xE0, 0x51)
_END1: Final = plain(0xE1, 0x52)
_LOOP1: Final = plain(0x11, 0x70)
_JUNK: Final = (0x80, 0xFFFF_FF80, 0x0000_0100)


def _t1_counts(pieces: Pieces) -> None:
    """Outer by inner count by which of the four tested slots is a NOP."""
    configs = [
        cfg(
            outer,
            inner,
            start=_START if start else w.NOP,
            end0=_END0 if end0 else w.NOP,
            end1=_END1 if end1 else w.NOP,
            loop1=_LOOP1 if loop1 else w.NOP,
        )
        for outer, inner in product(_COUNTS, _COUNTS)
        for loop1, start, end0, end1 in product((0, 1), repeat=4)
    ]
    # the longest first, so that the threads end at about the same time
    for config in sorted(configs, key=lambda c: mop_words(_MOP, c), reverse=True):
        pieces.mop(config, [_MOP, plain(1)])


def _t1_corners(pieces: Pieces) -> None:
    """Counts with bits above 6, NOP look-alikes in EndOp0, immediates."""
    for outer, inner, junk0, junk1 in product((0, 1, 2, 127), (0, 1, 2), _JUNK, (0, *_JUNK)):
        config = cfg(outer | junk0, inner | junk1, end0=_END0)
        pieces.mop(config, [_MOP, plain(2)])
    for end0, junk0, junk1 in product((_END0, w.DMANOP, w.SFPNOP), (0, *_JUNK), (0, *_JUNK)):
        pieces.mop(cfg(1 | junk0, junk1, end0=end0), [_MOP, plain(2)])
    for count1, mask in product((0, 1, 64, 127), (0, 1, 0x8000, 0xFFFF)):
        pieces.mop(cfg(2, 2, end0=_END0), [w.mop(1, count1, mask), plain(4)])


def _bug(pieces: Pieces) -> None:
    """The hardware bug and its four neighbours under back-pressure, with M empty, filling, full."""
    neighbours = (
        cfg(1, 0, end0=_END0),
        cfg(1, 0, end0=_END0, end1=_END1),
        cfg(1, 0, end0=w.DMANOP),
        cfg(1, 0, end0=w.SFPNOP, end1=_END1, loop1=_LOOP1),
        cfg(1, 0, end0=w.replay(4, 2)),
        cfg(2, 0, end0=_END0),
        cfg(1, 1, end0=_END0),
        cfg(1, 0, start=_START, end0=_END0),
        cfg(1, 0, end0=w.NOP, end1=_END1),
        cfg(0, 0, end0=_END0),
    )
    gates = ((), stalled(3), stalled(40), alternating(120), alternating(121, 1), _bursts())
    before = (0, 3, 10, 12)
    for config, gate, ahead in product(neighbours, gates, before):
        pieces.mop(config, [*(plain(i) for i in range(ahead)), _MOP, plain(8)], gate)


def _bursts() -> tuple[tuple[int, int], ...]:
    return tuple((length, place & 1) for place, length in enumerate((20, 5, 9, 1, 17, 30, 12)))


# -- template 0: iterations, masks, flags, MaskHi (F1, F2, F8)

_COUNT1: Final = (0, 1, 15, 16, 31, 32, 127)
_MASKS: Final = (
    0,
    0xFFFF_FFFF,
    0x5555_5555,
    0xAAAA_AAAA,
    0x0000_8000,
    0x0001_0000,
    0x0001_8000,
    0x8000_0000,
)


def _unpack_cfg(flags: int) -> Cfg:
    return [0, flags, plain(0xB0), *(plain(0xA0 + i) for i in range(4)), plain(0xF0), plain(0xFB)]


def _masks(pieces: Pieces) -> None:
    """Iterations by flags by mask by where MaskHi comes from: one MOP_CFG, an old one, two."""
    # before any MOP_CFG MaskHi is 0
    for word in (w.mop(0, 31, 0xFFFF), w.mop(0, 16, 0x8000), w.mop(0, 0)):
        pieces.mop(_unpack_cfg(3), [word, plain(1)])
    for count1, flags, mask in product(_COUNT1, range(4), _MASKS):
        junk = 0xFFFF_FFFC if mask & 1 else 0
        config = _unpack_cfg(flags | junk)
        mop, high, other = w.mop(0, count1, mask), w.mop_cfg(mask >> 16), w.mop_cfg(~mask >> 16)
        script = ThreadScript(pieces.profile).mopcfg(config)
        script.push(high, mop, mop, other, high, mop, plain(2))
        drain = 3 * cycles([high, mop], config, 0, pieces.count0)
        pieces.add(Piece(script, drain))


def _edges(pieces: Pieces) -> None:
    """Masks that change at the seam of MaskLo and MaskHi, or at an end."""
    edges = (1, 0x7FFF, 0xFFFF, 0x1_0000, 0xFFFF_0000, 0x7FFF_8001, 0xFFFF_FFFE, 0x4000_0000)
    for mask, count1, flags in product(edges, (0, 14, 31, 33), (0, 3)):
        words = [w.mop_cfg(mask >> 16), w.mop(0, count1, mask), plain(2)]
        pieces.mop(_unpack_cfg(flags), words)


# -- REPLAY: modes, counts, wraps (F13-F16)

_REPLAYS: Final = (0, 1, 2, 17, 31, 32, 33, 40, 63)
_INDICES: Final = (0, 1, 2, 16, 30, 31)


def _body(count: int, number: int = 0) -> list[int]:
    return [plain(number + i, 0x71) for i in range(count)]


def _counts(pieces: Pieces) -> None:
    """Mode by count by index, with an open, an alternating and a stalled issue port."""
    gates: tuple[Gate, ...] = ((), alternating(40), stalled(25))
    number = 0
    for count, index, gate in product(_REPLAYS, _INDICES, gates):
        words = count or pieces.count0
        for execute in (0, 1):
            # a stalled issue port holds back a record with Exec, and the FIFO has 32 places
            if not (execute and gate and words > 30):
                number += 0x100
                script = ThreadScript(pieces.profile).push(w.replay(index, count, execute, 1))
                script.push(*_body(words, number), plain(1))
                pieces.add(Piece(script, 45 if gate else 5, gate))
        # Exec without Load plays all the same
        for execute in (0, 1):
            script = ThreadScript(pieces.profile).push(w.replay(index, count, execute), plain(2))
            pieces.add(Piece(script, 2 * words + 2, gate))


def _unwritten(ctx: Context) -> Stimulus:
    """Slots that were never written since reset are played: 0 is an unassigned opcode."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        script = ThreadScript(ctx.profile).push(w.replay(5 + thread, 3), plain(1)).gap(8)
        script.push(w.replay(10, 4, 1, 1), *_body(4), w.replay(8, 4), w.replay(12, 6)).gap(10)
        script.push(w.replay(30, 5), w.replay(0, 32), w.replay(10, 4), plain(2))
        # MopCfg after reset: no passes for template 1, words 0 for template 0
        script.push(w.mop(1), plain(3), w.mop(0, 2, 2), plain(4)).sync()
        players[f"t{thread}.core"] = [script.items()]
    return players


# -- mop_sync, BRISC and MopCfg writes (F7, F18, F21)


def _sync_and_mopcfg(pieces: Pieces) -> None:
    """A MopCfg write at each distance from the request, and from the acknowledge, of a mop_sync."""
    for length, delay, distance in product((0, 1, 2, 5, 12), range(0, 9, 2), range(-2, 9)):
        script = ThreadScript(pieces.profile).mopcfg(cfg_of_length(length)).push(w.mop(1))
        script.gap(delay + 2)
        write = (5, plain(0x300 + distance & 0xFFF, 0x26))
        if distance < 0:
            script.item(mopcfg=write).gap(-distance - 1).sync(background=True)
        elif distance == 0:
            script.item(mopcfg=write, background=True)
        else:
            script.sync(background=True).gap(distance - 1).item(mopcfg=write)
        script.push(w.mop(1), plain(7))
        pieces.add(Piece(script, 25))


_KINDS: Final = (
    plain(0xB1, 0x5D),
    w.NOP,
    w.replay(3, 2),
    w.mop(0, 3, 0x5),
    w.mop(1),
    w.mop_cfg(0xFFFF),
    w.UNASSIGNED[2] << 24,
    w.RESOURCEDECL,
)


def _collisions(pieces: Pieces) -> None:
    """A BRISC word in each cycle around a MOP: with plain words, first, middle and last words."""
    for kind, length, at in product(_KINDS, (0, 1, 2, 5), range(8, 22)):
        words = [plain(1), plain(2), w.mop(1), plain(3), plain(4)]
        pieces.mop(cfg_of_length(length), words, brisc=[(at, kind, False)])


def _with_other_faults(pieces: Pieces) -> None:
    """A collision, a MopCfg write during an expansion and an illegal word, in one cycle or near."""
    bad = w.RESOURCEDECL | 7
    for at, write, lead in product(range(12, 18), (None, 2, 3, 4, 5, 6), (0, 1, 2, 3)):
        script = ThreadScript(pieces.profile).mopcfg(cfg_of_length(8))
        script.push(plain(1), *[bad] * lead, w.mop(1))
        if write is not None:
            script.gap(write).mopcfg({4: w.NOP})
        offers = [(at + i, plain(0x70 + i, 0x5D), False) for i in range(2)]
        pieces.add(Piece(script, 30, brisc=offers))
    for at in range(10, 16):
        # illegal words all the way, so that one leaves in every cycle
        config = cfg_of_length(6)
        config[5] = bad
        script = ThreadScript(pieces.profile).mopcfg(config).push(w.mop(1), w.mop(1)).gap(2)
        script.mopcfg({4: w.NOP}).mopcfg({4: w.NOP})
        pieces.add(Piece(script, 30, brisc=[(at, plain(0x80, 0x5D), False)]))


def _race(pieces: Pieces) -> None:
    """A MopCfg write whose index is above 8, in each cycle around a MOP: it writes nothing."""
    double = cfg(2, 2, plain(0xA0), plain(0xE0), plain(0xE1), loop1=_LOOP1)
    for index, delay, hold in product((9, 12, 15), range(16), (0, 30)):
        script = ThreadScript(pieces.profile).mopcfg(double).push(w.mop(1)).gap(delay)
        script.item(mopcfg=(index, plain(0xDD))).push(w.mop(1), plain(2))
        pieces.add(Piece(script, 40, stalled(hold)))


# -- bits that the front end's own instructions ignore, one by one and all together

# REPLAY: [23:19], [13:10] and [3:2]; MOP_CFG: [23:16] (frontend-config section 1)
_REPLAY_BITS: Final = (*range(19, 24), *range(10, 14), 2, 3)
_MOP_CFG_BITS: Final = tuple(range(16, 24))


def _variants(bits: tuple[int, ...]) -> list[int]:
    single = [1 << bit for bit in bits]
    return [*single, sum(single)]


def _replay(pieces: Pieces) -> None:
    """Record, record with exec, and play, each with ignored bits set."""
    for junk in _variants(_REPLAY_BITS):
        for execute in (0, 1):
            script = ThreadScript(pieces.profile)
            script.push(w.replay(4, 3, execute, 1) | junk, plain(1), plain(2), plain(3), plain(4))
            script.push(w.replay(4, 3) | junk, plain(5))
            pieces.add(Piece(script, 16))


def _mop_cfg(pieces: Pieces) -> None:
    """MaskHi 0 with ignored bits set: iterations 16 to 31 stay unmasked."""
    for junk in _variants(_MOP_CFG_BITS):
        pieces.mop(cfg(1, 0), [w.mop_cfg(0) | junk, w.mop(0, 31, 0x5555), plain(1)])


TESTS: Final[tuple[TestSpec, ...]] = (
    piece_test(
        "t1_counts", "template 1: loop counts by NOPs in the tested slots", _t1_counts, 10000
    ),
    piece_test("t1_corners", "template 1: junk bits, NOP look-alikes, immediates", _t1_corners),
    piece_test("t1_bug", "template 1: the hardware bug under back-pressure", _bug, 1000),
    piece_test("t0_masks", "template 0: iterations, flags, zero masks, MaskHi", _masks, 1000),
    piece_test("t0_edges", "template 0: masks that change at a seam or an end", _edges, 500),
    piece_test("replay_counts", "REPLAY: mode, count, index, wraps", _counts, 1000),
    finite_test(
        "after_reset",
        "slots and MopCfg never written",
        _unwritten,
        issue=50,
        fault=40,
        faults=("illegal",),
    ),
    piece_test(
        "sync_mopcfg",
        "MopCfg writes around a mop_sync",
        _sync_and_mopcfg,
        sync=50,
        faults=("mopcfg_race",),
    ),
    piece_test(
        "brisc_collisions",
        "BRISC words that collide",
        _collisions,
        brisc_accept=100,
        fault=100,
        faults=("collision", "illegal"),
    ),
    piece_test(
        "brisc_faults", "collisions with other faults", _with_other_faults, fault=99, faults=ANY
    ),
    piece_test(
        "mopcfg_race", "MopCfg writes that write nothing", _race, mopcfg=50, faults=("mopcfg_race",)
    ),
    piece_test("replay_ignored", "REPLAY with ignored bits set", _replay, 40),
    piece_test("mop_cfg_ignored", "MOP_CFG with ignored bits set", _mop_cfg, 80),
)
