# SPDX-License-Identifier: Apache-2.0
"""What every model does in random runs: cut anywhere, compiled or not, well-formed records."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tilepath.isa import boundary as boundaries
from tilepath.isa.boundary import NOT_KNOWN, Boundary, Origin
from tilepath.models.adc import AddressCounters
from tilepath.models.adc import timing as adc_timing
from tilepath.models.control import ControlState, cycle_model
from tilepath.models.frontend import FunctionalThread
from tilepath.models.frontend import timing as frontend_timing
from tilepath.sequences.adc import tables as adc
from tilepath.sequences.adc.random_items import issue_words
from tilepath.sequences.control.tables import PRESETS
from tilepath.tests.blocks.random_runs import (
    BLOCKS,
    CYCLES,
    LONGER,
    PROGRAMS,
    RECORDED,
    SEEN,
    random_run,
    recorded_run,
    some_cuts,
)
from tilepath.tests.control import model_helpers as control
from tilepath.tests.coverage_runs import counted, coverage_of, feed
from tilepath.tests.frontend import model_helpers as frontend
from tilepath.tests.model_runs import (
    assert_same,
    cut,
    random_cuts,
    rows,
    run_in_pieces,
)

each_block = pytest.mark.parametrize("name", BLOCKS)


def boundary_of(name: str) -> Boundary:
    boundary: Boundary = import_module(f"{boundaries.__name__}.{name}").BOUNDARY
    return boundary


def left(model: Any) -> dict[str, Any]:
    """What a model is in at the end of a run, and who waits, if it says so."""
    waiting = model.waiting() if hasattr(model, "waiting") else []
    return {"waiting": np.array(waiting), **model.state()}


def listed(parts: Mapping[str, Any]) -> str:
    return repr([(name, values.tolist()) for name, values in parts.items()])


@each_block
@pytest.mark.parametrize("seed", range(8))
def test_cutting_into_blocks_changes_nothing(name: str, seed: int) -> None:
    cycles = CYCLES if seed < 4 else LONGER.get(name, CYCLES)
    block, profile, inputs = random_run(name, seed, cycles)
    rng = np.random.default_rng(seed)
    model: Any = block.model(profile)
    whole = run_in_pieces(model, inputs, [cycles])
    assert sum(len(records) for records in whole.values()) > 40
    every = range(1, cycles + 1) if seed < 4 else [0, 0, 7, 7, cycles]
    for cuts in (every, *(random_cuts(rng, cycles, most) for most in (5, 50, 200))):
        again: Any = block.model(profile)
        assert_same(boundary_of(name), run_in_pieces(again, inputs, cuts), whole)
        found = left(again)
        for part, values in left(model).items():
            np.testing.assert_array_equal(values, found[part], err_msg=part)


@pytest.mark.parametrize(
    ("name", "module", "most"),
    [
        *(("adc", adc_timing, "_CHUNK"), ("control", cycle_model, "CHUNK")),
        ("frontend", frontend_timing, "BLOCK_CYCLES"),
    ],
)
def test_the_models_own_pieces_change_nothing(
    name: str, module: ModuleType, most: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many cycles a model takes at once."""
    block, profile, inputs = random_run(name, 3)
    whole = run_in_pieces(block.model(profile), inputs, [CYCLES])
    monkeypatch.setattr(module, most, 37)
    again = run_in_pieces(block.model(profile), inputs, [37, 38, 74, CYCLES])
    assert_same(boundary_of(name), again, whole)


