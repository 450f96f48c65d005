# SPDX-License-Identifier: Apache-2.0
"""Round-robin arbitration of the resources: section 7 of the contract (C24).

Requesters are the threads and, for CONFIG and SYNC, the cores' two ports behind them.
"""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import cycle_config
from tilepath.models.control.cycle_block import NOTHING
from tilepath.models.control.instructions import CORES, THREADS, Kind, Resource


@part
def ask_access(block: Record, cycle: int) -> None:
    """Note whether the cores' access to configuration asks for the unit, and that is available."""
    port = block.risc
    waits = port.offered <= cycle and cycle > port.done_in
    port.asks = waits and cycle_config.available(block, Kind.RISC, cycle)


@part
def _asks(block: Record, requester: int, resource: int) -> bool:
    if requester < CORES:
        return bool(block.gates[requester].asks_for == resource)
    return bool(block.risc.asks if resource == Resource.CONFIG else block.risc_sem.asks)


@part
def _requesters(resource: int) -> int:
    return THREADS + 1 if resource >= Resource.CONFIG else THREADS


@part
def wins(block: Record, requester: int, resource: int) -> bool:
    """Whether no requester from the pointer on and before this one asks for the resource, too."""
    other = block.pointers[resource]
    while other != requester:
        if _asks(block, other, resource):
            return False
        other = (other + 1) % _requesters(resource)
    return True


@part
def decide(block: Record) -> None:
    """Note which threads issue."""
    for thread in range(THREADS):
        gate = block.gates[thread]
        resource = gate.asks_for
        gate.wins = resource == Resource.NONE or (
            resource != NOTHING and wins(block, thread, resource)
        )


@part
def advance(block: Record, winner: int, resource: int) -> None:
    """The pointer stands behind the winner then."""
    if resource != Resource.NONE:
        block.pointers[resource] = (winner + 1) % _requesters(resource)
