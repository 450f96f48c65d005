# SPDX-License-Identifier: Apache-2.0
"""The scalar unit: who comes next, sums and products, halves of the registers."""

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
    w.muldmareg(33, 1, 2),
    w.muldmareg(34, 1, 9),
    w.reg2flop(3, 40),
    w.reg2flop(4, w.flop_of(1, 2, 3), target=2),
)
"""One instruction of each kind and duration."""

_HALVES: Final = (0, 1, 2, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)
"""Low halves of factors."""


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


def products(scenes: Scenes) -> None:
    """Factors at the ends of 16 bits, with and without something above; results that are one.

    Both forms, operands of one group of four and of two.
    """
    setting(scenes)
    for count, (a, b) in enumerate(product(_HALVES, _HALVES)):
        thread, near = count % THREADS, (4, 6) if count & 1 else (4, 9)
        above = (0, 0x8001 << 16, 0xFFFF << 16)[count // THREADS % 3]
        scene = Scene().issue(thread, *w.setgpr(near[0], above | a), *w.setgpr(near[1], above | b))
        scene.issue(thread, w.muldmareg(7, *near), w.wrcfg(7, 100))
        scenes.add(scene.issue(thread, w.muldmareg(63, near[1], near[0])), drain=4)
    for count, (a, immediate) in enumerate(product(_HALVES, (0, 1, 2, 31, 32, 62, 63))):
        thread = count % THREADS
        scene = Scene().issue(thread, *w.setgpr(5, number(count) & 0xFFFF_0000 | a))
        scene.issue(thread, w.muldmareg(8, 5, immediate, immediate=True), w.wrcfg(8, 101))
        scenes.add(scene, drain=4)
    for thread, (a, b) in product(range(THREADS), ((4, 6), (4, 9), (4, 4))):
        scene = Scene().issue(thread, *w.setgpr(4, 0x1234_FFFB), *w.setgpr(b, 0x8765_0003 + b))
        for result in (a, b):
            scene.issue(thread, w.muldmareg(result, a, b), w.wrcfg(result, 102))
        scene.issue(thread, w.muldmareg(a, a, 3, immediate=True), w.wrcfg(a, 103))
        scenes.add(scene, drain=4)
