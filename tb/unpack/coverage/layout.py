# SPDX-License-Identifier: Apache-2.0
"""Columns of the table of instructions (one row each) and of the words sampled with them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]

# Words of Config that an instruction of unpacker 0 or 1 reads (unpack-adc section 2), by place
_EACH: Final = {
    "alu": (1, 1),
    "out_base": (49, 61),
    "exponent": (50, 62),
    "blobs01": (51, 51),
    "blobs23": (52, 52),
    "clear": (53, 63),
    "xy": (56, 58),
    "zw": (57, 59),
    "td0": (64, 112),
    "td1": (65, 113),
    "td2": (66, 114),
    "td3": (67, 115),
    "reg1": (71, 119),
    "reg2": (72, 120),
    "reg2b": (73, 121),
    "limit": (74, 122),
    "fifo": (75, 123),
    **{f"base{k}": (76 + k, 124 + k) for k in range(8)},
    "dest01": (84, 132),
    "dest23": (85, 133),
    "xdim01": (86, 134),
    "xdim23": (87, 135),
    **{f"reg7_{k}": (92 + k, 140 + k) for k in range(4)},
    "dst_map": (220, 220),
}
WORDS: Final = np.array(list(_EACH.values()), np.int64).T.copy()
"""[unpacker, place]: index of the word."""

# Words of ThreadConfig kept for each thread: StateID, SRCA_SET, SRCB_SET, contexts, two streams
THREAD_WORDS: Final = (0, 5, 6, 41, 42, 43)
T_STATE: Final = 0
T_SET: Final = 1  # + unpacker
T_CONTEXT: Final = 3
T_STREAM: Final = 4  # + unpacker

_COLUMNS: Final = (
    "seq",  # number of the instruction, since reset
    "u",
    "thread",
    "word",
    "issued",  # cycle
    "sample",  # the sampling cycle
    "last",  # the last cycle of the address phase; of a NOP: the sampling cycle
    "tied",  # 0: alone; 1: first of two issued at once; 2: second
    "state",  # StateID
    "differs",  # a word that it reads differs between the banks
    "src_set",
    "contexts",
    "stream",
    "bank",  # pointers, as registered
    "row",
    "context",
    *_EACH,
)
COLUMN: Final = {name: number for number, name in enumerate(_COLUMNS)}
N_COLUMNS: Final = len(_COLUMNS)
SNAPSHOT: Final = COLUMN["alu"]

SEQ: Final = COLUMN["seq"]
U: Final = COLUMN["u"]
THREAD: Final = COLUMN["thread"]
WORD: Final = COLUMN["word"]
ISSUED: Final = COLUMN["issued"]
SAMPLE: Final = COLUMN["sample"]
LAST: Final = COLUMN["last"]
TIED: Final = COLUMN["tied"]
STATE: Final = COLUMN["state"]
DIFFERS: Final = COLUMN["differs"]
SRC_SET: Final = COLUMN["src_set"]
CONTEXTS: Final = COLUMN["contexts"]
STREAM: Final = COLUMN["stream"]
BANK: Final = COLUMN["bank"]
ROW: Final = COLUMN["row"]
CONTEXT: Final = COLUMN["context"]
TD0: Final = COLUMN["td0"]
REG2: Final = COLUMN["reg2"]
REG2B: Final = COLUMN["reg2b"]
REG7: Final = COLUMN["reg7_0"]

# Cycles of docs/unpack.md section 1
PLAN: Final = 8
REQUEST: Final = 2
FRONT: Final = 6
WRITE: Final = 6

UNPACR: Final = 0x42
NOP: Final = 0x43
