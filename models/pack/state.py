# SPDX-License-Identifier: Apache-2.0
"""Records of the packers: what they keep, what an instruction samples, what it leaves behind."""

from __future__ import annotations

import enum
import functools
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records, copied, record
from tilepath.isa import profiles
from tilepath.isa.boundary import pack as boundary
from tilepath.models.dst_rows import ACCESS
from tilepath.models.pack.bfp import GROUP

PACKERS: Final = boundary.PACKERS
LANES: Final = boundary.LANES
LINE_WORDS: Final = boundary.LINE_WORDS
LINE_BITS: Final = 128
DST_ROWS: Final = 1024
COLUMNS: Final = 16
BLOCK: Final = 32  # augmented datums with a line of counters (P44)
LOW17: Final = 0x1FFFF  # lines of L1
LOW32: Final = 0xFFFFFFFF


class Kind(enum.IntEnum):
    """Streams of a packer, numbered as the boundary's kinds of line."""

    DATA = 0
    EXPONENT = 1
    RSI = 2


KINDS: Final = len(Kind)


class Source(enum.IntEnum):
    """Where datums come from (P15, P16)."""

    DST = 0
    ZEROS = 1
    L1 = 2


class Op(enum.IntEnum):
    """Micro-operations of compression (section 8 of the contract)."""

    K = 0  # the counter of the last emitted datum goes up
    E = 1  # a datum
    Z = 2  # a datum 0 that completes a block
    C = 3  # the counters of a block
    R = 4  # a row start


# --- what the packers keep

STREAM: Final = record(
    needs_new=np.uint8,  # P38
    line=np.int64,  # number of the next line
    start=np.int64,  # of the tile's first one
    section=np.int64,  # lines that it may have; exponents and row starts
    words=(np.uint32, LINE_WORDS),  # a line that is not full
    filled=np.int64,  # its bits
)
PACKER: Final = record(
    streams=(STREAM, KINDS),  # by Kind
    elements=(np.uint32, GROUP),  # of a unit that is not complete
    element_count=np.int64,
    # tile position (P26)
    x=np.int64,
    y=np.int64,
    z=np.int64,
    behind=np.int64,  # closed tiles left Y at another row than 0
    # compression (P44)
    row_count=np.int64,  # datums of the open row, elided ones included
    emitted=np.int64,  # augmented datums of the tile
    entries=np.int64,  # row starts since compression began
    section_entries=np.int64,  # of the section
    block_count=np.int64,
    counters=(np.uint8, BLOCK),
    # as in the last instruction, for open_change and threads
    thread=np.int64,
    to=np.int64,
    input_format=np.int64,
    compresses=np.int64,
    accumulate=np.int64,
    exponent_section=np.int64,
    row_section=np.int64,
)

# --- the path of the datums, of one packer (section 4 of the contract: mode)

MODE: Final = record(
    wide=np.int64,  # Read_32b_data
    ignores_valid=np.int64,
    inner=np.int64,  # IF
    conversion=np.int64,  # Early
    shift=np.int64,
    read_container=np.int64,  # Container of what the early conversion gives
    narrows=np.int64,  # to FP16 behind ReLU (P22, P57)
    container=np.int64,  # Container of what the late conversion takes
    # edge masks (P25)
    edges=np.int64,  # some mask is not FFFF
    masked=np.int64,  # one that the packer's rows use (P69)
    face_enable=np.int64,
    face_mapping=np.int64,
    z_offset=np.int64,
    row_set=np.int64,
    row_mappings=(np.int64, 4),
    masks=(np.int64, 4),
    masked_value=np.int64,
    # tile position (P26)
    reads_per_plane=np.int64,
    transposed=np.int64,
    # ReLU (P24)
    relu=np.int64,  # 0 to 3
    sign=np.int64,  # the sign bit of a datum; 0: it has none
    relu_threshold=np.int64,  # in the datum's container
    relu_cut=np.int64,  # low bits that mode 3 does not compare
    # histogram and threshold (P27): exponent = value >> lsb & mask
    counts=np.int64,  # bins count
    exponent_lsb=np.int64,
    exponent_mask=np.int64,
    threshold=np.int64,  # 0: none
    threshold_lsb=np.int64,  # of the datum shifted left to 32 bits
    threshold_left=np.int64,
    threshold_mask=np.int64,
    downsample=np.int64,
    # late conversion, lines
    late_container=np.int64,
    late_inner=np.int64,
    target=np.int64,  # Late
    low_bits=np.int64,
    to=np.int64,
    bits=np.int64,  # of an element
    unit=np.int64,  # elements of a line, or of a group
    bfp=np.int64,
    own_exponents=np.int64,  # Dis_shared_exp_assembler (P31)
    compresses=np.int64,
    accumulate=np.int64,  # data lines are added to what L1 holds
)

