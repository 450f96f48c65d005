# SPDX-License-Identifier: Apache-2.0
"""A model or a scoreboard broken on purpose: the check of an ordinary run of each block notices.

The same of a model without time that follows a run, and is shown something else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.checking import stored
from tilepath.engine.checking.checker import Checker
from tilepath.engine.checking.stored import check_run
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.compiled.state import State
from tilepath.engine.description.block import BlockModel, Untimed
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.description.stream import Records
from tilepath.engine.host.run import RunRequest
from tilepath.tests.cosim_runs import FAST as SIM
from tilepath.tests.cosim_runs import simulate

Outputs = dict[str, Records]
Damage = Callable[[Records], Records]


@pytest.fixture(scope="module", params=block_names())
def run_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    which = (request.param, "random_default", 1, SIM, "baseline", 4096)
    return simulate(RunRequest(*which, coverage=False, block_cycles=1024, out_dir=folder))


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

    def __init__(self, model: BlockModel, damage: Damage) -> None:
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


def changed(monkeypatch: pytest.MonkeyPatch, **parts: Any) -> None:
    """Stored runs are checked with other ``parts`` of their block from now on."""
    monkeypatch.setattr(stored, "load_block", lambda name: replace(load_block(name), **parts))


def test_as_it_is(run_dir: Path) -> None:
    assert check_run(run_dir).status == "pass"


@pytest.mark.parametrize("damage", [_value, _late, _lost, _twice])
def test_a_broken_model(run_dir: Path, damage: Damage, monkeypatch: pytest.MonkeyPatch) -> None:
    block = load_block(json.loads((run_dir / "request.json").read_text())["block"])
    changed(monkeypatch, model=lambda profile: Broken(block.model(profile), damage))
    result = check_run(run_dir)
    assert result.status == "fail" and result.message.startswith("MISMATCH "), result.message


def test_a_scoreboard_that_compares_nothing(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(self: Checker, block: TraceBlock) -> Mapping[str, Records]:
        self.cycles = block.end
        return self.model.step({n: block.streams[n] for n in self._inputs}, block.end)

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


# -- the model without time that follows a run

FINITE: Final = {
    "adc": "tilize",
    "control": "tile",
    "datapath": "copy",
    "flag_pipe": "c2v",
    "frontend": "matmul",
    "frontend_control": "matmul",
    "pack": "add1",
    "standin": "eltwise",
    "unpack": "add1",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Block → the folder of a run of its finite test."""
    made: dict[str, Path] = {}

    def folder(block: str) -> Path:
        if block not in made:
            out = tmp_path_factory.mktemp(block)
            made[block] = simulate(
                RunRequest(block, FINITE[block], 1, SIM, coverage=False, out_dir=out)
            )
        return made[block]

    return folder


class Misled:
    """A follower that is shown other records of one stream than there were."""

    def __init__(self, untimed: Untimed, stream: str, damage: Damage) -> None:
        self._untimed = untimed
        self._stream = stream
        self._damage = damage

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        self._untimed.follow(self._damaged(inputs), self._damaged(expected))

    def _damaged(self, streams: Mapping[str, Records]) -> dict[str, Records]:
        given = dict(streams)
        if self._stream in given and len(given[self._stream]):
            given[self._stream] = self._damage(given[self._stream].copy())
        return given

    def state(self) -> State:
        return self._untimed.state()


def _none(records: Records) -> Records:
    return records[:0]


def _first_lost(records: Records) -> Records:
    return records[1:]


def _odd(field: str) -> Damage:
    def damage(records: Records) -> Records:
        records[field] ^= np.uint32(1)
        return records

    return damage


def test_every_block_with_a_state_is_here() -> None:
    assert set(FINITE) == {name for name in block_names() if load_block(name).untimed}


@pytest.mark.parametrize("block", FINITE)
def test_a_finite_run_as_it_is(block: str, runs: Callable[[str], Path]) -> None:
    assert check_run(runs(block)).status == "pass"


@pytest.mark.parametrize(
    ("block", "stream", "damage", "says"),
    [
        ("adc", "t0.issue", _none, "not that of the untimed model: live"),
        ("control", "t0.issue", _none, "not that of the untimed model"),
        ("control", "t0.issue", _odd("word"), "not that of the untimed model"),
        ("control", "risc", _odd("data"), "not that of the untimed model: config"),
        ("flag_pipe", "core0.cmd", _odd("slot_size"), "not that of the untimed model"),
        ("flag_pipe", "core1.cmd", _none, "not that of the untimed model"),
        ("frontend", "t0.push", _first_lost, "the untimed model expands to"),
        ("frontend", "t0.mopcfg", _odd("data"), "the untimed model expands to"),
        ("frontend", "t0.issue", _none, "of the untimed model issues"),
        ("frontend_control", "t0.mopcfg", _odd("data"), "the untimed model expands to"),
        ("frontend_control", "t0.dispatch", _none, "not that of the untimed model"),
        ("pack", "issue", _none, "not that of the untimed model: maximum[0]"),
        ("pack", "dst_write", _none, "not that of the untimed model: dst"),
        ("standin", "issue", _none, "not that of the untimed model"),
        ("standin", "load", _none, "not that of the untimed model: src_a"),
        ("unpack", "u0.issue", _none, "unpacker 0 of the untimed model hands over 0 banks"),
        ("unpack", "l1_write", _none, "not that of the untimed model: src_a"),
        ("unpack", "t0.counter", _odd("word"), "not that of the untimed model"),
    ],
)
def test_a_follower_that_was_misled(
    block: str,
    stream: str,
    damage: Damage,
    says: str,
    runs: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = load_block(block).untimed
    assert made is not None and stream in load_block(block).stream_table
    changed(monkeypatch, untimed=lambda profile: Misled(made(profile), stream, damage))
    result = check_run(runs(block))
    assert result.status == "fail" and says in result.message, result.message
