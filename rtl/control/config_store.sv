// SPDX-License-Identifier: Apache-2.0
//
// Config: two banks of 224 words, of which those from 180 on are one and the same in both.
//
// Reads are combinational; what is written in t is read from t+1 on. A read beyond the end is 0.
// Write ports: a (the config unit) and b (REG2FLOP, one bank) write one word, or with quad four
// from an index that is a multiple of four on; both must not write the same word in the same cycle.
// Reset: 0. That is done by a bit a word that says that it was written; the words have no reset.
`default_nettype none

module config_store
  import tilepath_isa_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         rst_ni,
  // write port a: to the banks whose bit is set
  input wire logic         a_valid_i,
  input wire logic [1:0]   a_banks_i,
  input wire logic [7:0]   a_index_i,
  input wire logic         a_quad_i,
  input wire logic [127:0] a_data_i,
  // write port b
  input wire logic         b_valid_i,
  input wire logic         b_bank_i,
  input wire logic [7:0]   b_index_i,
  input wire logic         b_quad_i,
  input wire logic [127:0] b_data_i,
  // read ports: one of the config unit, SCRATCH_SEC0 ... 2, and the views
  input wire logic         bank_i,
  input wire logic [7:0]   index_i,
  output wire logic [31:0] data_o,
  input wire logic [1:0]   scratch_i,
  output wire logic [31:0] scratch_o,
  input wire logic         view_bank_i [3],
  input wire logic [7:0]   view_index_i [3],
  output wire logic [31:0] view_data_o [3]
);

  // Rows of four words: bank 0, then bank 1, then the global words.
  localparam int BankRows = CFG_GLOBAL_BASE / 4;
  localparam int Rows = BankRows + CFG_WORDS / 4;
  localparam logic [7:0] Scratch = 8'(CFG_SCRATCH_SEC0_VAL_ADDR32);

  logic [31:0] store_q[4*Rows];
  logic [4*Rows-1:0] written_q;

  function automatic logic [8:0] address(input logic bank, input logic [7:0] index);
    if (bank || index >= CFG_GLOBAL_BASE) address = {1'b0, index} + 9'(CFG_GLOBAL_BASE);
    else address = {1'b0, index};
  endfunction

  wire logic [8:0] read_address = address(bank_i, index_i);
  wire logic [8:0] scratch_address = address(1'b0, Scratch + {6'd0, scratch_i});

  assign data_o = index_i < CFG_WORDS && written_q[read_address] ? store_q[read_address] : 32'd0;
  assign scratch_o = written_q[scratch_address] ? store_q[scratch_address] : 32'd0;

  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire logic [8:0] view_address = address(view_bank_i[v], view_index_i[v]);

    assign view_data_o[v] = view_index_i[v] < CFG_WORDS && written_q[view_address]
                            ? store_q[view_address] : 32'd0;
  end

  // ---- which words of which rows are written
  wire logic [6:0] a_low = {1'b0, a_index_i[7:2]};
  wire logic [6:0] a_high = a_low + 7'(BankRows);
  wire logic [6:0] b_row = {1'b0, b_index_i[7:2]} + (b_bank_i ? 7'(BankRows) : 7'd0);
  wire logic [3:0] a_lanes = a_quad_i ? 4'b1111 : 4'd1 << a_index_i[1:0];
  wire logic [3:0] b_lanes = b_quad_i ? 4'b1111 : 4'd1 << b_index_i[1:0];
  wire logic a_to_low = a_banks_i[0] && a_index_i < CFG_GLOBAL_BASE;
  wire logic a_to_high = a_banks_i[1] || a_index_i >= CFG_GLOBAL_BASE;

  always_ff @(posedge clk_i) begin
    if (a_valid_i) begin
      for (int i = 0; i < 4; i++) begin
        if (a_to_low && a_lanes[i])
          store_q[{a_low, 2'(i)}] <= a_quad_i ? a_data_i[32*i+:32] : a_data_i[31:0];
        if (a_to_high && a_lanes[i])
          store_q[{a_high, 2'(i)}] <= a_quad_i ? a_data_i[32*i+:32] : a_data_i[31:0];
      end
    end
    if (b_valid_i) begin
      for (int i = 0; i < 4; i++) begin
        if (b_lanes[i]) store_q[{b_row, 2'(i)}] <= b_quad_i ? b_data_i[32*i+:32] : b_data_i[31:0];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
    end else begin
      if (a_valid_i) begin
        for (int i = 0; i < 4; i++) begin
          if (a_to_low && a_lanes[i]) written_q[{a_low, 2'(i)}] <= 1'b1;
          if (a_to_high && a_lanes[i]) written_q[{a_high, 2'(i)}] <= 1'b1;
        end
      end
      if (b_valid_i) begin
        for (int i = 0; i < 4; i++) begin
          if (b_lanes[i]) written_q[{b_row, 2'(i)}] <= 1'b1;
        end
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (a_valid_i) begin
      if (a_index_i >= CFG_WORDS || (a_quad_i && a_index_i[1:0] != 2'd0))
        $fatal(1, "config_store: write of word %0d", a_index_i);
    end
    if (b_valid_i) begin
      if (b_index_i >= CFG_GLOBAL_BASE || (b_quad_i && b_index_i[1:0] != 2'd0))
        $fatal(1, "config_store: REG2FLOP writes word %0d", b_index_i);
      if (a_valid_i && a_banks_i[b_bank_i] && a_index_i[7:2] == b_index_i[7:2])
        $fatal(1, "config_store: two writes to the group of word %0d", a_index_i);
    end
  end
`endif

endmodule

`default_nettype wire
