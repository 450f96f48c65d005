# SPDX-License-Identifier: Apache-2.0
"""A model or a scoreboard broken on purpose: the check of an ordinary run of each block notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.tb.kernel.checking import stored
from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.checking.stored import check_run
from tilepath.tb.kernel.checking.trace import TraceBlock
from tilepath.tb.kernel.description.block import BlockModel
from tilepath.tb.kernel.description.registry import block_names, load_block
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import SMALL as SIM
from tilepath.tests.cosim_runs import simulate

Outputs = dict[str, Records]


@pytest.fixture(scope="module", params=block_names())
def run_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    lengths = {"cycles": 4096, "block_cycles": 1024}
    which = (request.param, "random_default", 1, SIM)
    return simulate(RunRequest(*which, coverage=False, **lengths, out_dir=folder))


def _busiest(outputs: Outputs) -> str:
    """The stream with fields that has most records."""
    fields = {name for name, records in outputs.items() if len(records.dtype.names or ()) > 2}
    return max(fields, key=lambda name: len(outputs[name]))


def _value(records: Records) -> Records:
    last = (records.dtype.names or ())[-2]  # the field before the origin
    records[last][-1:] ^= 1
    return records


def _late(records: Records) -> Records:
    records["cycle"][-1:] += 1
    return records


def _lost(records: Records) -> Records:
    return records[:-1]


def _twice(records: Records) -> Records:
    return np.concatenate([records, records[-1:]])


class Broken:
    """A model whose third block of cycles is not right, in its busiest stream."""

    def __init__(self, model: BlockModel, damage: Callable[[Records], Records]) -> None:
        self._model = model
        self._damage = damage
        self._steps = 0

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        outputs = dict(self._model.step(inputs, until))
        self._steps += 1
        if self._steps == 3:
            name = _busiest(outputs)
            outputs[name] = self._damage(outputs[name].copy())
        return outputs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def test_as_it_is(run_dir: Path) -> None:
    assert check_run(run_dir).status == "pass"


@pytest.mark.parametrize("damage", [_value, _late, _lost, _twice])
def test_a_broken_model(
    run_dir: Path, damage: Callable[[Records], Records], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Any:
        block = load_block(name)
        return replace(block, model=lambda profile: Broken(block.model(profile), damage))

    monkeypatch.setattr(stored, "load_block", load)
    result = check_run(run_dir)
    assert result.status == "fail" and result.message.startswith("MISMATCH "), result.message


def test_a_scoreboard_that_compares_nothing(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(self: Checker, block: TraceBlock) -> Mapping[str, Records]:
        self.cycles = block.end
        return self._model.step({n: block.streams[n] for n in self._inputs}, block.end)

    monkeypatch.setattr(Checker, "check", check)
    result = check_run(run_dir)
    assert result.status == "fail" and "compared no event at all" in result.message


def test_a_scoreboard_that_skips_a_block(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Checker.check

    def check(self: Checker, block: TraceBlock) -> Mapping[str, Records]:
        if block.start == 1024:
            return {name: block.streams[name] for name in self._outputs}
        return usual(self, block)

    monkeypatch.setattr(Checker, "check", check)
    assert check_run(run_dir).status == "fail"
