// SPDX-License-Identifier: Apache-2.0
//
// The storage of a packer's gather: 32 elements a lane in 16 banks a lane, slot s in bank
// s mod banks, each with one write and one read a cycle.
//
// Latency: what is pushed in c is written in c+1; what is popped in c is read in c+1, and the
// lines, or the groups of a BFP format, are out in c+2. Handshake: none. Reset: none of the
// elements.
`default_nettype none

module pack_elements
  import format_pkg::*;
  import pack_pkg::*;
  import pack_back_pkg::*;
#(
  parameter int Lanes     = 1,
  parameter int UnitWidth = 256,  // 16 elements of 16 bits in each of the groups that go at once
  parameter int LineWidth = 128   // of the lines that go at once
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic [3:0]           to_i,
  input  wire push_t                push_i,
  input  wire logic [7*Lanes-1:0]   base_i,
  input  wire logic [512*Lanes-1:0] elements_i,   // of the rows at the head a cycle ago
  input  wire pop_t                 pop_i,        // of a cycle ago
  input  wire logic [127:0]         counters_i,   // with pop_i.counters
  output wire logic [UnitWidth-1:0] units_o
);

  localparam int Banks = 16 * Lanes;
  localparam int BankWidth = $clog2(Banks);
  localparam int Width = 32 * Banks;

  logic [Width-1:0] low_q, high_q;  // slots below and from Banks on

  // ---- push
  push_t push_q;
  logic [7*Lanes-1:0] base_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) push_q <= '0;
    else push_q <= push_i;
  end

  always_ff @(posedge clk_i) begin
    if (push_i.valid) base_q <= base_i;
  end

  // a row turned by `base` banks of 16
  function automatic logic [511:0] turned(input logic [511:0] row, input logic [3:0] base);
    turned = row;
    for (int k = 0; k < 4; k++)
      if (base[k]) turned = (turned << (32 << k)) | (turned >> (512 - (32 << k)));
  endfunction

  // bit n: going round from bank `first`, bank n is where `place` is, or behind
  function automatic logic [Banks-1:0] reached(
      input logic [BankWidth:0] first, input logic [BankWidth:0] place);
    logic [Banks-1:0] below, behind;

    below = ~({Banks{1'b1}} << first[BankWidth-1:0]);
    behind = {Banks{1'b1}} << place[BankWidth-1:0];
    reached = first[BankWidth] == place[BankWidth] ? below | behind : below & behind;
  endfunction

  // each bank takes its column of the last lane that it has reached; what is behind all rows, the
  // enables leave out
  function automatic logic [Width-1:0] written(
      input logic [512*Lanes-1:0] rows, input logic [7*Lanes-1:0] base);
    logic [511:0] row;
    logic [Banks-1:0] mine;

    for (int b = 0; b < Lanes; b++) begin
      row = turned(rows[512*b+:512], base[7*b+:4]);
      mine = b == 0 ? '1 : reached(base[BankWidth:0], base[7*b+:BankWidth+1]);
      for (int n = 0; n < Banks; n++)
        if (mine[n]) written[32*n+:32] = row[32*(n%16)+:32];
    end
  endfunction

  // {high, low}: the banks whose upper or lower slot is written
  function automatic logic [2*Banks-1:0] enables(
      input logic valid, input logic [BankWidth:0] first, input logic [BankWidth:0] number);
    logic [BankWidth:0] stop;
    logic [Banks-1:0] upper, some;

    stop = first + number;
    upper = {Banks{!first[BankWidth]}} ^ ({Banks{1'b1}} << first[BankWidth-1:0]);
    some = ~reached(first, stop) & {Banks{valid}};
    enables = {some & upper, some & ~upper};
  endfunction

  wire logic [Width-1:0] data = written(elements_i, base_q);
  wire logic [2*Banks-1:0] enable
    = enables(push_q.valid, push_q.first[BankWidth:0], push_q.number[BankWidth:0]);
  wire logic [2*Banks-1:0] clear = enable & {2*Banks{push_q.zero}};

  always_ff @(posedge clk_i) begin
    if (push_q.valid) begin
      for (int n = 0; n < Banks; n++) begin
        if (clear[n]) low_q[32*n+:32] <= '0;
        else if (enable[n]) low_q[32*n+:32] <= data[32*n+:32];
        if (clear[Banks+n]) high_q[32*n+:32] <= '0;
        else if (enable[Banks+n]) high_q[32*n+:32] <= data[32*n+:32];
      end
    end
  end

  // ---- pop
  // the slots from 4 * group on; those behind the elements of a partial unit are 0
  function automatic logic [Width-1:0] rotated(input logic [Width-1:0] banks,
                                               input logic [BankWidth-3:0] group);
    rotated = banks;
    for (int k = BankWidth - 3; k >= 0; k--)
      if (group[k]) rotated = (rotated >> (128 << k)) | (rotated << (Width - (128 << k)));
  endfunction

  // the banks before that of the first slot are in their other slot
  function automatic logic [Banks-1:0] uppers(input logic [BankWidth-2:0] group);
    for (int n = 0; n < Banks; n++)
      uppers[n] = group[BankWidth-2] ^ (BankWidth'(n) < {group[BankWidth-3:0], 2'd0});
  endfunction

  function automatic logic [Width-1:0] chosen(
      input logic [Width-1:0] low, input logic [Width-1:0] high, input logic [Banks-1:0] upper);
    for (int n = 0; n < Banks; n++)
      chosen[32*n+:32] = upper[n] ? high[32*n+:32] : low[32*n+:32];
  endfunction

  function automatic logic [UnitWidth-1:0] formatted(
      input logic [Width-1:0] low, input logic [Width-1:0] high, input logic [BankWidth-2:0] group,
      input logic partial, input logic [3:0] rest, input logic [3:0] to);
    logic [Width-1:0] window;

    window = rotated(chosen(low, high, uppers(group)), group[BankWidth-3:0]);
    if (partial) for (int e = 0; e < 16; e++) if (4'(e) >= rest) window[32*e+:32] = '0;
    formatted = '0;
    if (to[1:0] == 2'd0) begin
      formatted[LineWidth-1:0] = window[LineWidth-1:0];
    end else if (to[1:0] == 2'd1 || is_bfp(to)) begin
      for (int e = 0; e < Banks; e++) formatted[16*e+:16] = window[32*e+:16];
    end else begin
      for (int e = 0; e < Banks; e++) formatted[8*e+:8] = window[32*e+:8];
    end
  endfunction

  logic [UnitWidth-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (pop_i.counters) begin
      data_q <= UnitWidth'(counters_i);
    end else if (pop_i.valid) begin
      data_q <= formatted(low_q, high_q, pop_i.group[BankWidth-2:0], pop_i.partial, pop_i.rest,
                          to_i);
    end
  end

  assign units_o = data_q;

endmodule

`default_nettype wire
