# SPDX-License-Identifier: Apache-2.0
"""Rates of the unpackers in cycles, from traces: what Throttle_mode and both at once leave of L1.

One checked run of phases. In each, one unpacker or both get UNPACRs of 256 BF16 datums that follow
one another as closely as the unpacker is ready; L1 answers after four cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tilepath import isa
from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.description.stream import Records
from tilepath.engine.host.request import RunRequest
from tilepath.sequences.unpack import TESTS
from tilepath.sequences.unpack.config import Setup
from tilepath.tb.unpack import items
from tilepath.tests.bench.measure import recorded_of
from tilepath.tests.cosim_runs import between

LINES: Final = (1, 2, 4)
"""What Throttle_mode 0, 1 and 2 want, in lines of 16 bytes."""
# wants of unpacker 0 and 1 → grants of unpacker 0 and 1: docs/unpack.md section 4
GRANTS: Final = {
    (1, 1): (1, 1), (2, 1): (2, 1), (4, 1): (4, 1),
    (1, 2): (1, 2), (2, 2): (1, 1), (4, 2): (2, 1),
    (1, 4): (1, 4), (2, 4): (1, 2), (4, 4): (2, 2),
}  # fmt: skip
PHASES: Final = [(want, 0) for want in LINES] + [(0, want) for want in LINES] + list(GRANTS)
COUNT: Final = 40  # instructions of an unpacker in a phase
LEAST: Final = 0.95
_LAST_SETUP_WORD: Final = 0  # written last in each phase, and not read: the phases' mark


@dataclass(frozen=True)
class Tier:
    """One unpacker in one phase: bytes that it fetched in a cycle, and could have at most."""

    unpacker: int
    wants: tuple[int, int]  # of unpacker 0 and 1, in lines; 0: it has nothing to do
    bytes_per_cycle: float
    most: int

    @property
    def share(self) -> float:
        """Return the share of what there is."""
        return self.bytes_per_cycle / self.most


def _stimulus(_context: Context) -> Stimulus:
    """Each phase begins when all instructions of the one before are finished."""
    parts: dict[str, list[Items]] = {"cfg": [], "t0.issue": [], "t1.issue": []}
    x1 = isa.encode("SETADCXX", target=3, x1_val=255)
    done = 0
    for wants in PHASES:
        words: dict[int, int] = {}
        for u, want in enumerate(wants):
            if want:
                words |= Setup(throttle=LINES.index(want)).words(u)
        words[_LAST_SETUP_WORD] = 0
        index, value = list(words), list(words.values())
        parts["cfg"].append(
            items.cfg(1, index, value, idle=items.ALL_IDLE, after=items.after_all(done))
        )
        done += len(words)
        ready = items.after_all(done)
        for u, want in enumerate(wants):
            if want:
                unpack = isa.encode("UNPACR", unpacker=u, last=1)
                issued = [x1, *[unpack] * COUNT]
                parts[f"t{u}.issue"].append(items.issue(issued, after=ready))
                done += len(issued)
    return {name: iter([np.concatenate(some)]) for name, some in parts.items()}


TEST: Final = TestSpec("tiers", "rates of the unpackers", "directed", _stimulus, faults=ANY)


def measure(sim: str, out_dir: Path) -> list[Tier]:
    """Run all phases under ``sim``; raises :class:`BenchError` unless RTL and model agree."""
    request = RunRequest("unpack", TEST.name, 1, sim, out_dir=out_dir)
    return list(_tiers(recorded_of(request, TESTS, TEST)))


def _tiers(streams: dict[str, Records]) -> Iterator[Tier]:
    cfg = streams["cfg"]
    begins = [int(c) for c in cfg["cycle"][cfg["index"] == _LAST_SETUP_WORD]]
    assert len(begins) == len(PHASES)
    for wants, begin, end in zip(PHASES, begins, [*begins[1:], 1 << 32], strict=True):
        reads = {
            u: between(streams[f"u{u}.read"], begin, end) for u, want in enumerate(wants) if want
        }
        # only while all of them have something to do
        first = max(int(r["cycle"][0]) for r in reads.values())
        last = min(int(r["cycle"][-1]) for r in reads.values())
        for u, r in reads.items():
            lines = int(between(r, first, last + 1)["count"].sum(dtype=np.int64))
            most = GRANTS[wants][u] if len(reads) == 2 else wants[u]
            rate = lines * items.LINE_BYTES / (last + 1 - first)
            yield Tier(u, wants, rate, most * items.LINE_BYTES)
