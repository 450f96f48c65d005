# SPDX-License-Identifier: Apache-2.0
"""Chunk files: what is in them, when they go, how far ahead the writer is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilepath.tb.kernel.description.player import END, WAIT_GO, ChunkWriter, Items, Player

ITEM = Player("core", words=3)
LEVEL = Player("gate", "level")


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
    assert [w.cycles_left(n) for n in range(7)] == [120, 100, 100, 60, 60, 0, 0]


@pytest.mark.parametrize("keep", [True, False])
def test_played_chunks_are_dropped_but_for_the_last(keep: bool, tmp_path: Path) -> None:
    w = writer(tmp_path, keep)
    for _ in range(5):
        w.write(items((0, 1, 2), (0, 3, 4)))

    def there() -> list[int]:
        return [n for n in range(5) if w.path(n).exists()]

    assert w.cycles_left(2) == 8
    assert there() == [0, 1, 2, 3, 4]
    # three are played; the player may have read ahead into the fourth only
    assert w.cycles_left(6) == 4
    assert there() == ([0, 1, 2, 3, 4] if keep else [2, 3, 4])
    assert w.cycles_left(6) == 4 and w.cycles_left(7) == 2
    w.write(items((0, 5, 6)))
    assert w.cycles_left(8) == 3
    assert w.cycles_left(11) == 0
    w.finish()
    assert stored(w.path(6)) == [[END] * 3]
    assert there() == ([0, 1, 2, 3, 4] if keep else [])
