# SPDX-License-Identifier: Apache-2.0
"""A block of which wiring says all but what it does and what is covered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.seen import StreamsSeen
from tilepath.engine.description.block import Block, BlockModel
from tilepath.engine.description.wiring import Wiring


def wired_block(
    wiring: Wiring,
    model: Callable[[str], BlockModel],
    coverage: Callable[[str], CoverageModel] | None = None,
    **others: Any,
) -> Block:
    """Return the block of a wiring, whose RTL is in the folder of its name.

    Args:
        wiring: its ports.
        model: makes the golden model for a profile.
        coverage: makes what is covered; by default that each stream has been seen.
        others: further fields of ``Block``.
    """
    streams = wiring.boundary().streams
    return Block(
        name=wiring.block,
        dut=wiring.dut,
        rtl=(wiring.block,),
        streams=streams,
        players=wiring.players(),
        model=model,
        coverage=coverage or partial(StreamsSeen, wiring.block, streams=streams),
        wiring=wiring,
        **others,
    )
