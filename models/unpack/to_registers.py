# SPDX-License-Identifier: Apache-2.0
"""From datums to slots, and from slots to the registers (sections 4, 5.3 and 5.5).

A datum makes an item, and zeros of its nibble more; an item, unless it is dropped, makes a slot and
those of upsampling. Slots go into the registers by *steps*.
"""

from __future__ import annotations

from typing import Final, cast

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.boundary.unpack import SLOTS, WRITES
from tilepath.models.dst_rows import LOW_HALF, storage_row
from tilepath.models.unpack.convert import Conversion
from tilepath.models.unpack.faults import WriteFlag
from tilepath.models.unpack.l1_walk import MOST_DATUMS
from tilepath.models.unpack.plan import LOW32
from tilepath.models.unpack.settings import wide

SRC_ROWS: Final = 64
DST_ROWS: Final = 1024
COLUMNS: Final = 16
GROUPS: Final = len(WRITES)  # of SLOTS slots, in a step
NO_ZERO: Final = -1  # the item is the datum's own
_NO_BLOCK: Final = -1
_ZERO: Final = cast("int", np.uint32(0))

REGISTERS: Final = record(
    src=(np.uint32, (2, 2, SRC_ROWS, COLUMNS)),  # files, banks
    dst=(np.uint16, (DST_ROWS, COLUMNS)),  # rows of storage
    valid=(np.uint8, DST_ROWS),
    owner=(np.uint8, (2, 2)),  # files, banks; 1: the Matrix Unit's
    stale=(np.uint8, 2),  # of SrcA's banks (U37)
    implied=(np.uint8, (2, 2)),  # files, banks: the format that came with it (U44)
)
NO_ROWS: Final = -1
# Where an instruction is on its way from datums to slots
WRITER: Final = record(
    datum=np.int64,  # of the beat
    zero=np.int64,  # zeros of its nibble that are left; NO_ZERO: the datum itself
    slot=np.int64,  # of the item
    out_addr=np.int64,
    drop=np.int64,  # items
    items=np.int64,  # to emit
)
STEP: Final = record(
    count=np.int64,  # of slots
    address=np.int64,  # of slot 0, less one for each dropped slot at the front
    masks=(np.int64, GROUPS),  # of slots that are written, 32 each
    values=(np.uint32, MOST_DATUMS),
    writes=np.int64,  # some slot is written
    alike=np.int64,  # all are, in one block of rows
    parts=np.int64,  # 1 or 2
    block=np.int64,  # of rows, of the first part
    faults=np.int64,  # WriteFlag
    ends_beat=np.int64,
    ends=np.int64,  # the instruction
)


@part
def begin(plan: Record, writer: Record) -> None:
    """Go to the first slot of an instruction."""
    writer.out_addr = plan.target.out_addr
    writer.drop = plan.source.drop
    writer.items = plan.source.items


@part
def begin_beat(writer: Record) -> None:
    """Go to the first datum of a beat."""
    writer.datum = 0
    writer.zero = NO_ZERO
    writer.slot = 0


@part
def _is_masked(plan: Record, out_addr: int) -> bool:
    """Whether a place is in front of SrcA's first row or column (U30)."""
    if plan.unit == 1 or plan.target.to_dst:
        return False
    return out_addr < 64 or out_addr & 15 < plan.target.col_shift


@part
def row_faults(plan: Record, out_addr: int) -> int:
    """Return the faults of the row of a slot that is written (U31, U32)."""
    row = out_addr >> 4
    if plan.unit == 1:
        return WriteFlag.SRCB_ROW if row + plan.target.src_row >= SRC_ROWS else 0
    if plan.target.to_dst or row < plan.target.row_end:
        return 0
    return plan.target.row_fault  # type: ignore[no-any-return]


@part
def _address(target: Record, out_addr: int) -> int:
    address: int = (out_addr + target.address_add) & target.address_mask
    return address


