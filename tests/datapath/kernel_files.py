# SPDX-License-Identifier: Apache-2.0
"""The kernels that come with it, as they are and edited."""

from __future__ import annotations

import itertools
import re
from typing import Final

from tilepath.isa import profiles
from tilepath.tests.commands import ROOT
from tilepath.tests.tables import beside

PROGRAMS: Final = ROOT / "sequences" / "datapath" / "programs"
PROFILES: Final = profiles.names()


def cases(table: str) -> list[tuple[str, dict[str, int]]]:
    """Kernels and constants of a table of ``kernels.toml``."""
    return [
        (name, dict(zip(row, one, strict=True)))
        for name, rows in beside(__file__, "kernels")[table].items()
        for row in rows
        for one in itertools.product(*(v if isinstance(v, list) else [v] for v in row.values()))
    ]


CASES: Final = cases("cases")


def edited(name: str, *edits: tuple[str, str]) -> str:
    """Put in what a kernel includes; replace the first of each pair, which is there once."""
    text = (PROGRAMS / f"{name}.kernel").read_text()
    text = re.sub(r'include "(.+)"', lambda found: (PROGRAMS / found[1]).read_text(), text)
    for old, new in edits:
        assert text.count(old) == 1, (name, old, text.count(old))
        text = text.replace(old, new)
    return text
