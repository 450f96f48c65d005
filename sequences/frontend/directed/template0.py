# SPDX-License-Identifier: Apache-2.0
"""Template 0: iterations, masks, flags, MaskHi, words that MopCfg can hold (F1, F2, F8-F10)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import (
    Cfg,
    Scene,
    Scenes,
    alternating,
    cfg,
    plain,
    scene_test,
    stalled,
)
from tilepath.sequences.frontend.lengths import cycles
from tilepath.tb.kernel.description.stimulus import TestSpec

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
# Ends any record a MOP has opened, then fills the slots that it may have filled with REPLAYs.
_CLOSING: Final = (*range(0x4200_0700, 0x4200_0707), w.replay(12, 3, 0, 1), *[plain(0x7F0)] * 3)


def _unpack_cfg(flags: int) -> Cfg:
    return [0, flags, plain(0xB0), *(plain(0xA0 + i) for i in range(4)), plain(0xF0), plain(0xFB)]


def _masks(scenes: Scenes) -> None:
    """Iterations by flags by mask by where MaskHi comes from: one MOP_CFG, an old one, two."""
    # before any MOP_CFG MaskHi is 0
    for word in (w.mop(0, 31, 0xFFFF), w.mop(0, 16, 0x8000), w.mop(0, 0)):
        scenes.mop(_unpack_cfg(3), [word, plain(1)])
    for count1, flags, mask in product(_COUNT1, range(4), _MASKS):
        junk = 0xFFFF_FFFC if mask & 1 else 0
        config = _unpack_cfg(flags | junk)
        mop, high, other = w.mop(0, count1, mask), w.mop_cfg(mask >> 16), w.mop_cfg(~mask >> 16)
        script = ThreadScript(scenes.profile).mopcfg(config)
        script.push(high, mop, mop, other, high, mop, plain(2))
        drain = 3 * cycles([high, mop], config, 0, scenes.count0)
        scenes.add(Scene(script, drain))


def _edges(scenes: Scenes) -> None:
    """Masks that change at the seam of MaskLo and MaskHi, or at an end."""
    edges = (1, 0x7FFF, 0xFFFF, 0x1_0000, 0xFFFF_0000, 0x7FFF_8001, 0xFFFF_FFFE, 0x4000_0000)
    for mask, count1, flags in product(edges, (0, 14, 31, 33), (0, 3)):
        words = [w.mop_cfg(mask >> 16), w.mop(0, count1, mask), plain(2)]
        scenes.mop(_unpack_cfg(flags), words)


def _mask_hi(scenes: Scenes) -> None:
    """MOP_CFG right behind a MOP, of either template, while it expands and under stalls (F8)."""
    config = [2, 2, *_unpack_cfg(0)[2:]]
    first = (w.mop(0, 3, 0x5), w.mop(0, 0, 1), w.mop(0, 17, 0x1), w.mop(1))
    for mop, high, gate in product(first, (0, 0xFFFF, 1), ((), stalled(30), alternating(40))):
        words = [w.mop_cfg(0x8001), mop, w.mop_cfg(high), w.mop(0, 18, 0xFFFF), plain(3)]
        scenes.mop(config, words, gate)
        scenes.mop(config, [*words[:3], plain(4), w.mop(0, 31, 0x8000), plain(5)], gate)
        # the last MopCfg write in the cycle before the ingest
        script = ThreadScript(scenes.profile).push(w.mop_cfg(high)).mopcfg(config, push=mop)
        drain = cycles(words[1:2], config, high, scenes.count0)
        scenes.add(Scene(script.push(plain(6)), drain, gate))


def _contents(scenes: Scenes) -> None:
    """Every kind of word in every slot of both templates, emitted as it is (F9, F10)."""
    records = (w.replay(12, 3, 0, 1), w.replay(12, 3, 1, 1))
    kinds = (
        *records,
        w.NOP,
        w.NOP | 0x123456,
        w.DMANOP,
        w.SFPNOP,
        w.replay(5, 1),
        w.replay(30, 5),
        w.replay(8, 2, 1, 0),
        w.mop(0, 3, 1),
        w.mop(1),
        w.mop_cfg(0xFFFF),
        w.RESOURCEDECL | 0x1234,
        w.UNASSIGNED[0] << 24,
    )
    for kind, slot in product(kinds, range(2, 9)):
        for base, mop in (
            ([1, 3, *_unpack_cfg(0)[2:]], w.mop(0, 3, 0b0110)),
            (cfg(2, 2, plain(0xA0), plain(0xE0), plain(0xE1), loop1=plain(0x11)), w.mop(1)),
        ):
            config = list(base)
            config[slot] = kind
            scenes.mop(config, [mop, *(_CLOSING if kind in records else ()), plain(6)])


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("t0_masks", "template 0: iterations, flags, zero masks, MaskHi", _masks, 1000),
    scene_test("t0_edges", "template 0: masks that change at a seam or an end", _edges, 500),
    scene_test("t0_mask_hi", "MOP_CFG close to MOPs", _mask_hi),
    scene_test(
        "mop_contents", "every kind of word in every MopCfg slot", _contents, faults=("illegal",)
    ),
)
