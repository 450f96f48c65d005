# SPDX-License-Identifier: Apache-2.0
"""The unpackers without time: each instruction takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa import profiles
from tilepath.models.adc import AddressCounters, untimed_commands
from tilepath.models.applied import Applied
from tilepath.models.unpack import l1_walk, rows, to_registers
from tilepath.models.unpack.ask import Model, ask, ask_for, ask_sections, pass_by
from tilepath.models.unpack.faults import (
    FAULTS,
    READ_FAULTS,
    WRITE_FAULTS,
    WriteFlag,
    flag_names,
)
from tilepath.models.unpack.plan import (
    LOW32,
    OPCODE_NOP,
    OPCODE_UNPACR,
    PLAN,
    POINTERS,
    Kind,
    is_overlay,
    is_zerosrc,
)
from tilepath.models.unpack.sample import leave
from tilepath.models.unpack.settings import (
    CFG_WORDS,
    MISC_CFG,
    SETTINGS,
    THD_WORDS,
    Sampled,
    settings_of,
    wide,
)

OPCODES: Final = (OPCODE_UNPACR, OPCODE_NOP)
THREADS: Final = 3
CONTEXT_RESETS: Final = (1 << 4, 1 << 12)  # bits of ThreadConfig word MISC_CFG (U6)


class Effect(NamedTuple):
    """What came of an instruction, beside the state.

    ``faults``: names as in section 8 of the block's cycle contract: first those of ``fault``, then
    of ``read_fault``, of ``write_fault``. ``met``: False where it would have waited for a bank.
    ``overlay``: unpacker, stream, count of an OverlayClear. ``setreg``: unpacker, address, data of
    a register write.
    """

    faults: tuple[str, ...]
    met: bool
    overlay: tuple[int, int, int] | None
    setreg: tuple[int, int, int] | None


# What came of an instruction, as the kernel tells it
RESULT: Final = record(
    read_faults=np.int64,
    write_faults=np.int64,
    writes=np.int64,  # something was written to the registers
    not_met=np.int64,
    sets_register=np.int64,
    address=np.int64,
    value=np.int64,
)
STATE: Final = record(
    settings=SETTINGS,
    pointers=(POINTERS, 2),
    registers=to_registers.REGISTERS,
    matrix_bank=(np.uint8, 2),
    setreg_base=(np.uint32, 2),
    # of the instruction at hand
    plan=PLAN,
    cursor=l1_walk.CURSOR,
    beat=l1_walk.BEAT,
    writer=to_registers.WRITER,
    step=to_registers.STEP,
    result=RESULT,
)


@part
def _flip(state: Record, plan: Record) -> None:
    """The bank of before goes to the Matrix Unit."""
    registers = state.registers
    if plan.flips:
        if registers.owner[plan.unit, plan.bank]:
            state.result.write_faults |= WriteFlag.FLIP_OWNER
        registers.owner[plan.unit, plan.bank] = 1
        registers.implied[plan.unit, plan.bank] = plan.target.out_format


@part
def _walk(state: Record, plan: Record, l1: l1_walk.Words, stores: bool) -> None:
    """Every datum of a Regular UNPACR, beat by beat; those up to the first write, to be told of."""
    beat, step, result = state.beat, state.step, state.result
    if rows.are_whole(plan, l1):
        result.writes = 1
        if stores:
            result.write_faults |= rows.copy(plan, l1, state.registers.src)
        return
    source = plan.source
    lines = l1_walk.most_lines(source)
    l1_walk.begin(source, state.cursor)
    to_registers.begin(plan, state.writer)
    is_over = source.count == 0
    while not is_over:
        l1_walk.next_beat(plan, state.cursor, lines, beat)
        result.read_faults |= l1_walk.read_beat(plan, beat, l1)
        to_registers.begin_beat(state.writer)
        step.ends_beat = 0
        while step.ends_beat == 0:
            to_registers.next_step(plan, state.writer, beat, step)
            result.write_faults |= step.faults
            if step.writes:
                result.writes = 1
                if not stores:
                    return
                step.parts = 1
                to_registers.store(plan, step, state.registers, False, to_registers.NO_ROWS)
        is_over = step.ends != 0


@part
def _zero_waits(state: Record, plan: Record) -> bool:
    """Whether a ZEROSRC would have to wait for a bank (U58)."""
    awaited = plan.bank if plan.wait_unpacr else wide(state.matrix_bank[plan.unit])
    return bool(state.registers.owner[plan.unit, awaited])


@part
def _regular(state: Record, plan: Record, l1: l1_walk.Words) -> None:
    result = state.result
    _walk(state, plan, l1, True)
    if result.writes and state.registers.owner[plan.unit, plan.bank]:  # U42
        result.not_met = 1


@part
def _zero_src(state: Record, plan: Record) -> None:
    owner, unit = state.registers.owner, plan.unit
    if _zero_waits(state, plan):
        state.result.not_met = 1
    if plan.both_banks and (owner[unit, 0] or owner[unit, 1]):
        state.result.write_faults |= WriteFlag.ZEROSRC_MATRIX
    to_registers.clear(plan, state.registers)


@part
def _setreg(state: Record, plan: Record) -> None:
    result = state.result
    writes, value = to_registers.set_register(plan, state.pointers[plan.unit])
    if writes:
        base = wide(state.setreg_base[plan.reg_select])
        result.sets_register = 1
        result.address = to_registers.register_address(plan, base)
        result.value = value


@compiled
def sample_word(model: Model, plan: Record, thread: int, word: int) -> None:
    """A word issues: make its plan, wherever that is, and do what follows from that alone."""
    ask_for(model, plan, thread, word)
    leave(plan, model.states[0].pointers[plan.unit])
    if plan.kind == Kind.REGULAR:
        untimed_commands.unpack_update(model.counters[0], plan.unit, plan)


@compiled
def execute_plan(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Do the rest of what was sampled; whether anything but the state came of it."""
    result = state.result
    result.writes = result.not_met = result.sets_register = 0
    if plan.kind == Kind.REGULAR:
        _regular(state, plan, l1)
    elif is_zerosrc(plan):
        _zero_src(state, plan)
    elif plan.kind == Kind.SETREG:
        _setreg(state, plan)
    _flip(state, plan)
    faults = plan.faults | result.read_faults | result.write_faults
    return bool(faults | result.not_met | result.sets_register) or is_overlay(plan)


