# SPDX-License-Identifier: Apache-2.0
"""Every bin can be hit: directed stimulus for all of them, in both profiles.

The scenarios are small on purpose: they also say what the hard bins need.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tilepath.tb.kernel.coverage.report import CoverageReport
from tilepath.tests.frontend.model_reference import EXP, IDLE, TRANS
from tilepath.tests.frontend.test_coverage_bench import (
    MOP1,
    MOP_CFG,
    NOP,
    PLAIN,
    Port,
    Script,
    mop0,
    one,
    pushing,
    replay,
)
from tilepath.tests.frontend.test_coverage_mop_scenarios import (
    BUGS,
    LAST,
    LONG,
    A,
    last_replays,
    loops,
    mops,
    replays_in_mops,
    slots,
    stalls,
    t0_chain,
    t1_flags,
    transitions,
)

CLASS_WORDS = (
    0x45000000, 0x40000000, 0x42000000, 0x41000000, 0xB0000000, 0xA3000000, 0x50000000,
    0x70000000, 0x26000000,
)  # fmt: skip


def replay_counts(p: Port) -> Iterator[None]:
    """All counts and indices, recorded and played."""
    yield from p.push(replay(9, 2), replay(9, 2, 0, 1))
    for count, index in product((0, 1, 2, 5, 31, 32, 33, 40, 63), (0, 1, 31)):
        n = count or p.thread.p.replay_count0
        for execute in (0, 1):
            yield from p.push(replay(index, count, 1, execute), *([PLAIN] * n))
        yield from p.push(replay(index, count))
    yield from p.settle()


def recorded(p: Port) -> Iterator[None]:
    """Words of each kind from each source, last words of sessions, and their playback."""
    for execute, word in product((0, 1), (MOP1, MOP_CFG, PLAIN, replay(3, 2))):
        load = replay(4, 2, 1, execute)
        yield from p.config(*loops(1, 2, word, last0=word))
        yield from p.push(load, MOP1)  # ends with the expansion
        yield from p.settle()
        yield from p.push(replay(4, 2))
        yield from p.settle()
        yield from p.push(replay(4, 1, 1, execute), MOP1)  # ends within it
        yield from p.settle()
        yield from p.push(load)
        yield from p.gap(4)
        for _ in range(2):
            p.brisc(word)
            yield from p.gap(6)
        yield from p.push(replay(5, 1, 1, execute), replay(1, 1))
        yield from p.settle()


def sessions(p: Port) -> Iterator[None]:
    """Gaps in sessions, operations back to back, regions against each other."""
    for execute, gap in product((0, 1), (0, 1, 5)):
        yield from p.push(replay(0, 2, 1, execute), PLAIN)
        yield from p.gap(gap)
        yield from p.push(PLAIN)
        yield from p.settle()
    for execute, count in product((0, 1), (1, 3)):
        load = (replay(7, 1, 1, execute), PLAIN)
        yield from p.push(*load, replay(7, count), *load, replay(6, count), *load, *load)
        yield from p.settle()
    for first, second in product((1, 3), repeat=2):
        yield from p.push(replay(0, first), replay(0, second))
        yield from p.settle()
    both = (replay(7, 1, 1), PLAIN, replay(7, 1, 1, 1), PLAIN, replay(7, 1, 1), PLAIN)
    yield from p.push(*both)
    for index, count in ((0, 4), (8, 4), (8, 4), (7, 6), (8, 2), (9, 2)):
        yield from p.push(replay(index, count, 1), *([PLAIN] * count))
    yield from p.settle()


def stalled(p: Port) -> Iterator[None]:
    """R full, then with one word, in each state of the replay expander."""
    for load in (replay(0, 4), replay(0, 8, 1), replay(0, 8, 1, 1)):
        p.ready(0)
        yield from p.push(PLAIN, PLAIN, load, *([PLAIN] * 3))
        yield from p.gap(8)
        p.ready(1)
        yield from p.gap(1)
        p.ready(0)
        yield from p.push(*([PLAIN] * 5))
        p.ready(1)
        yield from p.settle()


def syncs(p: Port) -> Iterator[None]:
    """mop_sync in each state, with and without a MOP queued, and MopCfg writes around it."""
    yield from p.config(*loops(2, 6))
    for state, queued in product((IDLE, EXP, TRANS), (0, 1)):
        words = (MOP1, MOP1) if queued and state == EXP else (MOP1,)
        if queued and state != EXP:
            p.ready(0)  # M full: the second MOP stays in the FIFO
            fill = 10 if state == IDLE else 7
            yield from p.config(1, 3)
            yield from p.push(*([PLAIN] * fill))
            yield from p.gap(14)
            words = (MOP1, MOP1) if state == TRANS else words
        for word in words:
            p.offer(word)
        yield from p.until(
            lambda s=state, q=queued: (
                p.thread.mop_state == s  # type: ignore[misc]
                and q == any(w >> 24 == 1 for w, _ in p.thread.fifo)
            )
        )
        p.sync()
        yield from p.gap(3)
        p.ready(1)
        yield from p.settle()
    for offset in (-1, 0, 1):  # request and acknowledge in one cycle
        for t in range(-1, 2):
            if t == offset:
                p.write(8, A)
            if t == 0:
                p.sync()
            yield
        yield from p.gap(3)
    p.sync()
    yield from p.push(MOP1)  # accepted in the cycle of the acknowledge
    yield from p.settle()


def brisc_in_states(p: Port) -> Iterator[None]:
    """BRISC words of each kind in each state of the expander, with and without a collision."""
    yield from p.config(*loops(2, 6))
    for word, state in product((MOP1, MOP_CFG, PLAIN, replay()), (IDLE, EXP, TRANS)):
        if state != IDLE:
            p.offer(MOP1)
            yield from p.until(lambda s=state: p.thread.mop_state == s)  # type: ignore[misc]
        p.brisc(word)
        yield from p.settle()
    for word in (PLAIN, MOP1):  # the word that passes, and the first of an expansion
        yield from p.push(word)
        p.brisc(PLAIN)
        yield from p.settle()
    p.ready(0)
    yield from p.push(*([PLAIN] * 12))
    yield from p.gap(10)
    p.brisc(PLAIN)  # waits for M
    yield from p.gap(5)
    p.ready(1)
    yield from p.settle()
    for load in (replay(0, 20), replay(0, 3, 1), replay(0, 3, 1, 1)):
        yield from p.push(load)
        yield from p.gap(4)
        p.brisc(PLAIN)
        yield from p.gap(20)
        yield from p.push(*([PLAIN] * 3))
        yield from p.settle()


def all_faults(p: Port) -> Iterator[None]:
    """A MOP that emits MOP words, collisions and MopCfg writes on top."""
    yield from p.config(*loops(3, 30, MOP1, last0=MOP1, last1=MOP1))
    yield from p.push(MOP1)
    yield from p.gap(6)
    for race, collide in ((1, 0), (0, 1), (1, 1)):
        if race:
            p.write(8, MOP1)
        if collide:
            p.brisc(MOP1)
        yield from p.gap(4)
    yield from p.settle()


def collision_only(p: Port) -> Iterator[None]:
    yield from p.push(PLAIN)
    p.brisc(PLAIN)
    yield from p.settle()


def race_and_collision(p: Port) -> Iterator[None]:
    """Both in one cycle, with nothing illegal: the sticky bits rise together."""
    yield from p.config(*loops(3, 5))
    yield from p.push(MOP1)
    yield from p.gap(6)
    p.write(8, A)
    p.brisc(PLAIN)
    yield from p.settle()


def illegal_words(p: Port) -> Iterator[None]:
    """Each kind of illegal word, with issue_ready low and high."""
    yield from p.config(*loops(1, 1, last0=replay(0, 1)))
    yield from p.push(replay(0, 1, 1), MOP1)  # a stored REPLAY, played as it is
    yield from p.settle()
    for ready in (1, 0):
        p.ready(ready)
        yield from p.push(0x05000000, 0xFF000000, replay(0, 1))
        yield from p.gap(4)
        for word in (MOP1, MOP_CFG):
            p.brisc(word)
            yield from p.gap(4)
    p.ready(1)
    yield from p.settle()


def racing_writes(p: Port) -> Iterator[None]:
    """MopCfg writes of each index in each state, and around the ingest of both templates."""
    for index in range(10):
        p.write(9, NOP)
        yield
        yield from p.config(*loops(1, 6))
        p.offer(MOP1)
        for state in (EXP, TRANS):
            yield from p.until(lambda s=state: p.thread.mop_state == s)  # type: ignore[misc]
            p.write(index, NOP)
        yield from p.settle()
    yield from p.config(*loops(1, 6))
    for word in (MOP1, mop0(5)):
        for place in range(3):
            p.offer(word)
            for t in range(3):
                if t == place:
                    p.write(8, A)
                yield
            yield from p.settle()


def class_bits(p: Port) -> Iterator[None]:
    """Words of each class queued in each state of both expanders, then all gone again."""
    for first in (NOP, MOP1, replay(0, 32), replay(0, 32, 1), replay(0, 32, 1, 1)):
        yield from p.config(*loops(1, 40))
        yield from p.push(first, *CLASS_WORDS, *CLASS_WORDS, replay(0, 2))
        yield from p.push(*([NOP] * 30))
        yield from p.settle()
    for word in CLASS_WORDS:
        yield from p.push(word)
        yield from p.settle()


def fifo_levels(p: Port) -> Iterator[None]:
    """Every level of FIFO and M, with and without a push and a pop."""
    p.ready(0)
    yield from p.push(*([PLAIN] * 40))  # 10 in M and R, 30 here
    yield from p.gap(4)
    yield from p.push(PLAIN)  # level 31, and stays there
    yield from p.gap(4)
    for _ in range(4):  # full: offered without a pop, then with pops
        p.offer(PLAIN)
    yield from p.gap(4)
    p.ready(1)
    yield from p.gap(12)
    p.ready(0)
    yield from p.gap(12)
    for word in (PLAIN, PLAIN, PLAIN):
        yield from p.push(word)
        yield from p.gap(3)
    p.ready(1)
    yield from p.settle()
    yield from p.push(*([PLAIN] * 4))
    yield from p.settle()


SCENARIOS: dict[str, tuple[Script, ...]] = {
    "t1_flags": (t1_flags,),
    "t1_long": (mops(*LONG),),
    "t1_bug": (mops(*BUGS),),
    "t1_last": (mops(*LAST),),
    "slots": (slots,),
    "t1_immediates": tuple(pushing(MOP1 | x) for x in (0x10000, 1, 0x10001)),
    "t0_chain": (t0_chain,),
    "transitions": (transitions,),
    "last_replays": (last_replays,),
    "stalls": (stalls,),
    "replays_in_mops": (replays_in_mops,),
    "replay_counts": (replay_counts,),
    "recorded": (recorded,),
    "sessions": (sessions,),
    "stalled": (stalled,),
    "syncs": (syncs,),
    "brisc": (brisc_in_states,),
    "faults": (all_faults,),
    "collision": (collision_only,),
    "race_and_collision": (race_and_collision,),
    "illegal": (illegal_words,),
    "racing_writes": (racing_writes,),
    "classes": (class_bits,),
    "fifo": (fifo_levels,),
}


def merged(profile: str) -> CoverageReport:
    """Coverage of all scenarios; nothing called impossible happened."""
    total: CoverageReport | None = None
    for script in (s for some in SCENARIOS.values() for s in some):
        model = one(script, profile=profile, busy=(0, 0, 1)).coverage()
        assert model.contradicted() == []
        report = model.report()
        total = report if total is None else total.merged(report)
    assert total is not None
    return total


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_every_bin_is_hit(profile: str) -> None:
    assert merged(profile).missing() == []