@each_block
@pytest.mark.parametrize("seed", range(8))
def test_records_are_well_formed(name: str, seed: int) -> None:
    """One a cycle at most, levels where they change, fields in their width, caused by an input."""
    cycles = 2000
    block, profile, inputs = random_run(name, seed, cycles)
    boundary = boundary_of(name)
    for stream, records in run_in_pieces(block.model(profile), inputs, [cycles]).items():
        described = boundary.stream(stream)
        assert (np.diff(records["cycle"].astype(np.int64)) > 0).all(), stream
        fields = [field.name for field in described.fields]
        for field in described.fields:
            assert not len(records) or int(records[field.name].max()) < 1 << field.width
        if described.kind == "level":
            values = [(0,) * len(fields), *rows(records, *fields)]
            assert all(a != b for a, b in itertools.pairwise(values)), stream
        for cycle, number in rows(records, "cycle", "origin"):
            if number != NOT_KNOWN:
                origin = Origin.decode(number, boundary.inputs)
                assert origin and inputs[origin.stream]["cycle"][origin.index] <= cycle


@pytest.mark.parametrize(("name", "seed"), RECORDED)
def test_counts_do_not_depend_on_the_cuts(name: str, seed: int) -> None:
    """Nor are there other bins than at first, and none is hit that is said to be impossible."""
    block, profile, seen, end = recorded_run(name, seed)
    before, model = block.coverage(profile), counted(block, profile, seen, end)
    assert model.contradicted() == []
    whole = model.report()
    assert whole.hit > 0
    assert {p: list(b) for p, b in whole.points.items()} == {
        p: list(b) for p, b in before.report().points.items()
    }
    for cuts in some_cuts(seen, end, np.random.default_rng(seed)):
        assert counted(block, profile, seen, end, cuts).report().points == whole.points


@pytest.mark.parametrize("name", (*SEEN, *PROGRAMS))
def test_a_report_can_be_made_between_blocks(name: str) -> None:
    block, profile, seen, end = recorded_run(name, 0)
    whole = counted(block, profile, seen, end).report().points
    model, golden = coverage_of(block, profile)
    feed(model, cut(seen, 0, end // 2), 0, end // 2, golden)
    assert model.report().points == model.report().points != whole
    feed(model, cut(seen, end // 2, end), end // 2, end, golden)
    assert model.report().points == whole


def digest() -> str:
    """Hash of models and coverage in short runs, and of the models without time."""
    total = hashlib.sha256()
    for name in BLOCKS:
        cycles = 400 if name == "unpack" else 200  # it begins with a set-up
        for seed in range(2):
            block, profile, inputs = random_run(name, seed, cycles)
            model: Any = block.model(profile)
            for stream, records in run_in_pieces(model, inputs, [37, 120, cycles]).items():
                total.update(stream.encode() + records.tobytes())
            total.update(listed(left(model)).encode())
        if name in ("control", "frontend"):  # adc's takes records that only compiled code can take
            block, profile, seen, _ = recorded_run(name, 2, 200)
            points = counted(block, profile, seen, 200).report().points
            total.update(json.dumps(points).encode())
    total.update(without_time().encode())
    return total.hexdigest()


def without_time() -> str:
    """What words and commands of each of those blocks do."""
    rng = np.random.default_rng(5)
    thread = FunctionalThread()
    done: list[Any] = [thread.feed(*frontend.random_program(rng, 200)).tolist()]
    control_state, counters = ControlState(), AddressCounters("blackhole")
    for preset in PRESETS:
        done += [control_state.execute(1, w) for w in control.random_words(rng, preset, 80)[:80]]
    drawn = issue_words(adc.PRESETS["random"]["issue"].rows(rng, 300)).tolist()
    done += [counters.execute(2, word) for word in drawn]
    done += [counters.unpack_update(1, 0, 2, 1, 2, 3, 1), counters.pack_update(7, 0x1C53)]
    done += [counters.flop(3, 3, 0, 0, 0, 1), counters.flop(1, 2, 1, 0, 1, 99)]
    states = (control_state.state(), counters.state(), thread.state())
    return repr((done, [listed(state) for state in states]))


def test_plain_python_gives_the_same() -> None:
    """Where nothing is compiled."""
    script = "from tilepath.tests.blocks.test_random import digest; print(digest())"
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest()
