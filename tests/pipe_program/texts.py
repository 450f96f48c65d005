# SPDX-License-Identifier: Apache-2.0
"""Programs that pass, to be broken by the tests, and how to break them (``rules.toml``)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

_RULES: Final = tomllib.loads(Path(__file__).with_name("rules.toml").read_text())
BASES: Final[dict[str, str]] = _RULES["bases"]
CASES: Final[dict[str, tuple[str, Any]]] = {
    name: (base, case) for base, some in _RULES["cases"].items() for name, case in some.items()
}
"""Name → base, and what becomes of it."""
UNI, TWO = BASES["uni"], BASES["two"]
MESSAGES: Final[list[tuple[str, str]]] = [
    (code, message)
    for _, case in CASES.values()
    for code, _, message in (*case.get("errors", ()), *case.get("warnings", ()))
]
"""Of rules, by their codes."""


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with each first of a pair, which must be there once, replaced by the second."""
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text


def place(text: str, fragment: str) -> tuple[int, int]:
    """Line and column of a fragment that is in the text once."""
    assert text.count(fragment) == 1, (fragment, text.count(fragment))
    at = text.index(fragment)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
