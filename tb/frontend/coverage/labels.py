# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the front end share."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.plan import Bins, Kept, Planner
from tilepath.isa import constants
from tilepath.models.frontend.account import KINDS as ROWS
from tilepath.models.frontend.account import Replaying, Source, WordKind
from tilepath.models.frontend.timing_state import MopState
from tilepath.tb.instruction_words import word_fields

MODES: Final = ("play", "rec", "rec_exec")
RECORDING: Final = MODES[1:]
KINDS: Final = ("mop", "mop_cfg", "plain", "replay")
HEADS: Final = (*KINDS, "fifo_empty")
REPLAY_STATE: Final = Bins("replay_state", ("pass", *MODES))

_BINS: Final = {
    "mop_state": Bins("mop_state", ("idle", "exp", "trans")),
    "replay_state": REPLAY_STATE,
    "ready": Bins("ready", ("ready0", "ready1")),
    "kind": Bins(
        {"mop": "word.opcode == OP_MOP", "mop_cfg": "word.opcode == OP_MOP_CFG",
         "plain": "word.opcode != OP_REPLAY", "replay": "1"}
    ),
}  # fmt: skip
_CONSTANTS: Final = {
    **{name: value for name, value in vars(constants).items() if name.startswith("OP_")},
    "PLAY": int(Replaying.PLAY), "TRANS": int(MopState.TRANS), "BRISC": int(Source.BRISC),
    "FIFO": int(Source.FIFO), "MOP": int(WordKind.MOP), "NONE": int(WordKind.NONE),
}  # fmt: skip
_KEPT: Final = {
    "thread": {
        "before": Kept("thread", 3),
        "given": Kept("thread", 3, "popped or ingested"),  # the FIFO's last word
        "asked": Kept("thread", 3, "requested"),
    },
    "replay": {
        "ended": Kept("thread", 3, "ends"),
        "session": Kept("thread", 3, "ends and mode > PLAY"),
    },
}
_DERIVED: Final = {"replay": {
    # the mode of the operation that ended in the cycle before, and its last slot
    "after": "ended.mode if ended.ends and cycle - ended.cycle == 1 else 0",
    "after_slot": "ended.word.index + ended.length - 1 & 31",
}}  # fmt: skip
plan: Final = Planner(
    ROWS, _CONSTANTS, _BINS, {"word": word_fields("MOP", "REPLAY")}, _DERIVED, _KEPT
)
