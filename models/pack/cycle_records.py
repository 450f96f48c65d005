# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its kernel reaches their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY, LANES, PACKERS, SLOTS, THREADS
from tilepath.models.inputs import checked_rows
from tilepath.models.records import Records, named, record

CHUNK: Final = 4096  # cycles in which anything happens per pass: bounds the output buffers
_OPCODES: Final = (constants.OP_PACR, constants.OP_PACR_SETREG)


_RECORDED: Final = {name: BOUNDARY.stream(name).dtype for name in BOUNDARY.inputs}
_NARROW: Final = {
    name: {field.name: field.width for field in BOUNDARY.stream(name).fields if field.words == 1}
    for name in BOUNDARY.inputs
}
# Changes of the packers' counters in one set, by cycle
CHANGE: Final = record(cycle=np.int64, live=(np.uint32, (2, 4)))


class Rows(NamedTuple):
    """Input records of a block of cycles, in the order of the boundary; then the counters'."""

    issue: Records
    cfg: Records
    setc16: tuple[Records, ...]  # of each thread
    dst_write: Records
    dst_zero: Records
    hist: Records
    offset: Records
    setreg_base: Records
    l1_write: Records
    l1_latency: Records
    l1_ready: Records
    changes: tuple[Records, ...]  # of each set


def _checked(name: str, given: Records | None, start: int, until: int) -> Records:
    """Records of one input as the kernel takes them; ``ValueError`` for what is wrong with them."""
    described = _RECORDED[name]
    if given is None:
        given = np.zeros(0, described)
    checked_rows(name, given, _NARROW[name], start, until)
    if given.dtype != described:
        if given.dtype.names is None or not set(described.names or ()) <= set(given.dtype.names):
            raise ValueError(f"{name}: want the fields {', '.join(described.names or ())}")
        fitting = np.zeros(given.shape[0], described)
        for field in described.names or ():
            fitting[field] = given[field]
        given = fitting
    return np.ascontiguousarray(given).view(named(described))


def _check_words(issues: Records) -> None:
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"issue: there is no thread {THREADS}")
    ours = np.isin(issues["word"] >> 24, _OPCODES)
    if not ours.all():
        raise ValueError(f"issue: {int(issues['word'][~ours][0]):08X} is no word of the packers")


def checked(given: Mapping[str, Records], start: int, until: int) -> dict[str, Records]:
    """All inputs but the counters'. Raises ``ValueError`` for what is wrong with them."""
    if unknown := set(given) - set(BOUNDARY.inputs):
        raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
    rows = {name: _checked(name, given.get(name), start, until) for name in BOUNDARY.inputs}
    _check_words(rows["issue"])
    return rows


def _read_only(records: Records) -> Records:
    view = records.view()
    view.flags.writeable = False
    return view


def as_rows(checked_inputs: Mapping[str, Records], changes: tuple[Records, ...]) -> Rows:
    """The inputs as the kernel takes them: all alike, or it is compiled once more for each way."""
    given = {name: _read_only(records) for name, records in checked_inputs.items()}
    return Rows(
        setc16=tuple(given[f"t{thread}.setc16"] for thread in range(THREADS)),
        changes=tuple(_read_only(records) for records in changes),
        **{name: given[name] for name in Rows._fields if name not in ("setc16", "changes")},
    )


# --- outputs

OUTPUTS: Final = {  # of the kernel; the others are those of the counters
    "ready": 0,
    "busy": 0,
    "row": LANES,
    "write": SLOTS,
    "read": PACKERS,
    "source": 0,
    "setreg": 0,
    "hist_data": 0,
    "fault": 0,
    "run_fault": PACKERS,
    "unit_fault": 0,
}
_EXPECTED: Final = {name: BOUNDARY.stream(name).expected_dtype for name in OUTPUTS}
# Number of records of each stream, or of each of its copies
WRITTEN: Final = record(**{name: (np.int64, max(copies, 1)) for name, copies in OUTPUTS.items()})


class Outputs(NamedTuple):
    """Room for the records of each output, and their numbers; first index: the copy."""

    written: Records
    ready: Records
    busy: Records
    row: Records
    write: Records
    read: Records
    source: Records
    setreg: Records
    hist_data: Records
    fault: Records
    run_fault: Records
    unit_fault: Records


def new_outputs() -> Outputs:
    """Room for a pass; the system provides what is written to."""
    return Outputs(
        np.zeros(1, WRITTEN),
        **{
            name: np.empty((max(copies, 1), CHUNK + 1), named(_EXPECTED[name]))
            for name, copies in OUTPUTS.items()
        },
    )


def taken(outputs: Outputs) -> dict[str, Records]:
    """Copies of the records written so far, by name of the stream; they are forgotten."""
    found = {}
    written = outputs.written[0]
    for name in OUTPUTS:
        arrays = getattr(outputs, name)
        for instance, array, count in zip(
            BOUNDARY.stream(name).instances, arrays, written[name], strict=True
        ):
            found[instance] = array[:count].copy().view(_EXPECTED[name])
        written[name][:] = 0
    return found
