# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: random programs, one by hand, what is impossible."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.unpack import UnpackModel
from tilepath.models.unpack.account import FAULT
from tilepath.models.unpack.faults import FAULTS
from tilepath.tb.unpack.block import BLOCK
from tilepath.tb.unpack.coverage import UnpackCoverage
from tilepath.tb.unpack.coverage.labels import BFPS, FLOATS, LEGAL
from tilepath.tests.coverage_runs import counted, hits
from tilepath.tests.unpack.model_cycle_helpers import program
from tilepath.tests.unpack.unpack_cover import played, random_run

TILE = {"tile": {"count": 16}, "given": ["0 UNPACR"]}

# -- walks


# those of the first ones whose instructions have time enough
SEEDS = (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 17, 19, 20, 23)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_that_happens_is_counted(seed: int) -> None:
    seen, end, profile = random_run(seed)
    busy = seen["busy"]["value"]
    assert busy[-1] == 0, "the run is too short for its instructions"
    model = counted(BLOCK, profile, seen, end)
    assert model.contradicted() == []
    counts = model.report().points
    requests = sum(len(seen[f"u{u}.read"]) for u in range(2))
    assert sum(counts["timing.l1_latency_x_unpacker"].values()) == requests


# -- by hand


def test_one_tile_hits_what_it_should() -> None:
    """16 BF16 datums of 0 to SrcA: a few points at random, and what must stay empty."""
    seen, end = played(program(TILE))
    found = hits(counted(BLOCK, "baseline", seen, end))
    assert found["unpacr.unpacker_x_thread_x_form"] == {"u0*t0*regular": 1}
    assert found["datum.float_x_file_x_class"] == {"bf16*srca*+0": 16}
    assert found["geometry.count_x_unpacker"] == {"16*u0": 1}
    assert found["timing.stall_x_flip_x_next"] == {"0*no*nothing": 1}
    empty = [p for p in found if p.split(".")[0] in ("nop", "fault")]
    assert not empty and "compressed.empty_row" not in found


def test_l1_is_read_as_it_was_in_the_cycle_of_the_request() -> None:
    """A write in the cycle of the request comes too late; one of the cycle before does not."""
    first = program(TILE)
    at = int(played(first)[0]["u0.read"]["cycle"][0]) - first.start
    for cycle, datum in ((at, "+0"), (at - 1, "-0")):
        write = f"{cycle} l1_write line=0x400 data=0x80008000*16"
        seen, end = played(program(TILE).say(write))
        counts = hits(counted(BLOCK, "baseline", seen, end))["datum.float_x_file_x_class"]
        assert counts == {f"bf16*srca*{datum}": 16}


# -- the whole


def test_what_is_impossible_and_happens_is_reported() -> None:
    golden, model = UnpackModel(), UnpackCoverage("baseline")
    model.follow(golden)
    golden.step({}, 9)
    rows = np.zeros(1, FAULT)
    rows["flags_"] = 1 << FAULTS.index("context_range")
    golden.account = ({"fault": rows},)
    model.sample({}, 0, 9)
    (found,) = model.contradicted()
    assert found[:2] == ("fault.flag_x_unpacker", "context_range*u0")


def test_the_axes_of_datums_fit_their_formats() -> None:
    assert {*FLOATS, *BFPS} < set(LEGAL)
