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
    """Something is ready from this cycle on, or not; ``number``: as in ``READY``."""
    row = new_row(account.ready, cycle)
    row.packer, row.ready = number, ready


@compiled
def ports_changed(model: Model, before: int, cycle: int) -> None:
    """Which L1 ports are ready changes; ``before``: mask."""
    memory = model.account[0].memory
    memory.ready_before, memory.ready_since = before, cycle
    ready = model.join[0].l1_ready
    for number in range(model.timing[0].packer_count):
        if (ready ^ before) >> number & 1:
            ready_changed(model.account[0], number, ready >> number & 1, cycle)


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
def at_dst(account: Any, cycle: int) -> Record:
    """The row of what goes on at Dst in this cycle."""
    kind = account.dst
    if kind.count == 0 or kind.rows[kind.count - 1].cycle != cycle:
        row = new_row(kind, cycle)
        row.matrix = row.written = -1
        row.wide = row.matrix_wide = row.count = row.clears = 0
        for lane in range(LANES):
            row.rows[lane] = -1
            row.begins[lane] = row.behind_step[lane] = row.behind_lanes[lane] = 0
    return kind.rows[kind.count - 1]  # type: ignore[no-any-return]


@part
def matrix_reads(model: Model, row: int, wide: int, cycle: int) -> None:
    """The Matrix Unit reads a row."""
    now = at_dst(model.account[0], cycle)
    now.matrix, now.matrix_wide = row, wide


@part
def dst_written(model: Model, row: int, count: int, cycle: int) -> None:
    """Rows are written to Dst."""
    now = at_dst(model.account[0], cycle)
    now.written, now.count = row, count


@part
def cleared(model: Model, cycle: int) -> None:
    """CLREXPHIST."""
    at_dst(model.account[0], cycle).clears = 1


@compiled
def rows_granted(model: Model, lanes: int, cycle: int) -> None:
    """Lanes get their rows."""
    timing, memory, row = model.timing[0], model.account[0].memory, at_dst(model.account[0], cycle)
    for lane in range(LANES):
        if not lanes >> lane & 1:
            continue
        number, place = (lane, 0) if timing.packer_count > 1 else (0, lane)
        packer, own = timing.packers[number], memory.packers[number]
        if own.first_row < 0:
            own.first_row = cycle
        row.rows[lane], row.wide = step_at(packer, packer.steps_made).rows[place], packer.path.wide
        row.begins[lane] = own.begins
        row.behind_step[lane] = cycle - own.last_row
        row.behind_lanes[lane] = cycle - own.first_row


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
    of_time = max(account.sum_.count, account.step.count, account.line.count)
    of_time = max(of_time, account.read.count, account.ready.count)
    return max(of_values, of_time) > ROOM - MOST  # type: ignore[no-any-return]
