# SPDX-License-Identifier: Apache-2.0
"""Faults that a run raises: each must be one that its test declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

import numpy as np

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.mismatch import record_text
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import describe
from tilepath.engine.description.stream import Records
from tilepath.isa.errata import named

_NO_FAULT: Final = ("thread", "word")  # fields of fault streams that only say whose fault it is


Cause = Callable[[Records], str]


class Fault(NamedTuple):
    """One kind of fault: bit ``bit`` of a field of a stream."""

    stream: str
    field: str
    bit: int
    name: str


def fault_table(block: Block) -> list[Fault]:
    """Every fault that ``block`` can report, for each instance of its fault streams.

    A fault stream is an output stream of events whose name ends in ``fault``. Its fields are named
    after faults, or have bits that are.
    """
    table = []
    for instance, stream in block.stream_table.items():
        if not stream.name.endswith("fault") or stream.direction != "output":
            continue
        for field in stream.fields:
            if field.name in _NO_FAULT:
                continue
            for bit in range(field.width):
                several = block.explain(instance, field.name, 1 << bit) or describe(field, 1 << bit)
                name = field.name if field.width == 1 else several or f"{field.name}[{bit}]"
                table.append(Fault(instance, field.name, bit, name))
    return table


class FaultCheck:
    """Counts faults, and refuses those that are not declared.

    ``declared``: patterns (``*`` stands for anything) of a fault's name, or of ``stream.name`` with
    the stream's name without its instance; ``ValueError`` for one that no fault of the block has.
    """

    def __init__(self, block: Block, declared: Iterable[str]) -> None:
        self._block = block
        patterns = tuple(declared)
        self._faults: dict[str, list[tuple[Fault, bool]]] = {}
        used = set()
        for fault in fault_table(block):
            kind = block.stream_table[fault.stream].name
            names = (fault.name, f"{kind}.{fault.name}")
            fits = {p for p in patterns if any(fnmatchcase(name, p) for name in names)}
            used |= fits
            self._faults.setdefault(fault.stream, []).append((fault, bool(fits)))
        if unknown := sorted(set(patterns) - used - {"*"}):
            raise ValueError(f"block {block.name} has no fault {', '.join(unknown)}")
        self.counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Number of faults so far."""
        return self.counts.total()

    def check(
        self, streams: Mapping[str, Records], expected: Mapping[str, Records], cause: Cause
    ) -> None:
        """Count the faults of one block of cycles; :class:`CheckError` for the first undeclared.

        ``expected`` are the model's records, which know their origins; ``cause`` gives the text of
        what caused an event, from the model's record.
        """
        first: tuple[int, Fault, int] | None = None
        for stream, faults in self._faults.items():
            records = streams[stream]
            if len(records) == 0:
                continue
            for fault, declared in faults:
                raised = (records[fault.field] >> np.uint32(fault.bit) & 1).astype(bool)
                number = int(raised.sum())
                if number == 0:
                    continue
                self.counts[f"{stream}.{fault.name}"] += number
                at = int(np.argmax(raised))
                cycle = int(records["cycle"][at])
                if not declared and (first is None or cycle < first[0]):
                    first = (cycle, fault, at)
        if first is not None:
            cycle, fault, at = first
            event = expected[fault.stream][at : at + 1]
            self._fail(fault, cycle, streams[fault.stream][at], cause(event))

    def _fail(self, fault: Fault, cycle: int, record: np.void, cause: str) -> None:
        name = f"{fault.stream} {named(fault.name)}"
        text = f"{name}, cycle {cycle}: this test declares no such fault"
        lines = [f"FAULT {text}", "", f"  {record_text(self._block, fault.stream, record)}"]
        lines += ["", f"  caused by: {cause}"]
        lines += ["  faults so far: " + ", ".join(f"{n} x{c}" for n, c in self.counts.items())]
        raise CheckError(f"{text}; caused by {cause}", "\n".join(lines) + "\n", cycle)
