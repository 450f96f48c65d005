# SPDX-License-Identifier: Apache-2.0
"""MopCfg writes during expansions (F7), words that must not be issued (F17), queue status (F22)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from tilepath.isa import tables
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
from tilepath.tb.frontend.items import sfpu_cc
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

_LOOP1: Final = plain(0x11, 0x70)


def _race(scenes: Scenes) -> None:
    """Each MopCfg word replaced in each cycle around a MOP; the snapshot must not see it."""
    double = cfg(2, 2, plain(0xA0), plain(0xE0), plain(0xE1), loop1=_LOOP1)
    zmask = [0, 3, *(plain(i, 0x41) for i in range(7))]
    for (config, mop), index in product(((double, w.mop(1)), (zmask, w.mop(0, 3, 6))), range(9)):
        for delay in range(10):
            new = 1 if index < 2 else plain(0xD0 + index, 0x44)
            script = ThreadScript(scenes.profile).mopcfg(config).push(mop).gap(delay)
            script.mopcfg({index: new}).push(mop, plain(1))
            scenes.add(Scene(script, 60))
    for index, delay, hold in product((9, 12, 15), range(16), (0, 30)):
        # an index above 8 writes nothing
        script = ThreadScript(scenes.profile).mopcfg(double).push(w.mop(1)).gap(delay)
        script.item(mopcfg=(index, plain(0xDD))).push(w.mop(1), plain(2))
        scenes.add(Scene(script, 40, stalled(hold)))
    for delay in range(14):
        # all nine words while the MOP is queued, expands, is done
        script = ThreadScript(scenes.profile).mopcfg(double).push(w.mop(1), w.mop(1)).gap(delay)
        script.mopcfg(cfg_of_length(3), push=w.mop(1)).push(plain(3))
        scenes.add(Scene(script, 60))
    for delay in range(8):
        # MOP_CFG is ordered with the MOPs: no race
        script = ThreadScript(scenes.profile).mopcfg(zmask).push(w.mop(0, 20, 0)).gap(delay)
        script.push(w.mop_cfg(0xFFFF), w.mop(0, 20, 0), plain(4))
        scenes.add(Scene(script, 220))


def _opcodes(scenes: Scenes) -> None:
    """Every opcode alone, so that each qstatus bit rises and falls; illegal ones stalled too.

    And the FIFO full of words of one kind.
    """
    barred = tables.must_not_issue()
    front_end = (w.OP_MOP, w.OP_MOP_CFG, w.OP_REPLAY)
    for opcode in range(256):
        if opcode in front_end:
            continue
        script = ThreadScript(scenes.profile).push(opcode << 24 | 0x5A5A5A)
        scenes.add(Scene(script, 3))
        if barred[opcode]:
            word = opcode << 24 | 0xA5A5A5
            scenes.add(Scene(ThreadScript(scenes.profile).push(word), 3, stalled(12)))
            script = ThreadScript(scenes.profile).push(plain(1), word, word, plain(2), word)
            scenes.add(Scene(script, 8, alternating(14)))
            scenes.mop(cfg(1, 2, loop=word), [w.mop(1), plain(3)])
    # behind what R and M take
    kinds = [plain(4, w.OPCODES[name][0]) for name in w.CLASSES]
    for word in (*kinds, w.mop(1), w.replay(0, 1), w.RESOURCEDECL):
        scenes.mop(cfg_of_length(1), [plain(5)] * 10 + [word] * 32, stalled(70))


def _raw(scenes: Scenes) -> None:
    """Front-end words that reach the end: stored, emitted by MOPs, from BRISC."""
    words = (w.mop(0, 3, 1), w.mop(1), w.mop_cfg(0x77), w.replay(1, 3), w.replay(1, 3, 0, 1))
    gates: tuple[Gate, ...] = ((), stalled(24), alternating(30))
    for word, gate in product(words, gates):
        # three words behind it, should it be one that records
        script = ThreadScript(scenes.profile).gap(30).push(*[plain(0xC)] * 3)
        scenes.add(Scene(script, 8, gate, [(2, word, False)]))
        if word >> 24 == w.OP_REPLAY:
            script = ThreadScript(scenes.profile).push(w.replay(24, 2, 1, 1), word, plain(4))
            script.push(w.replay(24, 2), w.replay(24, 2), plain(5))
            script.push(w.replay(24, 2, 0, 1), plain(6), plain(7), *[plain(8)] * 3)
            scenes.add(Scene(script, 20, gate))
        else:
            for place in (2, 3, 5, 7):
                config = cfg(1, 2)
                config[place] = word
                scenes.mop(config, [w.mop(1), plain(9)], gate)


def _classes(scenes: Scenes) -> None:
    """A word of every class that comes and goes in each state of both expanders (F22)."""
    openers: tuple[tuple[int, ...], ...] = (
        (),
        (w.replay(3, 14),),
        (w.replay(3, 14, 0, 1),),
        (w.replay(3, 14, 1, 1),),
    )
    mops = (w.mop(1),)
    for name, opener in product(w.CLASSES, openers):
        word = plain(0x77, w.OPCODES[name][0])
        for gate in ((), stalled(40)):
            for delay in range(0, 14):
                # before the MOP, with it, and while it expands
                script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(7))
                script.push(*opener)
                if delay < 5:
                    script.push(word).gap(delay).push(*mops)
                else:
                    script.push(*mops).gap(delay - 5).push(word)
                script.push(*[w.NOP] * (16 if opener else 0))
                scenes.add(Scene(script, 32 if gate else 22, gate))


def _classes_with_sfpu_cc(ctx: Context) -> Stimulus:
    """The scenes of ``_classes``, with ``sfpu_cc`` rising and falling all the time."""
    scenes = Scenes(ctx.profile)
    scenes.fill_buffer(0x02_0000)
    _classes(scenes)
    players: dict[str, Iterable[Items]] = dict(scenes.stimulus())
    lengths = [1 + (7 * i) % 23 for i in range(scenes.cycles // 12)]
    players["sfpu_cc"] = [sfpu_cc(lengths, [i & 1 for i in range(len(lengths))])]
    return players


def _states_under_status(scenes: Scenes) -> None:
    """Words that stand still in R while both expanders go through their states."""
    for name in w.CLASSES:
        word = plain(0x88, w.OPCODES[name][-1])
        for opener, hold in product((w.NOP, w.replay(3, 9), w.replay(3, 9, 0, 1)), (20, 36)):
            words = [word, opener, w.mop(1), plain(1), w.mop(1), *[w.NOP] * 8, word]
            scenes.mop(cfg_of_length(3), words, stalled(hold))
            scenes.mop(cfg_of_length(3), [*words[1:], *words], alternating(30))


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test(
        "mopcfg_race",
        "MopCfg words replaced around an expansion",
        _race,
        mopcfg=500,
        faults=("mopcfg_race",),
    ),
    scene_test(
        "opcodes", "every opcode, the illegal ones too", _opcodes, fault=20, faults=("illegal",)
    ),
    scene_test(
        "raw_words", "front-end words at the issue port", _raw, 20, fault=10, faults=("illegal",)
    ),
    finite_test(
        "status_classes",
        "queue status: words of every class in every state",
        _classes_with_sfpu_cc,
        issue=200,
        qstatus=200,
    ),
    scene_test("status_stalls", "queue status behind a stalled issue port", _states_under_status),
)
