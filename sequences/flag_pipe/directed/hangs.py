# SPDX-License-Identifier: Apache-2.0
"""Programs that stand still for ever, and their neighbours that do not.

That is legal: whether a program ends is decided by its order alone (T27), and the model without
time says so before the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    TFREE,
    TPOP,
    TPUSH,
    V2C,
    Script,
    script_test,
)
from tilepath.sequences.flag_pipe.verdict import stands
from tilepath.tb.kernel.description.stimulus import Context, TestSpec

_LETTERS: Final = {"u": TPUSH, "o": TPOP, "f": TFREE}


def plain(script: Script, pair: int, mask: int, cube: str, vector: str, peer: bool = True) -> None:
    """INIT of a pair, then what each core does, a letter a command: push u, pop o, free f.

    ``peer``: whether the vector has its INIT. Each tile has a stamp, nothing is looked at.
    """
    c = config(script, mask, 1, pair)
    script.init(0, c, pair)
    if peer:
        script.init(pair + 1, c)
    operations(script, 0, pair, cube)
    operations(script, pair + 1, 0, vector)


def operations(script: Script, core: int, peer: int, letters: str) -> None:
    """What a core does, a letter a command, as it is."""
    for letter in letters:
        op = _LETTERS[letter]
        script.stamp += 1
        tile = script.room[core][0] if op == TPUSH else script.room[core][1]
        fill = {"fill_beats": 1, "stamp": script.stamp} if op == TPUSH else {}
        script.raw(core, op, peer=peer, tile_addr=tile, **fill)


def _test(name: str, summary: str, build: Callable[[Script, Context], None], **kw: Any) -> TestSpec:
    return script_test(name, summary, build, {"rsp": 2}, stands=stands(build), **kw)


def push_first(more: int, pair: int = 0) -> Callable[[Script, Context], None]:
    """Both cores push as many tiles as the ring has slots, and ``more``, and pop them then."""

    def build(script: Script, _ctx: Context) -> None:
        count = script.setup.slots(BOTH) + more
        program = "u" * count + "of" * count
        plain(script, pair, BOTH, program, program)
        plain(script, 1 - pair, C2V, "u", "of")

    return build


def pop_first(pair: int) -> Callable[[Script, Context], None]:
    """Both cores begin with a TPOP."""
    return lambda script, _ctx: plain(script, pair, BOTH, "ofu", "ofu")


def one_side(script: Script, _ctx: Context) -> None:
    """One side pushes one more than there are slots, the other pops after its first push: ends."""
    count = script.setup.slots(BOTH) + 1
    plain(script, 1, BOTH, "u" * count + "of", "u" + "of" * count)


def unfed(script: Script, _ctx: Context) -> None:
    """A TPOP that nobody feeds, on both vectors; behind it commands that are never taken."""
    plain(script, 0, C2V, "u", "ofofof")
    plain(script, 1, C2V, "uu", "ofofo")


def full(script: Script, _ctx: Context) -> None:
    """A TPUSH into a ring that nobody frees, of a vector; the cube is at its end."""
    plain(script, 1, V2C, "o", "u" * (script.setup.slots(V2C) + 2))


def alone(script: Script, _ctx: Context) -> None:
    """The peer never has its INIT: the cube waits in its first TPUSH."""
    plain(script, 0, C2V, "uu", "", peer=False)
    plain(script, 1, V2C, "", "uu")


def crossed(pair: int) -> Callable[[Script, Context], None]:
    """The cube fills a pipe while the vector waits for a tile of another."""

    def build(script: Script, _ctx: Context) -> None:
        plain(script, pair, C2V, "u" * (script.setup.slots(C2V) + 1), "")
        plain(script.on(2), pair, C2V, "u", "of")

    return build


TESTS: Final[tuple[TestSpec, ...]] = (
    _test("push_first", "both push as many as there are slots, then pop: ends", push_first(0)),
    _test("push_first_deadlock", "both push one more than there are slots", push_first(1)),
    _test("push_first_deadlock_1", "the same, of pair 1", push_first(1, 1)),
    _test("pop_first_deadlock", "both pop first", pop_first(0)),
    _test("pop_first_deadlock_1", "both pop first, of pair 1", pop_first(1)),
    _test("crossed_deadlock", "the cores wait in two pipes of a pair", crossed(0)),
    _test("crossed_deadlock_1", "the same, of pair 1", crossed(1)),
    _test("push_first_one_side", "one side pushes one more, the other pops: ends", one_side),
    _test("starved_pop", "a TPOP that nobody feeds", unfed),
    _test("starved_push", "a TPUSH into a ring that nobody frees", full),
    _test("starved_alone", "the peer is never initialised", alone),
)
