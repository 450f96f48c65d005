# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a program of the flag pipe; ``docs/pipe-programs.md`` has the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tilepath.engine.text import Line, TextError, Where, read_text, tree
from tilepath.isa.boundary.flag_pipe import SPLITS
from tilepath.models.pipe_program import program as P

MAX_STATEMENTS: Final = 20_000
"""Most statements of a program."""
MAX_DECLARATIONS: Final = 1000
"""Most allocs, reserves and imports of a function."""
MAX_CYCLES: Final = 1_000_000
"""Longest use."""

_TOKEN = re.compile(r"[@%]?[A-Za-z_][\w.]*(?:-[A-Za-z_]+)*|[0-9]\w*|\S", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}")
_MASKS: Final = {"C2V": 1, "V2C": 2, "BOTH": 3}
_TOP: Final = ("platform", "nflags", "hold_max", "beat_bytes", "sram", "gm", "func")


class _Tokens:
    """The tokens of a statement, taken from the left."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self._tokens = [(m[0], line.column(m.start())) for m in _TOKEN.finditer(line.text)]
        self._tokens.append(("", line.column(len(line.text))))
        self._at = 0

    def where(self, back: int = 0) -> Where:
        """The place of the next token, or of one before it."""
        return self._tokens[self._at - back][1]

    def error(self, what: str, back: int = 0) -> TextError:
        """What is wrong with the next token, or with one before it."""
        return self.where(back).error(what)

    def peek(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[self._at][0]

    def take(self, what: str) -> str:
        """The next token, which should be ``what``."""
        token = self.peek()
        if not token:
            raise self.error(f"{what} is missing")
        self._at += 1
        return token

    def expect(self, *words: str) -> str:
        """The next token, which must be one of ``words``."""
        token = self.take(" or ".join(words))
        if token not in words:
            raise self.error(f"{token!r} where {' or '.join(words)} should be", back=1)
        return token

    def end(self, *, block: bool = False) -> None:
        """Check that nothing follows, or a ``block``."""
        if self.peek():
            raise self.error(f"{self.peek()!r} is too much")
        if block and self.line.body is None:
            raise self.error("{ is missing")
        if self.line.body is not None and not block:
            raise self.line.error(f"{self.line.word} has no block")

    def name(self, what: str, sigil: str = "") -> str:
        """A name; ``sigil`` must stand before it."""
        what = f"{what} ({sigil}name)" if sigil else what
        token = self.take(what)
        if not token.startswith(sigil) or not _NAME.fullmatch(token.removeprefix(sigil)):
            raise self.error(f"{token!r} is not {what}", back=1)
        return token.removeprefix(sigil)

    def tile(self) -> str:
        """A tile's name, without its sigil."""
        return self.name("a tile", "%")

    def number(self, what: str = "a number", low: int = 0, high: int = (1 << 32) - 1) -> int:
        """A whole number from ``low`` to ``high``."""
        token = self.take(what)
        if not _NUMBER.fullmatch(token):
            raise self.error(f"{token!r} is not a number (decimal or 0x)", back=1)
        value = int(token, 16 if token[:2] in ("0x", "0X") else 10)
        if not low <= value <= high:
            raise self.error(f"{what} is {token}: from {low} to {high}", back=1)
        return value

    def keys(self, fields: Mapping[str, Reader], required: str = "") -> dict[str, Any]:
        """Pairs ``key=value`` up to the end."""
        found: dict[str, Any] = {}
        while self.peek():
            if found and self.peek() == ",":
                self.take(",")
            key = self.take("key=value")
            if key not in fields:
                raise self.error(f"{key!r} is not one of {', '.join(fields)}", back=1)
            if key in found:
                raise self.error(f"{key!r} is given twice", back=1)
            self.expect("=")
            found[key] = fields[key](self)
        for key in required.split():
            if key not in found:
                raise self.error(f"{key}= is missing")
        return found

    def base(self) -> int | P.Auto:
        """An address, or ``auto``."""
        if self.peek() == "auto":
            self.take("auto")
            return P.AUTO
        return self.number("base")

    def buffer(self) -> str | int:
        """An address, or the name of a reserve or import."""
        return self.number("an address") if self.peek()[:1].isdigit() else self.name("a buffer")

    def mask(self) -> int:
        """A direction mask by its name or number."""
        return _MASKS[self.take("")] if self.peek() in _MASKS else self.number("dir_mask")

    def gm(self) -> P.GmRef | None:
        """``name``, ``name+offset`` or ``null``."""
        where = self.where()
        name = self.name("a gm buffer")
        if name == "null":
            return None
        offset = 0
        if self.peek() == "+":
            self.take("+")
            offset = self.number("an offset")
        return P.GmRef(name, offset, where=where)

    def use(self) -> tuple[str, int]:
        """A tile, and cycles."""
        return self.tile(), self.number("cycles", 0, MAX_CYCLES) if self.peek() else 0


