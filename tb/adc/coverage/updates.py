# SPDX-License-Identifier: Apache-2.0
"""Points of the update ports and of REG2FLOP, one command at a time.

Source: unpack-adc section 7, cross 3 as far as the port goes; pack section 7; docs/adc.md
section 2.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each, numbers, yes
from tilepath.isa.boundary.adc import TARGETS
from tilepath.tb.adc.coverage.labels import ADDR_MOD, SETS, YZ, plan

_ZERO: Final = "y0 | z0 | y1 | z1 == 0"
_SOME: Final = ("incr0", "incr")


def _field(name: str) -> str:
    """That of a channel."""
    source, destination = (f"addr_mod.{name.format(side)}" for side in ("src", "dst"))
    return f"({destination} if channel else {source})"


INCREMENT: Final = {
    "field": each(YZ),
    "increment": Bins(
        "y0 if field == 0 else z0 if field == 1 else y1 if field == 2 else z1", numbers(4)
    ),
}
"""Bins of an unpacker's increments."""
UNPACKERS: Final = plan(
    "unpack",
    {
        # thread against adc: the same set once, or two sets (A11); set 3 is no bin of these
        "thread": Bins("thread", SETS),
        "adc": Bins("adc", SETS),
        "unpacker": Bins("unpacker", TARGETS[:2]),
        **INCREMENT,
        "fault": Bins("(thread == 3) + 2 * (adc == 3) - 1", ("thread", "adc", "both")),
        "increments": Bins({"zero": _ZERO, "some": "1"}),
    },
    Point("unpack.thread_x_adc_x_unpacker_x_field_x_increment", "A10 A11"),
    Point("unpack.no_increment_thread_x_adc", "A11", "thread adc", when=_ZERO),
    Point("unpack.fault_x_unpacker_x_increments", "A11 U7"),
)  # fmt: skip

PACKERS: Final = plan(
    "pack",
    {
        "sets": Bins("sets", tuple(f"{sets:03b}" for sets in range(8))),
        "set": each(SETS),
        "channel": each(("src", "dst")),
        "only": Bins(
            {**{name: f"addr_mod.{name} and addr_mod == addr_mod.{name} << {lowest}"
                for name, (lowest, _) in ADDR_MOD.items()},
             "none": "addr_mod == 0"}
        ),
        "y_increment": Bins(_field("Y{}Incr"), numbers(16)),
        "y_clear": Bins(_field("Y{}Clear"), ("clear0", "clear1")),
        "cr": Bins(_field("Y{}CR"), ("cr0", "cr1")),
        "incr": Bins(f"{_field('Y{}Incr')} != 0", _SOME),
        "z_clear": Bins(_field("Z{}Clear"), ("clear0", "clear1")),
        "z_incr": Bins(_field("Z{}Incr"), _SOME),
    },
    Point("pack.sets", "P18"),
    Point("pack.only_field", "P18", "only", when="sets"),
    # the value counts where it is added
    Point("pack.channel_x_y_increment", "P18 A12", when=f"sets and not {_field('Y{}Clear')}"),
    Point("pack.set_x_channel_x_y_clear_x_cr_x_incr", "P18 A12", when="sets >> set & 1"),
    Point("pack.set_x_channel_x_z_clear_x_incr", "P18", "set channel z_clear z_incr",
          when="sets >> set & 1"),
)  # fmt: skip

REG2FLOP: Final = plan(
    "flop",
    {
        "checkpoint": yes("checkpoint"),
        "value": Bins(
            {"0": "value == 0", "1": "value == 1", "max": "value == largest[write.counter & 3]",
             "other": "value < largest[write.counter & 3]", "truncated": "1"}
        ),
        "fault": Bins("(set == 3) + 2 * (target == 3) - 1", ("thread", "select", "both")),
        "part": Bins("checkpoint", ("live", "checkpoint")),
    },
    Point("flop.set_x_target_x_counter_x_checkpoint", "C14"),
    Point("flop.counter_x_checkpoint_x_value", "C14 A1", when="set < 3 and target < 3",
          exclude=(
              Exclude((("x0", "x1"), None, "truncated"), "the value has 18 bits, and so has X"),
          )),
    Point("flop.fault_x_checkpoint", "C14", "fault part"),
)  # fmt: skip
