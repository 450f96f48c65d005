# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: scripts that see a thread's state before they act.

The threads are those of the cycle-by-cycle reference, so that the streams are what an RTL that
keeps the contract records. A script is a generator, resumed at the start of each cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np

from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tb.frontend.streams import STREAMS
from tilepath.tb.kernel.description.stream import Records, stream_table
from tilepath.tests.frontend.model_reference import EXP, IDLE, PASS, Thread

TABLE = stream_table(STREAMS)
NOP = 0x02000000
NOP_JUNK = 0x02000001
DMANOP = 0x60000000
SFPNOP = 0x8F000000
MOP1 = 0x01800000
MOP_CFG = 0x03000000
PLAIN = 0x70000000  # an SFPLOAD
Script = Callable[["Port"], Iterator[None]]


def replay(index: int = 0, count: int = 1, load: int = 0, execute: int = 0) -> int:
    return 0x04000000 | index << 14 | count << 4 | execute << 1 | load


def mop0(count1: int, mask: int = 0) -> int:
    return 0x01000000 | count1 << 16 | mask & 0xFFFF


class Port:
    """What a script may do to its thread in the coming cycle."""

    def __init__(self, thread: Thread, number: int) -> None:
        self.thread = thread
        self.number = number
        self.t = 0

    def offer(self, word: int) -> None:
        self.thread.push.plan.append((0, word))

    def push(self, *words: int) -> Iterator[None]:
        """Push back to back, each word after the one before was accepted."""
        for word in words:
            self.offer(word)
            yield
            while self.thread.push.standing is not None:
                yield

    def write(self, index: int, data: int) -> None:
        self.thread.writes[self.t] = (index, data)

    def config(self, *data: int) -> Iterator[None]:
        """Write MopCfg, from index 0."""
        for index, value in enumerate(data):
            self.write(index, value)
            yield

    def sync(self) -> None:
        self.thread.sync.plan.append((0, 0))

    def brisc(self, word: int) -> None:
        self.thread.brisc.plan.append((0, word))

    def ready(self, value: int) -> None:
        self.thread.ready = [value]

    def idle(self) -> bool:
        """Whether nothing is left to do but issue."""
        th = self.thread
        ports = th.push.plan or th.push.standing or th.brisc.plan or th.brisc.standing is not None
        return not (ports or th.fifo or th.mq) and th.mop_state == IDLE and th.replay_state == PASS

    def expanded(self) -> bool:
        """Whether the FIFO is empty and the MOP expander idle; a record session may be open."""
        return not self.thread.fifo and self.thread.mop_state == IDLE

    def until(self, condition: Callable[[], bool], limit: int = 50000) -> Iterator[None]:
        """Wait; at least until the next cycle."""
        for _ in range(limit):
            yield
            if condition():
                return
        raise AssertionError("condition never came")

    def settle(self) -> Iterator[None]:
        yield from self.until(self.idle)
        for _ in range(4):
            yield

    def gap(self, cycles: int) -> Iterator[None]:
        for _ in range(cycles):
            yield


class Run:
    """Streams of a run, its length, and per thread and cycle the true levels and states."""

    def __init__(
        self,
        scripts: Sequence[Sequence[Script]],
        profile: str = "baseline",
        background: Sequence[Script] = (),
        busy: Sequence[int] = (0,),
        extra: int = 8,
    ) -> None:
        """``scripts``: those of each thread; the run ends ``extra`` cycles after the last ends.

        ``background`` scripts run on every thread that has a script, and may go on for ever.
        """
        self.profile = profile
        threads = [Thread(profile) for _ in range(3)]
        ports = [Port(thread, n) for n, thread in enumerate(threads)]
        play = [s(ports[n]) for n, some in enumerate(scripts) for s in some]
        behind = [s(ports[n]) for n, some in enumerate(scripts) if some for s in background]
        self.truth: list[list[tuple[int, ...]]] = [[], [], []]
        levels: dict[str, list[tuple[int, ...]]] = {f"t{n}.qstatus": [] for n in range(3)}
        levels["sfpu_cc"] = []
        value, shown, cc, t = [0] * 3, [0] * 3, 0, 0
        while play or extra:
            for port in ports:
                port.t = t
            play = [script for script in play if next(script, script) is None]
            for script in behind:
                next(script, None)
            extra -= not play
            for n in range(3):
                if value[n] != shown[n]:
                    shown[n] = value[n]
                    levels[f"t{n}.qstatus"].append((t, value[n]))
            if busy[t % len(busy)] != cc:
                cc = busy[t % len(busy)]
                levels["sfpu_cc"].append((t, cc))
            bits = [thread.queue_bits() for thread in threads]
            common = (bits[0] | bits[1] | bits[2]) << 13 | cc << 11 | cc << 24
            value = [own | common for own in bits]
            for n, th in enumerate(threads):
                self.truth[n].append(
                    (len(th.fifo), len(th.mq), len(th.rq), th.mop_state,
                     th.replay_state + (th.replay_state == 2 and th.exec),
                     th.fifo[0][0] if th.fifo else -1)
                )  # fmt: skip
                th.cycle(t)
            t += 1
        self.cycles = t
        self.streams = {name: _records(name, threads, levels) for name in TABLE}

    def coverage(self, cuts: Sequence[int] = ()) -> FrontendCoverage:
        """Sampled coverage; ``cuts`` are the ends of all blocks but the last."""
        model = FrontendCoverage(self.profile)
        for start, end in pairwise((0, *cuts, self.cycles)):
            model.sample(cut(self.streams, start, end), start, end)
        model.finish()
        return model

    def counts(self, point: str) -> dict[str, int]:
        return self.coverage().report().points[point]


