# SPDX-License-Identifier: Apache-2.0
"""PACR_SETREG: a register write behind all earlier PACRs (P46, P66)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack import fields as F
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.fields import Config, read, wide

_SPACE: Final = 0xFFB00000
_FIRST: Final = 0xFFB11000
_END: Final = 0xFFB80000


@part
def load(state: Record, word: int) -> None:
    """Half of the staged value, in Blackhole's encoding."""
    shift = 16 * F.get(word, F.BH_HALF)
    kept = wide(state.staged[0]) & ~(0xFFFF << shift)
    state.staged[0] = kept | F.get(word, F.BH_VALUE) << shift


@part
def is_load(parameters: Record, word: int) -> bool:
    """Whether a word only loads half of the staged value."""
    return parameters.setreg_bh != 0 and F.get(word, F.BH_LOAD) != 0


@part
def packers_of(parameters: Record, word: int) -> int:
    """Bit mask of the packers that it completes."""
    all_packers: int = (1 << parameters.packers) - 1
    return all_packers if parameters.setreg_bh else F.get(word, F.WH_PACK_SEL) & all_packers


@part
def address_bh(config: Config, bank: int, parameters: Record, word: int) -> int:
    """One of the slots' 12 bits around the stream."""
    slot: int = F.get(word, F.BH_ADDR_SEL) & (parameters.setreg_slots - 1)
    slots = read(config, bank, F.SETREG_SLOTS, F.SETREG_SECTION * (slot >> 1))
    bits = (slots >> (12 * (slot & 1))) & 0xFFF
    stream = F.get(word, F.SETREG_STREAM)
    return _SPACE | (bits >> 10) << 18 | stream << 12 | (bits & 0x3FF) << 2


@part
def address_wh(state: Record, word: int) -> int:
    """One of two bases and the stream."""
    select = F.get(word, F.WH_ADDR_SEL)
    raw = wide(state.setreg_base[0])
    high = (raw >> (20 + 2 * select)) & 3
    low = (raw >> (10 * select)) & 0x3FF
    return _SPACE + (high << 18 | low << 2) + (F.get(word, F.SETREG_STREAM) << 12)


@part
def value_wh(state: Record, word: int, to: int) -> int:
    """The value and, above it, its multiple; ``to``: packer 0's TO."""
    value = F.get(word, F.WH_VALUE)
    scaled = (value * (wide(state.setreg_scaler[to & 3]) & 0x1FF)) & 0x1FFFF
    return (value + (scaled << 12)) & 0xFFFFFFFF


@part
def write(state: Record, config: Config, bank: int, word: int, walk: Record) -> None:
    """The register write, and the faults."""
    parameters = state.parameters
    if parameters.setreg_bh:
        walk.address = address_bh(config, bank, parameters, word)
        walk.written = wide(state.staged[0])
    else:
        walk.address = address_wh(state, word)
        walk.written = value_wh(state, word, read(config, bank, F.TO))
    walk.writes = _FIRST <= walk.address < _END
    if walk.address < _FIRST:
        walk.faults |= Flag.SETREG_ADDRESS
    complete = F.get(word, F.SETREG_PUSH) & F.get(word, F.SETREG_FLUSH)
    partial = not parameters.setreg_bh and F.get(word, F.WH_PACK_SEL) != 15
    if partial or not complete:
        walk.faults |= Flag.SETREG_FIELDS
