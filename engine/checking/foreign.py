# SPDX-License-Identifier: Apache-2.0
"""Checks a folder of traces that another bench has written; ``docs/traces.md`` has their format.

There is no stimulus to compare with, and no state: what there is are the streams that the manifest
lists. Inputs that it does not list never happen; outputs that it does not list are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.checking.checker import Checker
from tilepath.engine.checking.faults import FaultCheck
from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.rows import rising, rows_of
from tilepath.engine.checking.trace import TraceBlock, TraceError, split_trace
from tilepath.engine.description.bound import VERSION, stream_line
from tilepath.engine.description.boundary import Field, Stream
from tilepath.engine.description.registry import coverage_of, load_block
from tilepath.engine.description.stimulus import ANY
from tilepath.engine.description.stream import FILLER, Records
from tilepath.engine.host.files import read_text
from tilepath.engine.project import project

MANIFEST: Final = "manifest.txt"
_WORDS: Final = "tilepath-trace block profile order parameter stream to reset end".split()
_ORDER: Final = "4321"  # the number 0x31323334, lowest byte first
_CUT: Final = 65_536  # cycles that are checked at once


class ForeignRun:
    """What a bench has recorded of ``block``, from reset on for ``cycles`` cycles, and its check.

    ``streams``: records of what is listed, by instance, and none of inputs that are not;
    ``left_out``: outputs that are not listed. ``checker``, ``faults`` and ``coverage`` count.
    ``asked``: the block that it is to be of.

    :class:`TraceError` where a folder is not as ``docs/traces.md`` says, of another block, cut off.
    """

    def __init__(self, folder: Path, asked: str | None) -> None:
        path = folder / MANIFEST
        lines = _manifest(path)
        name, self.profile = lines["block"][0], (lines["profile"] or ["baseline"])[0]
        try:
            self.block = load_block(name)
            if asked not in (None, name):
                raise ValueError(f"it is of block {name}, not of {asked}")
            project().profiles.get(self.profile)
            known = self.block.parameters(self.profile)
            for parameter, _, value in (line.partition(" ") for line in lines["parameter"]):
                if value != str(here := known.get(parameter, value)):
                    text = f"{parameter} was {value}; in profile {self.profile} it is {here}"
                    raise ValueError(text)
            listed = {line.partition(" ")[0]: f"stream {line}" for line in lines["stream"]}
            table = {stream.name: stream_line(stream) for stream in self.block.streams}
            for stream, line in listed.items():
                if line != (here := table.get(stream, "no such stream")):
                    raise ValueError(f"it has {line!r}, block {name} has {here!r}")
            ends = _ends(lines)
            order = (lines["order"] or ["none"])[0]
            self.streams = {
                instance: _records(folder, instance, one, ends, order)
                if one.name in listed
                else one.empty()
                for one in self.block.streams
                if one.name in listed or one.direction == "input"
                for instance in one.instances
            }
        except ValueError as error:  # of profiles and blocks, too
            raise TraceError(f"trace {path}: {error}") from None
        self.cycles = ends[-1]
        left = [one for one in self.block.streams if one.instances[0] not in self.streams]
        self.left_out = [one.name for one in left]
        self._unseen = {name: one for one in left for name in one.instances}
        kept = tuple(one for one in self.block.streams if one not in left)
        block = replace(self.block, streams=kept, _tables={})
        self.checker = Checker(block, self.profile)
        self.faults = FaultCheck(block, ANY)
        self.coverage = coverage_of(self.block, self.profile)
        self.coverage.follow(self.checker.model)

    def steps(self) -> Iterator[int]:
        """Check block of cycles after block of cycles, and yield how many cycles are done.

        Raises :class:`CheckError` for a difference; at the end where nothing was compared.
        """
        for start in range(0, self.cycles, _CUT):
            end = min(start + _CUT, self.cycles)
            streams = {}
            for name, records in self.streams.items():
                low, high = np.searchsorted(records["cycle"], [start, end])
                streams[name] = records[low:high]
            expected = self.checker.check(TraceBlock(start, end, streams))
            self.faults.check(streams, expected, str)  # any may be raised
            # of an output that was not recorded coverage sees what the model expects
            seen = {name: _as_recorded(expected[name], one) for name, one in self._unseen.items()}
            self.coverage.sample({**seen, **streams}, start, end)
            yield end
        self.coverage.finish()
        if not self.checker.events:
            raise CheckError(f"no event of an output was compared (cycle {self.checker.cycles})")
        for point, bin_name, reason in self.coverage.contradicted():
            raise CheckError(f"{point} {bin_name} was hit, but is excluded as impossible: {reason}")


def _as_recorded(expected: Records, stream: Stream) -> Records:
    """What a model expects, which may have more fields, as a trace has it: read-only, too."""
    found = np.zeros(len(expected), stream.dtype)
    for name in ("cycle", *(field.name for field in stream.fields)):
        found[name] = expected[name]
    found.flags.writeable = False
    return found


def _manifest(path: Path) -> dict[str, list[str]]:
    """Return its lines by their first word, without it."""
    first, *lines = _text(path).splitlines() or [""]
    if first.split() != ["tilepath-trace", str(VERSION)]:
        raise TraceError(f"trace {path} begins with {first!r}, not 'tilepath-trace {VERSION}'")
    found: dict[str, list[str]] = {word: [] for word in _WORDS}
    for number, line in enumerate(lines, 2):
        word, *rest = line.split() or ["#"]
        if word in found:
            found[word].append(" ".join(rest))
        elif not word.startswith("#"):
            text = f"{word!r} is none of {', '.join(_WORDS)}"
            raise TraceError(f"trace {path}, line {number}: {text}")
    if not found["end"]:
        raise TraceError(f"trace {path} was cut off: no line with end, of $finish or final()")
    for word in ("block", "end"):
        if len(found[word]) != 1:
            text = f"{len(found[word])} lines with {word}, not one: is it of several instances?"
            raise TraceError(f"trace {path} has {text}")
    return found


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise TraceError(f"trace {path} cannot be read: {reason}") from None


def _ends(lines: Mapping[str, Sequence[str]]) -> list[int]:
    """The cycles before which blocks of cycles end; ``ValueError`` for a run that is none."""
    texts = [*lines["to"], *lines["end"]]
    ends = [int(text) if text.isdecimal() else FILLER for text in texts]
    if sorted(ends) != ends or ends[-1] >= FILLER:
        raise ValueError(f"cycles {', '.join(texts)} are not numbers of 32 bits that rise")
    if lines["reset"]:
        raise ValueError(f"the design was reset again in cycle {ends[-1]}: record one run")
    if not ends[-1]:
        raise ValueError("it has no cycle: rst_ni was never low at first, and then high")
    return ends


def _records(folder: Path, name: str, stream: Stream, ends: Sequence[int], order: str) -> Records:
    """The records of a stream, whose cycles rise up to the last end."""
    path, text = folder / f"{name}.bin", folder / f"{name}.txt"
    if path.exists() and text.exists():
        raise TraceError(f"trace {path} is there as {text.name}, too: keep one of them")
    places: list[str] = []
    if text.exists():
        path, (records, places) = text, _from_text(text, stream)
    elif order != _ORDER:
        raise ValueError(f"byte order {order}: {_ORDER} alone is read, lowest byte first")
    else:
        records = np.concatenate(split_trace(path, stream, len(ends)))
        if len(records) and records["cycle"][-1] == ends[-1]:
            records = records[:-1]  # $finish came within that cycle
    at, cycles = rising(rows_of(records), 0, ends[-1]), records["cycle"]
    if at < len(records):
        place = places[at] if places else f"record {at}"
        limits = f"after {cycles[at - 1]} and " if at else ""
        limits += f"before the end, {ends[-1]}"
        raise TraceError(f"trace {path}, {place}: cycle {cycles[at]} is to be {limits}")
    for one in stream.fields:
        step, used = one.words // one.count, one.width % 32
        highest = records[one.name].reshape(len(records), one.words)[:, step - 1 :: step]
        if used and (over := (highest >> used).any(axis=1)).any():
            cycle = cycles[np.argmax(over)]
            raise TraceError(f"trace {path}: {one.name} has over {one.width} bits in cycle {cycle}")
    return records


def _from_text(path: Path, stream: Stream) -> tuple[Records, list[str]]:
    """Read a line an event: its cycle, and each field's value, hexadecimal; and where it is."""
    rows: list[tuple[object, ...]] = []
    places: list[str] = []
    last: tuple[object, ...] = tuple(_words(one, "0") for one in stream.fields)
    for number, line in enumerate(_text(path).splitlines(), 1):
        cycle, *values = line.partition("#")[0].split() or [""]
        if not cycle:
            continue
        try:
            row = tuple(_words(*pair) for pair in zip(stream.fields, values, strict=True))
            if not cycle.isdecimal() or int(cycle) >= FILLER:
                raise ValueError(f"{cycle} is no cycle")
        except ValueError as error:
            names = " ".join(one.name for one in stream.fields)
            what = f"trace {path}, line {number}: not a cycle and hexadecimal {names}"
            raise TraceError(f"{what}: {error}") from None
        if stream.kind == "event" or row != last:  # a level may be told again
            rows.append((int(cycle), *row, *[0] * (not stream.fields)))
            places.append(f"line {number}")
        last = row
    return np.array(rows, stream.dtype), places


def _words(one: Field, text: str) -> int | tuple[int, ...]:
    """The words of a field; ``ValueError`` for a value that does not fit."""
    value, bits = int(text, 16), one.width
    if not 0 <= value < 1 << bits * one.count:
        raise ValueError(f"{text} does not fit in the {bits * one.count} bits of {one.name}")
    parts = [value >> bits * n & (1 << bits) - 1 for n in range(one.count)]
    words = range(one.words // one.count)
    found = tuple(part >> 32 * word & 0xFFFF_FFFF for part in parts for word in words)
    return found[0] if len(found) == 1 else found
