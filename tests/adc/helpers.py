# SPDX-License-Identifier: Apache-2.0
"""Streams of the counters: stimulus as it crosses the boundary, what the model makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from tilepath.engine.description.player import GAP_MASK, Items
from tilepath.engine.description.stimulus import Context
from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel
from tilepath.sequences.adc import TESTS
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.adc.coverage import AdcCoverage
from tilepath.tb.adc.streams import PLAYERS, STREAMS
from tilepath.tests.coverage_runs import fed, recorded
from tilepath.tests.model_runs import run_in_pieces
from tilepath.tests.model_runs import stream as stream_of

TABLE = stream_table(STREAMS)
INPUTS = [name for name, stream in TABLE.items() if stream.direction == "input"]
PLAYER = {name: player for player in PLAYERS for name in player.instances}


def records(stream: str, items: Items) -> Records:
    """What a stream records of a player's items: the first in cycle 1 + its gap."""
    table = TABLE[stream]
    found = np.zeros(len(items), table.dtype)
    fields = PLAYER[stream].unpack(items)
    found["cycle"] = np.cumsum(fields["gap"].astype(np.int64) + 1)
    for field in table.fields:
        found[field.name] = fields[field.name]
    return found


def offered(stimulus: Mapping[str, Iterable[Items]], cycles: int) -> dict[str, Records]:
    """The input streams of finite or endless stimulus, up to ``cycles``."""
    streams = {name: TABLE[name].empty() for name in INPUTS}
    for name, source in stimulus.items():
        parts: list[Items] = []
        length = 0
        for items in source:
            parts.append(items)
            length += int((items[:, 0] & GAP_MASK).sum()) + len(items)
            if length > cycles:
                break
        whole = records(name, np.concatenate(parts))
        streams[name] = whole[whole["cycle"] < cycles]
    return streams


def predicted(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, Records]:
    """Those of ``inputs`` that are input streams, and the model's outputs, as recorded."""
    streams = {name: inputs[name] for name in INPUTS}
    return recorded(TABLE, streams | AdcModel(profile).step(streams, cycles))


def covered(
    streams: Mapping[str, Records],
    cycles: int,
    profile: str = "baseline",
    cuts: Sequence[int] = (),
) -> AdcCoverage:
    """The coverage of what the model does of ``streams``, cut into blocks at ``cuts``."""
    return fed(AdcCoverage(profile), streams, cycles, cuts, AdcModel(profile))


def played(tl: Timeline, profile: str = "baseline", cuts: Sequence[int] = ()) -> AdcCoverage:
    """The coverage of a timeline."""
    cycles = tl.now + 8
    return covered(
        predicted(offered(tl.stimulus(), cycles), cycles, profile), cycles, profile, cuts
    )


stream = partial(stream_of, BOUNDARY)


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(AdcModel(profile), inputs, cuts)


def random_inputs(
    seed: int, cycles: int, profile: str = "baseline", test: str = "random"
) -> dict[str, Records]:
    """What a random test offers."""
    context = Context("adc", test, seed, profile, cycles)
    return offered(TESTS[test].stimulus(context), cycles)
