# SPDX-License-Identifier: Apache-2.0
"""Coverage of UNPACR_NOP: modes, and what each does.

Source: unpack-adc section 7, line NOP; U1, U2, U57 to U62; docs/unpack.md section 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import Instructions
from tilepath.tb.unpack.coverage.layout import FRONT, I64, PLAN, REQUEST, WRITE
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.points import NO_YES, THREADS, UNPACKERS, numbers

MODES: Final = (
    "overlay", "overlay_explicit", "nop", "reserved", "setreg", "zerosrc", "setdvalid",
    "zerosrc_dvalid",
)  # fmt: skip
OVERLAY, EXPLICIT, NOP, RESERVED, SETREG, ZEROSRC, SETDVALID, ZERO_DVALID = range(8)
_VALUES: Final = ("zero", "minus_infinity", "one", "register")
_OWNERS: Final = ("unpackers", "matrix")
_BANKS: Final = ("same_bank", "other_bank")
_ACCUMULATE: Final = ("plain", "clears", "adds", "overflows")


def excluded_modes(profile: Profile, axes: int, mode_axis: int) -> tuple[Exclude, ...]:
    """Modes that the encoding of the profile does not have, on axis ``mode_axis`` of ``axes``."""
    mode = "reserved" if profile.nop_enc == "BH" else "zerosrc_dvalid"
    where = tuple(mode if axis == mode_axis else None for axis in range(axes))
    return (Exclude(where, "not in this encoding of UNPACR_NOP (U1)"),)


def modes(word: I64, profile: Profile) -> I64:
    """Mode of each word of UNPACR_NOP (docs/unpack.md section 7)."""
    if profile.nop_enc == "WH":
        by_bits: I64 = np.array(
            [OVERLAY, ZEROSRC, NOP, EXPLICIT, SETREG, ZEROSRC, RESERVED, SETDVALID]
        )
        wh: I64 = by_bits[word & 7]
        return wh
    pop = word & 3
    clear = np.where(word >> 6 & 3 == 3, SETDVALID, np.where(word >> 8 & 1, ZERO_DVALID, ZEROSRC))
    none = np.where(word >> 8 & 1, SETDVALID, NOP)
    more = np.where(word >> 2 & 1, SETREG, EXPLICIT)
    found: I64 = np.choose(pop, [np.full_like(word, OVERLAY), clear, none, more])
    return found


class Nops:
    """The NOPs of a run, and those that have not had their effect yet."""

    def __init__(self, points: Tally, profile: Profile) -> None:
        self._points = points
        add = points.group.add
        self._profile = profile
        self._bh = profile.nop_enc == "BH"
        add("nop.unpacker_x_thread_x_mode", UNPACKERS, THREADS, MODES,
                   exclude=excluded_modes(profile, 3, 2))  # fmt: skip
        reason = "not in this encoding of UNPACR_NOP (U1)"
        wh = (
            ()
            if self._bh
            else tuple(Exclude((None, value, *[None] * 4), reason) for value in _VALUES[2:])
        )
        add(
            "nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner",
            UNPACKERS, _VALUES, NO_YES, NO_YES, _BANKS, _OWNERS,
            exclude=wh,
        )  # fmt: skip
        add("nop.zerosrc_unpacker_x_wait_x_went", UNPACKERS, NO_YES, ("at_once", "waited"))
        if self._bh:
            add("nop.zerosrc_one_format_x_unpacker", ("fp16", "bf16", "int8"), UNPACKERS)
        add("nop.setreg_unpacker_x_base_x_accumulate", UNPACKERS, numbers(2), _ACCUMULATE)
        add("nop.overlay_unpacker_x_form_x_count", UNPACKERS, ("implicit", "explicit"),
                   ("0", "other"), exclude=(
                       Exclude((None, "implicit", "other"), "the form has no count (U60)"),
                   ))  # fmt: skip
        add("nop.behind_unpacr_flip_x_mode", NO_YES, MODES,
                   exclude=excluded_modes(profile, 2, 1))  # fmt: skip
        self._setregs: list[I64] = [np.zeros((0, 2), np.int64) for _ in range(2)]
        self._clears: list[I64] = [np.zeros((0, 3), np.int64) for _ in range(2)]
        self._before = np.full((2, 2), -100, np.int64)  # a unit's last UNPACR: sample, flip

    def count(
        self, i: Instructions, mode: I64, streams: Mapping[str, Records],
        owner: Level, matrix: Level, acc: tuple[Level, Level],
    ) -> None:  # fmt: skip
        """Count the instructions ``i`` of a block; ``mode``: -1 for those that are no NOP."""
        hit = self._points.hit
        nop = i.where(mode >= 0)
        kind = mode[mode >= 0]
        u, word = nop["u"], nop["word"]
        hit("nop.unpacker_x_thread_x_mode", u, nop["thread"], kind)
        zero = (kind == ZEROSRC) | (kind == ZERO_DVALID)
        value = word >> 2 & 3 if self._bh else word >> 2 & 1
        both = word >> (4 if self._bh else 3) & 1
        wait = word >> (5 if self._bh else 4) & 1
        level = matrix.at(nop["sample"]) >> u & 1
        bank = np.where(wait == 1, nop["bank"], level)
        of_matrix = owner.at(nop["sample"]) >> 2 * u + bank & 1
        hit(
            "nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner",
            u, value, both, wait, level != nop["bank"], of_matrix, where=zero,
        )  # fmt: skip
        if self._bh:
            hit("nop.zerosrc_one_format_x_unpacker", np.minimum(word >> 6 & 3, 2), u,
                where=zero & (value == 2))  # fmt: skip
        amount = word >> 4 & 0x7FF
        messages = word >> 12 & 7 if self._bh else amount
        overlay = (kind == OVERLAY) | (kind == EXPLICIT)
        explicit = kind == EXPLICIT
        hit("nop.overlay_unpacker_x_form_x_count", u, explicit, explicit & (messages != 0),
            where=overlay)  # fmt: skip
        for unit in range(2):
            mine = (kind == SETREG) & (u == unit)
            self._count_setreg(unit, word[mine], streams[f"u{unit}.setreg"], acc[unit])
            mine = zero & (u == unit)
            new = np.stack([nop["sample"][mine], wait[mine], nop["bank"][mine]], 1)
            self._count_clear(unit, new, streams[f"u{unit}.clear"], owner, matrix)
        self._count_behind(i, mode)

    def _count_setreg(self, unit: int, word: I64, events: Records, acc: Level) -> None:
        name = "nop.setreg_unpacker_x_base_x_accumulate"
        base, amount, adds = word >> 22 & 1, word >> 4 & 0x7FF, word >> 3 & 1
        clears = (adds == 1) & (amount == 0)
        self._points.hit(name, unit, base, 0, where=adds == 0)
        self._points.hit(name, unit, base, 1, where=clears)
        waiting = np.concatenate([self._setregs[unit], np.stack([adds, base], 1)[~clears]])
        n = min(len(events), len(waiting))
        done, self._setregs[unit] = waiting[:n], waiting[n:]
        # as registered in the cycle of the event: before it
        over = events["data"][:n].astype(np.int64) < acc.at(events["cycle"][:n].astype(np.int64), 7)
        self._points.hit(name, unit, done[:, 1], 2 + over, where=done[:, 0] == 1)

    def _count_clear(
        self, unit: int, new: I64, events: Records, owner: Level, matrix: Level
    ) -> None:
        rows = np.concatenate([self._clears[unit], new])
        n = min(len(events), len(rows))
        done, self._clears[unit] = rows[:n], rows[n:]
        cycle = events["cycle"][:n].astype(np.int64) - WRITE - 1
        bank = np.where(done[:, 1] == 1, done[:, 2], matrix.at(cycle) >> unit & 1)
        held = owner.at(cycle) >> 2 * unit + bank & 1
        # it goes so many cycles behind the sampling cycle at the earliest
        waited = (held == 1) & (cycle >= done[:, 0] + PLAN + 1 + REQUEST + FRONT)
        self._points.hit("nop.zerosrc_unpacker_x_wait_x_went", unit, done[:, 1], waited)

    def _count_behind(self, i: Instructions, mode: I64) -> None:
        for unit in range(2):
            mine = i["u"] == unit
            word = i["word"][mine]
            regular = (word >> 24 == 0x42) & (word & 0x2002 == 0)
            rows = np.stack([i["sample"][mine], word >> 6 & 1], 1)
            # the last UNPACR up to each instruction
            last = np.maximum.accumulate(np.where(regular, np.arange(len(word)), -1))
            before = np.where((last >= 0)[:, None], rows[last], self._before[unit])
            near = rows[:, 0] - before[:, 0] <= 16
            self._points.hit(
                "nop.behind_unpacr_flip_x_mode", before[:, 1], mode[mine],
                where=near & (mode[mine] >= 0),
            )  # fmt: skip
            if regular.any():
                self._before[unit] = rows[np.flatnonzero(regular)[-1]]
