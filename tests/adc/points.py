# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint of the counters: commands, a bin that they hit, one that they must not."""

from __future__ import annotations

from collections.abc import Callable

from tilepath.engine.coverage.model import CoverageModel
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tests.adc.helpers import played
from tilepath.tests.coverage_runs import Example

Build = Callable[[Timeline], object]


def then(*scenes: Build) -> Build:
    """The scenes one after the other, a cycle each."""

    def build(tl: Timeline) -> None:
        for scene in scenes:
            scene(tl)
            tl.step()

    return build


def at_once(*scenes: Build) -> Build:
    """The scenes in the same cycle."""

    def build(tl: Timeline) -> None:
        for scene in scenes:
            scene(tl)
        tl.step()

    return build


def touch(kind: str, where: tuple[int, int, int], value: int = 1, by: int | None = None) -> Build:
    return lambda tl: tl.touch(kind, where, value, by)


def issue(thread: int, word: object) -> Build:
    return lambda tl: tl.issue(thread, int(word))  # type: ignore[call-overload]


def unpack(*fields: int) -> Build:
    return lambda tl: tl.unpack(*fields)


def pack(sets: int, **fields: int) -> Build:
    return lambda tl: tl.pack(sets, **fields)


def flop(s: int, k: int, c: int, value: int, checkpoint: bool = False) -> Build:
    return lambda tl: tl.flop(s, k, c, value, checkpoint)


Y0, Z0, X1 = (0, 0, 1), (0, 0, 2), (0, 0, 4)
PACK_Y = (2, 2, 1)
INC = touch("incadcxy", Y0)
EVERY_Y = w.packed("incadcxy", 7, (0, 1, 0, 0))

