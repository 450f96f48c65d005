# SPDX-License-Identifier: Apache-2.0
"""Expressions over the columns of an account: their plain meaning, and as text of C.

An expression is Python: names of columns (``plan.word``, or the end of that where no other column
ends so; an element of one that has several as ``by[0]``; a field of an instruction's word as
``word.flip_src``), of constants and of counted places, whole numbers, ``+ - * // % << >> & | ^ ~``,
comparisons, ``in`` constants, ``and``, ``or``, ``not``, ``a if b else c``. An element of a constant
that has several is looked up, from the first again behind the last: ``RANK[opcode]``. All values
are 64-bit integers; what is true is 1, what is not 0.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.columns import path_of
from tilepath.isa import layout_of, profiles

I64 = NDArray[np.int64]
Constant = int | tuple[int, ...]
Names = Mapping[str, Constant]
Words = Mapping[str, Mapping[str, tuple[int, int]]]
"""Column that is an instruction's word → its fields: name → lowest bit, width."""

_OPERATIONS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.USub: operator.neg, ast.Invert: operator.invert,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.And: np.logical_and, ast.Or: np.logical_or,
    ast.In: np.isin, ast.NotIn: lambda a, b: ~np.isin(a, b),
}  # fmt: skip
# in C; what C has not is a function of that name
_SYMBOLS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "floored", ast.Mod: "modulo",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.USub: "-", ast.Invert: "~", ast.Not: "!", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "&&", ast.Or: "||",
}  # fmt: skip
_PARTS: Final = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Name, ast.Subscript,
    ast.Tuple, ast.Not, ast.Load, ast.Attribute, *_OPERATIONS,
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """What names stand for.

    Attributes:
        columns: path of each column → how many elements it has, 0 where it is a single value.
        constants: their values.
        places: name that is counted from 0 → up to where.
        words: fields of columns, by the last part of their path.
        derived: further columns → their expressions.
        kept: rows from before, whose columns are ``<name>.<column>``.
    """

    columns: Mapping[str, int]
    constants: Names
    places: Mapping[str, int]
    words: Words
    derived: Mapping[str, str]
    kept: Collection[str] = ()

    def elements(self, path: str) -> int:
        """How many a column has; 0 of a single value, and of what is no column."""
        row, _, inner = path.partition(".")
        return self.columns.get(inner if row in self.kept else path, 0)


def word_fields(*mnemonics: str, profile: str = profiles.DEFAULT) -> dict[str, tuple[int, int]]:
    """Return name → lowest bit, width: the opcode, and fields; of two instructions the last's."""
    fields = (field for name in mnemonics for field in layout_of(name, profile).fields)
    return {"opcode": (24, 8), **{field.name: (field.lsb, field.width) for field in fields}}


class _Named(ast.NodeTransformer):
    """Puts paths of columns, and what derived ones and fields mean, in the place of names."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._found(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._found(ast.unparse(node))

    def _found(self, name: str) -> ast.expr:
        known = self._known
        if name in known.columns or name in known.constants or name in known.places:
            return ast.Name(name)
        if name in known.derived:
            others = {one: text for one, text in known.derived.items() if one != name}
            return _Named(replace(known, derived=others)).visit(_parsed(known.derived[name]))  # type: ignore[no-any-return]
        row, _, inner = name.partition(".")
        if row in known.kept:
            return _OfRow(row, known).visit(self._found(inner))  # type: ignore[no-any-return]
        word, _, field = name.rpartition(".")
        fields = known.words.get(word.rpartition(".")[2], {})
        if field not in fields:
            return ast.Name(path_of(known.columns, name))
        lowest, ones = map(ast.Constant, (fields[field][0], (1 << fields[field][1]) - 1))
        return ast.BinOp(ast.BinOp(self._found(word), ast.RShift(), lowest), ast.BitAnd(), ones)


class _OfRow(ast.NodeTransformer):
    """Puts columns of a row from before in the place of the row's own."""

    def __init__(self, row: str, known: Known) -> None:
        self._row, self._known = row, known

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id.partition(".")[0] in self._known.kept:
            raise ValueError(f"{node.id} is of a row before {self._row}, which is not kept")
        return ast.Name(f"{self._row}.{node.id}") if node.id in self._known.columns else node


