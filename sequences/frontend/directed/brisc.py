# SPDX-License-Identifier: Apache-2.0
"""BRISC words, alone and colliding with the MOP expander's (F18)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import (
    Scene,
    Scenes,
    alternating,
    cfg_of_length,
    plain,
    scene_test,
    stalled,
)
from tilepath.tb.kernel.description.stimulus import ANY, TestSpec

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


def _alone(scenes: Scenes) -> None:
    """Every kind of BRISC word into an idle front end, waiting for it and not."""
    for kind, safe, hold in product(_KINDS, (True, False), (0, 20)):
        script = ThreadScript(scenes.profile).gap(2)
        offers = [(at, kind, safe) for at in (1, 4, 5, 9)]
        scenes.add(Scene(script, 16, stalled(hold), offers))
    for length, gate in product((4, 9), ((), stalled(25), alternating(30))):
        offers = [(i, plain(i, 0x5D), False) for i in range(length)]
        scenes.add(Scene(ThreadScript(scenes.profile).gap(2), 30, gate, offers))
    for count, execute in product((1, 3), (0, 1)):
        # a record filled by BRISC; a REPLAY from BRISC that records the core's words
        script = ThreadScript(scenes.profile).push(w.replay(6, count, execute, 1)).gap(12)
        offers = [(4 + i, plain(i, 0x5E), False) for i in range(count)]
        scenes.add(Scene(script.push(w.replay(6, count)), 10, brisc=offers))
        script = ThreadScript(scenes.profile).gap(4).push(*(plain(i) for i in range(count)))
        offers = [(0, w.replay(6, count, execute, 1), False)]
        scenes.add(Scene(script.push(w.replay(6, count)), 10, brisc=offers))


def _collisions(scenes: Scenes) -> None:
    """A BRISC word in each cycle around a MOP: with plain words, first, middle and last words."""
    for kind, length, at in product(_KINDS, (0, 1, 2, 5), range(8, 22)):
        words = [plain(1), plain(2), w.mop(1), plain(3), plain(4)]
        scenes.mop(cfg_of_length(length), words, brisc=[(at, kind, False)])
    # the replay expander busy while the BRISC word wins
    openers = (w.replay(2, 6), w.replay(2, 6, 0, 1), w.replay(2, 6, 1, 1))
    for opener, at in product(openers, (10, 14)):
        words = [opener, *(plain(i) for i in range(3)), w.mop(1), *(plain(9) for _ in range(9))]
        offers = [(at + 2 * i, plain(0x50 + i, 0x5D), False) for i in range(4)]
        scenes.mop(cfg_of_length(4), words, brisc=offers)
    for length in (1, 2, 3, 8):
        # each word of an expansion lost, then each word of the next
        offers = [(10 + i, plain(0x60 + i, 0x5D), False) for i in range(12)]
        scenes.mop(cfg_of_length(length), [w.mop(1), w.mop(1), plain(5)], brisc=offers)


def _waits(scenes: Scenes) -> None:
    """M full behind a stalled issue port, so that BRISC waits.

    A BRISC word that waits delays all that follow it, here up to the end of the test: these scenes
    do not keep step, and need not.
    """
    for length, at, hold in product((0, 1, 3, 12), range(8, 20), (26, 40)):
        words = [*(plain(i) for i in range(7)), w.mop(1), plain(3), w.mop(1), plain(4)]
        offers = [(at + i, plain(0x40 + i, 0x5D), False) for i in range(3)]
        scenes.mop(cfg_of_length(length), words, stalled(hold), offers)
    for gate in (stalled(25), alternating(30), stalled(40)):
        offers = [(i, plain(i, 0x5D), False) for i in range(14)]
        scenes.add(Scene(ThreadScript(scenes.profile).gap(2), 30, gate, offers))


def _with_other_faults(scenes: Scenes) -> None:
    """A collision, a MopCfg write during an expansion and an illegal word, in one cycle or near."""
    bad = w.RESOURCEDECL | 7
    for at, write, lead in product(range(12, 18), (None, 2, 3, 4, 5, 6), (0, 1, 2, 3)):
        script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(8))
        script.push(plain(1), *[bad] * lead, w.mop(1))
        if write is not None:
            script.gap(write).mopcfg({4: w.NOP})
        offers = [(at + i, plain(0x70 + i, 0x5D), False) for i in range(2)]
        scenes.add(Scene(script, 30, brisc=offers))
    for at in range(10, 16):
        # illegal words all the way, so that one leaves in every cycle
        config = cfg_of_length(6)
        config[5] = bad
        script = ThreadScript(scenes.profile).mopcfg(config).push(w.mop(1), w.mop(1)).gap(2)
        script.mopcfg({4: w.NOP}).mopcfg({4: w.NOP})
        scenes.add(Scene(script, 30, brisc=[(at, plain(0x80, 0x5D), False)]))


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test(
        "brisc_alone",
        "BRISC words into an idle front end",
        _alone,
        50,
        brisc=50,
        faults=("illegal",),
    ),
    scene_test(
        "brisc_collisions",
        "BRISC words that collide",
        _collisions,
        brisc_accept=100,
        fault=100,
        faults=("collision", "illegal"),
    ),
    scene_test(
        "brisc_waits",
        "BRISC words that find M full",
        _waits,
        brisc_accept=50,
        faults=("collision",),
    ),
    scene_test(
        "brisc_faults", "collisions with other faults", _with_other_faults, fault=99, faults=ANY
    ),
)
