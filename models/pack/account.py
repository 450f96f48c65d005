# SPDX-License-Identifier: Apache-2.0
"""The account of the packers: what instructions, rows, groups, lines and ports did, a row each.

The cycle-exact model keeps it where it is asked to (``compiled``). Formats are codes of 4
bits; ``packer`` and ``lane`` as at the boundary; masks have bit n for number n. ``cycle`` is that
of the event: values are worked out when a step asks for its rows (section 6 of docs/pack.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.pack import LANES, LINE_WORDS, PACKERS
from tilepath.models.pack.state import EDGE, GROUP_ROW, LANE_ROW, MODE, PLAN
from tilepath.models.pack.timing_state import ISSUE

ROOM: Final = 8192  # rows of a kind in a pass
MOST: Final = 64  # and in a cycle
KINDS_OF_LINE: Final = 3
_U1: Final = np.uint8
_U2: Final = np.uint16
_U4: Final = np.uint32

# ── Instructions ─────────────────────────────────────────────────────────────────────────────────

INSTRUCTION: Final = record(  # PACR or PACR_SETREG
    cycle=_U4,  # in which it is sampled, behind its issue (section 4)
    head=ISSUE,
    bank=_U1,  # StateID (P6)
    used_mask=_U1,  # packers, or lanes of the one packer (P2)
    addr_mod=_U2,  # ADDR_MOD_PACK of the thread (P18)
    map_=_U1,  # swizzle, remap (P52)
    banks_differ=_U1,  # whether the two banks do
    # counters of its set that the update takes over their greatest value, or from another one to
    # 0: a bit each for Y and Z of channel 0, of channel 1
    wrapped=_U1,
    cleared=_U1,
    no_datums=_U1,  # x1 + 1 = x0
    is_new=_U1,  # whether packer 0 has no tile open
    scaler=_U1,  # low bits of TO, which choose it of PACR_SETREG
)
DEPARTURE: Final = record(  # a PACR that departs (section 4): its mode is that of the packers
    cycle=_U4,
    mode_changes=_U1,
    format_changes=_U1,  # TO
    begun_by=_U1,  # a bit for a unit, data line, exponents, row starts, block
)
_SHARE: Final = record(  # an instruction, as a packer has it
    head=ISSUE,
    bank=_U1,
    packer=_U1,
    control=_U1,  # PCK_DEST_RD_CTRL: Read_32b_data, Read_unsigned, Read_int8, Round_10b_mant
    # Datums (P10 to P16)
    x=(_U4, 2),  # X of both channels
    counters=(_U4, 3),  # Y, Z, W of channel 0, and their strides
    stride=(_U2, 3),
    counters_out=(_U4, 3),  # likewise of channel 1
    stride_out=(_U2, 3),
    x_stride=_U2,
    dst_offset=_U2,
    # Where the tile goes (P32 to P38)
    is_new=_U1,  # the data stream takes its address
    has_header=_U1,
    adds_offset=_U1,
    offset=_U2,  # l1_dest_addr_offset
    units=_U4,  # what channel 1 adds, bytes or units of 16 (yzw_shr4)
    address=_U4,  # in units of 16 bytes, before it is wrapped
    limit=_U4,
    fifo=_U4,
    relative=_U1,  # L1_Dest_addr of packer 0 is negative
    exponent_section=_U4,
    row_section=_U4,
    elsewhere=_U1,  # its address is not where the data stream is
    # Its mode
    from_=_U1,
    is_unsigned=_U1,
    e4m3=_U1,
    compress_override=_U1,
    downsample=_U2,  # mask as configured
    kept_of_16=_U1,  # bits of it as it is used
    edge_mode=_U1,
    stats=_U1,  # ENABLE_ACC_STATS, a bit a thread
    # What it found: tile position (P26), buffers (P38)
    moved=_U1,  # the position is not 0
    is_open=_U1,  # the tile
    has_exponents=_U1,  # their stream has an address
    elements=_U1,  # of a unit
    filled=(_U1, KINDS_OF_LINE),  # bits of lines
    # What it did
    wrapped=_U1,  # the outer part of the position moved
    kept=_U2,  # datums behind downsampling
    pushed=_U2,  # elements
    units_out=_U2,  # with the one that closing pads
    row_starts=_U2,
    group_instructions=_U1,  # most that a group is made of
)
SHARE: Final = record(  # an instruction that a packer is through with
    cycle=_U4,
    share=_SHARE,
    mode=MODE,
    plan=PLAN,
)

# ── Values ───────────────────────────────────────────────────────────────────────────────────────

ROW: Final = record(  # a row of Dst that a lane reads
    cycle=_U4,
    packer=_U1,
    row=LANE_ROW,
    kept=_U2,  # by downsampling
    control=_U1,  # PCK_DEST_RD_CTRL: Read_32b_data, Read_unsigned, Read_int8, Round_10b_mant
    undefined=_U1,  # P20 has no value
    edge_mode=_U1,
    mode=MODE,
)
ZEROS: Final = record(cycle=_U4, packer=_U1, to=_U1, count=_U4)
"""Zeros of a compressed row that follow each other (P44)."""
COMPRESSED: Final = record(  # a compressed row that ends, or a tile (P44)
    cycle=_U4,
    packer=_U1,
    bfp=_U1,
    ends=_U1,  # 1: the row; 2: the tile
    count=_U4,  # datums; of a tile those that are not left out
    zeros=_U4,
    instructions=_U2,
)
SUM: Final = record(  # a line of sums (P40, P62), 32 bits or two of 16 a word
    cycle=_U4,
    packer=_U1,
    to=_U1,
    old=(_U4, LINE_WORDS),  # what L1 held
    new=(_U4, LINE_WORDS),
    total=(_U4, LINE_WORDS),
)

# ── Time ─────────────────────────────────────────────────────────────────────────────────────────

GRANT: Final = record(  # a row that a lane gets (section 6)
    cycle=_U4,
    lane=_U1,
    packer=_U1,
    together=_U1,  # lanes that get one in this cycle
    had_before=_U1,  # this lane got one in the cycle before
    row=_U2,  # of storage; with another one eight further where it is wide
    wide=_U1,
    begins=_U1,  # the step is its instruction's first
    behind_step=_U4,  # cycles behind the step before
    behind_lanes=_U4,  # behind the first row of its step
    # rows of all lanes in this cycle, and in the one before; -1: none
    rows=(np.int16, LANES),
    rows_before=(np.int16, LANES),
    # of the Matrix Unit, likewise
    matrix=np.int16,
    matrix_before=np.int16,
    matrix_wide=_U1,  # in the cycle before
    # what is written to Dst, likewise
    written=np.int16,
    written_count=_U1,
    written_before=np.int16,
    written_count_before=_U1,
)
STEP: Final = record(  # a step whose rows have all been granted
    cycle=_U4,
    packer=_U1,
    wide=_U1,
    begins=_U1,
    behind_issue=_U4,  # cycles from its instruction's issue to its first row
    behind_step=_U4,  # from the last row of the step before to its own
    lasts=_U4,  # from its first row to its last
)
LINE: Final = record(  # that is written to L1 (section 9)
    cycle=_U4,
    packer=_U1,
    kind=_U1,  # a ``Kind``
    waited=_U1,  # L1 was not ready in the cycle before
    data_lines=_U1,  # that are written beside it
    reads=_U1,  # whether lines are read beside it
    ends=_U1,  # the last of the cycle's data lines
)
READ: Final = record(  # lines that are read to be added to; or, as source (P16)
    cycle=_U4,
    packer=_U1,
    is_source=_U1,
    latency=_U1,  # cycles
    count=_U1,  # lines that follow each other
    in_flight=_U1,  # that were read and have not been written back
    written_before=_U1,  # whether its first line was, in the cycle before
)
WAIT: Final = record(  # a time in which something was not ready, that ends
    cycle=_U4,
    packer=_U1,  # whose L1 port was not; ``PACKERS``: no instruction could be issued
    length=_U4,  # cycles
)
BUSY: Final = record(cycle=_U4, threads=(_U1, PACKERS))
"""A change of who is busy (section 10): mask of threads, of each packer."""
CLEAR: Final = record(cycle=_U4, behind_row=_U4)
"""CLREXPHIST (P27): cycles behind the last row that was granted."""
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "instruction": INSTRUCTION, "departure": DEPARTURE, "share": SHARE, "row": ROW, "edge": EDGE,
    "group": GROUP_ROW, "zeros": ZEROS, "compressed": COMPRESSED, "sum": SUM, "grant": GRANT,
    "step": STEP, "line": LINE, "read": READ, "wait": WAIT, "busy": BUSY, "clear": CLEAR,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

LONG_AGO: Final = 1000  # cycles
RING: Final = 16  # as of issues, and of instructions under way
_DST: Final = record(  # what goes on at Dst in a cycle; rows, -1: none
    cycle=np.int64,
    rows=(np.int64, LANES),
    matrix=np.int64,
    wide=np.int64,
    written=np.int64,
    count=np.int64,
)
_PACKER: Final = record(
    share=_SHARE,  # that it works on
    begins=np.int64,  # the step that asks for rows is its instruction's first
    outer=np.int64,  # part of the tile position, as it began
    first_row=np.int64,  # cycle of the step's first row; -1: it has none
    last_row=np.int64,  # of the step before
    # the group and the compressed row at hand (P29, P44)
    instructions=np.int64,
    zeros=np.int64,
    datums=np.int64,
    row_zeros=np.int64,
    chain=np.int64,  # instructions of the row
    tile=np.int64,
    sums=(np.int64, 8),  # lines that were written back last, and when
    sum_count=np.int64,
    sum_cycle=np.int64,
)
MEMORY: Final = record(
    largest=(np.int64, 4),  # that counters hold
    shares=(_SHARE, (RING, PACKERS)),  # sampled
    nothing=_SHARE,
    under_way=(_SHARE, (PACKERS, RING)),
    packers=(_PACKER, PACKERS),
    config_seen=np.int64,
    banks_differ=np.int64,
    now=_DST,
    before=_DST,
    last_row=np.int64,  # cycle
    ready_before=np.int64,  # mask of L1 ports, before it changed, and when it did
    ready_since=np.int64,
    shut=(np.int64, PACKERS + 1),  # cycle since which it is not ready; -1: it is
)
ACCOUNT: Final = account_of(KINDS, ROOM, {}, MEMORY)


def begin(memories: Records, largest: Sequence[int]) -> None:
    """Put what is kept between rows as before cycle 0; ``largest``: of counters X, Y, Z, W."""
    memory: Any = memories[0]
    memory.largest[:] = largest
    memory.config_seen = -1
    memory.shut[:] = memory.packers["last_row"] = -1
    for dst in (memory.now, memory.before):
        dst.cycle = -LONG_AGO
        dst.matrix = dst.written = dst.rows[:] = -1
    memory.last_row = memory.ready_since = -LONG_AGO
    memory.packers["sum_cycle"] = -LONG_AGO
