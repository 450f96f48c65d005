# SPDX-License-Identifier: Apache-2.0
"""The control block as the engine sees it."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.description.balances import Balances, PartlyRecorded
from tilepath.engine.description.block import Block, of_profile
from tilepath.engine.description.recorded import Columns
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.tb.control.streams import PLAYERS, STREAMS, THREADS
from tilepath.tb.instruction_words import explain_words
from tilepath.tb.named import executes, made_by

_BENCH: Final = 0x1FFF & ~(1 << 10 | 1 << 12)  # bits of `busy`; the others are the block's own


def _forced(thread: int) -> PartlyRecorded:
    def value(columns: Columns) -> Columns:
        return {"value": columns[f"busy{thread}"] & np.uint32(_BENCH)}

    return PartlyRecorded("conditions", f"t{thread}.busy", value, value)


def _address(value: int) -> str:
    """Which word the cores mean."""
    if value < 3 * 224:
        place = ("Config[0]", "Config[1]", "both banks")[value // 224]
        return f"{place} word {value % 224}"
    thread, index = divmod(value - 3 * 224, 68)
    return f"ThreadConfig[{thread}] word {index}" if thread < THREADS else "no word"


def _explain(stream: str, field: str, value: int) -> str:
    """A disassembly for words; names of configuration words, addresses."""
    if stream.rpartition(".")[2] == "risc" and field == "address":
        return _address(value)
    return explain_words(stream, field, value)


BLOCK = Block(
    name="control",
    dut="control",
    rtl=("isa", "control"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.control", "ControlModel"),
    coverage=made_by("tb.control.coverage", "ControlCoverage"),
    balances=Balances(
        # units that work set further bits of `busy`, and clear further ones of `unit_ready`
        partly=(
            *map(_forced, range(THREADS)),
            PartlyRecorded(
                "conditions",
                "unit_ready",
                lambda columns: {"value": np.zeros_like(columns["stall"])},
                lambda columns: {"value": columns["stall"]},
            ),
        ),
        pairs=(("offer", "issue"), ("risc", "risc_done"), ("risc_sem", "risc_sem_done")),
        rest=(("config_pipe", "stages", 0x7F), ("scalar", "busy", 1)),
    ),
    parameters=of_profile("StaleGpr"),
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.control.untimed", "UntimedControl"),
    also=executes("models.control", "ControlState", "SEMINIT 1, 0, 1"),
    max_gates=60,
    max_levels=35,
)
