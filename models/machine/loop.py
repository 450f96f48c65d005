# SPDX-License-Identifier: Apache-2.0
"""The compiled loop: words through the expanders, three threads and their cores at once.

What ``play`` cannot do it returns for, ready to be called again when Python has done it: to make
room, to call ``on_issue``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import compiled, part, shared
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values, values
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.control.state import wide
from tilepath.models.control.untimed import execute_word
from tilepath.models.fields import get
from tilepath.models.frontend.untimed_mop import NO_WORD, next_expanded
from tilepath.models.frontend.untimed_replay import LONGEST_PLAYBACK, ReplayState, pass_through
from tilepath.models.machine.hazards import settle
from tilepath.models.machine.records import LARGEST_WORD
from tilepath.models.machine.state import (
    EXPANDED,
    ISSUED_ROOM,
    L1,
    MOST_TOLD,
    MOST_WORK,
    TOLD_ROOM,
    Code,
    Does,
    Mode,
    Program,
    Told,
    tell_faults,
)
from tilepath.models.machine.step import execute, execute_adc, is_only_adc, look
from tilepath.models.machine.waits import ASKS, NOTHING, awaited, holds

QUEUE_WORDS: Final = 32
"""A core pushes while its thread's queue has fewer words: what it stores stays near them."""
# of STALLWAIT's conditions those that can be busy without time: banks that are another unit's
BANKS: Final = sum(
    0b11 << first
    for first in (constants.STALL_COND_SRCA_UNPACK_BANK, constants.STALL_COND_SRCA_MATH_BANK)
)
_ALL: Final = (1 << THREADS) - 1
_EXPANDED: Final = np.isin(np.arange(256), list(EXPANDED))


@part
def _take(
    front: Record, words: npt.NDArray[np.uint32], last: int, row: npt.NDArray[np.uint32], end: int
) -> int:
    """Take the next words, up to ``last``, while they issue as they are; returns the row's end."""
    first: int = front.next_word
    place = first
    if front.mop.words_left == 0 and front.replay.state == ReplayState.PASS:
        while place < last and not _EXPANDED[words[place] >> 24]:
            row[end + place - first] = words[place]
            place += 1
    front.next_word = place
    return end + place - first


@part
def is_full(its: Record) -> bool:
    """Whether Python has to take rows, or is to have a chance to stop all this."""
    return bool(its.told_count > TOLD_ROOM - MOST_TOLD or its.work > MOST_WORK)


@part
def _push(
    its: Record,
    l1: L1,
    words: npt.NDArray[np.uint32],
    thread: int,
    executes: bool,
    behind: bool,
) -> int:
    """Push words: expand, and execute what issues."""
    front, issued, count = its.threads[thread], its.issued[thread], its.issued_count[thread]
    done = its.executed
    code = Code.STILL
    while True:
        while executes and done < count and not is_full(its):
            word = wide(issued[done])
            if is_only_adc(its, thread, word):
                execute_adc(its, thread, word)
            else:
                execute(its, l1, thread, word)
            done += 1
        if not executes:
            done = count
        if done < count or count > ISSUED_ROOM - LONGEST_PLAYBACK:
            code = Code.FULL
            break
        if front.mop.words_left == 0 and front.next_word == len(words):
            break
        last = min(len(words), front.next_word + LONGEST_PLAYBACK)
        count = _take(front, words, last, issued, count)
        if count > done:
            continue
        word = next_expanded(front, words, behind)
        if word != NO_WORD:
            count = pass_through(front.replay, word, issued, count)
    its.executed, its.issued_count[thread] = done, count
    return code


@part
def _is_idle(own: Record) -> bool:
    """Whether nothing is left of a thread."""
    queued = own.head < own.tail or own.word < own.last
    return not queued and own.at == own.end and own.latch == 0


@part
def _may_push(own: Record, front: Record, program: Program) -> bool:
    """Whether there are words that come next, and room."""
    if own.batch > 0 or front.mop.words_left > 0:
        return True
    if own.tail - own.head >= QUEUE_WORDS:
        return False
    begins = own.at < own.end and program.items[own.at, 0] == Does.PUSH
    return bool(own.word < own.last or begins)


@part
def refill(its: Record, own: Record, program: Program, thread: int) -> int:
    """Push the words that come next, while there is room."""
    if not _may_push(own, its.threads[thread], program):
        return Code.STILL
    return _push_next(its, own, program, thread)


