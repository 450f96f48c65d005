# SPDX-License-Identifier: Apache-2.0
"""What is known while the lines of a kernel are gone through: constants, and how far it may go."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilepath.engine.text import Line
from tilepath.isa import ConfigField, IsaError, config_field, constants, profiles

# --- expressions in a line: whole numbers, and arrays of what tiles hold. Both are parsed as Python
# writes them and evaluated here, node by node: nothing else can be said

MAX_LENGTH: Final = 200
_LARGEST: Final = 1 << 64
_MOST_SHIFT: Final = 64

_BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_COMPARE: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARRAYS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.MatMult: operator.matmul,
}
_FUNCTIONS: Final = {
    "abs": np.abs,
    "max": np.maximum,
    "min": np.minimum,
    "sqrt": np.sqrt,
    "exp": np.exp,
}


class ExpressionError(ValueError):
    """An expression that there is not, or that has no value: one line."""


def _parsed(text: str) -> ast.expr:
    if not text.strip():
        raise ExpressionError("an expression is missing")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of more than {MAX_LENGTH} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"{text.strip()!r} is not an expression") from None


def number(text: str, names: Mapping[str, int]) -> int:
    """The whole number that ``text`` is: + - * / (rounded down) % << >> | &, comparisons, names.

    Raises :class:`ExpressionError`.
    """
    return _number(_parsed(text), names)


def _number(node: ast.expr, names: Mapping[str, int]) -> int:
    value: Any = None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
    elif isinstance(node, ast.Name | ast.Attribute):
        name = ast.unparse(node)
        if name not in names:
            raise ExpressionError(f"there is no constant {name!r}")
        value = names[name]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = -_number(node.operand, names)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _number(node.left, names), _number(node.right, names)
        if isinstance(node.op, ast.LShift | ast.RShift) and not 0 <= right <= _MOST_SHIFT:
            raise ExpressionError(f"a shift by {right}")
        try:
            value = _BINARY[type(node.op)](left, right)
        except ZeroDivisionError:
            raise ExpressionError("a division by 0") from None
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        left, right = _number(node.left, names), _number(node.comparators[0], names)
        value = int(_COMPARE[type(node.ops[0])](left, right))
    if value is None:
        raise ExpressionError(f"{ast.unparse(node)!r} is not a whole number")
    if abs(value) >= _LARGEST:
        raise ExpressionError("a number of more than 64 bits")
    return int(value)


def array(text: str, arrays: Mapping[str, Any]) -> Any:
    """The array that ``text`` is: + - * / @, slices, numbers, abs max min sqrt exp, names.

    Raises :class:`ExpressionError`, also for shapes that do not go together.
    """
    node = _parsed(text)
    try:
        with np.errstate(all="ignore"):
            return _array(node, arrays)
    except (ValueError, IndexError, TypeError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError(" ".join(str(error).split())) from None


def _array(node: ast.expr, arrays: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in arrays:
            raise ExpressionError(f"there is no tile {node.id!r}")
        return arrays[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_array(node.operand, arrays)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARRAYS:
        return _ARRAYS[type(node.op)](_array(node.left, arrays), _array(node.right, arrays))
    if isinstance(node, ast.Subscript):
        return _array(node.value, arrays)[_index(node.slice)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function: Any = _FUNCTIONS.get(node.func.id)
        if function is not None and len(node.args) == function.nin:
            return function(*(_array(argument, arrays) for argument in node.args))
    raise ExpressionError(f"{ast.unparse(node)!r} cannot be computed")


def _index(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_index(one) for one in node.elts)
    if isinstance(node, ast.Slice):
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else _number(part, {}) for part in parts))
    return _number(node, {})


# --- constants, and how far a kernel may go

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
