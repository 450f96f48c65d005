# SPDX-License-Identifier: Apache-2.0
"""The address counters' boundary; docs/adc.md section 4 says when each stream records."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.boundary import (
    Boundary,
    Field,
    StateArray,
    Stream,
    faults,
    flags,
)
from tilepath.isa.boundary.control import FLOP

SETS: Final = 3
TARGETS: Final = ("unpacker0", "unpacker1", "packers")

FAULTS: Final = faults("adc", "fault")
UNIT_FAULTS: Final = faults("adc", "unit_fault")

_LIVE_AND_CHECKPOINT: Final = (("live", 16), ("checkpoint", 16))
_COUNTERS: Final = tuple(
    field
    for channel in (0, 1)
    for field in (
        Field(f"x{channel}", 18, alike="counter"),
        Field(f"x{channel}_cr", 18, alike="counter"),
        *(Field(f"{n}{channel}", 32, _LIVE_AND_CHECKPOINT, alike="counter") for n in "yzw"),
    )
)
# ADDR_MOD_PACK (P18): the fields ADDR_MOD_PACK_SEC0_* of isa.config_field and their widths
_ADDR_MOD: Final = (
    ("YsrcIncr", 4),
    ("YsrcCR", 1),
    ("YsrcClear", 1),
    ("YdstIncr", 4),
    ("YdstCR", 1),
    ("YdstClear", 1),
    ("ZsrcIncr", 1),
    ("ZsrcClear", 1),
    ("ZdstIncr", 1),
    ("ZdstClear", 1),
)

# Inputs in the order in which the commands of a cycle apply (A13)
INPUTS: Final = (
    Stream(
        "unpack",
        "input",
        fields=(
            Field("unpacker"),
            Field("thread", 2),  # a set: that of the UNPACR's thread
            Field("adc", 2),  # a set: WhichADC (A10)
            Field("y0", 2),
            Field("z0", 2),
            Field("y1", 2),
            Field("z1", 2),
        ),
    ),
    Stream(
        "pack",
        "input",
        fields=(
            Field("sets", 3, bits=tuple((f"set{number}", 1) for number in range(SETS))),
            Field("addr_mod", 16, bits=_ADDR_MOD),
        ),
    ),
    Stream("flop", "input", fields=FLOP),
    Stream("issue", "input", fields=(Field("word", 32),), copies=SETS),
)
LEVELS: Final = tuple(
    Stream(n, "output", "level", _COUNTERS, SETS, alike="target") for n in TARGETS
)
CONFLICT: Final = Stream(
    "conflict",
    "output",
    fields=(Field("where", 9, bits=tuple((f"t{s}.{k}", 1) for s in range(SETS) for k in TARGETS)),),
)
FAULT: Final = Stream("fault", "output", fields=flags(FAULTS), copies=SETS)

STREAMS: Final = (
    *INPUTS,
    *LEVELS,
    FAULT,
    Stream("unit_fault", "output", fields=flags(UNIT_FAULTS)),
    CONFLICT,
)
# Two channels of X, Y, Z, W in each target of each set
_SHAPE: Final = (len(TARGETS), 2, 4)
STATE: Final = (
    StateArray("live", "u4", _SHAPE, SETS),
    StateArray("checkpoint", "u4", _SHAPE, SETS),
)

BOUNDARY: Final = Boundary("adc", STREAMS, FAULTS + UNIT_FAULTS, STATE)
