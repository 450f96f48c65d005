# SPDX-License-Identifier: Apache-2.0
"""The text of a mismatch report, part by part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tilepath.tb.kernel.checking.mismatch import Mismatch, MismatchError
from tilepath.tb.kernel.description.stream import Field, Stream
from tilepath.tests.kernel.fakes import fake_block, records

WIDE = (0xBEEF, 0xDEAD, 0x3F)
Rows = list[tuple[Any, ...]]


def make(stream: str, expected: Rows, actual: Rows, **more: Any) -> Mismatch:
    given: dict[str, Any] = {
        "event": 12,
        "cycle": 345,
        "before": records(stream),
        "cause": None,
        "others": [],
        **more,
    }
    return Mismatch(
        block=fake_block(),
        stream=stream,
        expected=records(stream, expected),
        actual=records(stream, actual),
        **given,
    )


def test_whole_report() -> None:
    found = make(
        "got",
        [(345, 0x12345678, WIDE), (350, 2, WIDE)],
        [(345, 7, WIDE)],
        before=records("got", [(340, 1, WIDE), (341, 10, WIDE)]),
        cause=("put", 3, records("put", [(333, 0x2000000)])),
        others=[("t0.tick", 346), ("state", 350)],
    )
    wide = "0x0000003f0000dead0000beef"
    assert found.report().splitlines() == [
        "MISMATCH got event 12, cycle 345: word differs",
        "",
        f"  {'field':<14}{'expected (model)':<44}observed (RTL)",
        f"  {'cycle':<14}{'345':<44}345",
        f"  {'word':<14}{'0x12345678':<44}7   <--",
        f"  {'wide':<14}{wide:<44}{wide}",
        "",
        "  the last events of got on which both agree:",
        f"    cycle 340  word 1  wide {wide}",
        f"    cycle 341  word 0x0000000a  wide {wide}",
        "  from here on the model expects:",
        f"    cycle 345  word 0x12345678  wide {wide}",
        f"    cycle 350  word 2  wide {wide}",
        "  from here on the RTL has:",
        f"    cycle 345  word 7  wide {wide}",
        "",
        "  caused by: put event 3: cycle 333  word 0x02000000",
        "  then also different: t0.tick (cycle 346), state (cycle 350)",
    ]


def test_signatures_are_without_numbers() -> None:
    one, other = [(345, 1, WIDE)], [(345, 7, WIDE)]
    put = records("put", [(333, 0x2000000)])
    for found, signature in (
        (make("got", one, other), "got word"),
        (make("got", one, other, cause=("put", 3, put)), "got word, caused by put"),
        (make("got", one, []), "got no event"),
        (make("t0.tick", [], [(5, 1)]), "tick unexpected event"),
    ):
        assert found.signature() == signature
    for text, cause in (
        ("NOP 1, 2", "NOP"),
        ("baseline: SETREG 1; blackhole: .word 0x4A227FAC", "SETREG"),
        ("THCON_SEC0_REG1_L1_Dest_addr, …", "THCON_SEC0_REG1_L1_Dest_addr"),
        ("byte 0x4a0", "put"),
        ("unassigned opcode", "put"),
    ):
        block = replace(fake_block(), explain=lambda *_, text=text: text)
        found = replace(make("got", one, other, cause=("put", 3, put)), block=block)
        assert found.signature() == f"got word, caused by {cause}"


def test_values_are_explained() -> None:
    text = make("state", [(345, 1)], [(344, 3)]).report()
    assert "MISMATCH state event 12, cycle 345: cycle, value differ\n" in text
    assert f"  {'value':<14}{'1 (BUSY)':<44}3   <--\n" in text
    assert f"  {'cycle':<14}{'345':<44}344   <--\n" in text
    assert "    cycle 345  value 1 (BUSY)\n" in text


def test_missing_and_extra_events() -> None:
    text = make("state", [(345, 0)], []).report()
    assert "the model expects an event in cycle 345, the RTL has none\n" in text
    assert f"  {'value':<14}{'0 (IDLE)':<44}–\n" in text and "<--" not in text
    assert "  from here on the RTL has:\n    no event\n" in text
    text = make("state", [], [(345, 0)]).report()
    assert "the RTL has an event in cycle 345 that the model does not expect\n" in text
    assert f"  {'value':<14}{'–':<44}0 (IDLE)\n" in text
    assert "  from here on the model expects:\n    no event\n" in text


def test_words_of_an_array_that_differ() -> None:
    block = replace(
        fake_block(),
        streams=(Stream("rows", "output", fields=(Field("data", 512),)),),
        explain=lambda _stream, field, value: f"{field} is {value}" if value == 3 else "",
    )
    one = np.zeros(1, block.stream_table["rows"].dtype)
    other = one.copy()
    other["data"][0, 5:16] = 3
    text = Mismatch(block, "rows", 12, 345, one, other, other, None, []).report()
    assert "MISMATCH rows event 12, cycle 345: data differs\n" in text
    assert "  data          16 words, 11 differ\n" in text
    assert f"  {'data[5]':<14}{'0':<44}3 (data[5] is 3)   <--\n" in text
    assert "data[12] " in text and "data[13] " not in text and "data[4] " not in text
    assert "    cycle 0  data [0x0 x5, 0x3 x11]\n" in text
    text = Mismatch(block, "rows", 12, 345, one, one[:0], one[:0], None, []).report()
    assert f"  {'data':<14}{'[0x0 x16]':<44}–\n" in text


def test_a_long_name_keeps_a_gap_behind_it() -> None:
    stream = Stream("rows", "output", fields=(Field("fourteen_chars"), Field("b")))
    one = np.zeros(1, stream.dtype)
    block = replace(fake_block(), streams=(stream,))
    text = Mismatch(block, "rows", 12, 345, one, one, one, None, []).report()
    assert f"  fourteen_chars  {'0':<44}0\n" in text
    assert f"  {'b':<16}{'0':<44}0\n" in text


def test_a_stream_without_fields() -> None:
    text = make("t0.tick", [(345,)], [(346,)]).report()
    assert "MISMATCH t0.tick event 12, cycle 345: cycle differs\n" in text
    assert "_pad" not in text and "    cycle 346\n" in text.replace("  \n", "\n")


def test_what_is_not_known_is_said() -> None:
    text = make("state", [(345, 0)], []).report()
    assert "both agree:\n    none\n" in text
    assert "caused by: not known (the model names no input for this event)\n" in text
    assert "also different" not in text
    text = make("state", [(345, 0)], [], cause=("put", 9, records("put"))).report()
    assert "caused by: put event 9, offered more than a few blocks of cycles ago\n" in text


def test_many_other_streams_are_counted() -> None:
    others = [(f"s{n}", 400 + n) for n in range(8)]
    text = make("state", [(345, 0)], [], others=others).report()
    assert text.endswith("s4 (cycle 404), s5 (cycle 405), 2 more\n")


def test_the_error_is_an_assertion_with_the_headline() -> None:
    found = make("state", [(345, 0)], [(345, 2)])
    error = MismatchError(found)
    assert isinstance(error, AssertionError)
    assert str(error) == found.headline() == "state event 12, cycle 345: value differs"
