# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the unpackers, and presets.

Weights are relative. Shares are probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

Weights = Mapping[str, float]

FILES: Final = ("srca", "dst")
LANES: Final = ("one", "both", "two", "same", "three")
KINDS: Final = ("plain", "packed", "tilize", "upsample", "transpose", "shift")
NOPS: Final = (
    "nop", "overlay", "overlay_stream", "setreg", "zerosrc", "setdvalid", "flush", "inc_context",
)  # fmt: skip
COUNTS: Final = ("0", "few", "row", "edge", "256", "1024", "any")
LATENCIES: Final = ("one", "short", "any")
STALLS: Final = ("0", "few", "many")


def _even(names: tuple[str, ...]) -> Weights:
    return dict.fromkeys(names, 1.0)


@dataclass(frozen=True)
class Knobs:
    """How the random stimulus looks; the defaults are legal.

    ``files``: where unpacker 0 writes. ``lanes``: who drives what in a scene: one thread one
    unpacker; one both; two threads one each; two the same; one and two. ``kinds``: what a set-up
    makes of its datums. ``counts``: datums of an UNPACR. ``data``: datums by class (tiles.CLASSES).
    ``stalls``: how long the Matrix Unit keeps a bank. ``latencies``: of L1. ``length``: UNPACRs of
    a lane. ``most``: datums, and positions of output, of an UNPACR at most.

    Shares of set-ups: ``formats`` that contexts name themselves; ``wrap``; ``digest``; ``force`` an
    exponent; ``slow``: throttle below the highest. Shares of UNPACRs: ``multi``, ``counter``
    (UseContextCounter), ``other`` ADC, ``flip``, ``zero``, ``search``, ``anew`` (counters are set),
    ``gap``, ``nops`` (one follows), ``noise``: words for the packer's counters. Shares of threads:
    ``ovrd``. Shares of scenes: ``overlap``: they begin while the one before is still running;
    ``switch``: the thread changes its StateID all the time; ``offset``: contexts have one.
    ``faults``: UNPACRs and NOPs that need not be legal; ``storm``: configuration that changes while
    instructions run, and anything at the Matrix Unit's port; more of it: more instructions.
    """

    files: Weights = field(default_factory=lambda: {"srca": 2.0, "dst": 1.0})
    lanes: Weights = field(
        default_factory=lambda: {"one": 1.0, "both": 2.0, "two": 3.0, "same": 0.7, "three": 0.7}
    )
    kinds: Weights = field(
        default_factory=lambda: {
            "plain": 4.0,
            "packed": 2.0,
            "tilize": 1.0,
            "upsample": 1.0,
            "transpose": 1.0,
            "shift": 1.0,
        }
    )
    counts: Weights = field(
        default_factory=lambda: {
            "0": 0.3,
            "few": 2.0,
            "row": 2.0,
            "edge": 2.0,
            "256": 1.0,
            "1024": 0.05,
            "any": 2.0,
        }
    )
    data: Weights = field(
        default_factory=lambda: {"random": 2.0, "special": 2.0, "near": 1.0, "zero": 0.2}
    )
    stalls: Weights = field(default_factory=lambda: {"0": 3.0, "few": 1.0, "many": 0.4})
    latencies: Weights = field(default_factory=lambda: {"one": 1.0, "short": 2.0, "any": 1.0})
    nops: Weights = field(default_factory=lambda: _even(NOPS))
    length: int = 7
    most: int = 1024
    formats: float = 0.5
    wrap: float = 0.35
    digest: float = 0.2
    force: float = 0.25
    slow: float = 0.5
    multi: float = 0.6
    counter: float = 0.35
    other: float = 0.4
    flip: float = 0.4
    zero: float = 0.08
    search: float = 0.15
    anew: float = 0.5
    gap: float = 0.1
    nop: float = 0.2
    noise: float = 0.05
    ovrd: float = 0.4
    overlap: float = 0.5
    switch: float = 0.2
    offset: float = 0.3
    faults: float = 0.0
    storm: float = 0.0

    def __post_init__(self) -> None:
        _check(self)

    def legal(self) -> bool:
        """Whether the stimulus raises no fault but warnings."""
        return self.faults == 0 and self.storm == 0


_NAMES: Final = {
    "files": FILES,
    "lanes": LANES,
    "kinds": KINDS,
    "counts": COUNTS,
    "data": ("random", "special", "near", "zero"),
    "stalls": STALLS,
    "latencies": LATENCIES,
    "nops": NOPS,
}


def _check(knobs: Knobs) -> None:
    for knob in fields(Knobs):
        value = getattr(knobs, knob.name)
        if knob.name in _NAMES:
            if unknown := set(value) - set(_NAMES[knob.name]):
                raise ValueError(f"knob {knob.name}: unknown {sorted(unknown)}")
            if min(value.values(), default=0) < 0 or sum(value.values()) <= 0:
                raise ValueError(f"knob {knob.name}: weights must be positive in sum, none below 0")
        elif knob.name in ("length", "most"):
            if value < 1:
                raise ValueError(f"knob {knob.name}: {value} is below 1")
        elif not 0 <= value <= 1:
            raise ValueError(f"knob {knob.name}: {value} is not a share between 0 and 1")


PRESETS: Final[Mapping[str, Knobs]] = {
    "random_default": Knobs(),
    "random_packed": Knobs(
        kinds={"packed": 1.0}, files={"srca": 1.0, "dst": 1.0}, multi=0.5, nop=0.05, search=0.3
    ),
    "random_pipeline": Knobs(
        lanes={"both": 1.0, "two": 1.0, "three": 1.0},
        kinds={"plain": 4.0, "transpose": 0.5},
        counts={"0": 0.5, "few": 3.0, "row": 3.0, "edge": 1.0, "256": 0.3},
        stalls={"0": 2.0, "few": 2.0, "many": 1.0},
        length=16,
        flip=0.6,
        anew=0.1,
        gap=0.05,
        nop=0.4,
        wrap=0.1,
        overlap=0.7,
    ),
    "random_faults": Knobs(faults=0.4, nop=0.3),
    "random_storm": Knobs(faults=0.2, storm=0.6, search=0.3),
}
"""The tests of these names use them."""
