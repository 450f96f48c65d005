# SPDX-License-Identifier: Apache-2.0
"""The packers without time: each instruction takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.jit import compiled, part, shared
from tilepath.engine.compiled.records import Record, Records, for_compiled, placed, record, zeros
from tilepath.isa import constants, profiles
from tilepath.models.adc import AddressCounters, untimed_commands
from tilepath.models.applied import STREAMS, Applied
from tilepath.models.pack import addresses, checks, faults, instruction_walk, lines, sample, setreg
from tilepath.models.pack import fields as F
from tilepath.models.pack.addresses import Counters
from tilepath.models.pack.fields import Config, ThreadConfig, read, wide
from tilepath.models.pack.instruction_walk import Memory
from tilepath.models.pack.settings import Sampled, set_mode
from tilepath.models.pack.state import COLUMNS, DST_ROWS, PACKERS, WALK, new_state

THREADS: Final = 3
UPDATE: Final = record(sets=np.int64, addr_mod=np.int64)  # fields of the counters' stream ``pack``
PACR: Final = constants.OP_PACR
SETREG: Final = constants.OP_PACR_SETREG
CLREXPHIST: Final = constants.OP_CLREXPHIST
OPCODES: Final = (PACR, SETREG, CLREXPHIST, F.ZEROACC)
_HALF: Final = DST_ROWS // 2
_CLEAR: Final = 1  # op of ``hist``


class Effect(NamedTuple):
    """What came of an instruction, beside the state.

    ``faults``: names as in section 10 of the block's cycle contract: first those of ``fault``, then
    of ``run_fault``. ``setreg``: address and data of a register write.
    """

    faults: tuple[str, ...]
    setreg: tuple[int, int] | None


class Inputs(NamedTuple):
    """What instructions read beside the packers' own state, and the counters, which they move.

    ``counters``: an ``adc.untimed_state.STATE``. ``update``: an ``UPDATE``, to be filled.
    """

    config: Config
    thread_config: ThreadConfig
    counters: Records
    update: Records


@part
def depart(state: Record, sampled: Sampled, word: int, passed: Record) -> None:
    """The instruction's mode becomes that of the packers (section 4 of the contract)."""
    config, bank, parameters = sampled.config, sampled.bank, state.parameters
    state.access.remap = parameters.dst_remap & read(config, bank, F.REMAP)
    state.access.swizzle = parameters.dst_remap & read(config, bank, F.SWIZZLE)
    for number in range(parameters.packers):
        mode = state.modes[number]
        to, compresses = mode.to, mode.compresses
        block = sample.block_of(parameters, number, word)
        set_mode(mode, parameters, sampled, number, block)
        if mode.to != to or mode.compresses != compresses:
            lines.change_format(mode, state.packers[number], number, passed)


@part
def pacr(
    state: Record, sampled: Sampled, live: Counters, memory: Memory, thread: int, word: int,
    passed: Record,
) -> None:  # fmt: skip
    """PACR."""
    parameters = state.parameters
    of_set = addresses.counter_set(thread, word)
    packers = sample.packers_of(parameters, sample.mask_of(parameters, word))
    depart(state, sampled, word, passed)
    told = checks.word_faults(state, sampled, word)
    told |= checks.count_faults(parameters, live, of_set, word)
    for number in range(PACKERS):
        if (packers >> number) & 1:
            sample.set_plan(state, sampled, live, of_set, word, number)
            told |= checks.packer_faults(state, sampled, live, of_set, thread, word, number)
            plan = state.plans[number]
            instruction_walk.take_addresses(state.modes[number], state.packers[number], plan)
            instruction_walk.run(state, memory, number, passed)
    passed.faults = told


@part
def move_counters(inputs: Inputs, thread: int, word: int) -> None:
    """The counters behind a word: of a PACR they go on (P18)."""
    if word >> 24 != PACR:
        return
    update = inputs.update[0]
    update.sets = 1 << addresses.counter_set(thread, word)
    update.addr_mod = inputs.thread_config[thread, F.ADDR_MOD + F.get(word, F.ADDR_MODE)]
    untimed_commands.pack_update(inputs.counters[0], update)


