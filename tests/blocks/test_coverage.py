# SPDX-License-Identifier: Apache-2.0
"""What the coverage models of all blocks have in common."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.description.registry import block_names, load_block
from tilepath.isa import profiles
from tilepath.tests.coverage_runs import counted, coverage_of, streams

PROFILES = profiles.names()
_JOINED = "frontend_control"


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", block_names())
def test_every_exclusion_has_a_reason_and_names_no_bin(name: str, profile: str) -> None:
    model = load_block(name).coverage(profile)
    points = model.report().points
    for point, bin_, reason in model.exclusions():
        assert bin_ not in points[point] and len(reason) > 10


@pytest.mark.parametrize("name", [name for name in block_names() if name != _JOINED])
def test_ranges_must_follow_each_other(name: str) -> None:
    block = load_block(name)
    empty = streams(block.stream_table)
    model, _ = coverage_of(block, "baseline")
    model.sample(empty, 0, 10)
    for first, last in ((11, 20), (10, 9)):
        with pytest.raises(ValueError, match="do not follow"):
            model.sample(empty, first, last)
    for stream, given in block.stream_table.items():
        for cycle in (9, 20):
            records = given.empty()
            records.resize(1)
            records["cycle"] = cycle
            with pytest.raises(ValueError, match="outside"):
                model.sample(empty | {stream: records}, 10, 20)
    model.sample(empty, 10, 10)
    model.sample(empty, 10, 20)


@pytest.mark.parametrize("name", ["adc", "pack", "unpack"])
def test_nothing_is_hit_by_nothing(name: str) -> None:
    """Of the blocks of which no level counts by the cycle."""
    block = load_block(name)
    model = counted(block, "baseline", streams(block.stream_table), 100)
    assert model.report().hit == 0


@pytest.mark.parametrize(
    ("name", "stream"),
    [(n, s) for n in ("adc", "control", "frontend") for s in load_block(n).stream_table],
)
def test_a_record_that_does_not_fit_the_others_is_survived(name: str, stream: str) -> None:
    """A broken DUT is the scoreboard's affair: coverage must not break as well."""
    block = load_block(name)
    records = np.zeros(20, block.stream_table[stream].dtype)
    records["cycle"] = np.arange(20)
    for field in block.stream_table[stream].fields:
        records[field.name][1::2] = (1 << field.width) - 1
    model, _ = coverage_of(block, "baseline")
    model.sample(streams(block.stream_table) | {stream: records}, 0, 20)
    model.finish()
    assert model.report().total > 0
