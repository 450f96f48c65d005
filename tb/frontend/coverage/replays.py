# SPDX-License-Identifier: Apache-2.0
"""Points of the replay expander (F13 to F16).

Source: frontend-config section 7, paragraph Replay. What an operation was counts when it is
complete: a session or playback cut off by the end of the run covers nothing.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among
from tilepath.isa import profiles
from tilepath.tb.frontend.coverage.labels import MODES, RECORDING, plan

# F15: 0 and more than 32 are bins of their own.
_UNSUPPORTED: Final = "counts above 32 are outside the newer chip's default constraints (F15)"
_SHORT: Final = profiles.having("replay_count0", 32)

_STARTED: Final = plan.where("not ends")(
    "replay",
    {
        "load": Bins("word.load", ("load0", "load1")),
        "exec": Bins("word.exec", ("exec0", "exec1")),
        "first": Bins("after - 1", MODES),
        "second": Bins("mode - 1", MODES),
        "first_words": Bins("ended.length > 1", ("1", ">1")),
        "second_words": Bins("length > 1", ("1", ">1")),
        "session": Bins("after - 2", RECORDING),
        "slot": Bins("after_slot != word.index", ("same_slot", "other_slot")),
        "played_slots": Bins(
            {"never_recorded": "slots & recorded == 0", "partly_recorded": "slots & ~recorded",
             "recorded": "1"}
        ),
    },
    Point("replay.load_x_exec", "F16"),
    # An operation starts in the cycle after the one before it ended.
    Point("replay.back_to_back", "F13 F14", "first second", when="after"),
    Point("replay.play_back_to_back", "F14", "first_words second_words",
          when="mode == PLAY and after == PLAY"),
    # Playback in the cycle after a session's last word, from that word's slot or another
    Point("replay.read_after_write", "F13", "session slot", when="mode == PLAY and after > PLAY"),
    Point("replay.played_slots", "F14", when="mode == PLAY"),
)  # fmt: skip
_STORED: Final = plan(
    "stored",
    {
        "source": Bins({"fifo": "source == FIFO", "mop": "source < BRISC", "brisc": "1"}),
        "mode": Bins("mode - 2", RECORDING),
        "at": Bins("source", ("fifo_word", "mid_expansion", "expansion_end", "brisc")),
    },
    # What passes the MOP expander unexpanded is neither: it pops MOP and MOP_CFG itself.
    Point("replay.recorded_source_x_kind", "F13 F18", "source kind mode", exclude=(
        Exclude(("fifo", "mop", None), "a MOP in the FIFO is expanded"),
        Exclude(("fifo", "mop_cfg", None), "a MOP_CFG in the FIFO is not emitted"),
    )),
    Point("replay.rec_ended_at", "F13 F18", "at mode", when="last"),
)  # fmt: skip
_ENDED: Final = plan.where("ends")(
    "replay",
    {
        "mode": Bins("mode - 1", MODES),
        "session": Bins("mode - 2", RECORDING),
        "count": among("word.count", 0, 1, 2, "3-30", 31, 32, 33, "34-62", other="63"),
        "some_count": among("word.count", 0, 1, 2, 31, 32, 33, 63),
        "index": among("word.index", 0, 1, 31),
        # steps from slot 31 to slot 0 inside one operation
        "wraps": Bins("(word.index + length - 1) // 32", ("0", "1", "2")),
        "cycles": among("gap", 0, 1, other=">1"),
        # slots of a session against those of the session before
        "region_overlap": Bins(
            {"disjoint": "slots & session.slots == 0", "same": "slots == session.slots",
             "covers": "slots & session.slots == session.slots",
             "inside": "slots & session.slots == slots", "partial": "1"}
        ),
    },
    Point("replay.mode_x_count", "F15", exclude=(
        Exclude((None, ("33", "34-62", "63")), _UNSUPPORTED, _SHORT),
    )),
    # The chain of section 7 goes on with wraps{0,1,2}; but these follow from count and index,
    # so that they are crossed with the mode alone.
    Point("replay.mode_x_count_x_index", "F15", "mode some_count index", exclude=(
        Exclude((None, ("33", "63"), None), _UNSUPPORTED, _SHORT),
    )),
    # From index 31 a second wrap takes 34 words, and a count of 0 stands for 32.
    Point("replay.mode_x_wraps", "F15", exclude=(Exclude((None, "2"), _UNSUPPORTED, _SHORT),)),
    Point("replay.rec_gap", "F13", "session cycles", when="mode > PLAY"),
    Point("replay.region_overlap", "F13", when="mode > PLAY and session.slots"),
)  # fmt: skip
PLANS: Final = (_STARTED, _STORED, _ENDED)
