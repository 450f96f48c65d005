# SPDX-License-Identifier: Apache-2.0
"""The items of a run as one list that can lose some, and as files that are played and read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.tb.kernel.checking.stored import stored_items
from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.player import END, Player

PLAYED: Final = "shrinking"
"""The test that plays what it finds in the file of its seed."""

_PLAYED: Final = '''\
"""Plays the items in the file of its seed."""
from pathlib import Path
import numpy as np
from tilepath.tb.kernel.description.stimulus import ANY, TestSpec
BLOCK = {block!r}
def stimulus(ctx):
    with np.load(Path({folder!r}, f"{{ctx.seed}}.npz")) as found:
        return {{name: [found[name]] for name in found.files}}
TESTS = {{{name!r}: TestSpec({name!r}, "items", "directed", stimulus, faults=ANY, untimed=False)}}
'''
_DIRECTED: Final = '''\
# SPDX-License-Identifier: Apache-2.0
"""{about}"""

from tilepath.cli.outside import as_pytest
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.description.stimulus import ANY, TestSpec

BLOCK = {block!r}
PLAYERS = load_block(BLOCK).player_table
ITEMS = {{
{items}
}}


def stimulus(_ctx):
    return {{name: [PLAYERS[name].pack(**one) for one in some] for name, some in ITEMS.items()}}


TESTS = {{{name!r}: TestSpec({name!r}, "shrunk", "directed", stimulus, faults=ANY, untimed=False)}}
test_rtl = as_pytest(__file__, BLOCK, TESTS)
'''


class One(NamedTuple):
    """An item: whose, and its words."""

    player: str
    words: tuple[int, ...]


def stored(run_dir: Path, block: Block) -> list[One]:
    """What players had played of a run's items when it ended, about in the order of time."""
    found: list[tuple[float, One]] = []
    for name, player in block.player_table.items():
        parts = list(stored_items(run_dir / "stimulus", name, player))
        items = np.concatenate(parts) if parts else np.zeros((0, player.words), np.uint32)
        ends = np.frombuffer((run_dir / "stimulus" / f"{name}.state").read_bytes(), "<u4")
        taken = int(ends[-2]) + 1 if len(ends) else len(items)  # and the one that was at the DUT
        items = items[items[:, 0] != END][:taken]
        found += [
            (place / len(items), One(name, tuple(map(int, words))))
            for place, words in enumerate(items)
        ]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def arrays(some: Iterable[One]) -> dict[str, Any]:
    """Player → its items (n × words)."""
    found: dict[str, list[tuple[int, ...]]] = {}
    for one in some:
        found.setdefault(one.player, []).append(one.words)
    return {name: np.array(words, np.uint32) for name, words in found.items()}


def values(one: One, player: Player) -> dict[str, int | list[int]]:
    """The fields of an item that are not 0; of a level ``cycles`` always."""
    fields = player.unpack(np.array([one.words], np.uint32))
    found = {name: value[0].tolist() for name, value in fields.items()}
    return {name: v for name, v in found.items() if np.any(v) or name == "cycles"}


def simpler(one: One, player: Player) -> Iterator[One]:
    """The same with one field at 0, or a level that lasts for one cycle; then with one bit less."""
    had = values(one, player)

    def made(name: str, value: int) -> Iterator[One]:
        with contextlib.suppress(ValueError):  # of a level, 0 cycles
            words = player.pack(**{**had, name: value})[0]
            yield from [One(one.player, tuple(map(int, words)))] if value != had[name] else ()

    for name in had:
        yield from made(name, int(name == "cycles"))
    for name, value in had.items():
        if isinstance(value, int) and value & (value - 1):
            for bit in reversed(range(value.bit_length())):
                yield from made(name, value & ~(1 << bit))


def write_played(folder: Path, block: str) -> Path:
    """The file with the test that plays what is in ``folder``."""
    path = folder / "shrinking.py"
    path.write_text(_PLAYED.format(block=block, folder=str(folder), name=PLAYED))
    return path


def directed(block: Block, name: str, about: str, some: Sequence[One]) -> str:
    """A file for ``tilepath run --tests`` and for pytest that plays these items."""
    rows = []
    for player in dict.fromkeys(one.player for one in some):
        described = block.player_table[player]
        rows.append(f"    {player!r}: [")
        for one in (one for one in some if one.player == player):
            fields = values(one, described)
            told = comment(block, described, fields)
            rows.append(f"        {_literal(fields)},{told}")
        rows.append("    ],")
    return _DIRECTED.format(about=about, block=block.name, items="\n".join(rows), name=name)


def _literal(fields: Mapping[str, int | list[int]]) -> str:
    def number(value: int | list[int]) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(number, value))}]"
        return hex(value) if value > 9 else str(value)

    return "{" + ", ".join(f"{name!r}: {number(value)}" for name, value in fields.items()) + "}"


def comment(block: Block, player: Player, fields: Mapping[str, int | list[int]]) -> str:
    """What the block says of an item's values, such as a disassembly."""
    streams = [recorded.stream for recorded in player.records]
    said = [
        text
        for name, value in fields.items()
        for stream in streams
        if isinstance(value, int) and (text := _explained(block, stream, name, value))
    ]
    return f"  # {'; '.join(dict.fromkeys(said))}" if said else ""


def _explained(block: Block, stream: str, field: str, value: int) -> str:
    found = next((s for s in block.streams if s.name == stream), None)
    if found is None or field not in {f.name for f in found.fields}:
        return ""
    return block.explain(found.instances[0], field, value)
