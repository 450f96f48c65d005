# SPDX-License-Identifier: Apache-2.0
"""The models of the counters: what is no table, what they refuse, long runs, and their state."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa import encode, profiles
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import OPCODES, AdcModel, AddressCounters
from tilepath.sequences.adc.random_items import issue_words
from tilepath.sequences.adc.tables import PRESETS
from tilepath.tests.adc.worked import random_inputs
from tilepath.tests.model_runs import stream


def test_a8_opcodes() -> None:
    assert {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E} == OPCODES
    counters = AddressCounters()
    for opcode in set(range(256)) - OPCODES:
        assert counters.execute(1, opcode << 24 | 0xFFFFFF) == ("illegal",)
    assert not counters.live.any() and not counters.checkpoint.any()


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize(("channel", "counter"), [*itertools.product((0, 1), range(4))])
def test_a1_a15_a16_everything_wraps_at_its_width(profile: str, channel: int, counter: int) -> None:
    zw = profiles.get(profile).zw_w
    counters = AddressCounters(profile)
    assert counters.widths == (18, 13, zw, zw)
    assert not counters.live.any() and not counters.checkpoint.any()
    size, name = 1 << (18, 13, zw, zw)[counter], f"{'xyzw'[counter]}{channel}_inc"
    letters, mask = ("XY", "ZW")[counter // 2], 1 << 2 * channel + counter % 2
    where = {"target": 2, "channel": channel, "xyzw": counter, "value": 0xFFFF}
    for command, after in (
        (encode("SETADC", **where), 0xFFFF),
        ((1, size - 4), 0xFFFF),
        ((0, 0x3FFFF), -1),
        ((0, size - 3), -3),
        (encode(f"INCADC{letters}", target=2, **{name: 5}), 2),
        (encode(f"ADDRCR{letters}", target=2, mask=mask, **{name: 5}), 1),
        ((0, size - 6), -6),
        (encode(f"INCADC{letters}", target=2, **{name: 5}), -1),
    ):
        if isinstance(command, tuple):
            counters.flop(0, 1, channel, counter, *command)
        else:
            counters.execute(0, command)
        assert counters.live[0, 1, channel, counter] == after % size
    assert counters.checkpoint[0, 1, channel, counter] == 1
    assert np.count_nonzero(counters.live) == np.count_nonzero(counters.checkpoint) == 1


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda c: c.execute(-1, 0x50200000), r"^no thread -1: choose from 0, 1, 2$"),
        (lambda c: c.execute(3, 0x50200000), r"^no thread 3: choose from 0, 1, 2$"),
        (lambda c: c.execute(0, -1), "does not fit in 32 bits"),
        (lambda c: c.execute(0, 1 << 32), "does not fit in 32 bits"),
        (lambda _: AddressCounters("nonesuch"), "unknown profile 'nonesuch'"),
    ],
)
def test_what_is_refused(ask: Callable[[AddressCounters], object], says: str) -> None:
    counters = AddressCounters()
    with pytest.raises(ValueError, match=says):
        ask(counters)
    assert not counters.live.any()


@pytest.mark.parametrize(
    ("method", "widths"),
    [("unpack_update", (1, 2, 2, 2, 2, 2, 2)), ("pack_update", (3, 16)),
     ("flop", (2, 2, 1, 2, 1, 18))],
)  # fmt: skip
def test_arguments_outside_their_widths(method: str, widths: tuple[int, ...]) -> None:
    counters = AddressCounters()
    for place, width in enumerate(widths):
        for bad in (-1, 1 << width):
            arguments = [0] * len(widths)
            arguments[place] = bad
            with pytest.raises(ValueError, match=f"{bad} does not fit in {width} bits"):
                getattr(counters, method)(*arguments)
    assert not counters.live.any() and not counters.checkpoint.any()


def test_random_commands_reach_every_output() -> None:
    got = AdcModel().step(random_inputs(7, 2000), 2001)
    for name, records in got.items():
        fields = [field.name for field in BOUNDARY.table[name].fields]
        assert all(records[field].any() for field in fields), name
    where = np.bitwise_or.reduce(got["conflict"]["where"])
    assert where == 0x1FF


def test_long_runs_forget_what_is_over() -> None:
    model = AdcModel()
    rng = np.random.default_rng(6)
    block = 5000
    sizes = set()
    for n in range(20):
        words = np.zeros(block, dtype=BOUNDARY.stream("issue").dtype)
        words["cycle"] = np.arange(n * block, (n + 1) * block)
        words["word"] = issue_words(PRESETS["random"]["issue"].rows(rng, block))
        got = model.step({"t0.issue": words}, (n + 1) * block)
        assert len(got["t0.unpacker0"]) > 500
        assert int(got["t0.fault"]["origin"][0]) // 256 >= n * block
        sizes.add(sum(a.nbytes for a in vars(model).values() if isinstance(a, np.ndarray)))
    assert len(sizes) == 1
    kept = [a for a in vars(model).values() if isinstance(a, (list, dict, set)) and a]
    assert kept == []


def test_a_command_of_the_last_cycle_is_in_the_state_before_it_shows() -> None:
    model = AdcModel()
    outputs = model.step({"t1.issue": stream(BOUNDARY, "issue", [(7, 0x50900005)])}, 8)
    assert all(len(records) == 0 for records in outputs.values())
    want = np.zeros((3, 3, 2, 4), dtype=np.uint32)
    want[1, 2, 1, 0] = 5
    np.testing.assert_array_equal(model.state()["live"], want)
    np.testing.assert_array_equal(model.state()["checkpoint"], want)


def test_differences_are_named() -> None:
    state = AddressCounters().state()
    other = {name: values.copy() for name, values in state.items()}
    other["checkpoint"][0, 1, 1, 3] = 4
    other["checkpoint"][2, 0, 0, 0] = 5
    found = differences(state, other)
    assert found == [("checkpoint", (0, 1, 1, 3), 0, 4), ("checkpoint", (2, 0, 0, 0), 0, 5)]
    assert str(found[0]) == "checkpoint[0, 1, 1, 3]: 0x0, want 0x4"


def test_what_is_no_state_of_the_block_is_refused() -> None:
    state = AddressCounters().state()
    with pytest.raises(ValueError, match="states of live and of live, checkpoint"):
        differences({"live": state["live"]}, state)
    for wrong in (state["live"].reshape(9, 8), state["live"].astype(np.int64)):
        with pytest.raises(ValueError, match=r"^live: .*uint32\(3, 3, 2, 4\)$"):
            differences(state | {"live": wrong}, state)
