# SPDX-License-Identifier: Apache-2.0
"""Architectural state at the end of a run: read out of the RTL, and held against both models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.state import StateCheck, compare, read_state
from tilepath.engine.checking.trace import TraceError
from tilepath.engine.compiled.state import State, by_thread
from tilepath.engine.description.boundary import StateArray
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.description.stream import Records
from tilepath.tests.engine.fakes import fake_block

ARRAYS = (
    StateArray("words", "u4", (2, 3)),
    StateArray("owner", "i1", (), 2),
)
SPEC = TestSpec("fake", "fake", "directed", lambda _ctx: {})


def stored(folder: Path, words: list[int], *owners: int) -> Path:
    np.array(words, "<u4").tofile(folder / "words.state")
    for number, owner in enumerate(owners):
        np.array([owner], "<i4").tofile(folder / f"t{number}.owner.state")
    return folder


def state(words: list[int], *owners: int) -> State:
    return {
        "words": np.array(words, np.uint32).reshape(2, 3),
        "owner": np.array(owners, np.int8),
    }


WORDS = [1, 2, 3, 4, 5, 0xFFFF_FFFF]


def test_what_is_read(tmp_path: Path) -> None:
    compare(read_state(stored(tmp_path, WORDS, -1, 2), ARRAYS), state(WORDS, -1, 2), "x", 0)


@pytest.mark.parametrize("name", ["words", "t1.owner"])
def test_a_file_that_is_missing_or_not_whole(tmp_path: Path, name: str) -> None:
    path = stored(tmp_path, WORDS, -1, 2) / f"{name}.state"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(TraceError, match=f"{name}.state has [05] numbers"):
        read_state(tmp_path, ARRAYS)
    path.write_bytes(b"abc")
    with pytest.raises(TraceError, match=f"{name}.state cannot be read"):
        read_state(tmp_path, ARRAYS)
    path.unlink()
    with pytest.raises(TraceError, match=f"{name}.state cannot be read"):
        read_state(tmp_path, ARRAYS)


def test_a_number_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="owner has a number that does not fit in i1"):
        read_state(stored(tmp_path, WORDS, 128, 0), ARRAYS)


def test_a_difference_is_told(tmp_path: Path) -> None:
    rtl = read_state(stored(tmp_path, WORDS, -1, 2), ARRAYS)
    with pytest.raises(CheckError) as caught:
        compare(rtl, state([1, 2, 3, 7, 5, 6], -1, 0), "cycle-exact", 40)
    assert str(caught.value) == (
        "state at the end (cycle 40) is not that of the cycle-exact model: "
        "words[1, 0]: 0x4, want 0x7"
    )
    assert caught.value.report.splitlines()[2:] == [
        "  words[1, 0]: 0x4, want 0x7",
        "  words[1, 2]: 0xffffffff, want 0x6",
        "  owner[1]: 0x2, want 0x0",
    ]


def test_a_long_difference_is_cut() -> None:
    one, other = ({"words": np.full(20, n, np.uint32)} for n in (1, 2))
    with pytest.raises(CheckError) as caught:
        compare(one, other, "untimed", 40)
    assert caught.value.report.endswith("  words[7]: 0x1, want 0x2\n  … 20 in all\n")


class Follower:
    """A model without time that ends in a state it was told of."""

    ends: ClassVar[State] = {}

    def __init__(self, _profile: str) -> None:
        self.followed = 0

    def follow(self, _inputs: Mapping[str, Records], _expected: Mapping[str, Records]) -> None:
        self.followed += 1

    def state(self) -> State:
        assert self.followed
        return self.ends


def check(folder: Path, spec: TestSpec, settles: bool = False) -> StateCheck:
    described = replace(fake_block(), state=ARRAYS, untimed=Follower, settles=settles)
    made = StateCheck(described, "baseline", spec, folder)
    made.follow({}, {})
    return made


@pytest.mark.parametrize(
    ("spec", "settles", "at_rest", "compared"),
    [
        (SPEC, False, True, True),
        (SPEC, False, False, False),
        (replace(SPEC, untimed=False), False, True, False),
        (replace(SPEC, endless=True), False, True, False),
        (replace(SPEC, endless=True), True, True, True),
        (replace(SPEC, endless=True, untimed=False), True, True, False),
    ],
)
def test_when_the_untimed_model_must_agree(
    tmp_path: Path, spec: TestSpec, settles: bool, at_rest: bool, compared: bool
) -> None:
    stored(tmp_path, WORDS, -1, 2)
    right, wrong = state(WORDS, -1, 2), state(WORDS, -1, 1)
    Follower.ends = right
    check(tmp_path, spec, settles).check(right, 9, at_rest)
    with pytest.raises(CheckError, match="cycle-exact model: owner"):
        check(tmp_path, spec, settles).check(wrong, 9, at_rest)
    Follower.ends = wrong
    if not compared:
        check(tmp_path, spec, settles).check(right, 9, at_rest)
        return
    with pytest.raises(CheckError, match=r"untimed model: owner\[1\]: 0x2, want 0x1"):
        check(tmp_path, spec, settles).check(right, 9, at_rest)


def test_a_model_without_the_state_that_is_declared(tmp_path: Path) -> None:
    described = replace(fake_block(), state=ARRAYS)
    with pytest.raises(CheckError, match=r"declares state \(words, owner\), its model has no"):
        StateCheck(described, "baseline", SPEC, tmp_path).check(None, 9, True)
    stored(tmp_path, WORDS, -1, 2)
    with pytest.raises(CheckError, match=r"state\(\) of the cycle-exact model is not what"):
        StateCheck(described, "baseline", SPEC, tmp_path).check({}, 9, True)
    with pytest.raises(ValueError, match="an untimed model, but declares no state"):
        StateCheck(replace(described, state=(), untimed=Follower), "baseline", SPEC, tmp_path)


def test_threads_are_the_first_dimension() -> None:
    joined = by_thread([{"a": np.zeros(4)}, {"a": np.ones(4)}])
    assert joined["a"].shape == (2, 4) and joined["a"][1].all()
