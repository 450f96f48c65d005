# SPDX-License-Identifier: Apache-2.0
"""Points of instruction words, counters, PACR_SETREG, and what instructions find begun.

Source: pack section 7, C1, C2, C11 to C14, C18, C19; P2 to P9, P18, P46 to P55.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, numbers, yes
from tilepath.isa.profiles import Profile
from tilepath.models.adc.untimed_state import FIXED_WIDTHS
from tilepath.tb.pack.coverage.labels import THREADS, plan

_UPDATES: Final = ("nothing", "incr", "cr", "cr+incr", "clear", "clear+incr", "clear+cr",
                   "clear+cr+incr")  # fmt: skip
_COUNTERS: Final = ("y0", "z0", "y1", "z1")
_FOUR: Final = tuple("0123")


def _update(channel: int) -> dict[str, Bins]:
    """What ADDR_MOD_PACK does to Y and Z of a channel (P18)."""
    name, y, z = ("src", "dst")[channel], 6 * channel, 12 + 2 * channel
    increment = f"addr_mod >> {y} & 15"
    return {
        f"y{name}_update": Bins(f"({increment} != 0) + 2 * (addr_mod >> {y + 4} & 3)", _UPDATES),
        f"z{name}_update": Bins(f"addr_mod >> {z} & 3", ("nothing", "incr", "clear", "clear+incr")),
        f"y{name}_increment": among(f"({increment})", 0, 1, 15, other="other"),
    }  # fmt: skip


def _bins(profile: Profile) -> dict[str, Bins]:
    of_lanes = f"(word.mask if word.mask else {profile.pack_mask0})"
    several = of_lanes if profile.packers == 1 else "packers"
    return {
        "mask": Bins("word.mask", tuple(f"{n:x}" for n in range(16))),
        "thread": Bins("thread", THREADS),
        "override": yes("word.ovrd_thread_id"),
        "context": Bins("word.addr_cnt_context", _FOUR),
        "packers": Bins(f"{several} & {several} - 1 != 0", ("1", "more")),
        "counters_move": yes("addr_mod != 0"),
        "mode": Bins("word.addr_mode", _FOUR),
        **_update(0),
        **_update(1),
        "counter": each(_COUNTERS),
        "update": each(("flush", "zero_write", "no_datums")),
        "bank": Bins("bank", ("0", "1")),
        "the_other_differs": yes("banks_differ"),
        "form": Bins("is_new", ("open", "closed")),
        "select": Bins(
            f"word.{profile.setreg_enc.lower()}_addr_sel", numbers(profile.setreg_slots, "a")
        ),
        "scaler": Bins("scaler", _FOUR),
        "value": Bins({"0": "word.wh_value == 0", "other": "word.wh_value != 0x3FF", "3ff": "1"}),
        "load_half": Bins("word.bh_half", ("low", "high")),
        "written": Bins({"written": "writes", "below": "address < 0xFFB11000", "beyond": "1"}),
        "cfg_context": Bins("word.cfg_context", _FOUR),
        "strided": yes("word.dst_access_mode"),
        "map": Bins("swizzle + 2 * remap", ("plain", "swizzle", "remap", "both")),
    }


_PACR: Final = "is_pacr"
# What the update does to the counter: Y and Z of channel 0, of channel 1
_IS_Z, _CHANNEL = "(counter & 1)", "(counter >> 1)"
_OLD: Final = f"live[4 * {_CHANNEL} + {_IS_Z} + 1 & 7]"
_CLEARS: Final = f"(addr_mod >> (13 + 2 * {_CHANNEL} if {_IS_Z} else 5 + 6 * {_CHANNEL}) & 1)"
_RELOADS: Final = f"(not {_IS_Z} and addr_mod >> 4 + 6 * {_CHANNEL} & 1)"
_ADDED: Final = (
    f"(addr_mod >> 12 + 2 * {_CHANNEL} & 1 if {_IS_Z} else addr_mod >> 6 * {_CHANNEL} & 15)"
)
_WRAPS: Final = f"not {_CLEARS} and not {_RELOADS} and {_OLD} + {_ADDED} > LARGEST[counter]"
_SETREG: Final = "not is_pacr"
_OPEN: Final = "not is_pacr and packers & 1"


def instruction_plan(profile: Profile) -> CoveragePlan:
    """Instructions."""
    own: tuple[Point, ...]
    if profile.setreg_enc == "WH":
        own = (
            Point("setreg.scaler", "P46", when=_OPEN),
            Point("setreg.value", "P46", when=_SETREG),
        )
    else:
        own = (Point("setreg.load_half", "P46", when=f"{_SETREG} and is_load"),)
    if profile.packers == 1:
        own += (
            Point("pacr.context", "P65", "cfg_context", _PACR),
            Point("pacr.strided_x_map", "P52 P53", when=_PACR),
        )
    return plan(
        "instruction",
        _bins(profile),
        Point("pacr.mask_x_thread", "P2 P3", when=_PACR),
        Point("pacr.thread_x_override_x_context", "P9", when=_PACR),
        Point("pacr.override_x_packers_x_counters_move", "P3 P9 P18", when=_PACR),
        Point("counters.mode_x_thread", "P18", when=_PACR),
        *(Point(f"counters.{what}", "P18", when=_PACR)
          for side in ("src", "dst")
          for what in (f"y{side}_update", f"z{side}_update", f"y{side}_increment")),
        Point("counters.wraps", "P18", "counter", f"{_PACR} and {_WRAPS}"),
        Point("counters.update_of", "P18", "update",
              f"{_PACR} and addr_mod and (word.flush if update == 0"
              " else word.zero_write if update == 1"
              " else live[4] + 1 == live[0] and not word.flush)"),
        Point("counters.clear_returns_checkpoint", "P18", "counter",
              f"{_PACR} and {_CLEARS} and {_OLD}"),
        Point("state.bank_x_the_other_differs", "P4 P8"),
        Point("setreg.form_x_select", "P46 P66", when=_OPEN),
        *own,
        Point("setreg.written", "P46", when=f"{_SETREG} and not is_load"),
        LARGEST=tuple((1 << width) - 1 for width in (FIXED_WIDTHS[1], profile.zw_w)) * 2,
    )  # fmt: skip


_BEGUN: Final = ("unit", "data_line", "exponents", "row_starts", "block")
DEPARTURES: Final = plan(
    "departure",
    {
        "mode": Bins({"same": "not mode_changes", "values": "not format_changes", "format": "1"}),
        "begun": each(("nothing", *_BEGUN)),
    },
    Point("departure.mode_x_begun", "P30 P39",
          when="begun_by == 0 if begun == 0 else begun_by << 1 >> begun & 1"),
)  # fmt: skip
