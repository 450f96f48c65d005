# SPDX-License-Identifier: Apache-2.0
"""Items of players as transactions: fields by name, checked when they are set, drawn from tables.

    UNPACK = items("unpack")
    item = UNPACK.issue(word=0x42000041, gap=3)
    item.randomize(gap=range(8), where=lambda item: item.word >> 23 & 1)

A class of items can be derived from: a ``table`` of its own says what ``randomize`` draws. A column
is a field by its name, ``data_`` is ``data``, which no column of a table can be called; what is no
field is there to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from pyuvm import uvm_sequence_item, uvm_transaction

from tilepath.engine.description.registry import load_block
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.form import Form, Row
from tilepath.engine.stimulus.scene import in_scene, running
from tilepath.engine.stimulus.tables import Table, choice, uniform
from tilepath.isa import assemble
from tilepath.isa.profiles import DEFAULT

_OF_PYUVM: Final = frozenset((*vars(uvm_transaction()), "parent_sequence_id", "response_id"))
_TRIES: Final = 1000
_LEAST_ROWS: Final = 16
_MOST_ROWS: Final = 1024
_KEPT: Final = 256  # narrowed tables of a run


class Item(uvm_sequence_item):
    """An item of a player. ``instance``: the only one that plays such items, if it is one.

    Names and values are checked when they are set: ``AttributeError``, ``ValueError``. Values that
    have names can be set by them, and a ``word`` by its assembly.
    """

    form: ClassVar[Form]
    instance: ClassVar[str] = ""
    table: ClassVar[Table | str | None] = None
    """What it is drawn from: a table, or one of the test's by its name."""
    _values: ClassVar[Callable[[Item], Row]]

    def __init__(self, name: str = "", **values: Any) -> None:
        # its events wait for a driver's answer to each item, which none gives
        uvm_transaction.__init__(self, name)
        for field, value in values.items():
            setattr(self, field, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.form.limits:
            if name == "word" and isinstance(value, str):
                value = _assembled(value, running().context.profile if in_scene() else DEFAULT)
            value = self.form.checked(name, value)
        elif name not in _OF_PYUVM and name[0] != "_" and not hasattr(type(self), name):
            known = there_are(self.form.names, name)
            raise AttributeError(f"{self.form.player.name} has no field {name}; {known}")
        self.__dict__[name] = value

    def __str__(self) -> str:
        form = self.form
        some = [n for n in form.names if getattr(self, n) != form.default(n)]
        texts = [f"{name}={getattr(self, name)}" for name in some]
        return f"{self.instance or form.player.name}({', '.join(texts)})"

    def randomize(self, *, where: Callable[[Self], Any] | None = None, **limits: Any) -> Self:
        """Draw a row of the class' table, or else every field of its own, evenly.

        ``limits``: a value, a ``range`` or a list of values for a column; or for another value of
        the item, such as ``gap``, which is else left as it is. ``where``: what must hold of the
        item; it is drawn again until it does. ``ValueError`` for what hardly ever holds.
        """
        fixed: dict[str, Any] = {}
        if type(self).table is None:
            fixed = {n: v for n, v in limits.items() if not _many(v)}
        rows = _rows(type(self), {n: v for n, v in limits.items() if n not in fixed})
        for _ in range(_TRIES):
            drawn = zip(rows.fields, next(rows.drawn), strict=True)
            if type(self).table is None:
                self.__dict__.update(drawn)
            else:
                for name, value in drawn:
                    known = name in self.form.limits
                    self.__dict__[name] = self.form.checked(name, value) if known else value
            for name, value in fixed.items():
                setattr(self, name, value)
            if where is None or where(self):
                return self
        raise ValueError(f"randomize: of {_TRIES:,} rows none is as where says")


@cache
def _assembled(line: str, profile: str) -> int:
    return assemble(line, profile)


def _many(value: Any) -> bool:
    return isinstance(value, range | list | tuple | set | Mapping | np.ndarray)


class _Rows(NamedTuple):
    """Rows one by one, and what each column is of an item."""

    fields: tuple[str, ...]
    drawn: Iterator[Any]


def _rows(kind: type[Item], limits: dict[str, Any]) -> _Rows:
    """Those of a class' table with limits, drawn ahead; the next ones, if they are asked again."""
    scene = running()
    key = (kind, *((name, _key(value)) for name, value in limits.items()))
    if key not in scene.drawn:
        if len(scene.drawn) >= _KEPT:
            scene.drawn.popitem(last=False)
        table = kind.table
        base = scene.context.table(table) if isinstance(table, str) else table
        narrowed = _table(kind, base, limits)
        fields = tuple(_field(kind.form, column) for column in narrowed.columns)
        drawn = _ahead(narrowed, scene.rng(f"item {kind.__qualname__}"))
        scene.drawn[key] = _Rows(fields, drawn)
    rows: _Rows = scene.drawn[key]
    return rows


def _key(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list | set | np.ndarray) else value


def _ahead(table: Table, rng: np.random.Generator) -> Iterator[Any]:
    """Rows one by one: few are drawn at once for who wants few."""
    count = _LEAST_ROWS
    while True:
        yield from table.tuples(table.rows(rng, count))
        count = min(2 * count, _MOST_ROWS)


def _table(kind: type[Item], own: Table | None, limits: Mapping[str, Any]) -> Table:
    """The table of a class with limits: of its own columns by condition, else instead of them."""
    form = kind.form
    base = own or Table(kind.__name__, **{_column(name): _even(form, name) for name in form.own})
    narrowed: dict[str, Any] = {}
    lines: dict[str, Any] = {}
    for name, wanted in limits.items():
        column = name if name in base.columns else _column(name)
        if own is not None and column in base.columns:
            narrowed[column] = wanted
        elif name in form.limits:
            lines[column] = _drawn(form, name, wanted)
        else:
            known = there_are(dict.fromkeys([*form.names, *base.columns]), name)
            raise AttributeError(f"{form.player.name} has no field {name}; {known}")
    base = base.narrowed(**narrowed) if narrowed else base
    return base.replaced(**lines) if lines else base


def _column(field: str) -> str:
    """What the column of a field is called: arrays of rows have some names already."""
    return f"{field}_" if hasattr(np.recarray, field) else field


def _field(form: Form, column: str) -> str:
    return column[:-1] if column[-1] == "_" and column[:-1] in form.limits else column


def _even(form: Form, name: str) -> Any:
    limit = form.limits[name]
    return uniform(limit.least, limit.most, shape=() if limit.words == 1 else limit.words)


def _drawn(form: Form, name: str, wanted: Any) -> Any:
    """What is drawn for ``wanted`` of a field; ``ValueError`` if it does not fit."""
    limit = form.limits[name]
    shape = () if limit.words == 1 else limit.words
    if isinstance(wanted, range) and wanted.step == 1 and wanted:
        low, high = form.checked(name, wanted[0]), form.checked(name, wanted[-1])
        if limit.words > 1:
            low, high = low[0], high[0]
        return uniform(low, high, shape=shape)
    values = list(wanted) if _many(wanted) else [wanted]
    if not values:
        raise ValueError(f"{name}: a choice of nothing")
    weights = list(wanted.values()) if isinstance(wanted, Mapping) else None
    return choice([form.checked(name, one) for one in values], weights)


class BlockItems:
    """The classes of a block's items: by the names of its players, and of their instances."""

    def __init__(self, block: str) -> None:
        self._block = block
        for player in load_block(block).players:
            form = Form(player)
            defaults = {name: form.default(name) for name in form.names}
            fixed = {"form": form, "_values": attrgetter(*form.names), **defaults}
            alone = player.instances[0] if player.copies == 0 else ""
            self.__dict__[player.name] = type(player.name, (Item,), {**fixed, "instance": alone})
            for instance in player.instances if player.copies else ():
                name = instance.replace(".", "_")
                own = {"instance": instance}
                self.__dict__[name] = type(name, (self.__dict__[player.name],), own)

    def __getattr__(self, name: str) -> type[Item]:
        known = [known for known in self.__dict__ if known[0] != "_"]
        raise AttributeError(f"{self._block} has no player {name}; {there_are(known, name)}")


@cache
def items(block: str) -> BlockItems:
    """The classes of items of a block; ``ValueError`` if there is no such block."""
    return BlockItems(block.replace("+", "_"))
