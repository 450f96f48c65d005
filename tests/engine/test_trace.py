# SPDX-License-Identifier: Apache-2.0
"""Reading traces and state at the end, and every way in which they can be broken or differ."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.state import StateCheck, compare, read_state
from tilepath.engine.checking.trace import TraceBlock, TraceError, TraceReader, stored_blocks
from tilepath.engine.compiled.state import State, by_thread
from tilepath.engine.description.boundary import StateArray
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.description.stream import BATCH, FILLER, MARKER, Records, Stream
from tilepath.tests.engine.fakes import TABLE, encode, fake_block, side, write_traces

FIRST = side(put=[(0, 7), (4, 8)], got=[(2, 1, (1, 2, 3))], t1__tick=[(9,)])
SECOND = side(put=[(10, 9)], state=[(19, 2)])
ENDS = [10, 20]
SIZE = TABLE["put"].dtype.itemsize
BLOCK = BATCH * SIZE  # the first block of "put": two records, marker, fillers
Change = Callable[[bytearray], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_traces(tmp_path / "trace", [FIRST, SECOND])
    return tmp_path / "trace"


def stored(folder: Path, ends: list[int] | None = None) -> list[TraceBlock]:
    return list(stored_blocks(folder, TABLE, ENDS if ends is None else ends))


def test_stored_blocks(folder: Path) -> None:
    one, two = stored(folder)
    assert (one.start, one.end, two.start, two.end) == (0, 10, 10, 20)
    assert one.events == 4 and two.events == 2
    for block, given in ((one, FIRST), (two, SECOND)):
        assert all(np.array_equal(block.streams[name], given[name]) for name in TABLE)


@pytest.mark.parametrize("count", [0, 1, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH - 1])
def test_batches(count: int, tmp_path: Path) -> None:
    block = side(put=[(cycle, cycle) for cycle in range(count)])
    write_traces(tmp_path, [block, block | side(put=[])])
    one, two = stored(tmp_path, [100, 200])
    assert one.streams["put"]["word"].tolist() == list(range(count))
    assert len(two.streams["put"]) == 0


class Growing:
    """A trace folder that recorders are still writing."""

    def __init__(self, folder: Path, keep: bool) -> None:
        self.folder = folder
        folder.mkdir()
        self.reader = TraceReader(folder, TABLE, keep)
        self._counts = dict.fromkeys(TABLE, 0)

    def append(self, **rows: list[tuple[int, ...]]) -> None:
        for name, some in side(**rows).items():
            path = self.folder / f"{name}.bin"
            path.touch()
            with path.open("r+b") as file:
                file.seek(0, os.SEEK_END if self.reader._keep else os.SEEK_SET)
                file.write(encode(TABLE[name], some, self._counts[name]))
            self._counts[name] += len(some)

    def batches(self, name: str) -> float:
        """How long a file is."""
        return (self.folder / f"{name}.bin").stat().st_size / (BATCH * TABLE[name].dtype.itemsize)


@pytest.fixture(params=[True, False], ids=["keep", "drop"])
def growing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Growing]:
    it = Growing(tmp_path / "trace", request.param)
    yield it
    it.reader.close()


def test_reader_follows_the_recorders(growing: Growing) -> None:
    growing.append(put=[(0, 7), (9, 8)])
    assert growing.reader.read(10).streams["put"].tolist() == [(0, 7), (9, 8)]
    growing.append()
    second = growing.reader.read(20)
    assert (second.start, second.end, second.events) == (10, 20, 0)
    growing.append(put=[(25, 1)])
    assert growing.reader.read(30).streams["put"].tolist() == [(25, 1)]
    if growing.reader._keep:
        assert len(stored(growing.folder, [10, 20, 30])) == 3
    else:
        assert growing.batches("put") == 1


ORDERS = list(itertools.permutations((1, BATCH - 1, BATCH, 3 * BATCH)))


@pytest.mark.parametrize("counts", ORDERS)
def test_what_is_left_of_an_earlier_block_is_not_read(
    growing: Growing, counts: tuple[int, ...]
) -> None:
    for number, count in enumerate(counts):
        cycles = range(100 * number, 100 * number + count)
        growing.append(put=[(cycle, cycle) for cycle in cycles])
        block = growing.reader.read(100 * (number + 1))
        assert block.streams["put"]["cycle"].tolist() == list(cycles)
        assert block.streams["put"]["word"].tolist() == list(cycles)
    if not growing.reader._keep:
        assert growing.batches("put") == 4


@pytest.mark.parametrize("rows", [[], [(0, 7)], [(n, 7) for n in range(BATCH)]])
def test_reader_refuses_a_block_that_was_not_written(
    growing: Growing, rows: list[tuple[int, ...]]
) -> None:
    growing.append(put=rows)
    growing.reader.read(100)
    text = "is truncated: 0 bytes" if growing.reader._keep else "does not add up"
    with pytest.raises(TraceError, match=rf"(put|gate)\.bin {text}"):
        growing.reader.read(200)


@pytest.mark.parametrize("row", [(9, 1), (30, 1)], ids=["too early", "too late"])
def test_reader_refuses_a_cycle_of_another_block(growing: Growing, row: tuple[int, ...]) -> None:
    growing.append(put=[(0, 7), (5, 1)])
    growing.reader.read(10)
    growing.append(put=[(12, 1), row, (13, 1)])
    with pytest.raises(TraceError, match=r"put\.bin"):
        growing.reader.read(20)


def test_reader_refuses_a_count_that_started_anew(growing: Growing) -> None:
    growing.append(put=[(0, 7)])
    growing.reader.read(10)
    growing._counts["put"] = 0
    growing.append(put=[(11, 7)])
    with pytest.raises(TraceError, match=r"put\.bin does not add up"):
        growing.reader.read(20)


def test_reader_names_a_missing_file(growing: Growing) -> None:
    growing.append()
    (growing.folder / "t1.tick.bin").unlink()
    with pytest.raises(TraceError, match=r"t1\.tick\.bin cannot be read: No such file"):
        growing.reader.read(10)


def word(data: bytearray, record: int, index: int, value: int) -> None:
    """Replace a word of a record of ``put``."""
    at = record * SIZE + index * 4
    data[at : at + 4] = value.to_bytes(4, "little")


def overwrite(data: bytearray, new: bytes) -> None:
    data[:] = new


PUT: Stream = TABLE["put"]
# what is done to put.bin (two blocks), and what is said of it
DAMAGE: dict[str, tuple[Change, str]] = {
    "empty": (lambda d: d.clear(), "0 blocks of cycles instead of 2"),
    "last byte cut": (lambda d: d.pop(), "is truncated"),
    "last record cut": (lambda d: overwrite(d, d[:-SIZE]), "is truncated"),
    "last batch cut": (lambda d: overwrite(d, d[:-BLOCK]), "1 blocks of cycles instead of 2"),
    "first byte cut": (lambda d: d.pop(0), "is truncated"),
    "first batch cut": (lambda d: overwrite(d, d[BLOCK:]), "1 blocks of cycles instead of 2"),
    "a byte more": (lambda d: d.append(0), "is truncated"),
    "a batch of fillers more": (
        lambda d: d.extend(FILLER.to_bytes(4, "little").ljust(SIZE, b"\0") * BATCH),
        "goes on behind its last block",
    ),
    "a block more": (lambda d: d.extend(encode(PUT, PUT.empty(), 3)), "3 blocks of cycles"),
    "count too low": (lambda d: word(d, 2, 1, 1), "does not add up"),
    "count too high": (lambda d: word(d, 2, 1, 3), "does not add up"),
    "count of the second": (lambda d: word(d, BATCH + 1, 1, 1), "does not add up"),
    "marker lost": (lambda d: word(d, 2, 0, 9), "1 blocks of cycles instead of 2"),
    "marker overwritten by a filler": (lambda d: word(d, 2, 0, FILLER), "1 blocks of cycles"),
    "record behind the marker": (lambda d: word(d, 3, 0, 9), "does not add up"),
    "record at the end": (lambda d: word(d, BATCH - 1, 0, 9), "does not add up"),
    "filler before the marker": (lambda d: word(d, 1, 0, FILLER), "cycles do not rise"),
    "two markers": (lambda d: word(d, 3, 0, MARKER), "3 blocks of cycles instead of 2"),
    "cycles fall": (lambda d: word(d, 1, 0, 0), "cycles do not rise within 0 … 9"),
    "cycle twice": (lambda d: word(d, 0, 0, 4), "cycles do not rise within 0 … 9"),
    "cycle of the next block": (lambda d: word(d, 1, 0, 10), "cycles do not rise within 0 … 9"),
    "cycle of the last block": (
        lambda d: word(d, BATCH, 0, 9),
        "cycles do not rise within 10 … 19",
    ),
    "blocks swapped": (lambda d: overwrite(d, d[BLOCK:] + d[:BLOCK]), "does not add up"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_an_error_that_names_the_file(name: str, folder: Path) -> None:
    change, text = DAMAGE[name]
    path = folder / "put.bin"
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    with pytest.raises(TraceError, match=text) as caught:
        stored(folder)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_missing_stored_trace(folder: Path) -> None:
    (folder / "state.bin").unlink()
    with pytest.raises(TraceError, match=r"state\.bin cannot be read"):
        stored(folder)
    (folder / "state.bin").mkdir()
    with pytest.raises(TraceError, match=r"state\.bin cannot be read"):
        stored(folder)


def test_every_flipped_bit_of_the_frame_is_seen(folder: Path) -> None:
    """Cycles, marker and fillers; the payload is compared by others."""
    path = folder / "put.bin"
    good = path.read_bytes()
    frame = [0, 1, 2, 3, 8, 9, 10, 11, *range(16, 24), *(n for n in range(24, 250, SIZE))]
    for at in frame:
        bad = bytearray(good)
        bad[at] ^= 0x80
        path.write_bytes(bad)
        with pytest.raises(TraceError):
            stored(folder)


# -- architectural state at the end of a run, held against both models


ARRAYS = (
    StateArray("words", "u4", (2, 3)),
    StateArray("owner", "i1", (), 2),
)
SPEC = TestSpec("fake", "fake", "directed", lambda _ctx: {})


def kept(folder: Path, words: list[int], *owners: int) -> Path:
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


@pytest.mark.parametrize("name", ["words", "t1.owner"])
def test_a_file_that_is_missing_or_not_whole(tmp_path: Path, name: str) -> None:
    path = kept(tmp_path, WORDS, -1, 2) / f"{name}.state"
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
        read_state(kept(tmp_path, WORDS, 128, 0), ARRAYS)


def test_a_difference_is_told(tmp_path: Path) -> None:
    rtl = read_state(kept(tmp_path, WORDS, -1, 2), ARRAYS)
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
    kept(tmp_path, WORDS, -1, 2)
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
    kept(tmp_path, WORDS, -1, 2)
    with pytest.raises(CheckError, match=r"state\(\) of the cycle-exact model is not what"):
        StateCheck(described, "baseline", SPEC, tmp_path).check({}, 9, True)
    with pytest.raises(ValueError, match="an untimed model, but declares no state"):
        StateCheck(replace(described, state=(), untimed=Follower), "baseline", SPEC, tmp_path)


def test_threads_are_the_first_dimension() -> None:
    joined = by_thread([{"a": np.zeros(4)}, {"a": np.ones(4)}])
    assert joined["a"].shape == (2, 4) and joined["a"][1].all()
