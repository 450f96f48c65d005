# SPDX-License-Identifier: Apache-2.0
"""Cycle by cycle: the commands in their order (A13), conflicts, and when a change shows.

What a command does is said in ``untimed_commands``; here is when, and what is recorded of it
(docs/adc.md, sections 2 to 4). Cycles without commands are skipped.
"""

from __future__ import annotations

from typing import Final

from tilepath.isa.boundary.adc import SETS, TARGETS
from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.models.adc import timing_account, untimed_commands
from tilepath.models.adc.account import Account
from tilepath.models.adc.timing_state import FLOP, ISSUE, PACK, UNPACK, Commands, Outputs
from tilepath.models.adc.untimed_commands import UnitFault, WordFault
from tilepath.models.adc.untimed_state import CHANNELS, COUNTERS, Counter
from tilepath.models.jit import kernel, part
from tilepath.models.records import Record, Records

_NEVER: Final = 1 << 62
_TARGETS: Final = len(TARGETS)


# ── The next command ─────────────────────────────────────────────────────────────────────────────


@part
def _sooner(timing: Record, stream: int, commands: Records, cycle: int) -> int:
    """The earlier of ``cycle`` and the cycle of the next command of a stream."""
    row = timing.next_row[stream]
    if row < commands.shape[0] and commands[row].cycle < cycle:
        cycle = commands[row].cycle
    return cycle


@part
def _next_cycle(timing: Record, commands: Commands) -> int:
    """The next cycle that has a command, or ``_NEVER``."""
    cycle = _NEVER
    cycle = _sooner(timing, UNPACK, commands.unpack, cycle)
    cycle = _sooner(timing, PACK, commands.pack, cycle)
    cycle = _sooner(timing, FLOP, commands.flop, cycle)
    cycle = _sooner(timing, ISSUE, commands.issue[0], cycle)
    cycle = _sooner(timing, ISSUE + 1, commands.issue[1], cycle)
    cycle = _sooner(timing, ISSUE + 2, commands.issue[2], cycle)
    return cycle


@part
def _has_command(timing: Record, stream: int, commands: Records) -> bool:
    """Whether a stream has a command in the cycle at hand."""
    row = timing.next_row[stream]
    return bool(row < commands.shape[0] and commands[row].cycle == timing.cycle)


@part
def _take(timing: Record, stream: int) -> int:
    """Row of the next command of a stream, which is thereby taken."""
    row: int = timing.next_row[stream]
    timing.next_row[stream] = row + 1
    return row


@part
def _origin(timing: Record, stream: int) -> int:
    """Origin that stands for the command last taken from a stream."""
    index = timing.taken_before[stream] + timing.next_row[stream] - 1
    origin: int = index * ORIGIN_STREAMS + stream
    return origin


# ── What a command leads to ──────────────────────────────────────────────────────────────────────


@part
def _note_touched(timing: Record, state: Record, origin: int) -> None:
    """Keep which counters a command touched; those touched before in this cycle conflict (A13)."""
    for number in range(state.touched_count):
        place = state.touched[number]  # a command touches each counter at most once
        counter = (place.set, place.target, place.channel, place.counter)
        if timing.touched_in[counter] == timing.cycle:
            timing.conflicts |= 1 << (_TARGETS * place.set + place.target)
            timing.conflict_by = origin
        timing.touched_in[counter] = timing.cycle
        timing.target_touched[place.set, place.target] = True
        timing.target_touched_by[place.set, place.target] = origin
        timing.any_touched = True


@part
def _note_unit_faults(timing: Record, faults: int, origin: int) -> None:
    if faults != 0:
        timing.unit_faults |= faults
        timing.unit_fault_by = origin


@part
def _record_word_faults(
    timing: Record, outputs: Outputs, thread: int, faults: int, origin: int
) -> None:
    if faults != 0:
        row = outputs.fault[thread, timing.fault_count[thread]]
        timing.fault_count[thread] += 1
        row.cycle = timing.cycle
        row.illegal = (faults & WordFault.ILLEGAL) != 0
        row.x_override = (faults & WordFault.X_OVERRIDE) != 0
        row.empty = (faults & WordFault.EMPTY) != 0
        row.origin = origin


@part
def _record_flags(timing: Record, outputs: Outputs) -> None:
    """Faults of the units, and conflicts, in the cycle at hand."""
    if timing.unit_faults != 0:
        fault = outputs.unit_fault[timing.unit_fault_count]
        timing.unit_fault_count += 1
        fault.cycle = timing.cycle
        fault.unpack_thread = (timing.unit_faults & UnitFault.UNPACK_THREAD) != 0
        fault.flop_thread = (timing.unit_faults & UnitFault.FLOP_THREAD) != 0
        fault.flop_select = (timing.unit_faults & UnitFault.FLOP_SELECT) != 0
        fault.origin = timing.unit_fault_by
    if timing.conflicts != 0:
        conflict = outputs.conflict[timing.conflict_count]
        timing.conflict_count += 1
        conflict.cycle = timing.cycle
        conflict.where = timing.conflicts
        conflict.origin = timing.conflict_by


# ── Changes show in the cycle after ──────────────────────────────────────────────────────────────


