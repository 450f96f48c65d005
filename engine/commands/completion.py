# SPDX-License-Identifier: Apache-2.0
"""What the shell is offered for the values of options; nothing here loads a simulator's Python."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer


def blocks() -> list[str]:
    """Offer the folders that blocks are in."""
    return sorted(path.parent.name for path in Path(__file__).parents[1].glob("tb/*/block.py"))


def profiles() -> list[str]:
    """Offer those with a name."""
    from tilepath.isa.profiles import names

    return list(names())


def tests(context: typer.Context) -> list[str]:
    """Offer the tests of the blocks that stand on the line: those of all would take seconds."""
    from tilepath.engine.description.registry import tests_of

    named = context.params.get("block") or ()
    found: list[str] = []
    for block in (named,) if isinstance(named, str) else named:
        with suppress(ValueError):
            found += tests_of(block.replace("+", "_"))
    return found
