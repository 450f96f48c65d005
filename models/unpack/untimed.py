# SPDX-License-Identifier: Apache-2.0
"""The unpackers without time: each instruction takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import profiles
from tilepath.models.adc import AddressCounters
from tilepath.models.applied import Applied
from tilepath.models.unpack import l1_walk
from tilepath.models.unpack.ask import Model, ask, ask_sections, pass_by
from tilepath.models.unpack.faults import FAULTS, READ_FAULTS, WRITE_FAULTS, flag_names
from tilepath.models.unpack.plan import LOW32, OPCODE_NOP, OPCODE_UNPACR, is_overlay
from tilepath.models.unpack.settings import CFG_WORDS, MISC_CFG, THD_WORDS, Sampled, settings_of
from tilepath.models.unpack.untimed_words import STATE, execute_word, would_write

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


class UnpackState(Applied):
    """Both unpackers, the register files they fill, L1 and what the instructions do to them.

    The arrays, of types and shapes as in ``docs/machine.md``, may be written at any time, with
    values that fit. ``model``: all of it as kernels take it, for ``ask``.
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
        ask(self.model, int(thread), int(word))
        plan: Record = self._states[0].plan
        return plan

    def pass_by(self, thread: int, word: int) -> None:
        """Do what a word, of the counters too, does to pointers and counters, but for data."""
        pass_by(self.model, int(thread), int(word))

    def sections(
        self, bank: int, unpacker: int, ctx: int, multi: int, code: int
    ) -> tuple[int, int, int]:
        """Return byte addresses of RSI, exponents and datums of a compressed tile.

        In a context, as the configuration in ``bank`` has it; ``multi``: of MultiContextMode;
        ``code``: its format.
        """
        rsi = ask_sections(self.model, bank, unpacker, ctx, multi, code)
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
