# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus (front-end specification, section 7), and presets.

Weights are relative: a draw takes entry ``k`` with probability ``weight[k] / sum(weights)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Final

from tilepath.sequences.frontend.words import CLASSES

Weights = Mapping[str, float]

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

_ALL_WORDS: Final = dict.fromkeys(CLASSES, 1.0)
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
class Knobs:
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
    ``brisc_words``: kinds of BRISC words, from {plain, play, record, mop, mop_cfg, illegal}.
    ``racing``: share of MopCfg rewrites that do not wait for a blocking mop_sync (F7).
    ``background_sync``: share of mop_syncs that nobody waits for.
    ``illegal``: share of plain words replaced by unassigned opcodes or RESOURCEDECL (F17).
    ``immediates``: share of template-1 MOPs with immediates that are not 0 (F6).
    ``wide_counts``: share of REPLAYs with count 0 or above 32 (F15).
    ``sfpu_cc``: mean length in cycles of the levels of ``sfpu_cc``; 0: it stays 0.
    """

    words: Weights = field(default_factory=lambda: _ALL_WORDS)
    contents: Weights = field(default_factory=lambda: _LEGAL_CONTENTS)
    outer: Weights = field(
        default_factory=lambda: {"0": 1, "1": 8, "2": 4, "few": 4, "many": 1, "127": 1, "junk": 1}
    )
    inner: Weights = field(
        default_factory=lambda: {"0": 2, "1": 4, "2": 4, "few": 5, "many": 1, "127": 1, "junk": 1}
    )
    masks: Weights = field(default_factory=lambda: dict.fromkeys(MASKS, 1.0))
    template0: float = 0.4
    segments: Weights = field(default_factory=lambda: _LEGAL_SEGMENTS)
    budget: tuple[int, int, int] = (24, 200, 2000)
    gaps: Weights = field(
        default_factory=lambda: {"none": 4, "sparse": 2, "frequent": 1, "long": 0.5}
    )
    gate: Weights = field(default_factory=lambda: {"none": 4, "random": 3, "long": 1})
    stall: int = 100
    duty: float = 0.7
    brisc_gap: int = 0
    brisc_unsafe: float = 0.0
    brisc_words: Weights = field(default_factory=lambda: {"plain": 1.0})
    racing: float = 0.0
    background_sync: float = 0.0
    illegal: float = 0.0
    immediates: float = 0.0
    wide_counts: float = 0.0
    sfpu_cc: int = 50

    def __post_init__(self) -> None:
        _check(self)

    def varied(self, thread: int) -> Knobs:
        """These knobs with a mix of its own for ``thread`` (0, 1 or 2).

        Every thread keeps all kinds, so what the preset forbids stays out.
        """
        factor = (1.0, 2.5, 0.4)
        words = _tilted(self.words, factor, thread)
        contents = _tilted(self.contents, factor, thread + 1)
        gate = _tilted(self.gate, factor, thread)
        template0 = min(1.0, self.template0 * (1.6, 0.6, 1.0)[thread])
        return replace(self, words=words, contents=contents, gate=gate, template0=template0)

    def legal(self) -> bool:
        """Whether these are default constraints: no fault of any kind can happen (section 4)."""
        return (
            not (self.racing or self.background_sync or self.brisc_unsafe or self.illegal)
            and not (self.immediates or self.wide_counts)
            and _only(self.brisc_words, {"plain"})
            and _only(self.contents, set(_LEGAL_CONTENTS))
            and _only(self.segments, set(_LEGAL_SEGMENTS))
        )


def _only(weights: Weights, allowed: set[str]) -> bool:
    return all(name in allowed for name, weight in weights.items() if weight)


def _tilted(weights: Weights, factor: tuple[float, ...], shift: int) -> dict[str, float]:
    return {
        name: weight * factor[(place + shift) % len(factor)]
        for place, (name, weight) in enumerate(weights.items())
    }


_NAMES: Final = {
    "words": CLASSES,
    "contents": CONTENTS,
    "outer": COUNTS,
    "inner": COUNTS,
    "masks": MASKS,
    "segments": SEGMENTS,
    "gaps": GAPS,
    "gate": GATES,
    "brisc_words": ("plain", "play", "record", "mop", "mop_cfg", "illegal"),
}


def _check(knobs: Knobs) -> None:
    for knob in fields(Knobs):
        value = getattr(knobs, knob.name)
        if knob.name in _NAMES:
            if unknown := set(value) - set(_NAMES[knob.name]):
                raise ValueError(f"knob {knob.name}: unknown {sorted(unknown)}")
            if min(value.values(), default=0) < 0 or sum(value.values()) <= 0:
                raise ValueError(f"knob {knob.name}: weights must be positive in sum, none below 0")
        elif isinstance(value, float) and not 0 <= value <= 1:
            raise ValueError(f"knob {knob.name}: {value} is not a share between 0 and 1")
        elif isinstance(value, int) and value < 0:
            raise ValueError(f"knob {knob.name}: {value} is below 0")


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
