# SPDX-License-Identifier: Apache-2.0
"""How the account is written: instructions, and what their steps do to values.

An instruction's settings are noted where it is sampled and go with it; when a packer is through
with it they are a row, with what it did.
"""

from __future__ import annotations

from typing import Any

from tilepath.engine.compiled.account import add_row, new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.pack import THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.models.pack import addresses, sample
from tilepath.models.pack import fields as F
from tilepath.models.pack.account import PLACES, RING
from tilepath.models.pack.cycle_state import Model, as_int
from tilepath.models.pack.early import bf16_of, fp16_of
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.settings import Sampled
from tilepath.models.pack.state import COLUMNS, Kind, Op
from tilepath.models.pack.state import KINDS as STREAMS

# ── Instructions ─────────────────────────────────────────────────────────────────────────────────


@compiled
def sampled_instruction(
    model: Model, sampled: Sampled, head: Record, number: int, is_new: int
) -> None:
    """An instruction is sampled; ``number``: of its issue; ``is_new``: packer 0 has no tile."""
    account, state, word = model.account[0], model.sampling[0], head.word
    memory, parameters = account.memory, state.parameters
    of_set = addresses.counter_set(head.thread, word)
    row = new_row(account.instruction, head.cycle)
    row.head, row.bank = head, sampled.bank
    F.read_all(row.seen.every, PLACES, sampled.config, sampled.bank, (0, 0, 0, 0))
    _read_counters(row.live, model.live, of_set)
    row.addr_mod = sampled.thread_config[head.thread, F.ADDR_MOD + F.get(word, F.ADDR_MODE)]
    row.banks_differ = _banks_differ(model)
    row.is_new, row.scaler = is_new, state.modes[0].to & 3
    if head.is_pacr:
        for packer in range(parameters.packers):
            if (head.packers >> packer) & 1:
                share = memory.shares[number & (RING - 1), packer]
                _set_share(model, sampled, head, share, packer, of_set)
    else:
        for packer in range(parameters.packers):
            share = memory.shares[number & (RING - 1), packer]
            memory.shares[number & (RING - 1), packer] = memory.nothing
            share.head, share.bank = head, sampled.bank


@part
def _banks_differ(model: Model) -> int:
    """Whether the two banks differ; looked at again when something was written."""
    memory, writes = model.account[0].memory, model.join[0].config_writes
    if memory.config_seen != writes:
        memory.config_seen = writes
        memory.banks_differ = 0
        for word in range(CFG_GLOBAL_BASE):
            if model.config[0, word] != model.config[1, word]:
                memory.banks_differ = 1
                break
    return memory.banks_differ  # type: ignore[no-any-return]


@part
def _read_counters(to: Any, live: addresses.Counters, of_set: int) -> None:
    for k in range(8):
        to[k] = addresses.counter(live, of_set, k >> 2, k & 3)


@part
def _set_share(
    model: Model, sampled: Sampled, head: Record, share: Record, packer: int, of_set: int
) -> None:
    """A packer's share of a PACR, as it is sampled."""
    config, bank, state, live = sampled.config, sampled.bank, model.sampling[0], model.live
    parameters = state.parameters
    block = sample.block_of(parameters, packer, head.word)
    share.head, share.bank, share.packer = head, bank, packer
    further = (0, packer, block, F.LIMITS[packer])
    F.read_all(share.seen.every, PLACES, config, bank, further)
    _read_counters(share.live, live, of_set)
    share.offset = state.offsets[packer]
    share.units = addresses.channel_bytes(config, bank, live, of_set, 1)
    units = addresses.output_units(config, bank, live, of_set, parameters)
    share.address = addresses.plain_address(config, bank, state, packer, block, units)
    share.relative = addresses.tile_unit(config, bank, 0) >> 31
    share.stats = 0
    for thread in range(THREADS):
        share.stats |= (sampled.thread_config[thread, F.ACC_STATS] & 1) << thread


