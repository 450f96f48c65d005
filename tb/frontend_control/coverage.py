# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the seam between front end and control; the blocks' own is theirs.

What the gate does while the expanders are at work: live latches, units, and how long a word waits,
each against the states of MOP and replay expander; plans over what the model tells of the seam.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilepath.engine.coverage.plan import Bins, Planner, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.isa.constants import OP_NOP
from tilepath.isa.tables import block_class, is_wait
from tilepath.models.frontend_control.account import KINDS

_KINDS: Final = ("STALLWAIT", "SEMWAIT", "STREAMWAIT")
_CLASSES: Final = (
    *("wait", "NOP", "TDMA", "SYNC", "PACK", "UNPACK", "XMOV", "THCON", "MATH", "CFG", "SFPU"),
)


def _classes() -> Iterator[int]:
    """Index into the classes of each opcode; -1 for words that no gate sees."""
    for opcode, (bits, wait) in enumerate(zip(block_class(), is_wait(), strict=True)):
        # the special bit, not B0, where there is one
        yield 0 if wait else 1 if opcode == OP_NOP else 1 + bits.bit_length() if bits else -1


_plan: Final = Planner(
    KINDS,
    bins={
        "mop_expander": Bins("mop_state", ("IDLE", "EXP", "TRANS")),
        "replay_expander": Bins("replay_state", ("PASS", "PLAY", "REC")),
    },
)
PLANS: Final = (
    _plan(
        "expanders",
        {"latch": Bins("latch - 1", _KINDS)},
        Point("latch x expanders", "C13 F11 F13", "latch mop_expander replay_expander"),
    ),
    _plan(
        "left",
        {
            "class": Bins("CLASS[opcode]", _CLASSES),
            "cycles": Bins(
                {"0": "waited == 0", "1": "waited == 1", "2-7": "waited < 8", "8+": "1"}
            ),
            "word": Bins("0", ("retired",)),
            "latch": Bins("latch", ("no latch", *_KINDS)),
        },
        Point("class x MOP expander", "C12 C21 F11", "class mop_expander", "illegal == 0"),
        Point("class x replay expander", "C12 C21 F13", "class replay_expander", "illegal == 0"),
        Point("cycles at the gate x replay expander", "F13 F20", "cycles replay_expander",
              "illegal == 0"),
        Point("illegal word x latch", "F17", "word latch", "illegal"),
        CLASS=tuple(_classes()),
    ),
)  # fmt: skip


class SeamCoverage(PlannedCoverage):
    """Counts what a joined model tells of its seams, and asks for no account of its parts."""

    def follow(self, model: object) -> None:
        """As the base says."""
        super().follow(getattr(model, "seam", model))


class JoinedCoverage(SeamCoverage):
    """Coverage of ``frontend+control``; the three threads count into the same bins."""

    def __init__(self, profile: str) -> None:
        super().__init__("frontend_control", profile, PLANS)
