# SPDX-License-Identifier: Apache-2.0
"""What has been written, and what instructions leave behind: the programmer's view."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import numpy as np

from tilepath.isa import profiles
from tilepath.models.jit import kernel, part
from tilepath.models.records import Record, Records
from tilepath.models.unpack.faults import FAULTS, flag_names
from tilepath.sequences.unpack import counters as adc
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.counters import Counters
from tilepath.sequences.unpack.memory import Memory
from tilepath.sequences.unpack.plan import PLAN, VIEW

_setup_values: Final = attrgetter(*(one.name for one in fields(Setup)))


@part
def _advance(view: Record, u: int, thread: int, own: int, s: Record) -> None:
    n = (own & 7) + 1 & 7
    view.context[u, thread] = n if n < 1 << s.context_count else 0


@part
def flip(view: Record, thread: int, u: int) -> None:
    """The bank goes to the Matrix Unit."""
    view.bank[u] ^= 1
    view.row[u, thread] = view.threads[thread].bases[u] * 16


@part
def commit(view: Record, counters: Record, thread: int, word: int) -> None:
    """What a word leaves behind, an UNPACR (section 6) with its increments."""
    if word >> 24 != w.OPCODE:
        adc.issue(counters, thread, word)
        return
    u, multi = word >> 23 & 1, word >> 7 & 1
    s, own = view.setups[view.threads[thread].state, u], view.threads[thread]
    if word >> 1 & 1:
        return
    if word >> 13 & 1:
        _advance(view, u, thread, view.context[u, thread], s)
        return
    if multi and word >> 3 & 1:
        _advance(view, u, thread, view.context[u, thread] + own.offset[u], s)
    if word >> 6 & 1:
        flip(view, thread, u)
    elif s.set_upd:
        view.row[u, thread] = (view.row[u, thread] + 16 + 16 * own.bases[u]) & 63
    other = word >> 8 & 3 if multi else thread
    other = 0 if other == 3 else other
    adc.update(counters, u, thread, word)
    if other != thread:
        adc.update(counters, u, other, word)


@kernel
def _commit(views: Records, counters: Records, thread: int, word: int) -> None:
    commit(views[0], counters[0], thread, word)


@kernel
def _flip(views: Records, thread: int, u: int) -> None:
    flip(views[0], thread, u)


class View:
    """Configuration, counters and pointers as a program leaves them."""

    def __init__(self, profile: str) -> None:
        self.profile = profiles.get(profile)
        self.memory = Memory(profile)
        self.counters = Counters(self.profile.zw_w)
        self.states: Records = np.zeros(1, VIEW)
        self.plans: Records = np.zeros(1, PLAN)
        own: Any = self.states[0]
        own.l1_bytes, own.row_w = self.memory.size, self.profile.row_w
        own.row_high = self.profile.srca_row_high
        own.zeros[:] = self.profile.upsample_zeros
        self.bank, self.row, self.context = own.bank, own.row, own.context
        self.setups = [[Setup(), Setup()] for _ in range(2)]
        self.threads = [Thread() for _ in range(3)]
        for bank in (0, 1):
            for unpacker in (0, 1):
                self.set_up(bank, unpacker, Setup())

    def set_up(self, bank: int, unpacker: int, setup: Setup) -> None:
        """What ``unpacker`` reads in a bank."""
        self.setups[bank][unpacker] = setup
        self.states["setups"][0, bank, unpacker] = _setup_values(setup)

    def set_thread(self, thread: int, own: Thread) -> None:
        """The thread's own words; resets of context counters."""
        self.threads[thread] = own
        self.states["threads"][0, thread] = own.state, own.base, own.ovrd, own.offset
        for unpacker in (0, 1):
            if own.reset[unpacker]:
                self.context[unpacker, thread] = 0

    def setup(self, thread: int, unpacker: int) -> Setup:
        """What ``thread`` has set up for ``unpacker``: in the bank of its StateID."""
        return self.setups[self.threads[thread].state][unpacker]

    @property
    def faults(self) -> set[str]:
        """The static faults of the UNPACR that was planned last."""
        return set(flag_names(int(self.plans["faults"][0]), FAULTS))

    def issue(self, thread: int, word: int) -> None:
        """What ``thread`` issues, but a NOP, leaves behind."""
        _commit(self.states, self.counters.states, thread, word)

    def flip(self, thread: int, unpacker: int) -> None:
        """The bank goes to the Matrix Unit."""
        _flip(self.states, thread, unpacker)
