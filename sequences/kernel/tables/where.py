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
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tilepath.sequences.kernel.tables.distributions import Columns, Function, Values
from tilepath.sequences.kernel.tables.errors import TableError, short, there_are
from tilepath.sequences.kernel.tables.table import Require, Table

if TYPE_CHECKING:
    from tilepath.sequences.kernel.tables.table_set import Tables

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

        sample = table.rows(np.random.default_rng(0), 16)
        if holds(*[sample[name] for name in needs]).ndim > 1:
            many = next(name for name in needs if sample[name].ndim > 1)
            raise TableError(f"{self.text}: {many} has several values: say which, {many}[0]")
        if len(needs) == 1 and not table.columns[needs[0]].entries:
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
                return self._column(name, columns)
            case ast.Subscript(value=ast.Name() as of, slice=ast.Constant(value=int() as place)):
                values = self(of, columns)
                if values.ndim != 2 or not 0 <= place < values.shape[1]:
                    raise self._wrong(f"{of.id} has no value {place}")
                return values[:, place]
            case ast.BoolOp(op=op, values=parts):
                found = [np.asarray(self(part, columns)) != 0 for part in parts]
                joined = np.logical_and if isinstance(op, ast.And) else np.logical_or
                total = found[0]
                for one in found[1:]:
                    total = joined(total, one)
                return total
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return np.asarray(self(part, columns)) == 0
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return -self._number(part, columns)
            case ast.UnaryOp(op=ast.Invert(), operand=part):
                return ~self._number(part, columns)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                one, other = self._number(left, columns), self._number(right, columns)
                return _BINARY[type(op)](one, other)
            case ast.Compare():
                return self._compared(tree, columns)
            case ast.Constant(value=str() as text):
                raise self._wrong(f"{text!r} is not compared with a column")
        raise self._wrong(f"{short(ast.unparse(tree))} is not for conditions")

    def _column(self, name: str, columns: Columns) -> Values:
        if name not in columns:
            raise self._wrong(f"no column {name!r}")
        values = columns[name]
        return values.astype(np.int64) if values.dtype == np.bool_ else values

    def _number(self, tree: ast.expr, columns: Columns) -> Any:
        return self(tree, columns)

    def _compared(self, tree: ast.Compare, columns: Columns) -> Any:
        total: Any = True
        sides = [tree.left, *tree.comparators]
        for left, op, right in zip(sides, tree.ops, sides[1:], strict=False):
            total = np.logical_and(total, self._pair(left, op, right, columns))
        return total

    def _pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr, columns: Columns) -> Any:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set):
                raise self._wrong("behind 'in' there must be values in brackets")
            found: Any = False
            for one in right.elts:
                found = np.logical_or(found, self._pair(left, ast.Eq(), one, columns))
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
