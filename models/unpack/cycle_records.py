# SPDX-License-Identifier: Apache-2.0
"""Records that the cycle-exact model takes and gives, as its kernel reaches their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tilepath.isa.boundary.pack import LINE_WORDS
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS, WRITES
from tilepath.models.dst_rows import DST_CHANGE
from tilepath.models.inputs import KernelInputs, read_only
from tilepath.models.jit import part
from tilepath.models.outputs import Room
from tilepath.models.records import Records, record
from tilepath.models.unpack.account import NOT_KEPT, Account
from tilepath.models.unpack.plan import OPCODE_NOP, OPCODE_UNPACR

CHUNK: Final = 2048  # cycles in which anything happens per pass: bounds the output buffers
CHANGES: Final = 16  # of Dst in a cycle: eight rows of 32 bits

_INPUTS: Final = KernelInputs(BOUNDARY)
# Lines that other units write to L1 at the end of a cycle
L1_CHANGE: Final = record(cycle=np.int64, line=np.int64, data_=(np.uint32, LINE_WORDS))


class Rows(NamedTuple):
    """Input records of a block of cycles."""

    issue: tuple[Records, ...]  # of each unpacker
    counter: tuple[Records, ...]  # of each thread
    cfg: Records
    flop: Records
    setc16: tuple[Records, ...]  # of each thread
    store: Records
    matrix: Records
    matrix_write: Records
    matrix_bank: Records
    setreg_base: Records
    l1_write: Records
    l1_latency: Records
    l1_changes: Records
    counter_flops: Records


def _check_issues(name: str, issues: Records) -> None:
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"{name}: there is no thread {THREADS}")
    opcode = issues["word"] >> 24
    ours = (opcode == OPCODE_UNPACR) | (opcode == OPCODE_NOP)
    ours &= (issues["word"] >> 23) & 1 == int(name[1])
    if not ours.all():
        word = int(issues["word"][~ours][0])
        raise ValueError(f"{name}: {word:08X} is no instruction of this unpacker")


def as_rows(
    given: Mapping[str, Records],
    l1_changes: Records,
    counter_flops: Records,
    start: int,
    until: int,
) -> Rows:
    """All inputs. Raises ``ValueError`` for what is wrong with them."""
    rows = _INPUTS.checked(given, start, until)
    for unpacker in range(UNPACKERS):
        _check_issues(f"u{unpacker}.issue", rows[f"u{unpacker}.issue"])
    return Rows(
        issue=tuple(rows[f"u{unpacker}.issue"] for unpacker in range(UNPACKERS)),
        counter=tuple(rows[f"t{thread}.counter"] for thread in range(THREADS)),
        setc16=tuple(rows[f"t{thread}.setc16"] for thread in range(THREADS)),
        l1_changes=read_only(l1_changes),
        counter_flops=read_only(counter_flops),
        **{name: rows[name] for name in Rows._fields if name in rows},
    )


# --- outputs

OUTPUTS: Final = {  # of the kernel, with their copies; the others are those of the counters
    "ready": 0,
    "hold": 0,
    "pointers": UNPACKERS,
    "owner": 0,
    "busy": 0,
    "pause": 0,
    "stale": 0,
    "implied": 0,
    "read": UNPACKERS,
    **dict.fromkeys(WRITES, UNPACKERS),
    "clear": UNPACKERS,
    "overlay": UNPACKERS,
    "setreg": UNPACKERS,
    "fault": UNPACKERS,
    "read_fault": UNPACKERS,
    "write_fault": UNPACKERS,
    "unit_fault": 0,
    "answer_a": 0,
    "answer_b": 0,
    "answer_d": 0,
}
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

    account: Account
    written: Records
    commands: Records  # of the counters
    changes: Records  # of Dst
    ready: Records
    hold: Records
    pointers: Records
    owner: Records
    busy: Records
    pause: Records
    stale: Records
    implied: Records
    read: Records
    write: tuple[Records, ...]  # of each group of slots
    clear: Records
    overlay: Records
    setreg: Records
    fault: Records
    read_fault: Records
    write_fault: Records
    unit_fault: Records
    answer_a: Records
    answer_b: Records
    answer_d: Records


@part
def keeps(out: Outputs) -> bool:
    """Whether there is an account (``cycle_account``)."""
    return out.account.memory[0].kept != 0  # type: ignore[no-any-return]


class Written:
    """Room for a pass, and what is written there."""

    def __init__(self) -> None:
        self._room = Room(BOUNDARY, OUTPUTS, CHUNK + 1, commands=np.int64, changes=np.int64)
        records = self._room.records
        self.outputs = Outputs(
            account=NOT_KEPT,
            written=self._room.written,
            commands=np.zeros(CHUNK + 1, COMMAND),
            changes=np.zeros(CHANGES * (CHUNK + 1), DST_CHANGE),
            write=tuple(records[name] for name in WRITES),
            **{name: array for name, array in records.items() if name not in WRITES},
        )

    def taken(self) -> tuple[dict[str, Records], Records, Records]:
        """Copies of the records by name of the stream, of commands and of changes of Dst."""
        commands = self.outputs.commands[: self._room.written[0].commands].copy()
        changes = self.outputs.changes[: self._room.written[0].changes].copy()
        return self._room.taken(), commands, changes
