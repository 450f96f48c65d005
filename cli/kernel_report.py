# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath kernel-report`` does: where the cycles of a run of ``datapath`` went.

The table, and in files the same as JSON, as Chrome's trace events, which Perfetto opens (a
microsecond is a cycle), or as a picture.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from tilepath import isa
from tilepath.engine.commands import report as screens
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import read_run
from tilepath.engine.commands.one_line import Tell, written
from tilepath.engine.host.files import write_whole
from tilepath.models.control.waiting_text import SEMAPHORE_NAMES
from tilepath.tb.datapath.report import Report, read_report
from tilepath.tb.datapath.report_svg import draw, runs
from tilepath.tb.datapath.units import BANKS

_THREADS, _UNITS, _BANKS, _SEMAPHORES, _TILES = range(1, 6)  # processes of the trace
_PROCESSES: Final = {
    **{_THREADS: "threads", _UNITS: "units", _BANKS: "banks, the Matrix Unit's"},
    **{_SEMAPHORES: "semaphores", _TILES: "tiles"},
}
Event = dict[str, Any]


def show_report(run_dir: Path, outs: Sequence[Path], tell: Tell | None = None) -> None:
    """Print or ``tell`` the table of a run, and write ``outs``, each by its suffix.

    Raises:
        UsageError: no such run, one of another block or version, nothing in it, another suffix.
        OSError: a file that cannot be written.
    """
    writers = {out: _writer(out) for out in outs}
    found = read_run(read_report, run_dir)
    for out, write in writers.items():
        write_whole(out, write(found).encode())
    if tell is None:
        _show(found)
    else:
        tell(as_json(found))
    for out in outs:
        print(f"wrote {out}")


def show_headline(run_dir: Path) -> None:
    """Print how long a tile took, and what tells more; nothing of a run that kept no traces."""
    with suppress(UsageError):
        print(read_run(read_report, run_dir).summary)
        print(f"where the cycles went: tilepath kernel-report {run_dir}")


def _writer(out: Path) -> Any:
    for suffix, write in _WRITTEN.items():
        if out.name.endswith(suffix):
            return write
    raise UsageError(f"{out}: a file ends in {', '.join(_WRITTEN)}")


def as_json(found: Report) -> dict[str, Any]:
    """The table, as it is written; cycles, and of ``share`` parts of the kernel's cycles."""
    tiles, (name, bound) = found.tiles, found.bound
    request, stood = found.request, found.stood()
    return {
        **{key: getattr(request, key) for key in ("block", "test", "seed", "profile", "sim")},
        **{"cycles": found.cycles, "begin": found.begin, "end": found.end},
        "tiles": {"done": found.done, **tiles._asdict()},
        "bound": {"unit": name, "per_tile": bound},
        "units": [
            {
                **{"name": one.name, "busy": int(one.busy.sum()), "bound": float(one.work.sum())},
                "share": float(one.work.sum()) / (found.end - found.begin),
                **{"per_tile": found.per_tile(one), "stood": one.stood},
            }
            for one in found.units
        ],
        "threads": [
            {text: row[thread] for text, row in stood.items()} for thread in range(len(found.why))
        ],
    }


def _show(found: Report) -> None:
    told, console = as_json(found), screens.make_console()
    print(f"{found.title}: {found.summary}")
    screen = screens.table_of("unit", ">busy", ">bound", ">share", ">a tile")
    screen.add_column("stood")
    for unit in told["units"]:
        stood = ", ".join(f"{name} {count:,}" for name, count in unit["stood"].items() if count)
        numbers = (f"{unit['busy']:,}", f"{unit['bound']:,.0f}", f"{100 * unit['share']:.1f} %")
        screen.add_row(unit["name"], *numbers, f"{unit['per_tile']:,.1f}", stood)
    print()
    console.print(screen)
    threads = (f">thread {thread}" for thread in range(len(found.why)))
    screen = screens.table_of("cycles of", *threads)
    for text, counts in found.stood().items():
        screen.add_row(text, *(f"{count:,}" if count else "" for count in counts))
    screen.add_row("the run", *(f"{sum(one.values()):,}" for one in told["threads"]))
    print()
    console.print(screen)


def trace_events(found: Report) -> Iterator[Event]:
    """Complete events of threads, units, banks and tiles, counters of semaphores, names."""
    for pid, name in _PROCESSES.items():
        yield {"ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": {"name": name}}
        sort = {"sort_index": pid}
        yield {"ph": "M", "pid": pid, "tid": 0, "name": "process_sort_index", "args": sort}
    for thread, why in enumerate(found.why):
        yield from _named(_THREADS, thread, f"thread {thread}")
        for begin, end in runs(why, 0, found.cycles):
            text = found.reasons[why[begin]]
            if text not in ("issues", "no item"):
                yield _slice(_THREADS, thread, begin, end, text, text.partition(":")[0])
    for row in found.words:
        begin, word = int(row["cycle"]), int(row["offered"]["word"])
        made = _slice(_THREADS, int(row["thread"]), begin, begin + 1, *_mnemonic(word))
        yield made | {"args": {"word": isa.named_word(word)}}
    levels = [(_UNITS, one.name, one.busy) for one in found.units]
    levels += [(_BANKS, name, row) for name, row in zip(BANKS, found.owners, strict=True)]
    for tid, (pid, name, values) in enumerate(levels):
        yield from _named(pid, tid, name)
        for begin, end in runs(values, 0, found.cycles):
            if values[begin]:
                yield _slice(pid, tid, begin, end, name, _PROCESSES[pid])
    before = found.begin
    yield from _named(_TILES, 0, "tiles")
    for number, done in enumerate(found.done):
        yield _slice(_TILES, 0, before, done + 1, f"tile {number}", "tiles")
        before = done + 1
    for number, values in enumerate(found.semaphores):
        if values.any():
            for begin, _ in runs(values, 0, found.cycles):
                name, value = SEMAPHORE_NAMES[number], {"value": int(values[begin])}
                yield {"ph": "C", "pid": _SEMAPHORES, "tid": 0, "ts": begin, "name": name,
                       "args": value}  # fmt: skip


def _named(pid: int, tid: int, name: str) -> Iterator[Event]:
    yield {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}}
    sort = {"sort_index": tid}
    yield {"ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index", "args": sort}


def _slice(pid: int, tid: int, begin: int, end: int, name: str, kind: str) -> Event:
    times = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "pid": pid, "tid": tid, **times, "name": name, "cat": kind}


@cache
def _mnemonic(word: int) -> tuple[str, str]:
    """Name of a slice of a word, and its category."""
    return isa.disassemble(word).partition(" ")[0], "issues"


def _as_trace(found: Report) -> str:
    other = {"run": found.title, "unit of time": "a microsecond is a cycle"}
    whole = {"traceEvents": list(trace_events(found)), "displayTimeUnit": "ms", "otherData": other}
    return json.dumps(whole, separators=(",", ":"))


_WRITTEN: Final = {
    ".trace.json": _as_trace,
    ".json": lambda found: written(as_json(found)),
    ".svg": draw,
}