@shared
def _push_next(its: Record, own: Record, program: Program, thread: int) -> int:
    front, row, issued = its.threads[thread], program.queue[thread], its.issued[thread]
    while _may_push(own, front, program):
        if own.batch == 0 and front.mop.words_left == 0:
            if own.word == own.last:
                item = program.items[own.at]
                own.word, own.last = own.first + item[1], own.first + item[2]
                own.at += 1
            own.batch = min(QUEUE_WORDS - (own.tail - own.head), own.last - own.word)
        if own.tail > len(row) - LONGEST_PLAYBACK:
            if own.head < LONGEST_PLAYBACK:
                return Code.QUEUE
            for place in range(own.head, own.tail):
                row[place - own.head] = row[place]
            own.tail -= own.head
            own.head = 0
            continue
        first, count = own.tail, its.issued_count[thread]
        if count > ISSUED_ROOM - LONGEST_PLAYBACK:
            return Code.FULL
        front.next_word = own.word
        own.tail = _take(front, program.words, own.word + own.batch, row, first)
        if own.tail == first:
            word = next_expanded(front, program.words, False)
            if word != NO_WORD:
                own.tail = pass_through(front.replay, word, row, first)
        own.batch -= front.next_word - own.word
        own.word = front.next_word
        for place in range(first, own.tail):
            issued[count + place - first] = row[place]
        its.issued_count[thread] = count + own.tail - first
    return Code.STILL


@part
def banks_busy(its: Record) -> int:
    """Conditions of STALLWAIT: nothing is busy without time but banks (C17)."""
    unpack, busy = its.unpack[0], 0
    for file in range(2):
        owner = unpack.registers.owner[file]
        if owner[unpack.pointers[file].bank] == 1:
            busy |= 1 << constants.STALL_COND_SRCA_UNPACK_BANK + file
        if owner[unpack.matrix_bank[file]] == 0:
            busy |= 1 << constants.STALL_COND_SRCA_MATH_BANK + file
    return busy


@part
def is_met(its: Record, own: Record, thread: int) -> bool:
    """Whether a latch is over."""
    state, word = its.control[0], own.latched
    if own.latch == Kind.STALLWAIT:
        own.seen = banks_busy(its)
        return bool(own.what & own.seen == 0)
    if own.latch == Kind.SEMWAIT:
        cond = get(word, F.SEMWAIT_COND)
        return not sync_values.semaphores_wait(state, get(word, F.SEMWAIT_SEM_MASK), cond)
    cond, select = get(word, F.STREAMWAIT_COND_IDX), get(word, F.STREAMWAIT_STREAM_SEL)
    own.seen = values.stream_count(state, thread, cond, select)
    return bool(own.seen >= own.target)


@part
def set_latch(
    its: Record, own: Record, thread: int, kind: int, word: int, may_be_busy: int
) -> None:
    """A wait issues; its faults are told once."""
    look(its, thread, word)
    if kind == Kind.STALLWAIT:
        own.what = values.latch_what(kind, word)
        if own.what & may_be_busy == 0:
            return
    else:
        execute_word(its.control, its.effect, thread, word)
        tell_faults(its, Told.CONTROL, thread, word, its.effect[0].faults)
    if kind == Kind.STREAMWAIT:
        cond, low = get(word, F.STREAMWAIT_COND_IDX), get(word, F.STREAMWAIT_TARGET_LO)
        own.target = values.stream_target(its.control[0], thread, cond, low)
    own.latch, own.latched, own.holds = kind, word, holds(word)


@part
def _issue(its: Record, l1: L1, own: Record, thread: int, word: int) -> None:
    own.head += 1
    kind = INSTRUCTIONS[word >> 24].kind
    if Kind.STALLWAIT <= kind <= Kind.STREAMWAIT:
        set_latch(its, own, thread, kind, word, BANKS)
    else:
        execute(its, l1, thread, word)


@part
def _may_issue(its: Record, l1: L1, own: Record, thread: int, word: int) -> bool:
    """Whether neither the latch holds a word nor something else that it waits for."""
    block_class: int = INSTRUCTIONS[word >> 24].block_class
    if own.latch != 0 and block_class & own.holds:
        return False
    own.awaits = NOTHING
    if ASKS[word >> 24]:
        own.awaits = awaited(its, l1, thread, word)
    return own.awaits == NOTHING


@part
def _turn(its: Record, l1: L1, run: Record, program: Program, thread: int) -> int:
    """A step of a thread, if there is one to do."""
    own = run.players[thread]
    issues = run.resumes != 0
    run.resumes = 0
    if not issues:
        if _is_idle(own):
            run.idle |= 1 << thread
            return Code.STILL
        if is_full(its):
            return Code.FULL
        if own.head == own.tail or own.batch > 0 or its.threads[thread].mop.words_left > 0:
            code = refill(its, own, program, thread)
            if code != Code.STILL:
                return code
        if own.latch != 0 and is_met(its, own, thread):
            own.latch = 0
            if own.head == own.tail:
                return Code.MOVED
        if own.head < own.tail:
            issues = _may_issue(its, l1, own, thread, wide(program.queue[thread, own.head]))
            if issues and run.hooked:
                return Code.HOOK
    if issues:
        _issue(its, l1, own, thread, wide(program.queue[thread, own.head]))
        if run.idle | 1 << thread == _ALL:
            _go_on(its, run, own, program, thread)
        return Code.MOVED
    code = refill(its, own, program, thread)
    if code != Code.STILL or own.at == own.end or own.word < own.last:
        return code
    return do_item(its, l1, own, program.items[own.at], thread)


