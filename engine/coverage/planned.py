# SPDX-License-Identifier: Apache-2.0
"""Functional coverage by plans over the account that the block's golden model leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from itertools import chain
from typing import Any

from tilepath.engine.compiled.account import LeavesAccount
from tilepath.engine.coverage.expression import I64
from tilepath.engine.coverage.generated import counting
from tilepath.engine.coverage.model import CoverageModel, Tally
from tilepath.engine.coverage.plan import CoveragePlan
from tilepath.engine.description.stream import Records
from tilepath.engine.project import project

_counting = cache(counting)
Made = Callable[[Any], CoveragePlan | tuple[CoveragePlan, ...]]


@cache  # so that what counts them is made once
def _made(make: Made, profile: str) -> tuple[CoveragePlan, ...]:
    made = make(project().profiles.get(profile))
    return (made,) if isinstance(made, CoveragePlan) else made


class PlannedCoverage(CoverageModel):
    """Counts the account of the model that it follows.

    The scoreboard has held that model against the recorded streams before. ``plans`` are given, or
    made for the profile; ``ValueError`` for an unknown one.

    Attributes:
        plans: one for each kind of row that counts.
        without: decision of the block that has no point → why.
    """

    def __init__(
        self,
        block: str,
        profile: str,
        plans: Sequence[CoveragePlan | Made],
        without: Mapping[str, str] | None = None,
    ) -> None:
        project().profiles.get(profile)
        every = ((one,) if isinstance(one, CoveragePlan) else _made(one, profile) for one in plans)
        self.plans = tuple(chain(*every))
        self.without = dict(without or {})
        self._tallies = [Tally(plan.group) for plan in self.plans]
        axes = {p.name: p.bins for plan in self.plans for p in plan.points if p.bins}
        super().__init__(block, profile, *self._tallies, axes=axes)
        self._model: LeavesAccount | None = None
        # account → counts of its plans, and the rows that these keep
        self._room: dict[str, tuple[list[I64], list[Any]]] = {}
        for plan, tally in zip(self.plans, self._tallies, strict=True):
            counts, memories = self._room.setdefault(plan.account, ([], []))
            counts.append(tally.counts)
            memories.append(plan.memory())

    def with_plans(self, _plans: Sequence[CoveragePlan]) -> PlannedCoverage:
        """Return it with more plans; ``ValueError`` names rows that the account has not."""
        known = {plan.account: plan.described for plan in self.plans}
        for plan in _plans:
            if known.get(plan.account) != plan.described:
                kinds = ", ".join(known)
                raise ValueError(f"{self.block} has no such rows {plan.account!r}; it has: {kinds}")
        more = copy(self)
        PlannedCoverage.__init__(
            more, self.block, self.profile, (*self.plans, *_plans), self.without
        )
        more.outside = tuple(point.name for plan in _plans for point in plan.points)
        return more

    def follow(self, model: object) -> None:
        """Ask ``model`` for its account; ``TypeError`` if it leaves none."""
        if not isinstance(model, LeavesAccount):
            raise TypeError(f"{type(model).__name__} leaves no account")
        model.keep_account()
        self._model = model

    def recorded(self, _streams: Mapping[str, Records]) -> Mapping[str, Records]:
        """Kind → rows that are no more than what was recorded; the model tells none of them."""
        return {}

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count the rows of the model's last step, and those of the records."""
        if self._model is None:
            raise ValueError(f"coverage of {self.block} follows no model")
        counters = _counting(self.plans)
        for part in (*self._model.account, self.recorded(streams)):
            for account in counters.keys() & part.keys():
                counters[account](part[account], *self._room[account])
