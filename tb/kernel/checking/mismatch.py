# SPDX-License-Identifier: Apache-2.0
"""The report of a mismatch: what differs, since when, what caused it, how to see it again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.description import Field, describe
from tilepath.tb.kernel.checking.finding import CheckError
from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.stream import Records

_LONG = 8  # words; more than these are an array of values rather than one value
_SHOWN = 8  # words of an array that differ
_NAME: Final = re.compile(r"\b[A-Z]\w+")  # an instruction's or a register's: no profile, no unit


class MismatchError(CheckError):
    """RTL and model differ; ``mismatch`` says where, ``note`` what else is wrong."""

    def __init__(self, mismatch: Mismatch, note: str = "") -> None:
        super().__init__(mismatch.headline(), mismatch.report() + note, mismatch.cycle)
        self.mismatch = mismatch


@dataclass(frozen=True)
class Mismatch:
    """The first event at which RTL and model differ.

    ``expected`` and ``actual`` begin with that event, or are empty where a side has none;
    ``before`` are the last events on which both agree; ``cause`` is the input record that the
    model traces the expected event back to; ``others`` are further streams that differ, with the
    cycle of their first difference.
    """

    block: Block
    stream: str
    event: int
    cycle: int
    expected: Records
    actual: Records
    before: Records
    cause: tuple[str, int, Records] | None
    others: list[tuple[str, int]]

    def headline(self) -> str:
        """One line: stream, event, cycle, and what is different about it."""
        if len(self.actual) == 0:
            what = f"the model expects an event in cycle {self.cycle}, the RTL has none"
            what += self._named(self.expected[0])
        elif len(self.expected) == 0:
            what = f"the RTL has an event in cycle {self.cycle} that the model does not expect"
        else:
            names = [n for n in self._fields() if self._differs(n)]
            what = f"{', '.join(names)} differ" + ("s" if len(names) == 1 else "")
        return f"{self.stream} event {self.event}, cycle {self.cycle}: {what}"

    def signature(self) -> str:
        """The same for mismatches that are alike: stream, what differs, kind of input behind it.

        Of replicated streams the name that they have in common; of an instruction its mnemonic.
        """
        name = next((s.name for s in self.block.streams if self.stream in s.instances), self.stream)
        if len(self.actual) == 0 or len(self.expected) == 0:
            what = "unexpected event" if len(self.actual) else "no event"
        else:
            what = next((n for n in self._fields() if self._differs(n)), "?")
        return f"{name} {what}" + self._caused_by()

    def _caused_by(self) -> str:
        if self.cause is None:
            return ""
        stream, _, record = self.cause
        for field in self.block.stream_table[stream].fields if len(record) else ():
            value = record[0][field.name]
            text = "" if value.ndim else self.block.explain(stream, field.name, int(value))
            if name := _NAME.search(text):
                return f", caused by {name[0]}"
        return f", caused by {stream}"

    def _named(self, record: np.void) -> str:
        """What numbers with names mean."""
        fields = self.block.stream_table[self.stream].fields
        texts = [describe(field, int(record[field.name])) for field in fields if field.values]
        return f" ({', '.join(texts)})" if any(texts) else ""

    def report(self) -> str:
        """The full text, but for how to run it again, which the launcher knows."""
        lines = ["MISMATCH " + self.headline(), ""]
        lines += self._table()
        lines += ["", f"  the last events of {self.stream} on which both agree:"]
        lines += [f"    {record_text(self.block, self.stream, r)}" for r in self.before] or [
            "    none"
        ]
        for title, records in (("model expects", self.expected), ("RTL has", self.actual)):
            lines.append(f"  from here on the {title}:")
            lines += [f"    {record_text(self.block, self.stream, r)}" for r in records] or [
                "    no event"
            ]
        lines += ["", "  caused by: " + cause_text(self.block, self.cause)]
        if self.others:
            shown = [f"{name} (cycle {cycle})" for name, cycle in self.others[:6]]
            more = [f"{len(self.others) - 6} more"] if len(self.others) > 6 else []
            lines.append("  then also different: " + ", ".join(shown + more))
        return "\n".join(lines) + "\n"

    def _text(self, record: np.void) -> str:
        return record_text(self.block, self.stream, record)

    def _fields(self) -> list[str]:
        table = self.block.stream_table
        return ["cycle", *(f.name for f in table[self.stream].fields)]

    def _differs(self, field: str) -> bool:
        return bool((self.expected[field][0] != self.actual[field][0]).any())

    def _width(self) -> int:
        """Of the table's first column: the longest name, and a gap behind it."""
        return max(14, *(len(field) + 2 for field in self._fields()))

    def _table(self) -> list[str]:
        width = self._width()
        lines = [f"  {'field':<{width}}{'expected (model)':<44}observed (RTL)"]
        both = len(self.expected) > 0 and len(self.actual) > 0
        for field in self._fields():
            if both and self.expected[field][0].size > _LONG:
                lines += self._array_rows(field)
                continue
            sides = [
                value_text(self.block, self.stream, field, records[0]) if len(records) else "–"
                for records in (self.expected, self.actual)
            ]
            mark = "   <--" if both and self._differs(field) else ""
            lines.append(f"  {field:<{width}}{sides[0]:<44}{sides[1]}{mark}")
            if mark:
                lines += self._group_rows(field)
        return lines

    def _group_rows(self, field: str) -> list[str]:
        """Rows of the table for the named groups of bits that differ."""
        values = self.expected[field][0], self.actual[field][0]
        described = None if field == "cycle" else _described(self.block, self.stream, field)
        if described is None or values[0].ndim or not described.bits:
            return []
        one, other = (described.split(value) for value in values)
        return [
            f"    {name:<{self._width() - 2}}{int(one[name]):<44}{int(other[name])}   <--"
            for name in one
            if one[name] != other[name]
        ]

    def _array_rows(self, field: str) -> list[str]:
        """Rows of the table for the words of an array that differ, the first of them."""
        expected, actual = self.expected[field][0], self.actual[field][0]
        differ = [int(word) for word in (expected != actual).nonzero()[0]]
        width = self._width()
        rows = [f"  {field:<{width}}{len(expected)} words, {len(differ)} differ"]
        for word in differ[:_SHOWN]:
            name = f"{field}[{word}]"
            one, other = (
                _word(self.block, self.stream, name, int(v[word])) for v in (expected, actual)
            )
            rows.append(f"  {name:<{width}}{one:<44}{other}   <--")
        return rows


