# SPDX-License-Identifier: Apache-2.0
"""A thread's words, one after the other, on a machine that waits for nothing.

What the machine finds wrong with a word is told only if it cannot be otherwise: what others may
have written, or nobody has, is not known, and what depends on it is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from tilepath.isa import config_field, constants, decode, explain_config_word, profiles
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.control.state import SEM_MOST, SEMAPHORES
from tilepath.models.control.waiting_text import semaphore_name
from tilepath.models.fields import get
from tilepath.models.kernels.checks import PACKERS
from tilepath.models.lint.stream import Step
from tilepath.models.lint.table import Rule
from tilepath.models.machine import Machine
from tilepath.models.machine import items as I
from tilepath.models.machine.addresses import CONFIG, WORD
from tilepath.models.machine.hazards import (
    GIVES_BACK,
    config_words,
    is_of_config,
    words_read,
)
from tilepath.models.machine.waits import holds
from tilepath.models.pack import fields as P
from tilepath.models.standin import fields as M

Key = tuple[str, int]  # space and number of a word of configuration
Told = tuple[str, object, str]  # name of the rule, where, and of what it tells
Faults = Mapping[str, tuple[int, ...]]  # with what their events are about

_WHOLE: Final = 0xFFFFFFFF
_GLOBAL: Final = constants.CFG_GLOBAL_BASE
_STATE: Final = ("Thread", P.STATE_ID)
_UNPACKS: Final = ("UNPACR", 0)
_MOVES: Final = {constants.OP_MOVD2A: 1, constants.OP_MOVB2A: 1, constants.OP_MOVD2B: 2}  # to files
_STORES: Final = 1 << constants.STALL_COND_TRISC_CFG
# behind which nothing of a thread is under way
_SETTLES: Final = (constants.OP_STALLWAIT << 24 | 0x1FF << 15 | 0x1FFF, constants.OP_NOP << 24)
_PACKS: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)
_COMPUTES: Final = [k for k in range(256) if INSTRUCTIONS[k].banks and 0 in words_read(k << 24, ())]
_PACKERS: Final = {("Config", index) for index in np.flatnonzero(P.IS_READ).tolist()} - {
    ("Config", P.L1_DEST.word + further) for further in P.BLOCKS
}
_MATRIX: Final = {("Thread", M.OFFSET.word), *(("Config", index) for index in M.CONFIG_READ)}
_GIVES: Final = {("Sync", int(Kind.SEMPOST)), ("Sync", int(Kind.SEMGET))}
# Rule: opcodes that begin something, the condition of its end, what is not to be done till then
_BUSY: Final[dict[str, tuple[Sequence[int], int, set[Key]]]] = {
    "packers-not-drained": (_PACKS, constants.STALL_COND_PACK, _PACKERS),
    "math-not-drained": (_COMPUTES, constants.STALL_COND_MATH, _MATRIX),
    "packed-too-early": (_PACKS, constants.STALL_COND_PACK, _GIVES),
    "posted-too-early": (_COMPUTES, constants.STALL_COND_MATH, _GIVES),
}


def _written(thread: int, step: Step) -> dict[Key, int]:
    """Words of configuration of a thread that a step writes, and which bits are known then."""
    if isinstance(step.item, I.Store):
        place = (step.item.address - CONFIG) // WORD
        of, index = divmod(place - 3 * constants.CFG_WORDS, constants.THD_WORDS)
        if 0 <= place < 2 * constants.CFG_WORDS:
            config = place % constants.CFG_WORDS
            return {("Config", config): _WHOLE} if config != values.STATE_RESET else {}
        return {("Thread", index): _WHOLE} if of == thread else {}
    if step.kind == Kind.SETC16:
        return {("Thread", get(step.word, F.SETC16_CFG_INDEX)): _WHOLE}
    if not is_of_config(step.kind) or step.kind == Kind.RDCFG:
        return {}
    first, count = config_words(step.kind, step.word)
    shift = 8 * ((step.word >> 24) - constants.OP_RMWCIB0)
    mask = get(step.word, F.RMWCIB_MASK) << shift if step.kind == Kind.RMWCIB else 0
    return {("Config", index): mask for index in range(first, first + count)}


def by_others(threads: Sequence[Sequence[Step]], thread: int) -> set[Key]:
    """Words of configuration that others write, or the thread's core when it has pushed a word.

    ``_UNPACKS`` is among them if others have words for unpacker 0.
    """
    found: set[Key] = set()
    for other, steps in enumerate(threads):
        begun = other != thread
        for step in steps:
            begun = begun or step.item is None
            if begun and (step.item or (other != thread and step.kind != Kind.SETC16)):
                found |= _written(thread, step).keys()
            if other != thread and step.word >> 23 == constants.OP_UNPACR << 1:
                found.add(_UNPACKS)
    return found


class Walk:
    """Goes through the steps of one thread.

    ``known``: bits of each word of configuration before it starts; ``foreign``: words that others
    write, of which nothing is known ever.
    """

    def __init__(self, machine: Machine, thread: int, known: int, foreign: set[Key]) -> None:
        self._machine, self._thread, self._foreign = machine, thread, foreign
        self._profile = profiles.get(machine.profile)
        self._default, self._known = known, {_STATE: _WHOLE}  # it begins in bank 0
        self._latch = self._what = 0
        self._storing: set[int] = set()  # words of Config, of bank 1 behind those of bank 0
        self._busy: dict[str, str] = {}
        self._mutexes: set[int] = set()  # that it has taken or given back
        self._given = 0  # banks, a bit a file, that it gave back and has not waited for since

    def tell(self, steps: Iterable[Step], rules: Sequence[Rule]) -> Iterator[Told]:
        """What rules that one thread is enough for tell of it."""
        begun = False
        for step in steps:
            if isinstance(step.item, I.Sync):
                self._settle()
            elif isinstance(step.item, I.Store):
                self._store(step, step.item, begun)
            elif not step.is_known:
                self._settle()
                self._default, self._known, self._mutexes = 0, {}, set()
            elif step.word >= 0:
                begun = True
                yield from self._by_table(step, rules, self._faults(step) if step.issues else {})
                if step.defect:
                    yield "loop-of-none", step.where, "MOP, 129 passes"
                if step.issues:
                    yield from self._by_order(step)
                    self._learn(step)
        for index in self._machine.mutexes:
            self._machine.release_mutex(self._thread, index)

    # --- what is known

    def _mask(self, key: Key) -> int:
        return 0 if key in self._foreign else self._known.get(key, self._default)

    def _value(self, name: str) -> int | None:
        """The value of a field of configuration; ``None``: not known."""
        field = config_field(name)
        if field.mask & ~self._mask((field.space, field.addr32)):
            return None
        return self._machine.read_field(name, bank=self._bank or 0, thread=self._thread)

    @property
    def _bank(self) -> int | None:
        known = self._mask(_STATE)
        return self._machine.read_thread_config(self._thread, P.STATE_ID) & 1 if known else None

    def _reads(self, word: int) -> set[int]:
        """Words of Config that a unit's word reads, an UNPACR in any context it may have (U7)."""
        contexts: Sequence[int] = range(8)
        offset = self._value(f"UNPACK_MISC_CFG_CfgContextOffset_{word >> 23 & 1}")
        if not word >> 7 & 1:
            contexts = (0,)
        elif not word >> 3 & 1 and offset is not None:
            contexts = ((word >> 10 & 7) + offset & 7,)
        return words_read(word, contexts)

    def _learn(self, step: Step) -> None:
        for key, mask in _written(self._thread, step).items():
            if key == _STATE:  # what was known is of the other bank
                self._known = {k: bits for k, bits in self._known.items() if k[0] == "Thread"}
                self._default = 0
                self._busy.pop("packers-not-drained", None)
            rest = self._mask(key) if step.kind == Kind.RMWCIB else 0
            self._known[key] = rest | mask
        if step.kind in (Kind.ATGETM, Kind.ATRELM):
            self._mutexes.add(get(step.word, F.MUTEX_INDEX))

    def _store(self, step: Step, item: I.Store, begun: bool) -> None:
        for key in _written(self._thread, step):
            self._machine.store(self._thread, item.address, item.value)
            self._known |= {} if begun else {key: _WHOLE}
            if key[0] == "Config":
                self._storing.add((item.address - CONFIG) // WORD)

    def _settle(self) -> None:
        for word in _SETTLES:
            self._machine.execute(self._thread, word)
        self._storing, self._busy, self._given = set(), {}, 0

    # --- rules

    def _faults(self, step: Step) -> Faults:
        """Execute the word: what the machine finds wrong, whatever is not known."""
        m = self._machine
        m.faults.clear()
        m.events.clear()
        m.execute(self._thread, step.word)
        about = {event.name: event.values for event in m.events}
        found = {fault.name: about.get(fault.name, ()) for fault in m.faults}
        return {name: some for name, some in found.items() if self._is_sure(step, name, some)}

    def _is_sure(self, step: Step, fault: str, about: tuple[int, ...]) -> bool:
        if fault == "config_race" and step.word >> 24 == constants.OP_UNPACR:
            return not self._reads(step.word).isdisjoint(about)
        if fault == "spare_unpacr":
            return _UNPACKS not in self._foreign
        if fault == "shared_word":
            return about[0] >= _GLOBAL or self._bank is not None
        return fault != "mutex_owner" or get(step.word, F.MUTEX_INDEX) in self._mutexes

    def _by_table(self, step: Step, rules: Iterable[Rule], faults: Faults) -> Iterator[Told]:
        word = decode(step.word, self._machine.profile)
        for rule in rules:
            found = next((fault for fault in rule.faults if fault in faults), "")
            if (found or rule.is_about(word, self._profile)) and self._needed(rule, step.word):
                hazard = found in ("config_race", "shared_word") and step.kind != Kind.WRCFG
                named = faults[found][:1] if hazard else ()
                names = [explain_config_word("Config", index) for index in named]
                yield rule.name, step.where, ", ".join((step.name, *names))

    def _needed(self, rule: Rule, word: int) -> bool:
        """Whether what a rule needs is known, and as it should be."""
        mask = get(word, P.MASK) or self._profile.pack_mask0
        blocks = [PACKERS[k] for k in range(4) if mask >> k & 1][: self._profile.packers]
        for need in rule.needs:
            name, _, wanted = need.replace("#", str(word >> 23 & 1)).partition("=")
            for block in blocks if "%" in name else [""]:
                value = self._value(name.replace("%", block))
                if value is None or (wanted and value != int(wanted)):
                    return False
        return True

    def _by_order(self, step: Step) -> Iterator[Told]:
        """What is wrong while something is under way."""
        over = 0  # conditions of a wait that is over now
        if self._latch & INSTRUCTIONS[step.word >> 24].block_class:
            over, self._latch = self._what, 0
        if Kind.STALLWAIT <= step.kind <= Kind.STREAMWAIT:
            stall = step.kind == Kind.STALLWAIT
            self._latch = holds(step.word)
            self._what = values.latch_what(step.kind, step.word) if stall else 0
        self._storing = set() if over & _STORES else self._storing
        for place in sorted(self._storing):  # each is told of once
            bank, index = divmod(place, constants.CFG_WORDS)
            seen = index >= _GLOBAL or bank == self._bank
            if seen and index in self._reads(step.word):
                self._storing.remove(place)
                about = f"{step.name}, {explain_config_word('Config', index)}"
                yield "store-not-awaited", step.where, about
        waits = over | INSTRUCTIONS[step.word >> 24].banks
        self._given &= ~(waits >> constants.STALL_COND_SRCA_MATH_BANK)
        if self._given & _MOVES.get(step.word >> 24, 0):
            yield "move-without-bank", step.where, step.name
        if GIVES_BACK[step.word >> 24]:
            self._given |= get(step.word, M.GIVES_BACK)
        for rule, (begin, condition, guarded) in _BUSY.items():
            if over >> condition & 1:
                self._busy.pop(rule, None)
            does = {("Sync", int(step.kind)), *_written(self._thread, step)}
            if (some := sorted(guarded & does)) and (begun := self._busy.pop(rule, "")):
                config = "" if some[0] in _GIVES else f", {explain_config_word(*some[0])}"
                yield rule, step.where, f"{step.name} behind {begun}{config}"
            if step.word >> 24 in begin:
                self._busy[rule] = step.name


# --- semaphores, for which all threads are needed


def tell_semaphores(threads: Sequence[Sequence[Step]]) -> Iterator[Told]:
    """Posts and gets that are lost, and waits without an end, where SEMINIT says how it begins."""
    steps = [step for its in threads for step in its]
    inits, posts = Counter[int](), Counter[int]()
    raised: set[int] = set()  # by anybody
    lowered: set[int] = set()
    bounded: set[int] = set()  # with a maximum above 0
    for step in steps:
        item, kind = step.item, step.kind
        named = [item.semaphore] if isinstance(item, I.Post | I.Get) else _named(step)
        if isinstance(item, I.Post) or kind == Kind.SEMPOST:
            raised.update(named)
        elif isinstance(item, I.Get) or kind == Kind.SEMGET:
            lowered.update(named)
        elif kind == Kind.SEMINIT:
            inits.update(named)
            raised.update(named if get(step.word, F.SEMINIT_VALUE) else ())
            bounded.update(named if get(step.word, F.SEMINIT_MAX) else ())
    for step in steps:
        for n in filter(inits.__contains__, _named(step)):
            cond = get(step.word, F.SEMWAIT_COND) * (step.kind == Kind.SEMWAIT)
            posts[n] += step.kind == Kind.SEMPOST
            about = f"{step.name}, {semaphore_name(n)}: "
            if step.kind == Kind.SEMGET and n not in raised:
                yield "semaphore-lost", step.where, about + "nobody posts it"
            elif step.kind == Kind.SEMPOST and n not in lowered and posts[n] > inits[n] * SEM_MOST:
                yield "semaphore-lost", step.where, about + "nobody gets it"
            elif cond >> constants.SEM_COND_ZERO & 1 and n not in raised:
                yield "wait-without-end", step.where, about + "nobody posts it"
            elif cond >> constants.SEM_COND_MAX & 1 and n not in bounded:
                yield "wait-without-end", step.where, about + "maximum 0"


def _named(step: Step) -> list[int]:
    """Semaphores of a word."""
    own = step.kind in (Kind.SEMINIT, Kind.SEMPOST, Kind.SEMGET, Kind.SEMWAIT)
    return [n for n in range(SEMAPHORES) if own and get(step.word, F.SEM_MASK) >> n & 1]
