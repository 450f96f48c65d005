# SPDX-License-Identifier: Apache-2.0
"""What a PACR is going to do, from what it samples (section 5 of the contract)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.adc.untimed_state import Counter
from tilepath.models.pack import addresses
from tilepath.models.pack import fields as F
from tilepath.models.pack.addresses import Counters, counter
from tilepath.models.pack.fields import read
from tilepath.models.pack.settings import Sampled
from tilepath.models.pack.state import COLUMNS, LANES, Source

MOST_ZEROS: Final = 1024  # of P55


@part
def mask_of(parameters: Record, word: int) -> int:
    """Packers, or lanes of the one packer (P2)."""
    mask = F.get(word, F.MASK)
    return mask if mask else parameters.mask0


@part
def packers_of(parameters: Record, mask: int) -> int:
    """Bit mask of the packers that work."""
    return mask if parameters.lanes == 1 else 1


@part
def block_of(parameters: Record, packer: int, word: int) -> int:
    """Words between packer 0's block and the one that counts (P65)."""
    if parameters.bh_fields and parameters.packers == 1:
        return F.BLOCKS[F.get(word, F.CFG_CONTEXT)]
    return F.BLOCKS[packer]


@part
def is_strided(parameters: Record, word: int) -> bool:
    """DstAccessMode, where there is one (P53)."""
    return parameters.bh_fields != 0 and F.get(word, F.DST_ACCESS_MODE) != 0


@part
def source_of(config: F.Config, bank: int, packer: int, word: int) -> int:
    """``Source`` (P5, P15, P16)."""
    if F.get(word, F.FLUSH) or F.get(word, F.ZERO_WRITE):
        return Source.ZEROS
    return Source.L1 if packer == 0 and read(config, bank, F.L1_SOURCE) else Source.DST


@part
def is_long_zero_write(parameters: Record, word: int, x0: int, x1: int) -> bool:
    """Whether x1 + 1 zeros are written, more than lanes have datums (P55)."""
    zeros = F.get(word, F.ZERO_WRITE) and F.get(word, F.MASK) == 0
    return parameters.lanes > 1 and zeros != 0 and x0 == 0 and x1 > 15


@part
def lane_count(mask: int) -> int:
    """Lanes of a mask."""
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1)


@part
def set_count(plan: Record, parameters: Record, word: int, x0: int, x1: int) -> None:
    """Number of datums (P14, P55, P61): of each lane, and of ZEROS all together."""
    count = min(max(x1 - x0 + 1, 0), parameters.max_datums)
    if F.get(word, F.FLUSH):
        count = 0
    elif plan.source == Source.ZEROS:
        if is_long_zero_write(parameters, word, x0, x1):
            plan.lanes = (1 << LANES) - 1
            count = min(x1 + 1, MOST_ZEROS)
        else:
            count *= lane_count(plan.lanes)
    elif plan.source == Source.DST and parameters.lanes > 1:
        count = min(count, COLUMNS - (plan.datum & 15))
    plan.count = count


@part
def set_source(
    plan: Record, parameters: Record, sampled: Sampled, live: Counters, of_set: int, word: int,
    packer: int, block: int,
) -> None:  # fmt: skip
    """Which datums are read (P10 to P16, P50, P53)."""
    config, bank = sampled.config, sampled.bank
    x0 = counter(live, of_set, 0, Counter.X)
    byte = addresses.input_bytes(config, bank, live, of_set)
    size = addresses.datum_bytes(read(config, bank, F.FROM, block))
    plan.source = source_of(config, bank, packer, word)
    plan.lanes = mask_of(parameters, word) if parameters.lanes > 1 else 1
    if plan.source == Source.L1:
        plan.lanes = 1
    plan.datum_bytes = size
    plan.datum = addresses.dst_datum(byte, x0, size, read(config, bank, F.DST_OFFSET, packer))
    plan.source_byte = addresses.source_byte(
        byte, x0, size, read(config, bank, F.L1_SOURCE_ADDR, block)
    )
    plan.lane_rows = 16 if is_strided(parameters, word) else 1
    set_count(plan, parameters, word, x0, counter(live, of_set, 1, Counter.X))


@compiled
def set_plan(
    state: Record, sampled: Sampled, live: Counters, of_set: int, word: int, packer: int
) -> None:
    """The plan of one packer of the mask."""
    config, bank = sampled.config, sampled.bank
    parameters = state.parameters
    plan = state.plans[packer]
    block = block_of(parameters, packer, word)
    set_source(plan, parameters, sampled, live, of_set, word, packer, block)
    units = addresses.output_units(config, bank, live, of_set, parameters)
    address = addresses.tile_address(config, bank, state, packer, block, units)
    addresses.set_sections(config, bank, plan, block, address, state.modes[packer])
    plan.done = plan.read = 0
    plan.last = F.get(word, F.LAST) | F.get(word, F.FLUSH)
    plan.closes_row = plan.last | (1 - F.get(word, F.CONCAT))
