# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its loop reaches them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.compiled.inputs import checked_rows
from tilepath.engine.compiled.records import Records, record
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.isa.boundary.flag_pipe import BANKS, BEAT_BITS, BOUNDARY, CORES, FAULTS, PIPES
from tilepath.models.flag_pipe.memory import Words
from tilepath.models.flag_pipe.rules import COMMAND
from tilepath.models.flag_pipe.timing_state import CREDIT, PORTS

ROOM: Final = 1 << 15  # records per pass of the loop: bounds its output
MOST: Final = len(BOUNDARY.outputs)  # records of a cycle
COMMANDS: Final = BOUNDARY.stream("cmd").instances
_LEVELS: Final = tuple(f"{port}_mem" for port in PORTS)
CHANGES: Final = (*_LEVELS, *(n for n in BOUNDARY.inputs if n not in {*COMMANDS, *_LEVELS}))
STROBES: Final = CHANGES[len(PORTS) :]
BEAT_WORDS: Final = BEAT_BITS // 32
_WORDS: Final = max(2 + BEAT_WORDS, len(FAULTS))  # of a record: core, address, beat; or faults

# A level of a memory port, or a strobe: its number in ``CHANGES``, and its fields
CHANGE: Final = record(
    cycle=np.int64, what=np.int64, first=np.int64, second=np.int64, origin=np.int64
)
# A record of any output: the number of the stream, its words
LOGGED: Final = record(cycle=np.int64, origin=np.int64, stream=np.int64, words=(np.uint32, _WORDS))


def _number(name: str) -> int:
    return BOUNDARY.outputs.index(BOUNDARY.stream(name).instances[0])


# Numbers of output streams: of the first copy, where there are copies
CORE: Final = _number("core")
ENDPOINT: Final = _number("endpoint")
FLAGS: Final = _number("flags")
STATUS: Final = _number("status")
RSP: Final = _number("rsp")
FAULT: Final = _number("fault")
PAIR_FAULT: Final = _number("pair_fault")
PORT: Final = _number(PORTS[0])
LOOK: Final = _number("look")

# Beside time: what is needed to join it with values and with records
JOIN: Final = record(
    next_row=(np.int64, len(CORES)),  # of the commands
    taken_before=(np.int64, len(CORES)),
    next_change=np.int64,
    strobes=(np.int64, len(STROBES)),  # rows of this cycle, or -1
    written=np.int64,  # records
    dirty=np.int64,  # whether levels may differ from what was recorded
    moving=np.int64,  # whether a core was in XFER in the last cycle
    visible=(np.int64, PIPES * len(BANKS)),  # flags before those that arrive
    shown=(np.uint32, (RSP, _WORDS)),  # levels are before it
    beats=(np.uint32, (len(CORES), CREDIT, BEAT_WORDS)),  # read, and not written yet
)


class Model(NamedTuple):
    """Time, values, what joins them, and what is told of it all."""

    timing: Records  # one ``TIMING``
    words: Words
    join: Records  # one ``JOIN``
    account: Records  # one ``ACCOUNT``, or none


class Rows(NamedTuple):
    """Inputs of a block of cycles."""

    commands: tuple[Records, ...]  # of each core
    changes: Records


_FIELDS: Final = {
    name: {field.name: field.width for field in BOUNDARY.stream(name).fields}
    for name in BOUNDARY.inputs
}
_EXPECTED: Final = tuple(BOUNDARY.stream(name).expected_dtype for name in BOUNDARY.outputs)


def checked(
    given: Mapping[str, Records], start: int, until: int, taken_before: Mapping[str, int]
) -> Rows:
    """The inputs as rows; ``ValueError`` for what is wrong with them."""
    rows = {
        name: checked_rows(name, given[name], widths, start, until)
        if name in given
        else np.zeros((0, len(widths) + 1), np.int64)
        for name, widths in _FIELDS.items()
    }
    parts = []
    for what, name in enumerate(CHANGES):
        table = np.zeros((rows[name].shape[0], 5), np.int64)
        table[:, 0] = rows[name][:, 0]
        table[:, 1] = what
        table[:, 2 : 1 + rows[name].shape[1]] = rows[name][:, 1:]
        index = np.arange(table.shape[0]) + taken_before[name]
        table[:, 4] = index * ORIGIN_STREAMS + BOUNDARY.number(name)
        parts.append(table)
    changes = np.concatenate(parts)
    changes = np.ascontiguousarray(changes[np.argsort(changes[:, 0], kind="stable")])
    commands = tuple(rows[name].reshape(-1).view(COMMAND) for name in COMMANDS)
    return Rows(commands, changes.reshape(-1).view(CHANGE))


def by_stream(log: Records) -> dict[str, Records]:
    """The records of each output stream."""
    order = np.argsort(log["stream"], kind="stable")
    bounds = np.searchsorted(log["stream"][order], np.arange(len(_EXPECTED) + 1))
    found: dict[str, Records] = {}
    for number, (name, described) in enumerate(zip(BOUNDARY.outputs, _EXPECTED, strict=True)):
        rows = log[order[bounds[number] : bounds[number + 1]]]
        records: np.ndarray[Any, Any] = np.zeros(rows.shape[0], described)
        records["cycle"], records["origin"] = rows["cycle"], rows["origin"]
        place = 0
        for field in BOUNDARY.stream(name).fields:
            many = slice(place, place + field.words) if field.words > 1 else place
            records[field.name] = rows["words"][:, many]
            place += field.words
        found[name] = records
    return found
