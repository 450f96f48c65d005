# SPDX-License-Identifier: Apache-2.0
"""Timing: from M to issue, through replay expander, R and issue port, word by word.

Each word's cycle is the latest of the cycles its conditions ask for. What would happen at or after
``until`` is left for a later call: every condition known now stays true, so nothing is lost.
"""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import put
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.models.frontend.account import (
    Told,
    kind_of,
    replay_ended,
    replay_started,
    tell,
    word_stored,
)
from tilepath.models.frontend.timing_output import change, occupancy, occupies
from tilepath.models.frontend.timing_state import (
    NEVER,
    REPLAY_COUNT,
    first_room,
    head,
    is_empty,
    pop,
    write,
)
from tilepath.models.frontend.untimed_replay import (
    ReplayState,
    has_load,
    is_replay,
    play,
    start,
    store,
)


@part
def _next_ready(thread: Record, ready: Records, cycle: int) -> int:
    """First cycle from ``cycle`` on with issue_ready; ``NEVER`` while that is not known."""
    row = thread.next.ready
    while row + 1 < len(ready) and ready[row + 1].cycle <= cycle:
        row += 1
    thread.next.ready = row
    while ready[row].ready == 0:
        row += 1
        if row >= len(ready):
            return NEVER
        cycle = ready[row].cycle
    return cycle


@part
def _issue(thread: Record, ready: Records, output: Record, until: int) -> None:
    """Let words leave R."""
    while not is_empty(thread.r):
        leaving = head(thread.r)
        word, origin = leaving.word, leaving.origin
        opcode = thread.opcodes[word >> 24]
        cycle = max(leaving.arrived, thread.last_issue) + 1
        if not opcode.illegal:
            # Of the levels before this block only the last may be left: had an earlier one let the
            # word go, it would be gone.
            cycle = _next_ready(thread, ready, cycle)
        if cycle >= until:
            return
        pop(thread.r, cycle)
        thread.last_issue = cycle
        occupies(output, cycle, -opcode.occupancy)
        row = put(output.issue, cycle, origin)
        row.word, row.illegal = word, opcode.illegal
        tell(output, cycle, Told.ISSUED | (word >> 24) << Told.OPCODE)
        if opcode.illegal:
            tell(output, cycle, Told.ILLEGAL)
            put(output.illegal, cycle, origin)  # retired here, never offered (F17)


@part
def _write_r(thread: Record, output: Record, cycle: int, word: int, origin: int) -> None:
    write(thread.r, cycle, word, origin)
    put(output.rq, cycle, origin).word = word
    tell(output, cycle, Told.R_IN)


@part
def _state(thread: Record, output: Record, cycle: int) -> None:
    """The replay expander's state changed with the edge that ends ``cycle``."""
    change(
        thread.replay_state,
        output.replay_state,
        cycle + 1,
        thread.replay.state,
        thread.replay_origin,
    )


@part
def _play(thread: Record, output: Record, cycle: int) -> None:
    """One word of a playback goes to R."""
    word = play(thread.replay)
    _write_r(thread, output, cycle, word, thread.replay_origin)
    occupies(output, cycle, thread.opcodes[word >> 24].occupancy)
    tell(output, cycle, Told.PLAYED | kind_of(word) << Told.PLAYED_KIND)
    if thread.replay.words_left == 0:
        if output.kept:
            replay_ended(thread, output, cycle)
        occupies(output, cycle, -REPLAY_COUNT)  # which counted from its arrival to here


@part
def _record(
    thread: Record, output: Record, cycle: int, word: int, origin: int, source: int
) -> None:
    """One word is recorded, whatever it is (F13)."""
    executes = thread.replay.executes
    store(thread.replay, word)
    if output.kept:
        word_stored(thread, output, cycle, word, source)
    occupies(output, cycle, -occupancy(thread, word))
    if executes:
        _write_r(thread, output, cycle, word, origin)
        occupies(output, cycle, thread.opcodes[word >> 24].occupancy)
    if thread.replay.words_left == 0:
        if output.kept:
            replay_ended(thread, output, cycle)
        _state(thread, output, cycle)
        if executes:
            occupies(output, cycle, -REPLAY_COUNT)


@part
def _pass(thread: Record, output: Record, cycle: int, word: int, origin: int) -> None:
    """A word leaves M in state PASS: it goes on, starts a recording or starts a playback."""
    if not is_replay(word):
        _write_r(thread, output, cycle, word, origin)
        return
    start(thread.replay, word)
    if output.kept:
        replay_started(thread, output, cycle, word)
    thread.replay_origin = origin
    if thread.replay.state == ReplayState.PLAY:
        _play(thread, output, cycle)  # the first word at once
    if thread.replay.state != ReplayState.PASS:
        _state(thread, output, cycle)


@part
def _needs_room(thread: Record, word: int) -> bool:
    """Whether something is written to R when ``word`` leaves M."""
    if thread.replay.state == ReplayState.REC:
        executes: bool = thread.replay.executes
        return executes
    return not is_replay(word) or not has_load(word)


@part
def drain(thread: Record, ready: Records, output: Record, until: int) -> None:
    """Take the words in M as far as they get before cycle ``until``."""
    while True:
        _issue(thread, ready, output, until)
        room = first_room(thread.r)
        cycle = thread.last_replay + 1
        if thread.replay.state == ReplayState.PLAY:
            cycle = max(cycle, room)
            if cycle >= until:
                return
            thread.last_replay = cycle
            _play(thread, output, cycle)
            if thread.replay.state == ReplayState.PASS:
                _state(thread, output, cycle)
            continue
        if is_empty(thread.m):
            return
        leaving = head(thread.m)
        word, origin, source = leaving.word, leaving.origin, leaving.source
        gap = max(leaving.arrived + 1 - cycle, 0)
        cycle += gap
        if _needs_room(thread, word):
            cycle = max(cycle, room)
        if cycle >= until:
            return
        pop(thread.m, cycle)
        tell(output, cycle, Told.M_OUT)
        thread.last_replay = cycle
        if thread.replay.state == ReplayState.REC:
            thread.memory.replay.gap += gap
            _record(thread, output, cycle, word, origin, source)
        else:
            _pass(thread, output, cycle, word, origin)
