# SPDX-License-Identifier: Apache-2.0
"""The report of a mismatch: what differs, since when, what caused it, how to see it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.causes import Cause
from tilepath.engine.checking.edit import WINDOW, Edit, first_edit
from tilepath.engine.checking.finding import CheckError
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import describe
from tilepath.engine.description.stream import Records, Stream

_LONG: Final = 8  # words; more than these are an array of values rather than one value
_SHOWN: Final = 8  # words of an array that differ
_MARK: Final = "   <--"  # behind what differs
_WIDTHS: Final = 16, 44  # of the table's first columns, at least

SHOWN: Final = 4
"""Events of each side that are shown from the first difference on."""


class MismatchError(CheckError):
    """RTL and model differ; ``mismatch`` says where, ``note`` what else is wrong."""

    def __init__(self, mismatch: Mismatch, note: str = "") -> None:
        super().__init__(mismatch.headline(), mismatch.report() + note, mismatch.cycle)
        self.mismatch = mismatch


@dataclass(frozen=True)
class Mismatch:
    """The first event at which RTL and model differ.

    ``expected`` and ``actual`` begin with that event, or are empty where a side has none; they are
    as many as :data:`WINDOW`, if there are so many. ``before`` are the last events on which both
    agree; ``cause`` is the input record that the model traces the expected event back to; where it
    knows none, ``suspects`` are the last ones that may be it; ``others`` are further streams that
    differ, with the cycle of their first difference.
    """

    block: Block
    stream: str
    event: int
    cycle: int
    expected: Records
    actual: Records
    before: Records
    cause: Cause | None
    others: list[tuple[str, int]]
    suspects: Sequence[Cause] = ()

    @cached_property
    def edit(self) -> Edit:
        """How the sides differ; what comes before its cause is not early, but another event."""
        names = [field.name for field in self._stream.fields]
        found = first_edit(self.expected, self.actual, names, self._held)
        later = self.cause is not None and (self.cause[2]["cycle"] > self.cycle).any()
        return Edit("extra", 1) if found.kind == "early" and later else found

    @property
    def _stream(self) -> Stream:
        return self.block.stream_table[self.stream]

    @cached_property
    def _held(self) -> Records:
        """The record before, or all 0; none of a stream of events."""
        if self._stream.kind == "event":
            return self._stream.empty()
        return self.before[-1:] if len(self.before) else np.zeros(1, self._stream.dtype)

    def headline(self) -> str:
        """One line: stream, event, cycle, and what is different about it."""
        kind, count = self.edit
        names = [name for name in self._differ if name != "cycle"]
        what = f"{', '.join(names)} differ" + ("s" if len(names) == 1 else "")
        if kind in ("late", "early"):
            cycles = abs(int(self.actual[0]["cycle"]) - int(self.expected[0]["cycle"]))
            what = f"{cycles} cycle{'s' * (cycles > 1)} {kind}" + (f", {what}" if names else "")
        elif kind != "different":
            told = "an event" if count == 1 else f"{count} events"
            told += " or more" if count == WINDOW else ""
            what = f"missing: the model expects {told}, the RTL has none"
            if kind == "extra":
                what = f"extra: the RTL has {told} that the model does not expect"
            what += self._named(self._sides[kind == "extra"][0])
        return f"{self.stream} event {self.event}, cycle {self.cycle}: {what}"

    def signature(self) -> str:
        """Return what is the same for mismatches that are alike: stream, difference, first field.

        Of streams and fields that are alike the name that they have in common. The cause is none of
        it: it varies. Of a level, which has a value in every cycle, so does whether it is a change
        too many or too few that makes it wrong.
        """
        name, kind = self._stream.alike or self._stream.name, self.edit.kind
        differ = [f.alike or f.name for f in self._stream.fields if f.name in self._differ]
        moved = kind in ("late", "early") or (kind != "different" and not len(self._held))
        # a model may call a change of a level what is none
        return f"{name} {kind}" if moved or not differ else f"{name} {differ[0]} differs"

    def _named(self, record: np.void) -> str:
        """What numbers with names mean."""
        differ = [f for f in self._stream.fields if f.values and f.name in self._differ]
        texts = [describe(field, int(record[field.name])) for field in differ]
        return f" ({', '.join(filter(None, texts))})" if any(texts) else ""

    def report(self) -> str:
        """The full text, but for how to run it again, which the launcher knows."""
        lines = ["MISMATCH " + self.headline(), ""]
        lines += self._table()
        lines += ["", f"  the last events of {self.stream} on which both agree:"]
        lines += self._texts(self.before, self.before[:0])
        for title, records in (("model expects", self.expected), ("RTL has", self.actual)):
            lines.append(f"  from here on the {title}:")
            lines += self._texts(records[:SHOWN], self.before)
        caused = cause_text(self.block, self.cause)
        if self.edit.kind == "extra":
            caused = "not known (the model expects no such event)"
        lines += ["", f"  caused by: {caused}"]
        if self.suspects:
            lines[-1] += ", perhaps one of"
            lines += [f"    {cause_text(self.block, suspect)}" for suspect in self.suspects]
        if self.others:
            shown = [f"{name} (cycle {cycle})" for name, cycle in self.others[:6]]
            more = [f"{len(self.others) - 6} more"] if len(self.others) > 6 else []
            lines.append("  then also different: " + ", ".join(shown + more))
        return "\n".join(lines) + "\n"

    def _texts(self, records: Records, before: Records) -> list[str]:
        """A line each; of a level what has changed since the record before."""
        lines = []
        last = before[-1] if len(before) and len(self._held) else None
        for record in records:
            fields = [f.name for f in self._stream.fields]
            names = [name for name in fields if last is None or (last[name] != record[name]).any()]
            lines.append("    " + record_text(self.block, self.stream, record, names))
            last = record if len(self._held) else None
        return lines or ["    no event"]

    @cached_property
    def _sides(self) -> tuple[Records, Records]:
        """What model and RTL have: an event, none, or of a level what it still is."""
        still = self._held.copy()
        still["cycle"] = self.cycle
        one = still if self.edit.kind == "extra" else self.expected[:1]
        return one, still if self.edit.kind == "missing" else self.actual[:1]

    @cached_property
    def _differ(self) -> list[str]:
        """The fields that differ, the cycle among them; all of an event that one side lacks."""
        one, other = self._sides
        names = ["cycle", *(field.name for field in self._stream.fields)]
        lacks = len(one) != len(other)
        return [name for name in names if lacks or (one[name] != other[name]).any()]

    def _table(self) -> list[str]:
        rows = [("  field", "expected (model)", "observed (RTL)", ""), *self._rows()]
        sizes = [max(least, *(len(row[n]) + 2 for row in rows)) for n, least in enumerate(_WIDTHS)]
        return [
            f"{name:<{sizes[0]}}{left:<{sizes[1]}}{right}{mark}".rstrip()
            for name, left, right, mark in rows
        ]

    def _rows(self) -> Iterator[tuple[str, ...]]:
        """Name, both values, and the mark, of the cycle and the fields that differ.

        Of an array there are the first words that differ, of named groups of bits all that do.
        """
        block, stream = self.block, self.stream
        fields = {field.name: field for field in self._stream.fields}
        both = all(map(len, self._sides))
        for name in dict.fromkeys(("cycle", *self._differ)):
            texts = [
                values_text(block, stream, name, side[name][0]) if len(side) else "–"
                for side in self._sides
            ]
            if not both or name not in self._differ:
                yield f"  {name}", *texts, ""
                continue
            values = [side[name][0] for side in self._sides]
            if values[0].size > _LONG:
                differ = np.flatnonzero(values[0] != values[1])
                yield f"  {name}", f"{values[0].size} words, {len(differ)} differ", "", ""
                for at in differ[:_SHOWN]:
                    word = f"{name}[{at}]"
                    texts = [_word(block, stream, word, int(value[at])) for value in values]
                    yield f"  {word}", *texts, _MARK
                continue
            yield f"  {name}", *texts, _MARK
            if name in fields and fields[name].bits and not values[0].ndim:
                groups = [fields[name].split(value) for value in values]
                widths = dict(fields[name].bits)
                for group in groups[0]:
                    texts = [_hex(int(held[group]), widths[group]) for held in groups]
                    if texts[0] != texts[1]:
                        yield f"    {name}.{group}", *texts, _MARK


def cause_text(block: Block, cause: Cause | None) -> str:
    """What caused an event: the input record, if it is known and was not too long ago."""
    if cause is None:
        return "not known (the model names no input for this event)"
    stream, index, record = cause
    if len(record) == 0:
        return f"{stream} event {index}, offered more than a few blocks of cycles ago"
    return f"{stream} event {index}: {record_text(block, stream, record[0])}"


def record_text(
    block: Block, stream: str, record: np.void, names: Sequence[str] | None = None
) -> str:
    """A record in one line: its cycle, and its fields (or those of ``names``) explained."""
    if names is None:
        names = [f.name for f in block.stream_table[stream].fields]
    values = [f"{n} {values_text(block, stream, n, record[n])}" for n in names]
    return f"cycle {int(record['cycle'])}  " + "  ".join(values)


def values_text(block: Block, stream: str, field: str, value: NDArray[np.uint32]) -> str:
    """The value of a field, one word or several, with what it means."""
    if field == "cycle":
        return str(int(value))
    if getattr(value, "ndim", 0) == 0:
        return _word(block, stream, field, int(value))
    if len(value) <= _LONG:
        return "0x" + "".join(f"{int(w):08x}" for w in value[::-1])
    runs = ((word, len(list(same))) for word, same in groupby(int(w) for w in value))
    return "[" + ", ".join(f"{w:#x} x{n}" if n > 1 else f"{w:#x}" for w, n in runs) + "]"


def _word(block: Block, stream: str, field: str, number: int) -> str:
    """The value of a field, or of ``field[n]``, a word of an array."""
    name = field.partition("[")[0]
    described = next(f for f in block.stream_table[stream].fields if f.name == name)
    explained = block.explain(stream, field, number) or describe(described, number)
    text = _hex(number, described.width)
    return f"{text} ({explained})" if explained else text


def _hex(number: int, width: int) -> str:
    """A number of ``width`` bits, of which a word has 32 at most."""
    return f"0x{number:0{-(-min(width, 32) // 4)}x}"
