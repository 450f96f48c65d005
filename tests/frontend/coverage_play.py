# SPDX-License-Identifier: Apache-2.0
"""Short plays for the coverage tests: what RTL that keeps the contract records of thread 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tilepath.models.frontend import FrontendModel
from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tb.frontend.streams import STREAMS
from tilepath.tb.kernel.description.stream import Records, stream_table
from tilepath.tests.coverage_runs import fed, recorded
from tilepath.tests.frontend.model_helpers import NOP, seen, streams

TABLE = stream_table(STREAMS)
DMANOP = 0x60000000
MOP_CFG = 0x03000000
PLAIN = 0x70000000  # an SFPLOAD
A, B, C = (PLAIN + n for n in range(1, 4))
START = 10  # cycle of the first push, behind the writes of MopCfg
Rows = Iterable[Sequence[int]]


def mop0(count1: int, mask: int = 0) -> int:
    """A MOP of template 0."""
    return 0x01000000 | count1 << 16 | mask & 0xFFFF


def record(index: int = 0, count: int = 1, execute: int = 0) -> int:
    """A REPLAY that loads."""
    return 0x04000001 | index << 14 | count << 4 | execute << 1


def loops(
    outer: int, inner: int, loop: int = A, loop1: int = NOP, start: int = NOP, end0: int = NOP,
    end1: int = NOP, last0: int = B, last1: int = C,
) -> tuple[int, ...]:  # fmt: skip
    """MopCfg for template 1, in its order."""
    return outer, inner, start, end0, end1, loop, loop1, last0, last1


@dataclass
class Play:
    """Words pushed as early as can be, or ``(cycle, word)``; MopCfg; the other inputs as rows."""

    push: Sequence[int | tuple[int, int]] = ()
    cfg: Sequence[int] = ()
    mopcfg: Rows = ()  # on top of ``cfg``
    sync: Rows = ()
    brisc: Rows = ()
    ready: Rows = ((0, 1),)
    cycles: int = 400
    profile: str = "baseline"
    threads: int = 1  # how many of them do this

    def streams(self) -> dict[str, Records]:
        """Of all threads, as recorders have them."""
        push = [x if isinstance(x, tuple) else (START + n, x) for n, x in enumerate(self.push)]
        config = [(n, n, data) for n, data in enumerate(self.cfg)]
        own = {
            "push": push, "mopcfg": [*config, *self.mopcfg], "sync": self.sync,
            "brisc": self.brisc, "ready": self.ready,
        }  # fmt: skip
        threads = range(self.threads)
        inputs = streams({f"t{n}.{name}": rows for n in threads for name, rows in own.items()})
        return recorded(TABLE, seen(inputs, self.cycles, self.profile))

    def coverage(self, cuts: Sequence[int] = ()) -> FrontendCoverage:
        """What has seen the play, cut into blocks at ``cuts``."""
        golden = FrontendModel(self.profile)
        return fed(FrontendCoverage(self.profile), self.streams(), self.cycles, cuts, golden)

    def counts(self, point: str) -> dict[str, int]:
        """The bins of a point."""
        return self.coverage().report().points[point]
