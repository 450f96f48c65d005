# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint of the packers: a program, bins that it hits and ones that it must not."""

from __future__ import annotations

from collections.abc import Sequence

from tilepath.models.format_codes import BF16, BFP4, BFP8, BFP8A, FP8, FP16, FP32, INT8, INT32
from tilepath.sequences.pack import words
from tilepath.tests.coverage_runs import Example
from tilepath.tests.pack.model_helpers import storage, word
from tilepath.tests.pack.pack_cover import Program

BH = "blackhole"
ADDR_MOD = 37


def bf16(*numbers: int) -> list[int]:
    """BF16 numbers as storage has them."""
    return [storage(number, formats(BF16)) for number in numbers]


def fp32(*numbers: int) -> list[int]:
    """FP32 and INT32 likewise."""
    return [storage(number, WIDE) for number in numbers]


def fp16(*numbers: int) -> list[int]:
    """FP16 likewise."""
    return [storage(number, HALF) for number in numbers]


def packs(
    values: Sequence[int] = (), count: int = 16, *, profile: str = "baseline", mask: int = 1,
    last: int = 1, pacr: dict[str, int] | None = None, **fields: int,
) -> Program:  # fmt: skip
    """One PACR of ``count`` datums; ``fields``: settings of packer 0."""
    program = Program(profile, **fields)
    program.dst(values, wide=fields.get("wide", 0) == 1).datums(count)
    return program.issue(word(mask, last, **pacr or {}))


def formats(code: int, **fields: int) -> dict[str, int]:
    """IF, FROM and TO."""
    return {"inner": code, "from_": code, "to": code} | fields


ONE, TWO = 0x3F80, 0x4000
WIDE = formats(FP32, wide=1)
ROUNDS = formats(BF16, wide=1)
RAW = formats(BF16, raw=1)
HALF = formats(FP16)
HALF_RAW = formats(FP16, raw=1)
INT = formats(INT32, wide=1)
BYTE = formats(INT8, wide=1)
SUM16 = {"accumulate": 1, "uncompressed": 1}
COMPRESS = {"uncompressed": 0, "row_size": 4}


def summed(old: int, values: Sequence[int], **fields: int) -> Program:
    """One line of datums added to words of L1, all ``old``."""
    program = Program(**{"accumulate": 1, "l1_dest": 0x100} | fields)
    program.l1(0x100, *[old] * 16).dst(values, wide=fields.get("wide", 0) == 1)
    return program.datums(len(values)).issue(word())


def several(*words: int, gap: int = 100, count: int = 16, **fields: int) -> Program:
    """PACRs one after the other, of datums 1.0."""
    program = Program(**fields)
    program.dst(bf16(*[ONE] * 256)).datums(count)
    for some in words:
        program.issue(some, gap=gap)
    return program


def changed(before: dict[str, int], after: dict[str, int], values: Sequence[int]) -> Program:
    """A tile of which seven datums are packed, and some more with other settings."""
    return packs(values, 7, last=0, **before).config(**after).issue(word())


def left(to: int) -> Program:
    """A tile of packer 1 whose TO an instruction of packer 0 changes, and a SETREG ends."""
    program = Program().config(1, from_=5, to=5).dst(bf16(*[ONE] * 16)).datums(7)
    program.issue(word(2, last=0)).config(1, to=to).issue(word())
    return program.issue(0x4A800202)


def counters(addr_mod: int, old: dict[str, int], **pacr: int) -> Program:
    """A PACR that moves counters; ``old``: of SETADC, by place in XYZW."""
    program = packs([ONE])
    program.thread_word(0, ADDR_MOD + 1, addr_mod)
    for name, value in old.items():
        program.counter("SETADC", channel=int(name[1]), xyzw="xyzw".index(name[0]), value=value)
    return program.issue(word(addr_mode=1, **pacr))


def setreg(profile: str = "baseline", is_open: int = 0, **fields: int) -> Program:
    """A PACR and a PACR_SETREG."""
    program = packs([ONE], profile=profile, last=1 - is_open)
    program.add("setreg_base", 0, 0x3FF, 1, 2, 3, 4)
    return program.issue(0x4A000000 | fields["bits"])


def banked() -> Program:
    """A PACR of bank 1, which is another than bank 0."""
    program = packs([ONE])
    program.state.config[1, 17] = 5
    program.write()
    return program.thread_word(0, 0, 1).issue(word())


