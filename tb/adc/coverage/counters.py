# SPDX-License-Identifier: Apache-2.0
"""Points of the counters: their values, sums that wrap, and what follows what at a counter.

Source: unpack-adc section 7, line ADC and cross 10. Sums count where one command of the cycle
touches the counter: what the others of a conflict found is between the cycles.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each
from tilepath.isa.boundary.adc import TARGETS
from tilepath.tb.adc.coverage.labels import COMMANDS, COUNTERS, YZ, chosen, plan, share_a_counter

_UPDATES_YZ: Final = "updates reach Y and Z only (A11, P18)"
_CR_Y: Final = "an ADDR_MOD_PACK word has CR for Y only (P18)"
_OWN: Final = ("setadcxx", "unpack", "pack", "flop")  # for no other thread's set
_RELATION: Final = ("cr==live", "cr!=live")
_ALONE: Final = "last and not number"
SET_AND_INCREASED: Final = (
    "command in (INCADCXY, INCADCZW) and first in (SETADC, SETADCXY, SETADCZW) and since == 1"
    " and not before.number and update.command == UNPACK and update.last"
    " and cycle - update.cycle == 2 and before.thread == thread == update.thread"
)
"""Unpackers' update, SETADC.., INCADC.. of one thread at a counter, cycle after cycle."""
_SUM: Final = f"{_ALONE} and amount and action in (INCREASE, RELOAD)"
TOTAL: Final = "(checkpoint if action == RELOAD else live) + amount"
_WRAPS: Final = f"{_SUM} and {TOTAL} > largest"

VALUES: Final = plan(
    "change",
    {
        "part": each(("live", "checkpoint")),
        "new_value": Bins(
            {"0": "value[part] == 0", "1": "value[part] == 1", "max": "value[part] == largest"}
        ),
    },
    Point("counter.place_x_counter_x_part_x_new_value", "A1", when="changed >> part & 1"),
)


def _no_pairs() -> tuple[Exclude, ...]:
    rules = []
    for first in COMMANDS:
        for second in COMMANDS:
            if not share_a_counter(first, second):
                rules.append(Exclude((first, second, None, None), "these two share no counter"))
            elif first in _OWN and second in _OWN:
                reason = "neither has a ThreadOverride"
                rules.append(Exclude((first, second, "foreign", None), reason))
    return tuple(rules)


TOUCHES: Final = plan(
    "touch",
    {
        "unpacker": Bins("target", TARGETS[:2]),
        "yz": chosen("counter", YZ, COUNTERS),
        "dimension": Bins("touched.counter", ("x", "y", "z", "w")),
        "channel": Bins("channel", ("0", "1")),
        "command": Bins("command", COMMANDS),
        "first": Bins("first", COMMANDS),
        "by": Bins("foreign or before.foreign", ("owner", "foreign")),
        "distance": Bins({"next_cycle": "since == 1", "later": "since > 1"}),
        # INCADC.., ADDRCR.., the unpackers' update, the packers' without and with CR
        "source": Bins(
            {"incadc": "command in (INCADCXY, INCADCZW)", "addrcr": "command < UNPACK",
             "unpack": "command == UNPACK", "pack": "action == INCREASE", "pack_cr": "1"}
        ),
        "instruction": Bins({"incadc": "action == INCREASE", "addrcr": "1"}),
        "update": Bins({"incr": "action == INCREASE", "cr": "1"}),
        "result": Bins(
            {"below_max": f"{TOTAL} < largest", "max": f"{TOTAL} == largest",
             "wraps_to_0": f"{TOTAL} == largest + 1", "wraps_past_0": "1"}
        ),
        "relation": Bins("live != checkpoint", _RELATION),
        "increment": Bins("amount != 0", ("add0", "add")),
        "live": Bins("live != 0", ("live0", "live")),
        "checkpoint": Bins("checkpoint != 0", ("cr0", "cr")),
    },
    Point("counter.first_write_after_reset", "A16", "command", when="first < 0"),
    # Two commands one after the other at the same counter (the same cycle is a conflict).
    # Foreign: an instruction of the two comes from a thread that does not own the set.
    Point("order.first_x_second_x_by_x_distance", "A3 A13", "first command by distance",
          exclude=_no_pairs()),
    Point("order.unpack_set_inc_thread_x_unpacker_x_counter", "A11 A13", "thread unpacker yz",
          when=SET_AND_INCREASED),
    Point("sum.source_x_dimension_x_result", "A1 A4 A6 A11 P18", when=_SUM, exclude=(
        Exclude((("unpack", "pack", "pack_cr"), ("x", "w"), None), _UPDATES_YZ),
        Exclude(("pack_cr", "z", None), _CR_Y),
        Exclude(("pack", "z", "wraps_past_0"), "the Z increments of a packer update are 0 or 1"),
    )),
    Point("wrap.instruction_x_place_x_counter", "A1 A15", when=f"command < UNPACK and {_WRAPS}"),
    Point("wrap.unpack_set_x_unpacker_x_counter", "A1 A15", "set unpacker yz",
          when=f"command == UNPACK and {_WRAPS}"),
    Point("wrap.pack_set_x_cr_x_counter", "A1 A12", "set update yz",
          when=f"command == PACK and {_WRAPS}",
          exclude=(Exclude((None, "cr", ("z0", "z1")), _CR_Y),)),
    Point("addrcr.place_x_counter_x_relation_x_increment", "A4",
          when=f"command < UNPACK and action == RELOAD and {_ALONE}"),
    Point("pack_cr.set_x_channel_x_relation_x_increment", "A12",
          when=f"command == PACK and action == RELOAD and {_ALONE}"),
    Point("pack_clear.counter_x_live_x_checkpoint", "P18", "yz live checkpoint",
          when=f"action == CLEAR and {_ALONE}"),
    Point("incadc.counter_x_relation", "A5 A6",
          when=f"command in (INCADCXY, INCADCZW) and {_ALONE}"),
)  # fmt: skip
