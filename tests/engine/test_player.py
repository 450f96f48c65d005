# SPDX-License-Identifier: Apache-2.0
"""Players and streams: chunk files, fields of items and records, the HDL that follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.description.boundary import Field
from tilepath.engine.description.packing import gaps_of, with_gaps
from tilepath.engine.description.player import END, WAIT_GO, ChunkWriter, Items, Player, plays
from tilepath.engine.description.recorded import Recorded
from tilepath.engine.description.stream import Stream, stream_table
from tilepath.tests.engine.fakes import STREAMS

WORD = Field("word", 32)
ITEM = Player("core", fields=(WORD, Field("data", 32)))
LEVEL = Player("gate", "level", fields=(Field("open"),))
MANY = Player(
    "many",
    fields=(
        Field("flag"),
        Field("few", 3),
        Field("ten", 10),
        WORD,
        Field("two", 2),
        Field("line", 32, count=2),
    ),
    head=("flag", "few"),
    go=True,
)


def items(*rows: tuple[int, ...]) -> Items:
    return np.array(rows, np.uint32)


def writer(folder: Path, keep: bool = True, player: Player = ITEM) -> ChunkWriter:
    return ChunkWriter(player, f"t0.{player.name}", folder, keep)


def stored(path: Path, words: int = 3) -> list[list[int]]:
    """Items of a chunk; words of an item are stored from the last to the first, big-endian."""
    return np.frombuffer(path.read_bytes(), ">u4").reshape(-1, words)[:, ::-1].tolist()


def test_chunks_are_numbered_and_end_with_the_marker(tmp_path: Path) -> None:
    w = writer(tmp_path)
    w.write(items((1, 2, 3), (4, 5, 6)))
    w.write(items((7, 8, 9)))
    assert not w.finished
    w.finish()
    assert w.finished
    assert w.path(0) == tmp_path / "t0.core.0.bin"
    assert stored(w.path(0)) == [[1, 2, 3], [4, 5, 6]]
    assert stored(w.path(1)) == [[7, 8, 9]]
    assert stored(w.path(2)) == [[END] * 3]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"t0.core.{n}.bin" for n in range(3)
    ]


def test_no_item_makes_no_chunk(tmp_path: Path) -> None:
    w = writer(tmp_path)
    w.write(np.empty((0, 3), np.uint32))
    w.finish()
    assert stored(w.path(0)) == [[END] * 3]
    assert w.cycles_left(0) == 0


@pytest.mark.parametrize("shape", [(3,), (1, 2), (1, 3, 1), (0, 4)])
def test_wrong_shape_is_refused(shape: tuple[int, ...], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t0\.core takes items of 3 words"):
        writer(tmp_path).write(np.zeros(shape, np.uint32))
    assert list(tmp_path.iterdir()) == []


def test_an_item_that_is_the_end_marker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t0\.core: word 0 of an item is the end marker"):
        writer(tmp_path).write(items((1, 2, 3), (END, 0, 0)))
    writer(tmp_path).write(items((1, END, END)))


def test_fewest_cycles_of_items() -> None:
    # gaps are 16 bits; flags above them take no time
    assert ITEM.cycles(items((0, 0, 0), (5 | WAIT_GO, 0, 0), (0xFFFF, 0, 0))) == 65535 + 5 + 3
    assert LEVEL.cycles(items((3, 1), (0, 0), (1, 1))) == 5
    assert LEVEL.cycles(items((0x8000_0000, 0), (0x8000_0000, 1))) == 1 << 32


def test_cycles_left_counts_chunks_not_yet_begun(tmp_path: Path) -> None:
    w = writer(tmp_path)
    for gap in (9, 19, 29):
        w.write(items((gap, 0, 0), (gap, 0, 0)))
    assert [w.cycles_left(n) for n in range(7)] == [100, 100, 60, 60, 0, 0, 0]


@pytest.mark.parametrize("keep", [True, False])
def test_played_chunks_are_dropped_but_for_the_last(keep: bool, tmp_path: Path) -> None:
    w = writer(tmp_path, keep)
    for _ in range(5):
        w.write(items((0, 1, 2), (0, 3, 4)))

    def there() -> list[int]:
        return [n for n in range(5) if w.path(n).exists()]

    assert w.cycles_left(2) == 6
    assert there() == [0, 1, 2, 3, 4]
    # three are played; the player may have read ahead into the fourth only
    assert w.cycles_left(6) == 2
    assert there() == ([0, 1, 2, 3, 4] if keep else [2, 3, 4])
    assert w.cycles_left(6) == 2 and w.cycles_left(7) == 2
    w.write(items((0, 5, 6)))
    assert w.cycles_left(8) == 1
    assert w.cycles_left(11) == 0
    w.finish()
    assert stored(w.path(6)) == [[END] * 3]
    assert there() == ([0, 1, 2, 3, 4] if keep else [])


# -- fields of items


def test_where_fields_are() -> None:
    assert MANY.words == 6
    assert {name: (place.word, place.low) for name, place in MANY.layout.places.items()} == {
        "flag": (0, 17), "few": (0, 18), "ten": (1, 0),
        "word": (2, 0), "two": (3, 0), "line": (4, 0),
    }  # fmt: skip
    assert Player("bare").words == 1 and LEVEL.words == 2


def test_fields_come_back_from_items() -> None:
    made = MANY.pack(gap=[1, 2], wait=1, flag=[0, 1], few=7, word=END, two=3, line=[[1, 2], [3, 4]])
    assert made.dtype == np.uint32 and not MANY.malformed(made).any()
    assert made.tolist() == [
        [1 | WAIT_GO | 7 << 18, 0, END, 3, 1, 2],
        [2 | WAIT_GO | 1 << 17 | 7 << 18, 0, END, 3, 3, 4],
    ]
    found = {name: values.tolist() for name, values in MANY.unpack(made).items()}
    assert found == {
        "gap": [1, 2], "wait": [1, 1], "flag": [0, 1], "few": [7, 7], "ten": [0, 0],
        "word": [END, END], "two": [3, 3], "line": [[1, 2], [3, 4]],
    }  # fmt: skip
    assert LEVEL.unpack(LEVEL.pack(cycles=[3, 4], open=1))["cycles"].tolist() == [3, 4]
    assert len(ITEM.pack(word=[])) == 0


@pytest.mark.parametrize("kind", [int, np.int64, np.uint32, np.asarray])
def test_numbers_make_the_item_that_arrays_make(kind: Any) -> None:
    for player, values in (
        (MANY, {"gap": 0xFFFF, "wait": 1, "flag": True, "few": 5, "ten": 1023, "word": END}),
        (MANY, {"two": 3, "gap": 0}),
        (LEVEL, {"open": 1}),
        (LEVEL, {"cycles": END - 1}),
    ):
        one = player.pack(**{name: kind(value) for name, value in values.items()})
        many = player.pack(**{name: [value, value] for name, value in values.items()})
        assert one.dtype == many.dtype and one.tolist() == many.tolist()[:1]


def test_the_head_of_an_item_is_never_the_end() -> None:
    assert (MANY.pack(gap=0xFFFF, wait=1, flag=1, few=7)[:, 0] != END).all()
    full = tuple(Field(f"f{n}") for n in range(15))
    with pytest.raises(ValueError, match="f14 do not fit into word 0"):
        Player("full", fields=full, head=tuple(f.name for f in full)).words  # noqa: B018


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"gap": 1 << 16}, "gap: 0 to 65535, not 65536 to 65536"),
        ({"wait": 2}, "wait: 0 to 1"),
        ({"few": [1, 8]}, "few: 0 to 7, not 1 to 8"),
        ({"word": -1}, "word: 0 to 4294967295, not -1 to -1"),
        ({"line": [1, 2, 3]}, "line: 2 words an item, not shape"),
        ({"line": 1 << 32}, "line: 0 to 4294967295"),
        ({"other": 1}, "other: no field of the player"),
        ({"cycles": 1}, "cycles: no field of the player"),
    ],
)
def test_what_does_not_fit_is_refused(values: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        MANY.pack(**values)


@pytest.mark.parametrize("cycles", [0, END])
def test_levels_have_a_length(cycles: int) -> None:
    with pytest.raises(ValueError, match="cycles: 1 to"):
        LEVEL.pack(cycles=cycles)
    assert LEVEL.malformed(items((cycles, 1), (1, 1))).tolist() == [True, False]


def test_bits_of_no_field_are_found() -> None:
    bad = MANY.pack(ten=[1023, 0, 0])
    bad[0, 1] |= 1 << 10
    bad[1, 0] |= 1 << 31
    assert MANY.malformed(bad).tolist() == [True, True, False]
    with pytest.raises(ValueError, match="wait: no field"):
        ITEM.pack(wait=1)


def test_a_name_is_taken_once() -> None:
    for fields in ((WORD, WORD), (Field("gap"),)):
        with pytest.raises(ValueError, match="described twice"):
            Player("twice", fields=fields).words  # noqa: B018


def test_gaps_are_changed_without_the_fields() -> None:
    made = with_gaps(MANY.pack(flag=[1, 0], wait=1), [5, 6])
    assert gaps_of(made).tolist() == [5, 6]
    assert MANY.unpack(made)["flag"].tolist() == [1, 0] and MANY.unpack(made)["wait"].all()
    with pytest.raises(ValueError, match="gap: 0 to 65535"):
        with_gaps(made, 1 << 16)


def test_a_stream_is_played_as_it_is_recorded() -> None:
    put = plays(STREAMS[0], "source", before=(Field("flag"),))
    assert [f.name for f in put.fields] == ["flag", "word"]
    assert [recorded.stream for recorded in put.records] == ["put"]
    assert plays(STREAMS[1]).kind == "level"


def test_which_items_a_stream_records() -> None:
    columns = MANY.unpack(MANY.pack(flag=[1, 0, 1], word=[4, 5, 6]))
    assert Recorded("s").chosen(columns) is columns
    assert Recorded("s", when="flag").chosen(columns)["word"].tolist() == [4, 6]
    later = Recorded("s", when=lambda found: found["word"] > 4)
    assert later.chosen(columns)["word"].tolist() == [5, 6]


# -- streams: names, layouts, HDL


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


def test_a_stream_described_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"stream t1\.s is described twice"):
        stream_table((Stream("s", "input", copies=2), Stream("t1.s", "output")))
