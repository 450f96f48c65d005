# SPDX-License-Identifier: Apache-2.0
"""How the account is written: rows that lanes get, lines and ports, levels."""

from __future__ import annotations

from typing import Any

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.pack import LANES, PACKERS, THREADS
from tilepath.models.pack.account import MOST, ROOM
from tilepath.models.pack.accumulate import add_word
from tilepath.models.pack.cycle_state import Model, as_int
from tilepath.models.pack.state import LINE_WORDS, Kind
from tilepath.models.pack.timing_state import step as step_at
from tilepath.models.pack.timing_state import sums_in_flight

# ── Levels ───────────────────────────────────────────────────────────────────────────────────────


@part
def ready_changed(account: Any, number: int, ready: int, cycle: int) -> None:
    """Something is ready from this cycle on, or not; ``number``: as in ``WAIT``."""
    memory = account.memory
    if not ready:
        if memory.shut[number] < 0:
            memory.shut[number] = cycle
    elif memory.shut[number] >= 0:
        row = new_row(account.wait, cycle)
        row.packer, row.length = number, cycle - memory.shut[number]
        memory.shut[number] = -1


@compiled
def ports_changed(model: Model, before: int, cycle: int) -> None:
    """Which L1 ports are ready changes; ``before``: mask."""
    memory = model.account[0].memory
    memory.ready_before, memory.ready_since = before, cycle
    for number in range(model.timing[0].packer_count):
        ready_changed(model.account[0], number, model.join[0].l1_ready >> number & 1, cycle)


@compiled
def busy_changed(model: Model, cycle: int) -> None:
    """Who is busy changes."""
    account, busy = model.account[0], model.timing[0].busy
    row = new_row(account.busy, cycle)
    for number in range(PACKERS):
        row.threads[number] = 0
        for thread in range(THREADS):
            row.threads[number] |= (busy >> (PACKERS * thread + number) & 1) << thread


# ── Rows of Dst ──────────────────────────────────────────────────────────────────────────────────


@part
def matrix_reads(model: Model, row: int, wide: int, cycle: int) -> None:
    """The Matrix Unit reads a row."""
    now = model.account[0].memory.now
    now.cycle, now.matrix, now.wide = cycle, row, wide


@part
def dst_written(model: Model, row: int, count: int, cycle: int) -> None:
    """Rows are written to Dst."""
    now = model.account[0].memory.now
    now.cycle, now.written, now.count = cycle, row, count


@part
def _earlier(now: Record, before: Record) -> None:
    """Nothing is known of the cycle before ``now``."""
    if before.cycle != now.cycle - 1:
        before.matrix = before.written = -1
        for lane in range(LANES):
            before.rows[lane] = -1


@compiled
def rows_granted(model: Model, lanes: int, cycle: int) -> None:
    """Lanes get their rows; what else goes on at Dst in this cycle is not known yet."""
    account, timing = model.account[0], model.timing[0]
    memory = account.memory
    memory.now.cycle = memory.last_row = cycle
    together = 0
    for lane in range(LANES):
        together += lanes >> lane & 1
    for lane in range(LANES):
        if not lanes >> lane & 1:
            continue
        number, place = (lane, 0) if timing.packer_count > 1 else (0, lane)
        asks = step_at(timing.packers[number], timing.packers[number].steps_made)
        own = memory.packers[number]
        if own.first_row < 0:
            own.first_row = cycle
        memory.now.rows[lane] = asks.rows[place]
        row = new_row(account.grant, cycle)
        row.lane, row.packer, row.row = lane, number, asks.rows[place]
        row.wide = timing.packers[number].path.wide
        row.begins = own.begins
        row.behind_step = cycle - own.last_row
        row.behind_lanes = cycle - own.first_row
        row.together = together


@compiled
def step_made(model: Model, number: int, cycle: int) -> None:
    """All rows of a step are granted."""
    account, timing = model.account[0], model.timing[0]
    own = account.memory.packers[number]
    if own.first_row < 0:
        return
    row = new_row(account.step, cycle)
    row.packer, row.wide, row.begins = number, timing.packers[number].path.wide, own.begins
    row.behind_issue = own.first_row - own.share.head.cycle
    row.behind_step = cycle - own.last_row
    row.lasts = cycle - own.first_row
    own.last_row = cycle


