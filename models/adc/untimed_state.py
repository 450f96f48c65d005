# SPDX-License-Identifier: Apache-2.0
"""The address counters, and where the fields of instructions and of ADDR_MOD_PACK words are.

All of it is one record, ``STATE``: functions that change counters take that one argument. The
positions of the fields come from ``isa/data``; they are kept in the record and not compiled in,
because a compiled function that is cached on disk is made anew when sources in ``isa`` change, but
not when tables in ``isa/data`` do (``engine/compiled/jit.py``).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.records import Record, Records, copied, record
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import SETS, TARGETS
from tilepath.isa.tables import Bits

CHANNELS: Final = 2
COUNTERS: Final = 4  # X, Y, Z, W
SHAPE: Final = (SETS, len(TARGETS), CHANNELS, COUNTERS)
PACKERS: Final = TARGETS.index("packers")


class Counter(enum.IntEnum):
    """The four counters of a channel, as SETADC and REG2FLOP number them."""

    X = 0
    Y = 1
    Z = 2
    W = 3


class Action(enum.IntEnum):
    """What a command does to a counter that it touches."""

    SET = 0  # live = checkpoint = amount
    INCREASE = 1  # live += amount
    RELOAD = 2  # checkpoint += amount, live = checkpoint
    CLEAR = 3  # live = checkpoint = 0, as the packers' update does (P18)
    WRITE = 4  # live or checkpoint alone = amount


class Kind(enum.IntEnum):
    """What an instruction does to the counters that it names."""

    NONE = 0  # none of the eight instructions (A8)
    SETADC = 1  # set the one counter that the word names
    SET = 2  # SETADCXY, SETADCZW, SETADCXX
    INCADC = 3  # INCADCXY, INCADCZW
    ADDRCR = 4  # ADDRCRXY, ADDRCRZW


class Command(enum.IntEnum):
    """What can touch a counter: the eight instructions, and the commands of the units."""

    SETADC = 0
    SETADCXY = 1
    SETADCZW = 2
    SETADCXX = 3
    INCADCXY = 4
    INCADCZW = 5
    ADDRCRXY = 6
    ADDRCRZW = 7
    UNPACK = 8
    PACK = 9
    FLOP = 10


INSTRUCTIONS: Final[Mapping[str, Kind]] = {
    "SETADC": Kind.SETADC,
    "SETADCXY": Kind.SET,
    "SETADCZW": Kind.SET,
    "SETADCXX": Kind.SET,
    "INCADCXY": Kind.INCADC,
    "INCADCZW": Kind.INCADC,
    "ADDRCRXY": Kind.ADDRCR,
    "ADDRCRZW": Kind.ADDRCR,
}
OPCODES: Final = frozenset(isa.layout_of(name).opcode for name in INSTRUCTIONS)

# Where a field of a word is. A field that the word does not have is all 0, and is read as 0.
FIELD: Final = record(
    lsb=np.int64,  # its lowest bit
    ones=np.int64,  # its largest value
)
# A value in an instruction word, and the counter of each target that it is for
OPERAND: Final = record(
    channel=np.int64,
    counter=np.int64,
    value=FIELD,
    mask=np.int64,  # the bit of the word that must be set, one of the mask's; 0: none need be
)
INSTRUCTION: Final = record(
    kind=np.int64,
    command=np.int64,  # a ``Command``; -1: none of the eight
    ignored=np.int64,  # bits of the word that it does not name
    named=np.int64,  # counters that its operands are for: bit 4 * channel + counter
    target=FIELD,  # bit k for TARGETS[k] (A7)
    thread_override=FIELD,  # A3; SETADCXX has none
    mask=FIELD,  # SETADCXY, SETADCZW, ADDRCRXY, ADDRCRZW
    operand_count=np.int64,
    operands=(OPERAND, 4),  # of all but SETADC
    channel=FIELD,  # SETADC's, as the next two
    counter=FIELD,
    value=FIELD,
)
# The fields of an ADDR_MOD_PACK word for one channel of the packers (P18)
ADDR_MOD: Final = record(
    y_increment=FIELD,
    y_cr=FIELD,
    y_clear=FIELD,
    z_increment=FIELD,
    z_clear=FIELD,
)
# The place of a counter in the arrays below; unsigned, because as indices those compile to less
_PLACE: Final = dict.fromkeys(("set", "target", "channel", "counter"), np.uint32)
# A counter that a command touched, and what the command did to it
TOUCHED: Final = record(**_PLACE, action=np.uint32, amount=np.uint32)
# No command touches more: an instruction two counters of each channel in all targets of one set,
# the packers' update two of each channel in all sets.
_MOST_TOUCHED: Final = 2 * CHANNELS * max(SETS, len(TARGETS))

STATE: Final = record(
    live=(np.uint32, SHAPE),
    checkpoint=(np.uint32, SHAPE),
    largest=(np.int64, COUNTERS),  # values of X, Y, Z and W: all ones in their widths (A1)
    # The counters that the last command touched, each once: the first touched_count
    touched=(TOUCHED, _MOST_TOUCHED),
    touched_count=np.int64,
    instructions=(INSTRUCTION, 256),  # by opcode
    addr_mod=(ADDR_MOD, CHANNELS),
)


def _locate(field: Record, bits: Bits) -> None:
    """Write to a ``FIELD`` where the bits are."""
    field.lsb = bits.lsb
    field.ones = (1 << bits.width) - 1


def _describe_instruction(instruction: Record, mnemonic: str, profile: str) -> None:
    """Fill an ``INSTRUCTION`` from the tables of ``isa``."""
    layout = isa.layout_of(mnemonic, profile)
    fields = {field.name: field for field in (*layout.fields, *layout.views)}
    instruction.kind = INSTRUCTIONS[mnemonic]
    instruction.command = Command[mnemonic]
    instruction.ignored = layout.ignored & 0xFF_FFFF
    for name in ("target", "thread_override", "mask", "channel", "value"):
        if name in fields:
            _locate(instruction[name], fields[name])
    if instruction.kind == Kind.SETADC:
        _locate(instruction.counter, fields["xyzw"])
        return
    for channel in range(CHANNELS):
        for counter in Counter:
            mask = 0  # INCADC has none (A6), SETADCXX has none
            if "mask" in fields:  # two bits a channel: X and Y, or Z and W (docs/adc.md, section 2)
                mask = 1 << (fields["mask"].lsb + 2 * channel + counter % 2)
            stem = f"{counter.name.lower()}{channel}"
            value = fields.get(f"{stem}_val") or fields.get(f"{stem}_inc")
            if value is not None:
                operand = instruction.operands[instruction.operand_count]
                instruction.operand_count += 1
                operand.channel, operand.counter, operand.mask = channel, counter, mask
                instruction.named |= 1 << (COUNTERS * channel + counter)
                _locate(operand.value, value)


def _describe_addr_mod(addr_mod: Record, side: str) -> None:
    """Fill an ``ADDR_MOD`` from the tables of ``isa``; ``side`` is src or dst."""
    for name, field in {
        "y_increment": f"Y{side}Incr",
        "y_cr": f"Y{side}CR",
        "y_clear": f"Y{side}Clear",
        "z_increment": f"Z{side}Incr",
        "z_clear": f"Z{side}Clear",
    }.items():
        # Every section has its fields in the same places (P18).
        _locate(addr_mod[name], isa.config_field(f"ADDR_MOD_PACK_SEC0_{field}"))


def new_state(profile: str) -> Records:
    """The state after reset, all counters 0 (A16): one ``STATE``.

    Raises ``ValueError`` for an unknown profile.
    """
    return copied(_reset_state(profile))


@functools.cache
def _reset_state(profile: str) -> Records:
    zw = profiles.get(profile).zw_w
    if not 1 <= zw <= 16:  # 8 or 13 in the profiles there are (A1)
        raise ValueError(f"zw_w {zw}: want 1 to 16, half a word of a level record")
    states = np.zeros(1, STATE)
    state = states[0]
    state.largest[:] = [(1 << width) - 1 for width in (18, 13, zw, zw)]  # A1
    state.instructions["command"] = -1
    for mnemonic in INSTRUCTIONS:
        opcode = isa.layout_of(mnemonic, profile).opcode
        _describe_instruction(state.instructions[opcode], mnemonic, profile)
    for channel, side in enumerate(("src", "dst")):
        _describe_addr_mod(state.addr_mod[channel], side)
    return states


def architectural_state(states: Records) -> dict[str, npt.NDArray[Any]]:
    """Copies of ``live`` and ``checkpoint``: the architectural state, as ``models.state`` says."""
    return {"live": states[0].live.copy(), "checkpoint": states[0].checkpoint.copy()}
