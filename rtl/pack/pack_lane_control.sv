// SPDX-License-Identifier: Apache-2.0
//
// What the stages of a lane do in this mode: early conversion (P20 to P23, P54, P56, P57), edge
// mask (P25), ReLU (P24), threshold and downsampling (P27), late conversion (P28). Combinations
// that are undefined are decided as P61 says.
//
// Latency: one cycle; modes change with all rows drained, many cycles before the next row.
// Handshake: none. Reset: none.
`default_nettype none

module pack_lane_control
  import format_pkg::*, pack_pkg::*, pack_lane_pkg::*;
#(
  parameter int R10Fp16 = 1,
  parameter int E4m3    = 1
) (
  input wire logic         clk_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input wire mode_t        mode_i,    // rows and masks are chosen elsewhere
  input wire packer_mode_t packer_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output control_t         control_o
);

  wire logic [3:0] intermediate = mode_i.intermediate;
  wire logic [3:0] from = packer_i.from;
  wire logic [3:0] to = packer_i.to;
  wire logic wide = mode_i.read_32b;
  wire logic rounds = !mode_i.read_raw;

  // ---- intermediate format
  wire logic is_fp16 = intermediate == Fp16;
  wire logic is_e5m7 = intermediate == Bfp8a;
  wire logic is_fp8 = intermediate == Fp8;
  wire logic is_bf16 = intermediate == Bf16;
  wire logic is_e8m6 = intermediate == Bfp8;
  wire logic is_fp32 = intermediate == Fp32;
  wire logic is_tf32 = intermediate == Tf32;
  wire logic is_int32 = intermediate == Int32;
  wire logic is_int8 = intermediate == Int8;
  wire logic is_int16 = intermediate == Int16;
  // formats of L1 alone, and none: raw, with an exponent of 5 or 8 bits
  wire logic is_blank_e5 = intermediate == Bfp4a || intermediate == Bfp2a;
  wire logic is_blank_e8 = is_blank(intermediate) && !is_blank_e5;

  // ---- early conversion: Round_10b_mant gives TF32, some of it narrowed to FP16
  wire logic to_19_bits = mode_i.round_10b && rounds;
  wire logic narrow_fp16 = R10Fp16 != 0 && to_19_bits && is_fp16;
  wire logic narrow_late = R10Fp16 != 0 && to_19_bits && from == Fp16
                           && (is_fp32 || is_tf32 || is_bf16);  // P57
  wire logic narrow_relu = narrow_fp16 && wide || narrow_late;  // behind ReLU
  wire logic narrow_early = narrow_fp16 && !wide;
  wire logic as_tf32 = rounds && is_tf32 || to_19_bits && is_fp32 || narrow_relu
                       || to_19_bits && is_bf16 && from == Tf32 && to == Fp16;
  wire logic as_bf16 = rounds && is_bf16 && !as_tf32;
  wire logic as_e8m6 = rounds && is_e8m6;
  wire logic as_e5m6 = rounds && is_e5m7;
  wire logic as_e8 = as_tf32 || as_bf16 || as_e8m6;

  // ---- what the values are then
  wire logic in_fp32 = is_fp32 || as_tf32 || is_tf32;
  wire logic in_bf16 = (is_bf16 || is_e8m6) && !as_tf32;
  wire logic in_e5 = is_e5m7 || is_fp8 || is_fp16 && !narrow_relu;
  wire logic as_fp16 = is_fp16 && rounds && !narrow_fp16;
  wire logic is_uint8 = is_int8 && mode_i.read_unsigned;
  wire logic low_bits = is_int8 && (!rounds || !wide);  // INT8 from low bits
  wire logic uint8_range = is_uint8 && wide;

  // the magnitude's bits beyond the eight (UINT8) or seven that are left after the shift
  function automatic logic [30:7] saturating(input logic [4:0] shift, input logic unsigned8);
    saturating = (24'hffffff << shift) << unsigned8;
  endfunction

  fetch_t fetch;
  line_t line;
  round_t round;
  int8_t int8;
  flush_t flush;
  relu_t relu;
  exponent_t exponent;
  threshold_t threshold;
  late_class_t dst_class, line_class;
  control_t control;
  wire logic [4:0] shift = low_bits || !mode_i.descale_en ? 5'd0 : mode_i.descale_shift;
  wire logic is_integer = is_int32 || is_int16 || is_int8;

  // ---- controls of fetch and early conversion
  assign fetch.e5 = in_e5 && !narrow_early;
  assign fetch.raw = is_int16 || is_blank_e5 || is_blank_e8;
  assign fetch.low = wide && (is_fp32 || is_tf32 || is_int32 || is_int8 || as_e8);
  assign fetch.ignore_valid = mode_i.ignore_valid;
  assign line.bits32 = from[1:0] == 2'd0;
  assign line.bits16 = from[1:0] == 2'd1;
  assign line.bfp_a = is_bfp(from) && !from[2];
  assign line.bfp_b = is_bfp(from) && from[2];

  assign round.on = as_e8 || as_e5m6;
  assign round.below = as_e5m6 ? 7'h7f : as_e8m6 ? 7'h0f : as_bf16 ? 7'h07 : 7'h00;
  assign round.e8 = as_e8;
  assign round.flush = as_e8m6 && !wide;  // BF16 is flushed before it is rounded, FP32 after
  assign round.e5 = as_e5m6;
  assign round.drop = is_int8 || is_fp8 ? 24'hffffff : as_e5m6 ? 24'h0fffff
                      : is_e5m7 ? 24'h07ffff : as_e8m6 ? 24'h01ffff : as_bf16 ? 24'h00ffff
                      : as_tf32 ? 24'h001fff : 24'd0;
  assign round.int8 = is_int8;
  assign int8.uns = uint8_range;
  assign int8.raw = low_bits;
  assign int8.shift = shift;
  assign int8.over = low_bits ? 24'd0 : saturating(shift, uint8_range);

  assign flush.flush8 = as_e8;
  assign flush.flush5 = as_fp16 || as_e5m6;
  assign flush.narrow = narrow_early;

  // ---- edge mask (minus infinity; of an integer sign and all ones), ReLU (integers know no
  // threshold): both of the intermediate format
  assign control.masked = !mode_i.edge_words[16] ? 32'd0     // word 24, PCK_EDGE_MODE
                          : in_fp32 || in_bf16 || is_blank_e8 ? 32'hff800000
                          : is_int32 ? 32'hffffffff
                          : is_int8 || is_fp8 ? 32'hff000000
                          : as_e5m6 ? 32'hfff00000
                          : is_e5m7 ? 32'hfff80000 : 32'hffff0000;
  assign relu.sign = mode_i.relu_mode != 2'd0 && !is_uint8;
  assign relu.minimum = mode_i.relu_mode == 2'd2 && !is_integer;
  assign relu.maximum = mode_i.relu_mode == 2'd3 && !is_integer;
  assign relu.threshold = mode_i.relu_threshold;

  // ---- histogram, threshold (by In_data_format), downsampling
  assign control.narrow = narrow_relu;
  assign exponent.e5 = in_e5 || narrow_relu || is_blank_e5;
  assign exponent.int16 = is_int16;
  assign exponent.int8 = is_int8;
  assign threshold.on8 = packer_i.threshold_en
    && (from == Fp32 || from == Tf32 || from == Bf16 || from == Bfp8 || from == Bfp4);
  assign threshold.on5 = packer_i.threshold_en
    && (from == Fp16 || from == Fp8 || from == Bfp8a || from == Bfp4a);
  assign threshold.threshold = packer_i.threshold;
  assign control.downsample = packer_i.downsample == 16'd0 ? 16'hffff : packer_i.downsample;

  // ---- late conversion. FP32 and INT32 that were copied are what In_data_format says (P23).
  wire logic copied = wide && (is_int32 || is_fp32 && !as_tf32);
  wire logic as_integer = copied ? from == Int32 || is_int32 && from != Fp32 : is_int32;
  wire logic e4m3 = E4m3 != 0 && mode_i.e4m3;

  assign dst_class.fp32 = (in_fp32 || is_int32) && !as_integer && !narrow_relu;
  assign dst_class.bf16 = in_bf16;
  assign dst_class.fp16 = is_fp16 || narrow_relu;
  assign dst_class.e5m7 = is_e5m7;
  assign dst_class.fp8 = is_fp8;
  assign dst_class.int32 = as_integer;
  assign dst_class.int8 = is_int8;

  assign line_class.fp32 = from == Fp32 || from == Tf32;
  assign line_class.bf16 = from == Bf16 || line.bfp_b;
  assign line_class.fp16 = from == Fp16;
  assign line_class.e5m7 = line.bfp_a;
  assign line_class.fp8 = from == Fp8;
  assign line_class.int32 = from == Int32 || from == Blank12;
  assign line_class.int8 = from == Int8;

  assign control.fetch = fetch;
  assign control.line = line;
  assign control.round = round;
  assign control.int8 = int8;
  assign control.flush = flush;
  assign control.relu = relu;
  assign control.exponent = exponent;
  assign control.threshold = threshold;
  assign control.late = late_of(dst_class, to, e4m3);
  assign control.late_line = late_of(line_class, to, e4m3);

  always_ff @(posedge clk_i) control_o <= control;

endmodule

`default_nettype wire