@part
def pacr_setreg(state: Record, sampled: Sampled, word: int, passed: Record) -> None:
    """PACR_SETREG."""
    parameters = state.parameters
    if setreg.is_load(parameters, word):
        setreg.load(state, word)
        return
    setreg.write(state, sampled.config, sampled.bank, word, passed)
    packers = setreg.packers_of(parameters, word)
    for number in range(PACKERS):
        if (packers >> number) & 1:
            plan = state.plans[number]
            plan.last, plan.closes_row = 1, 0
            keeps = parameters.tile_position_kept
            instruction_walk.end(
                state.modes[number], plan, state.packers[number], number, keeps, passed
            )


@shared
def gather(
    state: Record, passed: Record, config: Config, thread_config: ThreadConfig, live: Counters,
    memory: Memory, thread: int, word: int,
) -> None:  # fmt: skip
    """What a PACR or PACR_SETREG, with what it sampled, makes of Dst, but for lines to L1."""
    instruction_walk.begin(passed)
    sampled = Sampled(config, thread_config, wide(thread_config[thread, F.STATE_ID]) & 1)
    if word >> 24 == PACR:
        pacr(state, sampled, live, memory, thread, word, passed)
    else:
        pacr_setreg(state, sampled, word, passed)


@shared
def scatter(state: Record, passed: Record, memory: Memory) -> int:
    """The lines go to L1; 0 if nothing but the state came of the word."""
    instruction_walk.write_lines(state, memory.l1, passed)
    told: int = passed.faults | passed.run_faults << faults.RUN_SHIFT | passed.writes << 62
    return told


@compiled
def execute_word(
    states: Records, walks: Records, inputs: Inputs, memory: Memory, thread: int, word: int
) -> int:
    """Execute a PACR or PACR_SETREG; 0 if nothing but the state came of it."""
    config, thread_config, live = inputs.config, inputs.thread_config, inputs.counters[0].live
    gather(states[0], walks[0], config, thread_config, live, memory, thread, word)
    move_counters(inputs, thread, word)
    return scatter(states[0], walks[0], memory)


@compiled
def _clear_rows(valid: npt.NDArray[np.uint8], word: int) -> None:
    """ZEROACC (P58)."""
    mode = F.get(word, F.ZEROACC_MODE)
    first = _HALF * F.get(word, F.ZEROACC_HALF) if mode == 2 else 0
    rows = _HALF if mode == 2 else DST_ROWS if mode == 3 else 0
    for row in range(first, first + rows):
        valid[row] = 0


