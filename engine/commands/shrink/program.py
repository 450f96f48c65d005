# SPDX-License-Identifier: Apache-2.0
"""The items become a program file where the block has such files and a line for each item."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.shrink.items import One, values
from tilepath.engine.description.block import Block
from tilepath.engine.project import project
from tilepath.engine.stimulus.programs import SUFFIX

_OTHERS: Final = ("issue 0", "issue 1", "issue 2", "cores", "semaphores")
_WAITS: Final = (
    *("", *(f"wait {other} {{after_count}}" for other in _OTHERS)),
    *(f"wait {way} {{after_semaphore}} {{after_limit}}" for way in ("below", "above")),
)
_LINES: Final[Mapping[str, Mapping[str, str]]] = {
    "frontend": {
        "core push": "{word:08X}",
        "core mopcfg": "mopcfg {index} {data:#x}",
        "core sync": "sync",
        "core sync background": "sync background",
        "brisc ": "brisc unsafe {word:08X}",
        "brisc safe": "brisc {word:08X}",
        "gate ": "stall {cycles}",
        "gate ready": "ready {cycles}",
    },
    "control": {
        "issue ": "{word:08X}",
        "risc ": "read {address}",
        "risc write": "write {address} {data:#x}",
        "risc_sem ": "read {index}",
        "risc_sem write": "post {index}",
        "risc_sem write get": "get {index}",
        "stream ": "write {stream} {register} {data:#x}",
    },
}
"""Block → player and those of its flags that are set → the line of a program."""

_FLAGS: Final = ("push", "mopcfg", "sync", "background", "safe", "ready", "write", "get")
_SECTIONS: Final = {"risc": "cores", "risc_sem": "semaphores", "stream": "streams"}


def program(block: Block, about: str, some: Sequence[One], profile: str) -> str:
    """The text of a program that plays these items as they are; empty if there is none."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f"# {about}"]
    wanted: dict[str, list[tuple[int, ...]]] = {}
    try:
        for one in sorted(some, key=lambda one: one.player):
            copy, _, player = one.player.rpartition(".")
            if one.player not in wanted:
                lines.append(_SECTIONS.get(player) or f"thread {copy[1:]}")
            wanted.setdefault(one.player, []).append(one.words)
            lines += _lines(
                block, player, defaultdict(int, values(one, block.player_table[one.player]))
            )
        text = "\n".join([*lines, "end", ""])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, f"program{SUFFIX}")
            file.write_text(text)
            files = import_module(f"{project().package}.sequences.{block.name}.programs").PROGRAMS
            found = files.load(file, profile).players
    except (LookupError, ValueError):  # an item has no line
        return ""
    played = {name: [tuple(map(int, words)) for words in items] for name, items in found.items()}
    return text if played == wanted else ""


def _lines(block: Block, player: str, had: Mapping[str, Any]) -> Iterator[str]:
    if had["gap"]:
        yield f"{'brisc ' * (player == 'brisc')}gap {had['gap']}"
    if source := had["after_source"]:
        yield _WAITS[source].format_map(had)
    flags = " ".join(name for name in _FLAGS if had[name])
    yield _LINES[block.name][f"{player} {flags}"].format_map(had)
