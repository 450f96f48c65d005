# SPDX-License-Identifier: Apache-2.0
"""Reads traces: block of cycles after block of cycles, or a stored run as a whole.

Every block of every stream must end with a marker whose count adds up, hold only whole records,
and have cycles that rise and lie in the block. Anything else is a :class:`TraceError`: a check
that sees a broken trace fails, it does not shrink.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.checking.rows import rising, rows_of
from tilepath.engine.description.stream import BATCH, FILLER, MARKER, Records, Stream
from tilepath.engine.host.files import open_regular, read_bytes

_READ: Final = FILLER.to_bytes(4, "little")  # in the place of a block's first cycle


class TraceError(RuntimeError):
    """A trace is missing, empty, truncated or inconsistent; the message names the file."""


@dataclass(frozen=True)
class TraceBlock:
    """All records of cycles ``start`` ≤ c < ``end``, by stream instance."""

    start: int
    end: int
    streams: Mapping[str, Records]

    @property
    def events(self) -> int:
        """Number of records in all streams."""
        return sum(len(r) for r in self.streams.values())


class TraceReader:
    """Reads what the recorders have written since the last call.

    With ``keep`` = False each block of cycles is written over the one before, so that a run of any
    length needs little disk space, and always the same; behind the marker is what is left of it.
    """

    def __init__(self, directory: Path, streams: Mapping[str, Stream], keep: bool = True) -> None:
        self._directory = directory
        self._dtypes = {name: stream.dtype for name, stream in streams.items()}
        self._keep = keep
        self._offset = dict.fromkeys(streams, 0)
        self._count = dict.fromkeys(streams, 0)
        self._end = 0
        self._files: dict[str, int] = {}

    def read(self, end: int) -> TraceBlock:
        """The block that ends before cycle ``end``; raises :class:`TraceError`."""
        start, self._end = self._end, end
        streams = {name: self._read_stream(name, start, end) for name in self._dtypes}
        return TraceBlock(start, end, streams)

    def _read_stream(self, name: str, start: int, end: int) -> Records:
        path = self._directory / f"{name}.bin"
        if name not in self._files:
            try:
                self._files[name] = open_regular(path, os.O_RDWR)
            except OSError as error:
                raise TraceError(f"trace {path} cannot be read: {error.strerror}") from None
        handle = self._files[name]
        size = os.fstat(handle).st_size
        if size < self._offset[name]:
            raise TraceError(f"trace {path} is truncated: it became shorter than what was read")
        data = os.pread(handle, size - self._offset[name], self._offset[name])
        records = _records(path, data, self._dtypes[name])
        good = rising(rows_of(records), start, end)
        if self._keep:
            self._offset[name] = size
        else:
            os.pwrite(handle, _READ, 0)  # should the next block not be written, this one is none
            records = records[: (good // BATCH + 1) * BATCH]  # the rest is of an earlier block
        block, self._count[name] = _strip(path, records, self._count[name])
        if good < len(block):
            raise _unordered(path, start, end)
        return block

    def close(self) -> None:
        """Close the files."""
        for handle in self._files.values():
            os.close(handle)
        self._files.clear()


def _records(path: Path, data: bytes, dtype: np.dtype[np.void]) -> Records:
    """Whole batches of records."""
    size = BATCH * dtype.itemsize
    if len(data) == 0 or len(data) % size:
        raise TraceError(f"trace {path} is truncated: {len(data)} bytes, {size} a batch")
    return np.frombuffer(data, dtype)


def _strip(path: Path, records: Records, count: int) -> tuple[Records, int]:
    """Records of one block without its marker and fillers, and the new count."""
    marker = len(records) - 1
    while marker > len(records) - BATCH and records["cycle"][marker] == FILLER:
        marker -= 1
    words = records[marker : marker + 1].view("<u4")[:2]
    total = (count + marker) & 0xFFFF_FFFF
    if words[0] != MARKER or words[1] != total:
        raise TraceError(
            f"trace {path} does not add up: its block of cycles ends with {words[0]:#x}, "
            f"{words[1]} records instead of a marker for {total}"
        )
    return records[:marker], total


def _unordered(path: Path, start: int, end: int) -> TraceError:
    return TraceError(f"trace {path}: cycles do not rise within {start} … {end - 1}")


def stored_blocks(
    directory: Path, streams: Mapping[str, Stream], ends: list[int]
) -> Iterator[TraceBlock]:
    """The blocks of a stored run, whose ends were ``ends``; raises :class:`TraceError`."""
    pieces = {name: _split(directory / f"{name}.bin", s, len(ends)) for name, s in streams.items()}
    start = 0
    for index, end in enumerate(ends):
        block = {name: parts[index] for name, parts in pieces.items()}
        for name, records in block.items():
            if rising(rows_of(records), start, end) < len(records):
                raise _unordered(directory / f"{name}.bin", start, end)
        yield TraceBlock(start, end, block)
        start = end


def _split(path: Path, stream: Stream, blocks: int) -> list[Records]:
    try:
        data = read_bytes(path)
    except OSError as error:
        raise TraceError(f"trace {path} cannot be read: {error.strerror}") from None
    records = _records(path, data, stream.dtype) if data else stream.empty()
    cycles = records["cycle"]
    # a block ends with the batch that its marker is in
    ends = (np.flatnonzero(cycles == MARKER) // BATCH + 1) * BATCH
    if len(ends) != blocks:
        raise TraceError(f"trace {path} has {len(ends)} blocks of cycles instead of {blocks}")
    parts, begin, count = [], 0, 0
    for end in ends:
        part, count = _strip(path, records[begin : int(end)], count)
        parts.append(part)
        begin = int(end)
    if begin != len(cycles):
        raise TraceError(f"trace {path} goes on behind its last block of cycles")
    return parts
