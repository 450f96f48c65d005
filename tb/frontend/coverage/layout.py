# SPDX-License-Identifier: Apache-2.0
"""What the kernels share: bits of an event word, codes of states and kinds, and axes of bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:

    def i64(value: Any) -> int:
        """A column's or stream's element as the signed integer that kernels calculate with."""
        return int(value)

else:
    i64 = np.int64

# Event word of a cycle: what the streams record in it ...
PUSH: Final = 1 << 0
ACCEPT: Final = 1 << 1
SYNC: Final = 1 << 2
SYNC_ACK: Final = 1 << 3
INGEST: Final = 1 << 4
MQ: Final = 1 << 5
RQ: Final = 1 << 6
ISSUE: Final = 1 << 7
BRISC: Final = 1 << 8
BRISC_ACCEPT: Final = 1 << 9
MOPCFG: Final = 1 << 10
ILLEGAL: Final = 1 << 11
RACE: Final = 1 << 12
COLLISION: Final = 1 << 13
# ... and what follows from them
READY: Final = 1 << 14
OFFER: Final = 1 << 15  # a push is offered, since this cycle or longer
EMIT: Final = 1 << 16  # the MOP expander emits, even if the word is lost (F18)
FIFO_POP: Final = 1 << 17
M_POP: Final = 1 << 18

FIFO_DEPTH: Final = 32
M_DEPTH: Final = 8
R_DEPTH: Final = 2

OP_MOP: Final = 0x01
OP_NOP: Final = 0x02
OP_MOP_CFG: Final = 0x03
OP_REPLAY: Final = 0x04
OP_RESOURCEDECL: Final = 0x05
OP_DMANOP: Final = 0x60
OP_SFPNOP: Final = 0x8F

# mop_state as recorded; replay_state with recording split by Exec
IDLE: Final = 0
EXP: Final = 1
TRANS: Final = 2
PASS: Final = 0
PLAY: Final = 1
REC: Final = 2
REC_EXEC: Final = 3

# Kind of a word; EMPTY where there is none
KIND_MOP: Final = 0
KIND_MOP_CFG: Final = 1
KIND_PLAIN: Final = 2
KIND_REPLAY: Final = 3
KIND_EMPTY: Final = 4

# Where a word in M came from
FROM_FIFO: Final = 0
FROM_MOP: Final = 1  # more words of the expansion follow
FROM_MOP_END: Final = 2
FROM_BRISC: Final = 3

MOP_STATES: Final = ("idle", "exp", "trans")
REPLAY_STATES: Final = ("pass", "play", "rec", "rec_exec")
MODES: Final = ("play", "rec", "rec_exec")
KINDS: Final = ("mop", "mop_cfg", "plain", "replay")
HEADS: Final = (*KINDS, "fifo_empty")
NO_YES: Final = ("no", "yes")
COUNT_0_1_MORE: Final = ("0", "1", ">1")
