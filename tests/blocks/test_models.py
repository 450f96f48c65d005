# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model of every block refuses what is no input, and is as before."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.compiled.state import differences
from tilepath.engine.description.block import Block
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.description.stream import Records
from tilepath.isa import profiles

NOW: Final = 10
BLOCKS: Final = [b for b in block_names() if load_block(b).dut and not load_block(b).borrows]
"""Not those that are joined from others: their models take what these take."""

_INPUTS: Final = [
    (name, stream)
    for name in BLOCKS
    for stream, given in load_block(name).stream_table.items()
    if given.direction == "input"
]
_GOOD: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "adc": ("t2.issue", {"word": 0x50200001}), "control": ("t2.offer", {"word": 0x02000000}),
    "flag_pipe": ("core2.cmd", {"op": 7}), "frontend": ("t2.push", {"word": 1}),
}  # fmt: skip
"""Of some blocks what would show, if it were taken from inputs of which others are bad."""


@pytest.fixture
def block(request: pytest.FixtureRequest) -> Block:
    return load_block(request.param)


def rows(block: Block, name: str, *cycles: int, **fields: int) -> dict[str, Records]:
    """Records of 0 but for ``fields``."""
    found = np.zeros(len(cycles), block.stream_table[name].dtype)
    found["cycle"] = cycles
    for field, value in fields.items():
        found[field] = value
    return {name: found}


def refused(block: Block, inputs: dict[str, Records], until: int, message: str) -> None:
    model: Any = block.model("baseline")
    model.step({}, NOW)
    if block.name in _GOOD:
        name, fields = _GOOD[block.name]
        inputs = rows(block, name, 12, **fields) | inputs
    with pytest.raises(ValueError, match=message):
        model.step(inputs, until)
    assert model.now == NOW
    assert not any(len(records) for records in model.step({}, 2 * NOW).values())


@pytest.mark.parametrize("block", BLOCKS, indirect=True)
def test_bad_ends_and_streams(block: Block) -> None:
    refused(block, {}, NOW - 1, f"until {NOW - 1}")
    refused(block, {}, (1 << 32) + 1, "until")
    outputs = [name for name, given in block.stream_table.items() if given.direction == "output"]
    for name in ("nonesuch", outputs[0]):
        refused(block, {name: np.zeros(0, np.uint32)}, 2 * NOW, f"no such input stream: {name}")


@pytest.mark.parametrize(("block", "stream"), _INPUTS, indirect=["block"])
def test_bad_records(block: Block, stream: str) -> None:
    """Cycles, fields, and values that are too wide for theirs, of every input."""
    end = 2 * NOW
    for cycle in (NOW - 1, end):
        refused(block, rows(block, stream, cycle), end, f"{stream}: .*outside cycles {NOW} to")
    for cycles in ((12, 11), (12, 12)):
        refused(block, rows(block, stream, *cycles), end, f"{stream}: cycles do not increase")
    for wrong in (np.zeros(3), np.zeros(1, [("cycle", "u4"), ("nonesuch", "u4")])):
        if block.stream_table[stream].fields or wrong.dtype.names is None:
            refused(block, {stream: wrong}, end, f"{stream}: want .*")
    for field in block.stream_table[stream].fields:
        if field.words > 1:
            names = block.stream_table[stream].dtype.names or ()
            one_word = np.zeros(1, [(name, "u4") for name in names])
            one_word["cycle"] = 12
            refused(block, {stream: one_word}, end, f"{stream}: want .* words")
        elif field.width < 32:
            given = rows(block, stream, 12, **{field.name: 1 << field.width})
            refused(block, given, end, f"{field.name} does not fit in {field.width} bits")


@pytest.mark.parametrize("block", BLOCKS, indirect=True)
def test_unknown_profile(block: Block) -> None:
    for make in (block.model, block.coverage):
        with pytest.raises(ValueError, match="unknown profile 'nonesuch'"):
            make("nonesuch")


@pytest.mark.parametrize(
    ("block", "stream", "thread", "word", "message"),
    [
        ("pack", "issue", 3, 0x41000000, "issue"),
        ("pack", "issue", 0, 0x42000000, "issue"),
        ("standin", "issue", 3, 0x37000000, "no thread 3"),
        ("standin", "issue", 0, 0x41000000, "41000000 is no instruction"),
        ("unpack", "u0.issue", 3, 0x42000000, "u0.issue: there is no thread 3"),
        ("unpack", "u0.issue", 0, 0x42800000, "42800000 is no instruction of this unpacker"),
        ("unpack", "u1.issue", 0, 0x44800000, "44800000 is no instruction"),
    ],
    indirect=["block"],
)
def test_words_of_nobody(block: Block, stream: str, thread: int, word: int, message: str) -> None:
    refused(block, rows(block, stream, 12, thread=thread, word=word), 2 * NOW, message)


@pytest.mark.parametrize("block", BLOCKS, indirect=True)
def test_both_models_begin_alike_and_tell_copies(block: Block) -> None:
    assert block.untimed is not None
    nothing = {name: block.stream_table[name].empty() for name in block.inputs}
    for profile in profiles.names():
        model, untimed = block.model(profile), block.untimed(profile)
        untimed.follow(nothing, model.step(nothing, NOW))
        for state in (model.state(), untimed.state()):
            for values in state.values():
                values[...] = 1
        assert differences(untimed.state(), model.state()) == []
