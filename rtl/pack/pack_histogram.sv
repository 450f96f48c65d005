// SPDX-License-Identifier: Apache-2.0
//
// Exponent histogram of a packer (P27): 32 bins of 8 bits that saturate, and the greatest exponent.
//
// Latency: three cycles from valid_i to bins and maximum (counts of each lane, their sum, bins).
// Handshake: none. clear_i sets all to 0 at the end of its cycle; what would be counted then is
// lost. The maximum is kept whether count_en_i or not. Reset: 0.
`default_nettype none

module pack_histogram
  import pack_lane_pkg::less;
#(
  parameter int Lanes = 1
) (
  input wire logic                    clk_i,
  input wire logic                    rst_ni,
  input wire logic                    count_en_i,
  input wire logic                    clear_i,
  // a row of each lane
  input wire logic [Lanes-1:0]        valid_i,
  input wire logic [Lanes-1:0][15:0]  mask_i,
  input wire logic [Lanes-1:0][127:0] exponent_i,  // 8 bits a column
  output wire logic [7:0]             bins_o [32],
  output logic [7:0]                  maximum_o
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
    logic [7:0] low;
    logic [3:0] high;
    logic [16*Bins-1:0] hits;

    for (int i = 0; i < 16; i++) begin
      low = 8'd1 << exponents[8*i+:3];
      high = {3'd0, mask[i]} << exponents[8*i+3+:2];
      for (int bin = 0; bin < Bins; bin++) hits[16*bin+i] = low[bin%8] && high[bin/8];
    end
    for (int bin = 0; bin < Bins; bin++) counted[RowWidth*bin+:RowWidth] = ones(hits[16*bin+:16]);
  endfunction

  function automatic logic [7:0] greater(input logic [7:0] a, input logic [7:0] b);
    greater = less(a, b) ? b : a;
  endfunction

  // the greatest exponent of the lower and of the upper half of a row
  function automatic logic [15:0] greatest(input logic [15:0] mask, input logic [127:0] exponents);
    logic [127:0] best;

    for (int i = 0; i < 16; i++) best[8*i+:8] = exponents[8*i+:8] & {8{mask[i]}};
    for (int level = 0; level < 3; level++)
      for (int i = 0; i < (8 >> level); i++)
        best[8*i+:8] = greater(best[16*i+:8], best[16*i+8+:8]);
    greatest = best[15:0];
  endfunction

  // ---- of each lane; 0 without a row
  logic [Lanes-1:0][Bins*RowWidth-1:0] counts_q;
  logic [Lanes-1:0][15:0] halves_q;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    always_ff @(posedge clk_i)
      if (valid_i[lane]) begin
        counts_q[lane] <= counted(mask_i[lane], exponent_i[lane]);
        halves_q[lane] <= greatest(mask_i[lane], exponent_i[lane]);
      end else begin
        counts_q[lane] <= '0;
        halves_q[lane] <= '0;
      end
  end

  // ---- of all lanes
  function automatic logic [Bins*SumWidth-1:0] summed(
    input logic [Lanes*Bins*RowWidth-1:0] counts);
    logic [SumWidth-1:0] sum;

    for (int bin = 0; bin < Bins; bin++) begin
      sum = '0;
      for (int lane = 0; lane < Lanes; lane++)
        sum = sum + SumWidth'(counts[RowWidth*(Bins*lane+bin)+:RowWidth]);
      summed[SumWidth*bin+:SumWidth] = sum;
    end
  endfunction

  function automatic logic [7:0] greatest_of(input logic [16*Lanes-1:0] halves);
    logic [16*Lanes-1:0] best;

    best = halves;
    for (int left = Lanes; left > 0; left = left / 2)
      for (int i = 0; i < left; i++) best[8*i+:8] = greater(best[16*i+:8], best[16*i+8+:8]);
    greatest_of = best[7:0];
  endfunction

  logic [Bins*SumWidth-1:0] sums_q;
  logic [7:0] greatest_q;
  logic [1:0] any_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) any_q <= '0;
    else any_q <= {any_q[0], valid_i != '0};
  end

  always_ff @(posedge clk_i)
    if (any_q[0]) begin
      sums_q <= summed(counts_q);
      greatest_q <= greatest_of(halves_q);
    end

  // ---- bins
  logic [8*Bins-1:0] bins_q;

  function automatic logic [7:0] saturated(input logic [7:0] bin, input logic [SumWidth-1:0] more);
    logic [8:0] sum;

    sum = {1'b0, bin} + 9'(more);
    saturated = sum[7:0] | {8{sum[8]}};
  endfunction

  for (genvar bin = 0; bin < Bins; bin++) begin : gen_bin
    assign bins_o[bin] = bins_q[8*bin+:8];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bins_q <= '0;
      maximum_o <= '0;
    end else if (clear_i) begin
      bins_q <= '0;
      maximum_o <= '0;
    end else if (any_q[1]) begin
      if (count_en_i)
        for (int bin = 0; bin < Bins; bin++)
          bins_q[8*bin+:8] <= saturated(bins_q[8*bin+:8], sums_q[SumWidth*bin+:SumWidth]);
      maximum_o <= greater(maximum_o, greatest_q);
    end
  end

endmodule

`default_nettype wire
