# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the front end share."""

from __future__ import annotations

from typing import Final

from tilepath.isa import constants
from tilepath.models.frontend.account import Replaying, Source, WordKind
from tilepath.models.frontend.timing_state import MopState
from tilepath.tb.kernel.coverage.plan import Bins

NO_YES: Final = ("no", "yes")
MODES: Final = ("play", "rec", "rec_exec")
RECORDING: Final = MODES[1:]
KINDS: Final = ("mop", "mop_cfg", "plain", "replay")
HEADS: Final = (*KINDS, "fifo_empty")

MOP_STATE: Final = Bins("mop_state", ("idle", "exp", "trans"))
REPLAY_STATE: Final = Bins("replay_state", ("pass", *MODES))
READY: Final = Bins("ready", ("ready0", "ready1"))
KIND: Final = Bins(
    {"mop": "word >> 24 == OP_MOP", "mop_cfg": "word >> 24 == OP_MOP_CFG",
     "plain": "word >> 24 != OP_REPLAY", "replay": "1"}
)  # fmt: skip

CONSTANTS: Final = {
    **{name: value for name, value in vars(constants).items() if name.startswith("OP_")},
    "PLAY": int(Replaying.PLAY), "TRANS": int(MopState.TRANS), "BRISC": int(Source.BRISC),
    "FIFO": int(Source.FIFO), "MOP": int(WordKind.MOP), "NONE": int(WordKind.NONE),
}  # fmt: skip


def numbers(value: str, *these: int, more: str = "") -> dict[str, str]:
    """A bin for each of these values, and one called ``more`` for all others."""
    found = {str(n): f"{value} == {n}" for n in these}
    return found | ({more: "1"} if more else {})
