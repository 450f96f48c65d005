# SPDX-License-Identifier: Apache-2.0
"""What is known while the lines of a kernel are gone through: constants, and how far it may go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tilepath.engine.text import Line
from tilepath.isa import ConfigField, IsaError, config_field, constants, profiles
from tilepath.models.kernels.expressions import ExpressionError, number

MAX_STATEMENTS: Final = 1_000_000
"""Most statements and passes of a repeat that a kernel may come to."""

_PREFIXES: Final = ("SEM_", "STALL_COND_", "CLS_", "FMT_")
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_INSERTED: Final = re.compile(r"\{([^{}]*)\}")
_REGISTER: Final = re.compile(r"(\S+_)\s+(?=[^\s=,]+\s*=)")
_BLOCKS: Final = ("repeat", "if", "thread", "mop", "replay")


def _known(profile: str) -> dict[str, int]:
    """Constants of the encodings, by short names, and the parameters of the profile."""
    found = {
        name: value
        for name, value in vars(constants).items()
        if name.startswith(_PREFIXES) and isinstance(value, int)
    }
    found |= {
        name.removeprefix("SEM_"): value
        for name, value in found.items()
        if name.startswith("SEM_") and not name.startswith("SEM_COND_")
    }
    for name, value in profiles.get(profile).rtl_parameters().items():
        if isinstance(value, int):
            found[f"profile.{name.lower()}"] = value
    return found


class Scope:
    """Constants by name, and the statements that everybody has: repeat, if, const."""

    def __init__(self, profile: str, given: Mapping[str, int]) -> None:
        self.profile = profile
        self.names = _known(profile)
        self.given = dict(given)
        self.used: set[str] = set()
        self._spent = 0

    def number(self, line: Line, text: str) -> int:
        """The value of an expression in a line."""
        try:
            return number(text, self.names)
        except ExpressionError as error:
            raise line.error(error, text.strip()) from None

    def limited(self, line: Line, what: str, text: str, low: int, high: int) -> int:
        """Return the same number if it is from ``low`` to ``high``."""
        value = self.number(line, text)
        if not low <= value <= high:
            raise line.error(f"{what} is {value}: from {low} to {high}", text.strip())
        return value

    def define(self, line: Line, name: str, value: int) -> None:
        """A new constant."""
        if not _NAME.fullmatch(name):
            raise line.error(f"{name!r} is not a name", name)
        if name in self.names:
            raise line.error(f"there is already a {name!r}", name)
        self.names[name] = value

    def play(self, body: Sequence[Line] | None, do: Callable[[Line], None]) -> None:
        """Go through lines; ``do`` gets those that are not for everybody."""
        for line in body or ():
            self._spend(line)
            if line.body is not None and line.word not in _BLOCKS:
                raise line.error(f"{line.word} has no block")
            if line.word in ("repeat", "if") and line.body is None:
                raise line.error(f"{line.word} without {{")
            if line.word == "repeat":
                self._repeat(line, do)
            elif line.word == "if":
                chosen = line.body if self.number(line, line.rest) else None
                if chosen is None and line.behind is not None:
                    chosen = line.behind.body
                self.play(chosen, do)
            elif line.word == "const":
                self._const(line)
            else:
                do(line)

    def _spend(self, line: Line) -> None:
        self._spent += 1
        if self._spent > MAX_STATEMENTS:
            raise line.error(f"a kernel comes to {MAX_STATEMENTS:,} statements at most")

    def _repeat(self, line: Line, do: Callable[[Line], None]) -> None:
        text, named, name = line.rest.partition(" as ")
        count = self.number(line, text)
        if not 0 <= count <= MAX_STATEMENTS:
            raise line.error(f"repeat is {count}: from 0 to {MAX_STATEMENTS}", text.strip())
        for k in range(count):
            before = dict(self.names)
            if named:
                self.define(line, name.strip(), k)
            self._spend(line)
            self.play(line.body, do)
            self.names = before

    def _const(self, line: Line) -> None:
        for part in line.rest.split(","):
            name, equals, text = (one.strip() for one in part.partition("="))
            if not equals:
                raise line.error("want const NAME = NUMBER, …", part.strip())
            value = self.given[name] if name in self.given else self.number(line, text)
            self.used.add(name)
            self.define(line, name, value)

    # --- configuration fields

    def pairs(self, line: Line) -> Iterator[tuple[str, str]]:
        """``NAME=VALUE`` of a line, with the register in front put before each name."""
        rest = line.rest
        register = _REGISTER.match(rest)
        if register:
            rest = rest[register.end() :]
        for part in rest.split(","):
            name, equals, text = (one.strip() for one in part.partition("="))
            if not (name and equals and text):
                raise line.error(f"want {line.word} [REGISTER_] NAME=VALUE, …", part.strip())
            yield self._inserted(line, (register[1] if register else "") + name), text

    def _inserted(self, line: Line, name: str) -> str:
        return _INSERTED.sub(lambda found: str(self.number(line, found[1])), name)

    def fields(self, line: Line) -> Iterator[tuple[ConfigField, int]]:
        """Configuration fields of a line, with the values that they get."""
        for name, text in self.pairs(line):
            try:
                field = config_field(name)
            except IsaError as error:
                raise line.error(error, text if name not in line.text else name) from None
            yield field, self.limited(line, name, text, 0, (1 << field.width) - 1) << field.lsb
