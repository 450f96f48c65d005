# SPDX-License-Identifier: Apache-2.0
"""Where the compiled loop of a machine returns to Python, and goes on behind it."""

from __future__ import annotations

import itertools
import random
import signal
from collections.abc import Callable

import pytest

from tilepath.isa import assemble
from tilepath.models import Event, Fault, Machine
from tilepath.models.machine import items as I
from tilepath.models.machine.state import ISSUED_ROOM, PASSES, TOLD_ROOM

NOP, MOP1, ILLEGAL = assemble("NOP"), assemble("MOP 1,0,0"), 0x05000000
INC_Z0 = assemble("INCADCZW 1,0,0,0,1")
LONGEST = 127 * 127


def looping(word: int = INC_Z0) -> Machine:
    """A machine whose MOPs of thread 0 are ``LONGEST`` words."""
    m = Machine()
    m.mop_cfg[0][:] = [127, 127, NOP, NOP, NOP, word, NOP, word, word]
    return m


def doors(m: Machine, words: list[int]) -> list[Callable[[], object]]:
    """What executes words of thread 0."""
    return [lambda: m.push(0, words), lambda: m.run([words])]


@pytest.mark.parametrize("door", [0, 1])
def test_more_is_told_than_there_is_room_for(door: int) -> None:
    m = Machine()
    words = [ILLEGAL + n for n in range(3 * TOLD_ROOM)]
    doors(m, words)[door]()
    assert m.events == [Event("illegal_word_retired", 0, word) for word in words]
    assert m.faults == [Fault("illegal", 0, word) for word in words]
    assert m.issued[0].tolist() == words


@pytest.mark.parametrize("door", [0, 1])
def test_more_issues_than_there_is_room_for(door: int) -> None:
    m = looping()
    doors(m, [MOP1, ILLEGAL])[door]()
    assert m.issued[0].tolist() == [INC_Z0] * LONGEST + [ILLEGAL]
    assert len(m.faults) == 1 and LONGEST > 2 * ISSUED_ROOM
    assert int(m.adc.live[0, 0, 0, 2]) == LONGEST % 256


def test_a_core_goes_on_while_its_queue_is_long() -> None:
    """All of a MOP is queued at once, behind a wait too."""
    m = looping()
    held = assemble("SEMWAIT 511, 2, 1")
    run = m.run([[held, *[MOP1] * 20, I.Post(4)], [I.Poll(4, ">=", 1), I.Post(1)]])
    assert run.end == "done" and m.issued[0].size == 20 * LONGEST + 1


def test_a_store_that_is_refused_comes_in_its_turn() -> None:
    m = Machine()
    refused, other = I.Store(0xFFEF0000 + 4 * 4, 1), [INC_Z0] * 3
    with pytest.raises(ValueError, match="STATE_RESET"):
        m.run([[I.Post(2), refused, I.Post(2)], other])
    assert m.read_semaphore(2) == 1 and int(m.adc.live[1, 0, 0, 2]) == 1


def test_a_hook_sees_all_that_came_before_and_may_push() -> None:
    m = Machine()
    seen = []

    def look(thread: int, word: int) -> None:
        seen.append((thread, word, len(m.faults), int(m.adc.live[0, 0, 0, 2])))
        if len(seen) == 3:
            m.on_issue = None
            m.push(0, [INC_Z0, NOP])

    m.on_issue = look
    m.run([[ILLEGAL, INC_Z0, INC_Z0, INC_Z0]])
    assert seen == [(0, ILLEGAL, 0, 0), (0, INC_Z0, 1, 0), (0, INC_Z0, 1, 1)]
    assert int(m.adc.live[0, 0, 0, 2]) == 4
    assert m.issued[0].tolist() == [ILLEGAL, *[INC_Z0] * 4, NOP]


def test_a_hook_stops_a_run() -> None:
    m = Machine()
    m.on_issue = [].pop  # type: ignore[assignment]
    with pytest.raises(TypeError):
        m.run([[INC_Z0] * 3])
    m.on_issue = None
    assert not m.adc.live.any() and m.run([[INC_Z0]]).steps == 1


def test_a_seed_draws_every_pass() -> None:
    m = Machine()
    seen: list[int] = []
    m.on_issue = lambda thread, _: seen.append(thread)
    m.run([[NOP] * 2 * PASSES] * 3, 7)
    draw, orders = random.Random(7), list(itertools.permutations(range(3)))
    assert seen == [thread for _ in range(2 * PASSES) for thread in draw.choice(orders)]


@pytest.mark.parametrize("limit", [0, PASSES - 1, PASSES, 3 * PASSES + 1])
def test_a_limit_is_met_wherever_it_is(limit: int) -> None:
    m = Machine()
    run = m.run([[INC_Z0] * 5 * PASSES], limit=limit)
    assert (run.end, run.steps) == ("limit", limit) and int(m.adc.live.sum()) == limit % 256


@pytest.mark.parametrize("door", [0, 1])
def test_ctrl_c_comes_through(door: int) -> None:
    m = looping()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            doors(m, [MOP1] * 100_000)[door]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert m.push(0, NOP).tolist() == m.push(0, [NOP]).tolist() == [NOP]
    assert m.run([[NOP]]).steps == 1
