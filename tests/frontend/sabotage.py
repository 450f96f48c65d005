# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads instead of the usual entry when a test wants something to break.

The environment variable ``SABOTAGE`` says what: an attribute of :class:`Sabotage`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pyuvm

from tilepath.engine.checking.trace import TraceBlock, TraceReader
from tilepath.engine.description.player import ChunkWriter, Items
from tilepath.engine.description.stream import Records
from tilepath.engine.simulation.test import CosimTest
from tilepath.models.frontend import FrontendModel
from tilepath.tb.frontend.streams import CORE

VARIABLE: Final = "SABOTAGE"
PLAYER: Final = "t1.core"
STREAM: Final = "t1.rq"

_put: Final = ChunkWriter._put


class Sabotage:
    """Each method breaks one thing, in the course of a run."""

    @staticmethod
    def truncated_chunk() -> None:
        """The first chunk of a player ends within an item."""
        _only_chunk(40 * 4 * CORE.words + 5)

    @staticmethod
    def missing_chunk() -> None:
        """The first chunk of a player is short, and there is no second one."""
        _only_chunk(40 * 4 * CORE.words)

    @staticmethod
    def missing_trace() -> None:
        """A trace is gone before it was ever read."""
        _before_read(1, lambda path: path.unlink())

    @staticmethod
    def empty_trace() -> None:
        """A trace is emptied in the course of the run."""
        _before_read(2, lambda path: os.truncate(path, 0))

    @staticmethod
    def short_trace() -> None:
        """A trace loses its last byte in the course of the run."""
        _before_read(2, lambda path: os.truncate(path, path.stat().st_size - 1))

    @staticmethod
    def damaged_trace() -> None:
        """The first record of a block has another cycle."""
        sizes: list[int] = []
        _before_read(1, lambda path: sizes.append(path.stat().st_size))
        _before_read(2, lambda path: _overwrite(path, sizes[0], b"\xff\xff\xff\x7f"))

    @staticmethod
    def killed() -> None:
        """The simulator dies."""
        _before_read(2, lambda _: os.kill(os.getpid(), signal.SIGKILL))

    @staticmethod
    def model_that_fails() -> None:
        """The model raises an error of its own in the course of the run."""
        usual = FrontendModel.step

        def step(model: FrontendModel, inputs: Mapping[str, Records], until: int) -> Any:
            if until > 1000:
                raise KeyError("planted")
            return usual(model, inputs, until)

        FrontendModel.step = step  # type: ignore[method-assign]

    @staticmethod
    def nothing() -> None:
        """All goes well."""


def _only_chunk(size: int) -> None:
    """Of one player there is but the first chunk, and of that only ``size`` bytes."""

    def put(writer: ChunkWriter, items: Items) -> None:
        if writer.name != PLAYER:
            _put(writer, items)
        elif not writer.path(0).exists():
            _put(writer, items)
            os.truncate(writer.path(0), size)

    ChunkWriter._put = put  # type: ignore[assignment,method-assign]


def _overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def _before_read(block: int, act: Callable[[Path], object]) -> None:
    """Call ``act`` with the path of a trace before block number ``block`` of cycles is read."""
    earlier = TraceReader.read
    calls = 0

    def read(reader: TraceReader, end: int) -> TraceBlock:
        nonlocal calls
        calls += 1
        if calls == block:
            act(reader._directory / f"{STREAM}.bin")
        return earlier(reader, end)

    TraceReader.read = read  # type: ignore[assignment,method-assign]


@pyuvm.test()
class Sabotaged(CosimTest):
    """Runs the request, not undisturbed."""


if kind := os.environ.get(VARIABLE):  # a simulator, not a test that wants the names above
    getattr(Sabotage, kind)()
