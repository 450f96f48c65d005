# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint: a program, a bin that it hits and one that it must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tilepath.models.format_codes import BFP4, BFP8, BFP8A, FP8, FP16
from tilepath.sequences.pack import words
from tilepath.tb.pack.coverage import PackCoverage
from tilepath.tests.pack.cover_programs import (
    BH,
    BYTE,
    COMPRESS,
    HALF,
    HALF_RAW,
    INT,
    ONE,
    RAW,
    ROUNDS,
    SUM16,
    WIDE,
    banked,
    bf16,
    changed,
    conflict,
    contended,
    counters,
    formats,
    fp16,
    fp32,
    histogram,
    inputs,
    left,
    levels,
    met,
    of_four,
    packs,
    setreg,
    several,
    source,
    stored,
    summed,
)
from tilepath.tests.pack.model_helpers import word
from tilepath.tests.pack.pack_cover import Program

Bins = tuple[str, str, str]
Build = Callable[[], Program]


def case(build: Build, *bins: Bins) -> tuple[Build, tuple[Bins, ...]]:
    """A program and its bins: point, hit, missed."""
    return build, bins


CASES = [
    case(
        lambda: packs(fp32(0x3F808000, 0x7F800000), 2, **ROUNDS),
        ("early.fp32_x_class", "bf16*infinity", "bf16*nan"),
        ("early.rounding_x_case", "bf16*tie", "bf16*carry"),
        ("late.e8_x_target_x_exponent", "bf16*bf16*infinity", "wide*bf16*infinity"),
    ),
    case(
        lambda: packs(fp32(0x3FFFFFFF, 0x007FFFFF), 2, **ROUNDS),
        ("early.fp32_x_class", "bf16*denormal_max", "bf16*denormal_min"),
        ("early.rounding_x_case", "bf16*carry", "bf16*to_greatest_exponent"),
        ("early.rounding_x_case", "bf16*to_min_normal", "bf16*tie"),
    ),
    case(
        lambda: packs(bf16(0x8001), 1, **RAW, r10=1),
        ("early.bf16_x_class", "bf16.raw*denormal_min", "bf16*denormal_min"),
    ),
    case(
        lambda: packs(bf16(0x4780), 1, **formats(FP16, r10=1)),
        ("early.narrowing_x_exponent", "early*143", "behind_relu*143"),
    ),
    case(
        lambda: packs(fp32(0x37800000), 1, **formats(FP16, r10=1, r32=1)),
        ("early.narrowing_x_exponent", "behind_relu*below_112", "early*below_112"),
    ),
    case(
        lambda: packs(fp16(0x7FFF, 0x8000), 2, **HALF_RAW),
        ("early.fp16_x_class", "fp16.raw*all_ones", "fp16.raw*exponent_31"),
        ("late.e5_x_target_x_exponent", "fp16*fp16*31", "e5m7*fp16*31"),
        ("relu.mode_x_container_x_sign", "0*fp16*-0", "0*fp16*+0"),
    ),
    case(
        lambda: packs(fp32(0x8000000C), 1, **BYTE, descale=1, shift=3),
        ("early.integer_x_class", "int8.r32*-small", "int8.r32*+small"),
        ("early.shift_x_rest", "2-30*tie", "2-30*above"),
        ("format.integer", "int8", "uint8"),
    ),
    case(
        lambda: packs(bf16(0x3F00, 0xBF80), 2, relu=2, relu_threshold=0x3F80),
        ("relu.e8_mode_x_threshold_x_value", "2*normal*below", "3*normal*below"),
        ("relu.mode_x_container_x_sign", "2*bf16*negative", "2*bf16*-0"),
    ),
    case(
        lambda: packs(fp16(0x7FFF), 1, relu=3, relu_threshold=0x7FFF, **HALF),
        ("relu.e5_mode_x_threshold_x_value", "3*max*equal", "3*max*below"),
    ),
    case(
        lambda: packs(fp32(0x3F801FFF), 1, relu=3, relu_threshold=0x3F80, **WIDE),
        ("relu.low_bits_are_compared", "yes", "no"),
    ),
    case(
        lambda: packs(bf16(*[ONE] * 16), 16, mask0=0x00FF, edge_mode=1, relu=1, to=BFP8,
                      face_enable=1, face_mapping0=2, row_mapping2=0),
        ("edge.masked_mode_x_container_x_relu", "1*bf16*1", "0*bf16*1"),
        ("edge.masked_mode_x_relu_x_group", "1*1*b", "1*1*a"),
        ("edge.face_x_row_set_x_section", "yes*2*0", "no*2*0"),
        ("edge.first_column_x_passes", "0*some", "0*all"),
    ),
    case(
        lambda: packs(bf16(0x3F00, 0x3F80), 2, threshold_en=1, threshold=127),
        ("threshold.exponent_x_relation", "e8*one_less", "e8*one_more"),
        ("threshold.exponent_x_relation", "e8*equal", "e5*equal"),
    ),
    case(
        lambda: several(word()).add("dst_zero", 2, 1, 0),
        ("dst.valid_x_flags_ignored", "no*no", "yes*no"),
    ),
    case(
        lambda: packs([], 1).now("dst_zero", 1, 0).issue(word()),
        ("dst.valid_x_flags_ignored", "yes*no", "yes*yes"),
    ),
    case(
        lambda: packs(bf16(0x3FFF, 0x3F00, 0xBB80), 3, to=BFP8),
        ("group.format_x_distance", "bfp8*1", "bfp4*1"),
        ("group.format_x_cut_off", "bfp8*tie", "bfp8*above"),
        ("group.format_x_case", "bfp8*clamped", "bfp8*all_zero"),
        ("group.format_x_case", "bfp8*sign_is_lost", "bfp8*one_is_not_zero"),
        ("group.format_x_completed_from", "bfp8*3", "bfp8*4"),
        ("group.format_x_instructions", "bfp8*1", "bfp8*2"),
        ("closing.pads", "unit+exponents", "unit"),
        ("closing.exponents", "1", "0"),
        ("format.float_from_x_to", "bf16*bfp8", "bf16*bf16"),
        ("tile.exponent_section_x_format", "0*bfp", "0*other"),
    ),
    case(
        lambda: several(word(last=0), word(), count=8, to=BFP4),
        ("group.format_x_instructions", "bfp4*2", "bfp4*1"),
        ("closing.group_line", "bfp4*8", "bfp4*0"),
        ("pacr.flags_x_new_address", "last*no", "last*yes"),
        ("position.at_begin_x_tile_open", "not_0*yes", "0*yes"),
    ),
    case(
        lambda: packs(bf16(ONE, *[0] * 15, ONE), 17, **COMPRESS),
        ("compressed.size_x_run_of_zeros", "16*15", "16*16"),
        ("compressed.row_x_group", "other*no", "all_zero*no"),
        ("compressed.instructions_of_row", "1", "2"),
        ("compressed.datums_of_tile", "1-30", "31"),
        ("compressed.concat_x_ends", "no*last", "yes*last"),
        ("compressed.format", "bf16", "bfp8"),
        ("compressed.override_x_packer_x_compressed", "no*p0*yes", "no*p0*no"),
        ("closing.row_starts", "4", "0"),
        ("tile.row_section_x_compressed", "not_0*yes", "0*yes"),
    ),
    case(
        lambda: several(word(last=0, concat=1), word(last=0, concat=1), word(), **COMPRESS),
        ("compressed.instructions_of_row", "3", "1"),
        ("compressed.datums_of_tile", "more", "33"),
        ("compressed.concat_x_ends", "yes*no", "yes*last"),
    ),
    case(
        lambda: summed(0x3F803F80, bf16(0xBF80, 0x7F80), to=5),
        ("sum.float_x_old_x_new", "bf16*normal*infinity", "fp32*normal*infinity"),
        ("sum.format_x_result", "bf16*cancels", "bf16*overflows"),
        ("accumulate.format_x_pads", "bf16*yes", "bf16*no"),
        ("sum.in_flight", "0", "1"),
        ("sum.latency", "2-8", "1"),
        ("sum.read_behind_write_of_same_line", "no", "yes"),
    ),
    case(
        lambda: summed(0x7BFF7BFF, fp16(0x7BFF, 0xFBFF), **HALF),
        ("sum.fp16_old_x_new", "30*30", "30*31"),
        ("sum.fp16_cancels_at_exponent", "30", "31"),
        ("sum.format_x_result", "fp16*overflows", "fp16*underflows"),
    ),
    case(
        lambda: summed(0x80000001, fp32(0x7FFFFFFF), **INT),
        ("sum.int32_old_x_new", "-*+greatest", "+*+greatest"),
    ),
    case(
        lambda: several(word(5), word(addr_cnt_context=2, ovrd_thread_id=1)),
        ("pacr.mask_x_thread", "5*t0", "5*t1"),
        ("pacr.thread_x_override_x_context", "t0*yes*2", "t0*no*2"),
        ("pacr.override_x_packers_x_counters_move", "no*more*no", "yes*more*no"),
        ("closing.packers_that_go_on", "yes", "no"),
    ),
    case(
        lambda: several(word(last=0), word(flush=1), word(zero_write=1, concat=1)),
        ("pacr.flags_x_source", "none*dst", "last*dst"),
        ("pacr.flags_x_source", "last+flush*zeros", "flush*zeros"),
        ("format.to_x_ends", "bf16*flush", "bf16*setreg"),
        ("histogram.bypassed_source_x_edge_mode_x_counts", "zeros*0*no", "zeros*1*no"),
    ),
    case(
        lambda: packs([ONE] * 32, 17),
        ("pacr.datums_x_packer", "17*p0", "16*p0"),
        ("pacr.first_x_datums", "x0_is_0*more", "x0_wraps*more"),
        ("pacr.steps", "2", "1"),
        ("format.to_x_packer", "bf16*p0", "bf16*p1"),
        ("rows.first_behind_issue", "10", "11-31"),
        ("rows.behind_the_one_before_x_packer", "1*p0", "2-4*p0"),
        ("closing.fill_x_size", "2*16", "0*16"),
        ("downsample.kept_of_16", "16", "15"),
        ("downsample.mask_is_0", "yes", "no"),
        ("tile.needs_new_x_address_differs", "yes*yes", "no*yes"),
        ("tile.above_17_bits", "no", "yes"),
        ("tile.low_nibble_of_counters", "0", "not_0"),
        ("tile.packer_x_header_x_offset", "p0*no*not_added", "p0*yes*not_added"),
        ("histogram.enabled_by", "none", "t0"),
        ("state.bank_x_the_other_differs", "0*no", "1*no"),
        ("port.kind_x_waited_for_ready", "data*no", "data*yes"),
        ("busy.thread_x_packer", "t0*p0", "t0*p1"),
        ("busy.threads_of_a_packer", "1", "2"),
        ("departure.mode_x_begun", "format*nothing", "same*nothing"),
    ),
    case(
        lambda: packs([ONE], 1, x_stride=18, dst_offset=0x300, base0=32, y_stride=32),
        ("address.size_x_x_stride", "2*16+size", "2*size"),
        ("address.offset_x_packer", "not_0*p0", "0*p0"),
        ("address.global_offset_x_bank", "not_0*0", "not_0*1"),
        ("address.quarter_x_wide", "q3*no", "q0*no"),
        ("address.wraps_x_wide", "no*no", "yes*no"),
    ),
    case(
        lambda: counters(1 | 2 << 6 | 1 << 13, {"y0": 8191, "z0": 1}),
        ("counters.mode_x_thread", "1*t0", "1*t1"),
        ("counters.ysrc_update", "incr", "cr+incr"),
        ("counters.ysrc_increment", "1", "15"),
        ("counters.ydst_update", "incr", "clear"),
        ("counters.ydst_increment", "other", "1"),
        ("counters.zsrc_update", "clear", "incr"),
        ("counters.zdst_update", "nothing", "incr"),
        ("counters.wraps", "y0", "y1"),
        ("counters.clear_returns_checkpoint", "z0", "y0"),
        ("address.counter_x_stride", "y*no", "z*yes"),
    ),
    case(
        lambda: counters(1, {"y1": 3, "z1": 1}, flush=1),
        ("counters.update_of", "flush", "zero_write"),
        ("tile.counter_x_stride", "y*no", "y*yes"),
    ),
    case(lambda: banked(False), ("state.bank_x_the_other_differs", "1*yes", "1*no")),
    case(
        lambda: setreg(bits=words.setreg(0x3FF, 1, 0x20), is_open=1),
        ("setreg.form_x_select", "open*a1", "closed*a1"),
        ("setreg.scaler", "1", "0"),
        ("setreg.value", "3ff", "other"),
        ("setreg.written", "written", "below"),
        ("format.to_x_ends", "bf16*setreg", "bf16*last"),
    ),
    case(
        lambda: setreg(BH, bits=words.load_bh(1, 5)),
        ("setreg.load_half", "high", "low"),
    ),
    case(
        lambda: Program(BH, y_stride1=0x2140)
        .counter("SETADC", channel=1, xyzw=1, value=31)
        .issue(word()),
        ("tile.counter_x_beyond_18_bits", "y*yes", "y*no"),
    ),
    case(
        lambda: packs([ONE], 16, profile=BH, mask=0, pacr={"zero_write": 1}),
        ("pacr.context", "0", "1"),
        ("pacr.strided_x_map", "no*plain", "yes*plain"),
    ),
    case(
        lambda: packs([ONE], 32, profile=BH, mask=0, pacr={"zero_write": 1}),
        ("pacr.long_zero_write", "32", "other"),
    ),
    case(
        lambda: packs(bf16(*[ONE] * 64), profile=BH, mask=7),
        ("pacr.lanes_x_beyond_group", "3*no", "3*yes"),
        ("rows.cycles_of_step", "1", "2"),
        ("rows.granted_together_x_wide", "3*no", "4*no"),
        ("port.lines_together", "6", "1"),
    ),
    case(
        lambda: packs(fp32(*[0x3F800000] * 64), profile=BH, mask=15, **WIDE | SUM16),
        ("sum.lines_of_entry", "8", "1"),
    ),
    case(
        lambda: packs(bf16(*[ONE] * 64), profile=BH, mask=1, to=BFP8),
        ("port.side_line_beside", "data", "read"),
    ),
    case(
        lambda: of_four(),
        ("rows.granted_together_x_wide", "4*no", "1*no"),
        ("rows.same_row_together", "yes", "no"),
    ),
    case(
        conflict,
        ("rows.bank_taken_by_x_lane", "0*1", "0*2"),
    ),
    case(
        lambda: packs(bf16(0x4000), 1, to=FP8, e4m3=1),
        ("format.e4m3_of", "bf16", "fp16"),
    ),
    case(
        lambda: packs([ONE], limit=0x7F, fifo=0x10),
        ("tile.limit_x_packer", "first_beyond*p0", "last*p0"),
    ),
    case(
        lambda: of_four(l1=0x80000100),
        ("tile.relative_x_packer_x_packer0_takes_part", "yes*p1*yes", "yes*p1*no"),
    ),
    case(
        lambda: of_four(l1=0x80000100, to=BFP8, exp_size=4),
        ("tile.relative_x_exponent_section", "yes*not_0", "yes*0"),
    ),
    case(
        lambda: several(word(last=0), word(last=0), count=32, reads=2),
        ("position.wraps_x_reads_x_transposed", "yes*2*no", "no*2*no"),
    ),
    case(
        lambda: several(word(last=0), word(last=0), count=16, reads=2, transposed=1),
        ("position.wraps_x_reads_x_transposed", "yes*2*yes", "yes*2*no"),
    ),
    case(
        lambda: several(word(last=0), word(), downsample=0x00FF, to=BFP8),
        ("downsample.kept_of_16", "8", "16"),
        ("downsample.count_is_16s_x_group_straddles", "yes*yes", "no*yes"),
        ("downsample.mask_is_0", "no", "yes"),
    ),
    case(
        lambda: changed({}, {"to": BFP8}, bf16(*[ONE] * 16)),
        ("changed.kind_before_x_kind", "16*bfp_b", "16*bfp_a"),
    ),
    case(
        lambda: changed(BYTE | {"to": BFP8A}, {"to": FP8}, fp32(*range(16))),
        ("changed.low_bits_of_a_format_x_kind", "8", "16"),
    ),
    case(
        lambda: changed(COMPRESS, SUM16, bf16(*[ONE] * 16)),
        ("changed.path_before_x_path", "compressed*sums", "plain*sums"),
    ),
    case(
        lambda: left(BFP8),
        ("changed.setreg_without_exponent_address_x_packer", "p1", "p0"),
    ),
    case(
        source,
        ("source.from", "bf16", "fp32"),
        ("source.latency", "2-8", "1"),
    ),
    case(
        lambda: levels(5, 60),
        ("port.not_ready_for_x_packer", "16-63*p0", "more*p0"),
        ("port.kind_x_waited_for_ready", "data*yes", "exponent*yes"),
    ),
    case(
        lambda: several(*[word(last=0)] * 15, gap=1, count=256),
        ("issue.not_ready_for", "2-15", "more"),
    ),
    case(lambda: several(word(), gap=1, count=32, acc=1), ("sum.in_flight", "1", "15")),
    case(
        contended,
        ("rows.matrix_beside_x_lane", "same_row*0", "other_row*0"),
        ("rows.matrix_bank_waits_x_lane", "0", "1"),
        ("rows.written_x_asked", "row*granted", "low_half*granted"),
        ("rows.written_x_asked", "row*refused", "other_row*refused"),
        ("fault.unit", "dst_busy", "hist_busy"),
    ),
    case(
        stored,
        ("flop.bank_x_beside_cfg", "0*no", "0*yes"),
        ("store.thread_x_beside_setc16", "1*same_word", "1*other_word"),
    ),
    case(
        lambda: histogram(9),
        ("histogram.clear_x_last_row", "is_lost", "was_counted"),
        ("fault.unit", "hist_busy", "dst_busy"),
    ),
    case(
        lambda: several(word(6)),
        ("fault.flag_x_thread", "mask*t0", "mask*t1"),
    ),
    case(
        lambda: packs(bf16(*[ONE] * 16), to=BFP8, l1=0x1FFF0),
        ("fault.run_x_packer", "exp_overlap*p0", "rows*p0"),
        ("fault.run_x_packer", "l1_range*p0", "l1_range*p1"),
    ),
    case(
        lambda: packs([ONE]).now("t1.counter", 0),
        ("fault.counter_x_thread", "illegal*t1", "illegal*t0"),
    ),
    case(
        met,
        ("fault.counter_conflict_in_set", "set0", "set1"),
    ),
    case(
        inputs,
        ("dst_write.rows", "2", "1"),
        ("dst_write.columns", "none", "some"),
        ("dst_write.behind_the_last_row", "yes", "no"),
        ("dst_zero.rows", "half1", "all"),
        ("histogram.read_mode_x_packer", "6*2", "7*2"),
        ("offset.packer_x_value", "p0*ffff", "p1*ffff"),
        ("cfg.banks_x_wide_x_global", "2*yes*yes", "2*yes*no"),
        ("setc16.thread_x_word", "1*acc_stats", "1*state"),
        ("l1_write.beyond_l1", "yes", "no"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("build", "bins"), CASES)
def test_points(build: Build, bins: tuple[Bins, ...]) -> None:
    model = build().covered()
    assert model.contradicted() == []
    points = model.report().points
    found = {(p, label): points[p].get(label, 0) > 0 for p, *some in bins for label in some}
    wanted = {(point, label): n == 0 for point, *some in bins for n, label in enumerate(some)}
    assert found == wanted


def test_every_point_has_a_test() -> None:
    tested = {point for _, bins in CASES for point, *_ in bins}
    points = {p for name in ("baseline", BH) for p in PackCoverage(name).report().points}
    assert tested == points
