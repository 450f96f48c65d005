# SPDX-License-Identifier: Apache-2.0
"""UNPACR_NOP once more, in plain Python, and the state of the reference of the unpackers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilepath import isa
from tilepath.isa import profiles
from tilepath.models.unpack import UnpackState

CYCLE = 1 << 32
ARRAYS = (
    "config", "thread_config", "l1", "src_a", "src_b", "src_owner", "stale", "dst", "dst_valid",
    "src_bank", "src_row", "context_counter", "setreg_acc", "matrix_bank", "setreg_base",
)  # fmt: skip


class Nops:
    """State as that of ``UnpackState``, in arrays of its own; what UNPACR_NOP does to it."""

    def __init__(self, state: UnpackState, profile: str) -> None:
        for name in ARRAYS:
            setattr(self, name, np.array(getattr(state, name)))
        self.live = np.array(state.adc.live)
        self.widths = state.adc.widths
        self.profile = profiles.get(profile)
        self.faults: set[str] = set()

    def cfg(self, name: str) -> int:
        field = isa.config_field(name.replace("#", str(self.unit)).replace("@", "AB"[self.unit]))
        if field.space == "Thread":
            return field.extract(int(self.thread_config[self.thread, field.addr32]))
        return field.extract(int(self.config[self.bank_of_config, field.addr32]))

    def flag(self, name: str, when: Any) -> None:
        if when:
            self.faults.add(name)

    def flip(self) -> None:
        self.flag("flip_owner", self.owner[self.bank])
        self.owner[self.bank] = 1
        self.src_bank[self.unit] ^= 1
        self.src_row[self.unit, self.thread] = self.cfg("SRC@_SET_Base") << 4

    def zerosrc(self, value: int, both: int, like_unpacr: int) -> None:
        waited = self.bank if like_unpacr else int(self.matrix_bank[self.unit])
        self.met = not self.owner[waited]
        self.flag("zerosrc_matrix", both and any(self.owner))
        for bank in range(2):
            if both or bank == self.bank:
                self.file[bank] = value
                if self.unit == 0:
                    self.stale[bank] = 0

    def clear_overlay(self, count: int) -> None:
        stream = self.word >> 16 & 63 if count else self.cfg("NOC_OVERLAY_MSG_CLEAR_StreamId_#")
        self.overlay = (self.unit, stream, count)

    def write_register(self) -> None:
        w = self.word
        value = w >> 4 & 0x7FF
        address = 0xFFB00000 + int(self.setreg_base[w >> 22 & 1]) + ((w >> 16 & 63) << 12)
        if not w & 8:
            self.setreg = (self.unit, address % CYCLE, value)
        elif value == 0:
            self.setreg_acc[self.unit] = 0
        else:
            value = (int(self.setreg_acc[self.unit]) + value) % (1 << 17)
            self.setreg_acc[self.unit] = value
            self.setreg = (self.unit, address % CYCLE, value)

    def nop_wh(self) -> None:
        w, mode, named = self.word, self.word & 7, "2:0"
        if mode in (1, 5):
            named = "4:0"
            negative = bool(w & 4)
            if negative and self.unit == 1 and not self.profile.zerosrc_neginf_srcb:
                self.faults.add("neginf_srcb")
                negative = False
            self.zerosrc(0x7FFFF if negative else 0, w & 8, w & 16)
        elif mode == 0:
            self.clear_overlay(0)
        elif mode == 3:
            named = "21:16 14:4 2:0"
            self.clear_overlay(w >> 4 & 0x7FF)
        elif mode == 4:
            named = "22:16 14:0"
            self.write_register()
        elif mode == 7:
            self.flip()
        self.flag("nop_reserved", mode == 6)
        self.foreign(named)

    def nop_bh(self) -> None:
        w = self.word
        named = "1:0"
        if w & 3 == 1 and w >> 6 & 3 == 3:
            named = "8:5 3:0"
            self.flip()
        elif w & 3 == 1:
            named = "8:0"
            ones = [0xF, 0x7F, 0x110][w >> 6 & 3]
            value = [0, 0x7FFFF, ones, self.cfg("UNP#_NOP_REG_CLR_VAL") & 0x7FFFF][w >> 2 & 3]
            self.zerosrc(value, w & 16, w & 32)
            if w & 0x100:
                self.flip()
        elif w & 3 == 2:
            named = "8 1:0"
            if w & 0x100:
                self.flip()
        elif w & 3 == 0:
            self.clear_overlay(0)
        elif w & 4:
            named = "22:16 15 14:0"
            self.write_register()
            self.flag("nop_foreign", w & 0x7FFFFF == 7)
        else:
            named = "21:16 14:12 2:0"
            self.clear_overlay(w >> 12 & 7)
        self.foreign(named)

    def foreign(self, named: str) -> None:
        bits = set(range(23))
        for some in named.split():
            high, _, low = some.partition(":")
            bits -= set(range(int(low or high), int(high) + 1))
        self.flag("nop_foreign", any(self.word >> bit & 1 for bit in bits))
