# SPDX-License-Identifier: Apache-2.0
"""The instruction FIFO and M at their limits, and mop_sync in every state (F19-F21)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import (
    Scene,
    Scenes,
    cfg,
    cfg_of_length,
    finite_test,
    plain,
    scene_test,
    stalled,
)
from tilepath.tb.frontend.items import gate
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec


def _levels(scenes: Scenes) -> None:
    """The FIFO filled to each level, 32 too, then emptied while words are still pushed.

    With the issue port stalled, R takes 2 words and M 8; everything else stays in the FIFO.
    """
    for ahead in (*range(8, 14), *range(39, 43)):
        for pause in (0, 1, 2, 6):
            script = ThreadScript(scenes.profile).push(*(plain(i) for i in range(ahead)))
            script.gap(70 - ahead)
            for i in range(16):
                script.push(plain(0x100 + i)).gap(pause)
            scenes.add(Scene(script, 50, stalled(68)))
    for length, ahead in product((0, 1, 2, 30), (0, 8, 9, 10, 30)):
        words = [*(plain(i) for i in range(ahead)), w.mop(1), plain(1), w.mop(1), plain(2)]
        scenes.mop(cfg_of_length(length), words, stalled(70))
    for count in range(1, 9):
        scenes.mop(cfg_of_length(3), [w.mop(1)] * count + [w.mop_cfg(count)] * count, stalled(9))


def _full(ctx: Context) -> Stimulus:
    """Many more words than fit, behind stalls, long expansions and plays: pushes that must wait."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        script = ThreadScript(ctx.profile)
        script.push(w.replay(0, 32, 0, 1), *(plain(i, 0x70) for i in range(32)))
        script.mopcfg(cfg(5, 9, end0=w.replay(0, 8)))
        for round_ in range(6):
            script.push(*(plain(0x1000 * round_ + i) for i in range(80)))
            script.push(w.mop(1), *(plain(0x2000 * round_ + i) for i in range(50)))
            script.push(w.replay(thread, 0), *[w.mop(1), w.mop_cfg(round_)] * 20, plain(2))
            script.sync()
        players[f"t{thread}.core"] = [script.items()]
        # stalls long enough to fill everything, then one cycle in two, then in three, then all
        waves: list[tuple[int, int]] = []
        for i in range(8):
            waves += [(150 + 7 * i, 0), *[(1, 1), (1 + i % 3, 0)] * (60 + 20 * thread), (120, 1)]
        counts, values = zip(*waves, strict=True)
        players[f"t{thread}.gate"] = [gate(counts, values)]
    return players


def _sync_states(scenes: Scenes) -> None:
    """mop_sync requested in each cycle around a MOP: idle, MOP queued, EXP, TRANS."""
    followers = ((), (w.mop(1),), (plain(3),))
    for length, follower, hold in product((0, 1, 2, 6), followers, (0, 34)):
        for delay in range(12):
            script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(length))
            script.push(w.mop(1), *follower).gap(delay).sync(background=True)
            script.gap(30).sync().push(plain(4))
            scenes.add(Scene(script, 20, stalled(hold)))
    for ahead, hold in product((0, 4, 9, 12), (0, 30)):
        script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(3))
        script.push(*(plain(i) for i in range(ahead)), w.mop(1)).sync(background=True)
        script.push(w.mop(1), plain(5))
        scenes.add(Scene(script, 30, stalled(hold)))
    # in the same cycle as a MOP is offered, whether or not it is accepted at once
    for length in (0, 1, 4):
        script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(length))
        script.item(push=w.mop(1), background=True).gap(12).item(push=plain(6), background=True)
        scenes.add(Scene(script, 20))


def _sync_and_mopcfg(scenes: Scenes) -> None:
    """A MopCfg write at each distance from the request, and from the acknowledge, of a mop_sync."""
    for length, delay, distance in product((0, 1, 2, 5, 12), range(0, 9, 2), range(-2, 9)):
        script = ThreadScript(scenes.profile).mopcfg(cfg_of_length(length)).push(w.mop(1))
        script.gap(delay + 2)
        write = (5, plain(0x300 + distance & 0xFFF, 0x26))
        if distance < 0:
            script.item(mopcfg=write).gap(-distance - 1).sync(background=True)
        elif distance == 0:
            script.item(mopcfg=write, background=True)
        else:
            script.sync(background=True).gap(distance - 1).item(mopcfg=write)
        script.push(w.mop(1), plain(7))
        scenes.add(Scene(script, 25))


def _sync_blocking(ctx: Context) -> Stimulus:
    """What software does: push MOPs, wait, write MopCfg, push again; every length and delay."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        script = ThreadScript(ctx.profile)
        for length, ahead, delay in product((0, 1, 2, 5, 40), (0, 3, 12), (0, 1, 2, 3 + thread)):
            script.sync().mopcfg(cfg_of_length(length), push=plain(8))
            script.push(*(plain(i) for i in range(ahead)), w.mop(1), w.mop(1)).gap(delay)
            script.sync().gap(delay).sync()
            # acknowledged at once, together with a word that is offered
            script.item(push=plain(9), sync=True).item(push=w.mop(1), sync=True).sync()
            script.mopcfg({7: plain(delay, 0x27)}).push(w.mop(1))
        players[f"t{thread}.core"] = [script.items()]
        rows = [(40 + 11 * thread, 1), (25, 0), (1, 1), (3, 0), (1, 1), (1, 0)] * 40
        counts, values = zip(*rows, strict=True)
        players[f"t{thread}.gate"] = [gate(counts, values)]
    return players


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("fifo_levels", "FIFO filled to each level, pushes while popped", _levels),
    finite_test("fifo_full", "pushes that wait for a full FIFO", _full, issue=1000, push=1000),
    scene_test("sync_states", "mop_sync requested in every state", _sync_states, sync=50),
    scene_test(
        "sync_mopcfg",
        "MopCfg writes around a mop_sync",
        _sync_and_mopcfg,
        sync=50,
        faults=("mopcfg_race",),
    ),
    finite_test(
        "sync_blocking", "mop_sync as software uses it", _sync_blocking, issue=500, sync=100
    ),
)