@compiled
def departed(model: Model, head: Record, number: int, cycle: int) -> None:
    """An instruction departs; its mode is not yet that of the packers."""
    account, timing, state = model.account[0], model.timing[0], model.walking[0]
    memory, join = account.memory, model.join[0]
    for packer in range(timing.packer_count):
        if (head.packers >> packer) & 1:
            place = timing.packers[packer].instructions_end & (RING - 1)
            memory.under_way[packer, place] = memory.shares[number & (RING - 1), packer]
            memory.under_way[packer, place].packer = packer
    if not head.is_pacr:
        return
    row = new_row(account.departure, cycle)
    row.mode_changes = timing.mode != join.mode_walking
    row.format_changes = row.begun_by = 0
    kept = join.samples[number & (RING - 1)]
    for packer in range(timing.packer_count):
        one = state.packers[packer]
        if row.mode_changes and kept.modes[packer].to != state.modes[packer].to:
            row.format_changes = 1
        row.begun_by |= (one.element_count > 0) | (one.block_count > 0) << 4
        for kind in range(STREAMS):
            row.begun_by |= (one.streams[kind].filled > 0) << (1 + kind)


@part
def format_changed(account: Any, number: int) -> None:
    """TO or compression changes: what was begun of a tile is forgotten."""
    own = account.memory.packers[number]
    own.tile = own.datums = own.row_zeros = own.zeros = own.chain = 0


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────


@compiled
def begins(model: Model, number: int) -> None:
    """A packer begins with an instruction."""
    account, state = model.account[0], model.walking[0]
    memory, timing = account.memory, model.timing[0].packers[number]
    own, packer, mode, plan = (
        memory.packers[number], state.packers[number], state.modes[number], state.plans[number],
    )  # fmt: skip
    own.share = memory.under_way[number, timing.first_instruction & (RING - 1)]
    share, data = own.share, packer.streams[Kind.DATA]
    share.has_exponents = not packer.streams[Kind.EXPONENT].needs_new
    share.is_new = data.needs_new
    share.elsewhere = plan.lines[Kind.DATA] != data.line
    share.moved = packer.x != 0 or packer.y != 0 or packer.z != 0
    share.elements = packer.element_count
    for kind in range(STREAMS):
        share.filled[kind] = packer.streams[kind].filled
    share.wrapped = share.kept = share.pushed = share.group_instructions = 0
    share.row_starts = packer.streams[Kind.RSI].filled // 16 if mode.compresses else 0
    own.outer = packer.y if mode.transposed else packer.z
    own.chain += 1
    if packer.element_count == 0 or not mode.bfp:
        own.instructions = 0


@compiled
def worked(model: Model, number: int, held: int, read: int, is_first: int, cycle: int) -> None:
    """A step has been worked out.

    ``held``: elements of a unit, ``read``: datums before; ``is_first``: of its instruction.
    """
    account, state, passed = model.account[0], model.walking[0], model.walk[0]
    mode, plan, own = state.modes[number], state.plans[number], account.memory.packers[number]
    share = own.share
    own.begins, own.first_row = is_first, -1
    _put_rows(model, number, read, cycle)
    share.kept += passed.value_count
    pushed = passed.value_count
    if mode.compresses:
        pushed = _see_compressed(model, number, cycle)
    if mode.bfp:
        _put_groups(model, number, held, pushed, cycle)
    share.pushed += pushed
    if step_ends(plan):
        _end(model, number, cycle)


@part
def step_ends(plan: Record) -> bool:
    """Whether the step was the instruction's last."""
    return plan.done >= plan.count  # type: ignore[no-any-return]