@compiled
def execute_word(model: Model, thread: int, word: int) -> bool:
    """Execute a word; whether anything but the state came of it."""
    state = model.states[0]
    sample_word(model, state.plan, thread, word)
    return execute_plan(state, state.plan, model.l1)


@compiled
def _writes(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Whether what was sampled would write something to the registers."""
    state.result.writes = 0
    if plan.kind == Kind.REGULAR:
        _walk(state, plan, l1, False)
    return bool(state.result.writes)


@compiled
def would_write(model: Model, thread: int, word: int) -> bool:
    """Whether a word would write something to the registers; only what is at hand changes."""
    state = model.states[0]
    ask(model, thread, word)
    return _writes(state, state.plan, model.l1)


@part
def is_early(state: Record, plan: Record, l1: l1_walk.Words) -> bool:
    """Whether what was sampled has to wait for a bank of the Matrix Unit's (U42, U58)."""
    if is_zerosrc(plan):
        return _zero_waits(state, plan)
    return bool(state.registers.owner[plan.unit, plan.bank]) and _writes(state, plan, l1)


@compiled
def _ask(model: Model, thread: int, word: int) -> None:
    ask(model, thread, word)


@compiled
def _pass_by(model: Model, thread: int, word: int) -> None:
    pass_by(model, thread, word)


@compiled
def _sections(model: Model, bank: int, unit: int, ctx: int, multi: int, code: int) -> int:
    return ask_sections(model, bank, unit, ctx, multi, code)


class UnpackState(Applied):
    """Both unpackers, the register files they fill, L1 and what the instructions do to them.

    The arrays may be written at any time, with values that fit.

    Attributes:
        config: uint32, shape (2 banks, 224).
        thread_config: uint16, shape (3 threads, 68).
        adc: the address counters.
        l1: uint8, shape (l1_bytes of the profile,).
        src_a, src_b: uint32, shape (2 banks, 64 rows, 16 columns): 19 bits each: sign, mantissa
            (10), exponent (8).
        src_owner: uint8, shape (2: SrcA, SrcB; 2 banks): 0 Unpackers, 1 Matrix Unit.
        stale: uint8, shape (2 banks,): SrcA banks that unpack-to-Dst made unpredictable (U37).
        dst: uint16, shape (1024 rows of storage, 16 columns); a 32-bit row has its high halves in
            one row and its low ones eight rows further: ``models.dst_rows`` (U36, P52).
        dst_valid: uint8, shape (1024,), 1 after reset (P58).
        src_bank: int64, shape (2 unpackers,).
        src_row: int64, shape (2 unpackers, 3 threads).
        context_counter: int64, shape (2 unpackers, 3 threads).
        setreg_acc: int64, shape (2 unpackers,), 17 bits.
        matrix_bank: uint8, shape (2: SrcA, SrcB): the Matrix Unit's bank pointers (U58).
        setreg_base: uint32, shape (2,), 20 bits (U61).
        model: all of it as kernels take it, for ``ask``.
    """

    def __init__(
        self,
        profile: str = profiles.DEFAULT,
        config: npt.NDArray[np.uint32] | None = None,
        thread_config: npt.NDArray[np.uint16] | None = None,
        adc: AddressCounters | None = None,
        states: Records | None = None,
    ) -> None:
        """State after reset: all 0, but Dst's rows valid; in ``states``, all 0, if given.

        Raises ``ValueError`` for an unknown profile. ``config``, ``thread_config``, ``adc``: those
        of another unit, to be shared with it.
        """
        self._states = np.zeros(1, STATE) if states is None else states
        state: Any = self._states[0]
        state.settings = settings_of(profile)[0]
        # Own arrays are laid out as those that are shared: a layout is compiled once only.
        if config is None:
            config = np.zeros((2, CFG_WORDS), np.uint32)
        if thread_config is None:
            thread_config = np.zeros((THREADS, THD_WORDS), np.uint16)
        self.config = config
        self.thread_config = thread_config
        self.adc = AddressCounters(profile) if adc is None else adc
        self._l1 = l1_walk.new_l1(int(state.settings.l1_bytes))
        self.l1: npt.NDArray[np.uint8] = self._l1.view(np.uint8)
        registers = state.registers
        self.src_a: npt.NDArray[np.uint32] = registers.src[0]
        self.src_b: npt.NDArray[np.uint32] = registers.src[1]
        self.src_owner: npt.NDArray[np.uint8] = registers.owner
        self.stale: npt.NDArray[np.uint8] = registers.stale
        self.implied: npt.NDArray[np.uint8] = registers.implied
        self.dst: npt.NDArray[np.uint16] = registers.dst
        self.dst_valid: npt.NDArray[np.uint8] = registers.valid
        self.dst_valid[:] = 1
        self.src_bank: npt.NDArray[np.int64] = state.pointers["bank"]
        self.src_row: npt.NDArray[np.int64] = state.pointers["row"]
        self.context_counter: npt.NDArray[np.int64] = state.pointers["context"]
        self.setreg_acc: npt.NDArray[np.int64] = state.pointers["acc"]
        self.matrix_bank: npt.NDArray[np.uint8] = state.matrix_bank
        self.setreg_base: npt.NDArray[np.uint32] = state.setreg_base
        sampled = Sampled(config, thread_config, self.adc.live)
        self.model = Model(self._states, sampled, self._l1, self.adc.records)
        self._execute, self._writes = (
            Bound(execute_word, self.model),
            Bound(would_write, self.model),
        )

    def execute(self, thread: int, word: int) -> Effect:
        """Execute one 32-bit word, UNPACR or UNPACR_NOP, of thread 0, 1 or 2 (U1 to U67).

        What would have to wait for a bank of the Matrix Unit's is executed all the same: there is
        no time to wait in. Raises ``ValueError`` for another thread or word.
        """
        if not 0 <= thread < THREADS:
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= LOW32 or word >> 24 not in OPCODES:
            raise ValueError(f"word {word:#x} is no UNPACR or UNPACR_NOP")
        if not self._execute.call(thread, word):
            return _NOTHING
        state: Any = self._states[0]
        plan, result = state.plan, state.result
        faults = (
            flag_names(int(plan.faults), FAULTS)
            + flag_names(int(result.read_faults), READ_FAULTS)
            + flag_names(int(result.write_faults), WRITE_FAULTS)
        )
        unit = word >> 23 & 1
        overlay = setreg = None
        if is_overlay(plan):
            overlay = unit, int(plan.stream), int(plan.clear_count)
        if result.sets_register:
            setreg = unit, int(result.address), int(result.value)
        return Effect(faults, not result.not_met, overlay, setreg)

    def writes(self, thread: int, word: int) -> bool:
        """Whether an UNPACR, executed now, would write to SrcA, SrcB or Dst (U42).

        Nothing changes. Thread and word are those of ``execute``, which checks them.
        """
        return bool(self._writes.call(thread, word))

    def ask(self, thread: int, word: int) -> Record:
        """Return the plan (``plan.PLAN``) of a word, executed now; it stays until the next word.

        Nothing changes. Thread and word are those of ``execute``, which checks them.
        """
        _ask(self.model, int(thread), int(word))
        plan: Record = self._states[0].plan
        return plan

    def pass_by(self, thread: int, word: int) -> None:
        """Do what a word, of the counters too, does to pointers and counters, but for data."""
        _pass_by(self.model, int(thread), int(word))

    def sections(
        self, bank: int, unpacker: int, ctx: int, multi: int, code: int
    ) -> tuple[int, int, int]:
        """Return byte addresses of RSI, exponents and datums of a compressed tile.

        In a context, as the configuration in ``bank`` has it; ``multi``: of MultiContextMode;
        ``code``: its format.
        """
        rsi = _sections(self.model, bank, unpacker, ctx, multi, code)
        source = self._states[0].plan.source
        return rsi, int(source.exponents), int(source.datums)

    def reset(self) -> None:
        """Put the state after reset into the same arrays, not into ``config`` and ``adc``."""
        settings = self._states["settings"].copy()
        self._states.view(np.uint8)[:] = 0
        self._states["settings"] = settings
        self.dst_valid[:] = 1
        self._l1[:] = 0

    def _apply_setc16(self, fields: Any, thread: int) -> None:
        """With a reset of the context counters (U6)."""
        super()._apply_setc16(fields, thread)
        self.set_thread_config(thread, int(fields["index"]), int(fields["value"]))

    def set_thread_config(self, thread: int, index: int, value: int) -> None:
        """What a SETC16 of ThreadConfig word ``index`` does beside writing it (U6)."""
        if index == MISC_CFG:
            for unit, bit in enumerate(CONTEXT_RESETS):
                if value & bit:
                    self.context_counter[unit, thread] = 0

    def release(self, file: int, bank: int) -> None:
        """The Matrix Unit gives a bank back; ``file``: 0 SrcA, 1 SrcB.

        Raises ``ValueError`` for another file or bank.
        """
        if file not in (0, 1) or bank not in (0, 1):
            raise ValueError(f"no bank {bank!r} of file {file!r}: choose from 0, 1 each")
        self.src_owner[file, bank] = 0
        if file == 0:
            self.stale[bank] = 0


_NOTHING: Final = Effect((), True, None, None)
