// SPDX-License-Identifier: Apache-2.0
//
// Values go to their columns: of an expanding step first from lanes to slots, then all by the
// column of slot 0.
//
// Latency: in w + 4, out in w + 5. Handshake: none. Reset: nothing valid. Positions that are not in
// the mask have any value; the second part of a step has the values of the first.
`default_nettype none

module unpack_write_place
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,
  input  wire logic                second_i,
  input  wire lanes_t              lanes_i,
  input  wire logic [Slots-1:0][SrcBits-1:0] low_i,
  input  wire logic [HighLanes-1:0][HighBits-1:0] high_i,
  input  wire logic [159:0]        moves_i,
  input  wire logic                bad_exponent_i,
  output wire logic                valid_o,
  output wire logic                second_o,
  output wire lanes_t              lanes_o,
  output wire logic [Positions-1:0][SrcBits-1:0] low_o,
  output wire logic [WindowPositions-1:0][HighBits-1:0] high_o,
  output wire logic                bad_exponent_o
);

  localparam int Bits = SrcBits + HighBits;

  // Lanes to slots, low parts and high parts; 0 where there is no datum.
  function automatic logic [31:0][Bits-1:0] expanded(input logic [31:0][Bits-1:0] lanes,
                                                     input logic [159:0] moves,
                                                     input logic [31:0] value);
    logic [31:0][Bits-1:0] x;

    x = lanes;
    for (int k = 4; k >= 0; k--)
      for (int p = Window - 1; p >= (1 << k); p--) if (moves[32*k+p]) x[p] = x[p-(1<<k)];
    for (int p = 0; p < Window; p++) expanded[p] = value[p] ? x[p] : '0;
  endfunction

  function automatic logic [31:0][Bits-1:0] window_of(
      input logic [31:0][SrcBits-1:0] low, input logic [HighLanes-1:0][HighBits-1:0] high);
    for (int i = 0; i < Window; i++)
      window_of[i] = {i < HighLanes ? high[i%HighLanes] : 13'd0, low[i]};
  endfunction

  function automatic logic [31:0][SrcBits-1:0] low_of(input logic [31:0][Bits-1:0] x);
    for (int i = 0; i < Window; i++) low_of[i] = SrcBits'(x[i]);
  endfunction

  function automatic logic [31:0][HighBits-1:0] high_of(input logic [31:0][Bits-1:0] x);
    for (int i = 0; i < Window; i++) high_of[i] = HighBits'(x[i] >> SrcBits);
  endfunction

  // From slots to positions.
  function automatic logic [Positions-1:0][SrcBits-1:0] low_placed(
      input logic [Slots-1:0][SrcBits-1:0] slots, input logic [3:0] column);
    logic [Positions*SrcBits-1:0] x;

    x = {{(16*SrcBits){1'b0}}, slots};
    if (column[0]) x = x << SrcBits;
    if (column[1]) x = x << (2 * SrcBits);
    if (column[2]) x = x << (4 * SrcBits);
    if (column[3]) x = x << (8 * SrcBits);
    low_placed = x;
  endfunction

  function automatic logic [WindowPositions-1:0][HighBits-1:0] high_window(
      input logic [31:0][HighBits-1:0] slots, input logic [3:0] column);
    logic [WindowPositions*HighBits-1:0] x;

    x = {{(16*HighBits){1'b0}}, slots};
    if (column[0]) x = x << HighBits;
    if (column[1]) x = x << (2 * HighBits);
    if (column[2]) x = x << (4 * HighBits);
    if (column[3]) x = x << (8 * HighBits);
    high_window = x;
  endfunction

  logic valid_q, second_q, bad_exponent_q;
  lanes_t lanes_q;
  logic [Positions-1:0][SrcBits-1:0] low_q;
  logic [WindowPositions-1:0][HighBits-1:0] high_q;
  wire logic load = valid_i && !second_i;
  wire logic has_high = lanes_i.how.to_dst && lanes_i.how.wide;

  assign valid_o = valid_q;
  assign second_o = second_q;
  assign lanes_o = lanes_q;
  assign low_o = low_q;
  assign high_o = high_q;
  assign bad_exponent_o = bad_exponent_q;

  // slots 0 to 31
  wire logic [31:0][SrcBits-1:0] low_slots = low_i[31:0];
  logic [31:0][Bits-1:0] window;

  always_comb begin
    window = '0;
    if (load) begin
      window = window_of(low_slots, high_i);
      if (lanes_i.expands) window = expanded(window, moves_i, lanes_i.value);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      lanes_q <= lanes_i;
      low_q <= low_placed({low_i[Slots-1:32], low_of(window)}, lanes_i.address[3:0]);
      if (has_high) high_q <= high_window(high_of(window), lanes_i.address[3:0]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      second_q <= 1'b0;
      bad_exponent_q <= 1'b0;
    end else begin
      valid_q <= valid_i;
      second_q <= second_i;
      bad_exponent_q <= bad_exponent_i;
    end
  end

endmodule

`default_nettype wire
