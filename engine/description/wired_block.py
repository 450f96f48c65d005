# SPDX-License-Identifier: Apache-2.0
"""A block of which wiring says all but what it does and what is covered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.seen import Points, StreamPoints, streams_seen
from tilepath.engine.description.block import Block, BlockModel
from tilepath.engine.description.wiring import Wiring


def wired_block(
    wiring: Wiring,
    model: Callable[[str], BlockModel],
    coverage: Callable[[str], CoverageModel] | Points | None = None,
    **others: Any,
) -> Block:
    """Return the block of a wiring, whose RTL is in the folder of its name.

    Args:
        wiring: its ports.
        model: makes the golden model for a profile.
        coverage: points over what is recorded, or what makes a model of them; by default that each
            stream has been seen.
        others: further fields of ``Block``.
    """
    boundary = wiring.boundary()
    points = coverage or streams_seen(tuple(boundary.table))
    if isinstance(points, Mapping):
        points = partial(StreamPoints, wiring.block, points=points)
    return Block(
        name=wiring.block,
        dut=wiring.dut,
        rtl=(wiring.block,),
        streams=boundary.streams,
        players=wiring.players(),
        model=model,
        coverage=points,
        wiring=wiring,
        **others,
    )
