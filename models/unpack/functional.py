# SPDX-License-Identifier: Apache-2.0
"""The unpackers without time: each instruction takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.models.adc import AddressCounters
from tilepath.models.jit import kernel, part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import plan, whole
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.stepping import S_SIZE

OPCODES: Final = (L.OPCODE_UNPACR, L.OPCODE_NOP)
THREADS: Final = 3

_NAMES: Final = (L.FAULTS, L.READ_FAULTS, L.WRITE_FAULTS)


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


@part
def _flip(p: L.Memory, r: L.Memory, owner: L.Memory) -> None:
    """The bank of before goes to the Matrix Unit."""
    if p[L.FLIP]:
        bank = 2 * p[L.UNIT] + p[L.BANK]
        if owner[bank]:
            r[whole.WRITE] |= L.W_FLIP_OWNER
        owner[bank] = 1


@part
def _increment(t: L.Memory, p: L.Memory, live: L.Memory) -> None:
    """The counters of set THREAD and of set ADC, once if they are the same.

    A11, as ``models.adc`` has it for the port: ``untimed_commands.unpack_update``.
    """
    for number in range(THREADS):
        if number == p[L.THREAD] or number == p[L.ADC]:
            for place in range(4):
                which = 1 + (place & 1)
                width = t[T.ZW_MASK] if place & 1 else T.Y_MASK
                at = live[number, p[L.UNIT], place >> 1]
                at[which] = (np.int64(at[which]) + p[L.INCREMENTS + place]) & width


@part
def _regular(
    t: L.Memory,
    p: L.Memory,
    r: L.Memory,
    at: L.Memory,
    live: L.Memory,
    l1: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    owner: L.Memory,
    stale: L.Memory,
) -> None:
    if p[L.COMPRESSED]:
        first = whole.rsi_entry(t, r, l1, p[L.RSI_FIRST])
        end = 0 if p[L.BOUNDED] else whole.rsi_entry(t, r, l1, p[L.RSI_END])
        plan.resolve_compressed(p, first, end)
    if p[L.COUNT] > 0 and plan.starts_unaligned(p):
        r[whole.READ] |= L.R_START_ALIGN
    if p[L.COMPRESSED] and p[L.COUNT] == 0 and p[L.FLIP]:
        r[whole.WRITE] |= L.W_EMPTY_FLIP
    whole.datum_by_datum(t, p, r, at, l1, src, dst, valid)
    if r[whole.WROTE]:  # U42
        if owner[2 * p[L.UNIT] + p[L.BANK]]:
            r[whole.NOT_MET] = 1
        if p[L.DST]:
            stale[p[L.BANK]] = 1
    _increment(t, p, live)


@part
def _zero_src(
    p: L.Memory,
    r: L.Memory,
    src: L.Memory,
    owner: L.Memory,
    stale: L.Memory,
    matrix_bank: L.Memory,
) -> None:
    unit = p[L.UNIT]
    awaited = p[L.BANK] if p[L.WAIT_UNPACR] else np.int64(matrix_bank[unit])  # U58
    if owner[2 * unit + awaited]:
        r[whole.NOT_MET] = 1
    if p[L.BOTH_BANKS] and (owner[2 * unit] or owner[2 * unit + 1]):
        r[whole.WRITE] |= L.W_ZEROSRC_MATRIX
    for bank in range(2):
        if bank == p[L.BANK] or p[L.BOTH_BANKS]:
            begin = whole.BANK_SIZE * (2 * unit + bank)
            for place in range(begin, begin + whole.BANK_SIZE):
                src[place] = p[L.CLEAR_VALUE]
            if unit == 0:
                stale[bank] = 0


@part
def _setreg(p: L.Memory, r: L.Memory, pointers: L.Memory, base: L.Memory) -> None:
    data = p[L.REG_VALUE]
    if p[L.ACCUMULATE]:  # U61
        acc = L.POINTERS * p[L.UNIT] + L.P_ACC
        data = (pointers[acc] + data) & 0x1FFFF if data else 0
        pointers[acc] = data
        if p[L.REG_VALUE] == 0:
            return
    r[whole.EVENT] = 1
    r[whole.DATA] = data
    address = L.SETREG_BASE + np.int64(base[p[L.REG_SELECT]]) + p[L.REG_OFFSET]
    r[whole.ADDRESS] = address & L.LOW32


@kernel
def _execute(
    t: L.Memory,
    p: L.Memory,
    r: L.Memory,
    at: L.Memory,
    config: L.Memory,
    thread_config: L.Memory,
    live: L.Memory,
    pointers: L.Memory,
    l1: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    owner: L.Memory,
    stale: L.Memory,
    matrix_bank: L.Memory,
    setreg_base: L.Memory,
    thread: int,
    word: int,
) -> int:
    """Execute a word; 0 if nothing but the state came of it."""
    for k in range(whole.RESULTS):
        r[k] = 0
    plan.sample(
        t, p, config, thread_config, live, pointers, (word >> 23) & 1, thread, word
    )  # fmt: skip
    plan.leave(p, pointers)
    kind = p[L.KIND]
    if kind == L.REGULAR:
        _regular(t, p, r, at, live, l1, src, dst, valid, owner, stale)
    elif kind == L.ZEROSRC:
        _zero_src(p, r, src, owner, stale, matrix_bank)
    elif kind == L.SETREG:
        _setreg(p, r, pointers, setreg_base)
    _flip(p, r, owner)
    told: int = (
        p[L.FLAGS] | r[whole.READ] | r[whole.WRITE] | r[whole.NOT_MET] | r[whole.EVENT]
    )  # fmt: skip
    return 1 if kind == L.OVERLAY else told


class UnpackState:
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
        dst: uint16, shape (1024 rows, 16 columns); a 32-bit row r has its high halves in row
            A and its low ones in row A + 8, A = (r & 1F8) << 1 | (r & 207) (U36).
        dst_valid: uint8, shape (1024,).
        src_bank: int64, shape (2 unpackers,).
        src_row: int64, shape (2 unpackers, 3 threads).
        context_counter: int64, shape (2 unpackers, 3 threads).
        setreg_acc: int64, shape (2 unpackers,), 17 bits.
        matrix_bank: uint8, shape (2: SrcA, SrcB): the Matrix Unit's bank pointers (U58).
        setreg_base: uint32, shape (2,), 20 bits (U61).
    """

    def __init__(
        self,
        profile: str = profiles.DEFAULT,
        config: npt.NDArray[np.uint32] | None = None,
        thread_config: npt.NDArray[np.uint16] | None = None,
        adc: AddressCounters | None = None,
    ) -> None:
        """State after reset: all 0. Raises ``ValueError`` for an unknown profile.

        ``config``, ``thread_config``, ``adc``: those of another unit, to be shared with it.
        """
        self._t = T.new_tables(profile)
        self._plan = np.zeros(L.PLAN, dtype=np.int64)
        self._result = np.zeros(whole.RESULTS, dtype=np.int64)
        self._at = np.zeros(S_SIZE, dtype=np.int64)
        # Own arrays are spaced like those that are shared: a layout is compiled once only.
        if config is None:
            config = np.zeros((2, L.CFG_WORDS, 2), dtype=np.uint32)[..., 0]
        if thread_config is None:
            thread_config = np.zeros((THREADS, L.THD_WORDS, 4), dtype=np.uint16)[..., 0]
        self.config = config
        self.thread_config = thread_config
        self.adc = AddressCounters(profile) if adc is None else adc
        self._l1 = np.zeros(int(self._t[T.L1_BYTES]) // 4, dtype="<u4")
        self.l1: npt.NDArray[np.uint8] = self._l1.view(np.uint8)
        self._src = np.zeros(4 * whole.BANK_SIZE, dtype=np.uint32)
        files: Any = self._src.reshape(2, 2, L.SRC_ROWS, 16)
        self.src_a: npt.NDArray[np.uint32] = files[0]
        self.src_b: npt.NDArray[np.uint32] = files[1]
        self._owner = np.zeros(4, dtype=np.uint8)
        self.src_owner: npt.NDArray[np.uint8] = self._owner.reshape(2, 2)
        self.stale = np.zeros(2, dtype=np.uint8)
        self._dst = np.zeros(L.DST_ROWS * 16, dtype=np.uint16)
        self.dst: npt.NDArray[np.uint16] = self._dst.reshape(L.DST_ROWS, 16)
        self.dst_valid = np.zeros(L.DST_ROWS, dtype=np.uint8)
        self._pointers = np.zeros(2 * L.POINTERS, dtype=np.int64)
        pointers: npt.NDArray[np.int64] = self._pointers.reshape(2, L.POINTERS)
        self.src_bank = pointers[:, L.P_BANK]
        self.src_row = pointers[:, L.P_ROW : L.P_ROW + THREADS]
        self.context_counter = pointers[:, L.P_CONTEXT : L.P_CONTEXT + THREADS]
        self.setreg_acc = pointers[:, L.P_ACC]
        self.matrix_bank = np.zeros(2, dtype=np.uint8)
        self.setreg_base = np.zeros(2, dtype=np.uint32)
        self._state = (
            self._t,
            self._plan,
            self._result,
            self._at,
            self.config,
            self.thread_config,
            self.adc.live,
            self._pointers,
            self._l1,
            self._src,
            self._dst,
            self.dst_valid,
            self._owner,
            self.stale,
            self.matrix_bank,
            self.setreg_base,
        )

    def execute(self, thread: int, word: int) -> Effect:
        """Execute one 32-bit word, UNPACR or UNPACR_NOP, of thread 0, 1 or 2 (U1 to U67).

        What would have to wait for a bank of the Matrix Unit's is executed all the same: there is
        no time to wait in. Raises ``ValueError`` for another thread or word.
        """
        if not 0 <= thread < THREADS:
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= L.LOW32 or word >> 24 not in OPCODES:
            raise ValueError(f"word {word:#x} is no UNPACR or UNPACR_NOP")
        if not _execute(*self._state, thread, word):
            return _NOTHING
        p, r = self._plan, self._result
        flags = (int(p[L.FLAGS]), int(r[whole.READ]), int(r[whole.WRITE]))
        faults: tuple[str, ...] = ()
        for bits, names in zip(flags, _NAMES, strict=True):
            if bits:
                faults += L.flag_names(bits, names)
        unit = word >> 23 & 1
        overlay = setreg = None
        if p[L.KIND] == L.OVERLAY:
            overlay = unit, int(p[L.STREAM]), int(p[L.CLEAR_COUNT])
        if r[whole.EVENT]:
            setreg = unit, int(r[whole.ADDRESS]), int(r[whole.DATA])
        return Effect(faults, not r[whole.NOT_MET], overlay, setreg)

    def reset(self) -> None:
        """As after reset, in the same arrays; not those of other units (``config``, ``adc``)."""
        for array in (
            self._l1,
            self._src,
            self._owner,
            self.stale,
            self._dst,
            self.dst_valid,
            self._pointers,
            self.matrix_bank,
            self.setreg_base,
        ):
            array[:] = 0

    def set_thread_config(self, thread: int, index: int, value: int) -> None:
        """What a SETC16 of ThreadConfig word ``index`` does beside writing it (U6)."""
        if index == L.MISC_CFG:
            for unit, bit in enumerate(L.MISC_RESET):
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
