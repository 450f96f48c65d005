# SPDX-License-Identifier: Apache-2.0
"""Coverage models of all blocks, as their tests feed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from tilepath.engine.compiled.cycle_exact import CycleExactModel
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.block import Block
from tilepath.engine.description.stream import Records, Stream
from tilepath.tests.model_runs import cut

Model = TypeVar("Model", bound=CoverageModel)

Example = tuple[Any, *tuple[str, ...]]
"""What is played, and rows: a point, a bin of it that is hit, one that is missed, if any."""


def streams(table: Mapping[str, Stream], **rows: Sequence[tuple[Any, ...]]) -> dict[str, Records]:
    """Streams from rows of (cycle, fields), ``u0_issue`` for ``u0.issue``; all others empty."""
    full = {name: stream.empty() for name, stream in table.items()}
    for name, some in rows.items():
        chosen = name if name in table else name.replace("_", ".", 1)
        width = len(table[chosen].dtype)
        full[chosen] = np.array([(*row, 0)[:width] for row in some], table[chosen].dtype)
    return full


def recorded(table: Mapping[str, Stream], given: Mapping[str, Any]) -> dict[str, Records]:
    """A model's inputs and outputs as the recorders would have them."""
    found = {}
    for name, stream in table.items():
        found[name] = np.zeros(len(given[name]), stream.dtype)
        for field in stream.dtype.names or ():
            if field in given[name].dtype.names:
                found[name][field] = given[name][field]
    return found


def fed(
    model: Model,
    seen: Mapping[str, Records],
    end: int,
    cuts: Sequence[int] = (),
    golden: CycleExactModel | None = None,
) -> Model:
    """``model`` when it has seen ``seen``, cut into blocks at ``cuts``, and followed ``golden``."""
    if golden is not None:
        model.follow(golden)
    for first, last in pairwise((0, *cuts, end)):
        feed(model, cut(seen, first, last), first, last, golden)
    return model


def feed(
    model: CoverageModel,
    part: Mapping[str, Records],
    first: int,
    last: int,
    golden: CycleExactModel | None,
) -> None:
    """Show ``model`` the streams of cycles ``first`` to ``last`` - 1, as a run does."""
    if golden is not None:
        golden.step({name: part[name] for name in golden.inputs}, last)
    model.sample(part, first, last)


def coverage_of(block: Block, profile: str) -> tuple[CoverageModel, Any]:
    """Coverage of a block, and the golden model that it follows, if it counts an account."""
    coverage = block.coverage(profile)
    golden = block.model(profile) if isinstance(coverage, PlannedCoverage) else None
    if golden is not None:
        coverage.follow(golden)
    return coverage, golden


def counted(
    block: Block, profile: str, seen: Mapping[str, Records], end: int, cuts: Sequence[int] = ()
) -> CoverageModel:
    """Coverage of a block that has seen ``seen``."""
    coverage, golden = coverage_of(block, profile)
    for first, last in pairwise((0, *cuts, end)):
        feed(coverage, cut(seen, first, last), first, last, golden)
    return coverage


def hits(model: CoverageModel) -> dict[str, dict[str, int]]:
    """Point → the bins that were hit."""
    points = model.report().points
    return {
        p: found for p, bins in points.items() if (found := {b: n for b, n in bins.items() if n})
    }
