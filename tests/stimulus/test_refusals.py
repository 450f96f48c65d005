# SPDX-License-Identifier: Apache-2.0
"""What sequences, tables and their pictures refuse that no other test asks of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count as count_from
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.commands import draws, tables
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.stimulus.scene import running
from tilepath.engine.stimulus.tables import Table, TableError, require, uniform
from tilepath.engine.stimulus.tables.table_set import Tables
from tilepath.engine.stimulus.uvm import Sequence
from tilepath.tests.engine.test_blame import caught
from tilepath.tests.stimulus.uvm_helpers import FRONTEND, run_body, sequence, stimulus

TABLE = Table("t", a=uniform(0, 9), few=require(lambda a: a < 9))
Ask = Callable[[Sequence], Awaitable[object]]


async def _no_player(self: Sequence) -> None:
    getattr(self.sequencer, "t7_core")  # noqa: B009  # so that nothing else is said of it


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (_no_player, "no player t7_core"),
        (lambda self: self.sequencer.t0_core.get_response(), "response"),
        (lambda self: self.send(FRONTEND.core()), "say on which player: on='t0.core' or"),
        (lambda _: FRONTEND.core().randomize(wrod=1), "core has no field wrod; did you mean word"),
    ],
)
def test_what_a_body_cannot_ask_for(ask: Ask, what: str) -> None:
    async def body(self: Sequence) -> None:
        await ask(self)

    with pytest.raises((AttributeError, RuntimeError, ValueError), match=what):
        run_body("frontend", body)


def test_nothing_is_asked_where_no_sequence_runs() -> None:
    with pytest.raises(RuntimeError, match="only a sequence that a test has started"):
        running()


def test_a_line_that_is_there_already() -> None:
    with pytest.raises(TableError, match="table t has a line few already"):
        TABLE.narrowed(few=require(lambda a: a < 5))


def test_a_text_compared_with_nothing() -> None:
    with pytest.raises(TableError, match="'x' is not compared with a column"):
        Tables(TABLE).adjusted((), "a == 1 or 'x'")["t"].rows(np.random.default_rng(1), 4)


def test_aims_that_the_plan_has_not() -> None:
    with pytest.raises(UsageError, match=r"table t, a: no point of adc is 'nowhere\.\*'"):
        tables.aimed_at("adc", TABLE.aimed(a="nowhere.*"), "a")


@pytest.mark.parametrize("text", [f"a < {'-' * 990}1", f"a{'+1' * 490}"])
def test_a_condition_nested_too_deep(text: str) -> None:
    with pytest.raises(TableError, match="the condition is nested too deep"):
        Tables(TABLE).adjusted((), text)


def _giving(*, fails_at: int = 0, noted: list[str] | None = None) -> type[Sequence]:
    """Items for threads in turn, without end or up to an error; what is ``noted`` at its end."""

    async def body(self: Sequence) -> None:
        try:
            for count in count_from(1):
                await self.send(FRONTEND.core(push=1), on=f"t{count % 3}.core")
                if count == fails_at:
                    raise ValueError("so far and no further")
        finally:
            if noted is not None:
                try:
                    await self.send(FRONTEND.core(push=1), on="t0.core")
                except RuntimeError as error:
                    noted.append(str(error))

    return sequence(body)


def test_a_player_that_something_else_has_items_for() -> None:
    with pytest.raises(ValueError, match=r"the items of t0\.core come from elsewhere"):
        stimulus("frontend", _giving(), on="t0.core", beside=lambda _: {"t0.core": iter(())})


def test_what_went_wrong_is_told_to_each_player() -> None:
    made = stimulus("frontend", _giving(fails_at=5000))
    for player in ("t0.core", "t1.core", "t2.core"):
        with pytest.raises(ValueError, match="so far and no further"):
            list(made[player])


def test_a_sequence_that_ends_because_another_failed_has_no_turn() -> None:
    noted: list[str] = []

    async def body(self: Sequence) -> None:
        self.fork(_giving(noted=noted)().start(), _giving(fails_at=5000)().start())

    made = stimulus("frontend", sequence(body))
    with pytest.raises(ValueError, match="so far and no further"):
        list(made["t0.core"])
    assert noted == ["it is no sequence's turn"]


def test_rows_that_cannot_be_drawn_have_no_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Tables(Table("odd", a=uniform(0, 9), b=uniform(lambda a: a, 3)))
    monkeypatch.setattr(draws, "adjusted_tables", lambda *_: odd)
    with pytest.raises(UsageError, match="table odd, b: there is no number between the bounds"):
        list(draws.histograms(draws.Wanted("adc", "random", (), "", 100, 1)))


CALLS = """\
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.words import unpacr
from tilepath.engine.description.stimulus import TestSpec
"""


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("Setup(ctx_in=(1, 2))", "Setup: ctx_in: a tuple of 8, each a whole number from 0 to 15, "),
        ("Setup(shift=(0, 0, 0, 16))", "Setup: shift: a tuple of 4, each a whole number from 0 to"),
        ("Setup().with_(x_dim=65536)", "Setup: x_dim: a whole number from 0 to 65535, not 65536"),
        ("Setup(1.5)", "Setup: in_format: a whole number from 0 to 15, not 1.5"),
        ("unpacr(0, inc=(0, 4, 0, 0))", "unpacr: inc: a tuple of 4, each a whole number from 0 to"),
        ("unpacr(np.array([0, 2]))", "unpacr: unpacker: a whole number from 0 to 1, not array(["),
        ("TestSpec(faults='sem_lost')", "TestSpec: faults: a tuple, each a str, not 'sem_lost'"),
        (
            "TestSpec(floor=[3])",
            "TestSpec: floor: a mapping, a str to a whole number each, ",
        ),
        ("TestSpec(floor={'issue': '9'})", "TestSpec: floor: a mapping, a str to a whole number "),
        ("TestSpec(kind='rnd')", "TestSpec: kind: one of random, directed, program, not 'rnd'"),
        ("TestSpec(untimed='no')", "TestSpec: untimed: true or false or a Callable, not 'no'"),
        ("TestSpec(seeds=-1)", "TestSpec: seeds: a whole number from 0 to 100000, not -1"),
        ("Thread(state=2).words()", "CFG_STATE_ID_StateID: 2 does not fit 1 bits"),
    ],
)
def test_an_argument_that_does_not_fit_is_told_with_its_line(
    tmp_path: Path, call: str, what: str
) -> None:
    told = caught(tmp_path / "my.py", CALLS + call)
    assert told.startswith(f"{tmp_path}/my.py:4: ValueError: {what}"), told
