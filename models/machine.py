# SPDX-License-Identifier: Apache-2.0
"""The golden model's one public face: push words into threads and look at what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants, profiles
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models import adc, control, pack, unpack
from tilepath.models.frontend import FunctionalThread
from tilepath.models.frontend.untimed import check_word
from tilepath.models.state import by_thread

Words = npt.NDArray[np.uint32]

# Executes a word of a thread; returns the names of its faults
Unit = Callable[[int, int], tuple[str, ...]]

_ILLEGAL = np.array(constants.MUST_NOT_ISSUE, dtype=np.bool_)


class Event(NamedTuple):
    """Something that happened: its name, the thread (0 to 2) and the 32-bit word it happened to.

    ``values``: more about it, by name of the event.
    """

    name: str
    thread: int
    word: int
    values: tuple[int, ...] = ()


class Fault(NamedTuple):
    """Something that should not have happened; fields as in ``Event``."""

    name: str
    thread: int
    word: int


class _Log:
    """Growing array of words."""

    def __init__(self) -> None:
        self._words: Words = np.zeros(256, dtype=np.uint32)
        self._count = 0

    def append(self, words: Words) -> None:
        end = self._count + words.size
        if end > self._words.size:
            grown = np.zeros(max(end, 2 * self._words.size), dtype=np.uint32)
            grown[: self._count] = self._words[: self._count]
            self._words = grown
        self._words[self._count : end] = words
        self._count = end

    def view(self) -> Words:
        words = self._words[: self._count]
        words.flags.writeable = False
        return words


def _check_thread(thread: int) -> int:
    if thread not in range(THREADS):
        raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
    return thread


class Machine:
    """The modelled tile without time: each pushed word takes effect before the next one.

    Attributes:
        mop_cfg: per thread the nine MopCfg registers, uint32, shape (9,), writable; a write serves
            the MOPs pushed afterwards.
        adc: the address counters (``models.adc.AddressCounters``). ``adc.live`` and
            ``adc.checkpoint`` are uint32, shape (3 sets, 3 targets, 2 channels, 4 counters
            X Y Z W), writable with values that fit ``adc.widths``; its methods stand for what
            unpackers, packers and REG2FLOP do to the counters; REG2FLOP calls its method here, the
            unpackers here write ``adc.live`` themselves (A11).
        config: Config, uint32, shape (2 banks, 224), writable. Words 180 to 223 are one copy:
            write both rows.
        thread_config: ThreadConfig, uint16, shape (3 threads, 68), writable.
        gpr: registers of the scalar unit, uint32, shape (3 threads, 64), writable.
        semaphores: uint8, shape (8, 2): value and maximum, 0 to 15 each; writable.
        streams: stream registers, uint32, shape (64 streams, 1024 registers), writable: what
            STREAMWRCFG and STREAMWAIT read. No instruction writes them.
        unpack: the unpackers (``models.unpack.UnpackState``), whose ``release`` gives a bank back.
            Its arrays ``l1``, ``src_a``, ``src_b``, ``src_owner``, ``dst``, ``dst_valid``,
            ``src_bank``, ``src_row``, ``context_counter``, ``setreg_acc``, ``matrix_bank`` and
            ``setreg_base`` are attributes here as well; types and shapes are described there.
        pack: the packers (``models.pack.PackState``), which read ``dst`` and ``dst_valid`` (all 1
            after reset, P58) and write ``l1``; ``pack.histogram`` reads exponents out, and
            ``pack.walk`` says what the last instruction read and wrote. Its array
            ``l1_dest_addr_offset`` is an attribute here as well.
        events: what happened, in order: ``Event("illegal_word_retired", …)`` for each word that
            the front end retired by itself (F17); ``Event("wait_not_met", …)`` for each SEMWAIT,
            STREAMWAIT and ATGETM that would have had to wait, and for each UNPACR and UNPACR_NOP
            that would have had to wait for a bank of the Matrix Unit's. There is no time here to
            wait in: the instruction and the words behind it are executed all the same. STALLWAIT
            never waits, nothing being busy. ``Event("overlay", …, (unpacker, stream, count))`` for
            an OverlayClear (U60), ``Event("setreg", …, (unpacker, address, data))`` for a SETREG
            or, of a packer's, (address, data) for a SETREG that writes (U61, P46).
        faults: named faults, in order: ``Fault("illegal", …)`` for the same words; of counter
            instructions ``"x_override"`` (A2) and ``"empty"`` (A7), which are warnings; of the
            control block the names in section 8 of ``docs/control.md``, of the unpackers those in
            section 8 of ``docs/unpack.md``, of the packers those in section 10 of
            ``docs/pack.md``.
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Machine after reset. Raises ``ValueError`` for an unknown profile."""
        self._threads = tuple(FunctionalThread(profile) for _ in range(THREADS))
        self._logs = tuple(_Log() for _ in range(THREADS))
        self.mop_cfg: tuple[Words, ...] = tuple(thread.mop_cfg for thread in self._threads)
        self.adc = adc.AddressCounters(profile)
        self._control = control.ControlState(profile)
        self.config: Words = self._control.config
        self.thread_config: npt.NDArray[np.uint16] = self._control.thread_config
        self.gpr: Words = self._control.gpr
        self.semaphores: npt.NDArray[np.uint8] = self._control.semaphores
        self.streams: Words = self._control.streams
        self.unpack = unpack.UnpackState(profile, self.config, self.thread_config, self.adc)
        self.l1 = self.unpack.l1
        self.src_a = self.unpack.src_a
        self.src_b = self.unpack.src_b
        self.src_owner = self.unpack.src_owner
        self.dst = self.unpack.dst
        self.dst_valid = self.unpack.dst_valid
        self.src_bank = self.unpack.src_bank
        self.src_row = self.unpack.src_row
        self.context_counter = self.unpack.context_counter
        self.setreg_acc = self.unpack.setreg_acc
        self.matrix_bank = self.unpack.matrix_bank
        self.setreg_base = self.unpack.setreg_base
        self.pack = pack.PackState(
            profile, self.config, self.thread_config, self.adc, self.dst, self.dst_valid, self.l1
        )
        self.l1_dest_addr_offset = self.pack.l1_dest_addr_offset
        self.events: list[Event] = []
        self.faults: list[Fault] = []
        # opcode -> the unit that executes it
        self._units: dict[int, Unit] = {
            **dict.fromkeys(control.OPCODES, self._execute_control),
            **dict.fromkeys(adc.OPCODES, self.adc.execute),
            **dict.fromkeys(unpack.OPCODES, self._execute_unpack),
            **dict.fromkeys(pack.OPCODES, self._execute_pack),
        }

    @property
    def mutexes(self) -> dict[int, int | None]:
        """Thread that holds each of the mutexes 0, 2, 3, 4; ``None``: free."""
        return self._control.mutexes

    @property
    def issued(self) -> tuple[Words, ...]:
        """Per thread the words that left the front end so far, illegal ones included.

        uint32, shape (n,), read-only; words issued later show only when asked for again.
        """
        return tuple(log.view() for log in self._logs)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of the architectural state of front end, control and address counters.

        Names, shapes and types are those of ``state()`` of the cycle-exact models: ``mop_cfg``,
        ``mask_hi``, ``replay_buffer``; ``config``, ``thread_config``, ``gpr``, ``semaphores``,
        ``mutexes``; ``live``, ``checkpoint``.
        """
        frontend = by_thread([thread.state() for thread in self._threads])
        return {**frontend, **self._control.state(), **self.adc.state()}

    def push(self, thread: int, word: int) -> None:
        """Push a 32-bit word into thread 0, 1 or 2 (seed: MOP, then replay expander).

        Raises ``ValueError`` for another thread or a word that does not fit in 32 bits.
        """
        pushed = np.array([check_word(word)], dtype=np.uint32)
        words = self._threads[_check_thread(thread)].feed(pushed)
        self._logs[thread].append(words)
        for issued in words.tolist():
            if _ILLEGAL[issued >> 24]:
                self.events.append(Event("illegal_word_retired", thread, issued))
                self.faults.append(Fault("illegal", thread, issued))
            else:
                self.execute(thread, issued)

    def execute(self, thread: int, word: int) -> None:
        """Execute a 32-bit word as if thread 0, 1 or 2 had issued it; ``faults`` gets its faults.

        A word of a unit that is not modelled yet has no effect, and neither has an illegal word
        (F17), which no unit executes. Raises ``ValueError`` as ``push`` does.
        """
        _check_thread(thread)
        word = check_word(word)
        unit = self._units.get(word >> 24)
        if unit is not None:
            self.faults += [Fault(name, thread, word) for name in unit(thread, word)]

    def _execute_control(self, thread: int, word: int) -> tuple[str, ...]:
        effect = self._control.execute(thread, word)
        if not effect.met:
            self.events.append(Event("wait_not_met", thread, word))
        if effect.flop is not None:
            self.adc.flop(*effect.flop)
        if word >> 24 == constants.OP_SETC16:
            self.unpack.set_thread_config(thread, word >> 16 & 0xFF, word & 0xFFFF)
        return effect.faults

    def _execute_unpack(self, thread: int, word: int) -> tuple[str, ...]:
        effect = self.unpack.execute(thread, word)
        if not effect.met:
            self.events.append(Event("wait_not_met", thread, word))
        if effect.overlay is not None:
            self.events.append(Event("overlay", thread, word, effect.overlay))
        if effect.setreg is not None:
            self.events.append(Event("setreg", thread, word, effect.setreg))
        return effect.faults

    def _execute_pack(self, thread: int, word: int) -> tuple[str, ...]:
        effect = self.pack.execute(thread, word)
        if effect.setreg is not None:
            self.events.append(Event("setreg", thread, word, effect.setreg))
        return effect.faults
