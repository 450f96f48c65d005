# SPDX-License-Identifier: Apache-2.0
"""Lines on their way to L1: what the ports' cycles do to them, and their records (section 9)."""

from __future__ import annotations

from tilepath.engine.compiled.compiled_io import Outputs, put
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.format_codes import FP16
from tilepath.models.pack import cycle_account_time as account
from tilepath.models.pack.accumulate import add_word
from tilepath.models.pack.cycle_state import LINE_RING, SUM_RING, Model, as_int, copy_words
from tilepath.models.pack.faults import RunFlag
from tilepath.models.pack.state import LINE_WORDS, Kind
from tilepath.models.pack.timing_port import choose, use

_SIDE_SLOT = 7


@part
def next_held(join: Record, number: int, kind: int) -> Record:
    """The next line of a stream leaves the packer."""
    held = join.held[number, kind]
    line: Record = held.lines[held.head & (LINE_RING - 1)]
    held.head += 1
    return line


@part
def read_lines(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """An entry is read, and its sums are what will be written back."""
    join, state, l1 = model.join[0], model.walking[0], model.memory.l1
    packer = model.timing[0].packers[number]
    port = packer.port
    to, quirk = state.modes[number].to, state.parameters.fp16_acc_quirk
    total = join.sums[number, (packer.sums_end - 1) & (SUM_RING - 1)]
    if to == FP16 and state.parameters.bh_fields:
        join.run_faults[number] |= RunFlag.FP16_ACCUMULATE
        join.run_fault_by[number] = port.data_origin
    for k in range(port.data_lines):
        line = next_held(join, number, Kind.DATA)
        if len(model.account):
            account.line_added(model, number, line, cycle)
        sum_line = total.lines[k]
        sum_line.line = line.line
        sum_line.faults = line.faults
        for n in range(LINE_WORDS):
            old = as_int(l1[line.line, n]) if line.line < l1.shape[0] else 0
            sum_line.words[n] = add_word(to, old, as_int(line.words[n]), quirk)
    if len(model.account):
        account.lines_read(model, number, cycle)
    row = put(out.read[number], cycle, port.data_origin)
    row.line, row.count = port.line, port.data_lines


@part
def write_line(
    model: Model, out: Outputs, number: int, slot: int, kind: int, line: Record, cycle: int,
    origin: int,
) -> None:  # fmt: skip
    """A line is written, unless it is beyond L1."""
    join, l1 = model.join[0], model.memory.l1
    faults = line.faults
    if line.line < l1.shape[0]:
        copy_words(l1[line.line], line.words)
    else:
        faults |= RunFlag.L1_RANGE
    if faults:
        join.run_faults[number] |= faults
        join.run_fault_by[number] = origin
    row = put(out.write[slot], cycle, origin)
    row.line, row.kind = line.line, kind
    copy_words(row.data_, line.words)


@part
def write_lines(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """What a packer writes in a cycle, slot by slot: sums or a data entry, a side line."""
    join = model.join[0]
    packer = model.timing[0].packers[number]
    port = packer.port
    first = number if packer.lanes == 1 else 0
    for k in range(port.written_back):
        line = join.sums[number, (packer.first_sum - 1) & (SUM_RING - 1)].lines[k]
        write_line(model, out, number, first + k, Kind.DATA, line, cycle, port.sum_origin)
        if len(model.account):
            model.account[0].memory.packers[number].sums[k] = line.line
    if port.data_lines and not port.is_read:
        for k in range(port.data_lines):
            line = next_held(join, number, Kind.DATA)
            write_line(model, out, number, first + k, Kind.DATA, line, cycle, port.data_origin)
    if port.side:
        slot = first if packer.lanes == 1 else _SIDE_SLOT
        line = next_held(join, number, port.side)
        write_line(model, out, number, slot, port.side, line, cycle, port.side_origin)


@part
def ports(model: Model, out: Outputs, cycle: int) -> None:
    """A cycle of all L1 ports: what is read is as registered, so reads come first."""
    timing, join = model.timing[0], model.join[0]
    active = 0
    for number in range(timing.packer_count):
        packer = timing.packers[number]
        if (join.l1_ready >> number) & 1:
            choose(packer, cycle)
            if packer.port.written_back or packer.port.side or packer.port.data_lines:
                active |= 1 << number
                use(packer, cycle, max(join.l1_latency, 1))
                if packer.port.data_lines and packer.port.is_read:
                    read_lines(model, out, number, cycle)
    for number in range(timing.packer_count):
        if (active >> number) & 1:
            write_lines(model, out, number, cycle)
            if len(model.account):
                account.lines_written(model, number, cycle)
