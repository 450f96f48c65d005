# SPDX-License-Identifier: Apache-2.0
"""The control block without time: each word takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.models.control import layout as L
from tilepath.models.control import streams
from tilepath.models.control import words as W
from tilepath.models.jit import kernel, part

_MUTEXES: Final = (0, 2, 3, 4)
_NOT_MET: Final = 1 << 9  # beside the fault flags
_FLOP: Final = 1 << 10


class Effect(NamedTuple):
    """What came of a word, beside the state.

    ``faults``: names as in section 8 of the block's cycle contract. ``met``: False for a SEMWAIT or
    STREAMWAIT whose condition is not met, and for an ATGETM of a mutex that another thread holds.
    ``flop``: REG2FLOP's counter write, if any: set, select, channel, counter, checkpoint, value.
    """

    faults: tuple[str, ...]
    met: bool
    flop: tuple[int, int, int, int, int, int] | None


@part
def _config(m: L.Memory, s: L.Memory, thread: int, kind: int, word: int) -> None:
    """An instruction of the config unit (sections 4 of contract, 2 of specification)."""
    bank = W.state_id(m, thread)
    index = W.config_index(kind, word)
    gpr = L.GPR + thread * L.GPRS + ((word >> 16) & 63)
    old = W.read_config(m, bank, index)
    if kind == L.RDCFG:
        m[gpr] = old
        return
    if index >= L.CFG_WORDS or (index == L.STATE_RESET and kind != L.RMWCIB):
        return
    banks = W.banks_of(bank, index)
    if kind == L.RMWCIB:
        W.write_config(m, banks, index, W.replace_bits(word, old))
    elif kind == L.CFGSHIFTMASK:
        new = W.shift_mask(word, old, W.scratch_of(m, word, thread))
        W.write_config(m, banks, index, new)
    elif kind == L.STREAMWRCFG:
        stream = W.bank_sel(m, thread, (word >> 21) & 3)
        W.write_config(m, banks, index, s[stream * L.STREAM_REGS + ((word >> 11) & 0x3FF)])
    elif (word >> 15) & 1:
        gpr -= (word >> 16) & 3
        for n in range(4):
            W.write_config(m, banks, index + n, m[gpr + n])
    else:
        W.write_config(m, banks, index, m[gpr])


@part
def _scalar(m: L.Memory, out: L.Memory, thread: int, kind: int, word: int) -> int:
    """An instruction of the scalar unit; ``_FLOP`` if ``out`` has a counter write then."""
    gprs = L.GPR + thread * L.GPRS
    if kind == L.SETDMAREG:
        if (word >> 7) & 1 == 0:
            at = gprs + ((word >> 1) & 63)
            shift = 16 * (word & 1)
            m[at] = (m[at] & (0xFFFF0000 >> shift)) | (((word >> 8) & 0xFFFF) << shift)
    elif kind == L.ADDDMAREG:
        b = (word >> 6) & 63
        total = m[gprs + (word & 63)] + (b if (word >> 23) & 1 else m[gprs + b])
        m[gprs + ((word >> 12) & 63)] = total & L.LOW32
    elif kind == L.REG2FLOP:
        target = (word >> 20) & 3
        flop = (word >> 6) & 127
        if target == 0 and flop < L.FLOP_WORDS:
            quad = (word >> 22) & 3 == 0
            keep = ~3 if quad else ~0
            at = L.CFG + W.state_id(m, thread) * L.CFG_WORDS + L.THCON + (flop & keep)
            for n in range(4 if quad else 1):
                m[at + n] = m[gprs + (word & 63 & keep) + n]
        elif target >= 2:
            out[0] = thread if target == 2 else (word >> 16) & 3
            out[1] = (word >> 9) & 3
            out[2] = (word >> 11) & 1
            out[3] = (word >> 6) & 3
            out[4] = (word >> 8) & 1
            out[5] = W.flop_value(word, m[gprs + (word & 63)])
            if out[0] < 3 and out[1] < 3:
                return _FLOP
    return 0


@part
def _sync(m: L.Memory, s: L.Memory, thread: int, kind: int, word: int) -> int:
    """A wait, or an instruction on semaphores or mutexes; ``_NOT_MET`` if it would wait."""
    if L.SEMINIT <= kind <= L.SEMGET:
        W.change_semaphores(m, kind, word)
    elif kind == L.SEMWAIT:
        if W.semaphores_hold(m, W.wait_what(kind, word)):
            return _NOT_MET
    elif kind == L.STREAMWAIT:
        what = W.wait_what(kind, word)
        target = W.stream_target(m, thread, what, (word >> 4) & 0x3FF)
        if W.stream_count(what, s[W.stream_place(m, thread, what)]) < target:
            return _NOT_MET
    elif kind == L.ATGETM or kind == L.ATRELM:
        slot = W.mutex_slot(word)
        if slot < 0:
            return 0
        owner = m[L.OWNER + slot]
        if kind == L.ATGETM:
            if owner != 0 and owner != thread + 1:
                return _NOT_MET
            m[L.OWNER + slot] = thread + 1
        elif owner == thread + 1:
            m[L.OWNER + slot] = 0
    return 0


@kernel
def _execute(m: L.Memory, s: L.Memory, out: L.Memory, thread: int, word: int) -> int:
    """Fault flags, ``_NOT_MET`` and ``_FLOP`` of a word; ``out`` gets the counter write."""
    kind = m[L.KIND + (word >> 24)]
    flags: int = W.faults_of(m, thread, kind, word)
    if L.WRCFG <= kind <= L.STREAMWRCFG:
        _config(m, s, thread, kind, word)
    elif L.SETDMAREG <= kind <= L.REG2FLOP:
        flags |= _scalar(m, out, thread, kind, word)
    elif L.STALLWAIT <= kind <= L.ATRELM:
        flags |= _sync(m, s, thread, kind, word)
    elif kind == L.SETC16 and (word >> 16) & 0xFF < L.THD_WORDS:
        m[L.THD + thread * L.THD_WORDS + ((word >> 16) & 0xFF)] = word & 0xFFFF
    return flags


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

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """State after reset: all 0, mutexes free. Raises ``ValueError`` for an unknown profile."""
        self._m = L.new_memory(profiles.get(profile))
        self.config: npt.NDArray[np.uint32] = self._low(L.CFG, np.uint32, 2, L.CFG_WORDS)
        self.thread_config: npt.NDArray[np.uint16] = self._low(
            L.THD, np.uint16, streams.THREADS, L.THD_WORDS
        )
        self.gpr: npt.NDArray[np.uint32] = self._low(L.GPR, np.uint32, streams.THREADS, L.GPRS)
        self.semaphores: npt.NDArray[np.uint8] = self._low(L.SEM_VALUE, np.uint8, 2, 8).T
        self.streams: npt.NDArray[np.uint32] = np.zeros((L.STREAMS, L.STREAM_REGS), dtype=np.uint32)
        self._registers = self.streams.reshape(-1)
        self._out = np.zeros(6, dtype=np.int64)

    def _low(self, place: int, dtype: type[np.unsignedinteger], *shape: int) -> Any:
        """The low bits of each int64 in the memory as an array of its own: no copy."""
        words = self._m[place : place + shape[0] * shape[1]].astype("<i8", copy=False)
        step = 8 // np.dtype(dtype).itemsize
        return words.view(dtype)[::step].reshape(shape)

    @property
    def mutexes(self) -> dict[int, int | None]:
        """Thread that holds each of the mutexes 0, 2, 3, 4; ``None``: free."""
        owners = self._m[L.OWNER : L.OWNER + len(_MUTEXES)].tolist()
        return {
            index: owner - 1 if owner else None
            for index, owner in zip(_MUTEXES, owners, strict=True)
        }

    def execute(self, thread: int, word: int) -> Effect:
        """Execute one 32-bit word of thread 0, 1 or 2 (C1 to C23).

        A wait that is not met is over nevertheless, and a mutex that another thread holds stays
        where it is: there is no time to wait in. STALLWAIT is always met, nothing being busy.
        Words of other units, NOP and illegal words do nothing. Raises ``ValueError`` for another
        thread or a word that does not fit in 32 bits.
        """
        if thread not in range(streams.THREADS):
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= L.LOW32:
            raise ValueError(f"word {word:#x} does not fit in 32 bits")
        flags = _execute(self._m, self._registers, self._out, int(thread), int(word))
        names = tuple(name for n, name in enumerate(streams.FAULTS) if (flags >> n) & 1)
        flop = None
        if flags & _FLOP:
            a, b, c, d, e, f = self._out.tolist()
            flop = (a, b, c, d, e, f)
        return Effect(names, not flags & _NOT_MET, flop)


# What this block executes: everything that is assigned but words of the units, counter
# instructions and NOP. An opcode that nobody has is here too: it is ``unsupported``.
OPCODES: Final = tuple(
    opcode
    for opcode, kind in enumerate(L.new_memory(profiles.get())[L.KIND : L.CLASS].tolist())
    if kind == L.UNSUPPORTED or L.STALLWAIT <= kind <= L.DMANOP
)