@part
def _go_on(its: Record, run: Record, own: Record, program: Program, thread: int) -> None:
    """Of a thread that is alone, no order matters: the words that only count, up to another one."""
    if own.latch != 0 or own.batch > 0 or its.threads[thread].mop.words_left > 0 or run.hooked:
        return
    while own.head < own.tail and run.steps + 1 < run.limit and not is_full(its):
        word = wide(program.queue[thread, own.head])
        if not is_only_adc(its, thread, word):
            return
        execute_adc(its, thread, word)
        own.head += 1
        run.steps += 1


@part
def do_item(its: Record, l1: L1, own: Record, item: npt.NDArray[np.int64], thread: int) -> int:
    """The next item of a core, if it may be done."""
    does, of, number, value = item[0], item[1], item[2], item[3]
    control = its.control[0]
    if does == Does.PUSH:
        return Code.STILL  # there is no room
    if does == Does.OTHER:
        return Code.STORE
    if does == Does.POLL:
        found = wide(control.semaphores[of].value)
        if not (
            found >= value if number == 0 else found < value if number == 1 else found == value
        ):
            return Code.STILL
    elif does == Does.SYNC:
        if own.head < own.tail or own.latch != 0:
            return Code.STILL
        settle(its, thread)
    elif does == Does.CHANGE:
        execute_word(its.control, its.effect, 0, of)
        tell_faults(its, Told.CONTROL, thread, of, its.effect[0].faults)
    elif does == Does.MOP_CFG:
        its.threads[of].mop.mop_cfg[number] = value
    elif does == Does.L1:
        l1[number >> 2] = value
    elif does == Does.STREAM:
        control.stream_registers[of, number] = value
    elif does == Does.GPR:
        control.gpr[of, number] = value
    elif does == Does.THREAD_CONFIG:
        control.thread_config[of, number] = value & 0xFFFF
    else:
        for bank in range(2):
            if bank == of or of == 2 or number >= constants.CFG_GLOBAL_BASE:
                control.config[bank, number] = value
    own.at += 1
    return Code.MOVED


@part
def _run(its: Record, l1: L1, program: Program) -> int:
    """Passes, until nothing moves or Python has to do something."""
    run = program.runs[0]
    while True:
        if run.place == 0:
            if run.steps >= run.limit:
                return Code.LIMIT
            if run.row == run.rows:
                return Code.PASSES
            run.before = run.steps
        run.thread = run.passes[run.row, run.place]
        code: int = Code.STILL
        if (run.idle >> run.thread) & 1 == 0:
            code = _turn(its, l1, run, program, run.thread)
        if code > Code.MOVED:
            return code
        run.steps += code
        run.place += 1
        if run.place == THREADS or (code == Code.MOVED and run.by_priority):
            run.place = 0
            run.row += 1
            if run.steps == run.before:
                return Code.STILL


@compiled
def waits(states: Records, l1: L1, thread: int, word: int) -> bool:
    """Whether a word would have to wait, executed now."""
    its = states[0]
    kind = INSTRUCTIONS[word >> 24].kind
    if kind == Kind.SEMWAIT or kind == Kind.STREAMWAIT:
        execute_word(its.control, its.effect, thread, word)  # changes nothing
        return bool(its.effect[0].waits != 0)
    return bool(ASKS[word >> 24] and awaited(its, l1, thread, word) != NOTHING)


@compiled
def execute_one(states: Records, l1: L1, thread: int, word: int) -> int:
    """Execute a word; how many rows are told, -1 if it is no word or of no thread."""
    if not (0 <= thread < THREADS and 0 <= word <= LARGEST_WORD):
        return -1
    execute(states[0], l1, thread, word)
    return wide(states[0].told_count)


@compiled
def push_one(states: Records, l1: L1, thread: int, word: int) -> int:
    """Execute a word that issues as it is; -1 for any other as well: it is left alone."""
    if not (0 <= thread < THREADS and 0 <= word <= LARGEST_WORD) or _EXPANDED[word >> 24]:
        return -1
    recorded = states[0].threads[thread].replay.state != ReplayState.PASS
    return -1 if recorded else execute_one(states, l1, thread, word)


@compiled
def play(states: Records, l1: L1, program: Program, mode: int, thread: int) -> int:
    """Do what ``Mode`` says; returns a ``Code``."""
    if mode == Mode.RUN:
        return _run(states[0], l1, program)
    behind = mode == Mode.EXPAND_BEHIND or mode == Mode.PUSH_BEHIND
    return _push(states[0], l1, program.words, thread, mode >= Mode.PUSH, behind)
