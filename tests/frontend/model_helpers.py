# SPDX-License-Identifier: Apache-2.0
"""Event streams from and to plain lists, and random programs, for the tests of the front end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.frontend import BOUNDARY, THREADS
from tilepath.models.frontend import FrontendModel
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import as_offered, level, random_level, run_in_pieces
from tilepath.tests.model_runs import rows as rows
from tilepath.tests.model_runs import streams as streams_of

NOP = 0x02000000
MOP1 = 0x01800000  # template 1


streams = partial(streams_of, BOUNDARY)
_ANSWERS = {
    f"t{thread}.{offer}": f"t{thread}.{answer}"
    for thread in range(THREADS)
    for offer, answer in (("push", "accept"), ("brisc", "brisc_accept"), ("sync", "sync_ack"))
}


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(FrontendModel(profile), inputs, cuts)


def seen(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, Records]:
    """Every stream of a run of the model, offers as they stand on the ports."""
    outputs = model_run(inputs, [cycles], profile)
    every = streams(dict.fromkeys(BOUNDARY.inputs, ())) | dict(inputs)
    return as_offered(every, outputs, _ANSWERS, cycles) | outputs


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


def random_inputs(rng: np.random.Generator, cycles: int, brisc: bool = True) -> dict[str, Records]:
    """All inputs, of each thread with random density of every kind."""
    rows: dict[str, Iterable[Sequence[int]]] = {
        "sfpu_cc": level(random_level(rng, cycles, 1, 0.5), cycles)
    }
    for thread in range(THREADS):
        gap = int(rng.choice([1, 1, 2, 4]))
        push = []
        t = 0
        while t < cycles:
            t += int(rng.integers(0, gap)) if rng.random() < 0.95 else int(rng.integers(0, 60))
            push.append((t, random_word(rng)))
            t += 1
        often = [float(rng.choice(x)) for x in ([0, 0.02, 0.3, 1], [0, 0.05, 0.3], [0.02, 0.5])]
        hits = rng.random((3, cycles)) < np.array(often)[:, np.newaxis]
        share = float(rng.choice([0, 0.02, 0.3, 0.7, 1.0]))
        rows |= {
            f"t{thread}.push": [row for row in push if row[0] < cycles],
            f"t{thread}.brisc": [(t, random_word(rng)) for t in np.flatnonzero(hits[0]) if brisc],
            f"t{thread}.sync": [(t,) for t in np.flatnonzero(hits[1])],
            f"t{thread}.mopcfg": [
                (t, *random_cfg(rng)) for t in range(cycles) if t < 20 or hits[2, t]
            ],
            f"t{thread}.ready": level(random_level(rng, cycles, 1, share), cycles),
        }
    return streams(rows)
