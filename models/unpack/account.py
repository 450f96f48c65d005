# SPDX-License-Identifier: Apache-2.0
"""The account of the unpackers: what instructions sampled, read, waited for and wrote, a row each.

The model keeps it where it is asked to. ``file`` is a ``File``, ``form`` a ``Form``, formats as in
U45, ``conversion`` a ``formats.Conversion``; a bit set has bit k for number k. Pointers count 1/16
byte, limit and FIFO bytes, sizes 1/4 byte. ``counter_<kind>``: as in ``models.adc.account``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.isa.boundary.unpack import THREADS, UNPACKERS, WRITES
from tilepath.models.account import account_of
from tilepath.models.records import Records, record
from tilepath.models.unpack.timing_state import LONG_AGO, NONE


class File(IntEnum):
    """Where datums go."""

    SRCA = 0
    SRCB = 1
    DST = 2


class Form(IntEnum):
    """What an instruction is (U2, U3)."""

    REGULAR = 0
    INCREMENT = 1
    FLUSH = 2
    OVERLAY = 3  # of the stream of ThreadConfig (U60)
    OVERLAY_EXPLICIT = 4
    NOP = 5
    RESERVED = 6  # mode 6 of the WH encoding
    SETREG = 7
    ZEROSRC = 8
    SETDVALID = 9
    ZEROSRC_DVALID = 10  # BH: hands the bank over, too


class Register(IntEnum):
    """Registers of a context (U9, U10)."""

    BASE = 0
    OFFSET = 1
    X_DIM = 2
    DEST = 3
    SHIFT = 4
    FORMAT = 5
    IF_SEL = 6
    UNCOMPRESSED = 7


class Ended(IntEnum):
    """What ends the state ``stale`` of a bank (U37)."""

    RELEASE = 0
    CLEAR = 1  # by the Matrix Unit
    ZEROSRC = 2


# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "unpacker": np.uint8}

SAMPLED: Final = record(  # an instruction in its sampling cycle (U65)
    **_WHEN,
    word=np.uint32,
    since=np.uint32,  # cycles since the last address phase; NONE: it is the first (A14)
    since_regular=np.uint32,  # cycles since the last Regular UNPACR of the unpacker was sampled
    thread=np.uint8,
    form=np.uint8,
    state=np.uint8,  # bank of the configuration
    differs=np.uint8,  # whether a word that it may read is another in the other bank
    bank=np.uint8,  # src_bank
    matrix_bank=np.uint8,  # that of the Matrix Unit's pointer (U58)
    owners=np.uint8,  # banks of its file that are the Matrix Unit's, a bit set
    context=np.uint8,  # the context counter (U8)
    context_count=np.uint8,
    tied=np.uint8,  # of two UNPACRs issued at once the first
    compressed=np.uint8,  # whether its address phase takes three cycles
    after_unpacker=np.uint8,  # of the last address phase: whose, and whether it was so long
    after_thread=np.uint8,
    after_compressed=np.uint8,
    after_flip=np.uint8,  # FlipSrc of the last Regular UNPACR of the unpacker
)
REGULAR: Final = record(  # a Regular UNPACR in its sampling cycle (U7 to U44)
    **_WHEN,
    pointer=(np.int64, 2),  # of the first datum and its exponent, before the wrap; uncompressed
    word=np.uint32,
    first=np.uint32,  # number of the first datum, if uncompressed (U11)
    count=np.uint32,  # number of datums, if uncompressed
    limit=np.uint32,
    fifo=np.uint32,
    out_addr=np.uint32,  # of the first slot (U28, U29)
    counters=(np.uint32, 4),  # X and Y of set WhichADC, Z and W of the thread's, of channel 0
    x1=np.uint32,
    x_dim=np.uint16,
    offset=np.uint16,  # of the tile
    stride=np.uint16,  # bytes; of tilize (U26)
    thread=np.uint8,
    y_dim=np.uint8,
    z_dim=np.uint8,  # Z, W: as configured, 0 is 1
    w_dim=np.uint8,
    blobs=np.uint8,
    digest=np.uint8,
    context=np.uint8,  # the context counter
    context_count=np.uint8,
    context_offset=np.uint8,
    ctx=np.uint8,  # (U7)
    tells=np.uint8,  # a bit set of ``Register``: every context that differs in a bit has another
    by_context=np.uint8,  # whether the formats are those of the context
    in_format=np.uint8,
    out_format=np.uint8,
    conversion=np.uint8,
    quarters=np.uint8,  # of a datum
    file=np.uint8,
    compressed=np.uint8,
    forced=np.uint8,  # Force_shared_exp (U14)
    no_exponents=np.uint8,  # NoBFPExpSection (U13)
    reads_exponents=np.uint8,
    throttle=np.uint8,  # (U64)
    rate=np.uint8,  # Upsample_rate (U40)
    zeros=np.uint8,
    interleave=np.uint8,
    tilize=np.uint8,  # whether it does (U27)
    transposes=np.uint8,  # (U39)
    col_shift=np.uint8,
    row_w=np.uint8,  # datums (U25)
    wide=np.uint8,  # whether ``out_format`` has 32 bits (U36)
    add_dest=np.uint8,  # (U29)
    moves=np.uint8,  # of Y, Z, W, a bit set: those that move the output address
    dst_map=np.uint8,  # bit 0 swizzle, bit 1 remap, as configured (P52)
    bank=np.uint8,
    src_row=np.uint8,
    ovrd=np.uint8,  # SetOvrdWithAddr (U31, U34)
    burst_rows=np.uint8,  # to SrcA, else 0 (U33)
    ovrd_throttle=np.uint8,  # ovrd_default_throttle_mode
    behind_dst=np.uint8,  # the Regular UNPACR of unpacker 0 before it was to Dst (U68)
    set_upd=np.uint8,  # (U43)
    set_base=np.uint8,
)
STARTS: Final = record(  # the RSI entries of a compressed UNPACR as they are requested (U18, U19)
    **_WHEN,
    end=np.int32,  # the entry of the end; NONE: it is not read
    first=np.uint16,
    searches=np.uint8,  # RowSearch
)
REQUEST: Final = record(  # a request at L1's port
    **_WHEN,
    latency=np.uint8,  # of L1
    lines=np.uint8,  # of datums
    rsi_lines=np.uint8,
    want=np.uint8,  # lines a cycle that the instruction wants (U63)
    ends=np.uint8,  # whether it is the last of its instruction
    beside=np.uint8,  # of unpacker 1: what unpacker 0 wants that requests datums, too, or 0
    beside_ends=np.uint8,
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
FETCHED: Final = record(  # the last datum of a Regular UNPACR is requested, or none is to be
    **_WHEN,
    fifo=np.uint32,
    groups=np.uint32,  # ends of groups that it went across (U20)
    quarters=np.uint8,
    reads_exponents=np.uint8,
    compressed=np.uint8,
    partial=np.uint8,  # whether the items are counted (U19), and there are any
    dropped=np.uint8,  # 0: no item was dropped; the last that was: 1: not, 2: the last of its datum
    cut=np.uint8,  # whether the last item of the datum is left out
    wrapped=(np.uint8, 3),  # pointers of datum, exponent, nibble: bit 0 at first, bit 1 later (U24)
)
STEP: Final = record(  # a step that writes goes (docs/unpack.md, section 4)
    **_WHEN,
    stalled=np.uint32,  # cycles that it waited for its bank (U42)
    first_row=(np.uint16, len(WRITES)),  # by group of slots: rows of the first that is written
    last_row=(np.uint16, len(WRITES)),  # and of the last, not wrapped
    rows=(np.uint16, 2),  # the least and the largest of them
    groups=np.uint8,  # those that write, a bit set
    file=np.uint8,
    wide=np.uint8,
    transposes=np.uint8,
    parts=np.uint8,
    begins=np.uint8,  # whether it is the first of its instruction
    flips=np.uint8,  # FlipSrc
    follows=np.int8,  # form of the instruction behind it in the unpacker; NONE: there is none
)
CLEAR: Final = record(  # a ZEROSRC goes (U57, U58)
    **_WHEN,
    waited=np.uint32,  # for a bank
    wait_unpacr=np.uint8,  # for its own
)
SETREG: Final = record(  # has its effect (U61)
    **_WHEN,
    before=np.uint32,  # the accumulator
    value=np.uint32,  # what is written, or would be
    amount=np.uint16,
    reg_select=np.uint8,
    accumulate=np.uint8,
)
HANDED: Final = record(  # a bank becomes the Matrix Unit's (U44)
    **_WHEN,
    bank=np.uint8,
    busy=np.uint8,  # whether the other unpacker had instructions when it was decided
)
FORMAT: Final = record(**_WHEN, bank=np.uint8, format=np.uint8)  # that of a bank changes (U44)
MATRIX: Final = record(  # the Matrix Unit's command, if any, and the row that it writes, if any
    cycle=np.uint32,
    row=np.uint16,  # of Dst
    read=np.uint8,  # files, a bit set
    banks=np.uint8,  # of SrcA and SrcB, a bit each
    release=np.uint8,
    clear=np.uint8,  # banks: bit 2 * file + bank
    neg_inf=np.uint8,
    zero=np.uint8,
    zero_mode=np.uint8,
    undo=np.uint8,
    wide=np.uint8,
    access=np.uint8,  # (P52)
    valid=np.uint8,  # of the row of Dst that is read
    owners=np.uint8,  # banks that are the Matrix Unit's
    paused=np.uint8,  # whether it was to pause in the cycle before
    target=np.uint8,  # of the row that it writes, a ``File``, 3: nowhere; 4: there is none
    bank=np.uint8,
    write_wide=np.uint8,
    write_access=np.uint8,
    written=(
        np.uint8,
        3,
    ),  # by file, the row that is read was written 0: at once, 1: a cycle before
)
PAUSE: Final = record(cycle=np.uint32, cycles=np.uint32)  # one is over, after so many
STALE: Final = record(cycle=np.uint32, bank=np.uint8, by=np.uint8)  # no more (U37); an ``Ended``
FAULT: Final = record(**_WHEN, flags_=np.uint32)  # bits as in section 8 of the contract
UNIT_FAULT: Final = record(cycle=np.uint32, flags_=np.uint32, busy=np.uint8)  # as ``busy_o``
RESET: Final = record(  # of a context counter, beside a use in the same cycle or the next (U6)
    **_WHEN,  # of the later
    thread=np.uint8,
    form=np.uint8,
    distance=np.int8,  # cycle of the reset less the sampling cycle
)
SWITCH: Final = record(  # a SETC16 changes StateID (U65)
    cycle=np.uint32,
    thread=np.uint8,
    sampled=np.uint8,  # unpackers that sample an instruction of the thread in this cycle, a bit set
    busy=np.uint8,  # those that have one
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
_KINDS: Final[Mapping[str, np.dtype[Any]]] = {  # that the kernel tells
    "sampled": SAMPLED, "regular": REGULAR, "starts": STARTS, "request": REQUEST, "datum": DATUM,
    "fetched": FETCHED, "step": STEP, "clear": CLEAR, "setreg": SETREG, "handed": HANDED,
    "format": FORMAT, "matrix": MATRIX, "pause": PAUSE, "stale": STALE, "fault": FAULT,
    "read_fault": FAULT, "write_fault": FAULT, "unit_fault": UNIT_FAULT, "reset": RESET,
    "switch": SWITCH, "flop": FLOP, "store": STORE,
}  # fmt: skip
KINDS: Final[Mapping[str, np.dtype[Any]]] = {**_KINDS, "shown": SHOWN}
# Most rows of a cycle
_MOST: Final = {
    **dict.fromkeys(_KINDS, 2), "datum": 2 * 128, "fetched": 4, "handed": 4, "format": 4,
    "reset": 8, "switch": 3,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

BUSY: Final = 16  # changes of ``busy`` that are remembered: a power of two above WRITE + 2

_FETCH: Final = record(  # of an instruction, as of ``FETCHED``; items that are left
    wrapped=(np.int64, 3),
    groups=np.int64,
    drop=np.int64,
    items=np.int64,
    dropped=np.int64,
    cut=np.int64,
)
_UNIT: Final = record(
    regular=np.int64,  # cycle in which the last Regular UNPACR was sampled
    flip=np.int64,
    # by thread: cycles of the last sampling, of the last use of the context counter and its reset
    sampled=(np.int64, THREADS),
    used=(np.int64, THREADS),
    used_by=(np.int64, THREADS),
    reset=(np.int64, THREADS),
    fetching=np.int64,  # number of the instruction whose datums are being requested
    fetch=_FETCH,  # of it
    nothing=_FETCH,  # of one that has none
    # of the write stage
    writing=np.int64,  # number of the instruction that has written last
    stalled=np.int64,
)
MEMORY: Final = record(
    units=(_UNIT, UNPACKERS),
    # the last address phase
    phase=np.int64,  # its last cycle; NONE: there was none
    phase_unpacker=np.int64,
    phase_thread=np.int64,
    phase_compressed=np.int64,
    # datums that unpacker 0 requests
    asked=np.int64,  # cycle
    asked_want=np.int64,
    asked_ends=np.int64,
    busy=(np.int64, BUSY),
    busy_from=(np.int64, BUSY),
    busy_changes=np.int64,
    paused=np.int64,  # cycle in which ``pause`` changed last
    # the Matrix Unit's last command, and the last row that it wrote
    command=np.int64,  # cycle
    release=np.int64,
    banks=np.int64,
    clear=np.int64,
    written=np.int64,  # cycle
    target=np.int64,
    bank=np.int64,
    row=np.int64,
    wide=np.int64,
)
CYCLES: Final = 2048  # in which anything happens, in a pass
ACCOUNT: Final = account_of(_KINDS, CYCLES + 1, _MOST, MEMORY)


def begin(memories: Records) -> None:
    """Put what is kept between rows as it is before cycle 0."""
    memory: Any = memories[0]
    memory.phase = memory.asked = memory.command = memory.written = memory.paused = NONE - 1
    for unit in memory.units:
        unit.regular = LONG_AGO
        unit.sampled[:] = unit.used[:] = unit.reset[:] = LONG_AGO
        unit.fetching = unit.writing = NONE
