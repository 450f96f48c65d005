# SPDX-License-Identifier: Apache-2.0
"""The control block without time: each word takes effect before the next one.

To be read beside the decisions and sections 3 to 8 of ``docs/control.md``: one function for each
instruction (SEMINIT, SEMPOST and SEMGET have ``sync_values.change_semaphores``), and behind them
which word goes to which.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.jit import part, shared
from tilepath.engine.compiled.records import Record, Records, for_compiled, record
from tilepath.isa import profiles
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values, values
from tilepath.models.control.instructions import FAULTS, INSTRUCTIONS, THREADS, Kind
from tilepath.models.control.state import (
    FREE,
    LOW32,
    MUTEXES,
    THREAD_WORDS,
    architectural,
    banks_of,
    read_config,
    read_gpr,
    reset_state,
    semaphore_table,
    state_id,
    stream_of,
    wide,
    write_config,
    write_gpr,
)
from tilepath.models.fields import get

BOTH_HALVES: Final = 0b11

Memory = npt.NDArray[Any]

# REG2FLOP's counter write
_FLOP: Final = record(
    thread="i8", select="i8", channel="i8", counter="i8", checkpoint="i8", value="i8"
)
EFFECT: Final = record(faults="i8", waits="i8", writes_counter="i8", flop=_FLOP)


class Effect(NamedTuple):
    """What came of a word, beside the state.

    ``faults``: names as in section 8 of the block's cycle contract. ``met``: False for a SEMWAIT or
    STREAMWAIT whose condition is not met, and for an ATGETM of a mutex that another thread holds.
    ``flop``: REG2FLOP's counter write, if any: set, select, channel, counter, checkpoint, value.
    """

    faults: tuple[str, ...]
    met: bool
    flop: tuple[int, int, int, int, int, int] | None


_NOTHING: Final = Effect((), True, None)


# --- Config unit (section 4)


@part
def _wrcfg(state: Record, thread: int, word: int) -> None:
    """WRCFG: one register to Config, or four (C15)."""
    bank = state_id(state, thread)
    index = values.config_index(Kind.WRCFG, word)
    if values.drops_write(Kind.WRCFG, index):
        return
    gpr = values.wrcfg_gpr(word)
    # C5: 180 is a multiple of 4, so that four words are all global or none of them
    for n in range(4 if get(word, F.WRCFG_IS128) else 1):
        value = read_gpr(state, thread, gpr + n)
        write_config(state, banks_of(bank, index), index + n, value)


@part
def _rdcfg(state: Record, thread: int, word: int) -> None:
    """RDCFG: Config to a register; 0 from beyond the end (C6)."""
    value = read_config(state, state_id(state, thread), get(word, F.RDCFG_CFG_INDEX))
    write_gpr(state, thread, get(word, F.RDCFG_GPR), BOTH_HALVES, value)


@part
def _rmwcib(state: Record, thread: int, word: int) -> None:
    """RMWCIB0 to RMWCIB3: bits of one byte of a word of Config, of word 4 too (C18)."""
    bank = state_id(state, thread)
    index = values.config_index(Kind.RMWCIB, word)
    if not values.drops_write(Kind.RMWCIB, index):
        value = values.replaced_bits(state, bank, word)
        write_config(state, banks_of(bank, index), index, value)


@part
def _cfgshiftmask(state: Record, thread: int, word: int) -> None:
    """CFGSHIFTMASK: a word of Config and the scratch word (C1 to C5)."""
    bank = state_id(state, thread)
    index = values.config_index(Kind.CFGSHIFTMASK, word)
    if not values.drops_write(Kind.CFGSHIFTMASK, index):
        value = values.shifted_and_masked(state, thread, bank, word)
        write_config(state, banks_of(bank, index), index, value)


@part
def _streamwrcfg(state: Record, thread: int, word: int) -> None:
    """STREAMWRCFG: a stream register to Config. Nothing jumps ahead of it here (C16)."""
    bank = state_id(state, thread)
    index = values.config_index(Kind.STREAMWRCFG, word)
    if not values.drops_write(Kind.STREAMWRCFG, index):
        stream = stream_of(state, thread, get(word, F.STREAMWRCFG_STREAM_SEL))
        value = state.stream_registers[stream, get(word, F.STREAMWRCFG_REG_INDEX)]
        write_config(state, banks_of(bank, index), index, value)


@part
def _setc16(state: Record, thread: int, word: int) -> None:
    """SETC16: a word of the thread's ThreadConfig (C6)."""
    index = get(word, F.SETC16_CFG_INDEX)
    if index < THREAD_WORDS:
        state.thread_config[thread, index] = get(word, F.SETC16_VALUE)


# --- Scalar unit (section 6)