def of_four(**fields: int) -> Program:
    """A PACR of all packers, each with these settings."""
    program = Program()
    for packer in range(4):
        program.config(packer, **{"from_": 5, "to": 5} | fields)
    return program.dst(bf16(*[ONE] * 16)).issue(word(15))


def levels(first: int, length: int, latency: int = 4, **fields: int) -> Program:
    """L1 is not ready for ``length`` cycles from ``first`` behind the issue on."""
    program = Program(**fields)
    program.dst(bf16(*[ONE] * 64)).datums(64)
    program.add("l1_ready", program.cycle + first, 0)
    program.add("l1_ready", program.cycle + first + length, 15)
    program.add("l1_latency", program.cycle, latency)
    return program.issue(word())


def histogram(behind: int) -> Program:
    """A clear, ``behind`` cycles behind the grant of a row."""
    program = packs([ONE])
    return program.add("hist", program.cycle - 200 + 10 + behind, 1, 0, 0)


def inputs() -> Program:
    """A record of each other input."""
    program = Program()
    mask, data = (0xFFFF, 0, *(0,) * 7), (0,) * 72
    program.now("dst_write", 1023, 2, mask, data).now("dst_zero", 0, 1)
    program.now("hist", 0, 6, 2).now("offset", 1, 0xFFFF).now("t1.setc16", 45, 1)
    program.now("cfg", 2, 200, 1, (0, 0, 0, 0)).now("l1_write", 0x1FFFC, (0,) * 16)
    return program


def contended() -> Program:
    """The Matrix Unit gets row 0 with the packer, then one of row 1's bank; row 1 is written."""
    program = Program()
    program.dst(bf16(*[ONE] * 64)).datums(64)
    for cycle, row in ((10, 0), (11, 16)):
        program.add("dst_read", program.cycle + cycle, row, 0)
    for cycle in (11, 12):
        program.add("dst_write", program.cycle + cycle, 1, 1, (0,) * 9, (0,) * 72)
    return program.issue(word())


def met() -> Program:
    """A PACR moves a counter that a word sets in the same cycle."""
    program = Program(gap=1)
    program.thread_word(0, ADDR_MOD, 1)
    program.issue(word())
    return program.counter("SETADC", channel=0, xyzw=1, value=9)


def stored() -> Program:
    """A write of REG2FLOP alone; a core's store beside a SETC16 to the same word."""
    program = packs([ONE]).now("flop", 0, 150, 0, (0,) * 4)
    return program.add("t1.setc16", program.cycle, 60, 1).now("store", 1, 60, 2)


