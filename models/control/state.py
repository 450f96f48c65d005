# SPDX-License-Identifier: Apache-2.0
"""Architectural state of the block (section 1 of the contract), and how it is read and written.

Both models have this record, and what is computed from words and state is computed once, in
``values``. Reads widen to int64: sums and shifts of what is stored in 32 bits need the room.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record, zeros
from tilepath.isa import constants
from tilepath.isa.boundary import control as boundary
from tilepath.isa.registers import config_field
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import THREADS
from tilepath.models.fields import get
from tilepath.models.fields import wide as wide

CONFIG_WORDS: Final = constants.CFG_WORDS
GLOBAL: Final = constants.CFG_GLOBAL_BASE  # words from here on: one value, which both banks show
BOTH_BANKS: Final = 0b11
THREAD_WORDS: Final = constants.THD_WORDS
GPRS: Final = 64
SEMAPHORES: Final = boundary.SEMAPHORES
SEM_MOST: Final = 15  # that a semaphore can hold (C20)
MUTEXES: Final = boundary.MUTEXES  # indices of those that there are
FREE: Final = -1  # owner of a mutex that nobody holds
STREAMS: Final = 64
STREAM_REGISTERS: Final = 1024
LOW32: Final = 0xFFFFFFFF
_STATE_ID: Final = config_field("CFG_STATE_ID_StateID").addr32
_BANK_SEL: Final = config_field("STREAM_ID_SYNC_SEC0_BankSel").addr32

SEMAPHORE: Final = record(value="u1", maximum="u1")
STATE: Final = record(
    config=("u4", (2, CONFIG_WORDS)),
    thread_config=("u2", (THREADS, THREAD_WORDS)),
    gpr=("u4", (THREADS, GPRS)),
    semaphores=(SEMAPHORE, SEMAPHORES),
    mutex_owners=("i1", len(MUTEXES)),  # thread that holds it, or FREE
    # outside of the block, which only reads them
    stream_registers=("u4", (STREAMS, STREAM_REGISTERS)),
)


def reset_state() -> Records:
    """State after reset, an array of one: all 0, mutexes free."""
    states = zeros(STATE)
    states["mutex_owners"] = FREE
    return states


def architectural(state: Records) -> dict[str, npt.NDArray[np.integer]]:
    """A copy of the state, part by part, for comparison.

    ``config`` (2, 224) uint32, ``thread_config`` (3, 68) uint16, ``gpr`` (3, 64) uint32,
    ``semaphores`` (8, 2) uint8: value, maximum; ``mutexes`` (4,) int8: of 0, 2, 3, 4 the thread
    that holds it, or -1.
    """
    return {
        "config": np.array(state["config"]),
        "thread_config": np.array(state["thread_config"]),
        "gpr": np.array(state["gpr"]),
        "semaphores": np.array(semaphore_table(state)),
        "mutexes": np.array(state["mutex_owners"]),
    }


def semaphore_table(state: Records) -> npt.NDArray[np.uint8]:
    """The semaphores as uint8, shape (8, 2), value and maximum: a view of the state."""
    semaphores = np.asarray(state["semaphores"])
    return semaphores.view(np.uint8).reshape(SEMAPHORES, 2)


@part
def state_id(state: Record, thread: int) -> int:
    """StateID: the bank of Config that the thread's instructions use (C5)."""
    return wide(state.thread_config[thread, _STATE_ID]) & 1


@part
def stream_of(state: Record, thread: int, select: int) -> int:
    """The stream that StreamSelect (2 bits) stands for: the thread's BankSel (C11)."""
    return get(wide(state.thread_config[thread, _BANK_SEL + select]), F.BANK_SEL)


@part
def read_config(state: Record, bank: int, index: int) -> int:
    """A word of Config; 0 beyond the end (C6). All 32 bits are stored (C7)."""
    if index >= CONFIG_WORDS:
        return 0
    return wide(state.config[bank, index])


@part
def banks_of(bank: int, index: int) -> int:
    """Bit mask of the banks that a write through ``bank`` reaches: both for a global word (C5)."""
    return BOTH_BANKS if index >= GLOBAL else 1 << bank


@part
def write_config(state: Record, banks: int, index: int, value: int) -> None:
    """Write a word to the banks of the bit mask ``banks``."""
    if banks & 1:
        state.config[0, index] = value
    if banks & 2:
        state.config[1, index] = value


@part
def read_thread_config(state: Record, thread: int, index: int) -> int:
    """A word of ThreadConfig; 0 beyond the end (C6)."""
    if index >= THREAD_WORDS:
        return 0
    return wide(state.thread_config[thread, index])


@part
def read_gpr(state: Record, thread: int, gpr: int) -> int:
    """A register of the scalar unit."""
    return wide(state.gpr[thread, gpr])


@part
def write_gpr(state: Record, thread: int, gpr: int, halves: int, value: int) -> None:
    """Write the low (bit 0 of ``halves``) and the high half (bit 1) of a register."""
    keep = (0 if halves & 1 else 0xFFFF) | (0 if halves & 2 else 0xFFFF0000)
    state.gpr[thread, gpr] = (wide(state.gpr[thread, gpr]) & keep) | value
