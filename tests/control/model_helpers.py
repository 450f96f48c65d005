# SPDX-License-Identifier: Apache-2.0
"""Event streams from and to plain lists, and random words, for the tests of the control block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context
from tilepath.isa import constants, encode
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel
from tilepath.models.control.instructions import INSTRUCTIONS, OPCODES, Kind
from tilepath.sequences.control.random_program import thread_items
from tilepath.sequences.control.random_tests import PORTS, thread_tables
from tilepath.sequences.control.tables import PRESETS
from tilepath.sequences.control.word_tables import Hot
from tilepath.sequences.control.words import setc16 as setc16
from tilepath.tests.control import item_fields
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import as_offered, level, random_level, run_in_pieces
from tilepath.tests.model_runs import rows as rows
from tilepath.tests.model_runs import streams as streams_of
from tilepath.tests.stimulus.helpers import starts

NOP = 0x02000000
OWN = {constants.OP_NOP, *(op for op in OPCODES if INSTRUCTIONS[op].kind != Kind.UNSUPPORTED)}
"""Opcodes that the block executes by itself."""


def origin(stream: str, index: int) -> int:
    """The number that stands for record ``index`` of an input stream."""
    return Origin(stream, index).encode(BOUNDARY.inputs)


def streams(given: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, Records]:
    """Records of input streams from rows; ``busy``: of each thread that is not given one itself."""
    rest = dict(given)
    everyone = list(rest.pop("busy", ()))
    return streams_of(BOUNDARY, {f"t{n}.busy": everyone for n in range(3)} | rest)


def set_gpr(gpr: int, value: int) -> list[int]:
    """The two SETDMAREG that set a GPR to 32 bits."""
    halves = enumerate((value & 0xFFFF, value >> 16))
    return [encode("SETDMAREG", half_reg=2 * gpr + high, value=half) for high, half in halves]


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(ControlModel(profile), inputs, cuts)


_ANSWERS = {
    **{f"t{n}.offer": f"t{n}.issue" for n in range(3)},
    "risc": "risc_done", "risc_sem": "risc_sem_done",
}  # fmt: skip


def seen(inputs: Mapping[str, Records], cycles: int) -> dict[str, Records]:
    """Every stream of a run of the model, offers as they stand on the ports."""
    outputs = model_run(inputs, [cycles])
    return as_offered(inputs, outputs, _ANSWERS, cycles) | outputs


def words(*entries: int | tuple[int, int]) -> list[tuple[int, int]]:
    """Offer rows: each word as early as can be, or from a cycle on: (cycle, word)."""
    out: list[tuple[int, int]] = []
    for entry in entries:
        cycle, word = entry if isinstance(entry, tuple) else (0, entry)
        out.append((max(cycle, out[-1][0] + 1 if out else 0), word))
    return out


# --- random runs


def random_items(rng: np.random.Generator, preset: str, thread: int, count: int) -> Items:
    """At least ``count`` items of ``issue`` of a thread, by a preset of the random tests."""
    given = thread_tables(_context(preset), Hot(rng), thread)
    found: list[Items] = []
    for items in thread_items(rng, given, thread):
        found.append(items)
        if sum(map(len, found)) >= count:
            break
    return np.concatenate(found)


def random_words(
    rng: np.random.Generator, preset: str, count: int, thread: int = 1, but: Collection[int] = ()
) -> list[int]:
    """The words of at least ``count`` such items, without those of the opcodes ``but``."""
    words: list[int] = random_items(rng, preset, thread, count)[:, 1].tolist()
    return [word for word in words if word >> 24 not in but]


def _context(preset: str) -> Context:
    return Context("control", preset, 0, "baseline", 0).with_tables(PRESETS[preset])


def _events(stream: str, player: str, items: Items, cycles: int) -> Records:
    """What a player does in the first ``cycles`` whose items nobody holds up."""
    found, at = item_fields.fields(player, items), np.array(starts(items))
    records = np.zeros(int((at < cycles).sum()), BOUNDARY.stream(stream).dtype)
    for field in records.dtype.names or ():
        records[field] = (at if field == "cycle" else found[field])[: len(records)]
    return records


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Of each thread and port what some preset of the random tests has; levels of any density."""
    found = {}
    for thread in range(3):
        preset = str(rng.choice(list(PRESETS)))
        items = random_items(rng, preset, thread, cycles)
        found[f"t{thread}.offer"] = _events("t0.offer", "t0.issue", items, cycles)
    for stream, player in (("risc", "risc"), ("risc_sem", "risc_sem"), ("stream_write", "stream")):
        table, made = PORTS[player]
        given = Hot(rng).of(_context(str(rng.choice(list(PRESETS)))).table(table))
        found[stream] = _events(stream, player, next(made(rng, given)), cycles)
    shares = {"hold": (3, (0, 0.05, 0.2)), "unit_ready": (6, (0.2, 0.6, 1)),
              "stream_busy": (1, (0, 0.1, 0.6))}  # fmt: skip
    shares |= {f"t{thread}.busy": (13, (0.02, 0.1, 0.3)) for thread in range(3)}
    levels = {
        name: level(random_level(rng, cycles, bits, float(rng.choice(some))), cycles)
        for name, (bits, some) in shares.items()
    }
    return found | streams(levels)


# --- directed runs


def control_run(
    *threads: Iterable[int | tuple[int, int]],
    cycles: int = 80,
    profile: str = "baseline",
    **others: Iterable[Sequence[int]],
) -> dict[str, Records]:
    """Output streams for programs (see ``words``) of threads 0, 1, …; units are ready if not given.

    ``others``: rows of the other input streams (``t1_busy``: of thread 1's).
    """
    given: dict[str, Iterable[Sequence[int]]] = {"unit_ready": [(0, 63)]}
    given |= {f"t{n}.offer": words(*program) for n, program in enumerate(threads)}
    given |= {name.replace("_busy", ".busy") if name[0] == "t" else name: some
              for name, some in others.items()}  # fmt: skip
    return model_run(streams(given), [cycles], profile)


def issues(out: Mapping[str, Records], thread: int = 0) -> list[int]:
    """Cycles in which the thread's words issue."""
    return out[f"t{thread}.issue"]["cycle"].tolist()


def faults(out: Mapping[str, Records], thread: int = 0) -> list[tuple[int, str]]:
    """(cycle, name) of each fault of the thread."""
    records = out[f"t{thread}.fault"]
    names = (records.dtype.names or ())[1:-1]
    return [(int(r["cycle"]), name) for r in records for name in names if r[name]]


def reader(index: int) -> int:
    """Word of unpacker 0 whose entry cycle shows Config word ``index`` (256 on: ThreadConfig)."""
    return 0x42000000 | index


def first_with(records: Records, value: int) -> int:
    """First cycle in which a view shows ``value``; the cycles before it must be there, too."""
    hits = records["cycle"][records["data"] == value]
    assert hits.size and records["cycle"][0] < hits[0]
    return int(hits[0])
