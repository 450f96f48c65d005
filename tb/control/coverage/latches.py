# SPDX-License-Identifier: Apache-2.0
"""What latches wait for, how long they last, and what goes on meanwhile.

Source: frontend-config section 7, paragraphs Gate, SEM and STREAMWAIT; C8 to C13, C17, C19, C20;
docs/control.md section 3.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import THREADS, of_gate

_LATCH: Final = of_gate.where("latch")(
    "gate",
    {
        "condition": Bins("met", ("not_met", "met")),
        "latch": Bins("met", ("stays", "cleared")),
        "live_latch": Bins(
            {"stallwait_cond12": "latch == 1 and what >> CFG_PIPE & 1",
             "stallwait_other": "latch == 1", "semwait": "latch == 2", "streamwait": "1"}
        ),
        "streamwrcfg_stage": each(("-4", "-3", "-2", "-1", "0")),
        "whose": Bins("streams >> 3 * streamwrcfg_stage & 7 != thread + 1", labels.WHOSE),
    },
    Point("gate.condition_x_latch", "C13", "latched condition latch", times="cycles", exclude=(
        Exclude((None, "not_met", "cleared"), "a condition not met keeps the latch"),
        Exclude((None, "met", "stays"), "a condition met clears the latch"),
    )),
    Point("cross.live_latch_x_streamwrcfg_stage_x_whose", "C13 C16 C17",
          when="streams >> 3 * streamwrcfg_stage & 7", times="cycles"),
)  # fmt: skip

_OWN: Final = (*range(10), 11)
_OWN_BIT: Final = "(own_condition + (own_condition > 9))"
_STALLWAIT: Final = of_gate.where("latch == 1")(
    "gate",
    {
        "condition": each(tuple(f"cond{bit}" for bit in range(13))),
        # The only selected one that is busy; the last one to go; idle, and others, not selected,
        # busy
        "why": Bins(
            {"holds_alone": "busy & what == 1 << condition",
             "released": "met and age > 1 and before.busy & what == 1 << condition",
             "idle_others_busy":
                 "met and age == 1 and what >> condition & 1 and busy & ~what"}
        ),
        "default": each(("thcon", "unpack0", "unpack1", "pack", "others_busy")),
        "own_condition": each(tuple(f"cond{bit}" for bit in _OWN)),
        "other": each(THREADS),
        "busy_for": Bins(
            {"own": f"busy & what == 1 << {_OWN_BIT} and not others[other] >> {_OWN_BIT} & 1",
             "other": f"met and others[other] >> {_OWN_BIT} & 1"}
        ),
    },
    Point("gate.stallwait_condition", "C17", "condition why", times="cycles"),
    Point("gate.stallwait_condition_0", "C17", "default",
          when="not wait.word.conditions and age == 1 and (busy >> default & 1 if default < 4"
          " else met and busy & ~what)"),
    # Whether it is met hangs on the thread's own bit alone, and another thread's is different
    Point("conditions.condition_x_busy_for_x_thread_x_other", "C17",
          "own_condition busy_for thread other",
          when=f"other != thread and what >> {_OWN_BIT} & 1", times="cycles",
          exclude=labels.other_thread(2)),
)  # fmt: skip

_TOP: Final = ("max", "above_max")
_SEMWAIT: Final = of_gate.where("latch == 2")(
    "gate",
    {
        "cond": Bins("wait.word.sem_cond - 1", ("cond1", "cond2", "cond3")),
        "number": each(tuple("01234567")),
        "value": Bins(
            {"0": "levels[number] == 0", "between": "levels[number] < maxima[number]",
             "max": "levels[number] == maxima[number]", "above_max": "1"}
        ),
        "outcome": Bins("not waiting", ("waits", "met")),
        "several": Bins({"all_wait": "waiting == selected", "some_wait": "waiting", "none": "1"}),
    },
    Point("semwait.cond_x_value", "C20", "cond value outcome",
          when="selected == 1 << number and maxima[number]", times="cycles", exclude=(
              Exclude((("cond1", "cond3"), "0", "met"), "a selected value of 0 waits"),
              Exclude(("cond1", ("between", *_TOP), "waits"), "cond 1 waits for 0 only"),
              Exclude(("cond2", ("0", "between"), "waits"), "cond 2 waits from max on"),
              Exclude((("cond2", "cond3"), _TOP, "met"), "a value from max on waits"),
              Exclude(("cond3", "between", "waits"), "cond 3 waits for 0 and from max on"),
          )),
    Point("semwait.cond_x_several", "C20", when="selected & selected - 1", times="cycles"),
    Point("semwait.none_selected", "C20", "cond", when="not selected", times="cycles"),
)  # fmt: skip

_COND: Final = ("phase", "msgs")
_SELECT: Final = tuple(f"sel{s}" for s in range(4))
_HIGH, _REACHED = (
    f"{what} >> (16 if wait.word.cond_idx else 19) & 1" for what in ("target", "register")
)
_NOW: Final = "(age > 1 and stream != before.stream)"  # the stream changed
_STREAMWAIT: Final = of_gate.where("latch == 3")(
    "gate",
    {
        "cond": Bins("wait.word.cond_idx", _COND),
        "select": Bins("wait.word.stream_sel", _SELECT),
        # old_met: only the stream of before is at the target
        "redirection": each(("releases", "keeps", "old_met")),
        "outcome": Bins("not met", ("releases", "keeps")),
        # When the register reaches the target: as seen in the first, second, a later valid cycle;
        # or it falls below as seen in the first
        "crossing": Bins(
            {"up_first": "crossed > 0 and age == 1", "up_second": "crossed > 0 and age == 2",
             "up_later": "crossed > 0", "down_first": "crossed < 0 and age == 1"}
        ),
        "top": Bins(
            {"target_waits": f"{_HIGH} and not {_REACHED} and not met",
             "register_met": f"{_REACHED} and not {_HIGH} and met",
             "both_waits": f"{_HIGH} and {_REACHED} and not met",
             "both_met": f"{_HIGH} and {_REACHED}"}
        ),
        "stream_read": labels.ends("stream", 63, "1-62"),
        "field": each(("hi", "banksel")),
        "bits": Bins("select_above if field else hi_above", labels.CLEAR_SET),
    },
    # SETC16 to BankSel under a live STREAMWAIT
    Point("cross.setc16_banksel_x_streamwait", "C11", "cond select redirection",
          when=f"redirected == 2 and ({_NOW} and met if redirection == 0"
          f" else {_NOW} and not met if redirection == 1 else first_met and not met)",
          times="cycles if redirection == 2 else 1"),
    Point("streamwait.risc_banksel", "C11", "cond outcome",
          when=f"{_NOW} and redirected == 1"),
    Point("streamwait.register_crosses", "C9", "cond crossing"),
    # With the top bit of the register's width set: the comparison is unsigned
    Point("streamwait.top_bit", "C9", "cond top", when="age == 1"),
    Point("streamwait.stream", "C11", "stream_read", when="age == 1"),
    Point("streamwait.bits_above_the_field", "C8 C11", "field cond bits",
          when="field or age == 1", times="cycles if field else 1"),
)  # fmt: skip

_LIVED: Final = among("age - 1", 1, 2, other=">2")
# What changes a semaphore at the end of the first valid cycle would have had to win SYNC together
# with the SEMWAIT itself.
_SAME: Final = "the second valid cycle sees the semaphores of the first (SYNC: one a cycle)"
_HELD: Final = "(before.valid and before.rules & LATCHED and before.kind)"
_GONE: Final = of_gate.where("before.latch and not latch")(
    "gate",
    {
        "latched": Bins("before.latch - 1", labels.WAITS),
        "lived": _LIVED,
        "waiting_wait": Bins("before.kind - FIRST_WAIT", labels.WAITS),
        "meanwhile": Bins(_HELD, ("nothing_held", "held")),
        "word": Bins(f"0 if not before.valid else 1 if {_HELD} else 3 - before.wins",
                     ("nothing_offered", "held", "issuing", "waiting_for_other")),
        "cond": Bins("wait.word.cond_idx", _COND),
        "near": each(("0", "register", "register+1", "lo_3ff", "hi_max")),
        # Changed by a write in the cycle before the first valid one (seen), or from then on
        "high_part": each(("hi_stays", "hi_before", "hi_after")),
        # Another stream was looked at in a later valid cycle
        "banksel": Bins("before.redirected != 0", ("bank_stays", "bank_changed")),
        "select": Bins("wait.word.stream_sel", _SELECT),
    },
    Point("gate.latched_x_lived", "C13", exclude=(Exclude(("semwait", "2"), _SAME),)),
    Point("gate.latched_x_waiting_wait_x_lived", "C12", when=_HELD,
          exclude=(Exclude(("semwait", None, "2"), _SAME),)),
    # True in the latch's last cycle only: the latch must be gone all the same
    Point("gate.condition_pulse", "C13", "latched meanwhile", when="not still_met"),
    Point("gate.cleared_while", "C13", "latched word"),
    Point("hold.latch_cleared_under", "", "latched", when="before.rules & HOLD"),
    Point("streamwait.cond_x_target_x_hi_x_banksel_x_select", "C8 C9 C11",
          "cond near high_part banksel select",
          when="before.latch == 3 and (not target if near == 0 else target and target =="
          " first.register if near == 1 else target == first.register + 1 if near == 2"
          " else target & 0x3FF == 0x3FF if near == 3"
          " else target >> 10 == (0x7F if wait.word.cond_idx else 0x3FF))"
          " and (hi >> high_part - 1 & 1 if high_part else not hi)", exclude=(
              Exclude((None, ("0", "register"), None, "bank_changed", None),
                      "met in its only valid cycle"),
          )),
)  # fmt: skip
_RUN: Final = of_gate.where("before.wins and before.latch and not (wins and latch)")(
    "gate",
    {"latched": Bins("before.latch - 1", labels.WAITS),
     "words": among("cycle - apart.cycle - apart.cycles", 1, "2-3", other=">3")},
    Point("gate.issued_in_a_row_under_latch", "C12", "latched words"),
)  # fmt: skip
PLANS: Final = (_LATCH, _STALLWAIT, _SEMWAIT, _STREAMWAIT, _GONE, _RUN)
