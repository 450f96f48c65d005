# SPDX-License-Identifier: Apache-2.0
"""What reaches a machine without an instruction word: the cores' accesses, the Matrix Unit's.

The cores of a tile see semaphores, configuration, registers, MopCfg and L1 in their address space;
each method here is one such access, which takes effect at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa import constants, tables
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models import unpack
from tilepath.models.control import ControlState
from tilepath.models.machine.arrays import as_integers, fill
from tilepath.models.machine.records import Fault, as_choice, as_integer, as_thread

if TYPE_CHECKING:
    from tilepath.models import adc, pack, standin
    from tilepath.models.machine.records import Event, Words

BANKS: Final = 2
FILES: Final = ("SrcA", "SrcB")
_GPRS: Final = 64
_FIRST_MASK_BIT: Final = tables.position("SEMPOST_SEM_MASK").lsb
STATE_RESET: Final = isa.config_field("STATE_RESET_EN").addr32


def semaphore_word(opcode: int, index: int) -> int:
    """The SEMPOST or SEMGET of one semaphore."""
    return opcode << 24 | 1 << index + _FIRST_MASK_BIT


class CoreAccess:
    """The part of ``Machine`` that is not about words; see there.

    Another index, bank, thread or field, and a value that does not fit, raise ``ValueError``.
    """

    profile: str
    on_issue: Any
    mop_cfg: tuple[Words, ...]
    adc: adc.AddressCounters
    config: npt.NDArray[np.uint32]
    thread_config: npt.NDArray[np.uint16]
    gpr: npt.NDArray[np.uint32]
    semaphores: npt.NDArray[np.uint8]
    streams: npt.NDArray[np.uint32]
    unpack: unpack.UnpackState
    l1: npt.NDArray[np.uint8]
    src_a: npt.NDArray[np.uint32]
    src_b: npt.NDArray[np.uint32]
    src_owner: npt.NDArray[np.uint8]
    src_bank: npt.NDArray[np.int64]
    src_row: npt.NDArray[np.int64]
    context_counter: npt.NDArray[np.int64]
    setreg_acc: npt.NDArray[np.int64]
    dst: npt.NDArray[np.uint16]
    dst_valid: npt.NDArray[np.uint8]
    matrix_bank: npt.NDArray[np.uint8]
    setreg_base: npt.NDArray[np.uint32]
    matrix: standin.MatrixUnit
    rwc: npt.NDArray[np.uint32]
    implied_format: npt.NDArray[np.uint8]
    pack: pack.PackState
    l1_dest_addr_offset: npt.NDArray[np.uint16]
    events: list[Event]
    faults: list[Fault]
    _control: ControlState

    # --- semaphores and mutexes

    def read_semaphore(self, index: int) -> int:
        """Value of semaphore 0 to 7, as a core's load gives it."""
        return int(self.semaphores[as_choice("semaphore", index, len(self.semaphores)), 0])

    def post_semaphore(self, index: int, core: int = 0) -> None:
        """A core's store of 0: value + 1, 15 at most. A fault is of thread ``core``."""
        self._semaphore(constants.OP_SEMPOST, index, core)

    def get_semaphore(self, index: int, core: int = 0) -> None:
        """A core's store of 1: value - 1, 0 at least. Otherwise as ``post_semaphore``."""
        self._semaphore(constants.OP_SEMGET, index, core)

    def _semaphore(self, opcode: int, index: int, core: int) -> None:
        word = semaphore_word(opcode, as_choice("semaphore", index, len(self.semaphores)))
        faults = self._control.execute(0, word).faults
        self.faults += [Fault(name, core, word) for name in faults]

    @property
    def mutexes(self) -> Mapping[int, int | None]:
        """Thread that holds each of the mutexes 0, 2, 3, 4; ``None``: free. Read-only, a copy."""
        return MappingProxyType(self._control.mutexes)

    def acquire_mutex(self, thread: int, index: int) -> bool:
        """Take mutex 0, 2, 3 or 4, as a thread's ATGETM would; whether the thread holds it now."""
        thread, index = as_thread(thread), self._mutex(index)
        return self._control.execute(thread, constants.OP_ATGETM << 24 | index).met

    def release_mutex(self, thread: int, index: int) -> bool:
        """Give a mutex back, as the thread's ATRELM would; whether the thread held it."""
        thread, index = as_thread(thread), self._mutex(index)
        return not self._control.execute(thread, constants.OP_ATRELM << 24 | index).faults

    def _mutex(self, index: int) -> int:
        held = self._control.mutexes
        if isinstance(index, bool) or index not in held:
            raise ValueError(f"no mutex {index!r}: choose from {', '.join(map(str, held))}")
        return int(index)

    # --- configuration

    def write_config(self, index: int, value: int, bank: int | None = None) -> None:
        """Write 32 bits to word ``index`` (0 to 223) of Config.

        ``bank``: 0 or 1; ``None``: both. Words from 180 on are one copy: they are written in both
        banks, whatever ``bank`` is (C5). Word 4, STATE_RESET, is not the cores' to write (C18).
        """
        place = as_choice("word of Config", index, constants.CFG_WORDS)
        if place == STATE_RESET:
            raise ValueError(f"word {place} of Config: no core can write STATE_RESET (C18)")
        self.config[self._banks(bank, place), place] = as_integer("value", value, 32)

    def read_config(self, index: int, bank: int = 0) -> int:
        """Word ``index`` (0 to 223) of a bank of Config."""
        place = as_choice("word of Config", index, constants.CFG_WORDS)
        return int(self.config[as_choice("bank", bank, BANKS), place])

    def write_thread_config(self, thread: int, index: int, value: int) -> None:
        """Write 16 bits to word ``index`` (0 to 67) of a thread's ThreadConfig.

        A core's write: unlike SETC16, one of word 41 resets no context counter (U6).
        """
        place = as_choice("word of ThreadConfig", index, constants.THD_WORDS)
        self.thread_config[as_thread(thread), place] = as_integer("value", value, 16)

    def read_thread_config(self, thread: int, index: int) -> int:
        """Word ``index`` (0 to 67) of a thread's ThreadConfig."""
        place = as_choice("word of ThreadConfig", index, constants.THD_WORDS)
        return int(self.thread_config[as_thread(thread), place])

    def write_field(
        self, name: str, value: int, *, bank: int | None = None, thread: int | None = None
    ) -> None:
        """Write a field by its name (``isa.config_field``) and leave the rest of its word.

        ``bank`` as of ``write_config``, for fields of Config; ``thread``: for those of
        ThreadConfig; ``None``: all three.
        """
        field = isa.config_field(name)
        bits = as_integer(name, value, field.width) << field.lsb
        where: Any
        words: npt.NDArray[Any]
        if field.space == "Thread":
            if bank is not None:
                raise ValueError(f"{name} is in ThreadConfig, which has no banks")
            words, where = self.thread_config, range(THREADS)
            where = list(where) if thread is None else [as_thread(thread)]
        else:
            if thread is not None:
                raise ValueError(f"{name} is in Config, which is not a thread's")
            words, where = self.config, self._banks(bank, field.addr32)
        for row in where:
            words[row, field.addr32] = int(words[row, field.addr32]) & ~field.mask | bits

    def read_field(self, name: str, *, bank: int = 0, thread: int = 0) -> int:
        """Value of a field of a bank of Config, or of a thread's ThreadConfig."""
        field = isa.config_field(name)
        if field.space == "Thread":
            word = self.read_thread_config(thread, field.addr32)
        else:
            word = self.read_config(field.addr32, bank)
        return (word & field.mask) >> field.lsb

    @staticmethod
    def _banks(bank: int | None, index: int) -> list[int]:
        one = None if bank is None else as_choice("bank", bank, BANKS)
        return list(range(BANKS)) if one is None or index >= constants.CFG_GLOBAL_BASE else [one]

    # --- registers

    def write_gpr(self, thread: int, index: int, value: int) -> None:
        """A core's store of 32 bits to register 0 to 63 of a thread's scalar unit."""
        place = as_choice("register", index, _GPRS)
        self.gpr[as_thread(thread), place] = as_integer("value", value, 32)

    def read_gpr(self, thread: int, index: int) -> int:
        """Register 0 to 63 of a thread's scalar unit."""
        return int(self.gpr[as_thread(thread), as_choice("register", index, _GPRS)])

    def write_mop_cfg(self, thread: int, index: int, value: int) -> None:
        """A core's store of 32 bits to MopCfg register 0 to 8 of a thread."""
        registers = self.mop_cfg[as_thread(thread)]
        registers[as_choice("MopCfg", index, len(registers))] = as_integer("value", value, 32)

    def _set_mop_cfg(self, value: Any) -> None:
        if isinstance(value, (list, tuple)) and len(value) != THREADS:
            raise ValueError(f"mop_cfg: {len(value)} rows, want one for each of the 3 threads")
        rows = np.zeros((THREADS, self.mop_cfg[0].size), np.uint32)
        fill("mop_cfg", rows, value, 32)
        for registers, row in zip(self.mop_cfg, rows, strict=True):
            registers[:] = row

    def write_stream(self, stream: int, register: int, value: int) -> None:
        """Write 32 bits to register 0 to 1023 of stream 0 to 63, as the NoC overlay does."""
        streams, registers = self.streams.shape
        place = as_choice("stream", stream, streams), as_choice("register", register, registers)
        self.streams[place] = as_integer("value", value, 32)

    # --- L1

    def read_l1(self, address: int, count: int) -> npt.NDArray[np.uint8]:
        """Copy of ``count`` bytes of L1 from byte ``address`` on: uint8, shape (count,)."""
        first, end = self._l1_range(address, as_integer("count", count, 32))
        return np.asarray(self.l1)[first:end].copy()

    def write_l1(self, address: int, data: npt.ArrayLike | bytes) -> None:
        """Write bytes to L1 from byte ``address`` on.

        ``data``: ``bytes``, or an array of uint8, or of uint16 or uint32, little-endian; of any
        shape, flattened. Raises ``ValueError`` for other data, or bytes beyond L1.
        """
        if isinstance(data, np.ndarray) and data.dtype.kind == "u" and data.itemsize <= 4:
            little = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("<"))
            given = little.reshape(-1).view(np.uint8)
        else:
            given = as_integers("data", data, 8).astype(np.uint8).reshape(-1)
        first, end = self._l1_range(address, given.size)
        np.asarray(self.l1)[first:end] = given

    def _l1_range(self, address: int, count: int) -> tuple[int, int]:
        first = as_integer("address", address, 32)
        if first + count > self.l1.size:
            raise ValueError(
                f"bytes {first:#x} to {first + count:#x}: L1 ends at {self.l1.size:#x}"
            )
        return first, first + count

    # --- the Matrix Unit

    def release(self, file: int | str) -> bool:
        """The Matrix Unit gives its bank of SrcA (0 or "SrcA") or SrcB (1 or "SrcB") back.

        The unpackers get the bank that ``matrix_bank`` names, ``unpack.stale`` of an SrcA bank
        ends (U37), and ``matrix_bank`` goes on to the other bank.

        Returns whether the bank was the Matrix Unit's. If it was not, the Matrix Unit would wait
        for it, and nothing changes.
        """
        if isinstance(file, str) and file in FILES:
            number = FILES.index(file)
        else:
            try:
                number = as_choice("file", file, len(FILES))
            except ValueError:
                raise ValueError(f"no file {file!r}: choose from SrcA (0), SrcB (1)") from None
        bank = int(self.matrix_bank[number])
        if not self.src_owner[number, bank]:
            return False
        self.unpack.release(number, bank)
        self.matrix_bank[number] = 1 - bank
        return True
