# SPDX-License-Identifier: Apache-2.0
"""The address counters, and where the fields of instructions are.

The counters are one record, ``STATE``: functions that change them take that one argument. Where
fields are is the same in every profile, so compiled functions have it as constants: of those they
know that no counter shares their memory, and work on the counters of a target as one vector.
"""

from __future__ import annotations

import enum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.records import Records, record, zeros
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import SETS, TARGETS
from tilepath.models.fields import placed

CHANNELS: Final = 2
COUNTERS: Final = 4  # X, Y, Z, W
PLACES: Final = CHANNELS * COUNTERS  # of the counters of a target: 4 * channel + counter
SHAPE: Final = (SETS, len(TARGETS), CHANNELS, COUNTERS)
PACKERS: Final = TARGETS.index("packers")
FIXED_WIDTHS: Final = (18, 13)  # of X and Y; Z's and W's is the profile's (A1)


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


_INSTRUCTION: Final = record(
    command=np.int64,  # a ``Command``; -1: none of the eight
    action=np.int64,  # an ``Action``
    ignored=np.int64,  # bits of the word that it does not name
    named=np.int64,  # counters that it can touch: a bit each
    unmasked=np.int64,  # bits of the mask that it does not have: all or none
    override_lsb=np.uint32,  # ThreadOverride (A3), and its largest value; SETADCXX has none
    override_ones=np.uint32,
    # The value for each counter, its lowest bit and its largest; SETADC's one value for all
    lsb=(np.uint32, PLACES),
    ones=(np.uint32, PLACES),
)


def _described() -> Any:
    """Instructions by opcode, from the tables of ``isa``."""
    instructions: Any = zeros(_INSTRUCTION, 256)
    instructions.command = -1
    for command in list(Command)[: Command.UNPACK]:
        layout = isa.layout_of(command.name)
        fields = {field.name: field for field in (*layout.fields, *layout.views)}
        row = instructions[layout.opcode]
        row.command, row.ignored = command, layout.ignored & 0xFF_FFFF
        row.action = {"S": Action.SET, "I": Action.INCREASE, "A": Action.RELOAD}[command.name[0]]
        row.unmasked = 0 if "mask" in fields else 0b1111
        if "thread_override" in fields:
            row.override_lsb, row.override_ones = placed(fields["thread_override"])
        for place in range(PLACES):
            stem = f"{'xyzw'[place % COUNTERS]}{place // COUNTERS}"
            names = "value", f"{stem}_val", f"{stem}_inc"
            for field in (fields[name] for name in names if name in fields):
                row.named |= 1 << place
                row.lsb[place], row.ones[place] = placed(field)
    return instructions


INSTRUCTIONS: Final = _described()
"""By opcode."""
OPCODES: Final = frozenset(np.flatnonzero(INSTRUCTIONS.command >= 0).tolist())

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
    # The counters that the last command touched, each once: the first touched_count; of a word
    # where ``list_touched`` was called
    touched=(TOUCHED, _MOST_TOUCHED),
    touched_count=np.int64,
)


def new_state(profile: str) -> Records:
    """The state after reset, all counters 0 (A16): one ``STATE``.

    Raises ``ValueError`` for an unknown profile.
    """
    zw = profiles.get(profile).zw_w
    if not 1 <= zw <= 16:  # 8 or 13 in the profiles there are (A1)
        raise ValueError(f"zw_w {zw}: want 1 to 16, half a word of a level record")
    states = np.zeros(1, STATE)
    states["largest"] = [(1 << width) - 1 for width in (*FIXED_WIDTHS, zw, zw)]
    return states


def architectural_state(states: Records) -> dict[str, npt.NDArray[Any]]:
    """Copies of ``live`` and ``checkpoint``: the architectural state (``compiled.state``)."""
    return {"live": states[0].live.copy(), "checkpoint": states[0].checkpoint.copy()}