def _parsed(text: str) -> ast.expr:
    """``ValueError`` unless it is made of what can be counted by."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(error.msg) from None
    for node in ast.walk(tree):
        whole = isinstance(node, ast.Constant) and isinstance(node.value, int)
        if not whole and not isinstance(node, _PARTS):
            raise ValueError(f"{ast.unparse(node)!r} is nothing to count by")
    return tree


def variable(name: str) -> str:
    """What a column or place is called in C."""
    return f"v_{name.replace('.', '__')}"


class Expression:
    """An expression that is well formed; ``ValueError`` says what is not.

    ``names`` are those of its columns, by their paths, constants and places.
    """

    def __init__(self, text: str, known: Known) -> None:
        self.text = text
        self._known = known
        self.tables: set[str] = set()  # constants that are looked up in
        try:
            self._tree = _Named(known).visit(_parsed(text))
            for node in ast.walk(self._tree):
                if isinstance(node, ast.Subscript):
                    self._check_element(node)
        except ValueError as error:
            raise ValueError(f"{text!r}: {error}") from None
        self._constants = known.constants
        self.names = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}

    def _check_element(self, node: ast.Subscript) -> None:
        """The element must be there: a number, one that is masked, a place counted no further."""
        which = node.slice
        whole = ast.unparse(node.value)
        if isinstance(self._known.constants.get(whole), tuple):
            self.tables.add(whole)
            return
        there = self._known.elements(whole)
        places = self._known.places
        last = places.get(which.id, there + 1) if isinstance(which, ast.Name) else there + 1
        if isinstance(which, ast.BinOp) and isinstance(which.op, ast.BitAnd):
            which = which.right  # which is the largest that it can be
        if isinstance(which, ast.Constant) and isinstance(which.value, int):
            last = which.value + 1
        if last > there:
            raise ValueError(f"{ast.unparse(node)} may not be there")

    def values(self, row: Mapping[str, I64 | int]) -> I64:
        """The plain meaning: a value for each row of the columns in ``row``; one if it has none."""
        return np.asarray(self._value(self._tree, row)).astype(np.int64)

    def _value(self, node: ast.AST, row: Mapping[str, Any]) -> Any:
        def of(inner: ast.AST) -> Any:
            found = self._value(inner, row)
            return found + 0 if isinstance(found, bool | np.bool_ | np.ndarray) else found

        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return row[node.id] if node.id in row else self._constants[node.id]
            case ast.Tuple():
                return [of(element) for element in node.elts]
            case ast.Subscript(value=ast.Name(id=name)) if name in self.tables:
                several = np.asarray(self._constants[name])
                return several[of(node.slice) % len(several)]
            case ast.Subscript():
                elements, index = of(node.value), of(node.slice)
                if np.ndim(index):
                    return np.take_along_axis(elements, index[:, None], -1)[:, 0]
                return elements[..., index]
            case ast.UnaryOp(op=ast.Not()):
                return np.logical_not(of(node.operand))
            case ast.UnaryOp():
                return _OPERATIONS[type(node.op)](of(node.operand))
            case ast.BinOp():
                with np.errstate(divide="ignore"):  # by 0 it is 0, as in C
                    return _OPERATIONS[type(node.op)](of(node.left), of(node.right))
            case ast.IfExp():
                return np.where(of(node.test), of(node.body), of(node.orelse))
            case ast.BoolOp():
                found = of(node.values[0])
                for other in node.values[1:]:
                    found = _OPERATIONS[type(node.op)](found, of(other))
                return found
            case ast.Compare():
                sides = [of(side) for side in (node.left, *node.comparators)]
                parts = zip(node.ops, sides, sides[1:], strict=False)
                return np.all(
                    np.broadcast_arrays(*(_OPERATIONS[type(op)](a, b) for op, a, b in parts)),
                    axis=0,
                )
        raise AssertionError(node)

    def source(self) -> str:
        """The same as text of C: columns and places as :func:`variable` says, tables ``t_NAME``."""
        return self._spelled(self._tree)

    def _spelled(self, node: ast.AST) -> str:
        spelled = self._spelled
        match node:
            case ast.Constant(value=int(value)):
                return f"{int(value)}ll"
            case ast.Name(id=name):
                return f"({self._constants[name]}ll)" if name in self._constants else variable(name)
            case ast.Subscript(value=ast.Name(id=name)) if name in self.tables:
                several = self._constants[name]
                assert isinstance(several, tuple)
                return f"t_{name}[modulo({spelled(node.slice)}, {len(several)}ll)]"
            case ast.Subscript():
                return f"(i64){spelled(node.value)}[{spelled(node.slice)}]"
            case ast.UnaryOp():
                return f"(i64)({_SYMBOLS[type(node.op)]}{spelled(node.operand)})"
            case ast.BinOp():
                left, right = spelled(node.left), spelled(node.right)
                symbol = _SYMBOLS[type(node.op)]
                if symbol.isalpha():
                    return f"{symbol}({left}, {right})"
                return f"({left} {symbol} {right})"
            case ast.IfExp():
                return f"({spelled(node.test)} ? {spelled(node.body)} : {spelled(node.orelse)})"
            case ast.BoolOp():
                return f"(i64)({f' {_SYMBOLS[type(node.op)]} '.join(map(spelled, node.values))})"
            case ast.Compare():
                sides = (node.left, *node.comparators)
                parts = map(self._compared, node.ops, sides, sides[1:])
                return f"(i64)({' && '.join(parts)})"
        raise AssertionError(node)

    def _compared(self, how: ast.cmpop, left: ast.AST, right: ast.AST) -> str:
        if not isinstance(how, ast.In | ast.NotIn):
            return f"({self._spelled(left)} {_SYMBOLS[type(how)]} {self._spelled(right)})"
        if isinstance(right, ast.Tuple):
            these = list(map(self._spelled, right.elts))
        else:
            these = [f"{value}ll" for value in np.ravel(self._constants[ast.unparse(right)])]
        found = " || ".join(f"{self._spelled(left)} == {one}" for one in these) or "0"
        return f"({found})" if isinstance(how, ast.In) else f"(!({found}))"

    def conjuncts(self) -> list[str]:
        """The texts that ``and`` joins."""
        whole = self._tree
        joined = isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.And)
        return [ast.unparse(part) for part in (whole.values if joined else [whole])]
