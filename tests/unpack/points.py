# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint of the unpackers: an instruction or two, what they hit and must not hit."""

from __future__ import annotations

from collections.abc import Callable

from tilepath import isa
from tilepath.models.format_codes import BF16, BFP4, BFP8, FP16, FP32, INT8, INT16, INT32
from tilepath.tests.coverage_runs import Example
from tilepath.tests.unpack.model_cycle_helpers import OVERLAY, SETDVALID, ZEROSRC, Program, nop
from tilepath.tests.unpack.model_helpers import load, plain, unpacr
from tilepath.tests.unpack.unpack_cover import tile, two

Build = Callable[[], Program]


def words(*values: int, code: int = BF16, width: str = "u2", **fields: int) -> Build:
    """An UNPACR that reads ``values``."""

    def build() -> Program:
        state = plain(code, count=len(values), **fields)
        load(state, 0x4010, values, width)
        return Program(state).issue(0, unpacr(0))

    return build


def packed(first: int, end: int, nibbles: int = 0, count: int = 256, **fields: int) -> Build:
    """Compressed FP16: RSI entries 0 and 1, the eight nibbles of the first eight datums."""

    def build() -> Program:
        state = plain(FP16, count=count, uncompressed=0, **fields)
        load(state, 0x4010, [first, end], "u2")
        load(state, 0x4020 + 64, [nibbles], "u4")
        return Program(state).issue(0, unpacr(0))

    return build


def mapped(bits: int, **fields: int) -> Build:
    """16 FP32 datums to Dst, with ``swizzle_32b`` (bit 0) and ``remap_addrs`` (bit 1)."""

    def build() -> Program:
        state = plain(FP32, count=16, if_sel=1, **fields)
        state.config[:, 220] = bits
        return Program(state).issue(0, unpacr(0))

    return build


def pair(at: int, **fields: int) -> Build:
    """One UNPACR of each unpacker, of threads 0 and 1, the second ``at`` cycles later."""
    return lambda: two(**fields).issue(0, unpacr(0)).issue(at, unpacr(1), 1)


def nops(*values: int, unit: int = 0, profile: str = "baseline") -> Build:
    """UNPACR_NOPs, with two cycles from one to the next."""

    def build() -> Program:
        program = Program(plain(BF16, profile=profile), profile)
        for number, value in enumerate(values):
            program.issue(2 * number, nop(unit, value))
        return program

    return build


def counter(*given: str | tuple[str, dict[str, int]], first: int | None = None) -> Build:
    """Counter instructions of thread 0, a cycle each, behind an UNPACR if ``first`` is a word."""

    def build() -> Program:
        program = two()
        cycle = 0
        if first is not None:
            program.issue(0, first)
            cycle = 2
        for some in given:
            name, fields = (some, {}) if isinstance(some, str) else some
            program.add("t0.counter", cycle, isa.encode(name, **{"target": 1} | fields))
            cycle += 1
        return program

    return build


def stalled() -> Program:
    """Two UNPACRs hand their banks over; the third waits for a release."""
    program = tile(word={"flip_src": 1})
    program.issue(20, unpacr(0, flip_src=1)).issue(40, unpacr(0))
    return program.matrix(200, 1, 0, 0, 0)


MULTI = {"multi_context": 1}
Z1_3 = {"addr_mode": 3 << 4}
SET_Y0 = ("SETADCXY", {"mask": 2, "y0_val": 7})
INC_Y0 = ("INCADCXY", {"y0_inc": 1})
V4 = {"base": 0x7FD, "limit": 0x7FF, "fifo": 0x100}
SETREG = 4