@part
def _setdmareg(state: Record, thread: int, word: int) -> None:
    """SETDMAREG: half a register; nothing in mode 1."""
    if get(word, F.SETDMAREG_MODE) == 0:
        gpr = values.half_gpr(word)
        write_gpr(state, thread, gpr, values.half_mask(word), values.half_value(word))


@part
def _add_or_multiply(state: Record, thread: int, kind: int, word: int) -> None:
    """ADDDMAREG, MULDMAREG (C25); what is before them in the program is done (C22)."""
    a = read_gpr(state, thread, get(word, F.ADDDMAREG_A))
    b = values.second_operand(state, thread, word)
    result = values.sum_or_product(kind, a, b)
    write_gpr(state, thread, get(word, F.ADDDMAREG_RESULT), BOTH_HALVES, result)


@part
def _reg2flop(state: Record, thread: int, word: int, effect: Record) -> None:
    """REG2FLOP: one or four registers to Config, or a register to a counter (C14, C15)."""
    if values.flop_writes_config(word):
        bank = state_id(state, thread)
        index = values.flop_index(word)
        gpr = values.flop_gpr(word)
        for n in range(4 if values.flop_is_quad(word) else 1):
            # one bank: words 64 to 179 are never global (C5)
            state.config[bank, index + n] = state.gpr[thread, gpr + n]
    elif values.flop_writes_counter(word):
        gpr = get(word, F.REG2FLOP_GPR)
        effect.writes_counter = True
        flop = effect.flop
        flop.thread = values.flop_set(thread, word)
        flop.select = get(word, F.REG2FLOP_FLOP_ADC_SEL)
        flop.channel = get(word, F.REG2FLOP_FLOP_CHANNEL)
        flop.counter = get(word, F.REG2FLOP_FLOP_XYZW)
        flop.checkpoint = get(word, F.REG2FLOP_FLOP_CR)
        flop.value = values.counter_value(word, read_gpr(state, thread, gpr))


# --- Sync unit (section 5), and the waits that can be told without time


@part
def _semwait_waits(state: Record, word: int) -> bool:
    """SEMWAIT (C19, C20)."""
    mask = get(word, F.SEMWAIT_SEM_MASK)
    return sync_values.semaphores_wait(state, mask, get(word, F.SEMWAIT_COND))


@part
def _streamwait_waits(state: Record, thread: int, word: int) -> bool:
    """STREAMWAIT: below the target, unsigned (C8, C9)."""
    cond = get(word, F.STREAMWAIT_COND_IDX)
    target = values.stream_target(state, thread, cond, get(word, F.STREAMWAIT_TARGET_LO))
    select = get(word, F.STREAMWAIT_STREAM_SEL)
    return values.stream_count(state, thread, cond, select) < target


@part
def _atgetm(state: Record, thread: int, word: int) -> bool:
    """ATGETM: whether it waits, as another thread holds the mutex; if not the thread takes it.

    An index that there is not does nothing (C19).
    """
    place = sync_values.mutex_place(word)
    if place < 0:
        return False
    owner = wide(state.mutex_owners[place])
    if owner != FREE and owner != thread:
        return True
    state.mutex_owners[place] = thread
    return False


@part
def _atrelm(state: Record, thread: int, word: int) -> None:
    """ATRELM: the mutex is free, if the thread holds it; nothing for another index (C19)."""
    place = sync_values.mutex_place(word)
    if place >= 0:
        owner = sync_values.mutex_owner_after(state, thread, Kind.ATRELM, place)
        state.mutex_owners[place] = owner


# --- All of them


@part
def _config(state: Record, thread: int, kind: int, word: int) -> None:
    if kind == Kind.WRCFG:
        _wrcfg(state, thread, word)
    elif kind == Kind.RDCFG:
        _rdcfg(state, thread, word)
    elif kind == Kind.RMWCIB:
        _rmwcib(state, thread, word)
    elif kind == Kind.CFGSHIFTMASK:
        _cfgshiftmask(state, thread, word)
    else:
        _streamwrcfg(state, thread, word)


@part
def _scalar(state: Record, thread: int, kind: int, word: int, effect: Record) -> None:
    if kind == Kind.SETDMAREG:
        _setdmareg(state, thread, word)
    elif values.is_two_operand(kind):
        _add_or_multiply(state, thread, kind, word)
    elif kind == Kind.REG2FLOP:
        _reg2flop(state, thread, word, effect)


@part
def _sync(state: Record, thread: int, kind: int, word: int, effect: Record) -> None:
    if Kind.SEMINIT <= kind <= Kind.SEMGET:
        sync_values.change_semaphores(state, kind, word)
    elif kind == Kind.SEMWAIT:
        effect.waits = _semwait_waits(state, word)
    elif kind == Kind.STREAMWAIT:
        effect.waits = _streamwait_waits(state, thread, word)
    elif kind == Kind.ATGETM:
        effect.waits = _atgetm(state, thread, word)
    elif kind == Kind.ATRELM:
        _atrelm(state, thread, word)


