# SPDX-License-Identifier: Apache-2.0
"""The control block as the kernel sees it."""

from __future__ import annotations

from tilepath import isa
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.isa.registers import Space
from tilepath.tb.control.balances import BALANCES
from tilepath.tb.control.streams import PLAYERS, STREAMS, THREADS
from tilepath.tb.named import executes, made_by

_SPACES: dict[str, Space] = {
    "config_write": "Config",
    "flop_write": "Config",
    "setc16": "Thread",
    "risc_thread_write": "Thread",
}


def _address(value: int) -> str:
    """Which word the cores mean."""
    if value < 3 * 224:
        place = ("Config[0]", "Config[1]", "both banks")[value // 224]
        return f"{place} word {value % 224}"
    thread, index = divmod(value - 3 * 224, 68)
    return f"ThreadConfig[{thread}] word {index}" if thread < THREADS else "no word"


def _explain(stream: str, field: str, value: int) -> str:
    """A disassembly for words; names of configuration words, addresses."""
    name = stream.rpartition(".")[2]
    if field == "word":
        return isa.explain_word(value)
    if field == "index" and name in _SPACES:
        return isa.explain_config_word(_SPACES[name], value)
    if name == "risc" and field == "address":
        return _address(value)
    return ""


BLOCK = Block(
    name="control",
    dut="control",
    rtl=("isa", "control"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.control", "ControlModel"),
    coverage=made_by("tb.control.coverage", "ControlCoverage"),
    balances=BALANCES,
    parameters=of_profile("StaleGpr"),
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.control.untimed", "UntimedControl"),
    also=executes("models.control", "ControlState", "SEMINIT 1, 0, 1"),
    max_gates=60,
    max_levels=35,
)
