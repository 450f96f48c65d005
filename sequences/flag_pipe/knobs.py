# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus of the flag pipe, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, weights

MASKS: Final = ("c2v", "v2c", "both")
BEATS: Final = ("1", "2", "3", "4", "16", "long")
RATES: Final = ("none", "short", "medium", "long")
READY: Final = ("always", "light", "heavy", "bursts")
LATENCIES: Final = ("one", "short", "any")


@dataclass(frozen=True)
class Knobs(BaseKnobs):
    """How the random stimulus looks; the defaults are legal.

    ``masks``: direction mask of each pair; ``beats``: of a slot; ``rates``: gaps of each core in a
    scene; ``ready`` and ``latencies``: of each memory port. ``length``: commands of a scene at
    most. Shares: ``burst`` (the next command is of the same core and pair), ``single`` (scenes of
    one pair), ``late`` (the second INIT comes after the first command that waits for it), ``keep``
    (no clear before a scene), ``drain`` (at the end of a scene), ``edge`` (tiles and rings at the
    begin or the end of their memory), ``noise`` (operands that are ignored are random).
    With errors: ``errors`` (commands), ``mismatch`` (pairs whose endpoints differ), ``busy``
    (scenes with a clear that is refused).
    """

    masks: Weights = weights(MASKS)
    beats: Weights = weights(
        BEATS, {"1": 1.0, "2": 1.0, "3": 1.0, "4": 2.0, "16": 1.0, "long": 0.2}
    )
    rates: Weights = weights(RATES, {"none": 3.0, "short": 2.0, "medium": 1.5, "long": 0.7})
    ready: Weights = weights(READY, {"always": 4.0, "light": 1.0, "heavy": 0.5, "bursts": 0.5})
    latencies: Weights = weights(LATENCIES, {"one": 2.0, "short": 1.0, "any": 0.5})
    length: int = number(60, least=1)
    burst: float = share(0.6)
    single: float = share(0.15)
    late: float = share(0.3)
    keep: float = share(0.15)
    drain: float = share(0.7)
    edge: float = share(0.3)
    noise: float = share(0.8)
    errors: float = share(0.0, faulty=True)
    mismatch: float = share(0.0, faulty=True)
    busy: float = share(0.0, faulty=True)


_FAST: Final = {"always": 1.0}
_ONE: Final = {"one": 1.0}

PRESETS: Final[Mapping[str, Knobs]] = {
    "random_default": Knobs(),
    "random_bidirectional": Knobs(
        masks={"both": 1.0}, beats={"1": 1.0, "2": 1.0, "4": 1.0}, burst=0.4, single=0.05,
        rates={"none": 4.0, "short": 2.0}, ready=_FAST, latencies=_ONE,
    ),
    "random_rates": Knobs(
        rates={"none": 2.0, "short": 1.0, "medium": 2.0, "long": 2.0}, burst=0.8, ready=_FAST,
        latencies=_ONE, masks={"c2v": 2.0, "v2c": 2.0, "both": 1.0}, length=90,
    ),
    "random_pressure": Knobs(
        ready={"light": 1.0, "heavy": 1.0, "bursts": 1.0}, rates={"none": 3.0, "short": 1.0},
        latencies={"one": 1.0, "short": 2.0, "any": 2.0}, beats={"3": 1.0, "4": 2.0, "16": 2.0},
    ),
    "random_errors": Knobs(
        errors=0.35, mismatch=0.2, busy=0.4, length=40, beats={"1": 2.0, "2": 1.0, "4": 1.0},
        late=0.5, keep=0.3, rates={"none": 2.0, "short": 1.0, "medium": 0.3},
    ),
}  # fmt: skip
"""The tests of these names use them."""
