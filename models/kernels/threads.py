# SPDX-License-Identifier: Apache-2.0
"""What stands inside of a thread: words in the assembler's syntax, and what its core does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

from tilepath.engine.text import Line, Where
from tilepath.isa import IsaError, assemble, constants, encode, registers
from tilepath.models.frontend.untimed_mop import CONFIG_REGISTERS
from tilepath.models.kernels.scope import Scope
from tilepath.models.machine import Machine
from tilepath.models.machine import items as I
from tilepath.models.machine.addresses import CONFIG, MOP_CFG
from tilepath.models.machine.addresses import SEMAPHORES as AT_SEMAPHORES

SEMAPHORES: Final = 8
_MOST: Final = 15  # of a semaphore
_WORD: Final = 4  # bytes
_NOP: Final = constants.OP_NOP << 24
_REPLAY_WORDS: Final = 32
_POLL: Final = re.compile(r"(.+?)\s*(>=|<|=)\s*([^=].*)")
_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)=(?!=)(.*)")
_DOUBLE: Final = ("outer", "inner", "start", "end", "end2", "loop", "loop2", "last_outer", "last")
_MASK: Final = ("b", "a0", "a1", "a2", "a3", "skip_a", "skip_b")

Config = Mapping[tuple[str, int], int]


@cache
def _assembled(text: str, profile: str) -> int:
    return assemble(text, profile)


@cache
def _wrong(profile: str, core: int, address: int) -> str:
    """Why the core cannot store there; nothing if it can."""
    try:
        Machine(profile).store(core, address, 0)
    except ValueError as error:
        return str(error)
    return ""


class Thread:
    """Makes the items of a thread of its lines.

    ``config``: words of Config and ThreadConfig before it starts. ``polls``: each with its place.
    ``places``: of statements, where their words and items begin: item, word of it.
    """

    def __init__(self, scope: Scope, number: int, config: Config) -> None:
        self.items: list[I.Item] = []
        self.polls: list[tuple[Where, I.Poll]] = []
        self.places: dict[Where, list[tuple[int, int]]] = {}
        self._scope, self._number, self._config = scope, number, config
        self._own: dict[int, int] = {}  # words of ThreadConfig that it has written
        self._words: list[int] = []
        self._where: list[Where] = []

    def do(self, line: Line) -> None:
        """A statement."""
        place = len(self.items), len(self._words)
        self.places.setdefault(line.where, []).append(place)
        does = _CORE.get(line.word)
        if does is not None:
            item = does(self, line)
            self.flush()
            self.items.append(item)
        elif line.word == "mop" and line.body is not None:
            self.flush()
            self.items += self._mop(line)
        elif line.word == "replay" and line.body is not None:
            self._replay(line)
        elif line.word == "set":
            self._words += self._set(line)
        else:
            self._words.append(self._word(line, line.text))
        self._where += [line.where] * (len(self._words) - len(self._where))

    def flush(self) -> None:
        """Push the words so far."""
        if self._words:
            self.items.append(I.Push(tuple(self._words), tuple(self._where)))
            self._words, self._where = [], []

    # --- words

    def _word(self, line: Line, text: str) -> int:
        """The word of a line of assembly, in which operands are expressions."""
        head, _, rest = text.partition(" ")
        parts = rest.split(",") if "," in rest else rest.split()
        if head.startswith(".") and not parts:
            raise line.error(f"{head} of nothing")
        operands = []
        for part in parts:
            named = _NAMED.fullmatch(part)
            value = self._scope.number(line, named[2] if named else part)
            operands.append(f"{named[1]}={value}" if named else str(value))
        try:
            return _assembled(f"{head} {', '.join(operands)}", self._scope.profile)
        except IsaError as error:
            raise line.error(error, text) from None

    def _replay(self, line: Line) -> None:
        """Record words, which are not executed."""
        index = self._scope.limited(line, "replay", line.rest, 0, _REPLAY_WORDS - 1)
        before = len(self._words)
        items = len(self.items)
        self.places, places = {}, self.places  # nothing goes between what it counts
        self._scope.play(line.body, self.do)
        self.places = places
        count = len(self._words) - before
        if len(self.items) != items or not 0 < count <= _REPLAY_WORDS:
            raise line.error(f"replay takes 1 to {_REPLAY_WORDS} words and nothing else")
        self._words.insert(before, encode("REPLAY", index=index, count=count, exec=0, load=1))
        self._where.insert(before, line.where)

    def _set(self, line: Line) -> Iterator[int]:
        """Words that write fields: SETC16, or RMWCIB of the bytes that they are in."""
        found: dict[tuple[str, int], tuple[int, int]] = {}
        for field, bits in self._scope.fields(line):
            mask, value = found.get((field.space, field.addr32), (0, 0))
            found[field.space, field.addr32] = mask | field.mask, value & ~field.mask | bits
        for (space, index), (mask, value) in found.items():
            if space == "Thread":
                before = self._own.get(index, self._config.get((space, index), 0))
                self._own[index] = before & ~mask | value
                yield encode("SETC16", cfg_index=index, value=self._own[index])
                continue
            for byte in range(_WORD):
                part = mask >> 8 * byte & 0xFF
                if part:
                    data = value >> 8 * byte & 0xFF
                    yield encode(f"RMWCIB{byte}", mask=part, data=data, cfg_index=index)

    def _mop(self, line: Line) -> Iterator[I.MopCfg]:
        """MopCfg of a macro-operation: template 1, the double loop, or 0, the mask loop."""
        template = self._scope.limited(line, "mop", line.rest, 0, 1)
        known = _DOUBLE if template else _MASK
        given: dict[str, int] = {}
        where: dict[str, Where] = {}

        def key(part: Line) -> None:
            if part.word not in known:
                raise part.error(f"{part.word!r} is not one of {', '.join(known)}")
            if part.word in given:
                raise part.error(f"{part.word} is given twice")
            where[part.word] = part.where
            if part.word in ("outer", "inner"):
                given[part.word] = self._scope.limited(part, part.word, part.rest, 0, 127)
            else:
                given[part.word] = self._word(part, part.rest)

        self._scope.play(line.body, key)
        for name in ("outer", "inner", "loop") if template else ("a0",):
            if name not in given:
                raise line.error(f"{name} is missing")
        if template:
            loop = given.get("loop2", given["loop"])
            given.setdefault("last", loop)
            given.setdefault("last_outer", given["last"])
            where.setdefault("last", where.get("loop2", where["loop"]))
            where.setdefault("last_outer", where["last"])
            names, values = _DOUBLE, [given.get(name, _NOP) for name in _DOUBLE]
        else:
            flags = ("b" in given) | (bool(given.keys() & {"a1", "a2", "a3"}) << 1)
            names = ("", "", *_MASK)
            values = [0, flags, *(given.get(name, _NOP) for name in _MASK)]
        places = (where.get(name, line.where) for name in names)
        return (I.MopCfg(*one) for one in zip(range(len(values)), values, places, strict=True))

    # --- the core

    def _semaphore(self, line: Line, text: str) -> int:
        return self._scope.limited(line, "semaphore", text, 0, SEMAPHORES - 1)

    def _poll(self, line: Line) -> I.Item:
        found = _POLL.fullmatch(line.rest)
        if not found:
            raise line.error("want poll SEMAPHORE >= VALUE, or <, or =")
        semaphore = self._semaphore(line, found[1])
        poll = I.Poll(semaphore, found[2], self._scope.number(line, found[3]))
        if not any(poll.met(value) for value in range(_MOST + 1)):
            raise line.error(f"{poll} can never come true: semaphores are 0 to {_MOST}", found[3])
        self.polls.append((line.where, poll))
        return poll

    def _post(self, line: Line) -> I.Item:
        return I.Post(self._semaphore(line, line.rest))

    def _get(self, line: Line) -> I.Item:
        return I.Get(self._semaphore(line, line.rest))

    def _sync(self, line: Line) -> I.Item:
        if line.rest:
            raise line.error(f"{line.rest!r} is too much", line.rest)
        return I.Sync()

    def _store(self, line: Line) -> I.Item:
        ((name, text),) = list(self._scope.pairs(line))[:1]
        if not re.match(r"[A-Z]\w*_", name):
            address = self._scope.limited(line, "address", name, 0, 0xFFFFFFFF)
            value = self._scope.limited(line, "value", text, 0, 0xFFFFFFFF)
            return self._stored(line, name, address, value)
        (index, value, mask), *more = {
            (field.space, field.addr32): (_place(field, self._number), bits, field.mask)
            for field, bits in self._scope.fields(line)
        }.values()
        if more:
            raise line.error("one store writes one word")
        field, _ = next(iter(self._scope.fields(line)))
        before = self._config.get((field.space, field.addr32), 0)
        return self._stored(line, name, CONFIG + _WORD * index, before & ~mask | value)

    def _stored(self, line: Line, name: str, address: int, value: int) -> I.Item:
        """Give a store an item of its own if it has one: on the RTL others are of configuration."""
        if wrong := _wrong(self._scope.profile, self._number, address):
            raise line.error(wrong, name)
        mop, semaphore = ((address - base) // _WORD for base in (MOP_CFG, AT_SEMAPHORES))
        if 0 <= mop < CONFIG_REGISTERS:
            return I.MopCfg(mop, value, line.where)
        if 0 <= semaphore < SEMAPHORES:
            return I.Get(semaphore) if value & 1 else I.Post(semaphore)
        return I.Store(address, value, line.where)


def _place(field: registers.ConfigField, thread: int) -> int:
    """The word of a field in the cores' range of configuration; of Config, that of bank 0."""
    if field.space == "Config":
        return field.addr32
    return 3 * constants.CFG_WORDS + thread * constants.THD_WORDS + field.addr32


_CORE: Final[Mapping[str, Callable[[Thread, Line], I.Item]]] = {
    "poll": Thread._poll,
    "post": Thread._post,
    "get": Thread._get,
    "sync": Thread._sync,
    "store": Thread._store,
}