@part
def _differs(timing: Record, state: Record, account: Account, of_set: int, target: int) -> bool:
    """Whether a target's counters are not as shown last; from now on they are."""
    differs = False
    for channel in range(CHANNELS):
        for counter in range(COUNTERS):
            place = (of_set, target, channel, counter)
            changed = 0
            if state.live[place] != timing.shown_live[place]:
                changed |= 1
            if state.checkpoint[place] != timing.shown_checkpoint[place]:
                changed |= 2
            if changed != 0:
                differs = True
                if account.memory[0].kept:
                    timing_account.change_row(account, timing, state, place, changed)
            timing.shown_live[place] = state.live[place]
            timing.shown_checkpoint[place] = state.checkpoint[place]
    return differs


@part
def _fill_level(level: Record, live: Records, checkpoint: Records) -> None:
    """The counters of a target as fields; Y, Z, W have the checkpoint above the live value."""
    level.x0 = live[0, Counter.X]
    level.x0_cr = checkpoint[0, Counter.X]
    level.y0 = live[0, Counter.Y] | checkpoint[0, Counter.Y] << 16
    level.z0 = live[0, Counter.Z] | checkpoint[0, Counter.Z] << 16
    level.w0 = live[0, Counter.W] | checkpoint[0, Counter.W] << 16
    level.x1 = live[1, Counter.X]
    level.x1_cr = checkpoint[1, Counter.X]
    level.y1 = live[1, Counter.Y] | checkpoint[1, Counter.Y] << 16
    level.z1 = live[1, Counter.Z] | checkpoint[1, Counter.Z] << 16
    level.w1 = live[1, Counter.W] | checkpoint[1, Counter.W] << 16


@part
def _show(timing: Record, state: Record, outputs: Outputs, account: Account) -> None:
    """Records of the targets touched in the cycle at hand, where a value is not what it was."""
    for of_set in range(SETS):
        for target in range(_TARGETS):
            if timing.target_touched[of_set, target]:
                timing.target_touched[of_set, target] = False
                if _differs(timing, state, account, of_set, target):
                    level = outputs.levels[of_set, target, timing.level_count[of_set, target]]
                    timing.level_count[of_set, target] += 1
                    level.cycle = timing.cycle + 1
                    _fill_level(level, state.live[of_set, target], state.checkpoint[of_set, target])
                    level.origin = timing.target_touched_by[of_set, target]
    timing.any_touched = False


# ── A cycle, and a block of cycles ───────────────────────────────────────────────────────────────


@part
def _cycle(
    timing: Record, state: Record, commands: Commands, outputs: Outputs, account: Account
) -> None:
    """All commands of the cycle at hand, one after the other in the order of A13."""
    timing.unit_faults = 0
    timing.conflicts = 0
    kept = account.memory[0].kept
    if _has_command(timing, UNPACK, commands.unpack):
        update = commands.unpack[_take(timing, UNPACK)]
        faults = untimed_commands.unpack_update(state, update)
        _note_touched(timing, state, _origin(timing, UNPACK))
        _note_unit_faults(timing, faults, _origin(timing, UNPACK))
        if kept:
            timing_account.unpack_row(account, timing, state, update)
    if _has_command(timing, PACK, commands.pack):
        of_packers = commands.pack[_take(timing, PACK)]
        untimed_commands.pack_update(state, of_packers)
        _note_touched(timing, state, _origin(timing, PACK))
        if kept:
            timing_account.pack_row(account, timing, state, of_packers)
    if _has_command(timing, FLOP, commands.flop):
        write = commands.flop[_take(timing, FLOP)]
        faults = untimed_commands.flop(state, write)
        _note_touched(timing, state, _origin(timing, FLOP))
        _note_unit_faults(timing, faults, _origin(timing, FLOP))
        if kept:
            timing_account.flop_row(account, timing, state, write)
    for thread in range(SETS):
        stream = ISSUE + thread
        if _has_command(timing, stream, commands.issue[thread]):
            word = commands.issue[thread][_take(timing, stream)].word
            faults = untimed_commands.execute(state, thread, word)
            _note_touched(timing, state, _origin(timing, stream))
            _record_word_faults(timing, outputs, thread, faults, _origin(timing, stream))
            if kept:
                timing_account.word_row(account, timing, state, thread, word, faults)
    _record_flags(timing, outputs)
    if kept:
        timing_account.cycle_rows(account, timing)


@kernel
def run(
    timings: Records, states: Records, commands: Commands, outputs: Outputs, account: Account,
    until: int,
) -> bool:  # fmt: skip
    """Model the commands of up to ``cycles_left`` cycles; returns whether there are more of them.

    ``timings``: one ``timing_state.TIMING``; ``states``: one ``untimed_state.STATE``. Writes at
    most one record more a stream than there are cycles: a change of the call before may show first.
    """
    timing, state = timings[0], states[0]
    while True:
        if timing.any_touched and timing.cycle + 1 < until:
            _show(timing, state, outputs, account)
        cycle = _next_cycle(timing, commands)
        if cycle == _NEVER:
            return False
        if timing.cycles_left == 0:
            return True
        timing.cycles_left -= 1
        timing.cycle = cycle
        _cycle(timing, state, commands, outputs, account)