@part
def _fill_slot(plan: Record, step: Record, slot: int, out_addr: int, value: int) -> None:
    """Write a value to the place of an OutAddr, unless that is masked."""
    if _is_masked(plan, out_addr):
        return
    target = plan.target
    step.masks[slot // SLOTS] |= 1 << (slot % SLOTS)
    step.values[slot] = value
    step.writes = 1
    step.faults |= row_faults(plan, out_addr)
    if target.block_bits:
        block = _address(target, out_addr) >> target.block_bits
        if step.block == _NO_BLOCK:
            step.block = block
        elif step.block != block:
            step.parts = 2


@part
def _is_alike(plan: Record, first: int, count: int) -> bool:
    """Whether all slots of a plain step are written, and in one block of rows."""
    target = plan.target
    if target.block_bits or first + count > LOW32:
        return False
    return plan.unit == 1 or bool(first >= 64 and target.col_shift == 0)


@part
def _fill_all(plan: Record, beat: Record, step: Record, first: int) -> None:
    """A slot for each datum, all of which are written: the rows ascend."""
    count = beat.count
    for group in range(GROUPS):
        slots = min(max(count - SLOTS * group, 0), SLOTS)
        step.masks[group] = (1 << slots) - 1
    for k in range(count):
        step.values[k] = beat.values[k]
    step.writes = step.alike = 1
    step.faults |= row_faults(plan, first + count - 1)


@part
def _plain_step(plan: Record, writer: Record, beat: Record, step: Record) -> None:
    """The whole beat, a slot a datum."""
    first: int = writer.out_addr
    step.address = _address(plan.target, first)
    step.count = beat.count
    if _is_alike(plan, first, beat.count):
        _fill_all(plan, beat, step, first)
    else:
        for k in range(beat.count):
            _fill_slot(plan, step, k, (first + k) & LOW32, beat.values[k])
    if plan.target.conversion == Conversion.BFPA:
        for k in range(beat.count):
            if beat.bad_exponents[k]:
                step.faults |= WriteFlag.BFPA
    writer.out_addr = (first + beat.count) & LOW32
    step.ends_beat = 1
    step.ends = beat.ends


@part
def _emit(plan: Record, writer: Record, beat: Record, step: Record) -> bool:
    """A slot of an item that is not dropped; whether it was the last of the last item."""
    target = plan.target
    is_own = writer.zero == NO_ZERO and writer.slot == 0
    if is_own and beat.bad_exponents[writer.datum]:
        step.faults |= WriteFlag.BFPA
    if writer.slot == 0 or target.interleave == 0:
        value = beat.values[writer.datum] if is_own else _ZERO
        _fill_slot(plan, step, step.count, writer.out_addr, value)
    writer.out_addr = (writer.out_addr + 1) & LOW32
    writer.slot += 1
    if writer.slot <= target.zeros:
        return False
    writer.slot = 0
    writer.items -= 1
    return bool(writer.items == 0)


@part
def _end_item(writer: Record, beat: Record) -> None:
    """Go to the next item."""
    if writer.zero == NO_ZERO:
        writer.zero = wide(beat.nibbles[writer.datum])
    else:
        writer.zero -= 1
    if writer.zero == 0:
        writer.zero = NO_ZERO
        writer.datum += 1


@part
def _step_of_items(plan: Record, writer: Record, beat: Record, step: Record) -> None:
    """Up to 32 slots (U22, U41)."""
    first = writer.out_addr
    dropped = 0
    done = False
    while step.count < SLOTS and writer.datum < beat.count and not done:
        if writer.drop > 0:
            writer.drop -= 1
            dropped += 1
        else:
            done = _emit(plan, writer, beat, step)
        step.count += 1
        if writer.slot == 0:
            _end_item(writer, beat)
    step.address = _address(plan.target, first - dropped)
    is_over = writer.datum == beat.count
    step.ends_beat = done or is_over
    step.ends = done or (is_over and beat.ends != 0)


@part
def next_step(plan: Record, writer: Record, beat: Record, step: Record) -> None:
    """The next step of a beat that has been read."""
    for group in range(GROUPS):
        step.masks[group] = 0
    step.count = step.writes = step.alike = step.faults = 0
    step.parts = 1
    step.block = _NO_BLOCK
    if plan.target.plain:
        _plain_step(plan, writer, beat, step)
    else:
        _step_of_items(plan, writer, beat, step)


@part
def write_dst(
    registers: Record, access: Record, wide_row: int, row: int, column: int, value: int
) -> None:
    """Write a value to a row of Dst of 16 or 32 bits, which is valid then."""
    place = storage_row(access, wide_row, row)
    registers.valid[place] = 1
    if wide_row:
        registers.dst[place, column] = value >> 16
        registers.dst[place + LOW_HALF, column] = value & 0xFFFF
    else:
        registers.dst[place, column] = value & 0xFFFF


@part
def _put(plan: Record, registers: Record, address: int, value: int, lost: int) -> None:
    """Write a value to the register of an address."""
    row, column = address >> 4, address & 15
    target = plan.target
    if target.to_dst:
        write_dst(registers, target.access, target.wide, row, column, value)
        return
    if target.transposes:  # U39
        row, column = (row & ~15) | column, row & 15
    if row & 15 != lost:
        registers.src[plan.unit, plan.bank, row, column] = value


@part
def is_stored(target: Record, step: Record, slot: int, is_second: bool) -> bool:
    """Whether a slot is one of the first or the second part of a step."""
    if (step.masks[slot // SLOTS] >> (slot % SLOTS)) & 1 == 0:
        return False
    address = (step.address + slot) & target.address_mask
    return bool(step.parts == 1 or (address >> target.block_bits != step.block) == is_second)


@part
def store(plan: Record, step: Record, registers: Record, is_second: bool, lost: int) -> None:
    """The slots of the first or the second part of a step into the registers.

    Of SrcA and SrcB rows that are ``lost`` modulo 16 are left out.
    """
    target = plan.target
    if step.alike and lost == NO_ROWS and not (target.to_dst | target.transposes | is_second):
        into, first = registers.src[plan.unit, plan.bank], step.address
        for slot in range(step.count):
            address = (first + slot) & target.address_mask
            into[address >> 4, address & 15] = step.values[slot]
        return
    for slot in range(step.count):
        if is_stored(target, step, slot, is_second):
            address = (step.address + slot) & target.address_mask
            _put(plan, registers, address, wide(step.values[slot]), lost)
    if target.to_dst:
        registers.stale[plan.bank] = 1


@part
def clear_bank(registers: Record, file: int, bank: int, value: int) -> None:
    """All rows of a bank."""
    for row in range(SRC_ROWS):
        for column in range(COLUMNS):
            registers.src[file, bank, row, column] = value


@part
def clear(plan: Record, registers: Record) -> None:
    """What ZEROSRC does (U57)."""
    for bank in range(2):
        if bank == plan.bank or plan.both_banks:
            clear_bank(registers, plan.unit, bank, plan.clear_value)
            if plan.unit == 0:
                registers.stale[bank] = 0


@part
def set_register(plan: Record, pointers: Record) -> tuple[bool, int]:
    """SETREG (U61): whether it writes, and what; ``acc`` follows."""
    value = plan.reg_value
    if plan.accumulate:
        pointers.acc = (pointers.acc + value) & 0x1FFFF if value else 0
        return value != 0, pointers.acc
    return True, value


@part
def register_address(plan: Record, setreg_base: int) -> int:
    """The address that SETREG writes to."""
    address: int = (0xFFB00000 + setreg_base + plan.reg_offset) & LOW32
    return address
