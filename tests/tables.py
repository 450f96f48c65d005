# SPDX-License-Identifier: Apache-2.0
"""Tables of cases that stand beside their tests, as TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any


def beside(file: str, name: str) -> dict[str, Any]:
    """The tables in ``name``.toml, in the folder of a test's ``file``."""
    return tomllib.loads(Path(file).with_name(f"{name}.toml").read_text())


def _put(what: Any, values: Mapping[str, Any]) -> Any:
    """``what`` with ``{name}`` replaced: by the value where nothing else is in a text."""
    if isinstance(what, dict):
        return {_put(name, values): _put(one, values) for name, one in what.items()}
    if isinstance(what, list):
        return [_put(one, values) for one in what]
    if isinstance(what, str):
        alone = re.fullmatch(r"\{(\w+)\}", what)
        return values[alone[1]] if alone else what.format_map(values)
    return what


def cases(file: str, name: str) -> dict[str, dict[str, Any]]:
    """The same tables; of one with ``each``, columns and their values, one for each combination.

    A value can have the columns in front of its own.
    """
    found = {}
    for title, table in beside(file, name).items():
        case = dict(table)
        every = case.pop("each", {})
        for number, chosen in enumerate(product(*every.values())):
            values: dict[str, Any] = {}
            for names, some in zip(every, chosen, strict=True):
                columns = names.split()
                given = _put(some if len(columns) > 1 else [some], values)
                values |= zip(columns, given, strict=True)
            found[f"{title}-{number}" if every else title] = _put(case, values)
    return found
