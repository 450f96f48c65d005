# SPDX-License-Identifier: Apache-2.0
"""What is under way while units have queues: one record beside the machine's own."""

from __future__ import annotations

import enum
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import record
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.adc.untimed_state import SHAPE
from tilepath.models.unpack.plan import PLAN


class Actor(enum.IntEnum):
    """Who can go on, by the names that a schedule has for them."""

    U0 = 0  # unpackers: from L1 as it was read into registers
    U1 = 1
    P = 2  # packers
    M = 3  # the Matrix Unit
    S0 = 4  # stores under way, of each core
    S1 = 5
    S2 = 6
    C = 7  # the config pipeline
    R0 = 8  # unpackers: L1 is read
    R1 = 9
    K0 = 10  # cores
    K1 = 11
    K2 = 12
    G0 = 13  # wait gates
    G1 = 14
    G2 = 15


ACTORS: Final = len(Actor)
UNITS: Final = 4  # actors whose words STALLWAIT can wait for
RINGS: Final = 10  # actors with a queue; of C it has no words
ROWS: Final = 512  # orders of actors that Python draws at once
UNPACKING_ROOM: Final = 16  # words of an unpacker, ``QUEUED`` of docs/unpack.md
PACKING_ROOM: Final = 12
MATRIX_ROOM: Final = 6  # by the letter; here it has one
STORES_ROOM: Final = 16
LINES_ROOM: Final = 4096  # of L1, as they were before they were written
NOT_YET: Final = -1

# A word of an unpacker, as it was sampled
UNPACKING: Final = record(
    plan=PLAN,
    read_faults=np.int64,
    write_faults=np.int64,
    read_at=np.int64,  # lines that were kept when L1 was read; ``NOT_YET``
)
# A word of the packers, and what it samples
PACKING: Final = record(
    word=np.int64,
    thread=np.int64,
    config=(np.uint32, (2, constants.CFG_WORDS)),
    thread_config=(np.uint16, (THREADS, constants.THD_WORDS)),
    live=(np.uint32, SHAPE),
)
MATRIX_WORD: Final = record(word=np.int64, thread=np.int64)
RING: Final = record(head=np.int64, tail=np.int64)  # words that left it, that came
# A write of the config pipeline that units do not see yet
LATE: Final = record(
    first=np.int64,  # word of Config
    count=np.int64,  # 0: there is none
    written=(np.uint32, (2, 4)),
    thread=np.int64,
    marks=(np.int64, THREADS),  # words that each thread had issued
)
QUEUES: Final = record(
    letter=np.int64,  # as the documents allow it; else what this RTL can do
    rings=(RING, RINGS),
    unpacking=(UNPACKING, (2, UNPACKING_ROOM)),
    packing=(PACKING, PACKING_ROOM),
    matrix=(MATRIX_WORD, MATRIX_ROOM),
    stores=(np.int64, (THREADS, STORES_ROOM, 4)),  # items
    late=LATE,
    under_way=(np.int64, (UNITS, THREADS)),
    issued=(np.int64, THREADS),
    marked=np.int64,  # words of unpackers that have read L1 and are still under way
    kept=np.int64,  # lines of L1 that were written since the first of them was read
    kept_lines=(np.int64, LINES_ROOM),
    kept_words=(np.uint32, (LINES_ROOM, 4)),
    # the schedule: actors, the first that can go on does, for so many steps
    orders=(np.uint8, (ROWS, ACTORS)),
    spans=(np.int64, ROWS),
    row=np.int64,
    rows=np.int64,  # 1: for ever
    left=np.int64,
)
