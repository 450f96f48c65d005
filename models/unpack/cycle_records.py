# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its loop reaches their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.engine.compiled.compiled_io import Outputs, Room
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.pack import LINE_WORDS
from tilepath.isa.boundary.unpack import BOUNDARY, UNPACKERS, WRITES
from tilepath.models.dst_rows import DST_CHANGE
from tilepath.models.issued_words import check_words
from tilepath.models.unpack.account import CYCLES
from tilepath.models.unpack.plan import OPCODE_NOP, OPCODE_UNPACR

CHANGES: Final = 16  # of Dst in a cycle: eight rows of 32 bits

# Lines that other units write to L1 at the end of a cycle
L1_CHANGE: Final = record(cycle=np.int64, line=np.int64, data_=(np.uint32, LINE_WORDS))


def check_issues(given: Mapping[str, Records]) -> None:
    """``ValueError`` for words that are none of the unpacker's."""
    for unpacker in range(UNPACKERS):
        issues = given[f"u{unpacker}.issue"]
        opcode = issues["word"] >> 24
        ours = (opcode == OPCODE_UNPACR) | (opcode == OPCODE_NOP)
        ours &= (issues["word"] >> 23) & 1 == unpacker
        check_words(f"u{unpacker}.issue", issues, ours, "instruction of this unpacker")


# --- outputs

# An instruction's increments of the counters: fields of stream ``unpack`` of ``docs/adc.md``
COMMAND: Final = record(**dict.fromkeys(ADC.stream("unpack").expected_dtype.names or (), np.int64))


@part
def keeps(out: Outputs) -> bool:
    """Whether there is an account (``cycle_account``)."""
    return len(out.account) != 0


def new_room() -> Room:
    """Room for a pass: for all outputs, commands of the counters, and changes of Dst."""
    size = CYCLES + 1
    more = {"commands": (COMMAND, size), "changes": (DST_CHANGE, CHANGES * size)}
    return Room(BOUNDARY, size, {"write": WRITES}, more)
