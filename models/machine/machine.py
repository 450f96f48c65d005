# SPDX-License-Identifier: Apache-2.0
"""The machine: its state, the words that are pushed into it, what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.records import for_compiled
from tilepath.engine.compiled.state import by_thread
from tilepath.isa import profiles
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models import adc, control, pack, standin, unpack
from tilepath.models.frontend.untimed import architectural_state
from tilepath.models.frontend.untimed_replay import ReplayState
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
from tilepath.models.machine.loop import execute_one, play, push_one, waits
from tilepath.models.machine.records import (
    Log,
    Words,
    as_integer,
    as_thread,
    as_words,
)
from tilepath.models.machine.run import DEFAULT_LIMIT, Items, Order, Run, run
from tilepath.models.machine.schedule import Player, Schedule, as_schedule
from tilepath.models.machine.state import (
    EXPANDED,
    IDLE,
    Code,
    Mode,
    Program,
    new_parts,
    take_told,
)

if TYPE_CHECKING:
    from tilepath.models.kernels import Kernel
    from tilepath.models.kernels.many import Played

_SETTABLE: Final = ("on_issue", "events", "faults")


class Machine(CoreAccess):
    """The modelled tile without time: each pushed word takes effect before the next one.

    Attributes, their types and shapes: ``docs/machine.md``. Arrays can be written at any time.
    ``m.gpr = values`` writes into the array: integers that fit, in its shape, or one for all;
    ``ValueError`` otherwise, and ``IndexError`` for a slice that goes beyond an array. No other
    attribute can be set, but ``on_issue``, ``events``, ``faults``.
    """

    _its: SimpleNamespace
    _logs: tuple[Log, ...]
    _play: Bound  # loops with the machine's arrays
    _execute_one: Bound
    _push_one: Bound
    _waits: Bound

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Machine after reset. Raises ``ValueError`` for an unknown profile."""
        its = vars(self)  # assignments to attributes are refused, or write into arrays
        its["profile"] = profile
        its["_its"] = new_parts()
        states = self._its.states
        counters = adc.AddressCounters(profile, states["counters"][0])
        state = control.ControlState(profile, states["control"][0])
        its["adc"], its["_control"] = counters, state
        shared = profile, state.config, state.thread_config
        its["unpack"] = unpackers = unpack.UnpackState(*shared, counters, states["unpack"][0])
        its["pack"] = packers = pack.PackState(
            *shared,
            counters,
            unpackers.dst,
            unpackers.dst_valid,
            unpackers.l1,
            states["pack"][0],
            states["walk"][0],
        )
        arrays = {name: getattr(unpackers, name) for name in OF_MATRIX} | {"rwc": states["rwc"][0]}
        its["matrix"] = standin.MatrixUnit(*shared, states["matrix"][0], **arrays)
        for part, names in ((state, CONTROL), (unpackers, UNPACK), (packers, PACK)):
            for name in names:
                its[name] = guarded(getattr(part, name))
        for name in MATH:
            its[name] = guarded(getattr(self.matrix, "implied" if "implied" in name else name))
        its["on_issue"], its["events"], its["faults"] = None, [], []
        its["mop_cfg"] = tuple(map(guarded, self._its.threads["mop"]["mop_cfg"]))
        its["_logs"] = tuple(Log() for _ in range(THREADS))
        tile = for_compiled(states), unpackers.l1.view(np.uint32)
        for loop in (play, execute_one, push_one, waits):
            its[f"_{loop.__name__}"] = Bound(loop, *tile)
        self._reset_own()

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
        threads = [architectural_state(its["mop"], its["replay"]) for its in self._its.threads]
        return {**by_thread(threads), **self._control.state(), **self.adc.state()}

    def reset(self) -> None:
        """Everything as of a new ``Machine``, L1 included, in the same arrays and lists.

        ``on_issue`` stays, and so does what ``issued`` and ``push`` have returned.
        """
        for unit in (self._control, self.adc, self.unpack, self.pack, self.matrix):
            unit.reset()
        for log in self._logs:
            log.clear()
        self.events.clear()
        self.faults.clear()
        self._reset_own()

    def _reset_own(self) -> None:
        """What is no unit's: front ends and hazards as after reset, nothing to be taken."""
        its, chosen = self._its.states, profiles.get(self.profile)
        for name in ("threads", "hazards", "writers", "issued_count", "told_count"):
            its[name].view(np.uint8)[:] = 0
        its["threads"]["replay"]["count_of_zero"] = chosen.replay_count0
        its["hazards"]["result"] = its["hazards"]["register"] = -1
        its["watches_results"] = chosen.stale_gpr

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
        if thread.__class__ is int is words.__class__ and self.on_issue is None and not behind_mop:
            # By far the most: a word that issues as it is, at a tenth of the cost
            push = self._push_one.call
            try:
                told = push(thread, words)
            except OverflowError:
                told = -1
            if told >= 0:
                if told:
                    self._take_told()
                return self._logs[thread].append_one(words)
        thread, given = as_thread(thread), as_words(words)
        if self.on_issue is None:
            return self._walk(thread, given, Mode.PUSH_BEHIND if behind_mop else Mode.PUSH)
        parts = [np.zeros(0, np.uint32)]
        for place, pushed in enumerate(given.tolist()):
            if pushed >> 24 in EXPANDED or self._its.replays.item(thread) != ReplayState.PASS:
                some = given[place : place + 1]
                parts.append(self.expand(thread, some, behind_mop=behind_mop))
            else:
                parts.append(self._logs[thread].append_one(pushed))
            for word in parts[-1].tolist():
                if self.on_issue is not None:
                    self.on_issue(thread, word)
                self.execute(thread, word)
        shown = np.concatenate(parts)
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
        mode = Mode.EXPAND_BEHIND if behind_mop else Mode.EXPAND
        return self._walk(as_thread(thread), as_words(words), mode)

    def would_wait(self, thread: int, word: int) -> bool:
        """Whether thread 0, 1 or 2 would have to wait with a word, executed now.

        These wait: SEMWAIT and STREAMWAIT whose condition is not met, ATGETM of a mutex that
        another thread holds, UNPACR that writes something (U42) and ZEROSRC for a bank of the
        Matrix Unit's, words of its own for one of the Unpackers' (M8). Raises as ``push`` does.
        """
        word = as_integer("word", word, 32)
        return bool(self._waits.call(as_thread(thread), word))

    def run(
        self,
        programs: Sequence[Items],
        order: Order = "round",
        limit: int = DEFAULT_LIMIT,
        schedule: Schedule | str | int | None = None,
    ) -> Run:
        """Run the programs of the threads' cores until nothing goes on: waits wait, latches hold.

        Args:
            programs: of threads 0, 1, 2 the items of their cores (``models.machine.items``), or
                words, which are pushed.
            order: whose step is next: ``"round"``, each thread in turn; three threads, by
                priority: always the first that can go on; a seed: in turn, permuted each pass.
            limit: steps after which the run ends.
            schedule: in place of an order, a ``Schedule`` or its name: units have queues.

        A deadlock is an answer (``Run.waiting``). Nothing is busy without a schedule: STALLWAIT
        waits for banks alone. Raises ``ValueError`` for what a core cannot do, or another order.
        """
        try:
            return run(self, programs, order if schedule is None else as_schedule(schedule), limit)
        finally:
            self._end()

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
            orders: as ``order`` of ``run``, schedules too.
            jobs: how many processes at once; ``None``: as many as there are cores for this one.
            limit: as of ``run``.

        Results (``models.kernels.many.Played``) come by kernel and order. Who stops asking ends the
        processes. Raises ``ValueError`` for no order or no job; other errors are results.
        """
        from tilepath.models.kernels.many import run_many  # kernels need a machine themselves

        return run_many(kernels, orders, jobs, limit)

    def execute(self, thread: int, word: int) -> None:
        """Execute a 32-bit word as if thread 0, 1 or 2 had issued it; ``faults`` gets its faults.

        A word of a unit that is not modelled has no effect; an illegal word has the event and the
        fault that ``push`` gives it (F17). Raises ``ValueError`` as ``push`` does.
        """
        execute = self._execute_one.call  # Python is quicker with a variable than with an attribute
        if not thread.__class__ is int is word.__class__:
            thread, word = as_thread(thread), as_integer("word", word, 32)
        try:
            told = execute(thread, word)
        except OverflowError:
            told = -1
        if told < 0:
            as_thread(thread)
            as_integer("word", word, 32)
        elif told:
            self._take_told()

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
        """A core's load of 32 bits, as of ``store``; MopCfg and pushes can only be written."""
        return load(self, core, address)

    def _walk(self, thread: int, words: Words, mode: Mode) -> Words:
        """Push words, or expand them; returns those that issued."""
        log, its = self._logs[thread], self._its
        first = log.count
        its.threads["next_word"][thread] = 0
        program = IDLE._replace(words=words)
        try:
            while self._go_on(program, mode, thread) != Code.STILL:
                pass
        finally:
            self._end()
        return log.view(first)

    def _end(self) -> None:
        """What was interrupted goes no further."""
        its = self._its
        its.threads["mop"]["words_left"] = 0
        its.issued_count[:] = its.executed[0] = 0

    def _go_on(
        self, program: Program, mode: Mode, thread: int = 0, by: Player | None = None
    ) -> int:
        """Go on with a push or a run; takes what it tells, and what has issued."""
        its = self._its
        its.work[0] = 0
        code: int = (by.play if by else self._play.call)(program, mode, thread)
        self._take_told()
        counts = its.issued_count.tolist()
        if any(counts) and (mode == _RUN or counts[thread] == its.executed.item()):
            for of, count in enumerate(counts):
                if count:
                    self._logs[of].append(its.issued[of, :count])
            its.issued_count[:] = its.executed[0] = 0
        return code

    def _take_told(self) -> None:
        """Events and faults that the loop tells."""
        count = self._its.told_count.item()
        if count:
            take_told(self._its.told[:count].tolist(), self.events, self.faults)
            self._its.told_count[0] = 0


_RUN: Final = int(Mode.RUN)  # NumPy and Numba take longer with an enum
