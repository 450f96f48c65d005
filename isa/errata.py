# SPDX-License-Identifier: Apache-2.0
"""Errata: what a chip does that its documents do not say, or that the other chip does not.

The rows are in ``data/errata.toml``. A row that names a parameter, a fault or a profile that there
is not, or that lacks something, is an error as soon as anything is asked of the table.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, get_args

from tilepath.isa import profiles, tables
from tilepath.isa.errors import IsaError

PAGE: Final = "docs/silicon.md"
Strength = Literal["A", "B", "C"]


@dataclasses.dataclass(frozen=True)
class Erratum:
    """One row. The texts say what happens, how a kernel keeps clear of it, and who says so.

    ``chips``: the profiles whose chip is known to have it; ``settable``: others in which it may be
    turned on. ``parameter``: what turns it off and on, with the value ``off``. ``faults``: what a
    block or a ``Machine`` raises where a kernel meets it.
    """

    name: str
    blocks: tuple[str, ...]
    chips: tuple[str, ...]
    what: str
    clear: str
    source: str
    decision: str
    strength: Strength
    settable: tuple[str, ...] = ()
    parameter: str = ""
    off: Any = None
    faults: tuple[str, ...] = ()

    @property
    def turned_off(self) -> str:
        """What is written behind a profile to be without it; empty where that cannot be."""
        return "" if self.off is None else f"{self.parameter}={profiles.written(self.off)}"

    def is_in(self, profile: str) -> bool:
        """Whether a profile has it, as it is or set by hand."""
        if self.off is None:
            return profiles.base(profile) in self.chips
        value = getattr(profiles.get(profile), self.parameter)
        return profiles.written(value) != profiles.written(self.off)


@functools.cache
def table() -> dict[str, Erratum]:
    """All errata by name: sorted by their first block, as in ``faults.toml``, and by name."""
    rows = tables.read(tables.DATA / "errata.toml")["erratum"]
    found = {name: _checked(name, row) for name, row in rows.items()}
    for attribute in ("parameter", "faults"):
        named = [name for one in found.values() for name in _names(getattr(one, attribute))]
        if twice := {name for name in named if named.count(name) > 1}:
            raise IsaError(f"errata.toml: {', '.join(sorted(twice))}: two errata name it")
    blocks = list(_faults())
    by_block = sorted(found.values(), key=lambda one: (blocks.index(one.blocks[0]), one.name))
    return {one.name: one for one in by_block}


def of_fault(fault: str) -> Erratum | None:
    """What a fault stems from, if it is an erratum."""
    return next((one for one in table().values() if fault in one.faults), None)


def named(fault: str) -> str:
    """The name of a fault, and the erratum that it stems from, if any."""
    erratum = of_fault(fault)
    return f"{fault} (erratum {erratum.name}, {PAGE})" if erratum else fault


def check_setting(start: str, parameter: str, value: Any) -> None:
    """``IsaError`` when the parameter is an erratum that the chip of the profile ``start`` has not.

    It may be turned on where the row says so, and off everywhere.
    """
    found = (one for one in table().values() if one.parameter == parameter)
    if (one := next(found, None)) is None or start in (*one.chips, *one.settable):
        return
    own = getattr(profiles.get(start), parameter)
    if profiles.written(value) not in map(profiles.written, (own, one.off)):
        raise IsaError(
            f"{parameter}={profiles.written(value)} is an erratum of {' and '.join(one.chips)}: "
            f"the chip of {start} has it not ({PAGE})"
        )


def _names(some: str | tuple[str, ...]) -> tuple[str, ...]:
    return some if isinstance(some, tuple) else (some,) if some else ()


@functools.cache
def _faults() -> dict[str, set[str]]:
    """Block → names of its faults."""
    blocks = tables.read(tables.DATA / "faults.toml")
    return {
        block: {name for group in some.values() for name in group} for block, some in blocks.items()
    }


def _checked(name: str, row: dict[str, Any]) -> Erratum:
    lists = {key: tuple(one) for key, one in row.items() if isinstance(one, list) and key != "off"}
    values: dict[str, Any] = row | lists
    try:
        one = Erratum(name, **values)
    except TypeError as error:
        raise IsaError(f"errata.toml: {name}: {str(error).partition('__init__() ')[2]}") from None
    for problem in _problems(one):
        raise IsaError(f"errata.toml: {name}: {problem}")
    return one


def _problems(one: Erratum) -> Iterator[str]:
    faults = _faults()
    yield from _strangers("block", one.blocks, faults)
    yield from _strangers("profile", (*one.chips, *one.settable), profiles.names())
    if not (one.blocks and one.chips and one.what and one.clear and one.source):
        yield "a row has blocks, chips, and says what, clear and source"
    if one.strength not in get_args(Strength):
        yield f"strength {one.strength!r} is not A, B or C"
    yield from _strangers("parameter", _names(one.parameter), profiles.parameters())
    if one.off is not None and not (one.parameter and one.off in profiles.values(one.parameter)):
        yield f"off: {one.parameter} cannot be {one.off!r}"
    for fault in one.faults:
        having = {block for block, some in faults.items() if fault in some}
        if not having or not having <= set(one.blocks):
            yield f"fault {fault} is one of {', '.join(sorted(having)) or 'no block'}"


def _strangers(kind: str, some: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    yield from (f"there is no {kind} {one!r}" for one in some if one not in known)
