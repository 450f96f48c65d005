# SPDX-License-Identifier: Apache-2.0
"""Points of the address counters in the unit: instructions, and UNPACRs at the same counters.

Source: unpack-adc section 7, line ADC, cross 10; docs/adc.md. Every form and value of the
instructions is covered in block ``adc``, which is the same instance; here counts what meets UNPACR.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each, numbers
from tilepath.isa.boundary.adc import TARGETS
from tilepath.tb.adc.coverage.counters import SET_AND_INCREASED, TOTAL
from tilepath.tb.adc.coverage.labels import COUNTERS, OPS, YZ, chosen, share_a_counter
from tilepath.tb.unpack.coverage.labels import THREADS, UNPACKERS, plan

_KINDS: Final = (*OPS, "unpacr")
_ALONE: Final = "number == 0 and last"
_NO_COUNTER: Final = "they share no counter"

_WORD: Final = plan(
    "counter_word",
    {
        "op": Bins("command", OPS),
        "targets": Bins("instruction.target", numbers(8)),
        "given": Bins("override", numbers(4)),
        "fault": each(("illegal", "x_override", "empty")),
    },
    Point("counter.op_x_target", "A7", "op targets"),
    Point("counter.op_x_override_x_thread", "A3", "op given thread", exclude=(
        Exclude(("setadcxx", tuple("123"), None), "SETADCXX has no ThreadOverride (A3)"),
    )),
    Point("fault.counter_x_thread", "A2 A7 A8", "fault thread", when="faults >> fault & 1"),
)  # fmt: skip
_TOUCH: Final = plan(
    "counter_touch",
    {
        "first": Bins("first", _KINDS),
        "second": Bins("command", _KINDS),
        # ContextADC names sets, too (A11)
        "by": Bins(
            "command <= UNPACK and thread != set or before.command <= UNPACK"
            " and before.thread != before.set",
            ("owner", "foreign"),
        ),
        "unpacker": Bins("target", UNPACKERS),
        "yz": chosen("counter", YZ, COUNTERS),
        "counter_is": Bins("counter", COUNTERS),
        "wraps_by": Bins(
            "2 if command == UNPACK else action == RELOAD", ("incadc", "addrcr", "unpacr")
        ),
        "relation": Bins("live != checkpoint", ("cr_is_live", "cr_is_not_live")),
    },
    Point("counter.first_x_second_x_by", "A3 A11 A13", when="target < 2 and since > 0",
          exclude=(
              *(Exclude((one, other, None), _NO_COUNTER)
                for one in _KINDS for other in _KINDS
                if not share_a_counter(*(n.replace("unpacr", "unpack") for n in (one, other)))),
              Exclude(("setadcxx", "setadcxx", "foreign"), "SETADCXX has no ThreadOverride (A3)"),
          )),
    Point("counter.unpacr_set_inc_in_a_row", "A11 A13", "unpacker yz",
          when=SET_AND_INCREASED),
    Point("counter.wraps_by_x_counter", "A1 A15", "wraps_by counter_is",
          when=f"target < 2 and {_ALONE} and action in (INCREASE, RELOAD)"
               f" and {TOTAL} > largest",
          exclude=(
              Exclude(("unpacr", ("x0", "w0", "x1", "w1")), "UNPACR moves Y and Z only (A11)"),
          )),
    Point("counter.addrcr_unpacker_x_counter_x_relation", "A4", "unpacker counter_is relation",
          when=f"{_ALONE} and action == RELOAD"),
)  # fmt: skip
_PAIR: Final = plan(
    "counter_pair",
    {"unpacr_meets": Bins("second.command", OPS), "unpacker": Bins("targets - 1", UNPACKERS)},
    Point("counter.unpacr_meets_x_unpacker", "A13",
          when="first.command == UNPACK and sets and counters",
          exclude=(Exclude(("setadcxx", None), _NO_COUNTER),)),
)  # fmt: skip
_CYCLE: Final = plan(
    "counter_cycle",
    {"conflict_at": each(tuple(f"{name}.{target}" for name in THREADS for target in TARGETS))},
    Point("fault.counter_conflict", "A13", "conflict_at", when="conflict >> conflict_at & 1"),
)  # fmt: skip
_SHOWN: Final = plan(
    "shown",
    {
        "counter": each(COUNTERS),
        "value": Bins(
            {"0": "live[counter] == 0", "1": "live[counter] == 1",
             "max": "live[counter] == largest[counter]", "other": "1"}
        ),
    },
    Point("counter.unpacker_x_counter_x_value", "A1"),
)  # fmt: skip
PLANS: Final = (_WORD, _TOUCH, _PAIR, _CYCLE, _SHOWN)
