// SPDX-License-Identifier: Apache-2.0
//
// A lane of a packer: a row of Dst, a line of L1 or zeros on the way to the gather (docs/pack.md
// section 6). 16 datums a cycle; the stages are in the order of the data, one cycle each:
//
//   0 fetch  1 round  2 flush  3 mask  4 ReLU  5 narrow  6 threshold, downsample, late
//
// Latency: 7 cycles from valid_i to row_done_o and row_o, 10 to row_valid_o: the row can be seen
// then, and waits for that in its queue, without registers. Handshake: none, the pipeline is rigid.
// mode_i and packer_i change with no row in it, and two cycles before the next. pass_i belongs to
// the row of three cycles before. count_* is the row of six cycles before, for the histogram.
// Reset: empty.
`default_nettype none

module pack_lane
  import pack_pkg::*, pack_lane_pkg::*;
#(
  parameter int R10Fp16      = 1,
  parameter int E4m3         = 1,
  parameter int ReluMaxCmp19 = 0
) (
  input wire logic          clk_i,
  input wire logic          rst_ni,
  input wire mode_t         mode_i,
  input wire packer_mode_t  packer_i,
  // cycle 0
  input wire logic          valid_i,
  input wire lane_t         lane_i,
  input wire logic [255:0]  dst_high_i,
  input wire logic [255:0]  dst_low_i,
  input wire logic          dst_row_valid_i,
  input wire logic [127:0]  source_data_i,
  // cycle 3
  input wire logic [15:0]   pass_i,          // columns that are not masked
  // cycle 6, to the histogram
  output wire logic         count_valid_o,
  output wire logic [15:0]  count_mask_o,
  output wire logic [127:0] exponent_o,      // 8 bits a column
  // cycle 7
  output wire logic         row_done_o,
  output wire row_t         row_o,
  // cycle 10
  output wire logic         row_valid_o
);

  localparam int Last = 9;

  wire control_t controls;

  pack_lane_control #(.R10Fp16(R10Fp16), .E4m3(E4m3)) u_control (
    .clk_i, .mode_i, .packer_i, .control_o(controls)
  );

  // ---- rows under way: bit k is cycle k
  logic [Last+1:1] valid_q;
  logic [6:1] dst_q;
  logic [6:1] line_q;
  lane_t lane1_q, lane2_q, lane3_q, lane4_q;
  wire logic [Last+1:0] valid = {valid_q, valid_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid[Last:0];
  end

  always_ff @(posedge clk_i) begin
    dst_q <= {dst_q[5:1], lane_i.source == SourceDst};
    line_q <= {line_q[5:1], lane_i.source == SourceL1};
    lane1_q <= lane_i;
    lane2_q <= lane1_q;
    lane3_q <= lane2_q;
    lane4_q <= lane3_q;
  end

  // ---- controls of the row in each stage: nothing is done to what is not from Dst (P15)
  wire round_t round = controls.round & {$bits(round_t){dst_q[1]}};
  wire int8_t int8_control = controls.int8 & {$bits(int8_t){dst_q[1]}};
  wire flush_t flush = controls.flush & {$bits(flush_t){dst_q[2]}};
  wire logic [15:0] pass = pass_i | {16{!dst_q[3]}};
  wire relu_t relu = controls.relu & {$bits(relu_t){dst_q[4]}};
  wire logic narrows = controls.narrow && dst_q[5];
  wire threshold_t threshold = controls.threshold & {$bits(threshold_t){dst_q[6]}};
  wire late_t late = line_q[6] ? controls.late_line : controls.late;

  // ---- the datums
  wire values_t values1, values2, values3, values4, values5, values6, values7;
  wire columns_t columns;
  wire logic [4:0] count;
  wire logic [15:0] below6, below7;
  logic [15:0] present6_q;

  pack_fetch u_fetch (
    .clk_i, .valid_i(valid[0]), .control_i(controls.fetch), .line_i(controls.line),
    .source_i(lane_i.source), .high_i(dst_high_i), .low_i(dst_low_i),
    .row_valid_i(dst_row_valid_i), .data_i(source_data_i), .values_o(values1)
  );

  pack_early_round u_round (
    .clk_i, .valid_i(valid[1]), .control_i(round), .int8_i(int8_control), .values_i(values1),
    .values_o(values2)
  );

  pack_early_flush u_flush (
    .clk_i, .valid_i(valid[2]), .control_i(flush), .values_i(values2), .values_o(values3)
  );

  pack_mask u_mask (
    .clk_i, .valid_i(valid[3]), .masked_i(controls.masked), .pass_i(pass), .values_i(values3),
    .values_o(values4)
  );

  pack_relu #(.ReluMaxCmp19(ReluMaxCmp19)) u_relu (
    .clk_i, .valid_i(valid[4]), .control_i(relu), .values_i(values4), .values_o(values5)
  );

  pack_narrow u_narrow (
    .clk_i, .valid_i(valid[5]), .narrow_i(narrows), .values_i(values5), .values_o(values6)
  );

  pack_columns u_columns (
    .clk_i, .valid_i(valid[4]), .lane_i(lane4_q), .downsample_i(controls.downsample),
    .columns_o(columns)
  );

  always_ff @(posedge clk_i) if (valid[5]) present6_q <= columns.present;

  pack_threshold u_threshold (
    .control_i(threshold), .exponent_i(controls.exponent), .values_i(values6), .exponent_o,
    .below_o(below6)
  );

  pack_downsample u_downsample (
    .clk_i, .valid_i(valid[5]), .kept_i(columns.kept), .values_i(values6), .below_i(below6),
    .values_o(values7), .below_o(below7), .count_o(count)
  );

  pack_late u_late (
    .clk_i, .valid_i(valid[6]), .control_i(late), .values_i(values7), .below_i(below7),
    .count_i(count), .row_o
  );

  assign count_valid_o = valid[6] && dst_q[6];
  assign count_mask_o = present6_q;
  assign row_done_o = valid[7];
  assign row_valid_o = valid[Last+1];

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (valid_i && lane_i.source == 2'd3) $fatal(1, "pack_lane: no such source");
    if (valid_i && lane_i.source != SourceNull && {2'd0, lane_i.column} + {1'd0, lane_i.count}
                                                  > 6'd16)
      $fatal(1, "pack_lane: %0d datums from column %0d", lane_i.count, lane_i.column);
  end
`endif

endmodule

`default_nettype wire
