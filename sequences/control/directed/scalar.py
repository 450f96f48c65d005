# SPDX-License-Identifier: Apache-2.0
"""The scalar unit: who comes next, forms and results of the addition, halves of the registers."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.control import words as w
from tilepath.sequences.control.directed.common import setting
from tilepath.sequences.control.scenes import Scene, Scenes, number
from tilepath.tb.control.streams import THREADS

WORDS: Final = (
    w.DMANOP,
    w.setdmareg(2 * 30, 0x1234),
    w.adddmareg(31, 1, 2),
    w.adddmareg(32, 1, 9),
    w.reg2flop(3, 40),
    w.reg2flop(4, w.flop_of(1, 2, 3), target=2),
)
"""One instruction of each duration."""


def row(scenes: Scenes) -> None:
    """Every instruction straight behind every one, of the same thread and of the others."""
    setting(scenes)
    for count, (first, second) in enumerate(product(WORDS, WORDS)):
        thread = count % THREADS
        scenes.add(Scene().issue(thread, first, second, first, at=0), drain=4)
        for other in (1, 2):
            scene = Scene().issue(thread, first, at=0)
            scenes.add(scene.issue((thread + other) % THREADS, second, first, at=1), drain=4)


def additions(scenes: Scenes) -> None:
    """Result that is an operand, or neither; immediates; sums that do not fit."""
    setting(scenes)
    for thread, (a, b) in product(range(THREADS), ((4, 6), (4, 9), (4, 4))):
        for result in (a, b, 7, 63):
            scene = Scene().issue(thread, *w.setgpr(4, 0xFFFF_FFF0 + thread))
            scene.issue(thread, w.adddmareg(result, a, b), w.wrcfg(result, 100))
            scene.issue(thread, w.adddmareg(result, result, b), w.wrcfg(result, 101))
            scenes.add(scene, drain=4)
        for immediate in (0, 1, 32, 63):
            scene = Scene().issue(thread, w.adddmareg(a, a, immediate, immediate=True))
            scenes.add(scene.issue(thread, w.wrcfg(a, 102)), drain=4)
    for thread, gpr in product(range(THREADS), (0, 1, 31, 32, 63)):
        scene = Scene()
        for half in (0, 1):
            scene.issue(thread, w.setdmareg(2 * gpr + half, number(gpr + half) & 0xFFFF))
            scene.issue(thread, w.wrcfg(gpr, 103 + half))
        scenes.add(scene, drain=4)
