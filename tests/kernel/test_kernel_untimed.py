# SPDX-License-Identifier: Apache-2.0
"""The model without time that follows a run: where it does something else, the run fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.models.state import State
from tilepath.tb.kernel.checking import stored
from tilepath.tb.kernel.checking.stored import CheckResult, check_run
from tilepath.tb.kernel.description.block import Untimed
from tilepath.tb.kernel.description.registry import block_names, load_block
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import SMALL as SIM
from tilepath.tests.cosim_runs import simulate

FINITE: Final = {
    "adc": "tilize",
    "control": "tile",
    "flag_pipe": "c2v",
    "frontend": "matmul",
    "frontend_control": "matmul",
    "pack": "add1",
    "unpack": "add1",
}
Damage = Callable[[Records], Records]


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


def misled(
    run_dir: Path, stream: str, damage: Damage, monkeypatch: pytest.MonkeyPatch
) -> CheckResult:
    def load(name: str) -> Any:
        block = load_block(name)
        made = block.untimed
        assert made is not None and stream in block.stream_table
        return replace(block, untimed=lambda profile: Misled(made(profile), stream, damage))

    monkeypatch.setattr(stored, "load_block", load)
    return check_run(run_dir)


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
def test_as_it_is(block: str, runs: Callable[[str], Path]) -> None:
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
    result = misled(runs(block), stream, damage, monkeypatch)
    assert result.status == "fail" and says in result.message, result.message
