# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the address counters, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tilepath.sequences.adc.words import OPS
from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, weights

TARGETS: Final = ("one", "several", "none")
SETS: Final = ("set0", "set1", "set2")
WIDE: Final = ("0", "1", "max", "near_max", "does_not_fit", "random")
NARROW: Final = ("0", "1", "max", "random")
MASKS: Final = ("none", "one", "all", "random")
GAPS: Final = ("none", "sparse", "long")
PACKS: Final = ("increment", "carry", "clear", "any", "nothing")


@dataclass(frozen=True)
class Knobs(BaseKnobs):
    """How the random stimulus looks. The defaults: everything, faults included.

    ``ops``: instructions. ``targets``: how many bits of ``target`` are set. ``override``: share of
    instructions with a ThreadOverride, ``towards``: the sets that it chooses.
    ``wide``: values of SETADC, SETADCXX and REG2FLOP; ``max`` is the counter's, and
    ``does_not_fit`` has bits above its width. ``narrow``: 3-bit values and the increments of
    updates. ``masks``: mask fields; ``random`` is not 0. ``gaps``: idle cycles between a thread's
    instructions.
    ``ignored``: share of words with ignored bits set. ``illegal``: share of words that are none of
    the eight.
    ``unpack``, ``pack``, ``flop``: mean idle cycles between commands of these ports; ``None``:
    there are none. ``other``: share of unpacker updates with ``adc`` ≠ ``thread``.
    ``packs``: packer updates. ``unit_faults``: share of updates and REG2FLOP writes with a thread
    or select of 3.
    """

    ops: Weights = weights(OPS)
    targets: Weights = weights(
        TARGETS, {"one": 2.0, "several": 1.0, "none": 0.1}, legal=("one", "several")
    )
    override: float = share(0.4, faulty=True)
    towards: Weights = weights(SETS)
    wide: Weights = weights(WIDE)
    narrow: Weights = weights(NARROW)
    masks: Weights = weights(
        MASKS,
        {"none": 0.1, "one": 1.0, "all": 1.0, "random": 1.0},
        legal=("one", "all", "random"),
    )
    gaps: Weights = weights(GAPS, {"none": 4.0, "sparse": 2.0, "long": 0.05})
    ignored: float = share(0.1)
    illegal: float = share(0.02, faulty=True)
    unpack: float | None = number(2.0, optional=True)
    pack: float | None = number(2.0, optional=True)
    flop: float | None = number(4.0, optional=True)
    other: float = share(0.5)
    packs: Weights = weights(PACKS)
    unit_faults: float = share(0.02, faulty=True)


_BUSY: Final = {"none": 1.0}
_LEGAL_OPS: Final = {**dict.fromkeys(OPS, 1.0), "incadcxy": 3.0, "incadczw": 3.0}

PRESETS: Final[Mapping[str, Knobs]] = {
    "random": Knobs(),
    "random_default": Knobs(
        ops=_LEGAL_OPS,
        targets={"one": 2.0, "several": 1.0},
        override=0.0,
        masks={"one": 1.0, "all": 1.0, "random": 1.0},
        ignored=0.0,
        illegal=0.0,
        unit_faults=0.0,
    ),
    "random_wrap": Knobs(
        ops={"setadc": 2.0, "incadcxy": 4, "incadczw": 4, "addrcrxy": 4, "addrcrzw": 4},
        wide={"max": 2.0, "near_max": 6.0, "0": 0.5},
        narrow={"max": 2.0, "random": 1.0, "0": 1.0},
        masks={"one": 2.0, "random": 1.0},
        gaps={"none": 2.0, "sparse": 3.0},
        illegal=0.0,
        flop=1.0,
        packs={"increment": 3.0, "carry": 2.0, "any": 0.5},
        unit_faults=0.0,
    ),
    "random_conflict": Knobs(
        targets={"several": 3.0, "one": 1.0, "none": 0.05},
        override=0.8,
        towards={"set0": 6.0, "set1": 1.0, "set2": 1.0},
        narrow={"0": 2.0, "1": 1.0, "max": 1.0, "random": 1.0},
        gaps=_BUSY,
        unpack=0.0,
        pack=0.0,
        flop=0.0,
    ),
    "threads": Knobs(
        override=0.9,
        towards={"set0": 1.0, "set1": 8.0, "set2": 1.0},
        targets={"one": 1.0, "several": 2.0},
        gaps=_BUSY,
        illegal=0.0,
        unpack=None,
        pack=None,
        flop=None,
    ),
    "updates": Knobs(
        ops={**dict.fromkeys(OPS, 0.5), "setadc": 4.0},
        wide={"near_max": 3.0, "max": 1.0, "0": 1.0, "random": 1.0},
        gaps={"sparse": 1.0, "long": 0.3},
        unpack=0.0,
        pack=0.0,
        flop=3.0,
    ),
}
"""The tests of these names use them."""
