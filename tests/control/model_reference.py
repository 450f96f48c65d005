# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of ``control`` taken literally: one Python call per cycle.

Slow and plain on purpose, and built the other way round than the model: the model dates what an
instruction will do, this one moves instructions from stage to stage and asks every cycle what
happens. It also plays the bench's part (holding each offer until it is taken), so that it yields
the input streams along with the output streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tilepath.isa import constants
from tilepath.tests.control.model_helpers import origin
from tilepath.tests.control.model_reference_units import (
    ADC,
    CONFIG,
    FAULTS,
    MUTEXES,
    SCALAR,
    SYNC,
    UNITS,
    UNSUPPORTED,
    WAITS,
    Latch,
    Plan,
    Row,
    Units,
    Word,
)


class Control(Units):
    """The block. Inputs: plans for the ports, and levels by cycle."""

    def __init__(
        self,
        offers: Sequence[Iterable[Sequence[int]]],
        risc: Iterable[Sequence[int]] = (),
        risc_sem: Iterable[Sequence[int]] = (),
        busy: Callable[[int], int] = lambda _t: 0,
        ready: Callable[[int], int] = lambda _t: 63,
        stall: Callable[[int], int] = lambda _t: 0,
        writes: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        super().__init__(stall)
        self.ports = [Plan(rows) for rows in offers]
        self.words: list[Word | None] = [None, None, None]
        self.risc, self.risc_sem = Plan(risc), Plan(risc_sem)
        self.risc_asking = self.sem_asking = False
        self.busy, self.ready = busy, ready
        self.stream_writes = dict(writes or {})
        self.latch: list[Latch | None] = [None, None, None]
        self.pointer: dict[str, int] = {}

    # --- the cycle

    def cycle(self, t: int) -> None:
        """Cycle t: everything looks at the state as registered; ``later`` is its closing edge."""
        self.later = []
        self.offers(t)
        if t in self.stream_writes:
            stream, register, data = self.stream_writes[t]
            self.given("stream_write", t, stream, register, data)
            self.later.append(lambda: self.streams.update({(stream, register): data}))
        for thread, latch in enumerate(self.latch):
            if latch is not None and latch.first:
                latch.first = False
                if latch.kind == 3:
                    high = self.thd[thread][58] & 127 if latch.what & 1 else self.thd[thread][57]
                    latch.target = (high & 1023) << 10 | latch.low
        self.levels(t)
        self.level("busy", t, self.busy(t) & 0x0BFF, store="inputs")
        self.level("unit_ready", t, self.ready(t), store="inputs")
        self.level("stream_busy", t, self.stall(t), store="inputs")
        if self.access is not None:
            self.risc_access(t, self.access)
        self.stages(t)
        resumed = self.scalar_unit(t)
        self.act_sem(t)
        self.act_setc16(t)
        self.view(t)
        self.gates(t, resumed)
        for write in self.later:
            write()

    def offers(self, t: int) -> None:
        for thread, port in enumerate(self.ports):
            if port.look(t):
                assert port.standing is not None
                word = port.standing[0]
                self.words[thread] = Word(thread, word, origin(f"t{thread}.offer", port.count))
                self.given(f"t{thread}.offer", t, word)
        if self.risc.look(t):
            self.risc_asking = True
            self.given("risc", t, *(self.risc.standing or ()))
        if self.risc_sem.look(t):
            self.sem_asking = True
            self.given("risc_sem", t, *(self.risc_sem.standing or ()))

    def levels(self, t: int) -> None:
        for thread, latch in enumerate(self.latch):
            values = (0, 0, 0, 0, 0)
            if latch is not None:
                values = (1, latch.kind, latch.block, latch.what, latch.target)
            self.level(f"t{thread}.latch", t, *values)
        self.level(
            "semaphores",
            t,
            sum(value << 4 * n for n, (value, _) in enumerate(self.sem)),
            sum(most << 4 * n for n, (_, most) in enumerate(self.sem)),
        )
        value = 0
        for n, index in enumerate(MUTEXES):
            owner = self.mutex[index]
            if owner is not None:
                value |= (1 + 2 * owner) << 3 * n
        self.level("mutexes", t, value)
        pipe = sum(1 << s + 4 for s, word in self.stage.items() if word is not None)
        self.level("config_pipe", t, pipe + 64 * (self.access is not None))
        busy = self.scalar is not None
        self.level("scalar", t, int(busy), self.scalar.thread if self.scalar else 0)
        self.level("sticky", t, self.sticky)

    # --- gates

    def waiting(self, thread: int, latch: Latch, t: int) -> bool:
        what = latch.what
        if latch.kind == 1:
            conditions = self.busy(t) & 0x0BFF
            conditions |= 1024 * (self.risc.standing is not None or self.access is not None)
            conditions |= 4096 * any(word is not None for word in self.stage.values())
            return bool(conditions & what)
        if latch.kind == 2:
            return any(
                (what & 256 and value == 0) or (what & 512 and value >= most)
                for n, (value, most) in enumerate(self.sem)
                if what >> n & 1
            )
        stream = self.thd[thread][59 + (what >> 1)] & 63
        register, mask = (259, 0x1FFFF) if what & 1 else (29, 0xFFFFF)
        return (self.streams.get((stream, register), 0) & mask) < latch.target

    def holds(self, latch: Latch, word: Word) -> bool:
        if word.name in WAITS:
            return True
        if word.name == "NOP":
            return latch.block == 0x1FF
        return bool(constants.BLOCK_CLASS[word.word >> 24] & latch.block)

    def resource(self, word: Word) -> str | None:
        opcode = word.word >> 24
        if constants.MUST_NOT_ISSUE[opcode]:
            return None
        if word.name in SYNC:
            return "sync"
        if word.name == "ATGETM":
            return f"mutex{word.f['index']}" if word.f["index"] in MUTEXES else None
        if word.name in CONFIG or word.name == "STREAMWRCFG":
            return "config"
        if word.name in SCALAR:
            return "scalar"
        return self.unit_of(word)

    def unit_of(self, word: Word) -> str | None:
        opcode = word.word >> 24
        if opcode in (0x42, 0x43):
            return UNITS[word.word >> 23 & 1]
        if opcode in (0x41, 0x4A):
            return "pack"
        if opcode == 0x40:
            return "xmov"
        if constants.BLOCK_CLASS[opcode] == 1 << 6:
            return "math"
        return "sfpu" if constants.BLOCK_CLASS[opcode] == 1 << 8 else None

    def available(self, word: Word, resource: str, t: int, scalar_free: bool) -> bool:
        if resource in UNITS:
            return bool(self.ready(t) >> UNITS.index(resource) & 1)
        if resource == "scalar":
            return scalar_free
        if resource.startswith("mutex"):
            return self.mutex[int(resource[5:])] in (None, word.thread)
        if resource == "config":
            if word.name == "STREAMWRCFG":
                return self.stage[-4] is None or not self.stall(t)
            first = -2 if word.name == "WRCFG" else -1
            return all(self.stage[s] is None for s in range(-3, first + 1))
        return True

    def gates(self, t: int, scalar_free: bool) -> None:
        asking: dict[str, list[int]] = {}
        going: list[Word] = []
        for thread, word in enumerate(self.words):
            if word is None:
                continue
            if constants.MUST_NOT_ISSUE[word.word >> 24]:
                going.append(word)
                continue
            inside = self.scalar is not None and self.scalar.thread == thread and not scalar_free
            latch = self.latch[thread]
            if inside or (latch is not None and self.holds(latch, word)):
                continue
            resource = self.resource(word)
            if resource is None:
                going.append(word)
            elif self.available(word, resource, t, scalar_free):
                asking.setdefault(resource, []).append(thread)
        for thread, latch in enumerate(self.latch):
            if latch is not None and not self.waiting(thread, latch, t):
                self.later.append(lambda n=thread: self.latch.__setitem__(n, None))
        self.ask_for_cores(t, asking)
        for resource, who in asking.items():
            count = 4 if resource in ("config", "sync") else 3
            pointer = self.pointer.get(resource, 0)
            winner = min(who, key=lambda w: (w - pointer) % count)
            self.pointer[resource] = (winner + 1) % count
            if winner == 3:
                self.cores_win(resource)
            else:
                word = self.words[winner]
                assert word is not None
                going.append(word)
        for word in going:
            self.issue(t, word)

    def ask_for_cores(self, t: int, asking: dict[str, list[int]]) -> None:
        if self.risc_asking and all(self.stage[s] is None for s in (-3, -2, -1)):
            asking.setdefault("config", []).append(3)
        if self.sem_asking:
            write, index, _ = self.risc_sem.standing or (0, 0, 0)
            if write:
                asking.setdefault("sync", []).append(3)
            else:
                self.event(
                    "risc_sem_done", t, self.sem[index][0], origin("risc_sem", self.risc_sem.count)
                )
                self.risc_sem.take(t)
                self.sem_asking = False

    def cores_win(self, resource: str) -> None:
        if resource == "config":
            self.risc_asking = False
            access = Word(3, 0, origin("risc", self.risc.count))
            access.s["request"] = self.risc.standing
            self.later.append(lambda: setattr(self, "access", access))
        else:
            self.sem_asking = False
            _, index, get = self.risc_sem.standing or (0, 0, 0)
            name = "SEMGET" if get else "SEMPOST"
            operation = Word(3, index, origin("risc_sem", self.risc_sem.count), name)
            self.later.append(lambda: setattr(self, "semop", operation))

    def issue(self, t: int, word: Word) -> None:
        thread, name, f, opcode = word.thread, word.name, word.f, word.word >> 24
        word.issued = t
        self.event(f"t{thread}.issue", t, word.word, word.origin)
        self.ports[thread].take(t)
        self.words[thread] = None
        faults: set[str] = set()
        unit = None if constants.MUST_NOT_ISSUE[opcode] else self.unit_of(word)
        if constants.MUST_NOT_ISSUE[opcode]:
            faults.add("illegal")
        elif opcode in UNSUPPORTED:
            faults.add("unsupported")
        elif opcode in ADC:
            self.event(f"t{thread}.adc", t, word.word, word.origin)
        elif unit is not None:
            self.event(unit, t, thread, word.word, word.origin)
            if UNITS.index(unit) < 3:
                self.later.append(lambda: self.viewers.__setitem__(UNITS.index(unit), word))
        elif name in WAITS:
            if name == "SEMWAIT" and f["cond"] == 0:
                faults.add("sem_cond")
            self.later.append(lambda: self.latch.__setitem__(thread, self.new_latch(word)))
        elif name in SYNC:
            self.later.append(lambda: setattr(self, "semop", word))
        elif name in ("ATGETM", "ATRELM"):
            if f["index"] not in MUTEXES:
                faults.add("mutex_index")
            elif name == "ATGETM":
                self.later.append(lambda: self.mutex.update({f["index"]: thread}))
            elif self.mutex[f["index"]] != thread:
                faults.add("mutex_owner")
            else:
                self.later.append(lambda: self.mutex.update({f["index"]: None}))
        elif name == "SETC16":
            if f["cfg_index"] < 68:
                self.later.append(lambda: self.setc16.__setitem__(thread, word))
            else:
                faults.add("cfg_oob")
        elif name in CONFIG or name == "STREAMWRCFG":
            faults |= self.config_faults(word)
            entry = {"STREAMWRCFG": (-4,), "WRCFG": (-1,), "CFGSHIFTMASK": (0, -1)}.get(name, (0,))
            self.later.append(lambda: self.enter(word, entry))
        elif name in SCALAR:
            faults |= self.scalar_faults(word)
            self.later.append(lambda: setattr(self, "scalar", word))
        if faults:
            self.event(f"t{thread}.fault", t, *(int(n in faults) for n in FAULTS), word.origin)
        if "cfg_oob" in faults:
            self.later.append(lambda: setattr(self, "sticky", 1))

    def enter(self, word: Word, entry: tuple[int, ...]) -> None:
        for stage in entry:
            assert self.stage[stage] is None, f"two instructions in stage {stage}"
            self.stage[stage] = word

    def new_latch(self, word: Word) -> Latch:
        kind, f = WAITS[word.name], word.f
        what, low = 0, 0
        if kind == 1:
            what = f["cond"] or 15
        elif kind == 2:
            what = f["sem_mask"] + 256 * f["cond"]
        else:
            what, low = f["cond_idx"] + 2 * f["stream_sel"], f["target_lo"]
        return Latch(kind, f["block"] or 64, what, low, word.origin)


def run(control: Control, cycles: int) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
    """Input streams and output streams of a run. Event records end with their origin."""
    for t in range(cycles):
        control.cycle(t)
    return control.inputs, control.outputs