def _records(
    name: str, threads: Sequence[Thread], levels: dict[str, list[tuple[int, ...]]]
) -> Records:
    if name in levels:
        rows = levels[name]
    else:
        number, suffix = int(name[1]), name.partition(".")[2]
        rows = threads[number].out.get(suffix, [])
    stream = TABLE[name]
    fields, words = 1 + len(stream.fields), 1 + stream.payload_words
    return np.array([(*row[:fields], 0)[:words] for row in rows], stream.dtype)


def cut(streams: dict[str, Records], start: int, end: int) -> dict[str, Records]:
    """The records of cycles ``start`` to ``end - 1``."""
    found = {}
    for name, records in streams.items():
        first, last = np.searchsorted(records["cycle"], (start, end))
        found[name] = records[first:last]
    return found


def one(*scripts: Script, profile: str = "baseline", **others: object) -> Run:
    """A run with scripts on thread 0 alone."""
    return Run([scripts, (), ()], profile, **others)  # type: ignore[arg-type]


def pushing(*words: int, config: Sequence[int] = ()) -> Script:
    """Write MopCfg, push the words, wait until all is done."""

    def script(p: Port) -> Iterator[None]:
        yield from p.config(*config)
        yield from p.push(*words)
        yield from p.settle()

    return script


def ready_pattern(*steps: tuple[int, int]) -> Script:
    """Drive issue_ready: (cycles, value), again and again."""

    def script(p: Port) -> Iterator[None]:
        while True:
            for cycles, value in steps:
                p.ready(value)
                yield from p.gap(cycles)

    return script


_WORDS = (
    NOP, NOP_JUNK, DMANOP, SFPNOP, PLAIN, MOP1, MOP_CFG | 5, 0x05000000, 0xFF000000, 0x26000001,
    0x42000000, 0x41000000, 0xB0000000, 0xA3000000, 0x40000000, 0x45000000, 0x50000000,
)  # fmt: skip


def random_script(seed: int, items: int) -> Script:
    """Words of every kind, MopCfg writes at any time, mop_syncs, gaps."""
    r = Random(seed)

    def word() -> int:
        if r.random() < 0.2:
            return replay(r.randrange(32), r.choice((1, 2, 3, 4)), *r.choice(((0,), (1,), (1, 1))))
        return r.choice(_WORDS)

    def script(p: Port) -> Iterator[None]:
        for _ in range(items):
            kind = r.randrange(100)
            if kind < 15:
                yield from p.push(MOP1 | r.choice((0, 0, 5, 0x50000)))
            elif kind < 25:
                counts = r.choice((0, 1, 2, 3, 5, 15, 16, 31, 32))
                yield from p.push(mop0(counts, r.choice((0, 0xFFFF, 0x5555, r.randrange(65536)))))
            elif kind < 33:
                yield from p.push(MOP_CFG | r.choice((0, 0xFFFF, 0x5555, 0x8000)))
            elif kind < 48:
                p.write(0, r.choice((0, 1, 2, 3, 4, 0x81, 0xFF01)))
                yield
                p.write(1, r.choice((0, 1, 2, 3, 0x80)))
                yield
            elif kind < 66:
                p.write(r.randrange(2, 10), word())
                yield
            elif kind < 70:
                p.sync()
                yield
            elif kind < 73:
                yield from p.gap(r.randrange(60))
            else:
                yield from p.push(*(w for w in (word(),) if w != MOP1))

    return script


def random_gate(seed: int) -> Script:
    """Stretches of full speed, single stalls, and long stalls."""
    r = Random(seed)

    def script(p: Port) -> Iterator[None]:
        while True:
            mode = r.randrange(3)
            for _ in range(r.randrange(60 if mode == 2 else 300)):
                p.ready((1, r.randrange(2), 0)[mode])
                yield

    return script


def random_brisc(seed: int) -> Script:
    r = Random(seed)

    def script(p: Port) -> Iterator[None]:
        while True:
            yield from p.gap(r.randrange(200))
            p.brisc(r.choice((*_WORDS, replay(3, 2, 1))))
            yield
            while p.thread.brisc.standing is not None:
                yield

    return script


@cache
def random_run(seed: int, items: int, profile: str = "baseline") -> Run:
    """Three busy threads."""
    scripts = [(random_script(10 * seed + n, items),) for n in range(3)]
    background = (random_gate(seed), random_brisc(seed + 1))
    return Run(scripts, profile, background, busy=[0] * 50 + [1] * 7)


def test_bench_plays_timeline_t2() -> None:
    config = (1, 1, NOP, NOP, NOP, PLAIN, PLAIN + 1, PLAIN + 2)
    run = one(pushing(0x70000009, MOP1, 0x7000000A, config=config))
    assert list(run.streams["t0.mq"]["cycle"] - 8) == [1, 2, 3, 5]
    assert run.truth[0][8 + 3][3] == EXP
