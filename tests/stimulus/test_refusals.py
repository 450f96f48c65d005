# SPDX-License-Identifier: Apache-2.0
"""What sequences, tables and their pictures refuse that no other test asks of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from tilepath.cli import tables
from tilepath.cli.errors import UsageError
from tilepath.sequences.kernel.scene import running
from tilepath.sequences.kernel.tables import Table, TableError, require, uniform
from tilepath.sequences.kernel.tables.table_set import Tables
from tilepath.sequences.kernel.uvm import Sequence, as_tests, items
from tilepath.tb.kernel.description.stimulus import Context

FRONTEND = items("frontend")
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
    class Mine(Sequence):
        async def body(self) -> None:
            await ask(self)

    (test,) = as_tests(Mine).values()
    with pytest.raises((AttributeError, RuntimeError, ValueError), match=what):
        for arrays in test.stimulus(Context("frontend", test.name, 1, "baseline", 1000)).values():
            list(arrays)


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
