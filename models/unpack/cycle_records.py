# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its kernel reaches their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS, WRITES
from tilepath.models.inputs import checked_rows
from tilepath.models.records import Records, named, record
from tilepath.models.unpack.plan import OPCODE_NOP, OPCODE_UNPACR

CHUNK: Final = 2048  # cycles in which anything happens per pass: bounds the output buffers

_RECORDED: Final = {name: BOUNDARY.stream(name).dtype for name in BOUNDARY.inputs}
_NAMED: Final = {name: named(described) for name, described in _RECORDED.items()}
_FIELDS: Final = {name: BOUNDARY.stream(name).fields for name in BOUNDARY.inputs}


class Rows(NamedTuple):
    """Input records of a block of cycles."""

    issue: tuple[Records, ...]  # of each unpacker
    counter: tuple[Records, ...]  # of each thread
    cfg: Records
    setc16: tuple[Records, ...]  # of each thread
    matrix: Records
    matrix_bank: Records
    setreg_base: Records
    l1_write: Records
    l1_latency: Records


def _checked(name: str, given: Records | None, start: int, until: int) -> Records:
    """Records of one input as the kernel takes them; ``ValueError`` for what is wrong with them."""
    if given is None or (given.shape[0] == 0 and given.dtype == _RECORDED[name]):
        return _NOTHING[name]
    described, fields = _RECORDED[name], _FIELDS[name]
    narrow = {field.name: field.width for field in fields if field.words == 1}
    checked_rows(name, given, narrow, start, until)
    for field in fields:
        shape = (given.shape[0], field.words)
        if field.words > 1 and (
            field.name not in (given.dtype.names or ()) or given[field.name].shape != shape
        ):
            raise ValueError(f"{name}: want {field.name} as {field.words} words")
    if given.dtype != described:
        fitting = np.zeros(given.shape[0], described)
        for each in described.names or ():
            fitting[each] = given[each]
        given = fitting
    return _read_only(np.ascontiguousarray(given).view(_NAMED[name]))


def _read_only(records: Records) -> Records:
    """All inputs alike, or the kernel is compiled once more for each way."""
    view = records.view()
    view.flags.writeable = False
    return view


_NOTHING: Final = {name: _read_only(np.zeros(0, _NAMED[name])) for name in BOUNDARY.inputs}


def _check_issues(name: str, issues: Records) -> None:
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"{name}: there is no thread {THREADS}")
    opcode = issues["word"] >> 24
    ours = (opcode == OPCODE_UNPACR) | (opcode == OPCODE_NOP)
    ours &= (issues["word"] >> 23) & 1 == int(name[1])
    if not ours.all():
        word = int(issues["word"][~ours][0])
        raise ValueError(f"{name}: {word:08X} is no instruction of this unpacker")


def as_rows(given: Mapping[str, Records], start: int, until: int) -> Rows:
    """All inputs. Raises ``ValueError`` for what is wrong with them."""
    if unknown := set(given) - set(BOUNDARY.inputs):
        raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
    rows = {name: _checked(name, given.get(name), start, until) for name in BOUNDARY.inputs}
    for unpacker in range(UNPACKERS):
        _check_issues(f"u{unpacker}.issue", rows[f"u{unpacker}.issue"])
    return Rows(
        issue=tuple(rows[f"u{unpacker}.issue"] for unpacker in range(UNPACKERS)),
        counter=tuple(rows[f"t{thread}.counter"] for thread in range(THREADS)),
        setc16=tuple(rows[f"t{thread}.setc16"] for thread in range(THREADS)),
        **{name: rows[name] for name in Rows._fields if name in rows},
    )


# --- outputs

OUTPUTS: Final = {  # of the kernel, with their copies; the others are those of the counters
    "ready": 0,
    "hold": 0,
    "pointers": UNPACKERS,
    "owner": 0,
    "busy": 0,
    "read": UNPACKERS,
    **dict.fromkeys(WRITES, UNPACKERS),
    "clear": UNPACKERS,
    "overlay": UNPACKERS,
    "setreg": UNPACKERS,
    "fault": UNPACKERS,
    "read_fault": UNPACKERS,
    "write_fault": UNPACKERS,
    "unit_fault": 0,
    "matrix_read": 0,
}
_EXPECTED: Final = {name: BOUNDARY.stream(name).expected_dtype for name in OUTPUTS}
# Number of records of each stream, or of each of its copies
WRITTEN: Final = record(
    **{name: (np.int64, max(copies, 1)) for name, copies in OUTPUTS.items()},
    commands=np.int64,
)
# An instruction's increments of the counters: fields of stream ``unpack`` of ``docs/adc.md``
COMMAND: Final = record(
    cycle=np.int64,
    origin=np.int64,
    unpacker=np.int64,
    thread=np.int64,
    adc=np.int64,
    y0=np.int64,
    z0=np.int64,
    y1=np.int64,
    z1=np.int64,
)


class Outputs(NamedTuple):
    """Room for the records of each output, and their numbers; first index: the copy."""

    written: Records
    commands: Records  # of the counters
    ready: Records
    hold: Records
    pointers: Records
    owner: Records
    busy: Records
    read: Records
    write: tuple[Records, ...]  # of each group of slots
    clear: Records
    overlay: Records
    setreg: Records
    fault: Records
    read_fault: Records
    write_fault: Records
    unit_fault: Records
    matrix_read: Records


def new_outputs() -> Outputs:
    """Room for a pass; the system provides what is written to."""
    room = {
        name: np.empty((max(copies, 1), CHUNK + 1), named(_EXPECTED[name]))
        for name, copies in OUTPUTS.items()
    }
    return Outputs(
        written=np.zeros(1, WRITTEN),
        commands=np.zeros(CHUNK + 1, COMMAND),
        write=tuple(room[name] for name in WRITES),
        **{name: array for name, array in room.items() if name not in WRITES},
    )


# Of each stream: its name, that of the room, the place there, what nothing is
_TAKEN: Final = tuple(
    (instance, name, copy, np.zeros(0, _EXPECTED[name]))
    for name in OUTPUTS
    for copy, instance in enumerate(BOUNDARY.stream(name).instances)
)


def taken(outputs: Outputs) -> tuple[dict[str, Records], Records]:
    """Copies of the records by name of the stream, and of the commands; they are forgotten."""
    found: dict[str, Records] = {}
    counts = outputs.written.view(np.int64).tolist()
    for (instance, name, copy, nothing), count in zip(_TAKEN, counts, strict=False):
        found[instance] = nothing
        if count:
            room = outputs.write[WRITES.index(name)] if name in WRITES else getattr(outputs, name)
            found[instance] = room[copy, :count].copy().view(_EXPECTED[name])
    commands = outputs.commands[: counts[-1]].copy()
    outputs.written.view(np.int64)[:] = 0
    return found, commands