# --- an instruction, as one packer has it

PLAN: Final = record(
    source=np.int64,
    count=np.int64,  # datums of each lane; of ZEROS all together
    lanes=np.int64,  # bit mask
    datum=np.int64,  # the first: 16 x row + column
    lane_rows=np.int64,  # rows from lane to lane
    source_byte=np.int64,  # the first byte in L1
    datum_bytes=np.int64,
    # first lines, should a stream need a new address
    lines=(np.int64, KINDS),
    sections=(np.int64, KINDS),
    last=np.int64,  # of a tile: Last, Flush or SETREG
    closes_row=np.int64,
    # how far it is
    done=np.int64,  # datums of each lane, as ``count``
    read=np.int64,  # datums of all lanes, before downsampling
)

# --- parameters of the profile

PARAMETERS: Final = record(
    packers=np.int64,
    lanes=np.int64,
    mask0=np.int64,
    max_datums=np.int64,
    bh_fields=np.int64,
    relative=np.int64,
    yzw_shr4=np.int64,
    ch1_offset18=np.int64,
    compress_ovrd=np.int64,
    tpg_by_intf=np.int64,
    tile_position_kept=np.int64,
    r10_fp16=np.int64,
    e4m3=np.int64,
    relu_max_cmp19=np.int64,
    fp16_acc_quirk=np.int64,
    setreg_bh=np.int64,
    setreg_slots=np.int64,
    dst_remap=np.int64,
    l1_lines=np.int64,
)

STATE: Final = record(
    parameters=PARAMETERS,
    access=ACCESS,
    packers=(PACKER, PACKERS),
    modes=(MODE, PACKERS),
    plans=(PLAN, PACKERS),
    bins=(np.uint8, (PACKERS, 32)),
    maximum=(np.uint8, PACKERS),
    offsets=(np.uint16, PACKERS),  # l1_dest_addr_offset (P35)
    setreg_base=(np.uint32, 1),
    setreg_scaler=(np.uint32, 4),
    staged=(np.uint32, 1),  # value of PACR_SETREG, in Blackhole's encoding
)

# --- what an instruction leaves behind, in order; see ``walk``

_MOST_STEPS: Final = 160
_MOST_OPS: Final = 4096
_MOST_LINES: Final = 1024
_MOST_GROUPS: Final = 8

