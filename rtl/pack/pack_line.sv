// SPDX-License-Identifier: Apache-2.0
//
// The lines that a pop completes, and what stays behind of the open ones: data lines of the
// formats whose groups share a line, exponents, row start indices (section 7 and 8, P39, P44).
//
// Latency: what comes in c is out in c+1. Handshake: none. Reset: nothing goes out; the open lines
// need none, the counts that come with a pop say what is in them.
`default_nettype none

module pack_line
  import format_pkg::*;
  import pack_back_pkg::*;
#(
  parameter int Groups = 1,
  parameter int Width  = 128  // of the data lines
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic [3:0]           to_i,
  input  wire logic                 bfp_i,        // groups, not lines
  input  wire outcome_t             outcome_i,
  input  wire logic [Width-1:0]     lines_i,
  input  wire logic [8*Groups-1:0]  exponents_i,
  output wire logic                 data_valid_o,
  output wire span_t                span_o,
  output wire logic [Width-1:0]     data_o,
  output wire logic                 exponent_valid_o,
  output wire side_t                exponent_o,
  output wire logic                 rsi_valid_o,
  output wire side_t                rsi_o
);

  localparam int SharedWidth = 64 * (Groups + 1);  // open line and a pop of BFP4
  localparam int OpenWidth = 96;

  wire logic bfp4 = bfp_i && is_bfp4(to_i);
  wire logic bfp2 = bfp_i && is_bfp2(to_i);
  wire logic shared = bfp4 || bfp2;
  wire logic [3:0] groups = bfp_i ? outcome_i.units : 4'd0;

  // ---- data: a datum {sign, magnitude}, the sign of 0 is 0
  function automatic logic [7:0] datum_of(input logic [7:0] datum, input logic [6:0] kept);
    datum_of = {datum[7] && (datum[6:0] & kept) != '0, datum[6:0] & kept};
  endfunction

  // a group in the first bits: 128, 64 or 32 of them
  function automatic logic [127:0] group_of(input logic [127:0] datums, input logic to4,
                                            input logic to2);
    logic [7:0] datum;

    group_of = '0;
    for (int k = 0; k < 16; k++) begin
      datum = datum_of(datums[8*k+:8], to2 ? 7'h40 : to4 ? 7'h70 : 7'h7F);
      if (to2) group_of[2*k+:2] = datum[7:6];
      else if (to4) group_of[4*k+:4] = datum[7:4];
      else group_of[8*k+:8] = datum;
    end
  endfunction

  function automatic logic [Width-1:0] groups_of(input logic [Width-1:0] lines,
                                                 input logic to4, input logic to2);
    groups_of = '0;
    for (int g = 0; g < Groups; g++) groups_of[128*g+:128] = group_of(lines[128*g+:128], to4, to2);
  endfunction

  // the open line's groups and those of the pop behind them
  function automatic logic [SharedWidth-1:0] joined(
      input logic [OpenWidth-1:0] open, input logic [1:0] part, input logic [Width-1:0] group,
      input logic [3:0] count, input logic narrow);
    logic [SharedWidth-1:0] behind;

    behind = '0;
    for (int g = 0; g < Groups; g++)
      if (4'(g) < count) begin
        if (narrow) behind[32*g+:32] = group[128*g+:32];
        else behind[64*g+:64] = group[128*g+:64];
      end
    case ({narrow, part})
      3'b101:         joined = (behind << 32) | SharedWidth'(open[31:0]);
      3'b001, 3'b110: joined = (behind << 64) | SharedWidth'(open[63:0]);
      3'b111:         joined = (behind << 96) | SharedWidth'(open[95:0]);
      default:        joined = behind;
    endcase
  endfunction

  // what is behind the lines that go out
  function automatic logic [OpenWidth-1:0] left(input logic [SharedWidth-1:0] lines,
                                                input logic one, input logic two);
    left = OpenWidth'(two ? lines >> 256 : one ? lines >> 128 : lines);
  endfunction

  function automatic logic [SharedWidth-1:0] shared_of(
      input logic enable, input logic [OpenWidth-1:0] open, input logic [1:0] part,
      input logic [Width-1:0] group, input logic [3:0] count, input logic narrow);
    shared_of = enable ? joined(open, part, group, count, narrow) : '0;
  endfunction

  logic [OpenWidth-1:0] open_q;
  wire logic any = outcome_i.units != '0 || outcome_i.data_valid;
  wire logic [Width-1:0] data = any && bfp_i ? groups_of(lines_i, bfp4, bfp2) : lines_i;
  wire logic [SharedWidth-1:0] sharing
    = shared_of(any && shared, open_q, outcome_i.part, data, groups, bfp2);

  // ---- exponents and row start indices
  // The open lines; one that goes out stays in its register for a cycle. Index 0 makes it 0 behind.
  logic [15:0][7:0] exponents_q;
  logic [7:0][15:0] starts_q;
  wire logic [127:0] exponent_data;
  wire logic exponents_in = groups != '0 || outcome_i.exponent_valid;

  function automatic logic [159:0] exponents_of(
      input logic [127:0] open, input logic [3:0] index, input logic [8*Groups-1:0] exponents,
      input logic [3:0] count);
    logic [159:0] behind;

    behind = '0;
    for (int g = 0; g < Groups; g++)  // of a pop
      if (4'(g) < count) behind[8*g+:8] = exponents[8*g+:8];
    exponents_of = (behind << {index, 3'd0}) | (index == '0 ? '0 : {32'd0, open});
  endfunction

  if (Groups == 1) begin : gen_exponent  // one at a time: none is behind a line that goes out
    assign exponent_data = exponents_q;

    always_ff @(posedge clk_i)
      if (exponents_in)
        for (int k = 0; k < 16; k++)
          if (groups != '0 && outcome_i.exponent_index == 4'(k)) exponents_q[k] <= exponents_i[7:0];
          else if (outcome_i.exponent_index == '0) exponents_q[k] <= '0;
  end else begin : gen_exponents
    logic [127:0] data_q;
    wire logic [159:0] exponents
      = exponents_of(exponents_q, outcome_i.exponent_index, exponents_i, groups);

    assign exponent_data = data_q;

    always_ff @(posedge clk_i) begin
      if (exponents_in)
        exponents_q <= outcome_i.exponent_valid ? {96'd0, exponents[159:128]} : exponents[127:0];
      if (outcome_i.exponent_valid) data_q <= exponents[127:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (any && shared) open_q <= left(sharing, outcome_i.data_valid, outcome_i.data_lines[1]);
    if (outcome_i.start_valid)
      for (int k = 0; k < 8; k++)
        if (outcome_i.start_index == 3'(k)) starts_q[k] <= outcome_i.start_value;
        else if (outcome_i.start_index == '0) starts_q[k] <= '0;
  end

  // ---- out
  logic data_valid_q, exponent_valid_q, rsi_valid_q;
  span_t span_q;
  logic [16:0] exponent_line_q, rsi_line_q;
  logic exponent_over_q, rsi_over_q, rsi_rows_q;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_valid_q <= 1'b0;
      exponent_valid_q <= 1'b0;
      rsi_valid_q <= 1'b0;
    end else begin
      data_valid_q <= outcome_i.data_valid;
      exponent_valid_q <= outcome_i.exponent_valid;
      rsi_valid_q <= outcome_i.rsi_valid;
    end
  end

  always_ff @(posedge clk_i) begin
    if (outcome_i.data_valid) begin
      span_q.line <= outcome_i.data_line;
      span_q.count <= outcome_i.data_lines;
      data_q <= shared ? Width'(sharing) : data;
    end
    if (outcome_i.exponent_valid) begin
      exponent_line_q <= outcome_i.exponent_line;
      exponent_over_q <= outcome_i.exponent_over;
    end
    if (outcome_i.rsi_valid) begin
      rsi_line_q <= outcome_i.rsi_line;
      rsi_over_q <= outcome_i.rsi_over;
      rsi_rows_q <= outcome_i.rsi_rows;
    end
  end

  assign data_valid_o = data_valid_q;
  assign span_o = span_q;
  assign data_o = data_q;
  assign exponent_valid_o = exponent_valid_q;
  assign exponent_o.rsi = 1'b0;
  assign exponent_o.line = exponent_line_q;
  assign exponent_o.over = exponent_over_q;
  assign exponent_o.rows = 1'b0;
  assign exponent_o.data = exponent_data;
  assign rsi_valid_o = rsi_valid_q;
  assign rsi_o.rsi = 1'b1;
  assign rsi_o.line = rsi_line_q;
  assign rsi_o.over = rsi_over_q;
  assign rsi_o.rows = rsi_rows_q;
  assign rsi_o.data = starts_q;

endmodule

`default_nettype wire
