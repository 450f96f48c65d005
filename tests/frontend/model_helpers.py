# SPDX-License-Identifier: Apache-2.0
"""Event streams from and to plain lists, and random programs, for the tests of the front end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.models.frontend import FrontendModel

NOP = 0x02000000
MOP1 = 0x01800000  # template 1
Records = npt.NDArray[Any]


def stream(name: str, rows: Iterable[Sequence[int]]) -> Records:
    """Structured array of an input stream from rows (cycle, fields)."""
    fields = [field.name for field in BOUNDARY.stream(name).fields]
    layout = [(field, np.uint32) for field in ("cycle", *fields)]
    return np.array([tuple(row) for row in rows], dtype=layout)


def streams(rows: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, Records]:
    return {name: stream(name, some) for name, some in rows.items()}


def cut(inputs: Mapping[str, Records], first: int, last: int) -> dict[str, Records]:
    """The events in cycles ``first`` to ``last - 1``."""
    return {name: a[(a["cycle"] >= first) & (a["cycle"] < last)] for name, a in inputs.items()}


def model_run(
    inputs: Mapping[str, Records], cuts: Sequence[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    model = FrontendModel(profile)
    parts = []
    start = 0
    for end in cuts:
        part = model.step(cut(inputs, start, end), end)
        for records in part.values():
            assert (
                not len(records) or start <= records["cycle"].min() <= records["cycle"].max() < end
            )
        parts.append(part)
        start = end
    return {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}


def one_thread(
    push: Sequence[int] | Sequence[tuple[int, int]],
    cfg: Sequence[int] = (),
    start: int = 0,
    cycles: int = 400,
    profile: str = "baseline",
    **others: Iterable[Sequence[int]],
) -> dict[str, Records]:
    """Run thread 0 of a model; output streams without the ``t0.`` and with the other threads'.

    ``push``: words offered back to back from cycle ``start``, or pairs (cycle, word).
    ``cfg``: MopCfg, written in cycles 0 to 8 (give ``start`` at least 9 then, or trust that the
    MOP comes late enough). ``others``: rows of further streams; issue_ready is 1 if not given.
    """
    rows: dict[str, Iterable[Sequence[int]]] = {"t0.ready": [(0, 1)]}
    rows["t0.push"] = [
        entry if isinstance(entry, tuple) else (start + n, entry) for n, entry in enumerate(push)
    ]
    if cfg:
        rows["t0.mopcfg"] = [(n, n, data) for n, data in enumerate(cfg)]
    rows |= {f"t0.{name}" if name != "sfpu_cc" else name: some for name, some in others.items()}
    out = model_run(streams(rows), [cycles], profile)
    return {name.removeprefix("t0."): records for name, records in out.items()}


def pushed(index: int, thread: int = 0) -> int:
    """Origin: push offer ``index`` of a thread."""
    return Origin(f"t{thread}.push", index).encode(BOUNDARY.inputs)


def brisc(index: int, thread: int = 0) -> int:
    """Origin: BRISC offer ``index`` of a thread."""
    return Origin(f"t{thread}.brisc", index).encode(BOUNDARY.inputs)


def rows(records: Records, *fields: str) -> list[tuple[int, ...]]:
    """Chosen fields of each record as plain tuples."""
    return [tuple(int(record[field]) for field in fields) for record in records]


def replay(index: int, count: int, execute: int = 0, load: int = 0) -> int:
    return 0x04000000 | index << 14 | (count & 63) << 4 | execute << 1 | load


def random_word(rng: np.random.Generator, mops: bool = True) -> int:
    """A word from a mix that leans towards the front end's own instructions."""
    kind = int(rng.integers(0, 20))
    low = int(rng.integers(0, 1 << 24))
    if kind < 3 and mops:
        template = int(rng.integers(0, 2))
        count = int(rng.choice([0, 1, 2, 5, 15, 40]))
        return 0x01000000 | template << 23 | count << 16 | (low & 0xFFFF)
    if kind < 4 and mops:
        return 0x03000000 | (low & 0xFFFF)
    if kind < 8:
        count = int(rng.choice([0, 1, 2, 3, 4, 7, 31, 33]))
        return replay(low & 31, count, int(rng.integers(0, 2)), int(rng.integers(0, 2)))
    if kind < 9:
        return int(rng.choice([0x05000000, 0, 0xFF000000, 0x06123456]))
    if kind < 11:
        return NOP | low
    return int(rng.choice([0x26, 0x42, 0x41, 0x40, 0x45, 0x50, 0x70, 0xA2, 0xA4, 0xB2])) << 24 | low


def random_cfg(rng: np.random.Generator) -> tuple[int, int]:
    """Index and data of a MopCfg write; small counts, NOP often."""
    index = int(rng.integers(0, 10 if rng.random() < 0.05 else 9))
    if index < 2:
        return index, int(rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4, 0x81, 7]))
    if rng.random() < 0.4:
        return index, NOP
    return index, random_word(rng, mops=bool(rng.random() < 0.1))
