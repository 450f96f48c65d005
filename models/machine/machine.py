# SPDX-License-Identifier: Apache-2.0
"""The machine: its state, the words that are pushed into it, what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from tilepath.isa import constants, profiles, tables
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models import adc, control, pack, standin, unpack
from tilepath.models.frontend import FunctionalThread
from tilepath.models.frontend.untimed_words import EXPANDED
from tilepath.models.machine.addresses import load, store
from tilepath.models.machine.arrays import (
    BITS,
    CONTROL,
    MATH,
    OF_MATRIX,
    PACK,
    UNPACK,
    fill,
    guarded,
)
from tilepath.models.machine.cores import CoreAccess
from tilepath.models.machine.hazards import Hazards, Unit
from tilepath.models.machine.records import (
    LARGEST_WORD,
    Event,
    Fault,
    Log,
    Words,
    as_integer,
    as_thread,
    as_words,
)
from tilepath.models.machine.run import DEFAULT_LIMIT, Order, Program, Run, run
from tilepath.models.machine.waits import would_wait
from tilepath.models.state import by_thread

if TYPE_CHECKING:
    from tilepath.models.kernels import Kernel
    from tilepath.models.kernels.many import Played

_NO_FAULTS: Final[tuple[str, ...]] = ()
_SFPU: Final = 1 << constants.CLS_SFPU
_SETTABLE: Final = ("on_issue", "events", "faults")


class Machine(CoreAccess):
    """The modelled tile without time: each pushed word takes effect before the next one.

    Arrays can be written at any time. ``m.gpr = values`` writes into the array: integers that fit,
    in its shape, or one for all; ``ValueError`` otherwise, and ``IndexError`` for a slice that
    goes beyond an array. No other attribute can be set, but ``on_issue``, ``events``, ``faults``.

    Attributes:
        profile: name of the profile.
        on_issue: ``None``, or a function called as ``on_issue(thread, word)`` for each word that
            issues, before it is executed. What it raises goes through ``push``: that word and the
            rest of what issued with it are not executed then, though ``issued`` may have them.
        mop_cfg: per thread the nine MopCfg registers, uint32, shape (9,), writable; a write serves
            the MOPs pushed afterwards.
        adc: the address counters (``models.adc.AddressCounters``). ``adc.live`` and
            ``adc.checkpoint`` are uint32, shape (3 sets, 3 targets, 2 channels, 4 counters
            X Y Z W), writable with values that fit ``adc.widths``; its methods stand for what
            unpackers, packers and REG2FLOP do to the counters; REG2FLOP calls its method here,
            unpackers and packers here change ``adc.live`` themselves (A11, P18).
        config: Config, uint32, shape (2 banks, 224). Words 180 to 223 are one copy:
            ``write_config`` and ``write_field`` write both rows.
        thread_config: ThreadConfig, uint16, shape (3 threads, 68).
        gpr: registers of the scalar unit, uint32, shape (3 threads, 64).
        semaphores: uint8, shape (8, 2): value and maximum, 0 to 15 each.
        streams: stream registers, uint32, shape (64 streams, 1024 registers): what
            STREAMWRCFG and STREAMWAIT read. No instruction writes them.
        unpack: the unpackers (``models.unpack.UnpackState``).
            Its arrays ``l1``, ``src_a``, ``src_b``, ``src_owner``, ``dst``, ``dst_valid``,
            ``src_bank``, ``src_row``, ``context_counter``, ``setreg_acc``, ``matrix_bank`` and
            ``setreg_base`` are attributes here as well; types and shapes are described there.
        pack: the packers (``models.pack.PackState``), which read ``dst`` and ``dst_valid`` (all 1
            after reset, P58) and write ``l1``; ``pack.histogram`` reads exponents out, and
            ``pack.walk`` says what the last instruction read and wrote. Its array
            ``l1_dest_addr_offset`` is an attribute here as well.
        matrix: the Matrix Unit (``models.standin.MatrixUnit``), with SrcA, SrcB and Dst of the
            unpackers. Its arrays ``rwc`` (row counters), ``implied`` (``implied_format`` here: of
            each bank) and ``matrix_bank`` are attributes here as well.
        events: what happened, in order: ``Event("illegal_word_retired", …)`` for each word that
            no unit gets (F17); ``Event("wait_not_met", …)`` for each SEMWAIT,
            STREAMWAIT and ATGETM that would have had to wait, and for each UNPACR and UNPACR_NOP
            that would have had to wait for a bank of the Matrix Unit's, and word of its own that
            would have for one of the Unpackers'. There is no time here to
            wait in: the instruction and the words behind it are executed all the same. STALLWAIT
            never waits, nothing being busy. ``Event("overlay", …, (unpacker, stream, count))`` for
            an OverlayClear (U60), ``Event("setreg", …, (unpacker, address, data))`` for a SETREG
            or, of a packer's, (address, data) for a SETREG that writes (U61, P46).
        faults: named faults, in order: ``Fault("illegal", …)`` for the same words; of counter
            instructions ``"x_override"`` (A2) and ``"empty"`` (A7), which are warnings; of the
            control block the names in section 8 of ``docs/control.md``, of the unpackers those in
            section 8 of ``docs/unpack.md``, of the packers those in section 10 of
            ``docs/pack.md``, of the Matrix Unit those in section 5 of ``docs/standin.md``; hazards
            of order: ``"config_race"`` (C28), ``"half_gate"`` (C29), ``"shared_word"`` (C30).
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Machine after reset. Raises ``ValueError`` for an unknown profile."""
        its = vars(self)  # assignments to attributes are refused, or write into arrays
        its["profile"] = profile
        its["_threads"] = threads = tuple(FunctionalThread(profile) for _ in range(THREADS))
        its["_logs"] = tuple(Log() for _ in range(THREADS))
        its["mop_cfg"] = tuple(guarded(thread.mop_cfg) for thread in threads)
        its["adc"] = counters = adc.AddressCounters(profile)
        its["_control"] = state = control.ControlState(profile)
        its["unpack"] = unpackers = unpack.UnpackState(
            profile, state.config, state.thread_config, counters
        )
        its["pack"] = packers = pack.PackState(
            profile,
            state.config,
            state.thread_config,
            counters,
            unpackers.dst,
            unpackers.dst_valid,
            unpackers.l1,
        )
        shared = {name: getattr(unpackers, name) for name in OF_MATRIX}
        its["matrix"] = standin.MatrixUnit(profile, state.config, state.thread_config, **shared)
        for part, names in ((state, CONTROL), (unpackers, UNPACK), (packers, PACK)):
            for name in names:
                its[name] = guarded(getattr(part, name))
        for name in MATH:
            its[name] = guarded(getattr(self.matrix, "implied" if "implied" in name else name))
        its["on_issue"], its["events"], its["faults"] = None, [], []
        its["_hazards"] = Hazards(self, _UNITS)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in BITS:
            if value is not vars(self)[name]:  # m.gpr += 1 has written it already
                fill(name, vars(self)[name], value, BITS[name])
        elif name == "mop_cfg":
            self._set_mop_cfg(value)
        elif name in _SETTABLE and (name == "on_issue" or isinstance(value, list)):
            vars(self)[name] = value
        elif hasattr(self, name):
            raise AttributeError(f"{name} of a Machine cannot be replaced")
        else:
            raise AttributeError(f"a Machine has no {name}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Machine cannot be copied: its arrays are the memory of its units")

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

    def reset(self) -> None:
        """Everything as of a new ``Machine``, L1 included, in the same arrays and lists.

        ``on_issue`` stays, and so does what ``issued`` and ``push`` have returned.
        """
        for thread in self._threads:
            thread.reset()
        for log in self._logs:
            log.clear()
        for unit in (self._control, self.adc, self.unpack, self.pack, self.matrix, self._hazards):
            unit.reset()
        self.events.clear()
        self.faults.clear()

    def push(
        self,
        thread: int,
        words: int | Sequence[int] | npt.NDArray[Any],
        *,
        behind_mop: bool = False,
    ) -> Words:
        """Push a 32-bit word, or several one after the other, into thread 0, 1 or 2.

        Words go through the MOP and then the replay expander (seed). ``behind_mop``: they enter
        between the two, as BRISC's do (F18): MOP and MOP_CFG are not expanded, but illegal there.

        Returns the words that issued, which are executed by then: uint32, shape (n,), read-only.

        Raises:
            ValueError: another thread, a word that is no integer or does not fit in 32 bits;
                nothing is pushed then.
        """
        if thread.__class__ is not int or not 0 <= thread < THREADS:
            thread = as_thread(thread)
        front, log = self._threads[thread], self._logs[thread]
        feed = front.replay_word if behind_mop else front.feed_word
        if words.__class__ is int and 0 <= words <= LARGEST_WORD:
            word: int = words
            if not front.passes or word >> 24 in EXPANDED or self.on_issue is not None:
                return self._execute_all(thread, log, feed(word))
            # By far the most: a word that issues as it is, at a tenth of the cost
            shown = log.append_one(word)
            unit = self._hazards.tables[thread][word >> 24]
            if unit is not None:
                names = unit(self, thread, word)
                if names:
                    self._add_faults(names, thread, word)
            return shown
        given = as_words(words)
        if self.on_issue is None and not behind_mop:
            return self._execute_all(thread, log, front.feed(np.array(given, np.uint32)).tolist())
        parts = [self._execute_all(thread, log, feed(word)) for word in given]
        shown = np.concatenate((log.append([]), *parts))
        shown.flags.writeable = False
        return shown

    def expand(
        self,
        thread: int,
        words: int | Sequence[int] | npt.NDArray[Any],
        *,
        behind_mop: bool = False,
    ) -> Words:
        """Expand as ``push``, but execute nothing: give what issues to ``execute`` word by word.

        So threads can wait for one another: ``would_wait`` says which words have to. Arguments,
        result and errors are those of ``push``.
        """
        thread = as_thread(thread)
        given = np.array(as_words(words), np.uint32)
        front = self._threads[thread]
        return self._logs[thread].append(front.replay(given) if behind_mop else front.feed(given))

    def would_wait(self, thread: int, word: int) -> bool:
        """Whether thread 0, 1 or 2 would have to wait with a word, executed now.

        These wait: SEMWAIT and STREAMWAIT whose condition is not met, ATGETM of a mutex that
        another thread holds, UNPACR that writes something (U42) and ZEROSRC for a bank of the
        Matrix Unit's, words of the Matrix Unit for one of the Unpackers' (M8). Nothing changes.
        Raises ``ValueError`` as ``push`` does.
        """
        return would_wait(self, as_thread(thread), as_integer("word", word, 32))

    def run(
        self,
        programs: Sequence[Program],
        order: Order = "round",
        limit: int = DEFAULT_LIMIT,
    ) -> Run:
        """Run the programs of the threads' cores until nothing goes on: waits wait, latches hold.

        Args:
            programs: of threads 0, 1, 2 the items of their cores (``models.machine.items``), or
                words, which are pushed.
            order: whose step is next: ``"round"``, each thread in turn; three threads, by
                priority: always the first that can go on; a seed: in turn, permuted each pass.
            limit: steps after which the run ends.

        A deadlock is an answer (``Run.waiting``). Nothing is busy, so of STALLWAIT's conditions
        only those of banks wait. Raises ``ValueError`` for what a core cannot do, or another
        order, before anything is done.
        """
        return run(self, programs, order, limit)

    @staticmethod
    def run_many(
        kernels: Iterable[Kernel],
        orders: Sequence[Order] = ("round",),
        jobs: int | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> Iterator[Played]:
        """Play each kernel in each order, on machines of their own and over cores.

        Args:
            kernels: as ``models.kernels.load`` and ``parse`` return them.
            orders: as ``order`` of ``run``.
            jobs: how many processes at once; ``None``: as many as there are cores for this one.
            limit: steps after which a run ends.

        Results (``models.kernels.many.Played``) come as the kernels were given, each in all orders,
        as soon as those before are there. Who stops asking ends the processes. Raises
        ``ValueError`` for no order or no job; what a core cannot do is a result.
        """
        from tilepath.models.kernels.many import run_many  # kernels need a machine themselves

        return run_many(kernels, orders, jobs, limit)

    def execute(self, thread: int, word: int) -> None:
        """Execute a 32-bit word as if thread 0, 1 or 2 had issued it; ``faults`` gets its faults.

        A word of a unit that is not modelled has no effect; an illegal word has the event and the
        fault that ``push`` gives it (F17). Raises ``ValueError`` as ``push`` does.
        """
        if thread.__class__ is not int or not 0 <= thread < THREADS:
            thread = as_thread(thread)
        if word.__class__ is not int or not 0 <= word <= LARGEST_WORD:
            word = as_integer("word", word, 32)
        unit = self._hazards.tables[thread][word >> 24]
        if unit is not None:
            names = unit(self, thread, word)
            if names:
                self._add_faults(names, thread, word)

    def store(self, core: int | str, address: int, value: int) -> None:
        """A core's store of 32 bits: of thread 0, 1 or 2's own core, or of ``"brisc"``.

        It reaches L1 (from 0 on), stream registers (FFB40000), the thread's MopCfg (FFB80000) and
        registers (FFE00000), the push of a word (FFE40000; BRISC: also FFE50000, FFE60000, for
        threads 1 and 2, behind the MOP expander), semaphores (FFE80020; bit 0: 0 post, 1 get) and
        configuration (FFEF0000: bank 0, bank 1, both, ThreadConfig).

        Raises ``ValueError`` for another core, an address that is no word's or of nothing that the
        core has here, a value that does not fit, and STATE_RESET (``write_config``).
        """
        store(self, self.push, core, address, value)

    def load(self, core: int | str, address: int) -> int:
        """A core's load of 32 bits; addresses and errors as of ``store``.

        MopCfg and the push of a word can only be written.
        """
        return load(self, core, address)

    def _execute_all(self, thread: int, log: Log, issued: list[int]) -> Words:
        """Execute words that have issued; returns them as ``push`` does."""
        shown = log.append(issued)
        for word in issued:
            if self.on_issue is not None:
                self.on_issue(thread, word)
            unit = self._hazards.tables[thread][word >> 24]
            if unit is not None:
                names = unit(self, thread, word)
                if names:
                    self._add_faults(names, thread, word)
        return shown

    def _add_faults(self, names: tuple[str, ...], thread: int, word: int) -> None:
        self.faults += [Fault(name, thread, word) for name in names]

    def _retire(self, thread: int, word: int) -> tuple[str, ...]:
        """Retire an illegal word (F17)."""
        self.events.append(Event("illegal_word_retired", thread, word))
        return ("illegal",)

    def _unsupported(self, _thread: int, _word: int) -> tuple[str, ...]:
        """Refuse a word of the vector unit, which is not modelled."""
        return ("unsupported",)

    def _execute_control(self, thread: int, word: int) -> tuple[str, ...]:
        effect = self._control.execute_checked(thread, word)
        if effect is None:
            return _NO_FAULTS
        if not effect.met:
            self.events.append(Event("wait_not_met", thread, word))
        if effect.flop is not None:
            self.adc.flop(*effect.flop)
        return effect.faults

    def _execute_setc16(self, thread: int, word: int) -> tuple[str, ...]:
        faults = self._execute_control(thread, word)
        self.unpack.set_thread_config(thread, word >> 16 & 0xFF, word & 0xFFFF)
        return faults

    def _execute_adc(self, thread: int, word: int) -> tuple[str, ...]:
        return self.adc.execute_checked(thread, word)

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

    def _execute_matrix(self, thread: int, word: int) -> tuple[str, ...]:
        if self.matrix.would_wait(word):
            self.events.append(Event("wait_not_met", thread, word))
        effect = self.matrix.execute(thread, word)
        if effect.clears_histograms:
            self.pack.execute(thread, word)
        return effect.faults


def _units() -> tuple[Unit | None, ...]:
    """Return, by opcode, the unit that executes it; ``None``: none that is modelled."""
    units: list[Unit | None] = [None] * 256
    for opcodes, unit in (
        (control.OPCODES, Machine._execute_control),
        (adc.OPCODES, Machine._execute_adc),
        (unpack.OPCODES, Machine._execute_unpack),
        (pack.OPCODES, Machine._execute_pack),
        (standin.OPCODES, Machine._execute_matrix),
        ((constants.OP_SETC16,), Machine._execute_setc16),
        (np.flatnonzero(tables.must_not_issue()).tolist(), Machine._retire),
        (np.flatnonzero(np.array(tables.block_class()) & _SFPU).tolist(), Machine._unsupported),
    ):
        for opcode in opcodes:
            units[opcode] = unit
    return tuple(units)


_UNITS: Final = _units()
