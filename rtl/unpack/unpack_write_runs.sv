// SPDX-License-Identifier: Apache-2.0
//
// How many items a beat has, and which of them are its datums (docs/unpack.md section 5.3): sums of
// the nibbles of a compressed beat before each datum.
//
// Latency: two stages, r + 2 and r + 3: groups of four datums, then all. Handshake: valid and ready
// on both sides; a stage takes an entry when it is empty or its own goes on. Reset: empty.
`default_nettype none

module unpack_write_runs
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire entry_t       entry_i,
  input  wire logic [127:0] delta_i,
  output wire logic         ready_o,
  output wire logic         valid_o,
  output wire items_t       items_o,
  input  wire logic         ready_i
);

  localparam int Groups = 8;

  // Items of four datums each: of the first, the first two, three, all.
  function automatic logic [28*Groups-1:0] in_groups(
      input logic [127:0] delta, input logic [4:0] first, input logic [7:0] count,
      input logic runs);
    logic [127:0] nibbles;
    logic [31:0][6:0] items;
    logic [6:0] two, other_two;

    nibbles = runs ? delta : 128'd0;
    if (first[4]) nibbles = nibbles >> 64;
    if (first[3]) nibbles = nibbles >> 32;
    if (first[2]) nibbles = nibbles >> 16;
    if (first[1]) nibbles = nibbles >> 8;
    if (first[0]) nibbles = nibbles >> 4;
    for (int i = 0; i < 32; i++)
      items[i] = 8'(i) < count ? {3'd0, nibbles[4*i+:4]} + 7'd1 : 7'd0;
    for (int g = 0; g < Groups; g++) begin
      two = items[4*g] + items[4*g+1];
      other_two = items[4*g+2] + items[4*g+3];
      in_groups[28*g+:28] = {two + other_two, two + items[4*g+2], two, items[4*g]};
    end
  endfunction

  // Items of the groups before each group, and of all.
  function automatic logic [Groups:0][9:0] of_groups(input logic [28*Groups-1:0] groups);
    logic [Groups-1:0][9:0] sums;

    for (int g = 0; g < Groups; g++) sums[g] = {3'd0, groups[28*g+21+:7]};
    for (int level = 1; level < Groups; level = 2 * level)
      for (int g = Groups - 1; g >= 0; g--)
        if ((g & level) != 0) sums[g] = sums[g] + sums[(g|(level-1))-level];
    of_groups = {sums, 10'd0};
  endfunction

  function automatic logic [31:0][8:0] starts(input logic [28*Groups-1:0] groups,
                                              input logic [Groups:0][9:0] sums);
    logic [8:0] sum;

    for (int g = 0; g < Groups; g++) begin
      sum = 9'(sums[g]);
      starts[4*g] = sum;
      for (int i = 1; i < 4; i++) starts[4*g+i] = sum + {2'd0, groups[28*g+7*i-7+:7]};
    end
  endfunction

  logic valid_q, items_valid_q;
  entry_t entry_q;
  logic [28*Groups-1:0] groups_q;
  items_t items_q;

  wire logic items_ready = !items_valid_q || ready_i;
  wire logic take = valid_i && ready_o;
  wire logic go_on = valid_q && items_ready;
  wire logic compressed = entry_q.beat.compressed && !entry_q.beat.token;
  wire logic [Groups:0][9:0] sums = of_groups(groups_q);

  assign ready_o = !valid_q || items_ready;
  assign valid_o = items_valid_q;
  assign items_o = items_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      entry_q <= entry_i;
      if (entry_i.beat.compressed)
        groups_q <= in_groups(delta_i, entry_i.beat.nibble, entry_i.beat.count,
                              entry_i.beat.delta_in_l1 && !entry_i.beat.convert.all_zero);
    end
    if (go_on) begin
      items_q.entry <= entry_q;
      items_q.expands <= !entry_q.beat.token &&
                         (entry_q.beat.compressed || entry_q.beat.out.zeros != 4'd0);
      items_q.items <= compressed ? sums[Groups] : {2'd0, entry_q.beat.count};
      if (compressed) items_q.own <= starts(groups_q, sums);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      items_valid_q <= 1'b0;
    end else begin
      valid_q <= valid_i || valid_q && !items_ready;
      items_valid_q <= valid_q || items_valid_q && !ready_i;
    end
  end

endmodule

`default_nettype wire