STEP: Final = record(
    packer=np.int64,
    source=np.int64,
    lanes=np.int64,  # bit mask
    rows=(np.int64, LANES),  # rows of storage, of Dst
    line=np.int64,  # of L1
    column=np.int64,
    count=np.int64,  # datums of each lane; of ZEROS and L1 all together
    kept=np.int64,  # elements behind downsampling
    first_op=np.int64,  # compression's, in ``ops``
    op_count=np.int64,
)
LINE: Final = record(
    packer=np.int64,
    kind=np.int64,
    line=np.int64,
    accumulate=np.int64,
    faults=np.int64,  # RunFlag, of exponents and row starts
    words=(np.uint32, LINE_WORDS),
    old=(np.uint32, LINE_WORDS),  # what L1 held, and the sum, where the line accumulates
    sums=(np.uint32, LINE_WORDS),
)
LANE_ROW: Final = record(  # a row of Dst that a lane reads; per datum from stage to stage
    valid=np.uint8,  # P58
    count=np.uint8,  # datums
    stored=(np.uint32, COLUMNS),  # raw; 16 bits: the upper half
    number=(np.uint32, COLUMNS),  # with the bits of FP32 or BF16 in their order (P17)
    half=(np.uint16, COLUMNS),  # with those of FP16
    masked=np.uint16,  # by the edge mask, bit n for datum n (P25)
    gated=(np.uint32, COLUMNS),  # behind it, before ReLU
    rectified=(np.uint32, COLUMNS),  # behind ReLU, before it is narrowed (P22)
    exponent=(np.uint8, COLUMNS),  # as the threshold sees it, where there is one (P27)
    given=(np.uint32, COLUMNS),  # behind that
)
EDGE: Final = record(  # an edge mask that is looked up (P25, P51)
    cycle=np.uint32,
    packer=np.uint8,
    face_enable=np.uint8,
    row_set=np.uint8,
    section=np.uint8,
    mask=np.uint16,
    read=np.uint16,  # columns that are read of the row
    column=np.uint8,  # the first
)
GROUP_ROW: Final = record(  # elements with one exponent (P29 to P31)
    cycle=np.uint32,
    packer=np.uint8,
    to=np.uint8,
    count=np.uint8,  # elements that are no padding
    instructions=np.uint8,
    not_zero=np.uint8,  # elements
    element=(np.uint16, COLUMNS),
    shared=np.uint8,  # exponent
)
WALK: Final = record(
    steps=(STEP, _MOST_STEPS),
    step_count=np.int64,
    ops=(np.uint8, _MOST_OPS),
    op_count=np.int64,
    lines=(LINE, _MOST_LINES),
    line_count=np.int64,
    values=(np.uint32, LANES * COLUMNS),  # of the step at hand
    exponents=(np.uint8, LANES * COLUMNS),  # that the histogram counts of them
    value_count=np.int64,
    faults=np.int64,  # Flag
    run_faults=np.int64,  # RunFlag
    # SETREG
    writes=np.int64,
    address=np.int64,
    written=np.int64,
    # of the step at hand, for the account, if there is one
    accounts=np.int64,
    rows=(LANE_ROW, LANES + 1),  # one that nobody uses
    row_count=np.int64,
    edges=(EDGE, 2 * LANES),
    edge_count=np.int64,
    groups=(GROUP_ROW, _MOST_GROUPS),
    group_count=np.int64,
)


def new_state(profile: str) -> Records:
    """State after reset, an array of one. Raises ``ValueError`` for an unknown profile."""
    return copied(_reset_state(profile))


@functools.cache
def _reset_state(profile: str) -> Records:
    """Return the same, which nobody may write."""
    chosen = profiles.get(profile)
    states = np.zeros(1, STATE)
    state = states[0]
    parameters = state.parameters
    for name in ("packers", "setreg_slots", "dst_remap", "relu_max_cmp19", "fp16_acc_quirk"):
        parameters[name] = getattr(chosen, name)
    for name in (
        "mask0", "max_datums", "bh_fields", "relative", "yzw_shr4", "ch1_offset18",
        "compress_ovrd", "tpg_by_intf", "tile_position_kept", "r10_fp16", "e4m3",
    ):  # fmt: skip
        parameters[name] = getattr(chosen, f"pack_{name}")
    parameters.lanes = chosen.pack_read_intfs
    parameters.setreg_bh = chosen.setreg_enc == "BH"
    parameters.l1_lines = chosen.l1_bytes // 16
    state.packers["streams"]["needs_new"] = 1
    state.modes["bits"], state.modes["unit"] = 32, 4  # TO is 0: SETREG can be the first of all
    return states
