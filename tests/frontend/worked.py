# SPDX-License-Identifier: Apache-2.0
"""The front end's tables: vectors and timelines, decisions, coverpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.isa.boundary.frontend import BOUNDARY, THREADS
from tilepath.sequences.frontend import directed
from tilepath.tests.frontend.model_helpers import seen
from tilepath.tests.worked import Tables

TABLES: Final = Tables(
    BOUNDARY,
    (
        Path(directed.__file__).with_name("vectors.toml"),
        Path(__file__).with_name("decisions.toml"),
        Path(__file__).with_name("points.toml"),
    ),
    directed.FIRST,
    {f"t{thread}.ready": 1 for thread in range(THREADS)},
    seen,
)
