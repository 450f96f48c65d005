# SPDX-License-Identifier: Apache-2.0
"""What models of units check of the words that are issued to them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records
from tilepath.isa.boundary.control import THREADS


def check_words(name: str, issues: Records, ours: npt.NDArray[np.bool_], what: str) -> None:
    """``ValueError`` for a word of no thread, and for one that is not ``ours`` but no ``what``."""
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"{name}: there is no thread {THREADS}")
    if not ours.all():
        raise ValueError(f"{name}: {int(issues['word'][~ours][0]):08X} is no {what}")
