# SPDX-License-Identifier: Apache-2.0
"""Points of UNPACR_NOP, and of how the instructions of both unpackers follow one another.

Source: unpack-adc section 7, lines NOP, Timing; docs/unpack.md sections 3 and 7.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, numbers, yes
from tilepath.isa.profiles import Profile
from tilepath.tb.unpack.coverage.labels import MODES, OWNERS, excluded_modes, plan

_VALUES: Final = ("zero", "minus_infinity", "one", "register")
_ZEROSRC: Final = "kind in (IS_ZEROSRC, IS_ZEROSRC_DVALID)"
_IS_UNPACR: Final = "kind <= IS_FLUSH"
_CLEAR: Final = plan(
    "clear",
    {
        "wait": yes("wait_unpacr"),
        "went": Bins("waited > 0", ("at_once", "waited")),
    },
    Point("nop.zerosrc_unpacker_x_wait_x_went", "U58", "unpacker wait went"),
)
_SETREG: Final = plan(
    "setreg",
    {
        "base": Bins("reg_select", numbers(2)),
        "accumulates": Bins(
            {"plain": "not accumulate", "clears": "reg_value == 0", "adds": "value >= before",
             "overflows": "1"}
        ),
    },
    Point("nop.setreg_unpacker_x_base_x_accumulate", "U61", "unpacker base accumulates"),
)  # fmt: skip
_HANDED: Final = plan(
    "handed",
    {"other": Bins("busy", ("idle", "busy"))},
    Point("timing.flip_x_other_unpacker", "U44", "unpacker other"),
)


def plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """With the encoding of UNPACR_NOP of the profile."""
    bh = profile.nop_enc == "BH"
    both, wait = ("bank_clr", "stall_clr") if bh else ("both_banks", "wait_like_unpacr")
    not_here = () if bh else _VALUES[2:]
    one_format = Point(
        "nop.zerosrc_one_format_x_unpacker", "U1 U57", "one_format unpacker",
        when=f"{_ZEROSRC} and word.src_clr_val == 2",
    )  # fmt: skip
    selector3 = Point(
        "nop.selector_3_value_x_dvalid_x_unpacker", "U69", "value dvalid unpacker",
        when="kind in (IS_ZEROSRC, IS_ZEROSRC_DVALID, IS_SETDVALID) and word & 0xC3 == 0xC1",
    )  # fmt: skip
    sampled = plan(
        "sampled",
        {
            "mode": Bins("kind - 3", MODES),
            "value": Bins("word.src_clr_val" if bh else "word.neg_inf_src_a", _VALUES),
            "dvalid": yes("word.set_dvalid"),
            "both": yes(f"word.{both}"),
            "wait": yes(f"word.{wait}"),
            "bank_of": Bins("bank != matrix_bank", ("same_bank", "other_bank")),
            "owner": Bins(
                f"(owners >> bank if word.{wait} else owners >> matrix_bank) & 1", OWNERS
            ),
            "one_format": Bins(
                {"0": "word.clr_to1_fmt == 0", "1": "word.clr_to1_fmt == 1", "2": "1"}
            ),
            "overlay": Bins("kind - IS_OVERLAY", ("implicit", "explicit")),
            "count": Bins(
                "kind == IS_OVERLAY_EXPLICIT and word."
                + ("msg_clr_cnt != 0" if bh else "clear_count != 0"),
                ("0", "other"),
            ),
            "behind_flip": yes("regular.flips != 0"),
            "of_encoding": Bins(
                "word & 0x7FFFFF == 7" if bh else "word & 0x103 == 0x101", ("this", "other")
            ),
            "which": Bins("unpacker != phase.unpacker", ("same_unpacker", "other_unpacker")),
            "of_thread": Bins("thread != phase.thread", ("same_thread", "other_thread")),
            "first": Bins("phase.compressed", ("uncompressed", "compressed")),
            "distance": Bins(
                {"back_to_back": "since <= 2", "1-3_later": "since <= 5", "more": "1"}
            ),
            "form": Bins("compressed", ("uncompressed", "compressed")),
        },
        Point("nop.unpacker_x_thread_x_mode", "U1 U2", exclude=excluded_modes(profile, 3, 2)),
        Point("nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner", "U57 U58",
              "unpacker value both wait bank_of owner", when=_ZEROSRC,
              exclude=(
                  Exclude((None, not_here, *[None] * 4), "not in this encoding of UNPACR_NOP (U1)"),
              )),
        *((one_format, selector3) if bh else ()),
        Point("nop.overlay_unpacker_x_form_x_count", "U60", "unpacker overlay count",
              when="kind in (IS_OVERLAY, IS_OVERLAY_EXPLICIT)",
              exclude=(Exclude((None, "implicit", "other"), "the form has no count (U60)"),)),
        Point("nop.behind_unpacr_flip_x_mode", "U59 U62", "behind_flip mode",
              when="regular.word and cycle - regular.cycle <= 16",
              exclude=excluded_modes(profile, 2, 1)),
        Point("nop.of_encoding", "U1", when=f"not {_IS_UNPACR}"),
        Point("timing.unpacr_unpacker_x_thread_x_first_x_distance", "A14",
              "which of_thread first distance", when=f"{_IS_UNPACR} and phase.word"),
        Point("timing.issued_at_once_first_x_form", "A14", "unpacker form", when="tied"),
    )  # fmt: skip
    return (sampled, _CLEAR, _SETREG, _HANDED)
