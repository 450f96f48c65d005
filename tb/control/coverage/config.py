# SPDX-License-Identifier: Apache-2.0
"""The config unit: who follows whom at which distance, the order of writes, accesses of the cores.

Source: frontend-config section 7, paragraph Config, and section 5.3; C5, C6, C16, C18;
docs/control.md section 4. Instructions are seen in their entry cycles, so the distance is that of
the issues; an access counts as issued in the cycle in which it wins.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.models.control.cycle_block import VIEWS
from tilepath.models.control.instructions import Kind
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import CONFIG_INSTR, THREADS, WHOSE, of_kind, plan

_TWO: Final = ("wrcfg", "cfgshiftmask")
_TWO_STAGES: Final = "a two-stage instruction keeps the later stages for a cycle (section 5.3)"


_ENTRY: Final = plan(
    "entry",
    {
        "space": Bins("index >= GLOBAL", labels.SPACES),
        "state_reset": Bins(
            {"wrcfg": "kind == WRCFG and not quad", "wrcfg128": "kind == WRCFG",
             "cfgshiftmask": "kind == CFGSHIFTMASK", "streamwrcfg": "kind == STREAMWRCFG"}
        ),
    },
    Point("config.instruction_x_stateid_x_space_x_thread", "C5",
          "second stateid space thread", when="index < WORDS"),
    Point("fault.state_reset_x_stateid", "C18", when="index == 4"),
    **labels.KINDS,
)  # fmt: skip


def _behind(of: str, at: int) -> str:
    """``of`` entered, ``at`` cycles before."""
    return f"first.kind == {of} and distance == {at - 1}"


_SCRATCH: Final = f"{labels.SCRATCH} >> (2 if first.quad else 0)"
_FOLLOW: Final = plan(
    "follow",
    {
        "distance": Bins("distance", tuple("123456")),
        "first": Bins(of_kind("first.kind", *CONFIG_INSTR)),
        "whose": Bins("first.thread != thread", WHOSE),
        "word": Bins("not same", labels.SAME_OTHER),
        "order": Bins("kind == RISC", ("risc_first", "risc_second")),
        "access": Bins("now.writes if kind == RISC else first.writes", labels.READ_WRITE),
        "instruction": Bins(of_kind("(first.kind if kind == RISC else kind)", *CONFIG_INSTR)),
        "far": Bins({"1": "distance == 0", "2": "distance == 1", "3-6": "distance < 6"}),
        "scratch_written": Bins(
            {"streamwrcfg_jumped": "first.kind == STREAMWRCFG and distance < 4",
             "streamwrcfg_before": "first.kind == STREAMWRCFG and first.at_once",
             "wrcfg": _behind("WRCFG", 2), "cfgshiftmask": _behind("CFGSHIFTMASK", 2),
             "rmwcib": _behind("RMWCIB", 1), "risc": _behind("RISC", 1)}
        ),
    },
    Point("config.first_x_second_x_distance_x_thread_x_word", "C16",
          "first second distance whose word", exclude=(
              Exclude((_TWO, ("cfgshiftmask", "rmwcib", "rdcfg"), "1", None, None), _TWO_STAGES),
          )),
    Point("config.risc_x_instruction_x_distance_x_word", "C16",
          "order access instruction far word",
          when="(first.kind == RISC) != (kind == RISC)", exclude=(
              Exclude(("risc_second", None, _TWO, "1", None), _TWO_STAGES),
          )),
    # STREAMWRCFG with one prepare cycle, and the config instruction of the next cycle
    Point("config.behind_streamwrcfg_at_1_x_word_x_thread", "C16", "second word whose",
          when="distance == 0 and first.kind == STREAMWRCFG and first.at_once"),
    # A scratch word, written at the least distance, or by a STREAMWRCFG that was jumped
    Point("config.scratch_written_before_cfgshiftmask", "C4 C16", "scratch_written",
          when="kind == CFGSHIFTMASK and first.writes"
          f" and first.index >> (2 if first.quad else 0) == {_SCRATCH}"),
    **labels.KINDS,
)  # fmt: skip
# Ahead of a STREAMWRCFG that is still prepared, or behind it at the least distance
_ORDER: Final = plan(
    "order",
    {
        "prep": Bins({"prep1": "prepared == 1", "prep2": "prepared == 2", "prep>2": "1"}),
        "order": Bins("behind", ("jumps", "behind")),
        "whose": Bins("other != thread", WHOSE),
    },
    Point("config.prep_x_second_x_order_x_thread", "C16", "prep second order whose", exclude=(
        Exclude((None, "streamwrcfg", "jumps", None), "stage -4 holds one, and it leaves first"),
    )),
    Point("config.prep_x_risc_order", "C16", "prep order", when="kind == RISC"),
    **labels.KINDS,
)  # fmt: skip
_BANKED: Final = (*CONFIG_INSTR, "reg2flop")
_STATE_ID: Final = plan(
    "state_id",
    {
        # In the cycle behind the SETC16's issue (seen), or in the one before it (not seen)
        "setc16": each(("before", "after")),
        "use": each((*_BANKED, *labels.UNITS[:VIEWS])),
    },
    Point("config.stateid_setc16_x_banked_use", "C5", "setc16 use",
          when="uses[setc16] >> USES[use] & 1", exclude=(
              Exclude(("after", "reg2flop"), "its thread is held in the next cycle (5.4)"),
          )),
    USES=(*(Kind[name.upper()] for name in _BANKED), *range(len(Kind), len(Kind) + VIEWS)),
)  # fmt: skip

_RANGES: Final = (
    *(f"{bank}_{space}" for bank in ("bank0", "bank1", "alias") for space in labels.SPACES),
    *THREADS,
    "beyond",
)
_EDGES: Final = (
    0, 179, 180, 223, 224, 403, 404, 447, 448, 627, 628, 671, 672, 739, 740, 807, 808, 875, 876,
    1023,
)  # fmt: skip
_PLACE: Final = "(address - 3 * WORDS)"  # in ThreadConfig
_ACCESS: Final = plan(
    "access",
    {
        "access": Bins("entered.write", labels.READ_WRITE),
        "range": Bins(
            "address // WORDS * 2 + (address % WORDS >= GLOBAL) if address < 3 * WORDS"
            f" else 6 + {_PLACE} // THREAD_WORDS if address < 876 else 9",
            _RANGES,
        ),
        "edge_address": among("address", *_EDGES),
        "cycles": among("waited", 0, 1, other=">1"),
        "offered": Bins("not at_once", ("at_once", "later")),
        "thread": each(THREADS),
        "word": Bins(f"setc16[thread] != {_PLACE} % THREAD_WORDS", ("same_word", "other_word")),
        "fault": Bins(
            {"read_beyond": "address > 875 and not entered.write", "write_beyond": "address > 875",
             "reset_bank0": "entered.write and address == 4",
             "reset_bank1": "entered.write and address == WORDS + 4",
             "reset_alias": "entered.write and address == 2 * WORDS + 4"}
        ),
    },
    Point("risc.access_x_range", "C5 C6"),
    Point("risc.access_x_edge_address", "C5 C6"),
    Point("risc.cycles_before_it_wins", "C24", "access cycles"),
    Point("risc.next_offered", "", "offered"),
    # A SETC16 in the cycle in which an access writes ThreadConfig of its thread, or reads it
    Point("setc16.with_risc_x_word_x_thread", "C6", "access word thread",
          when=f"3 * WORDS <= address < 876 and {_PLACE} // THREAD_WORDS == thread"
          " and setc16[thread] >= 0"),
    Point("fault.risc", "C6 C18", "fault"),
)  # fmt: skip
PLANS: Final = (_ENTRY, _FOLLOW, _ORDER, _STATE_ID, _ACCESS)
