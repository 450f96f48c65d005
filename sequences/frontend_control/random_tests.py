# SPDX-License-Identifier: Apache-2.0
"""Endless tests: control's random words, pushed through the expanders.

Runs of words are recorded while they execute and then played again, or become the contents of a
MOP. What is emitted more than once holds no mutex word: a mutex would be taken and not released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.engine.stimulus.segments import numbered
from tilepath.engine.stimulus.tables import Table, Tables, choice, uniform
from tilepath.sequences.control.random_tests import random_stimulus
from tilepath.sequences.control.tables import PRESETS
from tilepath.sequences.control.words import WARNINGS
from tilepath.sequences.frontend import words as fe
from tilepath.sequences.frontend.builder import CoreItem
from tilepath.sequences.frontend.ports import sfpu_cc_items
from tilepath.sequences.frontend.tables import SFPU_CC
from tilepath.tb.control.streams import ISSUE
from tilepath.tb.frontend import items
from tilepath.tb.frontend.streams import CORE, THREADS

Words = NDArray[np.uint32]

_EXPANDED: Final = (fe.OP_MOP, fe.OP_MOP_CFG, fe.OP_REPLAY)  # would not reach the gate
_FIELDS: Final = CoreItem._fields
_MUTEX: Final = (0xA0, 0xA1)
_HOWS: Final = ("mop", "apart", "executed", "once")


RUN: Final = Table(
    "run",
    count=uniform(1, 12),
    how=choice(_HOWS, (2, 1, 1, 4)),
    start=uniform(0, fe.SLOTS - 1),
    times=uniform(1, 2),
    outer=uniform(1, 3),
    inner=uniform(1, 3),
    pick=uniform(0, 11),
).aimed(
    how=("class x *", "cycles at the gate x replay expander", "latch x expanders"),
    count="cycles at the gate x replay expander",
)
"""Runs of words: ``once``, or again by the replay expander, recorded while they are executed or
``apart``, or by a MOP that also pushes the word at ``pick``.
"""


_BEHIND: Final = 20  # place in a run of what follows its words
_PLACES: Final = 32


def _joined(rows: Any, words: Words, gaps: Words) -> Items:
    """``words`` in runs, one for each of ``rows`` of :data:`RUN`."""
    count = rows["count"]
    run, number = numbered(count)
    mutex = np.bincount(run, np.isin(words >> 24, _MUTEX)) > 0
    how = np.where(mutex, _HOWS.index("once"), rows["how"])
    first = count.cumsum() - count
    parts: list[Any] = []

    def add(whose: Any, place: Any, **fields: Any) -> None:
        made = np.zeros((len(whose), 1 + len(_FIELDS)), np.int64)
        made[:, 0] = whose * _PLACES + place
        for name, values in fields.items():
            made[:, 1 + _FIELDS.index(name)] = values
        parts.append(made)

    add(run, 1 + number, push=1, word=words, gap=gaps)
    again = np.flatnonzero(how != _HOWS.index("once"))
    some, whole = rows[again], count[again]
    executed = how[again] == _HOWS.index("executed")
    add(again, 0, push=1, word=fe.replay(some["start"], whole, executed, 1))
    by_mop = how[again] == _HOWS.index("mop")
    played = again[~by_mop]
    times = (whole * some["times"])[~by_mop]
    add(played, _BEHIND, push=1, word=fe.replay(some["start"][~by_mop], times))
    played, some, whole = again[by_mop], some[by_mop], whole[by_mop]
    add(played, _BEHIND, sync=1)
    body = fe.replay(some["start"], whole)
    plain = words[first[played] + some["pick"] % whole]
    mopcfg = (
        some["outer"], some["inner"], fe.NOP, plain, fe.NOP, body, fe.NOP, body, plain
    )  # fmt: skip
    for index, data in enumerate(mopcfg):
        add(played, _BEHIND + 1 + index, mopcfg=1, index=index, data=data)
    add(played, _BEHIND + 10, push=1, word=fe.mop(1))
    every = np.concatenate(parts)
    every = every[every[:, 0].argsort(kind="stable")].T
    return CORE.pack(**dict(zip(_FIELDS, every[1:], strict=True)))


def core_items(
    rng: np.random.Generator, source: Iterable[Items], run: Table = RUN
) -> Iterator[Items]:
    """Items of the front end's ``core`` player from those of control's ``issue`` player.

    The replay buffer is filled first: runs are played together with what follows them in it, and
    slots never written hold illegal words.
    """
    yield items.push([fe.replay(0, fe.SLOTS, load=1), *[fe.NOP] * fe.SLOTS])
    for block in source:
        fields = ISSUE.unpack(block)
        legal = ~np.isin(fields["word"] >> 24, _EXPANDED)
        words, gaps = fields["word"][legal], fields["gap"][legal]
        rows = run.rows(rng, len(words))
        ends = rows["count"].cumsum()
        rows = rows[: np.searchsorted(ends, len(words)) + 1]
        rows["count"][-1] -= ends[len(rows) - 1] - len(words)
        yield _joined(rows, words, gaps)


def _stimulus(ctx: Context) -> Stimulus:
    players = dict(random_stimulus(ctx))
    for thread in range(THREADS):
        source = players.pop(f"t{thread}.issue")
        name = f"t{thread}.core"
        players[name] = core_items(ctx.rng(name), source, ctx.table("run"))
    players["sfpu_cc"] = sfpu_cc_items(ctx.rng("sfpu_cc"), ctx.table("sfpu_cc"))
    return players


_SUMMARIES: Final = {
    "default": "words of correct software, recorded, played again and expanded",
    "mix": "everything at once, faults included",
    "gate": "waits of all kinds, before words that come out of the expanders",
}


def _test(preset: str) -> TestSpec:
    return TestSpec(
        name=f"random_{preset}",
        summary=_SUMMARIES[preset],
        kind="random",
        stimulus=_stimulus,
        endless=True,
        seeds=2,
        faults=WARNINGS if PRESETS[preset].legal else ANY,
        tables=Tables(*PRESETS[preset].values(), RUN, SFPU_CC),
        floor=floors("frontend_control", f"random_{preset}"),
    )


TESTS: dict[str, TestSpec] = {f"random_{preset}": _test(preset) for preset in _SUMMARIES}
