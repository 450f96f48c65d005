# SPDX-License-Identifier: Apache-2.0
"""Cycle by cycle: the commands in their order (A13), conflicts, and when a change shows.

What a command does is said in ``untimed_commands``; here is when, and what is recorded of it
(docs/adc.md, sections 2 to 4). Cycles without commands are skipped.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import (
    NEVER,
    Outputs,
    Rows,
    has,
    next_cycle,
    origin,
    put,
    put_flags,
    take,
)
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.boundary.adc import SETS, TARGETS
from tilepath.models.adc import account, untimed_commands
from tilepath.models.adc.untimed_state import CHANNELS, COUNTERS, Counter

_TARGETS: Final = len(TARGETS)


# ── What a command leads to ──────────────────────────────────────────────────────────────────────


@part
def _note_touched(timing: Record, state: Record, by: int) -> None:
    """Keep which counters a command touched; those touched before in this cycle conflict (A13)."""
    for number in range(state.touched_count):
        place = state.touched[number]  # a command touches each counter at most once
        counter = (place.set, place.target, place.channel, place.counter)
        if timing.touched_in[counter] == timing.cycle:
            timing.conflicts |= 1 << (_TARGETS * place.set + place.target)
            timing.conflict_by = by
        timing.touched_in[counter] = timing.cycle
        timing.target_touched[place.set, place.target] = True
        timing.target_touched_by[place.set, place.target] = by
        timing.any_touched = True


@part
def _note_unit_faults(timing: Record, faults: int, by: int) -> None:
    if faults != 0:
        timing.unit_faults |= faults
        timing.unit_fault_by = by


@part
def _record_word_faults(timing: Record, out: Outputs, thread: int, faults: int, by: int) -> None:
    if faults != 0:
        put_flags(out.fault[thread], timing.cycle, faults, by)


@part
def _record_flags(timing: Record, out: Outputs) -> None:
    """Faults of the units, and conflicts, in the cycle at hand."""
    if timing.unit_faults != 0:
        put_flags(out.unit_fault[0], timing.cycle, timing.unit_faults, timing.unit_fault_by)
    if timing.conflicts != 0:
        put(out.conflict[0], timing.cycle, timing.conflict_by).where = timing.conflicts


# ── Changes show in the cycle after ──────────────────────────────────────────────────────────────


@part
def _differs(timing: Record, state: Record, accounts: Records, of_set: int, target: int) -> bool:
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
                if len(accounts):
                    account.change_row(accounts[0], timing, state, place, changed)
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
def _show(timing: Record, state: Record, out: Outputs, accounts: Records) -> None:
    """Records of the targets touched in the cycle at hand, where a value is not what it was."""
    for of_set in range(SETS):
        for target in range(_TARGETS):
            if timing.target_touched[of_set, target]:
                timing.target_touched[of_set, target] = False
                if _differs(timing, state, accounts, of_set, target):
                    by = timing.target_touched_by[of_set, target]
                    level = put(out.levels[SETS * target + of_set], timing.cycle + 1, by)
                    _fill_level(level, state.live[of_set, target], state.checkpoint[of_set, target])
    timing.any_touched = False


# ── A cycle, and a block of cycles ───────────────────────────────────────────────────────────────


@part
def _cycle(timing: Record, state: Record, commands: Rows, out: Outputs, accounts: Records) -> None:
    """All commands of the cycle at hand, one after the other in the order of A13."""
    timing.unit_faults = 0
    timing.conflicts = 0
    kept = len(accounts)
    if has(commands.unpack, timing.cycle):
        update = take(commands.unpack)
        faults = untimed_commands.unpack_update(state, update.unpacker, update)
        _note_touched(timing, state, origin(commands.unpack))
        _note_unit_faults(timing, faults, origin(commands.unpack))
        if kept:
            account.unpack_row(accounts[0], timing, state, update)
    if has(commands.pack, timing.cycle):
        of_packers = take(commands.pack)
        untimed_commands.pack_update(state, of_packers)
        _note_touched(timing, state, origin(commands.pack))
        if kept:
            account.pack_row(accounts[0], timing, state, of_packers)
    if has(commands.flop, timing.cycle):
        write = take(commands.flop)
        faults = untimed_commands.flop(state, write)
        _note_touched(timing, state, origin(commands.flop))
        _note_unit_faults(timing, faults, origin(commands.flop))
        if kept:
            account.flop_row(accounts[0], timing, state, write)
    for thread in range(SETS):
        if has(commands.issue[thread], timing.cycle):
            word = take(commands.issue[thread]).word
            faults = untimed_commands.execute(state, thread, word)
            untimed_commands.list_touched(state, thread, word)
            _note_touched(timing, state, origin(commands.issue[thread]))
            _record_word_faults(timing, out, thread, faults, origin(commands.issue[thread]))
            if kept:
                account.word_row(accounts[0], timing, state, thread, word, faults)
    _record_flags(timing, out)
    if kept:
        account.cycle_rows(accounts[0], timing)


@compiled
def run(
    timings: Records, states: Records, commands: Rows, out: Outputs, accounts: Records,
    until: int,
) -> bool:  # fmt: skip
    """Model the commands of up to ``cycles_left`` cycles; returns whether there are more of them.

    ``timings``: one ``timing_state.TIMING``; ``states``: one ``untimed_state.STATE``. Writes at
    most one record more a stream than there are cycles: a change of the call before may show first.
    """
    timing, state = timings[0], states[0]
    while True:
        if timing.any_touched and timing.cycle + 1 < until:
            _show(timing, state, out, accounts)
        cycle = next_cycle(commands, timing.cycle + 1)
        if cycle == NEVER:
            return False
        if timing.cycles_left == 0:
            return True
        timing.cycles_left -= 1
        timing.cycle = cycle
        _cycle(timing, state, commands, out, accounts)
