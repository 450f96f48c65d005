# SPDX-License-Identifier: Apache-2.0
"""The account of the packers: what instructions, rows, groups, lines and ports did, a row each.

The cycle-exact model keeps it where it is asked to (``compiled``). Formats are codes of 4
bits; ``packer`` and ``lane`` as at the boundary; masks have bit n for number n. ``cycle`` is that
of the event: values are worked out when a step asks for its rows (section 6 of docs/pack.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.records import Records, record, with_elements
from tilepath.isa.boundary.pack import LANES, LINE_WORDS, PACKERS
from tilepath.models.pack import fields as F
from tilepath.models.pack.state import EDGE, GROUP_ROW, LANE_ROW, MODE, PLAN
from tilepath.models.pack.timing_state import ISSUE

ROOM: Final = 8192  # rows of a kind in a pass
MOST: Final = 64  # and in a cycle
KINDS_OF_LINE: Final = 3
_U1: Final = np.uint8
_U2: Final = np.uint16
_U4: Final = np.uint32

# ── Instructions ─────────────────────────────────────────────────────────────────────────────────

_NONE, _OF_PACKER, _BLOCK, _LIMIT = F.Further
_FIELDS: Final[Mapping[str, list[tuple[int, ...]]]] = {
    # all of PCK_DEST_RD_CTRL
    "control": F.placed_by(_NONE, F.ConfigField(F.READ_32B.word, 0, 15)),
    "x_stride": F.placed_by(_NONE, F.XSTRIDE0),
    "stride": F.placed_by(_NONE, F.YSTRIDE0, F.ZSTRIDE0, F.WSTRIDE0),
    "stride_out": F.placed_by(_NONE, F.YSTRIDE1, F.ZSTRIDE1, F.WSTRIDE1),
    "is_unsigned": F.placed_by(_NONE, F.READ_UNSIGNED),
    "e4m3": F.placed_by(_NONE, F.E4M3),
    "compress_override": F.placed_by(_NONE, F.ALL_COMPRESS_OVRD),
    "edge_mode": F.placed_by(_NONE, F.EDGE_MODE),
    "swizzle": F.placed_by(_NONE, F.SWIZZLE),
    "remap": F.placed_by(_NONE, F.REMAP),
    "dst_offset": F.placed_by(_OF_PACKER, F.DST_OFFSET),
    "no_header": F.placed_by(_BLOCK, F.SUB_HEADER),
    "adds_offset": F.placed_by(_BLOCK, F.ADD_OFFSET),
    "exponent_section": F.placed_by(_BLOCK, F.EXP_SIZE),
    "row_section": F.placed_by(_BLOCK, F.ROW_START_SIZE),
    "from_": F.placed_by(_BLOCK, F.FROM),
    "downsample": F.placed_by(_BLOCK, F.DOWNSAMPLE_MASK),  # as configured
    "limit": F.placed_by(_LIMIT, F.LIMIT),
    "fifo": F.placed_by(_LIMIT, F.FIFO),
}
SEEN: Final = with_elements(
    record(**{
        name: (np.uint32, len(some)) if len(some) > 1 else np.uint32
        for name, some in _FIELDS.items()
    }),
    "every",
)  # fmt: skip
"""Fields of the configuration as an instruction samples them."""
PLACES: Final = np.array([place for some in _FIELDS.values() for place in some])
LIVE: Final = (_U4, 8)  # counters of its set: X Y Z W of channel 0, of channel 1

INSTRUCTION: Final = record(  # PACR or PACR_SETREG
    cycle=_U4,  # in which it is sampled, behind its issue (section 4)
    head=ISSUE,
    bank=_U1,  # StateID (P6)
    seen=SEEN,  # as packer 0 has it
    live=LIVE,
    addr_mod=_U2,  # ADDR_MOD_PACK of the thread (P18)
    banks_differ=_U1,  # whether the two banks do
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
    seen=SEEN,
    live=LIVE,
    # Where the tile goes (P32 to P38)
    is_new=_U1,  # the data stream takes its address
    offset=_U2,  # l1_dest_addr_offset
    units=_U4,  # what channel 1 adds, bytes or units of 16 (yzw_shr4)
    address=_U4,  # in units of 16 bytes, before it is wrapped
    relative=_U1,  # L1_Dest_addr of packer 0 is negative
    elsewhere=_U1,  # its address is not where the data stream is
    stats=_U1,  # ENABLE_ACC_STATS, a bit a thread
    # What it found: tile position (P26), buffers (P38)
    moved=_U1,  # the position is not 0
    has_exponents=_U1,  # their stream has an address
    elements=_U1,  # of a unit
    filled=(_U1, KINDS_OF_LINE),  # bits of lines
    # What it did
    wrapped=_U1,  # the outer part of the position moved
    kept=_U2,  # datums behind downsampling
    pushed=_U2,  # elements
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

DST: Final = record(  # what goes on at Dst in a cycle (section 6); rows, -1: none
    cycle=_U4,
    rows=(np.int16, LANES),  # that lanes get, of storage
    wide=_U1,  # with another one eight further
    begins=(_U1, LANES),  # the step is its instruction's first
    behind_step=(_U4, LANES),  # cycles behind the step before
    behind_lanes=(_U4, LANES),  # behind the first row of its step
    matrix=np.int16,  # of the Matrix Unit
    matrix_wide=_U1,
    written=np.int16,  # the first that is written
    count=_U1,  # of those
    clears=_U1,  # CLREXPHIST (P27)
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
READY: Final = record(  # something is ready from this cycle on, or not
    cycle=_U4,
    packer=_U1,  # its L1 port; ``PACKERS``: instructions can be issued
    ready=_U1,
)
BUSY: Final = record(cycle=_U4, threads=(_U1, PACKERS))
"""A change of who is busy (section 10): mask of threads, of each packer."""
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "instruction": INSTRUCTION, "departure": DEPARTURE, "share": SHARE, "row": ROW, "edge": EDGE,
    "group": GROUP_ROW, "zeros": ZEROS, "compressed": COMPRESSED, "sum": SUM, "dst": DST,
    "step": STEP, "line": LINE, "read": READ, "ready": READY, "busy": BUSY,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

RING: Final = 16  # as of issues, and of instructions under way
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
    shares=(_SHARE, (RING, PACKERS)),  # sampled
    nothing=_SHARE,
    under_way=(_SHARE, (PACKERS, RING)),
    packers=(_PACKER, PACKERS),
    config_seen=np.int64,
    banks_differ=np.int64,
    ready_before=np.int64,  # mask of L1 ports, before it changed, and when it did
    ready_since=np.int64,
)
ACCOUNT: Final = account_of(KINDS, ROOM, {}, MEMORY)


def begin(memories: Records) -> None:
    """Put what is kept between rows as before cycle 0."""
    memory: Any = memories[0]
    memory.config_seen = memory.ready_since = -1
    memory.packers["last_row"] = memory.packers["sum_cycle"] = -1
