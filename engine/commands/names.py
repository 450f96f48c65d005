# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath list --names`` prints: all names of a block's players, columns and streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tilepath.engine.commands.given import check_block
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import Field, Stream
from tilepath.engine.description.player import Player
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.stimulus.tables import Tables

_HEAD: Final = """\
A number behind a field is its width in bits, where that is not 1; `16 × 32`: so many values in one
field. `t0` … `t2` are instances, one a thread, and likewise `u`, `p` and `core`.

- A **player** plays items. Beside its fields an item has `gap`, a level player's `cycles`. One that
  *waits* has `idle`, `after` and `and`, too, not listed again (docs/write-a-sequence.md).
- A **column** of a table is a knob: `tilepath run --knob override=0.9` draws it otherwise. It is
  listed as the first test draws it; `tilepath list --knobs` has the others.
- A **stream** is what is recorded: `tilepath trace RUN STREAM` prints one.
"""


def show(names: Sequence[str]) -> None:
    """Print the names of these blocks, as Markdown.

    Raises:
        UsageError: an unknown block.
    """
    lines = [_HEAD]
    for name in names:
        check_block(name)
        lines += _block(name.replace("+", "_"))
    print("\n".join(lines))


def _block(name: str) -> Iterator[str]:
    block = load_block(name)
    yield f"## {name.replace('_control', '+control')}\n"
    yield from _table("player | kind | fields | played is recorded as", _players(block))
    yield from _tables(name)
    streams = [
        (_instances(one), one.direction, one.kind, _fields(one.fields)) for one in block.streams
    ]
    yield from _table("stream | direction | kind | fields", streams)


def _table(titles: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {titles} |"
    yield "|" + "---|" * (titles.count("|") + 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _players(block: Block) -> Iterator[tuple[str, ...]]:
    for player in block.players:
        waits = ["waits"] if player.hold else []
        recorded = [f"`{one.stream}`" for one in player.records]
        kind = ", ".join([player.kind, *waits])
        shown = _fields(player.shown)
        yield _instances(player), kind, shown, ", ".join(recorded) or player.unrecorded


def _instances(one: Player | Stream) -> str:
    """``t0.issue`` … ``t2.issue``, or the name alone."""
    ends = [f"`{one.prefix}{k}.{one.name}`" for k in range(one.copies)] or [f"`{one.name}`"]
    return " … ".join([ends[0], *ends[1:][-1:]])


def _fields(some: Iterable[Field]) -> str:
    texts = []
    for field in some:
        size = f"{field.count} × {field.width}" if field.count > 1 else f"{field.width}"
        texts.append(f"{field.name} {size}" if size != "1" else field.name)
    return ", ".join(texts)


def _tables(name: str) -> Iterator[str]:
    drawn = {test: one.tables for test, one in tests_of(name).items()}
    having = {test: tables for test, tables in drawn.items() if isinstance(tables, Tables)}
    for tables in list(having.values())[:1]:
        rows = [
            (f"`{table.name}.{column}`", str(one).replace("|", "\\|"))
            for table in tables.values()
            for column, one in table.columns.items()
        ]
        tests = ", ".join(f"`{test}`" for test in having)
        yield from _table("column | drawn from", [*rows, ("*tests*", tests)])
