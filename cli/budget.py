# SPDX-License-Identifier: Apache-2.0
"""How large each folder and each block may be: a budget, which only goes down.

``budget.toml`` has for each folder, and for all that a block has in ``models``, ``tb``,
``sequences`` and ``tests``, the lines of Python for each line of RTL (the block's own, or all of
it) and the number of files. ``python -m tilepath.cli.budget`` lowers what is too wide.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilepath.cli.houserules import project_files
from tilepath.engine.description.block import ROOT

NAME: Final = "budget.toml"
_FOLDERS: Final = ("engine", "isa", "models", "tb", "sequences", "tests", "cli")
_OF_BLOCKS: Final = ("models", "tb", "sequences", "tests")
COMMAND: Final = "python -m tilepath.cli.budget"
_SLACK: Final = 1.01  # further below than this, a budget is to be lowered

Sizes = Mapping[str, Mapping[str, float]]


def sizes(root: Path) -> Sizes:
    """Return ``python``, lines for each line of RTL, and ``files`` of each folder and block."""
    files = [path.relative_to(root) for path in project_files(root)]
    lines = {
        path: len((root / path).read_bytes().splitlines())
        for path in files
        if path.suffix in {".py", ".sv"}
    }
    rtl = {path: count for path, count in lines.items() if path.parts[0] == "rtl"}
    parts = {path.parts[:2] for path in files if len(path.parts) > 2}
    found = {}
    for name in (*_FOLDERS, *sorted(path.parts[1] for path in rtl if len(path.parts) > 2)):
        if name in found or (name not in _FOLDERS and ("models", name) not in parts):
            continue
        folders = [(name,)] if name in _FOLDERS else [(above, name) for above in _OF_BLOCKS]
        mine = [path for path in files if path.parts[: len(folders[0])] in folders]
        own = sum(n for path, n in rtl.items() if name in _FOLDERS or path.parts[1] == name)
        python = sum(lines[path] for path in mine if path.suffix == ".py")
        found[name] = {"python": math.ceil(100 * python / max(own, 1)) / 100, "files": len(mine)}
    return found


def _load(text: str) -> Sizes:
    """Return the budgets of a file, nothing of one that is damaged; ``ValueError`` for no TOML."""
    return {
        name: given
        if isinstance(given, dict) and {*map(type, given.values())} <= {int, float}
        else {}
        for name, given in tomllib.loads(text).items()
    }


def budget_problems(root: Path) -> Iterator[str]:
    """Say what is larger than its budget, what is smaller by far, and which budget was raised."""
    try:
        budget = _load((root / NAME).read_text())
    except (OSError, ValueError) as error:
        yield f"{NAME}: {error}"
        return
    found, before = sizes(root), _before(root)
    units = {"python": "lines of Python for each line of RTL", "files": "files"}
    for name in sorted({*budget, *found}):
        if name not in found:
            yield f"{NAME}: {name} is no folder or block"
            continue
        given = budget.get(name)
        if not given:
            yield f"{NAME}: {name} has no budget: {COMMAND}"
            continue
        for what, unit in units.items():
            has, may = found[name][what], given.get(what, 0)
            if has > may:
                yield f"{NAME}: {name} has {has:,} {unit}, its budget is {may:,}"
            elif has * _SLACK < may:
                yield f"{NAME}: {name} has {has:,} {unit}, lower {may:,}: {COMMAND}"
            if may > before.get(name, {}).get(what, may):
                yield f"{NAME}: {name}: {what} was {before[name][what]:,} and only goes down"


def _before(root: Path) -> Sizes:
    """Return the lowest budgets of the last two commits, as far as git has them."""
    lowest: dict[str, dict[str, float]] = {}
    for commit in ("HEAD", "HEAD~1"):
        command = ["git", "show", f"{commit}:{NAME}"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        with suppress(ValueError):
            for name, values in _load(done.stdout).items():
                mine = lowest.setdefault(name, {})
                mine.update({what: min(mine.get(what, n), n) for what, n in values.items()})
    return lowest


def lower(root: Path) -> int:
    """Write the budgets anew, each the lower one of what it was and what is there; exit status."""
    path = root / NAME
    try:
        old = _load(path.read_text()) if path.exists() else {}
    except ValueError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 2
    text = (
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# What may not grow (cli/budget.py): lines of Python for each line of RTL, and files.\n"
    )
    for name, values in sizes(root).items():
        text += f"\n[{name}]\n"
        for what, n in values.items():
            text += f"{what} = {min(n, old.get(name, {}).get(what, n))}\n"
    path.write_text(text)
    return 0


if __name__ == "__main__":
    if sys.argv[1:]:
        print(f"{COMMAND} takes no arguments", file=sys.stderr)
        sys.exit(2)
    sys.exit(lower(ROOT))