@compiled
def cycle_ends(model: Model, first: int, cleared: bool, cycle: int) -> None:
    """Rows of Dst that were granted are completed; ``first``: how many there were before."""
    account, memory = model.account[0], model.account[0].memory
    now, before = memory.now, memory.before
    if cleared:
        clear = new_row(account.clear, cycle)
        clear.behind_row = cycle - memory.last_row
    if now.cycle != cycle:
        return
    _earlier(now, before)
    for k in range(first, account.grant.count):
        row = account.grant.rows[k]
        for lane in range(LANES):
            row.rows[lane], row.rows_before[lane] = now.rows[lane], before.rows[lane]
        row.had_before = before.rows[row.lane] >= 0
        row.matrix, row.matrix_before, row.matrix_wide = now.matrix, before.matrix, before.wide
        row.written, row.written_count = now.written, now.count
        row.written_before, row.written_count_before = before.written, before.count
    memory.before = now
    now.matrix = now.written = -1
    for lane in range(LANES):
        now.rows[lane] = -1


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────


@part
def source_read(model: Model, cycle: int) -> None:
    """Packer 0 reads a line as source."""
    account = model.account[0]
    row = new_row(account.read, cycle)
    row.packer, row.is_source, row.latency = 0, 1, model.join[0].l1_latency
    row.count, row.in_flight, row.written_before = 1, 0, 0


@compiled
def lines_read(model: Model, number: int, cycle: int) -> None:
    """Lines are read to be added to."""
    account, packer = model.account[0], model.timing[0].packers[number]
    own, port = account.memory.packers[number], packer.port
    row = new_row(account.read, cycle)
    row.packer, row.is_source, row.latency = number, 0, model.join[0].l1_latency
    row.count = port.data_lines
    row.in_flight = sums_in_flight(packer) - 1 + (port.written_back > 0)
    row.written_before = 0
    if own.sum_cycle == cycle - 1:
        for k in range(own.sum_count):
            row.written_before |= own.sums[k] == port.line


@compiled
def line_added(model: Model, number: int, line: Record, cycle: int) -> None:
    """A line of what L1 holds, and the packer's line that is added to it."""
    account, l1 = model.account[0], model.memory.l1
    if line.line >= l1.shape[0]:
        return
    to, quirk = model.walking[0].modes[number].to, model.walking[0].parameters.fp16_acc_quirk
    row = new_row(account.sum_, cycle)
    row.packer, row.to = number, to
    for n in range(LINE_WORDS):
        old, new = as_int(l1[line.line, n]), as_int(line.words[n])
        row.old[n], row.new[n], row.total[n] = old, new, add_word(to, old, new, quirk)


@compiled
def lines_written(model: Model, number: int, cycle: int) -> None:
    """What a packer has written in this cycle."""
    account, memory = model.account[0], model.account[0].memory
    port, own = model.timing[0].packers[number].port, memory.packers[number]
    ready = memory.ready_before if memory.ready_since == cycle else model.join[0].l1_ready
    waited = 1 - (ready >> number & 1)
    count = port.written_back
    if port.data_lines and not port.is_read:
        count += port.data_lines
    reads = port.data_lines > 0 and port.is_read
    for k in range(count):
        row = new_row(account.line, cycle)
        row.packer, row.kind, row.waited = number, Kind.DATA, waited
        row.data_lines, row.reads, row.ends = count, reads, k == count - 1
    if port.side:
        row = new_row(account.line, cycle)
        row.packer, row.kind, row.waited = number, port.side, waited
        row.data_lines, row.reads, row.ends = count, reads, 0
    if port.written_back:
        own.sum_cycle, own.sum_count = cycle, port.written_back


@part
def is_full(account: Record) -> bool:
    """Whether there may be no room for the rows of a cycle more; of other kinds it has two."""
    of_values = max(account.row.count, account.edge.count, account.group.count)
    of_values = max(of_values, account.zeros.count, account.compressed.count, account.share.count)
    of_time = max(account.sum_.count, account.grant.count, account.step.count, account.line.count)
    of_time = max(of_time, account.read.count, account.wait.count)
    return max(of_values, of_time) > ROOM - MOST  # type: ignore[no-any-return]