class PackState(Applied):
    """The packers, what they read (Dst) and what they write (L1).

    The arrays, of types and shapes as in ``docs/machine.md``, may be written at any time, with
    values that fit. ``dst_valid`` is 1 after reset (P58): set it with the rows that you write, if
    ZEROACC has been there. ``walk``: what the last PACR or PACR_SETREG read and wrote, in order.
    """

    streams = (*STREAMS, "dst_zero", "dst_write", "hist", "offset", "issue")

    def __init__(
        self,
        profile: str = profiles.DEFAULT,
        config: Config | None = None,
        thread_config: ThreadConfig | None = None,
        adc: AddressCounters | None = None,
        dst: npt.NDArray[np.uint16] | None = None,
        dst_valid: npt.NDArray[np.uint8] | None = None,
        l1: npt.NDArray[np.uint8] | None = None,
        states: Records | None = None,
        walk: Records | None = None,
    ) -> None:
        """State after reset, in ``states`` if given. Raises ``ValueError`` for an unknown profile.

        The arrays and ``adc``: those of other units, to be shared with them; as they are, not
        reset.
        """
        self._profile = profile
        self._states = placed(new_state(profile), states)
        state = self._states
        if config is None:
            config = np.zeros((2, constants.CFG_WORDS), dtype=np.uint32)
        if thread_config is None:
            thread_config = np.zeros((THREADS, constants.THD_WORDS), dtype=np.uint16)
        self.config = config
        self.thread_config = thread_config
        self.adc = AddressCounters(profile) if adc is None else adc
        self.dst = np.zeros((DST_ROWS, COLUMNS), dtype=np.uint16) if dst is None else dst
        self.dst_valid = np.ones(DST_ROWS, dtype=np.uint8) if dst_valid is None else dst_valid
        if l1 is None:
            l1 = np.zeros(profiles.get(profile).l1_bytes // 4, dtype=np.uint32).view(np.uint8)
        self.l1: npt.NDArray[np.uint8] = l1
        self.bins: npt.NDArray[np.uint8] = state["bins"][0]
        self.maximum: npt.NDArray[np.uint8] = state["maximum"][0]
        self.l1_dest_addr_offset: npt.NDArray[np.uint16] = state["offsets"][0]
        self.setreg_base: npt.NDArray[np.uint32] = state["setreg_base"][0]
        self.setreg_scaler: npt.NDArray[np.uint32] = state["setreg_scaler"][0]
        self.walk: Records = zeros(WALK) if walk is None else walk.view(np.recarray)
        inputs = Inputs(config, thread_config, self.adc.records, np.zeros(1, UPDATE))
        memory = Memory(self.dst, self.dst_valid, l1.view(np.uint32).reshape(-1, 4))
        self._execute = Bound(execute_word, self._states, for_compiled(self.walk), inputs, memory)

    def reset(self) -> None:
        """Put the state after reset into the same arrays, not into other units' (``dst``, …)."""
        placed(new_state(self._profile), self._states)
        self.walk[:] = zeros(WALK)

    def execute(self, thread: int, word: int) -> Effect:
        """Execute one 32-bit word of ``OPCODES``, of thread 0, 1 or 2.

        Raises ``ValueError`` for another thread or word.
        """
        if not 0 <= thread < THREADS:
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= 0xFFFFFFFF or word >> 24 not in OPCODES:
            raise ValueError(f"word {word:#x} is none of the packers'")
        opcode = word >> 24
        if opcode == CLREXPHIST:
            self.bins[:] = 0
            self.maximum[:] = 0
            return _NOTHING
        if opcode == F.ZEROACC:
            _clear_rows(self.dst_valid, word)
            return _NOTHING
        told = self._execute.call(thread, word)
        if not told:
            return _NOTHING
        written = None
        if told >> 62:
            record: Any = self.walk[0]
            written = int(record.address), int(record.written)
        return Effect(faults.names(told), written)

    def _apply_issue(self, fields: Any, _thread: int) -> Effect:
        return self.execute(int(fields["thread"]), int(fields["word"]))

    def _apply_dst_zero(self, fields: Any, _thread: int) -> None:
        first = 0 if fields["all"] else _HALF * int(fields["half"])
        self.dst_valid[first : DST_ROWS if fields["all"] else first + _HALF] = 0

    def _apply_dst_write(self, fields: Any, _thread: int) -> None:
        rows = np.asarray(fields["data"], "<u4").view("<u2").reshape(-1, COLUMNS)
        for k in range(int(fields["count"])):
            row = (int(fields["row"]) + k) % DST_ROWS
            columns = fields["mask"][k] >> np.arange(COLUMNS) & 1 == 1
            self.dst[row, columns] = rows[k, columns]
            self.dst_valid[row] = 1

    def _apply_hist(self, fields: Any, _thread: int) -> None:
        if fields["op"] == _CLEAR:
            self.execute(0, CLREXPHIST << 24)

    def _apply_offset(self, fields: Any, _thread: int) -> None:
        for packer in range(PACKERS):
            if fields["packers"] >> packer & 1:
                self.l1_dest_addr_offset[packer] = fields["value"]

    def histogram(self, mode: int, packer: int) -> npt.NDArray[np.uint8]:
        """What a read-out gives (P27): uint8, shape (16,).

        ``mode`` 6: bins 0 to 15 of the packer, 7: bins 16 to 31, 9: the maximum of packer 0 in the
        first element; any other: 0. ``packer`` counts modulo the packers of the profile.
        """
        given = np.zeros(16, dtype=np.uint8)
        number = packer % int(self._states[0].parameters.packers)
        if mode in (6, 7):
            given[:] = self.bins[number].reshape(2, 16)[mode - 6]
        elif mode == 9:
            given[0] = self.maximum[0]
        return given


_NOTHING: Final = Effect((), None)
