# SPDX-License-Identifier: Apache-2.0
"""The knobs of constrained random stimulus (frontend-config section 7), and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, tilted, weights

SEGMENTS: Final = (
    "config", "consume", "accumulate", "streamwrcfg", "state", "wait", "streamwait", "semaphore",
    "mutex", "scalar", "units", "others", "fault",
)  # fmt: skip
GAPS: Final = ("none", "sparse", "frequent", "long")
WORK: Final = ("none", "short", "long")

_SEGMENTS: Final = {name: 1.0 for name in SEGMENTS if name != "fault"}


@dataclass(frozen=True)
class Knobs(BaseKnobs):
    """How random stimulus looks. The defaults are the default constraints: nothing is a fault.

    ``segments``: which pieces of program follow one another; see ``random_program``.
    ``gaps``: idle cycles between a thread's words.
    ``hot``: share of configuration indices, GPRs and registers that are drawn from a few, which
    all threads and the cores share; the others are drawn from all.
    ``risc_gap``, ``sem_gap``: mean idle cycles between accesses of the cores to configuration and
    to semaphores. Semaphore accesses never cease: they release the threads that wait.
    ``stream_gap``: mean idle cycles between writes of stream registers.
    ``forced``: share of the time in which some condition is forced to be busy; ``forced_bits``: how
    many at once, at most. ``stalled``: share of the time in which some unit is not ready.
    ``stream_busy``: share of the cycles with ``stream_busy``.
    ``work``: how long words keep units busy.
    ``faults``: share of RISC accesses that are faults. (Of words: segment ``fault``.)
    """

    segments: Weights = weights(SEGMENTS, _SEGMENTS, legal=_SEGMENTS)
    gaps: Weights = weights(GAPS, {"none": 6, "sparse": 2, "frequent": 1, "long": 0.2})
    hot: float = share(0.8)
    risc_gap: int = number(20)
    sem_gap: int = number(6)
    stream_gap: int = number(4)
    forced: float = share(0.3)
    forced_bits: int = number(3)
    stalled: float = share(0.15)
    stream_busy: float = share(0.1)
    work: Weights = weights(WORK, {"none": 2, "short": 3, "long": 0.5})
    faults: float = share(0.0, faulty=True)

    def varied(self, thread: int) -> Knobs:
        """These knobs with a mix of its own for ``thread`` (0, 1 or 2); every kind stays."""
        return replace(self, segments=tilted(self.segments, (1.0, 2.0, 0.5), thread, ("fault",)))


_NO_GAPS: Final = {"none": 1.0}

PRESETS: Final[Mapping[str, Knobs]] = {
    "default": Knobs(),
    "mix": Knobs(segments={**_SEGMENTS, "fault": 1.0}, faults=0.05),
    "config": Knobs(
        segments={
            "config": 8,
            "consume": 3,
            "accumulate": 1,
            "streamwrcfg": 2,
            "state": 3,
            "scalar": 1,
            "wait": 0.2,
            "others": 0.5,
        },
        gaps={"none": 6, "sparse": 2},
        risc_gap=6,
        forced=0.1,
        stalled=0.05,
        work={"none": 4, "short": 1},
    ),
    "sync": Knobs(
        segments={"semaphore": 4, "mutex": 4, "wait": 2, "others": 1, "units": 0.5, "config": 0.5},
        gaps={"none": 6, "sparse": 2, "frequent": 0.5},
        sem_gap=3,
        forced=0.1,
        forced_bits=2,
        stalled=0.05,
    ),
    "gate": Knobs(
        segments={
            "wait": 8,
            "streamwait": 2,
            "units": 2,
            "others": 2,
            "scalar": 1,
            "config": 1,
            "semaphore": 1,
            "mutex": 0.5,
        },
        risc_gap=12,
        forced=0.6,
        forced_bits=4,
        stalled=0.3,
        work={"none": 1, "short": 3, "long": 1},
    ),
    "scalar": Knobs(
        segments={
            "scalar": 8,
            "accumulate": 2,
            "config": 3,
            "consume": 1,
            "wait": 0.5,
            "others": 1,
        },
        gaps={"none": 8, "sparse": 1},
        risc_gap=10,
        forced=0.1,
        stalled=0.05,
    ),
    "stream": Knobs(
        segments={"streamwait": 6, "streamwrcfg": 5, "config": 2, "consume": 1, "units": 1},
        gaps={"none": 6, "sparse": 2, "frequent": 0.5},
        stream_gap=1,
        stream_busy=0.4,
        forced=0.1,
        stalled=0.05,
    ),
    "faults": Knobs(
        segments={**_SEGMENTS, "fault": 8},
        gaps=_NO_GAPS,
        risc_gap=8,
        faults=0.5,
    ),
}
"""Named presets; the tests ``random_<name>`` use the one of their name."""