EXAMPLES: list[Example] = [
    (lambda: tile(1, thread=2),
     "unpacr.unpacker_x_thread_x_form u1*t2*regular u1*t2*flush",
     "output.file_x_bank srcb*0 srca*0"),
    (lambda: tile(word={"flush_cache": 1, "inc_ctx": 1}),
     "unpacr.unpacker_x_thread_x_form u0*t0*flush u0*t0*increment"),
    (lambda: tile(word={**MULTI, "context_number": 5}, context_offset=1),
     "unpacr.unpacker_x_context u0*6 u0*5"),
    (lambda: tile(word=MULTI | Z1_3 | {"context_adc": 2}),
     "unpacr.unpacker_x_field_x_increment u0*z1*3 u0*y1*3",
     "unpacr.multi_x_thread_x_context_adc_x_field_x_increment yes*t0*2*z1*3 no*t0*2*z1*3",
     "unpacr.context_adc_is other_thread same_thread"),
    (lambda: tile(word={**MULTI, "context_adc": 3}),
     "unpacr.unpacker_x_multi_x_use_counter u0*yes*no u0*no*no",
     "unpacr.unpacker_x_context u0*0 u0*5",
     "unpacr.context_adc_is 3 other_thread",
     "output.dest_register replaces added"),
    (lambda: tile(word={**MULTI, "use_ctx_counter": 1}, context_count=1, context_offset=9),
     "context.counter_x_count_x_offset 0*1*8-15 0*1*7"),
    (lambda: tile(word={"inc_ctx": 1}, context_count=2),
     "context.increment_counter_x_count 0*2 0*0"),
    (lambda: tile(word={"inc_ctx": 1}).add("t0.setc16", 1, 41, 0x1010),
     "context.reset_x_form_x_unpacker sampling_cycle*increment*u0 cycle_behind*increment*u0"),
    (lambda: tile(word={**MULTI, "use_ctx_counter": 1}).add("t0.setc16", 2, 41, 0x10),
     "context.reset_x_form_x_unpacker cycle_behind*regular*u0 cycle_behind*regular*u1"),
    (lambda: tile(word={**MULTI, "context_number": 1}, base1=5),
     "context.register_x_context_x_unpacker base*1*u0 offset*1*u0"),
    (lambda: tile(word={**MULTI, "context_number": 5}, offset1=1),
     "context.register_x_context_x_unpacker offset*5*u0 offset*1*u0"),
    (lambda: tile(word={**MULTI, "context_number": 4}, if_sel_4_7=1),
     "context.register_x_context_x_unpacker if_sel*4*u0 uncompressed*4*u0",
     "output.dest_register to_dst to_dst_added"),
    (lambda: tile().add("t0.setc16", 1, 0, 1),
     "state.switched_in_x_unpacker sampling_cycle*u0 pipeline*u0"),
    (lambda: tile().add("t0.setc16", 3, 0, 1),
     "state.switched_in_x_unpacker pipeline*u0 sampling_cycle*u0"),
    (lambda: tile(code=INT8, unsigned=1, if_sel=1),
     "format.pair_x_file int8_unsigned*dst int8*dst"),
    (lambda: tile(word=MULTI, ovrd_format=1, in0=5, out0=5),
     "format.override_x_unpacker yes*u0 no*u0"),
    (lambda: tile(1, count=17), "geometry.count_x_unpacker 17*u1 16*u1"),
    (lambda: tile(count=17, x0=1),
     "geometry.size_x_first_mod_32_x_crosses 2_bytes*1*16 2_bytes*1*32",
     "geometry.counter_not_0 x0*u0 y0*u0"),
    (lambda: tile(count=33, x0=31),
     "geometry.size_x_first_mod_32_x_crosses 2_bytes*31*32 2_bytes*31*no_boundary"),
    (lambda: tile(code=BFP4, x0=1),
     "geometry.first_bit bfp4.4 bfp4.0",
     "exponents.elements_mod_16 0 1"),
    (lambda: tile(digest=1), "geometry.digest_x_unpacker 1*u0 0*u0"),
    (lambda: tile(offset=0xFFFF), "geometry.offset_x_unpacker 65535*u0 0*u0"),
    (lambda: tile(word={"row_search": 1}),
     "geometry.row_search_x_blobs_x_compressed yes*no*no no*no*no"),
    (lambda: tile(limit=0x401, fifo=4),
     "wrap.pointer_x_limit_x_fifo datum*at*small_fifo datum*below*small_fifo",
     "wrap.kind_x_when_x_size datum*never*2_bytes.row32 datum*mid*2_bytes.row32"),
    (lambda: tile(limit=0x400, fifo=100),
     "wrap.pointer_x_limit_x_fifo datum*in_next_line*large_fifo datum*beyond*large_fifo",
     "wrap.kind_x_when_x_size datum*initial*2_bytes.row32 datum*mid*2_bytes.row32"),
    (lambda: tile(code=BFP8, x_dim=1, y_dim=65),
     "exponents.bytes_mod_16 1 0",
     "exponents.format_x_from bfp8*section bfp8*forced"),
    (lambda: tile(code=BFP4, force_exponent=1), "exponents.format_x_from bfp4*forced bfp4*section"),
    (lambda: tile(code=FP16, count=64, **V4),
     "wrap.kind_x_when_x_size datum*mid*2_bytes.row32 datum*initial*2_bytes.row32",
     "directed.case v4_row_runs_through_limit v5_tilize_32_by_32"),
    (packed(0, 40, limit=0x40A, fifo=4),
     "wrap.kind_x_when_x_size delta*mid*2_bytes.row32 delta*initial*2_bytes.row32"),
    (packed(0, 3, 0xF), "compressed.all_zero_x_nibble no*15 yes*15"),
    (packed(31, 40), "compressed.first_mod_32 31 0"),
    (packed(7, 40), "compressed.groups_crossed 1 none", "compressed.count 33 32"),
    (packed(0, 9, 0x3, count=3, x0=1),
     "compressed.part_of_row_drops_x_stops into_a_run*in_a_run nothing*in_a_run",
     "timing.rsi_lines_x_request_x_unpacker 1*alone*u0 2*alone*u0"),
    (packed(0, 9, 0x3, count=5, x0=4),
     "compressed.part_of_row_drops_x_stops to_end_of_run*end_of_run nothing*end_of_run"),
    (packed(5, 5),
     "compressed.groups_crossed none 1",
     "compressed.empty_row whole_row*equal whole_row*negative",
     "compressed.or_not_x_bfp_x_row_x_all_zero "
     "compressed*no*whole_row*no uncompressed*no*whole_row*no",
     "compressed.size_x_file 2_bytes*srca 2_bytes*dst",
     "compressed.plane_of y_dim blobs",
     "timing.rsi_lines_x_request_x_unpacker 2*alone*u0 1*alone*u0"),
    (pair(3),
     "state.bank_x_the_other_differs_x_unpacker 0*yes*u0 0*no*u0",
     "format.pair_x_file bf16*srca bf16*dst",
     "geometry.x_dim_x_unpacker 256*u0 other*u0",
     "geometry.y_dim 1 2",
     "geometry.z_dim other 1",
     "geometry.w_dim 1 0",
     "wrap.no_fifo_beyond_limit datum exponent",
     "timing.unpacr_unpacker_x_thread_x_first_x_distance "
     "other_unpacker*other_thread*uncompressed*1-3_later "
     "other_unpacker*other_thread*uncompressed*back_to_back",
     "timing.throttle_x_rule 2*none 2*compressed",
     "timing.both_fetch_wants_x_ends 4x4*u1_ends 4x4*u0_ends",
     "timing.stall_x_file 0*srca more*srca",
     "timing.l1_latency_x_unpacker 2-4*u0 1*u0",
     "output.file_x_column srca*0 srca*other",
     "output.file_x_bytes srca*2 srca*1",
     "output.srca_start_row 4 5",
     "output.srcb_start_row 0 64-"),
    (pair(0),
     "timing.unpacr_unpacker_x_thread_x_first_x_distance "
     "other_unpacker*other_thread*uncompressed*back_to_back "
     "other_unpacker*other_thread*uncompressed*1-3_later",
     "timing.issued_at_once_first_x_form u0*uncompressed u1*uncompressed",
     "timing.both_fetch_wants 4x4 4x2"),
    (lambda: tile(throttle=3, upsample=1), "timing.throttle_x_rule 3*zeros1_2 3*none"),
    (stalled,
     "unpacr.unpacker_x_flip_x_all_zero_x_row_search u0*yes*no*no u0*no*yes*no",
     "timing.stall_x_file more*srca 1*srca",
     "timing.stall_x_flip_x_next more*no*nothing 0*no*nothing",
     "timing.flip_x_other_unpacker u0*idle u0*busy"),
    (lambda: tile().issue(2, nop(0, SETDVALID)),
     "timing.stall_x_flip_x_next 0*no*setdvalid 0*no*nothing",
     "matrix.format_bank_x_format a0*5 a1*5"),
    (words(*[0x8000] * 9), "datum.float_x_file_x_class bf16*srca*-0 bf16*srca*+0"),
    (words(0x7F800000, code=FP32, width="u4", out=FP16),
     "datum.float_x_file_x_class fp32_to_fp16*srca*infinity fp32_to_bf16*srca*infinity"),
    (words(0x7F, code=10, width="u1", e4m3=1, if_sel=1),
     "datum.float_x_file_x_class fp8_e4m3*dst*all_ones fp8_e5m2*dst*all_ones"),
    (words(*[0x80808080] * 8, code=BFP8, width="u4", force_exponent=1),
     "datum.bfp_x_file_x_class bfp8*srca*-0 bfp8*srca*+0"),
    (words(*[0x02020202] * 8, code=BFP8, width="u4", force_exponent=1, shared_exponent=3),
     "datum.bfp_x_file_x_leading_zeros_x_exponent bfp8*srca*lz5*<lz bfp8*srca*lz5*0"),
    (words(111 << 23, code=FP32, width="u4", out=FP16),
     "datum.fp32_to_fp16_file_x_exponent srca*-1 srca*0"),
    (words(0x80, code=INT8, width="u1"),
     "datum.int8_file_x_unsigned_x_value srca*signed*80 srca*unsigned*80"),
    (words(0x7FFF, code=INT16), "datum.int16_file_x_value srca*7FFF srca*8000"),
    (words(0x80000001, code=INT32, width="u4", if_sel=1), "datum.int32_value 80000001 80000000"),
    (lambda: tile(transpose=1, shift0=1), "output.transpose_x_shift_x_start_row yes*1*4 no*1*4"),
    (lambda: tile(set_upd=1, set_base=2).issue(9, unpacr(0)),
     "output.srca_ovrd_x_row_x_flip_x_upd_x_base yes*0*no*yes*2 no*0*no*yes*2",
     "output.srca_ovrd_x_row_x_flip_x_upd_x_base yes*48*no*yes*2 yes*32*no*yes*2"),
    (lambda: tile(1, set_upd=1, set_base=2),
     "output.srcb_row_x_flip_x_upd_x_base 0*no*yes*2 0*no*no*2"),
    (lambda: tile(z_stride=2, z1=1), "output.stride_x_unpacker z*u0 w*u0"),
    (lambda: tile(out_base=0, if_sel=1, set_ovrd=0),
     "output.dst_row_x_bits 1020*16 1020*32",
     "directed.case below_64_to_dst dst_32_bits_adjacent_rows"),
    (lambda: tile(upsample=2), "upsample.rate_x_interleave_x_rows 2*no*crosses_rows 2*no*one_row"),
    (mapped(2),
     "output.dst_ovrd yes no",
     "output.dst_map_x_bits remap*32 swizzle*32",
     "matrix.pause_cycles 1 2"),
    (lambda: tile(code=INT16, count=32, transpose=1, out_base=2 * 16 * 19),
     "output.parts srca_transposed*two srca_transposed*one",
     "output.burst_rows_x_begin 2*off 2*aligned"),
    (mapped(0, out_base=4 * (16 * 11 + 8)),
     "output.dst_row_x_bits 8*32 8*16",
     "output.parts dst_32*two dst_16*two"),
    (lambda: tile(1, upsample=3), "upsample.rate_x_compressed_x_file 3*no*srcb 3*yes*srcb"),
    (lambda: tile(tilize=1, shift1=1),
     "tilize.size_x_stride_x_unpacker 2_bytes.row32*more*u0 2_bytes.row32*row*u0",
     "tilize.file_x_count srca*one_row srca*more_rows"),
    (lambda: two(if_sel_0_3=2, dest1=64).issue(0, unpacr(0, multi_context=1, context_number=1))
     .issue(4, unpacr(0, multi_context=1, flip_src=1)),
     "output.srca_behind_dst_x_flip yes*yes no*yes"),
    (lambda: tile(word={"last": 0}), "fault.flag_x_unpacker not_last*u0 throttle*u0"),
    (lambda: tile(out_base=2 * 16 * 68), "fault.write_x_unpacker srca_row_high*u0 srca_row*u0"),
    (lambda: tile(base=0xFFFFF), "fault.read_x_unpacker datum*u0 exponent*u0"),
    (nops(*[SETDVALID] * 3), "fault.write_x_unpacker flip_owner*u0 bfpa*u0"),
    (lambda: tile().add("cfg", 3, 1, 1, 0, (1 << 15, 0, 0, 0)),
     "fault.unit unsigned0 unsigned1",
     "fault.unsigned_unpacker_x_thread u0*t0 u0*t1"),
    (lambda: two().add("t0.counter", 0, 0), "fault.counter_x_thread illegal*t0 empty*t0"),
    (lambda: tile(count=5, x0=5, word={"flip_src": 1}), "directed.case empty_with_flip setc16_5_4"),
    (nops(0x101), "nop.of_encoding other this"),
    (lambda: two().matrix(0, read=7, banks=2), "matrix.read_files_x_banks abd*2 ab*2"),
    (lambda: two().matrix_write(0, 2, 0, 5, 1, wide=1),
     "matrix.dst_by_x_bits_x_map write*32*none read*32*none"),
    (lambda: two().matrix_write(0, 1, 1, 5, 1).matrix(1, read=2, banks=2, row_b=5),
     "matrix.read_file_x_written srcb*next srcb*at_once"),
    (lambda: two().matrix_write(0, 2, 1, 5, 1).matrix(0, read=4, row=5),
     "matrix.read_file_x_written dst*at_once dst*later"),
    (lambda: nops(SETDVALID, unit=1)().matrix_write(60, 1, 0, 5, 1),
     "matrix.write_bank_x_owner b0*matrix b0*unpackers"),
    (lambda: two().matrix_write(0, 3, 1, 5, 1), "matrix.write_target none dst"),
    (lambda: two().matrix(0, release=3, banks=1),
     "matrix.release_files_x_banks ab*1 a*1",
     "matrix.release_bank_x_owner a1*unpackers a0*unpackers"),
    (lambda: two().matrix(0, clear=9, neg_inf=1), "matrix.clear_banks_x_minus_infinity 9*yes 9*no"),
    (lambda: two().matrix(0, clear=4).matrix_write(0, 1, 0, 5, 1),
     "matrix.clear_bank_x_written_at_once b0*yes b0*no"),
    (lambda: two().matrix(0, zero=1, zero_mode=1, undo=1),
     "matrix.zero_mode_x_undo rows*yes rows*no"),
    (lambda: two().matrix(0, zero=1, zero_mode=2, row=600), "matrix.zero_half 1 0"),
    (lambda: two().matrix(0, zero=1).matrix_write(0, 2, 0, 5, 1),
     "matrix.zero_x_written_at_once yes no"),
    (lambda: two().matrix(0, zero=1, row=5).matrix(1, read=4, row=5), "matrix.read_valid no yes"),
    (lambda: tile(if_sel=1, word={"flip_src": 1}).matrix(29, zero=1),
     "matrix.dst_by_x_behind_pause zero*yes zero*no"),
    (lambda: tile(if_sel=1).matrix(60, clear=1),
     "output.dst_map_x_bits none*16 both*16",
     "output.parts dst_16*one dst_16*two",
     "matrix.stale_bank_x_ends_by 0*clear 0*release"),
    (lambda: tile(if_sel=1).issue(40, nop(0, ZEROSRC | 16)),
     "matrix.stale_bank_x_ends_by 0*zerosrc 0*clear",
     "nop.zerosrc_unpacker_x_wait_x_went u0*yes*at_once u0*yes*waited"),
    (nops(ZEROSRC | 4 | 8),
     "nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner "
     "u0*minus_infinity*yes*no*same_bank*unpackers u0*zero*yes*no*same_bank*unpackers"),
    (nops(SETDVALID, ZEROSRC | 16, unit=1),
     "nop.unpacker_x_thread_x_mode u1*t0*setdvalid u1*t0*nop",
     "nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner "
     "u1*zero*no*yes*other_bank*unpackers u1*zero*no*yes*same_bank*unpackers"),
    (lambda: nops(SETDVALID, ZEROSRC)().matrix(90, 1, 0, 0, 0),
     "nop.zerosrc_unpacker_x_wait_x_went u0*no*waited u0*no*at_once"),
    (nops(SETREG | 5 << 4), "nop.setreg_unpacker_x_base_x_accumulate u0*0*plain u0*0*adds"),
    (nops(SETREG | 8 | 5 << 4 | 1 << 22),
     "nop.setreg_unpacker_x_base_x_accumulate u0*1*adds u0*1*overflows"),
    (nops(*[SETREG | 8 | 0x7FF << 4] * 65),
     "nop.setreg_unpacker_x_base_x_accumulate u0*0*overflows u0*0*clears"),
    (nops(OVERLAY), "nop.overlay_unpacker_x_form_x_count u0*explicit*0 u0*explicit*other"),
    (lambda: tile(word={"flip_src": 1}).issue(2, nop(0, SETDVALID)),
     "nop.behind_unpacr_flip_x_mode yes*setdvalid no*setdvalid"),
    (counter(("SETADCXY", {"target": 3, "mask": 1})), "counter.op_x_target setadcxy*3 setadcxy*1"),
    (counter(("INCADCZW", {"thread_override": 2, "z0_inc": 1})),
     "counter.op_x_override_x_thread incadczw*2*t0 incadczw*0*t0"),
    (lambda: tile(thread=1, word=MULTI | {"addr_mode": 1 << 2}).add("t0.counter", 0, isa.encode(
        "SETADCXY", target=1, mask=2, y0_val=1)),
     "counter.first_x_second_x_by setadcxy*unpacr*foreign setadcxy*unpacr*owner"),
    (counter(SET_Y0, INC_Y0, first=unpacr(0, addr_mode=1 << 2)),
     "counter.first_x_second_x_by unpacr*setadcxy*owner unpacr*setadcxy*foreign",
     "counter.unpacr_set_inc_in_a_row u0*y0 u0*z0"),
    (counter(("SETADC", {"xyzw": 1, "value": 8191}), INC_Y0),
     "counter.wraps_by_x_counter incadc*y0 unpacr*y0"),
    (counter(SET_Y0, INC_Y0, ("ADDRCRXY", {"mask": 2})),
     "counter.unpacker_x_counter_x_value u0*y0*other u0*y0*1",
     "counter.addrcr_unpacker_x_counter_x_relation u0*y0*cr_is_not_live u0*y0*cr_is_live"),
    (lambda: two().issue(0, unpacr(0, addr_mode=1 << 2)).add("t1.counter", 1, isa.encode(
        "SETADCXY", target=1, thread_override=1, mask=2, y0_val=1)),
     "fault.counter_conflict t0.unpacker0 t0.unpacker1",
     "counter.unpacr_meets_x_unpacker setadcxy*u0 incadcxy*u0"),
    (lambda: tile().add("flop", 1, 0, 150, 0, (0,) * 4), "flop.bank_x_beside_cfg 0*no 0*yes"),
    (lambda: tile().add("t1.setc16", 1, 60, 1).add("store", 1, 1, 60, 2),
     "store.thread_x_beside_setc16 1*same_word 1*other_word"),
    (lambda: tile().add("t1.setc16", 1, 60, 1).add("store", 1, 2, 60, 2),
     "store.thread_x_beside_setc16 2*none 2*same_word"),
    (nops(0x1ED, profile="blackhole"),
     "nop.selector_3_value_x_dvalid_x_unpacker register*yes*u0 register*no*u0"),
    (nops(0x029, profile="blackhole"), "nop.zerosrc_one_format_x_unpacker 0*u0 1*u0"),
    (lambda: tile(count=40, profile="blackhole"),
     "output.burst_by_x_size default*2_bytes.row32 0*2_bytes.row32"),
]  # fmt: skip