EXAMPLES: list[Example] = [
    (lambda: packs(fp32(0x3F808000, 0x7F800000), 2, **ROUNDS),
     "early.fp32_x_class bf16*infinity bf16*nan",
     "early.rounding_x_case bf16*tie bf16*carry",
     "late.e8_x_target_x_exponent bf16*bf16*infinity wide*bf16*infinity"),
    (lambda: packs(fp32(0x3FFFFFFF, 0x007FFFFF), 2, **ROUNDS),
     "early.fp32_x_class bf16*denormal_max bf16*denormal_min",
     "early.rounding_x_case bf16*carry bf16*to_greatest_exponent",
     "early.rounding_x_case bf16*to_min_normal bf16*tie"),
    (lambda: packs(bf16(0x8001), 1, **RAW, round_10b=1),
     "early.bf16_x_class bf16.raw*denormal_min bf16*denormal_min"),
    (lambda: packs(bf16(0x4780), 1, **formats(FP16, round_10b=1)),
     "early.narrowing_x_exponent early*143 behind_relu*143"),
    (lambda: packs(fp32(0x37800000), 1, **formats(FP16, round_10b=1, wide=1)),
     "early.narrowing_x_exponent behind_relu*below_112 early*below_112"),
    (lambda: packs(fp16(0x7FFF, 0x8000), 2, **HALF_RAW),
     "early.fp16_x_class fp16.raw*all_ones fp16.raw*exponent_31",
     "late.e5_x_target_x_exponent fp16*fp16*31 e5m7*fp16*31",
     "relu.mode_x_container_x_sign 0*fp16*-0 0*fp16*+0"),
    (lambda: packs(fp32(0x8000000C), 1, **BYTE, descale=1, shift=3),
     "early.integer_x_class int8.r32*-small int8.r32*+small",
     "early.shift_x_rest 2-30*tie 2-30*above",
     "format.integer int8 uint8"),
    (lambda: packs(bf16(0x3F00, 0xBF80), 2, relu=2, relu_threshold=0x3F80),
     "relu.e8_mode_x_threshold_x_value 2*normal*below 3*normal*below",
     "relu.mode_x_container_x_sign 2*bf16*negative 2*bf16*-0"),
    (lambda: packs(fp16(0x7FFF), 1, relu=3, relu_threshold=0x7FFF, **HALF),
     "relu.e5_mode_x_threshold_x_value 3*max*equal 3*max*below"),
    (lambda: packs(fp32(0x3F801FFF), 1, relu=3, relu_threshold=0x3F80, **WIDE),
     "relu.low_bits_are_compared yes"),
    (lambda: packs(bf16(*[ONE] * 16), 16, edge_mask0=0x00FF, edge_mode=1, relu=1, to=BFP8,
                   face_enable=1, face_map0=2, row_map2=0),
     "edge.masked_mode_x_container_x_relu 1*bf16*1 0*bf16*1",
     "edge.masked_mode_x_relu_x_group 1*1*b 1*1*a",
     "edge.face_x_row_set_x_section yes*2*0 no*2*0",
     "edge.first_column_x_passes 0*some 0*all"),
    (lambda: packs(bf16(0x3F00, 0x3F80), 2, threshold_en=1, threshold=127),
     "threshold.exponent_x_relation e8*one_less e8*one_more",
     "threshold.exponent_x_relation e8*equal e5*equal"),
    (lambda: packs([], 1).now("dst_zero", 1, 0).issue(word()),
     "dst.valid_x_flags_ignored yes*no yes*yes"),
    (lambda: packs(bf16(0x3FFF, 0x3F00, 0xBB80), 3, to=BFP8),
     "group.format_x_distance bfp8*1 bfp4*1",
     "group.format_x_cut_off bfp8*tie bfp8*above",
     "group.format_x_case bfp8*clamped bfp8*all_zero",
     "group.format_x_case bfp8*sign_is_lost bfp8*one_is_not_zero",
     "group.format_x_completed_from bfp8*3 bfp8*4",
     "group.format_x_instructions bfp8*1 bfp8*2",
     "closing.pads unit+exponents unit",
     "closing.exponents 1 0",
     "format.float_from_x_to bf16*bfp8 bf16*bf16",
     "tile.exponent_section_x_format 0*bfp 0*other"),
    (lambda: several(word(last=0), word(), count=8, to=BFP4),
     "group.format_x_instructions bfp4*2 bfp4*1",
     "closing.group_line bfp4*8 bfp4*0",
     "pacr.flags_x_new_address last*no last*yes",
     "position.at_begin_x_tile_open not_0*yes 0*yes"),
    (lambda: packs(bf16(ONE, *[0] * 15, ONE), 17, **COMPRESS),
     "compressed.size_x_run_of_zeros 16*15 16*16",
     "compressed.row_x_group other*no all_zero*no",
     "compressed.instructions_of_row 1 2",
     "compressed.datums_of_tile 1-30 31",
     "compressed.concat_x_ends no*last yes*last",
     "compressed.format bf16 bfp8",
     "compressed.override_x_packer_x_compressed no*p0*yes no*p0*no",
     "closing.row_starts 4 0",
     "tile.row_section_x_compressed not_0*yes 0*yes"),
    (lambda: several(word(last=0, concat=1), word(last=0, concat=1), word(), **COMPRESS),
     "compressed.instructions_of_row 3 1",
     "compressed.datums_of_tile more 33",
     "compressed.concat_x_ends yes*no yes*last"),
    (lambda: summed(0x3F803F80, bf16(0xBF80, 0x7F80), to=5),
     "sum.float_x_old_x_new bf16*normal*infinity fp32*normal*infinity",
     "sum.format_x_result bf16*cancels bf16*overflows",
     "accumulate.format_x_pads bf16*yes bf16*no",
     "sum.in_flight 0 1",
     "sum.latency 2-8 1",
     "sum.read_behind_write_of_same_line no yes"),
    (lambda: summed(0x7BFF7BFF, fp16(0x7BFF, 0xFBFF), **HALF),
     "sum.fp16_old_x_new 30*30 30*31",
     "sum.fp16_cancels_at_exponent 30 31",
     "sum.format_x_result fp16*overflows fp16*underflows"),
    (lambda: summed(0x80000001, fp32(0x7FFFFFFF), **INT),
     "sum.int32_old_x_new -*+greatest +*+greatest"),
    (lambda: several(word(5), word(addr_cnt_context=2, ovrd_thread_id=1)),
     "pacr.mask_x_thread 5*t0 5*t1",
     "pacr.thread_x_override_x_context t0*yes*2 t0*no*2",
     "pacr.override_x_packers_x_counters_move no*more*no yes*more*no",
     "closing.packers_that_go_on yes no"),
    (lambda: several(word(last=0), word(flush=1), word(zero_write=1, concat=1)),
     "pacr.flags_x_source none*dst last*dst",
     "pacr.flags_x_source last+flush*zeros flush*zeros",
     "format.to_x_ends bf16*flush bf16*setreg",
     "histogram.bypassed_source_x_edge_mode_x_counts zeros*0*no zeros*1*no"),
    (lambda: packs([ONE] * 32, 17),
     "pacr.datums_x_packer 17*p0 16*p0",
     "pacr.first_x_datums x0_is_0*more x0_wraps*more",
     "pacr.steps 2 1",
     "format.to_x_packer bf16*p0 bf16*p1",
     "rows.first_behind_issue 10 11-31",
     "rows.behind_the_one_before_x_packer 1*p0 2-4*p0",
     "closing.fill_x_size 2*16 0*16",
     "downsample.kept_of_16 16 15",
     "downsample.mask_is_0 yes no",
     "tile.needs_new_x_address_differs yes*yes no*yes",
     "tile.above_17_bits no yes",
     "tile.low_nibble_of_counters 0 not_0",
     "tile.packer_x_header_x_offset p0*no*not_added p0*yes*not_added",
     "histogram.enabled_by none t0",
     "state.bank_x_the_other_differs 0*no 1*no",
     "port.kind_x_waited_for_ready data*no data*yes",
     "busy.thread_x_packer t0*p0 t0*p1",
     "busy.threads_of_a_packer 1 2",
     "departure.mode_x_begun format*nothing same*nothing"),
    (lambda: packs([ONE], 1, x_stride=18, dst_offset=0x300, base0=32, y_stride=32),
     "address.size_x_x_stride 2*16+size 2*size",
     "address.offset_x_packer not_0*p0 0*p0",
     "address.global_offset_x_bank not_0*0 not_0*1",
     "address.quarter_x_wide q3*no q0*no",
     "address.wraps_x_wide no*no yes*no"),
    (lambda: counters(1 | 2 << 6 | 1 << 13, {"y0": 8191, "z0": 1}),
     "counters.mode_x_thread 1*t0 1*t1",
     "counters.ysrc_update incr cr+incr",
     "counters.ysrc_increment 1 15",
     "counters.ydst_update incr clear",
     "counters.ydst_increment other 1",
     "counters.zsrc_update clear incr",
     "counters.zdst_update nothing incr",
     "counters.wraps y0 y1",
     "counters.clear_returns_checkpoint z0 y0",
     "address.counter_x_stride y*no z*yes"),
    (lambda: counters(1, {"y1": 3, "z1": 1}, flush=1),
     "counters.update_of flush zero_write",
     "tile.counter_x_stride y*no y*yes"),
    (banked, "state.bank_x_the_other_differs 1*yes 1*no"),
    (lambda: setreg(bits=words.setreg(0x3FF, 1, 0x20), is_open=1),
     "setreg.form_x_select open*a1 closed*a1",
     "setreg.scaler 1 0",
     "setreg.value 3ff other",
     "setreg.written written below",
     "format.to_x_ends bf16*setreg bf16*last"),
    (lambda: setreg(BH, bits=words.load_bh(1, 5)),
     "setreg.load_half high low",
     "pacr.context 0 1",
     "pacr.strided_x_map no*plain yes*plain"),
    (lambda: Program(BH, y_stride1=0x2140)
     .counter("SETADC", channel=1, xyzw=1, value=31).issue(word()),
     "tile.counter_x_beyond_18_bits y*yes y*no"),
    (lambda: packs([ONE], 32, profile=BH, mask=0, pacr={"zero_write": 1}),
     "pacr.long_zero_write 32 other"),
    (lambda: packs(bf16(*[ONE] * 64), profile=BH, mask=7),
     "pacr.lanes_x_beyond_group 3*no 3*yes",
     "rows.cycles_of_step 1 2",
     "rows.granted_together_x_wide 3*no 4*no",
     "port.lines_together 6 1"),
    (lambda: packs(fp32(*[0x3F800000] * 64), profile=BH, mask=15, **WIDE | SUM16),
     "sum.lines_of_entry 8 1"),
    (lambda: packs(bf16(*[ONE] * 64), profile=BH, mask=1, to=BFP8),
     "port.side_line_beside data nothing"),
    # two packers want rows of one bank
    (lambda: Program().config(1, dst_offset=17, from_=5, to=5).issue(word(3)),
     "rows.bank_taken_by_x_lane 0*1 0*2"),
    (lambda: packs(bf16(0x4000), 1, to=FP8, e4m3=1), "format.e4m3_of bf16 fp16"),
    (lambda: packs([ONE], limit=0x7F, fifo=0x10), "tile.limit_x_packer first_beyond*p0 last*p0"),
    (lambda: of_four(l1_dest=0x80000100, to=BFP8, exp_size=4),
     "rows.granted_together_x_wide 4*no 1*no",
     "tile.relative_x_packer_x_packer0_takes_part yes*p1*yes yes*p1*no",
     "tile.relative_x_exponent_section yes*not_0 yes*0"),
    (lambda: several(word(last=0), word(last=0), count=32, reads=2),
     "position.wraps_x_reads_x_transposed yes*2*no no*2*no"),
    (lambda: several(word(last=0), word(last=0), count=16, reads=2, transposed=1),
     "position.wraps_x_reads_x_transposed yes*2*yes yes*2*no"),
    (lambda: several(word(last=0), word(), downsample=0x00FF, to=BFP8),
     "downsample.kept_of_16 8 16",
     "downsample.count_is_16s_x_group_straddles yes*yes no*yes",
     "downsample.mask_is_0 no yes"),
    (lambda: changed(BYTE | {"to": BFP8A}, {"to": FP8}, fp32(*range(16))),
     "changed.low_bits_of_a_format_x_kind 8 16"),
    (lambda: changed(COMPRESS, SUM16, bf16(*[ONE] * 16)),
     "changed.path_before_x_path compressed*sums plain*sums",
     "sum.in_flight 1 15"),
    (lambda: left(BFP8),
     "changed.kind_before_x_kind 16*bfp_b 16*bfp_a",
     "changed.setreg_without_exponent_address_x_packer p1 p0"),
    (lambda: Program(source_l1=1, source_high=0, base0=0x400).l1(0x40, 0x3F803F80).issue(word()),
     "source.from bf16 fp32", "source.latency 2-8 1"),
    (lambda: levels(5, 60),
     "port.not_ready_for_x_packer 16-63*p0 more*p0",
     "port.kind_x_waited_for_ready data*yes exponent*yes"),
    (lambda: several(*[word(last=0)] * 15, gap=1, count=256), "issue.not_ready_for 2-15 more"),
    (contended,
     "rows.matrix_beside_x_lane same_row*0 other_row*0",
     "rows.matrix_bank_waits_x_lane 0 1",
     "rows.written_x_asked row*granted low_half*granted",
     "rows.written_x_asked row*refused other_row*refused",
     "fault.unit dst_busy hist_busy"),
    (stored,
     "flop.bank_x_beside_cfg 0*no 0*yes",
     "store.thread_x_beside_setc16 1*same_word 1*other_word"),
    (lambda: histogram(9),
     "histogram.clear_x_last_row is_lost was_counted",
     "fault.unit hist_busy dst_busy"),
    (lambda: several(word(6)),
     "rows.same_row_together yes no",
     "fault.flag_x_thread mask*t0 mask*t1"),
    (lambda: packs(bf16(*[ONE] * 16), to=BFP8, l1_dest=0x1FFF0),
     "fault.run_x_packer exp_overlap*p0 rows*p0",
     "fault.run_x_packer l1_range*p0 l1_range*p1"),
    (lambda: packs([ONE]).now("t1.counter", 0), "fault.counter_x_thread illegal*t1 illegal*t0"),
    (met, "dst.valid_x_flags_ignored no*no yes*no", "fault.counter_conflict_in_set set0 set1"),
    (inputs,
     "dst_write.rows 2 1",
     "dst_write.columns none some",
     "dst_write.behind_the_last_row yes no",
     "dst_zero.rows half1 all",
     "histogram.read_mode_x_packer 6*2 7*2",
     "offset.packer_x_value p0*ffff p1*ffff",
     "cfg.banks_x_wide_x_global 2*yes*yes 2*yes*no",
     "setc16.thread_x_word 1*acc_stats 1*state",
     "l1_write.beyond_l1 yes no"),
]  # fmt: skip