@shared
def execute_word(states: Records, effects: Records, thread: int, word: int) -> bool:
    """Execute a word; whether there is an effect beside the state."""
    state, effect = states[0], effects[0]
    kind = INSTRUCTIONS[get(word, F.OPCODE)].kind
    effect.faults = values.faults_of(state, thread, kind, word)
    effect.waits = False
    effect.writes_counter = False
    if Kind.WRCFG <= kind <= Kind.STREAMWRCFG:
        _config(state, thread, kind, word)
    elif Kind.SETDMAREG <= kind <= Kind.REG2FLOP:
        _scalar(state, thread, kind, word, effect)
    elif Kind.STALLWAIT <= kind <= Kind.ATRELM:
        _sync(state, thread, kind, word, effect)
    elif kind == Kind.SETC16:
        _setc16(state, thread, word)
    return bool(effect.faults + effect.waits + effect.writes_counter != 0)


class ControlState:
    """Configuration, registers, semaphores and mutexes, and what the instructions do to them.

    The arrays may be written at any time.

    Attributes:
        config: uint32, shape (2 banks, 224). Words 180 to 223 are one copy: write both rows.
        thread_config: uint16, shape (3 threads, 68).
        gpr: uint32, shape (3 threads, 64).
        semaphores: uint8, shape (8, 2): value and maximum, 0 to 15 each.
        streams: uint32, shape (64 streams, 1024 registers): the stream registers, outside the
            block; only read here.
    """

    def __init__(self, profile: str = profiles.DEFAULT, states: Records | None = None) -> None:
        """State after reset: all 0, mutexes free; in ``states``, a ``STATE`` of zeros, if given.

        Raises ``ValueError`` for an unknown profile.
        """
        profiles.get(profile)  # only its name counts: no parameter of it shows without time
        self._states = reset_state() if states is None else states
        self._memory: Memory = np.asarray(self._states).view(np.uint8)
        self._effects: Memory = np.zeros(EFFECT.itemsize // 8, np.int64)
        self._execute = Bound(execute_word, for_compiled(self._states), self._effects.view(EFFECT))
        state = np.asarray(self._states)  # fields of a recarray take ten times as long
        self._owners: npt.NDArray[np.int8] = state["mutex_owners"][0]
        self._owners[:] = FREE
        self.config: npt.NDArray[np.uint32] = state["config"][0]
        self.thread_config: npt.NDArray[np.uint16] = state["thread_config"][0]
        self.gpr: npt.NDArray[np.uint32] = state["gpr"][0]
        self.semaphores: npt.NDArray[np.uint8] = semaphore_table(self._states)
        self.streams: npt.NDArray[np.uint32] = state["stream_registers"][0]

    @property
    def record(self) -> Record:
        """The state as ``values`` reads it."""
        state: Record = self._states[0]
        return state

    def reset(self) -> None:
        """Put the state after reset, stream registers included, into the same arrays."""
        self._memory[:] = 0
        self._owners[:] = FREE

    @property
    def mutexes(self) -> dict[int, int | None]:
        """Thread that holds each of the mutexes 0, 2, 3, 4; ``None``: free."""
        owners = self._owners.tolist()
        return {
            index: None if owner == FREE else owner
            for index, owner in zip(MUTEXES, owners, strict=True)
        }

    def state(self) -> dict[str, npt.NDArray[np.integer]]:
        """A copy of the architectural state, as ``models.control.state.architectural`` has it."""
        return architectural(self._states[0])

    def execute(self, thread: int, word: int) -> Effect:
        """Execute one 32-bit word of thread 0, 1 or 2.

        What applies without time: C1 to C9, C11, C14, C15, C18 to C20, C22, C23, C25.

        A wait that is not met is over nevertheless, and a mutex that another thread holds stays
        where it is: there is no time to wait in. STALLWAIT is always met, nothing being busy.
        Words of other units, NOP and illegal words change no state; an illegal one has the fault
        ``illegal``. Raises ``ValueError`` for another
        thread or a word that does not fit in 32 bits.
        """
        if thread not in range(THREADS):
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= LOW32:
            raise ValueError(f"word {word:#x} does not fit in 32 bits")
        if not self._execute.call(int(thread), int(word)):
            return _NOTHING
        faults, waits, writes_counter, *flop = self._effects.tolist()
        names = tuple(name for bit, name in enumerate(FAULTS) if (faults >> bit) & 1)
        return Effect(names, not waits, tuple(flop) if writes_counter else None)
