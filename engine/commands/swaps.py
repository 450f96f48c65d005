# SPDX-License-Identifier: Apache-2.0
"""A wire can be the wrong one: signals of one width take each other's place.

slang elaborates a block and says of which type everything is. An input of an instance, and what a
continuous assignment reads, can be another signal that is in scope, but no output of that instance
or of the module; two outputs of an instance can change places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

_CLOCK_AND_RESET: Final = ("clk_i", "rst_ni")
_PLAIN: Final = re.compile(r"[A-Za-z]\w*(\.\w+|\[[^\]]*\])*")
_READ: Final = ("NamedValue", "ElementSelect", "RangeSelect", "MemberAccess")


class Swap(NamedTuple):
    """A swap puts ``new`` in place of what a file has from ``start`` to ``end``.

    ``around``: begin and end of the instance, for what takes a net of its own: an array, or an
    output, which changes places with the one that begins at ``other``.
    """

    file: str
    start: int
    end: int
    new: str
    around: tuple[int, int] | None = None
    other: int | None = None


class _Signal(NamedTuple):
    """``shape``: width, or type of an array; ``start``: where it is declared or connected."""

    text: str
    shape: str
    start: int

    @property
    def name(self) -> str:
        """It without members and selects."""
        return re.split(r"[.\[]", self.text)[0]


def swaps(trees: Iterable[Any], texts: Mapping[str, str]) -> Iterator[Swap]:
    """All that there are in ``texts``, by file, of which not all need compile."""
    from pyslang.ast import Compilation

    compilation = Compilation()
    for tree in trees:
        compilation.addSyntaxTree(tree)
    bodies = [top.body for top in compilation.getRoot().topInstances]
    done, seen = set(), set()
    for body in bodies:  # to which it appends
        is_ = (body.name, *(str(one.value) for one in body.parameters if hasattr(one, "value")))
        if is_ not in done:
            done.add(is_)
            file = compilation.sourceManager.getFileName(body.location)
            for swap in _Module(file, texts[file]).of_scope(body, (), bodies):
                if swap[:4] not in seen:
                    seen.add(swap[:4])
                    yield swap


class _Module:
    """A module, in whose source places are offsets."""

    def __init__(self, file: str, source: str) -> None:
        self._file, self._source = file, source

    def of_scope(
        self, scope: Iterable[Any], outer: Sequence[_Signal], bodies: list[Any]
    ) -> Iterator[Swap]:
        """Those of a body or generate block; ``bodies`` gets those of its instances."""
        members = [(one, one.kind.name) for one in scope]
        ports = [one for one, kind in members if kind == "Port"]
        outputs = {one.name for one in ports if one.direction.name == "Out"}
        signals = [
            *outer,
            *(
                _Signal(one.name, _shape(one.type), one.location.offset)
                for one, kind in members
                if kind in ("Net", "Variable")
                and one.name not in outputs
                and not one.name.startswith("unused")
            ),
        ]
        for one, kind in members:
            if kind == "Instance":
                bodies.append(one.body)
                yield from self._connections(one, signals)
            elif kind == "ContinuousAssign" and not one.assignment.bad:  # bad: needs generated HDL
                written = self._signal(one.assignment.left)
                yield from self._reads(one.assignment.right, written, signals)
            elif kind == "Net" and one.initializer and not one.name.startswith("unused"):
                yield from self._reads(one.initializer, _Signal(one.name, "", 0), signals)
            elif kind == "GenerateBlockArray":
                for block in one.entries:
                    yield from self.of_scope(block, signals, bodies)
            elif kind == "GenerateBlock" and not one.isUninstantiated:
                yield from self.of_scope(one, signals, bodies)

    def _connections(self, instance: Any, signals: Sequence[_Signal]) -> Iterator[Swap]:
        inputs, outputs = [], []
        for one in sorted(instance.portConnections, key=_begin):
            if one.expression and one.port.name not in _CLOCK_AND_RESET:
                if one.port.direction.name == "In":
                    inputs.append(self._signal(one.expression, one.port.type))
                else:
                    outputs.append(self._signal(one.expression.left, one.port.type))
        span = instance.syntax.parent.sourceRange
        around = span.start.offset, span.end.offset
        driven = {one.name for one in outputs}
        usable = [one for one in signals if one.start < around[0] and one.name not in driven]
        for one in inputs:
            net = around if "$" in one.shape else None
            yield from self._instead(one, [*inputs, *usable], net)
        for index, one in enumerate(outputs):
            for other in outputs[index + 1 :]:
                unused = one.name.startswith("unused") and other.name.startswith("unused")
                if one.shape == other.shape and not unused:
                    yield self._swap(one, other.text, around, other.start)

    def _reads(
        self, expression: Any, written: _Signal, signals: Sequence[_Signal]
    ) -> Iterator[Swap]:
        """Yield the swaps in an expression whose value ``written`` gets."""
        read: list[_Signal] = []
        ends = -1

        def visit(node: Any) -> None:
            nonlocal ends
            if node.kind.name in _READ and node.sourceRange.start.offset >= ends:
                ends = node.sourceRange.end.offset  # no further: an index is not wiring
                symbol = node.getSymbolReference()
                if symbol and symbol.kind.name in ("Net", "Variable"):
                    read.append(self._signal(node))

        expression.visit(visit)
        usable = [one for one in signals if one.name != written.name]
        for one in read:
            early = [other for other in usable if other.start < one.start]
            yield from self._instead(one, [*read, *early], None)

    def _instead(
        self, one: _Signal, others: Iterable[_Signal], around: tuple[int, int] | None
    ) -> Iterator[Swap]:
        """Each of ``others`` that can be in the place of ``one``, once."""
        texts = {other.text: None for other in others if other.shape == one.shape}
        for text in texts:
            if text not in (one.text, *_CLOCK_AND_RESET) and _PLAIN.fullmatch(text):
                yield self._swap(one, text, around)

    def _swap(self, one: _Signal, new: str, *more: Any) -> Swap:
        return Swap(self._file, one.start, one.start + len(one.text), new, *more)

    def _signal(self, node: Any, type_: Any = None) -> _Signal:
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        return _Signal(self._source[start:end], _shape(type_ or node.type), start)


def _begin(connection: Any) -> int:
    expression = connection.expression  # the ports are in the order of the module
    return int(expression.sourceRange.start.offset) if expression else 0


def _shape(type_: Any) -> str:
    return str(type_.bitWidth if type_.isIntegral else type_.canonicalType)
