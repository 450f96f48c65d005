# SPDX-License-Identifier: Apache-2.0
"""The items of a run as one list that can lose some, and as files that are played and read."""

from __future__ import annotations

import itertools
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.stored import stored_items
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import END, Items, Player
from tilepath.engine.project import project
from tilepath.engine.stimulus.programs import SUFFIX

PLAYED: Final = "shrinking"
"""The test that plays what it finds in the file of its seed."""

_PLAYED: Final = '''\
"""Plays the items in the file of its seed."""
from pathlib import Path
import numpy as np
from tilepath.engine.description.stimulus import ANY, TestSpec
BLOCK = {block!r}
def stimulus(ctx):
    with np.load(Path({folder!r}, f"{{ctx.seed}}.npz")) as found:
        return {{name: [found[name]] for name in found.files}}
TESTS = {{{name!r}: TestSpec({name!r}, "items", "directed", stimulus, cut=True, faults=ANY,
                          untimed=False)}}
'''
_DIRECTED: Final = '''\
# SPDX-License-Identifier: Apache-2.0
"""{about}"""

from tilepath.engine.commands.outside import as_pytest
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import ANY, TestSpec

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
    """An item: whose, and its words; which of its player's it was, and behind how many of all."""

    player: str
    words: tuple[int, ...]
    place: int = 0
    behind: int = 0


def stored(run_dir: Path, block: Block) -> list[One]:
    """What players had played of a run's items when it ended, about in the order of time."""
    found: list[tuple[int, float, One]] = []
    more = 1  # the one that was at the DUT; of a block of cycles that did not end nothing is known
    if not (run_dir / "outcome.json").exists():
        more = int((run_dir / "block_cycles").read_text())
    for name, player in block.player_table.items():
        parts = list(stored_items(run_dir / "stimulus", name, player))
        items = np.concatenate(parts) if parts else np.zeros((0, player.words), np.uint32)
        ends = np.frombuffer((run_dir / "stimulus" / f"{name}.state").read_bytes(), "<u4")
        taken = int(ends[-2]) if len(ends) else 0
        items = items[items[:, 0] != END][: taken + more]
        behind = _behind(items, player)
        for place, words in enumerate(items):
            one = One(name, tuple(map(int, words)), place, int(behind[place]))
            found.append((one.behind, place / len(items), one))
    return [one for *_, one in sorted(found)]


def _behind(items: Items, player: Player) -> NDArray[Any]:
    """Behind how many items of all players each is, as itself or one before it waits for."""
    found, fields = np.zeros(len(items), np.int64), player.unpack(items)
    if (waits := player.waits) and waits.everyone:
        for way in waits.ways.values():
            all_done = fields[f"{way}_source"] == waits.everyone
            found = np.maximum(found, np.where(all_done, fields[f"{way}_count"], 0))
    return np.maximum.accumulate(found)


def arrays(some: Iterable[One], block: Block) -> dict[str, Any]:
    """Player → its items (n × words), which wait for what is left of what they waited for."""
    own: dict[str, list[One]] = {}
    for one in some:
        own.setdefault(one.player, []).append(one)
    places = {name: np.array([one.place for one in ones]) for name, ones in own.items()}
    found = {}
    for name, ones in own.items():
        player, items = block.player_table[name], np.array([one.words for one in ones], np.uint32)
        if waits := player.waits:
            fields = player.unpack(items)
            all_behind = [one.behind for who in waits.sources for one in own.get(who, ())]
            counted = {n: places.get(who, ()) for who, n in waits.sources.items()}
            if waits.everyone:
                counted[waits.everyone] = np.sort(all_behind)
            for source, way in itertools.product(counted, waits.ways.values()):
                count, whose = fields[f"{way}_count"], fields[f"{way}_source"]
                left = np.searchsorted(counted[source], count)
                fields[f"{way}_count"] = np.where(whose == source, left, count)
                fields[f"{way}_source"] = np.where((whose == source) & (left == 0), 0, whose)
            items = player.pack(**fields)
        found[name] = items
    return found


def as_played(some: Sequence[One], block: Block) -> list[One]:
    """Return the same items with what they wait for now."""
    left = {name: iter(items) for name, items in arrays(some, block).items()}
    return [one._replace(words=tuple(map(int, next(left[one.player])))) for one in some]


def _fields(one: One, player: Player) -> dict[str, NDArray[Any]]:
    unpacked = player.unpack(np.array([one.words], np.uint32))
    return {name: value[0] for name, value in unpacked.items()}


def values(one: One, player: Player) -> dict[str, int | list[int]]:
    """The fields of an item that are not 0; of a level ``cycles`` always."""
    found = _fields(one, player).items()
    return {name: v.tolist() for name, v in found if np.any(v) or name == "cycles"}


def kind(one: One, block: Block) -> tuple[str, ...]:
    """What the block calls an item of that sort, such as an opcode; else its player and fields."""
    player = block.player_table[one.player]
    fields = values(one, player)
    return tuple(comment(block, player, fields).split()[1:2]) or (one.player, *fields)


def bits(one: One, player: Player) -> list[tuple[str, int, int]]:
    """The bits of an item that are set: field, which of its values, number."""
    return [
        (name, place, bit)
        for name, found in _fields(one, player).items()
        for place, value in enumerate(map(int, found.ravel()))
        for bit in reversed(range(value.bit_length()))
        if value >> bit & 1
    ]


def of_bits(one: One, player: Player, left: Iterable[tuple[str, int, int]]) -> One:
    """The item with only these bits; a level lasts a cycle at least."""
    fields = player.unpack(np.zeros((1, player.words), np.uint32))
    for name, place, bit in left:
        fields[name].reshape(-1)[place] |= 1 << bit
    if "cycles" in fields:
        fields["cycles"] = np.maximum(fields["cycles"], 1)
    return one._replace(words=tuple(map(int, player.pack(**fields)[0])))


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


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_literal(v)}" for name, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return hex(value) if value > 9 else str(value)


def comment(block: Block, player: Player, fields: Mapping[str, int | list[int]]) -> str:
    """What the block says of an item's values, such as a disassembly."""
    said = [
        block.explain(stream.instances[0], name, value)
        for name, value in fields.items()
        for recorded in player.records
        for stream in block.streams
        if stream.name == recorded.stream and name in {f.name for f in stream.fields}
        if isinstance(value, int)
    ]
    return f"  # {'; '.join(dict.fromkeys(filter(None, said)))}" if any(said) else ""


def program(block: Block, about: str, some: Sequence[One], profile: str) -> str:
    """The text of a program that plays these items as they are; empty if there is none."""
    name = f"{project().package}.sequences.{block.name}.programs"
    files = getattr(import_module(name), "PROGRAMS", None) if find_spec(name) else None
    if files is None:
        return ""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"# {about}"]
    wanted: dict[str, list[tuple[int, ...]]] = {}
    try:
        for one in sorted(some, key=lambda one: one.player):
            had = defaultdict(int, values(one, block.player_table[one.player]))
            section, more = files.written(one.player, had)
            lines += more if one.player in wanted else [section, *more]
            wanted.setdefault(one.player, []).append(one.words)
        text = "\n".join([*lines, "end", ""])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, f"program{SUFFIX}")
            file.write_text(text)
            found = files.load(file, profile).players
    except (LookupError, ValueError):  # an item has no line
        return ""
    played = {name: [tuple(map(int, words)) for words in items] for name, items in found.items()}
    return text if played == wanted else ""