EXAMPLES: list[Example] = [
    (issue(0, w.packed("setadczw", 5, (0, 7, 1, 0), 0b0110, override=2)),
     "instruction.op_x_target_x_override_x_thread setadczw*5*2*t0 setadczw*5*0*t0",
     "instruction.op_x_mask setadczw*0110 setadczw*1111",
     "instruction.op_x_field_x_value setadczw*second0*7 setadczw*first0*0"),
    (issue(2, w.setadcxx(1, 0, 1023)),
     "instruction.op_x_target_x_override_x_thread setadcxx*1*0*t2 setadcxx*1*0*t1"),
    (issue(0, w.packed("addrcrzw", 1, (0, 3, 1, 0), 0b0110)),
     "instruction.op_x_mask addrcrzw*0110 addrcrxy*0110",
     "instruction.op_x_field_x_value addrcrzw*second0*3 addrcrzw*first0*0"),
    (INC, "instruction.op_x_field_x_value incadcxy*first0*0 incadcxy*second0*0"),
    (issue(1, w.packed("addrcrxy", 1, (1, 0, 0, 2), 0b0001)),
     "instruction.value_without_mask_bit addrcrxy*second1 addrcrxy*first0"),
    (issue(0, w.packed("incadczw", 1, (1, 0, 0, 0)) | 8),
     "instruction.ignored_bit_set incadczw*3 incadcxy*3"),
    (issue(0, w.setadc(1, 6, 255)), "setadc.counter_x_value z1*max z1*other"),
    (issue(0, w.setadc(1, 6, 256)), "setadc.counter_x_value z1*truncated z1*0"),
    (issue(0, w.setadc(1, 0, 0x3FFFF)), "setadc.counter_x_value x0*max x0*other"),
    (issue(0, w.setadc(1, 1, 0x10001)), "setadc.counter_x_value y0*other y0*1"),
    (issue(0, w.setadc(1, 7, 0x30000)), "setadc.counter_x_override w1*3 w1*0"),
    (issue(0, w.setadcxx(1, 1, 1023)), "setadcxx.channel_x_value 1*max 0*max"),
    (issue(1, 0x57000000),
     "fault.thread_x_flags t1*illegal t1*empty",
     "fault.illegal_opcode 57 58"),
    (issue(0, w.setadc(0, 0, 0x20000)), "fault.thread_x_flags t0*empty+x_override t0*empty"),
    (issue(0, w.packed("addrcrzw", 0, (1, 1, 1, 1), 0)),
     "fault.empty_op_x_why addrcrzw*both addrcrzw*mask"),
    (issue(0, w.packed("incadcxy", 0, (1, 1, 1, 1))),
     "fault.empty_op_x_why incadcxy*target incadczw*target"),
    (issue(2, w.setadc(7, 4, 0x10000)),
     "fault.x_override_thread_x_override_x_channel t2*1*1 t2*1*0"),
    (unpack(1, 0, 2, 0, 0, 0, 3),
     "unpack.thread_x_adc_x_unpacker_x_field_x_increment "
     "set0*set2*unpacker1*z1*3 set2*set0*unpacker1*z1*3"),
    (unpack(0, 1, 1), "unpack.no_increment_thread_x_adc set1*set1 set1*set0"),
    (then(unpack(0, 0, 0), unpack(0, 1, 0, 1)),
     "unpack.no_increment_thread_x_adc set0*set0 set1*set0"),
    (unpack(0, 1, 3, 1),
     "unpack.fault_x_unpacker_x_increments adc*unpacker0*some thread*unpacker0*some"),
    (unpack(1, 3, 3),
     "unpack.fault_x_unpacker_x_increments both*unpacker1*zero adc*unpacker1*zero"),
    (pack(5, ZsrcIncr=1), "pack.sets 101 001"),
    (pack(1, ZdstClear=1), "pack.only_field ZdstClear ZdstIncr"),
    (then(pack(2), pack(0, YsrcIncr=1)), "pack.only_field none YsrcIncr"),
    (pack(1, YdstIncr=9), "pack.channel_x_y_increment dst*9 src*9"),
    (pack(1, YsrcIncr=5, YsrcClear=1), "pack.channel_x_y_increment dst*0 src*5"),
    (pack(2, YsrcIncr=3, YsrcCR=1, YsrcClear=1),
     "pack.set_x_channel_x_y_clear_x_cr_x_incr set1*src*clear1*cr1*incr set0*src*clear1*cr1*incr"),
    (pack(4, ZdstIncr=1, ZdstClear=1),
     "pack.set_x_channel_x_z_clear_x_incr set2*dst*clear1*incr set2*src*clear1*incr"),
    (flop(1, 2, 7, 5, True),
     "flop.set_x_target_x_counter_x_checkpoint set1*packers*w1*yes set1*packers*w1*no"),
    (flop(0, 0, 1, 8191), "flop.counter_x_checkpoint_x_value y0*no*max y0*no*other"),
    (flop(0, 0, 1, 8192), "flop.counter_x_checkpoint_x_value y0*no*truncated y0*no*0"),
    (flop(0, 3, 1, 8192), "flop.fault_x_checkpoint select*live both*live"),
    (at_once(flop(3, 3, 1, 5), unpack(0, 3, 0)), "unit_fault.flags all unpack_thread"),
    (flop(0, 3, 1, 5), "unit_fault.flags flop_select flop_thread"),
    (flop(0, 0, 1, 8191, True),
     "counter.place_x_counter_x_part_x_new_value "
     "set0.unpacker0*y0*checkpoint*max set0.unpacker0*y0*live*max"),
    (touch("pack", PACK_Y),
     "counter.place_x_counter_x_part_x_new_value "
     "set2.packers*y0*live*1 set2.packers*y0*checkpoint*1"),
    (then(touch("flop", Y0, 8191), touch("incadcxy", Y0, 3)),
     "sum.source_x_dimension_x_result incadc*y*wraps_past_0 incadc*y*wraps_to_0",
     "wrap.instruction_x_place_x_counter incadc*set0.unpacker0*y0 addrcr*set0.unpacker0*y0"),
    (then(touch("flop", Y0, 8191), touch("addrcrxy", Y0, 1)),
     "sum.source_x_dimension_x_result addrcr*y*below_max addrcr*y*wraps_to_0"),
    (then(flop(2, 2, 1, 8190, True), touch("pack_cr", PACK_Y, 1)),
     "sum.source_x_dimension_x_result pack_cr*y*max pack*y*max"),
    (then(flop(0, 0, 2, 255, True), touch("addrcrzw", Z0)),
     "wrap.instruction_x_place_x_counter addrcr*set0.unpacker0*z0 incadc*set0.unpacker0*z0"),
    (then(flop(2, 1, 6, 255), unpack(1, 1, 2, 0, 0, 0, 1)),
     "wrap.unpack_set_x_unpacker_x_counter set2*unpacker1*z1 set1*unpacker1*z1"),
    (then(flop(2, 2, 6, 255), pack(4, ZdstIncr=1)),
     "wrap.pack_set_x_cr_x_counter set2*incr*z1 set2*incr*z0"),
    (then(flop(2, 2, 1, 8191, True), touch("pack_cr", PACK_Y)),
     "wrap.pack_set_x_cr_x_counter set2*cr*y0 set2*incr*y0"),
    (then(INC, touch("addrcrxy", Y0, 0)),
     "addrcr.place_x_counter_x_relation_x_increment "
     "set0.unpacker0*y0*cr!=live*add0 set0.unpacker0*y0*cr==live*add0"),
    (touch("pack_cr", PACK_Y, 2),
     "pack_cr.set_x_channel_x_relation_x_increment set2*0*cr==live*add set2*0*cr!=live*add"),
    (then(touch("pack", PACK_Y), pack(4, YsrcClear=1)),
     "pack_clear.counter_x_live_x_checkpoint y0*live*cr0 y0*live*cr"),
    (touch("incadcxy", X1), "incadc.counter_x_relation x1*cr==live x1*cr!=live"),
    (then(INC, unpack(0, 0, 0, 1)),
     "counter.first_write_after_reset incadcxy unpack",
     "order.first_x_second_x_by_x_distance "
     "incadcxy*unpack*owner*next_cycle incadcxy*unpack*owner*later"),
    (then(touch("setadcxx", X1), lambda tl: tl.step(), touch("incadcxy", X1, by=2)),
     "order.first_x_second_x_by_x_distance "
     "setadcxx*incadcxy*foreign*later setadcxx*incadcxy*owner*later"),
    (then(unpack(0, 0, 0, 0, 1), touch("setadczw", Z0), touch("incadczw", Z0)),
     "order.unpack_set_inc_thread_x_unpacker_x_counter t0*unpacker0*z0 t0*unpacker0*y0"),
    (then(unpack(0, 0, 0, 1), touch("setadc", Y0), INC, unpack(0, 0, 0, 0, 1),
     touch("setadczw", Z0), touch("incadczw", Z0, by=1)),
     "order.unpack_set_inc_thread_x_unpacker_x_counter t0*unpacker0*y0 t0*unpacker0*z0"),
    (at_once(issue(2, EVERY_Y), flop(0, 0, 0, 1)), "ports.writers_with_a_command 100100 000100"),
    (at_once(INC, touch("flop", Y0)),
     "conflict.writers_x_target_x_set flop+t0*unpacker0*set0 t0+t1*unpacker0*set0",
     "conflict.first_x_second flop*incadcxy flop*setadc"),
    (then(at_once(INC, touch("flop", Y0)), touch("incadcxy", X1)),
     "conflict.set_x_target_x_counter set0*unpacker0*y0 set0*unpacker0*x1"),
    (at_once(INC, touch("flop", Y0), unpack(0, 0, 0, 1)),
     "conflict.target_x_writers unpacker0*3 unpacker0*2"),
    (at_once(*(issue(t, EVERY_Y) for t in range(3)), pack(7, YsrcIncr=1)), "conflict.bits_set 3 1"),
    (at_once(INC, touch("flop", Z0)),
     "no_conflict.writers_x_differ_in flop+t0*counter flop+t0*target"),
    (at_once(INC, touch("flop", (0, 1, 1))),
     "no_conflict.writers_x_differ_in flop+t0*target flop+t0*set"),
    (at_once(INC, unpack(0, 1, 2, 1)),
     "no_conflict.writers_x_differ_in unpack+t0*set unpack+t0*counter"),
    (at_once(INC, touch("flop", X1)), "no_conflict.named_but_not_touched incadcxy incadczw"),
    (at_once(INC, unpack(0, 0, 1, 0, 2)), "no_conflict.named_but_not_touched unpack incadcxy"),
]  # fmt: skip


def covered_by(build: Build) -> CoverageModel:
    """The coverage of a scene."""
    timeline = Timeline()
    then(build)(timeline)
    return played(timeline)
