# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the address counters, and presets.

Weights are relative: a draw takes entry ``k`` with probability ``weight[k] / sum(weights)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from tilepath.sequences.adc.words import OPS

Weights = Mapping[str, float]

TARGETS: Final = ("one", "several", "none")
WIDE: Final = ("0", "1", "max", "near_max", "does_not_fit", "random")
NARROW: Final = ("0", "1", "max", "random")
MASKS: Final = ("none", "one", "all", "random")
GAPS: Final = ("none", "sparse", "long")
PACKS: Final = ("increment", "carry", "clear", "any", "nothing")

_SETS: Final = {"set0": 1.0, "set1": 1.0, "set2": 1.0}


@dataclass(frozen=True)
class Knobs:
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

    ops: Weights = field(default_factory=lambda: dict.fromkeys(OPS, 1.0))
    targets: Weights = field(default_factory=lambda: {"one": 2.0, "several": 1.0, "none": 0.1})
    override: float = 0.4
    towards: Weights = field(default_factory=lambda: _SETS)
    wide: Weights = field(default_factory=lambda: dict.fromkeys(WIDE, 1.0))
    narrow: Weights = field(default_factory=lambda: dict.fromkeys(NARROW, 1.0))
    masks: Weights = field(
        default_factory=lambda: {"none": 0.1, "one": 1.0, "all": 1.0, "random": 1.0}
    )
    gaps: Weights = field(default_factory=lambda: {"none": 4.0, "sparse": 2.0, "long": 0.05})
    ignored: float = 0.1
    illegal: float = 0.02
    unpack: float | None = 2.0
    pack: float | None = 2.0
    flop: float | None = 4.0
    other: float = 0.5
    packs: Weights = field(default_factory=lambda: dict.fromkeys(PACKS, 1.0))
    unit_faults: float = 0.02

    def __post_init__(self) -> None:
        _check(self)


_NAMES: Final = {
    "ops": OPS,
    "targets": TARGETS,
    "towards": tuple(_SETS),
    "wide": WIDE,
    "narrow": NARROW,
    "masks": MASKS,
    "gaps": GAPS,
    "packs": PACKS,
}


def _check(knobs: Knobs) -> None:
    for knob in fields(Knobs):
        value = getattr(knobs, knob.name)
        if knob.name in _NAMES:
            if unknown := set(value) - set(_NAMES[knob.name]):
                raise ValueError(f"knob {knob.name}: unknown {sorted(unknown)}")
            if min(value.values(), default=0) < 0 or sum(value.values()) <= 0:
                raise ValueError(f"knob {knob.name}: weights must be positive in sum, none below 0")
        elif knob.name in ("unpack", "pack", "flop"):
            if value is not None and value < 0:
                raise ValueError(f"knob {knob.name}: {value} is below 0")
        elif not 0 <= value <= 1:
            raise ValueError(f"knob {knob.name}: {value} is not a share between 0 and 1")


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
