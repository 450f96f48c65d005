# SPDX-License-Identifier: Apache-2.0
"""The Matrix Unit's stand-in without time: each instruction takes effect before the next one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.jit import part, shared
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa import constants, profiles
from tilepath.isa.boundary.standin import BOUNDARY, THREADS
from tilepath.models.applied import STREAMS, Applied
from tilepath.models.standin import files, moves
from tilepath.models.standin.fields import settings_of
from tilepath.models.standin.files import Files
from tilepath.models.standin.plan import (
    COUNTERS,
    DST_ROWS,
    OPCODES,
    PLAN,
    ROWS,
    SRC_ROWS,
    Flag,
    Op,
    Sampled,
    Target,
    fault_names,
)
from tilepath.models.standin.sample import sample

STATE: Final = record(plan=PLAN, rows=ROWS)
_OPCODES: Final = frozenset(OPCODES)


@part
def _end(plan: Record, sampled: Sampled) -> None:
    """Counters, owners, pointers (M6, M7)."""
    for place in range(COUNTERS):
        sampled.rwc[plan.thread, place] = plan.next_rwc[place]
    for file in range(2):
        bank = plan.banks[file]
        if (plan.releases >> file) & 1:
            if not sampled.owner[file, bank]:
                plan.faults |= Flag.RELEASE_OWNER
            sampled.owner[file, bank] = 0
        if (plan.flips >> file) & 1:
            sampled.matrix_bank[file] = 1 - bank


@part
def _note_stale(plan: Record, stale: Records) -> None:
    """Reads of SrcA that an unpack to Dst has made unpredictable, and what ends that (U37)."""
    if plan.reads[0].length and stale[plan.banks[0]]:
        plan.faults |= Flag.STALE
    for bank in range(2):
        if (plan.clears >> bank) & 1:
            stale[bank] = 0
    if plan.releases & 1:
        stale[plan.banks[0]] = 0


@shared
def execute_word(
    states: Records, sampled: Sampled, of: Files, stale: Records, thread: int, word: int
) -> int:
    """Execute a word; bits of ``Flag``."""
    plan, rows = states[0].plan, states[0].rows
    sample(plan, sampled, thread, word)
    files.clear(of, plan)
    if plan.writes.length:
        files.read_all(of, plan, rows)
        if plan.op == Op.GMPOOL:
            moves.check_scale(plan, rows)
        for number in range(plan.writes.length):
            moves.row_of(plan, rows, number)
            files.write_row(of, plan, number, rows.out)
    _note_stale(plan, stale)
    _end(plan, sampled)
    faults: int = plan.faults
    return faults


class MatrixUnit(Applied):
    """What stands in the Matrix Unit's place, with SrcA, SrcB and Dst.

    The arrays, of types and shapes as in ``docs/machine.md`` (``implied``: ``implied_format``), may
    be written at any time, with values that fit.
    """

    streams = (
        *("owner", "implied", "stale", "unpack_bank"),
        *(name for name in STREAMS if name in BOUNDARY.inputs),
        *("load", "issue"),
    )

    def __init__(
        self,
        profile: str = profiles.DEFAULT,
        config: npt.NDArray[np.uint32] | None = None,
        thread_config: npt.NDArray[np.uint16] | None = None,
        states: Records | None = None,
        **shared: npt.NDArray[Any],
    ) -> None:
        """State after reset: all 0, but Dst's rows valid.

        ``config``, ``thread_config`` and ``shared`` (any of the attributes above): arrays of other
        units, to be shared with them, as they are. ``states``: where one ``STATE`` is to be.

        Raises:
            ValueError: unknown profile.
            TypeError: an array of another name.
        """
        self._states = np.zeros(1, STATE) if states is None else states
        state: Any = self._states[0]
        state.plan.settings = settings_of(profile)[0]
        if config is None:
            config = np.zeros((2, constants.CFG_WORDS), np.uint32)
        if thread_config is None:
            thread_config = np.zeros((THREADS, constants.THD_WORDS), np.uint16)
        self.config, self.thread_config = config, thread_config
        own: dict[str, npt.NDArray[Any]] = {
            "src_a": np.zeros((2, SRC_ROWS, 16), np.uint32),
            "src_b": np.zeros((2, SRC_ROWS, 16), np.uint32),
            "dst": np.zeros((DST_ROWS, 16), np.uint16),
            "dst_valid": np.ones(DST_ROWS, np.uint8),
            "src_owner": np.zeros((2, 2), np.uint8),
            "implied": np.zeros((2, 2), np.uint8),
            "stale": np.zeros(2, np.uint8),
            # spaced like the unpackers' own, which may be shared: a layout is compiled once only
            "src_bank": np.zeros((2, 2), np.int64)[:, 0],
            "matrix_bank": np.zeros(2, np.uint8),
            "rwc": np.zeros((THREADS, COUNTERS), np.uint32),
        }
        if odd := shared.keys() - own.keys():
            raise TypeError(f"no array of the matrix unit: {', '.join(sorted(odd))}")
        self._owns = {name: array for name, array in own.items() if name not in shared}
        arrays = own | shared
        self.src_a, self.src_b = arrays["src_a"], arrays["src_b"]
        self.dst, self.dst_valid = arrays["dst"], arrays["dst_valid"]
        self.src_owner, self.implied = arrays["src_owner"], arrays["implied"]
        self.stale, self.src_bank = arrays["stale"], arrays["src_bank"]
        self.matrix_bank = arrays["matrix_bank"]
        self.rwc: npt.NDArray[np.uint32] = arrays["rwc"]
        files_of = Files(self.src_a, self.src_b, self.dst, self.dst_valid)
        sampled = Sampled(
            config,
            thread_config,
            self.rwc,
            self.src_owner,
            self.implied,
            self.matrix_bank,
            self.src_bank,
        )
        self._execute = Bound(execute_word, self._states, sampled, files_of, self.stale)

    def execute(self, thread: int, word: int) -> tuple[str, ...]:
        """Execute one 32-bit word of ``OPCODES``, of thread 0, 1 or 2 (M1 to M29).

        Returns its faults, by their names in section 5 of the block's cycle contract. What would
        have to wait for a bank is executed all the same (``Machine.would_wait``).
        Raises ``ValueError`` for another thread or word.
        """
        if not 0 <= thread < THREADS:
            raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")
        if not 0 <= word <= 0xFFFF_FFFF or word >> 24 not in _OPCODES:
            raise ValueError(f"word {word:#x} is none of the matrix unit's")
        return fault_names(self._execute.call(thread, word))

    def _apply_owner(self, fields: Any, _thread: int) -> None:
        self.src_owner[:] = (fields["value"] >> np.arange(4) & 1).reshape(2, 2)

    def _apply_implied(self, fields: Any, _thread: int) -> None:
        self.implied[:] = (fields["value"] >> 4 * np.arange(4) & 15).reshape(2, 2)

    def _apply_stale(self, fields: Any, _thread: int) -> None:
        self.stale[:] = fields["value"] >> np.arange(2) & 1

    def _apply_unpack_bank(self, fields: Any, _thread: int) -> None:
        self.src_bank[:] = fields["value"] >> np.arange(2) & 1

    def _apply_load(self, fields: Any, _thread: int) -> None:
        row, data = int(fields["row"]), np.asarray(fields["data"])
        if fields["target"] == Target.DST:
            self.dst[row], self.dst_valid[row] = data & 0xFFFF, fields["row_valid"]
        else:
            file = self.src_b if fields["target"] == Target.SRC_B else self.src_a
            file[fields["bank"], row % SRC_ROWS] = data & 0x7FFFF

    def _apply_issue(self, fields: Any, _thread: int) -> tuple[str, ...]:
        return self.execute(int(fields["thread"]), int(fields["word"]))

    def reset(self) -> None:
        """Put the state after reset into the same arrays, but those of other units."""
        self.rwc[:] = 0
        for name, array in self._owns.items():
            array[:] = name == "dst_valid"

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of the state that the boundary describes."""
        return {array.name: getattr(self, array.name).copy() for array in BOUNDARY.state}
