# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its loop reaches their fields."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa import constants
from tilepath.models.issued_words import check_words

CHUNK: Final = 4096  # cycles in which anything happens per pass: bounds the output buffers
_OPCODES: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)

# Changes of the packers' counters in one set, by cycle
CHANGE: Final = record(cycle=np.int64, live=(np.uint32, (2, 4)))


def check_issues(issues: Records) -> None:
    """``ValueError`` for words that are none of the packers'."""
    check_words("issue", issues, np.isin(issues["word"] >> 24, _OPCODES), "word of the packers")
