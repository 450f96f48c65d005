# SPDX-License-Identifier: Apache-2.0
"""What the shell is offered for the values of options; nothing here loads a simulator's Python."""

from __future__ import annotations

from contextlib import suppress

import typer


def blocks() -> list[str]:
    """Offer the folders that blocks are in."""
    from tilepath.engine.project import project

    return sorted(path.parent.name for path in (project().root / "tb").glob("*/block.py"))


def profiles() -> list[str]:
    """Offer those with a name."""
    from tilepath.engine.project import project

    return list(project().profiles.names())


def tests(context: typer.Context) -> list[str]:
    """Offer the tests of the blocks that stand on the line: those of all would take seconds."""
    from tilepath.engine.description.registry import tests_of

    named = context.params.get("block") or ()
    found: list[str] = []
    for block in (named,) if isinstance(named, str) else named:
        with suppress(ValueError):
            found += tests_of(block.replace("+", "_"))
    return found
