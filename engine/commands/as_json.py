# SPDX-License-Identifier: Apache-2.0
"""``--json``: an object on stdout, the rest to stderr; docs/commands-json.md says what it has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any

Tell = Callable[[Mapping[str, Any]], None]  # prints an object


def written(facts: Mapping[str, Any]) -> str:
    """The object; ``schema`` counts up when a key goes, or means something else."""
    return json.dumps({"schema": 1, **facts}, indent=1)


@contextmanager
def only_json(wanted: bool) -> Iterator[Tell | None]:
    """Inside, only what comes back prints to stdout; ``None``: everything does, as usual."""
    if not wanted:
        yield None
        return
    stdout = sys.stdout
    with redirect_stdout(sys.stderr):
        yield lambda facts: print(written(facts), file=stdout)
