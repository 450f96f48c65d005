# SPDX-License-Identifier: Apache-2.0
"""The replay expander: modes, counts, wraps, what is recorded, and MOPs meanwhile (F13-F16)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import (
    Gate,
    Scene,
    Scenes,
    alternating,
    cfg,
    cfg_of_length,
    finite_test,
    plain,
    scene_test,
    stalled,
)
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

_COUNTS: Final = (0, 1, 2, 17, 31, 32, 33, 40, 63)
_INDICES: Final = (0, 1, 2, 16, 30, 31)


def _body(count: int, number: int = 0) -> list[int]:
    return [plain(number + i, 0x71) for i in range(count)]


def _counts(scenes: Scenes) -> None:
    """Mode by count by index, with an open, an alternating and a stalled issue port."""
    gates: tuple[Gate, ...] = ((), alternating(40), stalled(25))
    number = 0
    for count, index, gate in product(_COUNTS, _INDICES, gates):
        words = count or scenes.count0
        for execute in (0, 1):
            # a stalled issue port holds back a record with Exec, and the FIFO has 32 places
            if not (execute and gate and words > 30):
                number += 0x100
                script = ThreadScript(scenes.profile).push(w.replay(index, count, execute, 1))
                script.push(*_body(words, number), plain(1))
                scenes.add(Scene(script, 45 if gate else 5, gate))
        # Exec without Load plays all the same
        for execute in (0, 1):
            script = ThreadScript(scenes.profile).push(w.replay(index, count, execute), plain(2))
            scenes.add(Scene(script, 2 * words + 2, gate))


def _sequences(scenes: Scenes) -> None:
    """Plays back to back, overlapping records, gaps in a record, plays with R full."""
    profile = scenes.profile
    for first, second, index in product((1, 2, 3, 8), (1, 2, 5), (0, 28)):
        plays = [w.replay(index, first), w.replay(index + 2, second)] * 3
        for gate in ((), stalled(20), alternating(30), alternating(31, 1)):
            scenes.add(Scene(ThreadScript(profile).push(*plays, plain(3)), 60, gate))
    for begin, count, execute in product((0, 4, 6, 28), (4, 8), (0, 1)):
        script = ThreadScript(profile).push(w.replay(2, 8, 0, 1), *_body(8, 0x5000))
        script.push(w.replay(begin, count, execute, 1), *_body(count, 0x6000))
        script.push(w.replay(0, 16), plain(4))
        scenes.add(Scene(script, 24))
    for execute, gap, count in product((0, 1), (0, 1, 2, 7), (1, 2, 3, 6)):
        for gate in ((), stalled(24)):
            script = ThreadScript(profile).push(w.replay(9, count, execute, 1))
            for word in _body(count, 0x7000):
                script.gap(gap).push(word)
            # the word recorded last can be played in the cycle after
            script.push(w.replay(9 + count - 1, 1), w.replay(9, count), plain(5))
            scenes.add(Scene(script, 30, gate))


def _recorded(scenes: Scenes) -> None:
    """Every kind of word recorded, with and without Exec, and played back as it is (F13, F14)."""
    kinds = (
        plain(0x20),
        w.NOP,
        w.NOP | 0x55,
        w.replay(4, 2),
        w.replay(4, 2, 0, 1),
        w.replay(4, 2, 1, 1),
        w.RESOURCEDECL | 3,
        w.UNASSIGNED[1] << 24 | 7,
        plain(0x21, 0xA2),
        w.DMANOP,
        w.SFPNOP,
    )
    for kind, execute, gate in product(kinds, (0, 1), ((), stalled(20))):
        words = [w.replay(20, 3, execute, 1), plain(6), kind, plain(7), w.replay(20, 3)]
        script = ThreadScript(scenes.profile).push(*words, *words[:1], *[plain(0x30)] * 3)
        scenes.add(Scene(script, 12, gate))
    # what only the BRISC port can bring to the replay expander: MOP and MOP_CFG words
    for word, execute in product((w.mop(1), w.mop(0, 3, 1), w.mop_cfg(5), w.replay(4, 2)), (0, 1)):
        script = ThreadScript(scenes.profile).push(w.replay(20, 2, execute, 1)).gap(12)
        script.push(plain(8), w.replay(20, 2), w.replay(20, 2, 0, 1), *[plain(0x30)] * 2)
        scenes.add(Scene(script, 12, brisc=[(6, word, False)]))


def _fed_by_mop(scenes: Scenes) -> None:
    """A record filled by MOPs: it ends before, with and after the expansion (F13)."""
    play, load = w.replay(6, 2), w.replay(6, 2, 0, 1)
    for length, execute, extra in product((1, 2, 6), (0, 1), range(-4, 4)):
        count = length + extra
        if count < 1:
            continue
        for ahead, gate in product((0, 2), ((), stalled(30))):
            words = [w.replay(10, count, execute, 1), *_body(ahead), w.mop(1)]
            words += [*_body(8), w.replay(10, 8)]
            scenes.mop(cfg_of_length(length), words, gate)
    # MOPs that emit REPLAYs while a record is open: stored, emitted with Exec, never run
    for loop, execute, count in product((play, load, load | 2), (0, 1), (1, 3, 4, 6, 7)):
        config = cfg(2, 2, plain(0xA0), loop=loop, last1=loop)
        words = [w.replay(14, count, execute, 1), w.mop(1), *_body(8), w.replay(14, 6), *_body(2)]
        for gate in ((), stalled(32)):
            scenes.mop(config, [*words, w.replay(6, 10, 0, 1), *_body(10, 0x40)], gate)
    # a MOP that emits REPLAYs that record, while another REPLAY plays
    for loop, length, gate in product((load, load | 2, play), (1, 2, 4), ((), stalled(20))):
        config = cfg(1, length, loop=loop, last0=loop)
        words = [w.replay(20, 12), w.mop(1), *_body(8), w.replay(6, 2, 0, 1), *_body(2)]
        scenes.mop(config, words, gate)
    # MOP and MOP_CFG words that come out of MopCfg (F9)
    for word, execute in product((w.mop(0, 2, 1), w.mop(1), w.mop_cfg(9)), (0, 1)):
        words = [w.replay(22, 3, execute, 1), w.mop(1), w.replay(22, 3), plain(1)]
        words += [w.replay(22, 3, 0, 1), *_body(3)]
        scenes.mop(cfg(1, 3, loop=word), words)
    for execute, flags in product((0, 1), range(4)):
        config = [0, flags, *_body(7, 0xB0)]
        words = [w.replay(0, 32, execute, 1), w.mop(0, 15, 0x0F0F), *_body(16), w.replay(0, 32)]
        scenes.mop(config, words)


def _states(scenes: Scenes) -> None:
    """The MOP expander idle, expanding and done, by what the replay expander is doing then."""
    openers: tuple[tuple[int, ...], ...] = (
        (plain(9),),
        (w.replay(3, 12),),
        (w.replay(3, 12, 0, 1),),
        (w.replay(3, 12, 1, 1),),
    )
    gates = ((), stalled(36), alternating(60))
    for opener, length, gate in product(openers, (0, 1, 2, 3, 6), gates):
        words = [*_body(1), *opener, w.mop(1), plain(10), w.mop(1), *_body(12)]
        scenes.mop(cfg_of_length(length), words, gate)
        # the same with the expander idle, its FIFO empty for a while
        script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(length)).push(*opener)
        script.gap(6).push(w.mop(1)).gap(9).push(*_body(12))
        scenes.add(Scene(script, 40, gate))


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


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("replay_counts", "REPLAY: mode, count, index, wraps", _counts, 1000),
    scene_test("replay_order", "plays in a row, overlapping records, gaps in a record", _sequences),
    scene_test(
        "replay_words", "every kind of word recorded and played", _recorded, 50, faults=("illegal",)
    ),
    scene_test(
        "replay_mop",
        "records filled by MOPs, REPLAYs that MOPs emit",
        _fed_by_mop,
        faults=("illegal",),
    ),
    finite_test(
        "after_reset",
        "slots and MopCfg never written",
        _unwritten,
        issue=50,
        fault=40,
        faults=("illegal",),
    ),
    scene_test("replay_states", "MOP expander by replay expander, state by state", _states),
)
