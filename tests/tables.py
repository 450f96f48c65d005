# SPDX-License-Identifier: Apache-2.0
"""Tables of cases that stand beside their tests, as TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
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


def cases(file: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of such a table each case, or one for each combination of what its ``each`` has."""
    for case, given in beside(file, name).items():
        vector = dict(given)
        every = vector.pop("each", {})
        for number, chosen in enumerate(product(*every.values())):
            values: dict[str, Any] = {}
            for names, some in zip(every, chosen, strict=True):
                columns = names.split()
                values |= zip(columns, some if len(columns) > 1 else [some], strict=True)
            yield f"{case}-{number}" if every else case, _put(vector, values)
