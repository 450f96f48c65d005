# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus (front-end specification, section 7), and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tilepath.sequences.frontend.words import CLASSES
from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, tilted, weights

CONTENTS: Final = (
    "nop", "nop_junk", "dmanop", "sfpnop", "play", "record", "plain", "mop", "mop_cfg",
)  # fmt: skip
COUNTS: Final = ("0", "1", "2", "few", "many", "127", "junk")
MASKS: Final = ("zero", "ones", "alternating", "edge", "bit31", "random")
GAPS: Final = ("none", "sparse", "frequent", "long")
GATES: Final = ("none", "random", "long", "alternating")
SEGMENTS: Final = (
    "plain", "template0", "template1", "mops", "loop", "plays", "rewrite", "fed_record", "probe",
    "race", "illegal",
)  # fmt: skip
BRISC_WORDS: Final = ("plain", "play", "record", "mop", "mop_cfg", "illegal")

_LEGAL_CONTENTS: Final = {
    "nop": 5.0,
    "nop_junk": 2.0,
    "dmanop": 1.0,
    "sfpnop": 1.0,
    "play": 3.0,
    "plain": 6.0,
}
_LEGAL_SEGMENTS: Final = {
    "plain": 3.0,
    "template0": 2.0,
    "template1": 4.0,
    "mops": 3.0,
    "loop": 1.5,
    "plays": 1.5,
    "rewrite": 0.7,
    "fed_record": 0.4,
    "probe": 0.5,
}


@dataclass(frozen=True)
class Knobs(BaseKnobs):
    """How a thread's random stimulus looks. The defaults are the default constraints.

    ``words``: classes of plain words (names in :data:`words.CLASSES`).
    ``contents``: what MopCfg words are; ``record`` is a REPLAY that records, ``nop_junk`` a NOP
    with random bits [23:0].
    ``outer``, ``inner``: loop counts; ``few`` is 3 … 8, ``many`` 3 … 126, ``junk`` a small count
    with random bits [31:7], which must be ignored.
    ``masks``: zero masks of template 0. ``template0``: share of MOPs of template 0 where both fit.
    ``segments``: which pieces of program follow one another; see ``random_program``.
    ``budget``: longest expansion in words, as (usual, rare, very rare), drawn 95 : 4.7 : 0.3.
    ``gaps``: idle cycles between items. ``gate``: back-pressure at the issue port.
    ``stall``: mean length in cycles of the stalls of gate pattern ``long``.
    ``duty``: share of cycles in which gate pattern ``random`` is ready.
    ``brisc_gap``: mean idle cycles between BRISC words; 0: no BRISC words. ``brisc_unsafe``: share
    of them that do not wait for an idle expander, so that they can collide (F18).
    ``brisc_words``: kinds of BRISC words.
    ``racing``: share of MopCfg rewrites that do not wait for a blocking mop_sync (F7).
    ``background_sync``: share of mop_syncs that nobody waits for.
    ``illegal``: share of plain words replaced by unassigned opcodes or RESOURCEDECL (F17).
    ``immediates``: share of template-1 MOPs with immediates that are not 0 (F6).
    ``wide_counts``: share of REPLAYs with count 0 or above 32 (F15).
    ``sfpu_cc``: mean length in cycles of the levels of ``sfpu_cc``; 0: it stays 0.
    """

    words: Weights = weights(CLASSES)
    contents: Weights = weights(CONTENTS, _LEGAL_CONTENTS, legal=_LEGAL_CONTENTS)
    outer: Weights = weights(
        COUNTS, {"0": 1, "1": 8, "2": 4, "few": 4, "many": 1, "127": 1, "junk": 1}
    )
    inner: Weights = weights(
        COUNTS, {"0": 2, "1": 4, "2": 4, "few": 5, "many": 1, "127": 1, "junk": 1}
    )
    masks: Weights = weights(MASKS)
    template0: float = share(0.4)
    segments: Weights = weights(SEGMENTS, _LEGAL_SEGMENTS, legal=_LEGAL_SEGMENTS)
    budget: tuple[int, int, int] = number((24, 200, 2000), least=1)
    gaps: Weights = weights(GAPS, {"none": 4, "sparse": 2, "frequent": 1, "long": 0.5})
    gate: Weights = weights(GATES, {"none": 4, "random": 3, "long": 1})
    stall: int = number(100)
    duty: float = share(0.7)
    brisc_gap: int = number(0)
    brisc_unsafe: float = share(0.0, faulty=True)
    brisc_words: Weights = weights(BRISC_WORDS, {"plain": 1.0}, legal=("plain",))
    racing: float = share(0.0, faulty=True)
    background_sync: float = share(0.0, faulty=True)
    illegal: float = share(0.0, faulty=True)
    immediates: float = share(0.0, faulty=True)
    wide_counts: float = share(0.0, faulty=True)
    sfpu_cc: int = number(50)

    def varied(self, thread: int) -> Knobs:
        """These knobs with a mix of its own for ``thread`` (0, 1 or 2).

        Every thread keeps all kinds, so what the preset forbids stays out.
        """
        factor = (1.0, 2.5, 0.4)
        words = tilted(self.words, factor, thread)
        contents = tilted(self.contents, factor, thread + 1)
        gate = tilted(self.gate, factor, thread)
        template0 = min(1.0, self.template0 * (1.6, 0.6, 1.0)[thread])
        return replace(self, words=words, contents=contents, gate=gate, template0=template0)


