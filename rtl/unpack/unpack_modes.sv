// SPDX-License-Identifier: Apache-2.0
//
// Stage 1 of a Regular UNPACR: what follows from the sample without arithmetic on addresses
// (sections 5.1 and 8 of docs/unpack.md), for the queue and for the stages of the arithmetic.
//
// Latency: combinational. Handshake: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of structs, some fields

module unpack_modes
  import tilepath_isa_pkg::*;
  import format_pkg::*;
  import unpack_pkg::*;
  import unpack_config_pkg::config_t;
  import unpack_front_pkg::*;
#(
  parameter int RowW                 = 32,
  parameter int UpsampleZeros        = 32'h7310,  // four bits a rate, rate 0 lowest
  parameter int BurstDefaultThrottle = 0,
  parameter int SpareUnpacr          = 1,
  parameter int DstRemap             = 0
) (
  input  wire sampled_t sampled_i,
  input  wire logic     sel_dst_i,   // the UNPACR of unpacker 0 before this one was to Dst (U68)
  output wire window_t  window_o,
  output wire control_t control_o,
  output wire early_t   early_o
);

  // ---- the X window (5.2): entry k of BlobsYStart in datums; the one behind the last is 0 (U17)
  function automatic logic [7:0] start_of(input logic [31:0] starts, input logic [3:0] k);
    start_of = k[3] ? 8'd0 : {4'(starts >> {k[2:0], 2'b00}), 4'd0};
  endfunction

  function automatic window_t window_of(
      input logic row_search, input counters_t counters, input logic [2:0] blobs,
      input logic [31:0] starts, input logic [15:0] xdim);
    logic [3:0] n;

    n = {1'b0, counters.x0[2:0]} + 4'd1;
    window_of.xpos = counters.x0;
    window_of.ypos = counters.y0[7:0];
    window_of.xend = {1'b0, counters.x1} + 19'd1;
    window_of.bad_index = 1'b0;
    if (row_search && blobs == 3'd0) begin
      window_of.xpos = 18'd0;
      window_of.xend = {1'b0, counters.x1};  // no + 1 (U16)
    end else if (row_search) begin
      window_of.xpos = {10'd0, start_of(starts, {1'b0, counters.y0[2:0]})};
      window_of.ypos = 8'd0;
      window_of.xend = n == {1'b0, blobs} ? {10'd0, xdim[8:4], 4'd0} : {11'd0, start_of(starts, n)};
      window_of.bad_index = n[3];
    end
  endfunction

  // ---- lines a cycle (section 4, U63, U64)
  function automatic logic [2:0] want_of(input logic tilize, input logic compressed,
                                         input logic [3:0] zeros, input logic [3:0] in_format,
                                         input logic to_dst, input logic [1:0] throttle);
    logic [2:0] most;

    most = throttle == 2'd0 ? 3'd1 : throttle == 2'd1 ? 3'd2 : 3'd4;
    if (tilize) want_of = 3'd4;
    else if (compressed || zeros >= 4'd3 || is_bfp2(in_format)) want_of = 3'd1;
    else if (most[2] && (zeros != 4'd0 || (is_bfp4(in_format) && to_dst))) want_of = 3'd2;
    else want_of = most;
  endfunction

  // ---- rows of a burst into SrcA, log2 (U33)
  function automatic logic [1:0] burst_of(input logic tilize, input logic [2:0] want,
                                          input logic [2:0] size, input config_t c);
    logic [1:0] lines;
    logic [2:0] units;

    lines = want[2:1];
    if (BurstDefaultThrottle != 0) begin
      if (is_bfp2(c.in_format)) lines = 2'd0;
      else if (tilize) lines = 2'd2;
      else if (c.ovrd_throttle) lines = c.throttle;
      else lines = size == 3'd3 ? 2'd3 : 2'd2;
      if (lines == 2'd2 && size[2]) lines = 2'd3;  // datums of two bytes and more
    end
    units = {1'b0, lines} + 3'd3;  // of the bits of a datum
    units = units > size ? units - size : 3'd0;
    burst_of = units[2] ? 2'd3 : units[1:0];
  endfunction

  // ---- what the arithmetic is told
  function automatic control_t control_of(
      input sampled_t sampled, input config_t c, input logic bad_index, input logic bounded,
      input logic [3:0] zeros);
    logic multi, narrow;

    multi = sampled.word[UNPACR_MULTI_CONTEXT_LSB];
    control_of.unpacker = sampled.unpacker;
    control_of.to_src_a = !sampled.unpacker && !c.to_dst;
    control_of.compressed = !c.uncompressed && !is_bfp2(c.in_format);
    control_of.bounded = control_of.compressed && bounded;
    control_of.flip = sampled.word[UNPACR_FLIP_SRC_LSB];
    control_of.size = size_of(c.in_format);
    narrow = control_of.size < 3'd3;
    control_of.tilize
      = c.tilize && !control_of.compressed && c.upsample_rate == 2'd0 && !narrow;
    control_of.aligned = c.tilize || (control_of.to_src_a && c.haloize);
    control_of.y_high = sampled.counters.y0[12:8] != 5'd0;
    control_of.bad_index = bad_index;
    control_of.want = want_of(control_of.tilize, control_of.compressed, zeros, c.in_format,
                              c.to_dst, c.throttle);
    control_of.burst = burst_of(control_of.tilize, control_of.want, control_of.size, c);
    control_of.read_exponent = is_bfp(c.in_format) && !c.force_exponent;
    control_of.exponent_section
      = control_of.read_exponent && (control_of.size == 3'd3 || !c.no_exponents);
    control_of.replaced = multi && control_of.to_src_a && !c.add_dest;
    control_of.add_dest = multi && !sampled.unpacker;
    control_of.word_unit = is_wide(c.out_format);
    control_of.half_unit = c.out_format[1:0] == 2'd1 && !is_reserved(c.out_format);
    // SrcA's rows begin with the fifth of OutAddr (U30, U31)
    control_of.row_offset = 3'd4 + (c.set_ovrd ? 3'd0 : sampled.src_row[2:0]);
  endfunction

  // ---- what the queue is given
  function automatic convert_t convert_of(input sampled_t sampled, input config_t c,
                                          input logic read_exponent);
    convert_of.in_format = c.in_format;
    convert_of.out_format = c.out_format;
    convert_of.e4m3 = c.e4m3;
    convert_of.int8_unsigned = c.int8_unsigned;
    convert_of.all_zero = sampled.word[UNPACR_ALL_ZERO_LSB];
    convert_of.to_dst = c.to_dst;
    convert_of.wide_dst = is_wide(c.out_format);
    convert_of.read_exponent = read_exponent;
    convert_of.shared_exponent = c.shared_exponent;
  endfunction

  function automatic early_faults_t faults_of(input sampled_t sampled, input config_t c,
                                              input control_t control, input logic sel_dst);
    logic code, narrow, multi;

    code = is_reserved(c.in_format) || is_reserved(c.out_format);
    narrow = control.size < 3'd3;
    multi = sampled.word[UNPACR_MULTI_CONTEXT_LSB];
    faults_of = '0;
    faults_of.reserved_bit = sampled.word[UNPACR_SRCB_BCAST_LSB] || sampled.word[14];
    faults_of.context_adc
      = multi && &sampled.word[UNPACR_CONTEXT_ADC_MSB:UNPACR_CONTEXT_ADC_LSB];
    faults_of.context_range = sampled.unpacker && sampled.high_context;
    faults_of.format_code = code;
    faults_of.format_pair = !code && c.in_format != c.out_format && c.in_format != Fp32;
    faults_of.format_fp32 = c.in_format == Fp32
      && !(c.out_format == Fp32 || c.out_format == Tf32 || c.out_format == Bf16
           || c.out_format == Fp16 || c.out_format[3:1] == 3'd6);
    faults_of.format_src = !c.to_dst && !sampled.word[UNPACR_ALL_ZERO_LSB]
      && c.in_format == c.out_format && is_wide(c.in_format);
    faults_of.compressed_bfp2 = !c.uncompressed && is_bfp2(c.in_format);
    faults_of.bfp_alias = narrow && c.no_exponents && !c.force_exponent;
    faults_of.tilize_combo = c.tilize && !control.tilize;
    faults_of.dst_modes = c.to_dst && (c.haloize || (!control.tilize && c.shift != 4'd0));
    faults_of.dst_ovrd = c.to_dst && c.set_ovrd;
    faults_of.throttle = c.throttle == 2'd3;
    faults_of.transpose_srcb = sampled.unpacker && c.haloize;
    faults_of.not_last = !sampled.word[UNPACR_LAST_LSB];
    faults_of.spare_unpacr
      = SpareUnpacr != 0 && control.to_src_a && control.flip && sel_dst;
  endfunction

  function automatic early_t early_of(
      input sampled_t sampled, input config_t c, input control_t control, input convert_t convert,
      input early_faults_t faults, input logic [3:0] zeros);
    early_of = '0;
    early_of.kind = KindRegular;
    early_of.whose.thread = sampled.thread;
    early_of.whose.bank = sampled.bank;
    early_of.whose.flip = control.flip;
    early_of.compressed = control.compressed;
    early_of.bounded = control.bounded;
    early_of.tilize = control.tilize;
    early_of.wide_rows = RowW == 32 && control.size >= 3'd4;
    early_of.size = control.size;
    early_of.read_exponent = control.read_exponent;
    early_of.want = control.want;
    early_of.limit = c.limit;
    early_of.fifo = c.fifo;
    early_of.row_stride = c.row_stride;
    early_of.convert = convert;
    early_of.zeros = zeros;
    early_of.interleave = c.interleave;
    early_of.drop = control.bounded ? sampled.counters.x0 : 18'd0;
    early_of.set_ovrd = !sampled.unpacker && c.set_ovrd;
    early_of.transpose = control.to_src_a && c.haloize;
    early_of.col_shift = control.to_src_a && !control.tilize ? c.shift : 4'd0;
    if (sampled.unpacker || (control.to_src_a && !c.set_ovrd)) early_of.src_row = sampled.src_row;
    early_of.remap = DstRemap != 0 && c.remap;
    early_of.swizzle = DstRemap != 0 && c.swizzle;
    early_of.faults = faults;
  endfunction

  wire config_t cfg;
  wire counters_t counters;
  wire control_t control;
  wire convert_t convert;
  wire early_faults_t faults;
  wire window_t window;

  assign cfg = sampled_i.cfg;
  assign counters = sampled_i.counters;

  wire logic row_search = sampled_i.word[UNPACR_ROW_SEARCH_LSB];
  wire logic [3:0] zeros = 4'(UpsampleZeros >> {cfg.upsample_rate, 2'b00});
  // all of a row is read unless X and X1 name a part of it
  wire logic part = counters.x0 != 18'd0 || {1'b0, counters.x1} + 19'd1 != {3'd0, cfg.xdim};

  assign window = window_of(row_search, counters, cfg.blobs, cfg.blobs_start, cfg.xdim);
  assign control = control_of(sampled_i, cfg, window.bad_index, !row_search && part, zeros);
  assign convert = convert_of(sampled_i, cfg, control.read_exponent);
  assign faults = faults_of(sampled_i, cfg, control, sel_dst_i);
  assign window_o = window;
  assign control_o = control;
  assign early_o = early_of(sampled_i, cfg, control, convert, faults, zeros);

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
