# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the packers, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, weights
from tilepath.sequences.pack import cells, dst

TARGETS: Final = ("own", "bfp", "any")
COUNTS: Final = ("zero", "one", "few", "row", "edge", "face")
THREADS: Final = ("one", "two", "three")
LATENCIES: Final = ("one", "short", "any")
READY: Final = ("always", "mostly", "half", "rarely", "bursts")


@dataclass(frozen=True)
class Knobs(BaseKnobs):
    """How the random stimulus looks; the defaults are legal.

    ``formats``: by IF; ``targets``: TO, the format of FROM, a BFP format or any that goes with it;
    ``data``: datums by class (dst.CLASSES); ``counts``: datums of a PACR; ``threads``: how many
    issue in a scene; ``latencies`` and ``ready``: of L1. ``length``: instructions of a scene at
    most; ``rows``: rows of Dst that a scene writes at random.

    Shares of instructions: ``last``, ``flush``, ``zero`` (ZeroWrite), ``concat``, ``override``,
    ``anew`` (X counters are set), ``step`` (AddrMode other than 0), ``shift`` (X0 is not 0),
    ``setreg``, ``gap``, ``strided`` (DstAccessMode, with one packer). Shares of set-ups:
    ``strides``, ``edges``, ``relu``, ``threshold``, ``downsample``, ``compress``, ``accumulate``,
    ``source`` (L1), ``output`` (counters move the address in L1), ``limits``, ``offset``,
    ``relative``, ``e4m3``, ``valid`` (rows that are not), ``stats``. Shares of scenes: ``other``
    (threads use both banks), ``second`` (a second part with open tiles), ``clear`` (histograms).
    ``faults``: set-ups and instructions that are not legal.
    """

    formats: Weights = weights(cells.NAMES)
    targets: Weights = weights(TARGETS, {"own": 2.0, "bfp": 2.0, "any": 2.0})
    data: Weights = weights(
        dst.CLASSES, {"random": 2.0, "special": 3.0, "near": 2.0, "sparse": 0.5}
    )
    counts: Weights = weights(
        COUNTS, {"zero": 0.2, "one": 0.5, "few": 1.5, "row": 3.0, "edge": 2.0, "face": 1.0}
    )
    threads: Weights = weights(THREADS, {"one": 2.0, "two": 1.0, "three": 1.0})
    latencies: Weights = weights(LATENCIES, {"one": 1.0, "short": 2.0, "any": 1.0})
    ready: Weights = weights(
        READY, {"always": 4.0, "mostly": 2.0, "half": 1.0, "rarely": 0.3, "bursts": 1.0}
    )
    length: int = number(14, least=1)
    rows: int = number(24, least=0)
    last: float = share(0.25)
    flush: float = share(0.05)
    zero: float = share(0.08)
    concat: float = share(0.15)
    override: float = share(0.15)
    anew: float = share(0.3)
    step: float = share(0.6)
    shift: float = share(0.25)
    setreg: float = share(0.02)
    gap: float = share(0.1)
    strided: float = share(0.2)
    strides: float = share(0.3)
    edges: float = share(0.2)
    relu: float = share(0.35)
    threshold: float = share(0.15)
    downsample: float = share(0.15)
    compress: float = share(0.1)
    accumulate: float = share(0.1)
    source: float = share(0.06)
    output: float = share(0.4)
    limits: float = share(0.15)
    offset: float = share(0.25)
    relative: float = share(0.3)
    e4m3: float = share(0.3)
    valid: float = share(0.1)
    stats: float = share(0.5)
    other: float = share(0.3)
    second: float = share(0.3)
    clear: float = share(0.15)
    faults: float = share(0.0, faulty=True)


_PLAIN: Final = {
    "edges": 0.0, "threshold": 0.0, "downsample": 0.0, "compress": 0.0, "accumulate": 0.0,
    "source": 0.0, "setreg": 0.0,
}  # fmt: skip
_FLOATS: Final = {name: 1.0 for name in cells.NAMES if not name.startswith("int")}
_SHORT: Final = {"zero": 0.3, "one": 1.0, "few": 3.0, "row": 2.0, "edge": 2.0, "face": 0.2}
_NEVER_READY: Final = {"mostly": 1.0, "half": 2.0, "rarely": 1.0, "bursts": 3.0}

PRESETS: Final[Mapping[str, Knobs]] = {
    "random_default": Knobs(),
    "random_tile": Knobs(edges=0.15, relu=0.4, accumulate=0.2, threshold=0.05),
    "random_formats": Knobs(
        **_PLAIN, targets={"any": 1.0}, threads={"one": 1.0}, shift=0.1, zero=0.02, length=8,
        counts={"row": 2.0, "edge": 1.0, "face": 3.0}, rows=60, last=0.4,
        data={"random": 1.0, "special": 4.0, "near": 2.0},
    ),
    "random_address": Knobs(
        **_PLAIN, strides=0.9, shift=0.6, override=0.4, anew=0.5, step=0.9, output=0.9, limits=0.4,
        offset=0.6, relative=0.5, other=0.5, threads={"one": 1.0, "two": 1.0, "three": 2.0},
        counts=_SHORT, length=20, strided=0.4,
    ),
    "random_edge": Knobs(
        edges=0.8, relu=0.6, threshold=0.4, downsample=0.4, stats=0.7, clear=0.4, compress=0.0,
        counts={"few": 1.0, "row": 2.0, "edge": 2.0, "face": 2.0}, shift=0.4,
    ),
    "random_compress": Knobs(
        compress=1.0, accumulate=0.0, concat=0.5, source=0.02, last=0.2, counts=_SHORT,
        data={"sparse": 5.0, "zero": 0.5, "special": 1.0, "random": 0.5}, length=20, setreg=0.0,
    ),
    "random_accumulate": Knobs(
        accumulate=1.0, compress=0.0, targets={"own": 1.0, "any": 1.0}, output=0.2, limits=0.0,
        formats={"fp32": 2.0, "bf16": 2.0, "fp16": 2.0, "int32": 2.0, "tf32": 0.5, "int8": 0.2},
        data={"random": 1.0, "special": 3.0, "near": 2.0}, second=0.8,
    ),
    "random_pressure": Knobs(
        ready=_NEVER_READY, latencies={"one": 1.0, "short": 1.0, "any": 3.0}, gap=0.02, length=16,
        counts={"row": 2.0, "edge": 1.0, "face": 1.0}, compress=0.2, accumulate=0.3, source=0.15,
        valid=0.5,
    ),
    "random_faults": Knobs(faults=0.5, setreg=0.1),
}  # fmt: skip
"""The tests of these names use them."""
