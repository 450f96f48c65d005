# SPDX-License-Identifier: Apache-2.0
"""Records of a block's inputs, as lines of a table have them.

    0 push P NOP MOP(1,0,0)
    -9 mopcfg index=0..8 data=1,2,NOP*3,L,NOP,S,NOP
    5,7 t1 INCADCXY target=1 y0_inc=3

A line has cycles, a thread if it is not thread 0, and a stream, or an instruction in capitals for
the thread's port; behind it fields, of which a stream's first needs no name. Each cycle has the
next value of a field that has several; a single cycle is the first of as many as there are values.
Numbers can be names that the table gives, lines of assembly, ``a..b/s`` and ``a*n``.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tilepath import isa
from tilepath.isa.boundary import Boundary

Case = Mapping[str, Any]
Names = Mapping[str, list[int]]
Rows = dict[str, list[tuple[int, ...]]]

_THREADS: Final = ("t0", "t1", "t2")
PART: Final = re.compile(r"(?:\([^)]*\)|[^\s,(])+")
_NUMBERS: Final = re.compile(r"(.+?)(?:\.\.(.+?)(?:/(\d+))?)?(?:\*(\d+))?")


def _number(text: str) -> int:
    mnemonic, call, rest = text.partition("(")
    return isa.assemble(f"{mnemonic} {rest[:-1]}") if call else int(text, 0)


def numbers(text: str, names: Names) -> list[int]:
    """Numbers with blanks or commas between them; ``ValueError`` for what is none."""
    found: list[int] = []
    for part in PART.findall(text):
        first, last, step, times = _NUMBERS.fullmatch(part).groups()  # type: ignore[union-attr]
        if last:
            found += range(_number(first), _number(last) + 1, int(step or 1))
        else:
            found += (names[first] if first in names else [_number(first)]) * int(times or 1)
    return found


def _named(table: Mapping[str, str], before: Names) -> Names:
    """What names stand for, and those ``before``; each may use the ones before it."""
    names = dict(before)
    for name, text in table.items():
        names[name] = numbers(text, names)
    return names


@functools.cache
def cases(path: Path) -> dict[str, Case]:
    """The cases of a table, each with all names that it may use: the table's and its own."""
    tables = tomllib.loads(path.read_text())
    names = _named(tables.pop("names", {}), {})
    return {
        name: {**case, "names": _named(case.get("names", {}), names)}
        for name, case in tables.items()
    }


def given(boundary: Boundary, case: Case) -> Rows:
    """Input stream → cycle and fields of its records, in the order of cycles.

    ``case``: its lines are ``given``; ``names`` as :func:`cases` has them; ``profile``.
    """
    rows: Rows = defaultdict(list)
    for line in case["given"]:
        first, *rest = line.split()
        thread = rest.pop(0) if rest[0] in _THREADS else "t0"
        name, *texts = rest
        stream = f"{thread}.issue" if name.isupper() else name
        if stream not in boundary.inputs:
            stream = f"{thread}.{stream}"
        fields = [field.name for field in boundary.stream(stream).fields]
        values: dict[str, list[int]] = defaultdict(list)
        for text in texts:
            field, _, value = text.rpartition("=")
            values[field or fields[0]] += numbers(value, case["names"])
        cycles = numbers(first, {})
        if len(cycles) == 1:
            cycles = [cycles[0] + k for k in range(max(map(len, values.values()), default=1))]
        for k, cycle in enumerate(cycles):
            now = {field: some[k % len(some)] for field, some in values.items()}
            if name.isupper():
                now = {"word": isa.encode(name, case.get("profile", "baseline"), **now)}
            if unknown := now.keys() - set(fields):
                raise ValueError(f"{line}: {stream} has no {', '.join(unknown)}")
            rows[stream].append((cycle, *(now.get(field, 0) for field in fields)))
    return {stream: sorted(some) for stream, some in rows.items()}
