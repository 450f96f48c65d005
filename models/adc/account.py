# SPDX-License-Identifier: Apache-2.0
"""The account of the address counters: what each command was, did and met, a row each.

The model keeps it where it is asked to (``compiled``); a row's cycle is that of the command.
Numbers: ``thread`` and ``set`` 0, 1, 2, ``target`` as in ``TARGETS``, ``counter`` 0 to 7 for X Y Z
W of channel 0, then of channel 1 (of ``touched`` and writes 0 to 3, beside ``channel``); a bit set
has bit k for number k. A *writer* is a port:
unpackers, packers, REG2FLOP, threads, in the order in which their commands apply (A13).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.compiled_io import given
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.adc import BOUNDARY, SETS, TARGETS
from tilepath.models.adc.untimed_state import COUNTERS, SHAPE, TOUCHED

WRITERS: Final = len(BOUNDARY.inputs)

# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_LARGEST: Final = (np.int64, COUNTERS)  # values of X, Y, Z, W (A1)
WORD: Final = record(  # at a thread's port (A2 to A8)
    cycle=np.uint32,
    instruction=np.uint32,  # the word
    largest=_LARGEST,
    thread=np.uint8,
    faults=np.uint8,  # ``untimed_commands.WordFault``
)
_UPDATE, _PACKED, _WRITE = (
    given(BOUNDARY.stream(name), wide=True) for name in ("unpack", "pack", "flop")
)
UNPACK: Final = record(cycle=np.uint32, update=_UPDATE)  # an unpacker's update (A11)
PACK: Final = record(cycle=np.uint32, update=_PACKED)  # the packers' (P18)
FLOP: Final = record(cycle=np.uint32, write=_WRITE, largest=_LARGEST)  # REG2FLOP's write (C14)
TOUCH: Final = record(  # a counter that a command touched (docs/adc.md, section 2)
    cycle=np.uint32,
    touched=TOUCHED,
    largest=np.uint32,  # of the counter (A1)
    live=np.uint32,  # the counter and its checkpoint as before the cycle
    checkpoint=np.uint32,
    command=np.uint8,  # a ``Command``
    thread=np.int8,  # of an instruction or an UNPACR; -1: none
    number=np.uint8,  # how many commands of the cycle touched it before this one (A13)
    last=np.uint8,  # whether none of the cycle did after it
)
_COMMAND: Final = record(  # of a writer in a cycle
    command=np.int64,  # a ``Command``
    sets=np.int64,
    targets=np.int64,
    named=np.int64,  # counters that it could touch with other values
    counters=np.int64,  # those that it touches
)
PAIR: Final = record(  # two commands of a cycle, in the order in which they apply (A13)
    cycle=np.uint32,
    conflicts=np.uint16,  # of the cycle: bit 3 * set + target
    writer=(np.uint8, 2),
    first=_COMMAND,
    second=_COMMAND,
)
CYCLE: Final = record(  # a cycle with a command
    cycle=np.uint32,
    conflict=np.uint16,  # as stream ``conflict`` has it (A13)
    writers=np.uint8,  # whose command was carried out; a word is even if it touches nothing (A7)
    faults=np.uint8,  # ``untimed_commands.UnitFault``
)
CHANGE: Final = record(  # a counter that is another after the cycle, as the levels show it
    cycle=np.uint32,
    value=(np.uint32, 2),  # live, checkpoint
    largest=np.uint32,  # (A1)
    set=np.uint8,
    target=np.uint8,
    counter=np.uint8,
    changed=np.uint8,  # which of its values are: bit 0 live, bit 1 checkpoint
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "word": WORD, "unpack": UNPACK, "pack": PACK, "flop": FLOP,
    "touch": TOUCH, "pair": PAIR, "cycle": CYCLE, "change": CHANGE,
}  # fmt: skip
# Most rows of a cycle: an unpacker touches 4 counters of 2 sets, the packers 4 of 3, a word 12
_TOUCHES: Final = 2 * 4 + SETS * 4 + 1 + SETS * len(TARGETS) * 4
_MOST: Final = {
    "word": SETS, "touch": _TOUCHES, "pair": WRITERS * (WRITERS - 1) // 2, "change": _TOUCHES,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

_LAST: Final = record(cycle=np.int64, row=np.int64)  # of a counter: its last row in TOUCH
MEMORY: Final = record(
    writers=np.int64,  # of the cycle at hand: whose command is carried out, a bit each
    commands=(_COMMAND, WRITERS),
    last=(_LAST, SHAPE),
)
CYCLES: Final = 10_000  # with commands in a pass; a change of the one before may show first
ACCOUNT: Final = account_of(KINDS, CYCLES + 1, _MOST, MEMORY)


def begin(memory: Records) -> None:
    """Put what is kept between rows as it is before cycle 0."""
    memory["last"]["cycle"] = -1
