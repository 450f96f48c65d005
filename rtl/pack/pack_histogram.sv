// SPDX-License-Identifier: Apache-2.0
//
// Exponent histogram of a packer (P27): 32 bins of 8 bits that saturate, and the greatest exponent.
//
// Latency: three cycles from valid_i to bins and maximum (counts of each lane, their sum, bins).
// Handshake: none. clear_i sets all to 0 at the end of its cycle; what would be counted then is
// lost. The maximum is kept whether count_en_i or not. Reset: 0.
`default_nettype none

module pack_histogram #(
  parameter int Lanes = 1
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic         count_en_i,
  input wire logic         clear_i,
  // a row of each lane
  input wire logic [Lanes-1:0]        valid_i,
  input wire logic [Lanes-1:0][15:0]  mask_i,
  input wire logic [Lanes-1:0][127:0] exponent_i,  // 8 bits a column
  output wire logic [7:0]  bins_o     [32],
  output logic [7:0]       maximum_o
);

  localparam int Bins = 32;
  localparam int RowWidth = 5;                     // up to 16 of a lane
  localparam int SumWidth = RowWidth + $clog2(Lanes);

  function automatic logic [RowWidth-1:0] ones(input logic [15:0] bits);
    ones = '0;
    for (int i = 0; i < 16; i++) ones = ones + {{RowWidth - 1{1'b0}}, bits[i]};
  endfunction

  // how many of the datums have the exponent, modulo 32
  function automatic logic [Bins*RowWidth-1:0] counted(input logic [15:0] mask,
                                                       input logic [127:0] exponents);
    logic [31:0] place;
    logic [16*Bins-1:0] hits;

    for (int i = 0; i < 16; i++) begin
      place = {31'd0, mask[i]} << exponents[8*i+:5];
      for (int bin = 0; bin < Bins; bin++) hits[16*bin+i] = place[bin];
    end
    for (int bin = 0; bin < Bins; bin++) counted[RowWidth*bin+:RowWidth] = ones(hits[16*bin+:16]);
  endfunction

  function automatic logic [7:0] greatest(input logic [15:0] mask, input logic [127:0] exponents);
    logic [15:0][7:0] best;

    for (int i = 0; i < 16; i++) best[i] = exponents[8*i+:8] & {8{mask[i]}};
    for (int level = 0; level < 4; level++)
      for (int i = 0; i < (8 >> level); i++)
        best[i] = best[2*i] > best[2*i+1] ? best[2*i] : best[2*i+1];
    greatest = best[0];
  endfunction

  // ---- of each lane
  logic [Lanes-1:0] valid_q;
  logic [Bins*RowWidth-1:0] counts_q [Lanes];
  logic [7:0] greatest_q [Lanes];

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q[lane] <= 1'b0;
      else valid_q[lane] <= valid_i[lane];
    end

    always_ff @(posedge clk_i)
      if (valid_i[lane]) begin
        counts_q[lane] <= counted(mask_i[lane], exponent_i[lane]);
        greatest_q[lane] <= greatest(mask_i[lane], exponent_i[lane]);
      end
  end

  // ---- of all lanes
  logic [Bins-1:0][SumWidth-1:0] sums, sums_q;
  logic [7:0] row_greatest, row_greatest_q;
  logic any_q;

  always_comb begin
    sums = '0;
    row_greatest = '0;
    for (int lane = 0; lane < Lanes; lane++)
      if (valid_q[lane]) begin
        for (int bin = 0; bin < Bins; bin++)
          sums[bin] = sums[bin] + SumWidth'(counts_q[lane][RowWidth*bin+:RowWidth]);
        if (greatest_q[lane] > row_greatest) row_greatest = greatest_q[lane];
      end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) any_q <= 1'b0;
    else any_q <= valid_q != '0;
  end

  always_ff @(posedge clk_i)
    if (valid_q != '0) begin
      sums_q <= sums;
      row_greatest_q <= row_greatest;
    end

  // ---- bins
  logic [Bins-1:0][7:0] bins_q;

  function automatic logic [7:0] saturated(input logic [7:0] bin, input logic [SumWidth-1:0] more);
    logic [8:0] sum;

    sum = {1'b0, bin} + 9'(more);
    saturated = sum[7:0] | {8{sum[8]}};
  endfunction

  for (genvar bin = 0; bin < Bins; bin++) begin : gen_bin
    assign bins_o[bin] = bins_q[bin];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bins_q <= '0;
      maximum_o <= '0;
    end else if (clear_i) begin
      bins_q <= '0;
      maximum_o <= '0;
    end else if (any_q) begin
      if (count_en_i)
        for (int bin = 0; bin < Bins; bin++) bins_q[bin] <= saturated(bins_q[bin], sums_q[bin]);
      if (row_greatest_q > maximum_o) maximum_o <= row_greatest_q;
    end
  end

endmodule

`default_nettype wire
