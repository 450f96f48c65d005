# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the unpackers, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, weights
from tilepath.sequences.unpack.tiles import CLASSES

FILES: Final = ("srca", "dst")
LANES: Final = ("one", "both", "two", "same", "three")
KINDS: Final = ("plain", "packed", "tilize", "upsample", "transpose", "shift")
NOPS: Final = (
    "nop", "overlay", "overlay_stream", "setreg", "zerosrc", "setdvalid", "flush", "inc_context",
)  # fmt: skip
COUNTS: Final = ("0", "few", "row", "edge", "256", "1024", "any")
LATENCIES: Final = ("one", "short", "any")
STALLS: Final = ("0", "few", "many")


@dataclass(frozen=True)
class Knobs(BaseKnobs):
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

    files: Weights = weights(FILES, {"srca": 2.0, "dst": 1.0})
    lanes: Weights = weights(
        LANES, {"one": 1.0, "both": 2.0, "two": 3.0, "same": 0.7, "three": 0.7}
    )
    kinds: Weights = weights(
        KINDS,
        {
            "plain": 4.0,
            "packed": 2.0,
            "tilize": 1.0,
            "upsample": 1.0,
            "transpose": 1.0,
            "shift": 1.0,
        },
    )
    counts: Weights = weights(
        COUNTS,
        {"0": 0.3, "few": 2.0, "row": 2.0, "edge": 2.0, "256": 1.0, "1024": 0.05, "any": 2.0},
    )
    data: Weights = weights(CLASSES, {"random": 2.0, "special": 2.0, "near": 1.0, "zero": 0.2})
    stalls: Weights = weights(STALLS, {"0": 3.0, "few": 1.0, "many": 0.4})
    latencies: Weights = weights(LATENCIES, {"one": 1.0, "short": 2.0, "any": 1.0})
    nops: Weights = weights(NOPS)
    length: int = number(7, least=1)
    most: int = number(1024, least=1)
    formats: float = share(0.5)
    wrap: float = share(0.35)
    digest: float = share(0.2)
    force: float = share(0.25)
    slow: float = share(0.5)
    multi: float = share(0.6)
    counter: float = share(0.35)
    other: float = share(0.4)
    flip: float = share(0.4)
    zero: float = share(0.08)
    search: float = share(0.15)
    anew: float = share(0.5)
    gap: float = share(0.1)
    nop: float = share(0.2)
    noise: float = share(0.05)
    ovrd: float = share(0.4)
    overlap: float = share(0.5)
    switch: float = share(0.2)
    offset: float = share(0.3)
    faults: float = share(0.0, faulty=True)
    storm: float = share(0.0, faulty=True)


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
