# SPDX-License-Identifier: Apache-2.0
"""The kernels' memory: one flat int64 array, and the names of its places; tables of the fields.

Counters are numbered 0 to 7 within a target: 4 × channel + 0 X, 1 Y, 2 Z, 3 W. Targets are numbered
0 to 8: 3 × set + 0 unpacker 0, 1 unpacker 1, 2 packers. All tables are taken from ``isa`` into the
memory, none is compiled in: see ``models/jit.py`` on what a cached kernel knows of other files.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa import profiles
from tilepath.models.adc import streams

Memory = np.ndarray[Any, Any]

LOW32: Final = 0xFFFFFFFF
NEVER: Final = 1 << 62

# What a command does to a counter: write the live value, the checkpoint or both, or one of the sums
NOTHING: Final = 0
LIVE: Final = 1
CHECKPOINT: Final = 2
BOTH: Final = 3
ADD: Final = 4  # live += value
RELOAD: Final = 5  # checkpoint += value, live = checkpoint

# The command at hand: per counter what to do, and with which value
DO: Final = 0
VALUE: Final = 8
# The cycle at hand: per target which counters have been touched (bit = counter); which targets
# have a counter touched twice (bit = target); origins of the last touch, conflict, unit fault
TOUCHED: Final = 16
CONFLICT: Final = 25
UNIT_FAULT: Final = 26
CONFLICT_BY: Final = 27
UNIT_FAULT_BY: Final = 28
TOUCHED_BY: Final = 29
# Targets touched in the cycle last modelled, and the cycle after it, which shows what came of it
DIRTY: Final = 38
SHOW_AT: Final = 39
# Per input stream: its next row, and how many records there were before row 0
ROW: Final = 40
BASE: Final = 46
# Write pointers into the arena of output records, one per output stream
WP: Final = 52
# Widths of X, Y, Z, W as masks
WIDTH: Final = 66
# Fields of ADDR_MOD_PACK per channel: lowest bit, and mask from bit 0 on
PACK: Final = 70
# Per opcode a row of the instruction table
TABLE: Final = 90

# Columns of a row of the instruction table
KIND: Final = 0  # what it does to a counter; NOTHING: none of the eight instructions
TARGET: Final = 1  # lowest bit of the field
OVERRIDE: Final = 2  # lowest bit of the field
OVERRIDE_BITS: Final = 3  # mask from bit 0 on; 0: no such field
MASK: Final = 4  # mask in place; 0: no such field
X_NAMED: Final = 5  # SETADC: mask in place of the field that is 0 for X; 0: another instruction
# Per counter: it is meant where (word & TEST) == WANT, with the value (word >> LSB) & BITS
TEST: Final = 8
WANT: Final = 16
LSB: Final = 24
BITS: Final = 32
ROW_SIZE: Final = 40

SIZE: Final = TABLE + 256 * ROW_SIZE

# Places in PACK of a channel's fields
Y_INCR: Final = 0
Y_CR: Final = 2
Y_CLEAR: Final = 4
Z_INCR: Final = 6
Z_CLEAR: Final = 8
PACK_SIZE: Final = 10

# Flags of a word, in the order of the fields of the fault stream
ILLEGAL: Final = 1
X_OVERRIDE: Final = 2
EMPTY: Final = 4
WORD_FLAGS: Final = streams.OUTPUTS["fault"]
# Flags of unit_fault likewise
UNPACK_THREAD: Final = 1
FLOP_THREAD: Final = 2
FLOP_SELECT: Final = 4
UNIT_FLAGS: Final = streams.OUTPUTS["unit_fault"]

# A5, A6, A4
_INSTRUCTIONS: Final = {
    "SETADC": BOTH,
    "SETADCXY": BOTH,
    "SETADCZW": BOTH,
    "SETADCXX": BOTH,
    "INCADCXY": ADD,
    "INCADCZW": ADD,
    "ADDRCRXY": RELOAD,
    "ADDRCRZW": RELOAD,
}
OPCODES: Final = frozenset(isa.layout_of(name).opcode for name in _INSTRUCTIONS)


def _row(mnemonic: str, profile: str) -> npt.NDArray[np.int64]:
    """Row of the instruction table."""
    layout = isa.layout_of(mnemonic, profile)
    fields = {field.name: field for field in (*layout.fields, *layout.views)}
    row = np.zeros(ROW_SIZE, dtype=np.int64)
    row[KIND] = _INSTRUCTIONS[mnemonic]
    row[TARGET] = fields["target"].lsb
    if "thread_override" in fields:
        override = fields["thread_override"]
        row[OVERRIDE : OVERRIDE + 2] = override.lsb, (1 << override.width) - 1
    if "mask" in fields:
        row[MASK] = fields["mask"].mask
    if "xyzw" in fields:
        row[X_NAMED] = fields["xyzw"].mask
    for counter in range(8):
        channel, name = divmod(counter, 4)
        test, want = 0, 0
        if "xyzw" in fields:  # SETADC names its counter
            value = fields["value"]
            test = fields["channel"].mask | fields["xyzw"].mask
            want = channel << fields["channel"].lsb | name << fields["xyzw"].lsb
        else:
            stem = f"{'xyzw'[name]}{channel}"
            found = fields.get(f"{stem}_val") or fields.get(f"{stem}_inc")
            if found is None:
                row[WANT + counter] = 1  # never
                continue
            value = found
            if "mask" in fields:
                test = want = 1 << (fields["mask"].lsb + 2 * channel + name % 2)
        row[[TEST + counter, WANT + counter]] = test, want
        row[[LSB + counter, BITS + counter]] = value.lsb, (1 << value.width) - 1
    return row


def _pack_fields() -> npt.NDArray[np.int64]:
    """Where the fields of an ADDR_MOD_PACK word are (P18), shape (2 channels, PACK_SIZE)."""
    places = np.zeros((2, PACK_SIZE), dtype=np.int64)
    names = {Y_INCR: "YIncr", Y_CR: "YCR", Y_CLEAR: "YClear", Z_INCR: "ZIncr", Z_CLEAR: "ZClear"}
    for channel, side in enumerate(("src", "dst")):
        for place, name in names.items():
            field = isa.config_field(f"ADDR_MOD_PACK_SEC0_{name[0]}{side}{name[1:]}")
            places[channel, place : place + 2] = field.lsb, (1 << field.width) - 1
    return places


def new_memory(profile: str) -> npt.NDArray[np.int64]:
    """Memory after reset: int64, shape (SIZE,). Raises ``ValueError`` for an unknown profile."""
    zw = profiles.get(profile).zw_w
    if not 1 <= zw <= 16:
        raise ValueError(f"zw_w {zw}: want 1 to 16, half a word of a level record")
    memory = np.zeros(SIZE, dtype=np.int64)
    memory[WIDTH : WIDTH + 4] = [(1 << bits) - 1 for bits in (18, 13, zw, zw)]  # A1
    memory[PACK : PACK + 2 * PACK_SIZE] = _pack_fields().reshape(-1)
    for mnemonic in _INSTRUCTIONS:
        at = TABLE + ROW_SIZE * isa.layout_of(mnemonic, profile).opcode
        memory[at : at + ROW_SIZE] = _row(mnemonic, profile)
    return memory


def flag_names(flags: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the bits set in ``flags``, bit 0 first."""
    return tuple(name for bit, name in enumerate(names) if flags >> bit & 1)
