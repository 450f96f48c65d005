# SPDX-License-Identifier: Apache-2.0
"""Descriptions of streams and players: names, layouts, and the HDL that follows from them."""

from __future__ import annotations

import pytest

from tilepath.engine.description.hdl import generated_hdl
from tilepath.engine.description.stream import Field, Stream, stream_table
from tilepath.tests.engine.fakes import fake_block


@pytest.mark.parametrize(
    ("width", "words"), [(1, 1), (31, 1), (32, 1), (33, 2), (64, 2), (65, 3), (256, 8)]
)
def test_field_takes_whole_words(width: int, words: int) -> None:
    assert Field("x", width).words == words


def test_layout_of_a_record() -> None:
    stream = Stream("s", "output", fields=(Field("a", 33), Field("b"), Field("c", 32)))
    assert stream.payload_words == 4
    assert stream.dtype.names == ("cycle", "a", "b", "c")
    assert stream.dtype.itemsize == 20
    assert [stream.dtype.fields[name][1] for name in stream.dtype.names] == [0, 4, 12, 16]
    assert stream.dtype["a"].shape == (2,) and stream.dtype["b"].shape == ()


def test_record_without_fields_still_has_two_words() -> None:
    stream = Stream("s", "output")
    assert stream.payload_words == 1
    assert stream.dtype.itemsize == 8
    assert len(stream.empty()) == 0 and stream.empty().dtype == stream.dtype


def test_instances() -> None:
    assert Stream("s", "input").instances == ("s",)
    assert Stream("s", "input", copies=2).instances == ("t0.s", "t1.s")
    assert Stream("s", "output", copies=2, prefix="u").instances == ("u0.s", "u1.s")
    block = fake_block()
    assert list(block.player_table) == ["source", "t0.gate", "t1.gate"]
    assert list(block.stream_table) == [
        "put",
        "gate",
        "got",
        "t0.tick",
        "t1.tick",
        "state",
        "fault",
    ]


def test_a_stream_described_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"stream t1\.s is described twice"):
        stream_table((Stream("s", "input", copies=2), Stream("t1.s", "output")))


def test_generated_hdl_has_a_module_for_each_stream_and_player() -> None:
    text = generated_hdl(fake_block())
    for module in (
        *("fake_rec_put", "fake_rec_gate", "fake_rec_got", "fake_rec_tick", "fake_rec_state"),
        "fake_rec_fault",
        *("fake_play_source", "fake_play_gate"),
    ):
        assert text.count(f"module {module} ") == 1
    assert text.count("endmodule") == 8
    # the first field is lowest, and each begins on a word
    assert ".payload_i({26'd0, wide_i, word_i})" in text
    assert ".payload_i({31'd0, open_i})" in text
    assert ".payload_i(32'd0)" in text
