# SPDX-License-Identifier: Apache-2.0
"""The account of the unpackers: what instructions sampled, read, waited for and wrote, a row each.

The model keeps it where it is asked to; its own records are copied as they are (``plan``,
``settings``). ``file`` is a ``File``, ``kind`` a ``plan.Kind``, formats as in U45, ``conversion`` a
``convert.Conversion``; a bit set has bit k for number k. ``pointer`` counts 1/16 byte.
``counter_<kind>``: as in ``models.adc.account``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.records import Records, named, record
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS, WRITES
from tilepath.models.unpack.plan import PLAN, SOURCE
from tilepath.models.unpack.settings import SEEN
from tilepath.models.unpack.timing_state import NONE


class File(IntEnum):
    """Where datums go."""

    SRCA = 0
    SRCB = 1
    DST = 2


# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "unpacker": np.uint8}

SAMPLED: Final = record(  # an instruction in its sampling cycle (U65)
    **_WHEN,
    plan=PLAN,  # what it is going to do
    context=np.uint8,  # the context counter, and Context_count (U8)
    context_count=np.uint8,
    differs=np.uint8,  # whether a word that it may read is another in the other bank
    matrix_bank=np.uint8,  # that of the Matrix Unit's pointer (U58)
    owners=np.uint8,  # banks of its file that are the Matrix Unit's, a bit set
    tied=np.uint8,  # of two UNPACRs issued at once the first
)
REGULAR: Final = record(  # a Regular UNPACR in its sampling cycle
    **_WHEN,
    plan=PLAN,
    seen=SEEN,  # fields of its bank and of its thread's ThreadConfig
    pointer=(np.int64, 2),  # of the first datum and its exponent, before the wrap; uncompressed
    counters=(np.uint32, 8),  # X Y Z W of channels 0, 1: X, Y 0 of set WhichADC, else the thread's
    x_dim=np.uint16,
    context=np.uint8,  # the context counter (U8)
    behind_dst=np.uint8,  # the Regular UNPACR of unpacker 0 before it was to Dst (U68)
)
STARTS: Final = record(  # the RSI entries of a compressed UNPACR as they are requested (U18, U19)
    **_WHEN,
    plan=PLAN,
    end=np.int32,  # the entry of the end; NONE: it is not read
)
REQUEST: Final = record(  # a request at L1's port
    **_WHEN,
    latency=np.uint8,  # of L1
    lines=np.uint8,  # of datums
    rsi_lines=np.uint8,
    want=np.uint8,  # lines a cycle that the instruction wants (U63)
    ends=np.uint8,  # whether it is the last of its instruction
)
DATUM: Final = record(  # a datum as it is read (U20, U45 to U56)
    **_WHEN,
    bits=np.uint32,
    exponent=np.uint8,  # of BFP formats
    nibble=np.uint8,  # of zeros behind it; compressed
    in_format=np.uint8,
    out_format=np.uint8,
    conversion=np.uint8,
    fraction=np.uint8,  # bits of its mantissa or magnitude, and of the exponent in it
    exponent_bits=np.uint8,
    file=np.uint8,
    compressed=np.uint8,
    all_zero=np.uint8,  # AllDatumsAreZero (U23)
)
_FETCH: Final = record(  # what datums of an instruction were met
    wrapped=(np.int64, 3),  # pointers of datum, exponent, nibble: bit 0 at first, bit 1 later (U24)
    groups=np.int64,  # ends of groups that it went across (U20)
    left=record(drop=np.int64, items=np.int64),  # items, where they are counted (U19)
    dropped=np.int64,  # 0: no item was; the last that was: 1: not, 2: the last of its datum
    cut=np.int64,  # whether the last item of the datum is left out
)
FETCHED: Final = record(  # the last datum of a Regular UNPACR is requested, or none is to be
    **_WHEN, source=SOURCE, fetch=_FETCH
)
STEP: Final = record(  # a step that writes goes (docs/unpack.md, section 4)
    **_WHEN,
    plan=PLAN,  # of its instruction
    stalled=np.uint32,  # cycles that it waited for its bank (U42)
    first_row=(np.uint16, len(WRITES)),  # by group of slots: rows of the first that is written
    last_row=(np.uint16, len(WRITES)),  # and of the last, not wrapped
    rows=(np.uint16, 2),  # the least and the largest of them
    groups=np.uint8,  # those that write, a bit set
    parts=np.uint8,
    begins=np.uint8,  # whether it is the first of its instruction
    follows=np.int8,  # kind of the instruction behind it in the unpacker; NONE: there is none
)
CLEAR: Final = record(**_WHEN, plan=PLAN, waited=np.uint32)  # a ZEROSRC goes, cycles for a bank
SETREG: Final = record(  # has its effect (U61)
    **_WHEN,
    plan=PLAN,
    before=np.uint32,  # the accumulator
    value=np.uint32,  # what is written, or would be
)
HANDED: Final = record(  # a bank becomes the Matrix Unit's (U44)
    **_WHEN,
    bank=np.uint8,
    busy=np.uint8,  # whether the other unpacker had instructions when it was decided
)
FORMAT: Final = record(**_WHEN, bank=np.uint8, format=np.uint8)  # that of a bank changes (U44)
_COMMAND: Final = named(BOUNDARY.stream("matrix").dtype)
_WRITE: Final = named(BOUNDARY.stream("matrix_write").dtype)
MATRIX: Final = record(  # the Matrix Unit's command, and the row that it writes; 0: there is none
    cycle=np.uint32,
    command=_COMMAND,
    write=_WRITE,
    writes=np.uint8,
    valid=np.uint8,  # of the row of Dst that is read
    owners=np.uint8,  # banks that are the Matrix Unit's
    paused=np.uint8,  # whether it was to pause in the cycle before
)
PAUSE: Final = record(cycle=np.uint32, cycles=np.uint32)  # one is over, after so many
STALE: Final = record(cycle=np.uint32, bank=np.uint8, command=_COMMAND)  # no more (U37); the last
FAULT: Final = record(**_WHEN, flags_=np.uint32)  # bits as in section 8 of the contract
UNIT_FAULT: Final = record(cycle=np.uint32, flags_=np.uint32, busy=np.uint8)  # as ``busy_o``
ORDER: Final = record(  # an instruction in its sampling cycle, or behind it a SETC16
    **_WHEN,
    thread=np.uint8,
    word=np.uint32,  # 0: a SETC16
    kind=np.uint8,
    uses=np.uint8,  # the context counter, or resets it (U6)
    resets=np.uint8,
    switches=np.uint8,  # changes StateID (U65)
    busy=np.uint8,  # whether the unpacker has an instruction of the thread then
)
FLOP: Final = record(cycle=np.uint32, bank=np.uint8, beside=np.uint8)  # beside a ``cfg`` write
STORE: Final = record(  # a core's, to ThreadConfig
    cycle=np.uint32,
    thread=np.uint8,
    beside=np.uint8,  # a SETC16 in the same cycle: 1, to the same word: 2
)
SHOWN: Final = record(  # counters of a set as they show (A1), of X Y Z W of channel 0, then 1
    **_WHEN, set=np.uint8, live=(np.uint32, 8), largest=(np.uint32, 8)
)
_KINDS: Final[Mapping[str, np.dtype[Any]]] = {  # that the loop tells
    "sampled": SAMPLED, "regular": REGULAR, "starts": STARTS, "request": REQUEST, "datum": DATUM,
    "fetched": FETCHED, "step": STEP, "clear": CLEAR, "setreg": SETREG, "handed": HANDED,
    "format": FORMAT, "matrix": MATRIX, "pause": PAUSE, "stale": STALE, "fault": FAULT,
    "read_fault": FAULT, "write_fault": FAULT, "unit_fault": UNIT_FAULT, "order": ORDER,
    "flop": FLOP, "store": STORE,
}  # fmt: skip
KINDS: Final[Mapping[str, np.dtype[Any]]] = {**_KINDS, "shown": SHOWN}
# Most rows of a cycle
_MOST: Final = {
    **dict.fromkeys(_KINDS, 2), "datum": 2 * 128, "fetched": 4, "handed": 4, "format": 4,
    "order": 2 + 2 * THREADS,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

BUSY: Final = 16  # cycles of ``busy`` that are remembered: a power of two above WRITE + 2

_UNIT: Final = record(
    fetching=np.int64,  # number of the instruction whose datums are being requested
    fetch=_FETCH,  # of it
    nothing=_FETCH,  # of one that has none
    # of the write stage
    writing=np.int64,  # number of the instruction that has written last
    stalled=np.int64,
)
MEMORY: Final = record(
    units=(_UNIT, UNPACKERS),
    busy=(np.int64, BUSY),
    paused=np.int64,  # cycle in which ``pause`` changed last
    command=_COMMAND,  # the Matrix Unit's last one
    nothing=record(command=_COMMAND, write=_WRITE),  # all 0
)
CYCLES: Final = 2048  # in which anything happens, in a pass
ACCOUNT: Final = account_of(_KINDS, CYCLES + 1, _MOST, MEMORY)


def begin(memories: Records) -> None:
    """Put what is kept between rows as it is before cycle 0."""
    memory: Any = memories[0]
    memory.paused = NONE - 1
    for unit in memory.units:
        unit.fetching = unit.writing = NONE