_EVERYTHING: Final = {**_LEGAL_CONTENTS, "record": 0.7, "mop": 0.5, "mop_cfg": 0.5}
_BUSY: Final = {"none": 1.0}

PRESETS: Final[Mapping[str, Knobs]] = {
    "default": Knobs(),
    "mix": Knobs(
        contents=_EVERYTHING,
        segments={**_LEGAL_SEGMENTS, "race": 0.3, "illegal": 0.3},
        gate={"none": 4, "random": 3, "long": 1, "alternating": 1},
        brisc_gap=150,
        brisc_unsafe=0.2,
        brisc_words={"plain": 8, "play": 2, "record": 0.5, "mop": 0.5, "mop_cfg": 0.5},
        racing=0.05,
        background_sync=0.1,
        illegal=0.005,
        immediates=0.1,
        wide_counts=0.05,
    ),
    "mop": Knobs(
        segments={"plain": 1, "template0": 4, "template1": 8, "mops": 5, "rewrite": 2, "loop": 0.5},
        outer=dict.fromkeys(COUNTS, 1.0),
        inner=dict.fromkeys(COUNTS, 1.0),
        gaps={"none": 6, "sparse": 1},
        immediates=0.1,
    ),
    "replay": Knobs(
        segments={"plain": 1, "loop": 5, "plays": 5, "fed_record": 2, "template1": 2, "mops": 1},
        contents={"nop": 3, "play": 5, "record": 1, "plain": 3},
        wide_counts=0.1,
    ),
    "backpressure": Knobs(
        gate={"random": 2, "long": 2, "alternating": 1, "none": 0.3}, duty=0.35, stall=150
    ),
    "brisc": Knobs(
        gaps={"none": 1, "sparse": 2, "frequent": 2, "long": 1},
        brisc_gap=20,
        brisc_unsafe=0.5,
        brisc_words={"plain": 8, "play": 2, "record": 0.5, "mop": 1, "mop_cfg": 1, "illegal": 0.5},
    ),
    "race": Knobs(
        segments={**_LEGAL_SEGMENTS, "race": 3, "probe": 1.5, "rewrite": 3},
        racing=0.6,
        background_sync=0.5,
    ),
    "illegal": Knobs(
        contents=_EVERYTHING,
        segments={**_LEGAL_SEGMENTS, "illegal": 2},
        illegal=0.05,
        brisc_gap=300,
        brisc_words={"plain": 2, "mop": 1, "mop_cfg": 1, "illegal": 1},
    ),
    "busy": Knobs(
        segments={"plain": 1.0, "template0": 1.0, "loop": 0.2, "mops": 4.0},
        gaps=_BUSY,
        gate={"none": 1.0},
        sfpu_cc=0,
    ),
}
"""Named presets; the tests ``random_<name>`` use the one of their name."""
