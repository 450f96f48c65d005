# SPDX-License-Identifier: Apache-2.0
"""What the random tests draw from: the tables of :mod:`tables`, with weights of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    by,
    chance,
    choice,
    uniform,
)
from tilepath.sequences.pack.disturbances import DISTURB
from tilepath.sequences.pack.tables import (
    DATA,
    FAULT,
    LOAD,
    MOD,
    RANGE,
    RUN,
    SCENE,
    SETREG,
    SETUP,
    STEP,
    TILE,
    WRITES,
)

_LATENCIES: Final = ("one", "short", "any")
_READY: Final = ("always", "mostly", "half", "rarely", "bursts")
LATENCY: Final = Table(
    "latency",
    latencies=choice(_LATENCIES, {"one": 1.0, "short": 2.0, "any": 1.0}),
    latency=by("latencies", {"one": 1, "short": uniform(1, 6), "any": uniform(1, 31)}),
    cycles=uniform(1, 299),
).aimed(latency=("sum.latency", "source.latency"))
"""Latency of L1."""

READIES: Final = Table(
    "readies",
    ready=choice(_READY, {"always": 4.0, "mostly": 2.0, "half": 1.0, "rarely": 0.3, "bursts": 1.0}),
).aimed(ready=("port.*", "closing.packers_that_go_on"))
"""How often ports of L1 are ready: for some hundred cycles each."""
READY_LEVEL: Final = Table(
    "level",
    kind=choice(_READY),
    bits=chance(lambda kind: np.array([1.0, 0.85, 0.5, 0.15, 0.5])[kind], shape=4),
    cycles=by("kind", {("always", "bursts"): uniform(1, 39)}, 1),
)
"""Levels of ``l1_ready``, of each port for itself."""

DST_READ: Final = Table(
    "dst_read",
    rest=uniform(0, 240),
    times=uniform(1, 24),
    first_row=uniform(0, 1023),
    adjacent=uniform(0, 1),
    pair=chance(0.3),
).aimed(times="rows.matrix_bank_waits_x_lane", first_row="rows.matrix_beside_x_lane")
"""Rows that the Matrix Unit gets: ``times`` of them after a rest, one again or adjacent ones."""

BASE: Final = Table(
    "base",
    address=uniform(0, (1 << 24) - 1),
    scaler=uniform(0, 511, shape=4),
    cycles=uniform(50, 799),
)
"""Levels of ``setreg_base``."""

_LEVELS: Final = (LATENCY, READIES, READY_LEVEL, BASE, DST_READ)
_ALL: Final = Tables(
    SETUP, LOAD, DATA, SCENE, WRITES, DISTURB, RUN, RANGE, STEP, SETREG, MOD, FAULT, *_LEVELS
)
_PLAIN: Final[dict[str, Any]] = {
    "edges": 0.0, "threshold": 0.0, "downsample": 0.0, "compressed": 0.0, "accumulate": 0.0,
    "source": 0.0, "setreg": 0.0,
}  # fmt: skip
_SHORT: Final = {"zero": 0.3, "one": 1.0, "few": 3.0, "row": 2.0, "edge": 2.0, "face": 0.2}
_NEVER_READY: Final = {"mostly": 1.0, "half": 2.0, "rarely": 1.0, "bursts": 3.0}

PRESETS: Final[Mapping[str, Tables]] = {
    "random_default": _ALL,
    "random_tile": Tables(SETUP, DATA, SCENE, WRITES, TILE, *_LEVELS).weighted(
        edges=0.15, relu=0.4, accumulate=0.2, threshold=0.05
    ),
    "random_formats": _ALL.weighted(
        **_PLAIN, targets={"any": 1.0}, threads={"one": 1.0}, shift=0.1, zero=0.02, length=(1, 8),
        counts={"row": 2.0, "edge": 1.0, "face": 3.0}, rows=(0, 60), last=0.4,
        values={"random": 1.0, "special": 4.0, "near": 2.0},
    ),
    "random_address": _ALL.weighted(
        **_PLAIN, any_strides=0.9, shift=0.6, override=0.4, anew=0.5, step=0.9, output=0.9,
        limits=0.4, offset=0.6, relative=0.5, other=0.5,
        threads={"one": 1.0, "two": 1.0, "three": 2.0}, counts=_SHORT, length=(1, 20), strided=0.4,
    ),
    "random_edge": _ALL.weighted(
        edges=0.8, relu=0.6, threshold=0.4, downsample=0.4, stats=0.7, clear=0.4, compressed=0.0,
        counts={"few": 1.0, "row": 2.0, "edge": 2.0, "face": 2.0}, shift=0.4,
    ),
    "random_compress": _ALL.weighted(
        compressed=1.0, accumulate=0.0, concat=0.5, source=0.02, last=0.2, counts=_SHORT,
        values={"sparse": 5.0, "zero": 0.5, "special": 1.0, "random": 0.5}, length=(1, 20),
        setreg=0.0,
    ),
    "random_accumulate": _ALL.weighted(
        accumulate=1.0, compressed=0.0, targets={"own": 1.0, "any": 1.0}, output=0.2, limits=0.0,
        formats={"fp32": 2.0, "bf16": 2.0, "fp16": 2.0, "int32": 2.6, "tf32": 0.5, "int8": 0.2},
        values={"random": 1.0, "special": 3.0, "near": 2.0}, second=0.8,
    ),
    "random_pressure": _ALL.weighted(
        ready=_NEVER_READY, latencies={"one": 1.0, "short": 1.0, "any": 3.0}, gap=0.02,
        length=(1, 16), counts={"row": 2.0, "edge": 1.0, "face": 1.0}, compressed=0.2,
        accumulate=0.3, source=0.15, valid=0.5,
    ),
    "random_faults": _ALL.weighted(faults=0.5, setreg=0.1, second=0.8, last=0.15),
}  # fmt: skip
"""The tests of these names use them."""
