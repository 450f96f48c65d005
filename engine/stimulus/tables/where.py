# SPDX-License-Identifier: Apache-2.0
"""Conditions on columns as they are typed: ``rows <= 4 and pair == "BFP8->BF16"``.

Python's expressions of names, numbers, texts, ``and or not``, comparisons, ``in``, ``+ - * // %``,
``& | ^ ~ << >>`` and ``column[2]``; nothing else, and nothing is handed to Python to run. They are
computed for all rows at once, so that no condition takes long.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tilepath.engine.description.seeds import derive
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.tables.distributions import Columns, Function, Values
from tilepath.engine.stimulus.tables.errors import TableError, short
from tilepath.engine.stimulus.tables.table import Require, Table

if TYPE_CHECKING:
    from tilepath.engine.stimulus.tables.table_set import Tables

LONGEST: Final = 1000
_WORD: Final = 1 << 63

_BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.Not: np.logical_not,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def conjuncts(text: str) -> list[Condition]:
    """The conditions that ``text`` joins by ``and``; :class:`TableError` if it is none."""
    if len(text) > LONGEST:
        raise TableError(f"a condition of {len(text)} characters is longer than {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        told = error.msg if isinstance(error, SyntaxError) else "too deep"
        raise TableError(f"{short(text)!r} is no condition: {told}") from None
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    try:
        return [Condition(part, short(ast.unparse(part))) for part in parts]
    except RecursionError:
        raise TableError("the condition is nested too deep") from None


@dataclass(frozen=True)
class Condition:
    """One condition, as a tree and as a text."""

    tree: ast.expr
    text: str

    def applied(self, tables: Tables) -> Iterator[Table]:
        """All tables, those that have its columns with the condition; :class:`TableError`."""
        names = list(dict.fromkeys(_names(self.tree)))
        if not names:
            raise TableError(f"{self.text}: names no column")
        having = [tables.having(name) for name in names]
        common = set.intersection(*(set(found) for found, _ in having))
        if not common:
            places = ", ".join(
                f"{name} of {'/'.join(found)}"
                for (found, _), name in zip(having, names, strict=True)
            )
            raise TableError(f"{self.text}: these columns are of different tables: {places}")
        for name, table in tables.items():
            yield self.of(table) if name in common else table

    def of(self, table: Table) -> Table:
        """The table conditioned on this."""
        needs = tuple(dict.fromkeys(name.rpartition(".")[2] for name in _names(self.tree)))
        compute = _Compiled(table, self.text)

        def holds(*values: Values) -> Values:
            with np.errstate(all="ignore"):
                found = compute(self.tree, dict(zip(needs, values, strict=True)))
            return np.asarray(np.not_equal(found, 0))

        sample = table.rows(derive(0, "sample"), 16)
        if holds(*[sample[name] for name in needs]).ndim > 1:
            many = next(name for name in needs if sample[name].ndim > 1)
            raise TableError(f"{self.text}: {many} has several values: say which, {many}[0]")
        first = table.columns[needs[0]]
        listed = first.listed is not None or sample[needs[0]].ndim == 1
        if len(needs) == 1 and not first.entries and listed:
            return table.limited(needs[0], holds, self.text, strict=False)
        return table.constrained(Require(Function(holds, needs), strict=False, text=self.text))


def _names(tree: ast.expr) -> Iterator[str]:
    """The columns that are named: ``column`` or ``table.column``."""
    if isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
        yield f"{tree.value.id}.{tree.attr}"
    elif isinstance(tree, ast.Name):
        yield tree.id
    else:
        for child in ast.iter_child_nodes(tree):
            if isinstance(child, ast.expr):
                yield from _names(child)


class _Compiled:
    """Computes trees for the rows of a table."""

    def __init__(self, table: Table, text: str) -> None:
        self._table = table
        self._text = text

    def _wrong(self, what: str) -> TableError:
        return TableError(f"{self._text}: {what}")

    def __call__(self, tree: ast.expr, columns: Columns) -> Any:
        match tree:
            case ast.Constant(value=bool() | int() as value) if -_WORD <= value < _WORD:
                return np.int64(value)
            case ast.Constant(value=float() as value):
                return np.float64(value)
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name):
                values = columns[name]
                return values.astype(np.int64) if values.dtype == np.bool_ else values
            case ast.Subscript(value=of, slice=ast.Constant(value=int() as place)):
                values = self(of, columns)
                if np.ndim(values) != 2 or not 0 <= place < values.shape[1]:
                    raise self._wrong(f"{ast.unparse(of)} has no value {place}")
                return values[:, place]
            case ast.BoolOp(op=op, values=parts):
                joined = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return reduce(joined, (self(part, columns) for part in parts))
            case ast.UnaryOp(op=op, operand=part) if type(op) in _UNARY:
                return _UNARY[type(op)](self(part, columns))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self(left, columns), self(right, columns))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                pairs = zip([left, *rest], ops, rest, strict=False)
                each = (self._compared(one, op, other, columns) for one, op, other in pairs)
                return reduce(np.logical_and, each)
            case ast.Constant(value=str() as text):
                raise self._wrong(f"{text!r} is not compared with a column")
        raise self._wrong(f"{short(ast.unparse(tree))} is not for conditions")

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, columns: Columns) -> Any:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set):
                raise self._wrong("behind 'in' there must be values in brackets")
            each = (self._compared(left, ast.Eq(), one, columns) for one in right.elts)
            found: Any = reduce(np.logical_or, each, False)
            return np.logical_not(found) if isinstance(op, ast.NotIn) else found
        if type(op) not in _COMPARED:
            raise self._wrong("'is' is not for conditions")
        one = self._side(left, right, columns)
        other = self._side(right, left, columns)
        if isinstance(one, tuple) or isinstance(other, tuple):
            if not isinstance(op, ast.Eq | ast.NotEq):
                raise self._wrong("these values have no order")
            equal = (np.asarray(one) == np.asarray(other)).all(-1)
            return equal if isinstance(op, ast.Eq) else ~equal
        return _COMPARED[type(op)](one, other)

    def _side(self, tree: ast.expr, other: ast.expr, columns: Columns) -> Any:
        """One side of a comparison; a text is the name of a value of the column on the other."""
        if not (isinstance(tree, ast.Constant) and isinstance(tree.value, str)):
            return self(tree, columns)
        names = list(_names(other))
        if len(names) != 1 or not isinstance(other, ast.Name | ast.Attribute | ast.Subscript):
            raise self._wrong(f"{tree.value!r} is not compared with a column")
        column = names[0].rpartition(".")[2]
        known = self._table.columns[column].names
        if tree.value not in known:
            raise self._wrong(f"{column} has no {tree.value!r}; {there_are(known, tree.value)}")
        return known[tree.value]
