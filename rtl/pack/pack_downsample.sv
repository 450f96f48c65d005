// SPDX-License-Identifier: Apache-2.0
//
// Downsampling: the datums that are kept move to the front, their order stays. Each moves down by
// the number of columns below it that are not kept, by 1, 2, 4 and 8 one after the other: so no
// two meet.
//
// Latency: kept_i is up in c with valid_i, values_i, below_i and what becomes of them in c+1.
// Handshake: none, rigid. Reset: none.
`default_nettype none

module pack_downsample
  import pack_lane_pkg::*;
(
  input wire logic        clk_i,
  input wire logic        valid_i,
  input wire logic [15:0] kept_i,
  input wire values_t     values_i,
  input wire logic [15:0] below_i,    // a flag of each datum
  output wire values_t    values_o,
  output wire logic [15:0] below_o,
  output wire logic [4:0] count_o
);

  // of each column, columns up to it that are not kept (a prefix network)
  function automatic logic [5*Columns-1:0] removed(input logic [Columns-1:0] kept);
    logic [Columns-1:0][4:0] sum;

    for (int i = 0; i < Columns; i++) sum[i] = {4'd0, !kept[i]};
    for (int level = 0; level < 4; level++)
      for (int i = 0; i < Columns; i++)
        if (((i >> level) & 1) == 1) sum[i] = sum[i] + sum[((i >> level) << level) - 1];
    removed = sum;
  endfunction

  function automatic logic [Columns-1:0] moved_flags(
    input logic [Columns-1:0] flags, input logic [Columns-1:0] go, input int step);
    moved_flags = flags & ~(go >> step) | (flags & go) >> step;
  endfunction

  // Bits of the distances, a column each, once those of `go` are `step` columns further down.
  function automatic logic [Columns-1:0] follow(input logic [Columns-1:0] bits,
                                                input logic [Columns-1:0] go, input int step);
    follow = bits & ~go | (bits & go) >> step;
  endfunction

  function automatic values_t moved(input values_t values, input logic [Columns-1:0] go,
                                    input int step);
    logic [Columns-1:0] arrive;

    arrive = go >> step;
    for (int i = 0; i < Columns; i++)
      moved[i] = i + step < Columns && arrive[i] ? values[(i+step)%Columns] : values[i];
  endfunction

  // ---- cycle 0: bit by bit how far each column that is kept has to go
  wire logic [5*Columns-1:0] sums = removed(kept_i);
  logic [Columns-1:0] by1_q, by2_q, by4_q, by8_q;
  logic [4:0] count_q;

  always_ff @(posedge clk_i)
    if (valid_i) begin
      for (int i = 1; i < Columns; i++) begin
        by1_q[i] <= kept_i[i] && sums[5*(i-1)];
        by2_q[i] <= kept_i[i] && sums[5*(i-1)+1];
        by4_q[i] <= kept_i[i] && sums[5*(i-1)+2];
        by8_q[i] <= kept_i[i] && sums[5*(i-1)+3];
      end
      {by1_q[0], by2_q[0], by4_q[0], by8_q[0]} <= '0;
      count_q <= 5'd16 - sums[5*(Columns-1)+:5];
    end

  // ---- cycle 1: by 1, 2, 4 and 8
  wire logic [Columns-1:0] by2 = follow(by2_q, by1_q, 1);
  wire logic [Columns-1:0] by4 = follow(follow(by4_q, by1_q, 1), by2, 2);
  wire logic [Columns-1:0] by8 = follow(follow(follow(by8_q, by1_q, 1), by2, 2), by4, 4);

  assign values_o = moved(moved(moved(moved(values_i, by1_q, 1), by2, 2), by4, 4), by8, 8);
  assign below_o = moved_flags(
    moved_flags(moved_flags(moved_flags(below_i, by1_q, 1), by2, 2), by4, 4), by8, 8);
  assign count_o = count_q;

endmodule

`default_nettype wire
