# SPDX-License-Identifier: Apache-2.0
"""Expressions in a line: whole numbers, and arrays of what tiles hold.

Both are parsed as Python writes them and evaluated here, node by node: nothing else can be said.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

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