Reader = Callable[[_Tokens], Any]


def _number(what: str, low: int = 0, high: int = (1 << 32) - 1) -> Reader:
    return lambda tokens: tokens.number(what, low, high)


def _one(reader: Reader) -> Reader:
    return lambda tokens: (reader(tokens),)


_KEYS: Final[Mapping[str, Reader]] = {
    "size": _number("size", 1),
    "base": _Tokens.base,
    "memory_space": lambda tokens: tokens.expect("L1", "UB"),
    "peer_func": lambda tokens: tokens.name("a function", "@"),
    "flag": _number("flag"),
    "peer": _number("peer", 0, 1),
    "slot_size": _number("slot_size"),
    "gm": _Tokens.gm,
    "sync_period": _number("sync_period", 1),
    "c2v_buf": _Tokens.buffer,
    "v2c_buf": _Tokens.buffer,
    "split": lambda tokens: SPLITS.index(tokens.expect(*SPLITS)),
    "row": _number("row", 1),
}
_TILE: Final = _one(_Tokens.tile)
_BUFFER: Final = _one(lambda tokens: tokens.name("a buffer"))
_INIT: Final = "flag peer slot_size gm sync_period c2v_buf v2c_buf split row"
# word → what it makes, what stands behind the word, keys that may follow, keys that must
_FORMS: Final[Mapping[str, tuple[Any, Reader, str, str]]] = {
    "alloc": (P.Alloc, _TILE, "size base", "size"),
    "reserve_buffer": (P.ReserveBuffer, _BUFFER, "size base memory_space", "size"),
    "import_peer_buffer": (P.ImportPeerBuffer, _BUFFER, "peer_func base", "peer_func"),
    "initialize_pipe": (P.Init, _one(_Tokens.mask), _INIT, "slot_size"),
    "tpush": (P.Push, _TILE, "flag peer", ""),
    "tpop": (P.Pop, _TILE, "flag peer", ""),
    "tfree": (P.Free, lambda _: (), "flag peer", ""),
    "use": (P.Use, _Tokens.use, "", ""),
}
_DECLARATIONS: Final = ("alloc", "reserve_buffer", "import_peer_buffer")


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self._lines, self._begin = tree(text, file), Where(file, 1, 1)
        self._head: dict[str, Any] = {}
        self._gm: dict[str, tuple[int, int]] = {}
        self._statements = 0

    def program(self) -> P.Program:
        """The whole text."""
        funcs = []
        sram = self._begin
        for line in self._lines:
            tokens = _Tokens(line)
            word = tokens.expect(*_TOP)
            if word == "func":
                funcs.append(self._func(tokens))
                continue
            if word == "gm":
                self._gm_buffer(tokens)
            elif word in self._head:
                raise tokens.error(f"{word} is given twice", back=1)
            else:
                self._head[word] = self._setting(tokens, word)
                sram = line.where if word == "sram" else sram
            tokens.end()
        if not funcs:
            raise self._begin.error("there is no function")
        head = {"platform": P.A5, **self._head}
        for space, size in head.get("sram", {}).items():
            most = P.SRAM_BYTES[head["platform"]][space]
            if size > most:
                raise sram.error(f"{space} has {most} bytes")
        return P.Program(funcs=funcs, gm_bufs=self._gm, **head)

    def _setting(self, tokens: _Tokens, word: str) -> Any:
        if word == "platform":
            return P.Platform[tokens.expect("a2a3", "a5").upper()]
        if word == "sram":
            return tokens.keys(dict.fromkeys(("L1", "UB"), _number("size", 32)))
        value = tokens.number(word, {"nflags": 4, "hold_max": 1, "beat_bytes": 4}[word], 64)
        if word != "hold_max" and value & (value - 1):
            raise tokens.error(f"{word} is {value}: a power of 2 is wanted", back=1)
        return value

    def _gm_buffer(self, tokens: _Tokens) -> None:
        name = tokens.name("a gm buffer")
        if name in self._gm or name == "null":
            raise tokens.error(f"there is already a gm buffer {name!r}", back=1)
        found = tokens.keys({key: _number(key) for key in ("base", "size")}, "base size")
        self._gm[name] = found["base"], found["size"]

    def _func(self, tokens: _Tokens) -> P.Func:
        where = tokens.where()
        name = tokens.name("a function", "@")
        tokens.expect("on")
        self._core = tokens.expect(*P.CORES)
        tokens.end(block=True)
        self._declared: dict[str, list[Any]] = {word: [] for word in _DECLARATIONS}
        body = self._block(tokens.line, 0)
        core = next(c for c in P.CORES if c == self._core)
        return P.Func(name, core, body, *self._declared.values(), where=where)

    def _block(self, line: Line | None, depth: int) -> list[P.Stmt]:
        body: list[P.Stmt] = []
        for part in line.body or () if line else ():
            tokens = _Tokens(part)
            word = tokens.expect(*_FORMS, "loop", "if")
            if word not in _DECLARATIONS:
                self._statements += 1
                if self._statements > MAX_STATEMENTS:
                    raise part.error(f"more than {MAX_STATEMENTS} statements")
                body.append(self._statement(tokens, word, depth))
                continue
            if depth:
                raise part.error(f"{word} belongs to the function, not into a loop or an if")
            self._declared[word].append(self._made(tokens, word, base=P.AUTO))
            if sum(map(len, self._declared.values())) > MAX_DECLARATIONS:
                raise part.error(f"more than {MAX_DECLARATIONS} declarations")
        return body

    def _statement(self, tokens: _Tokens, word: str, depth: int) -> P.Stmt:
        line = tokens.line
        if word == "loop":
            count = tokens.number("the number of times")
            tokens.end(block=True)
            return P.Loop(count, self._block(line, depth + 1), where=line.where)
        if word == "if":
            decisions = [tokens.expect("taken", "not-taken") == "taken"]
            while tokens.peek() == ",":
                tokens.take(",")
                decisions.append(tokens.expect("taken", "not-taken") == "taken")
            tokens.end(block=True)
            then, other = (self._block(arm, depth + 1) for arm in (line, line.behind))
            return P.If(then, other, decisions, where=line.where)
        made: P.Stmt = self._made(tokens, word)
        return made

    def _made(self, tokens: _Tokens, word: str, **default: Any) -> Any:
        kind, reader, keys, required = _FORMS[word]
        first = reader(tokens)
        known = [key for key in keys.split() if key != "peer" or self._core == "AIC"]
        found = tokens.keys({key: _KEYS[key] for key in known}, required) if keys else {}
        tokens.end()
        return kind(*first, where=tokens.line.where, **default | found)


def parse(text: str, file: str = "<program>") -> P.Program:
    """The program that ``text`` is; places name ``file``.

    Raises:
        TextError: one line, ``file:line:column: what is wrong``.
    """
    return _Parser(text, file).program()


def load(path: Path) -> P.Program:
    """The program in a file; :class:`TextError` also for one that cannot be read."""
    return parse(read_text(path), str(path))
