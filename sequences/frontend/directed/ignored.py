# SPDX-License-Identifier: Apache-2.0
"""Bits that the front end's own instructions ignore, set one by one and all together."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.directed.common import Scene, Scenes, cfg, plain, scene_test
from tilepath.tb.kernel.description.stimulus import TestSpec

# REPLAY: [23:19], [13:10] and [3:2]; MOP_CFG: [23:16] (frontend-config section 1)
_REPLAY_BITS: Final = (*range(19, 24), *range(10, 14), 2, 3)
_MOP_CFG_BITS: Final = tuple(range(16, 24))


def _variants(bits: tuple[int, ...]) -> list[int]:
    single = [1 << bit for bit in bits]
    return [*single, sum(single)]


def _replay(scenes: Scenes) -> None:
    """Record, record with exec, and play, each with ignored bits set."""
    for junk in _variants(_REPLAY_BITS):
        for execute in (0, 1):
            script = ThreadScript(scenes.profile)
            script.push(w.replay(4, 3, execute, 1) | junk, plain(1), plain(2), plain(3), plain(4))
            script.push(w.replay(4, 3) | junk, plain(5))
            scenes.add(Scene(script, 16))


def _mop_cfg(scenes: Scenes) -> None:
    """MaskHi 0 with ignored bits set: iterations 16 to 31 stay unmasked."""
    for junk in _variants(_MOP_CFG_BITS):
        scenes.mop(cfg(1, 0), [w.mop_cfg(0) | junk, w.mop(0, 31, 0x5555), plain(1)])


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("replay_ignored", "REPLAY with ignored bits set", _replay, 40),
    scene_test("mop_cfg_ignored", "MOP_CFG with ignored bits set", _mop_cfg, 80),
)
