# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a program of the flag pipe; ``docs/pipe-programs.md`` has the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from tilepath.isa.boundary.flag_pipe import SPLITS
from tilepath.models.pipe_program import program as P

MAX_BYTES: Final = 4 << 20
"""Longest text of a program."""
MAX_DEPTH: Final = 20
"""Most loops and ifs around a statement."""
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

_DECLARATIONS: Final = ("alloc", "reserve_buffer", "import_peer_buffer")
_STATEMENTS: Final = (
    *("initialize_pipe", "tpush", "tpop", "tfree", "use"),
    *("loop", "if"),
)

Value = Callable[[], Any]


class _Line:
    """The tokens of a line, taken from the left."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.tokens = [(m[0], m.start() + 1) for m in _TOKEN.finditer(text.partition("#")[0])]
        self._file, self._number, self._at = file, number, 0
        self._end = len(text.partition("#")[0].rstrip()) + 1

    def where(self, back: int = 0) -> P.Where:
        """The place of the next token, or of one before it."""
        at = self._at - back
        column = self.tokens[at][1] if at < len(self.tokens) else self._end
        return P.Where(self._file, self._number, column)

    def fail(self, what: str, back: int = 0) -> NoReturn:
        """Say what is wrong with the next token, or with one before it."""
        raise P.PipeProgramError(f"{self.where(back)}: {what}")

    def peek(self) -> str:
        """The next token; empty at the end of the line."""
        return self.tokens[self._at][0] if self._at < len(self.tokens) else ""

    def take(self, what: str) -> str:
        """The next token, which should be ``what``."""
        token = self.peek()
        if not token:
            self.fail(f"{what} is missing")
        self._at += 1
        return token

    def expect(self, *words: str) -> str:
        """The next token, which must be one of ``words``."""
        token = self.take(" or ".join(words))
        if token not in words:
            self.fail(f"{token!r} where {' or '.join(words)} should be", back=1)
        return token

    def end(self) -> None:
        """Check that nothing follows."""
        if self.peek():
            self.fail(f"{self.peek()!r} is too much")

    def name(self, what: str, sigil: str = "") -> str:
        """A name; ``sigil`` must stand before it."""
        token = self.take(f"{what} ({sigil}name)" if sigil else what)
        if not token.startswith(sigil) or not _NAME.fullmatch(token.removeprefix(sigil)):
            self.fail(f"{token!r} is not {what}{f' ({sigil}name)' if sigil else ''}", back=1)
        return token.removeprefix(sigil)

    def tile(self) -> str:
        """A tile's name, without its sigil."""
        return self.name("a tile", "%")

    def number(self, what: str = "a number", low: int = 0, high: int = (1 << 32) - 1) -> int:
        """A whole number from ``low`` to ``high``."""
        token = self.take(what)
        if not _NUMBER.fullmatch(token):
            self.fail(f"{token!r} is not a number (decimal or 0x)", back=1)
        value = int(token, 16 if token[:2] in ("0x", "0X") else 10)
        if not low <= value <= high:
            self.fail(f"{what} is {token}: from {low} to {high}", back=1)
        return value

    def keys(self, fields: Mapping[str, Value], required: str = "") -> dict[str, Any]:
        """Pairs ``key=value`` up to the end of the line or a brace."""
        found: dict[str, Any] = {}
        while self.peek() not in ("", "{"):
            if found and self.peek() == ",":
                self.take(",")
            key = self.take("key=value")
            if key not in fields:
                self.fail(f"{key!r} is not one of {', '.join(fields)}", back=1)
            if key in found:
                self.fail(f"{key!r} is given twice", back=1)
            self.expect("=")
            found[key] = fields[key]()
        for key in required.split():
            if key not in found:
                self.fail(f"{key}= is missing")
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


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        lines = [_Line(file, k, line) for k, line in enumerate(text.split("\n"), 1)]
        self._lines = iter([line for line in lines if line.tokens])
        self._last = lines[-1]
        self._head: dict[str, Any] = {}
        self._gm: dict[str, tuple[int, int]] = {}
        self._funcs: list[P.Func] = []
        self._statements = 0
        self._sram_line: _Line | None = None

    def program(self) -> P.Program:
        """The whole text."""
        for line in self._lines:
            word = line.expect(*_TOP)
            if word == "func":
                self._funcs.append(self._func(line))
            elif word == "gm":
                self._gm_buffer(line)
                line.end()
            else:
                if word in self._head:
                    line.fail(f"{word} is given twice", back=1)
                self._head[word] = self._setting(line, word)
                line.end()
        if not self._funcs:
            self._last.fail("there is no function")
        self._check_limits()
        return P.Program(funcs=self._funcs, gm_bufs=self._gm, **{"platform": P.A5, **self._head})

    def _setting(self, line: _Line, word: str) -> Any:
        if word == "platform":
            return P.Platform[line.expect("a2a3", "a5").upper()]
        if word == "sram":
            self._sram_line = line
            return line.keys({space: partial(line.number, "size", 32) for space in ("L1", "UB")})
        value = line.number(word, {"nflags": 4, "hold_max": 1, "beat_bytes": 4}[word], 64)
        if word != "hold_max" and value & (value - 1):
            line.fail(f"{word} is {value}: a power of 2 is wanted", back=1)
        return value

    def _gm_buffer(self, line: _Line) -> None:
        name = line.name("a gm buffer")
        if name in self._gm or name == "null":
            line.fail(f"there is already a gm buffer {name!r}", back=1)
        found = line.keys({k: partial(line.number, k) for k in ("base", "size")}, "base size")
        self._gm[name] = found["base"], found["size"]

    def _check_limits(self) -> None:
        platform = self._head.get("platform", P.A5)
        for space, size in self._head.get("sram", {}).items():
            if size > P.SRAM_BYTES[platform][space] and self._sram_line:
                most = P.SRAM_BYTES[platform][space]
                self._sram_line.fail(f"{space} has {most} bytes", back=len(self._sram_line.tokens))

    def _func(self, line: _Line) -> P.Func:
        where = line.where()
        name = line.name("a function", "@")
        line.expect("on")
        core = line.expect(*P.CORES)
        line.expect("{")
        line.end()
        self._declared: dict[str, list[Any]] = {word: [] for word in _DECLARATIONS}
        self._core = core
        body, behind = self._block(line, 0)
        if behind:
            behind.fail("a function has no else", back=2)
        allocs, reserves, imports = self._declared.values()
        known = next(c for c in P.CORES if c == core)
        return P.Func(name, known, body, allocs, reserves, imports, where=where)

    def _block(self, opened: _Line, depth: int) -> tuple[list[P.Stmt], _Line | None]:
        """The statements up to the closing brace, and the line of an else behind it."""
        if depth > MAX_DEPTH:
            opened.fail(f"more than {MAX_DEPTH} loops and ifs in one another", back=1)
        body: list[P.Stmt] = []
        for line in self._lines:
            if line.peek() != "}":
                self._statement(line, body, depth)
                continue
            line.take("}")
            if line.peek() == "else":
                line.take("else")
                line.expect("{")
                line.end()
                return body, line
            line.end()
            return body, None
        opened.fail("this { has no }", back=1)

    def _statement(self, line: _Line, body: list[P.Stmt], depth: int) -> None:
        where = line.where()
        word = line.expect(*_DECLARATIONS, *_STATEMENTS)
        if word in _DECLARATIONS:
            if depth:
                line.fail(f"{word} belongs to the function, not into a loop or an if", back=1)
            self._declared[word].append(self._declaration(line, word, where))
            line.end()
            if sum(map(len, self._declared.values())) > MAX_DECLARATIONS:
                raise P.PipeProgramError(f"{where}: more than {MAX_DECLARATIONS} declarations")
            return
        self._statements += 1
        if self._statements > MAX_STATEMENTS:
            raise P.PipeProgramError(f"{where}: more than {MAX_STATEMENTS} statements")
        if word in ("loop", "if"):
            body.append(self._nested(line, word, depth + 1, where))
        else:
            body.append(self._operation(line, word, where))
            line.end()

    def _declaration(self, line: _Line, word: str, where: P.Where) -> Any:
        def size() -> int:
            return line.number("size", 1)

        if word == "alloc":
            tile = line.tile()
            found = line.keys({"size": size, "base": line.base}, "size")
            return P.Alloc(tile, found.get("base", P.AUTO), found["size"], where=where)
        name = line.name("a buffer")
        if word == "reserve_buffer":
            space = partial(line.expect, "L1", "UB")
            found = line.keys({"size": size, "base": line.base, "memory_space": space}, "size")
            return P.ReserveBuffer(name, where=where, **found)
        peer = partial(line.name, "a function", "@")
        found = line.keys({"peer_func": peer, "base": line.base}, "peer_func")
        return P.ImportPeerBuffer(name, where=where, **found)

    def _nested(self, line: _Line, word: str, depth: int, where: P.Where) -> P.Loop | P.If:
        if word == "loop":
            count = line.number("the number of times")
        else:
            decisions = [line.expect("taken", "not-taken") == "taken"]
            while line.peek() == ",":
                line.take(",")
                decisions.append(line.expect("taken", "not-taken") == "taken")
        line.expect("{")
        line.end()
        body, behind = self._block(line, depth)
        if word == "if":
            arm, again = self._block(behind, depth) if behind else ([], None)
            if again:
                again.fail("an if has one else", back=2)
            return P.If(body, arm, decisions, where=where)
        if behind:
            behind.fail("a loop has no else", back=2)
        return P.Loop(count, body, where=where)

    def _operation(self, line: _Line, word: str, where: P.Where) -> P.Stmt:
        if word == "use":
            tile = line.tile()
            cycles = line.number("cycles", 0, MAX_CYCLES) if line.peek() else 0
            return P.Use(tile, cycles, where=where)
        tiles = [line.tile()] if word in ("tpush", "tpop") else []
        fields: dict[str, Value] = {"flag": partial(line.number, "flag")}
        if self._core == "AIC":
            fields["peer"] = partial(line.number, "peer", 0, 1)
        if word != "initialize_pipe":
            found = line.keys(fields)
            kind: Any = {"tpush": P.Push, "tpop": P.Pop, "tfree": P.Free}[word]
            node: P.Stmt = kind(*tiles, where=where, **found)
            return node
        fields |= {"slot_size": partial(line.number, "slot_size"), "gm": line.gm}
        fields["sync_period"] = partial(line.number, "sync_period", 1)
        fields |= {"c2v_buf": line.buffer, "v2c_buf": line.buffer}
        fields["split"] = lambda: SPLITS.index(line.expect(*SPLITS))
        fields["row"] = partial(line.number, "row", 1)
        mask = line.mask()
        found = line.keys(fields, "slot_size")
        return P.Init(mask, where=where, **found)


def parse(text: str, file: str = "<program>") -> P.Program:
    """The program that ``text`` is; places name ``file``.

    Raises:
        PipeProgramError: one line, ``file:line:column: what is wrong``.
    """
    return _Parser(text, file).program()


def load(path: Path) -> P.Program:
    """The program in a file; :class:`PipeProgramError` also for one that cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise P.PipeProgramError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise P.PipeProgramError(f"{path}:{line}:{column}: this is not UTF-8 text") from None
    if len(data) > MAX_BYTES:
        raise P.PipeProgramError(f"{path}:0:0: longer than {MAX_BYTES} bytes")
    return parse(text, str(path))
