# SPDX-License-Identifier: Apache-2.0
"""The joined design as the engine sees it: all blocks, cores that play programs, one L1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block
from tilepath.isa.boundary.datapath import BOUNDARY, PARTS
from tilepath.tb.adc import block as adc
from tilepath.tb.control import block as control
from tilepath.tb.datapath.streams import PLAYERS, STREAMS
from tilepath.tb.frontend import block as frontend
from tilepath.tb.frontend_control import block as front
from tilepath.tb.named import executes, made_by
from tilepath.tb.pack import block as pack
from tilepath.tb.standin import block as standin
from tilepath.tb.unpack import block as unpack

_BLOCKS: Final[Mapping[str, Block]] = {
    "adc": adc.BLOCK,
    "control": control.BLOCK,
    "unpack": unpack.BLOCK,
    "standin": standin.BLOCK,
    "pack": pack.BLOCK,
}
_OWN = ("frontend", "control", "adc", "unpack", "pack")  # whose parameters the DUT has


def _explain(stream: str, field: str, value: int) -> str:
    copy, dot, name = stream.rpartition(".")
    part, _, own = name.partition("_")
    if part in PARTS and own:
        return _BLOCKS[part].explain(f"{copy}{dot}{own}", field, value)
    return (
        front.BLOCK.explain(stream, field, value) if field in ("word", "index", "address") else ""
    )


def _parameters(profile: str) -> dict[str, int]:
    found: dict[str, int] = dict(frontend.BLOCK.parameters(profile))
    for name in _OWN[1:]:
        found |= _BLOCKS[name].parameters(profile)
    return found


BLOCK = Block(
    name="datapath",
    dut="datapath",
    rtl=(
        *("isa", "memory", "adc", "dst", "src", "unpack_config", "unpack", "pack", "frontend"),
        *("control", "datapath"),
    ),
    counted=("datapath",),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.datapath", "DatapathModel"),
    coverage=made_by("tb.datapath.coverage", "DatapathCoverage"),
    balances=Balances(
        pairs=(*front.BLOCK.balances.pairs, ("item", "item_done")),
        rest=(
            *front.BLOCK.balances.rest,
            *((f"{unit}_busy", "value", -1) for unit in ("unpack", "standin", "pack")),
        ),
    ),
    longest_wait=24_576,
    parameters=_parameters,
    bench=standin.BLOCK.harness_parameters,
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.datapath.untimed", "UntimedDatapath"),
    also=executes(
        "models.machine",
        "Machine",
        "NOP",
    ),
    borrows=("frontend", "control", "adc", "unpack", "standin", "pack"),
    keeps=(
        *("frontend_bench", "frontend_core", "control_bench", "control_hold", "control_unit_stub"),
        *("unpack_bench", "unpack_units", "unpack_gate", "l1_memory", "standin_memory"),
        *("pack_bench", "pack_units", "pack_gate", "pack_l1"),
    ),
    optimise="-O1",
    macros=("memory_bank",),
    max_gates=64,
    max_levels=40,
)
