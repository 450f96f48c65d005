# SPDX-License-Identifier: Apache-2.0
"""What the checker says of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tilepath.engine.text import Where
from tilepath.models.pipe_program.program import Func, Node


class Kpn(StrEnum):
    """How a program ends; undecided where it is too long, or where its pipes cannot work."""

    DONE = "DONE"
    DEADLOCK = "DEADLOCK"
    STARVED = "STARVED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Diag:
    """A rule that does not hold: its code, function and place; ``also`` is the other place."""

    code: str
    func: str
    where: Where
    msg: str
    also: Where | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Report:
    """The checker's findings, in the order of the text.

    ``resolved_bases``: (function, name of a reserve or import, or ``%`` and of a tile) → address.
    """

    resolved_bases: Mapping[tuple[str, str], int]
    errors: Sequence[Diag]
    warnings: Sequence[Diag]
    kpn: Kpn

    @property
    def verdict(self) -> str:
        """``OK`` if there is no error."""
        return "ERROR" if self.errors else "OK"


def in_order(diags: Iterable[Diag]) -> tuple[Diag, ...]:
    """Sort what was found by its place in the text, then by code."""
    return tuple(sorted(diags, key=lambda diag: (diag.where, diag.code)))


class Findings:
    """Collects what is found, each once."""

    def __init__(self) -> None:
        self.errors: list[Diag] = []
        self.warnings: list[Diag] = []
        self._known: set[Diag] = set()

    def error(self, code: str, func: Func, node: Node, msg: str, also: Node | None = None) -> None:
        """A rule that does not hold at ``node``; ``also`` is what it is at odds with."""
        self._add(self.errors, Diag(code, func.name, node.where, msg, also.where if also else None))

    def warn(self, code: str, func: Func, node: Node, msg: str) -> None:
        """Something that is allowed and probably not meant."""
        self._add(self.warnings, Diag(code, func.name, node.where, msg))

    def _add(self, diags: list[Diag], diag: Diag) -> None:
        if diag not in self._known:
            self._known.add(diag)
            diags.append(diag)