@part
def _put_rows(model: Model, number: int, read: int, cycle: int) -> None:
    """Rows of Dst that the step has read, with the mode that they met, and edge masks."""
    account, passed = model.account[0], model.walk[0]
    mode, share = model.walking[0].modes[number], account.memory.packers[number].share
    step = passed.steps[0]
    if step.count == 0:
        return
    for k in range(passed.row_count):
        seen = passed.rows[k]
        seen.count = step.count
        row = new_row(account.row, cycle)
        row.packer, row.mode, row.control = number, mode, share.seen.control
        row.edge_mode, row.kept = share.seen.edge_mode, 0
        row.undefined = (share.head.faults & Flag.EARLY) != 0
        for n in range(step.count):
            row.kept |= (mode.downsample >> ((read + n) & 15) & 1) << n
            high = as_int(seen.stored[n]) >> 16
            seen.number[n] = bf16_of(high) << 16 | seen.stored[n] & 0xFFFF
            seen.half[n] = fp16_of(high)
        read += step.count
        row.row = seen
    for k in range(passed.edge_count):
        edge = passed.edges[k]
        edge.cycle, edge.packer, edge.column = cycle, number, step.column
        edge.read = ((1 << step.count) - 1) << step.column & 0xFFFF
        add_row(account.edge, edge)


@part
def _see_compressed(model: Model, number: int, cycle: int) -> int:
    """Zeros that follow each other, and what compression makes; returns the elements pushed."""
    passed, own = model.walk[0], model.account[0].memory.packers[number]
    for k in range(passed.value_count):
        own.datums += 1
        if passed.values[k] == 0:
            own.zeros += 1
            own.row_zeros += 1
        else:
            _end_zeros(model, number, cycle)
    pushed = 0
    for k in range(passed.op_count):
        own.tile += passed.ops[k] == Op.E
        pushed += passed.ops[k] == Op.E or passed.ops[k] == Op.Z
        own.share.row_starts += passed.ops[k] == Op.R
    return pushed


@part
def _end_zeros(model: Model, number: int, cycle: int) -> None:
    account, own = model.account[0], model.account[0].memory.packers[number]
    if own.zeros:
        row = new_row(account.zeros, cycle)
        row.packer, row.to, row.count = number, model.walking[0].modes[number].to, own.zeros
    own.zeros = 0


@part
def _put_groups(model: Model, number: int, held: int, pushed: int, cycle: int) -> None:
    """Groups that are complete, and how many instructions each is made of."""
    account, passed = model.account[0], model.walk[0]
    own, mode = account.memory.packers[number], model.walking[0].modes[number]
    share = own.share
    left = pushed
    if pushed > 0 and (share.pushed == 0 or held == 0):
        own.instructions += 1
    for k in range(passed.group_count):
        group = passed.groups[k]
        group.cycle, group.packer, group.to = cycle, number, mode.to
        group.instructions = own.instructions
        add_row(account.group, group)
        taken = min(COLUMNS - held, left)
        if taken > (group.count == COLUMNS):
            share.group_instructions = max(share.group_instructions, own.instructions)
        left -= taken
        held = 0
        own.instructions = 1 if left > 0 else 0
    if left > 0:
        share.group_instructions = max(share.group_instructions, own.instructions)


@part
def _end(model: Model, number: int, cycle: int) -> None:
    """A packer is through with its instruction: rows, tile, and all of it."""
    account, state = model.account[0], model.walking[0]
    mode, plan, packer = state.modes[number], state.plans[number], state.packers[number]
    own = account.memory.packers[number]
    share = own.share
    if mode.compresses:
        if plan.closes_row and own.datums:
            _end_zeros(model, number, cycle)
            row = new_row(account.compressed, cycle)
            row.packer, row.bfp, row.ends = number, mode.bfp, 1
            row.count, row.zeros, row.instructions = own.datums, own.row_zeros, own.chain
            own.datums = own.row_zeros = 0
        if plan.last:
            if own.tile:
                row = new_row(account.compressed, cycle)
                row.packer, row.bfp, row.ends = number, mode.bfp, 2
                row.count, row.zeros, row.instructions = own.tile, 0, 0
            own.tile = 0
    if plan.closes_row:
        own.chain = 0
    share.wrapped = own.outer != (packer.y if mode.transposed else packer.z)
    row = new_row(account.share, cycle)
    row.share, row.mode, row.plan = share, mode, plan