def cause_text(block: Block, cause: tuple[str, int, Records] | None) -> str:
    """What caused an event: the input record, if it is known and was not too long ago."""
    if cause is None:
        return "not known (the model names no input for this event)"
    stream, index, record = cause
    if len(record) == 0:
        return f"{stream} event {index}, offered more than a few blocks of cycles ago"
    return f"{stream} event {index}: {record_text(block, stream, record[0])}"


def record_text(block: Block, stream: str, record: np.void) -> str:
    """A record in one line: its cycle, and its fields with what their values mean."""
    names = [f.name for f in block.stream_table[stream].fields]
    values = [f"{n} {value_text(block, stream, n, record)}" for n in names]
    return f"cycle {int(record['cycle'])}  " + "  ".join(values)


def value_text(block: Block, stream: str, field: str, record: np.void) -> str:
    """A field of a record, with what its value means."""
    value = record[field]
    return str(int(value)) if field == "cycle" else values_text(block, stream, field, value)


def values_text(block: Block, stream: str, field: str, value: NDArray[np.uint32]) -> str:
    """The value of a field, one word or several, with what it means."""
    if getattr(value, "ndim", 0) == 0:
        return _word(block, stream, field, int(value))
    if len(value) <= _LONG:
        return "0x" + "".join(f"{int(w):08x}" for w in value[::-1])
    runs = ((word, len(list(same))) for word, same in groupby(int(w) for w in value))
    return "[" + ", ".join(f"{w:#x} x{n}" if n > 1 else f"{w:#x}" for w, n in runs) + "]"


def _word(block: Block, stream: str, field: str, number: int) -> str:
    explained = block.explain(stream, field, number) or describe(
        _described(block, stream, field), number
    )
    text = f"0x{number:08x}" if number > 9 else str(number)
    return f"{text} ({explained})" if explained else text


def _described(block: Block, stream: str, field: str) -> Field:
    """The description of ``field``, or of the array of which it is a word."""
    fields = {f.name: f for f in block.stream_table[stream].fields}
    return fields[field.partition("[")[0]]
