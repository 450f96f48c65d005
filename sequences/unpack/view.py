# SPDX-License-Identifier: Apache-2.0
"""What has been written, and what instructions leave behind: the golden model without time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records
from tilepath.models.unpack import UnpackState
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.memory import Memory
from tilepath.sequences.unpack.plan import REACH


class View:
    """Configuration, counters and pointers as a program leaves them, and L1 as it was written.

    ``machine`` has all of them, but for data in the registers: words pass it by.
    """

    def __init__(self, profile: str) -> None:
        self.machine: Final = UnpackState(profile)
        self.memory = Memory(self.machine.l1)
        self.reaches: Records = np.zeros(1, REACH)
        self.bank, self.context = self.machine.src_bank, self.machine.context_counter
        self.setups = [[Setup(), Setup()] for _ in range(2)]
        self.threads = [Thread() for _ in range(3)]
        for bank in (0, 1):
            for unpacker in (0, 1):
                self.set_up(bank, unpacker, Setup())

    def set_up(self, bank: int, unpacker: int, setup: Setup) -> dict[int, int]:
        """What ``unpacker`` reads in a bank; returns the words of that."""
        self.setups[bank][unpacker] = setup
        words = setup.words(unpacker)
        self.machine.config[bank, [*words]] = [*words.values()]
        return words

    def set_thread(self, thread: int, own: Thread, words: Mapping[int, int]) -> None:
        """The thread's own ``words``, those of ``own``; resets of context counters."""
        self.threads[thread] = own
        for index, value in words.items():
            self.machine.thread_config[thread, index] = value
            self.machine.set_thread_config(thread, index, value)

    def setup(self, thread: int, unpacker: int) -> Setup:
        """What ``thread`` has set up for ``unpacker``: in the bank of its StateID."""
        return self.setups[self.threads[thread].state][unpacker]
