# SPDX-License-Identifier: Apache-2.0
"""What directed tests of the address counters share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.isa import profiles
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.random_tests import floor
from tilepath.sequences.adc.timeline import Timeline

KINDS: Final = (*w.OPS, "unpack", "pack", "flop")
THREADS: Final = range(3)


def top(profile: str, counter: int) -> int:
    """The largest value of a counter, by its number (A1)."""
    zw_width = profiles.get(profile).zw_w
    return (1 << (18, 13, zw_width, zw_width)[counter & 3]) - 1


def timeline_test(
    name: str,
    summary: str,
    build: Callable[[Timeline], None],
    *,
    faults: tuple[str, ...] = (),
    **least: int,
) -> TestSpec:
    """A directed test of what ``build`` puts on a timeline; ``least`` as in :func:`floor`."""

    def stimulus(ctx: Context) -> Stimulus:
        tl = Timeline(ctx.profile)
        build(tl)
        return tl.stimulus()

    return TestSpec(name, summary, "directed", stimulus, floor=floor(least), faults=faults)
