// SPDX-License-Identifier: Apache-2.0
//
// Config: two banks of 224 words, of which those from 180 on are one and the same in both.
//
// Reads are combinational; what is written in t is read from t+1 on. A read beyond the end is 0.
// Write ports: a (the config unit) and b (REG2FLOP, one bank) write one word, or with quad four from
// an index that is a multiple of four on; they must not write the same word in the same cycle.
// Reset: 0.
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

  function automatic logic [8:0] address(input logic bank, input logic [7:0] index);
    if (bank || index >= CFG_GLOBAL_BASE) address = {1'b0, index} + 9'(CFG_GLOBAL_BASE);
    else address = {1'b0, index};
  endfunction

  wire logic [8:0] read_address = address(bank_i, index_i);
  wire logic [8:0] scratch_address = address(1'b0, Scratch + {6'd0, scratch_i});

  assign data_o = index_i < CFG_WORDS ? store_q[read_address] : 32'd0;
  assign scratch_o = store_q[scratch_address];

  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire logic [8:0] view_address = address(view_bank_i[v], view_index_i[v]);

    assign view_data_o[v] = view_index_i[v] < CFG_WORDS ? store_q[view_address] : 32'd0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < 4 * Rows; i++) store_q[i] <= '0;
    end else begin : write
      logic [6:0] low, high;  // rows

      if (a_valid_i) begin
        low = {1'b0, a_index_i[7:2]};
        high = low + 7'(BankRows);
        for (int lane = 0; lane < 4; lane++) begin
          if (a_quad_i || a_index_i[1:0] == 2'(lane)) begin
            if (a_banks_i[0] && a_index_i < CFG_GLOBAL_BASE)
              store_q[{low, 2'(lane)}] <= a_quad_i ? a_data_i[32*lane+:32] : a_data_i[31:0];
            if (a_banks_i[1] || a_index_i >= CFG_GLOBAL_BASE)
              store_q[{high, 2'(lane)}] <= a_quad_i ? a_data_i[32*lane+:32] : a_data_i[31:0];
          end
        end
      end
      if (b_valid_i) begin
        low = {1'b0, b_index_i[7:2]} + (b_bank_i ? 7'(BankRows) : 7'd0);
        for (int lane = 0; lane < 4; lane++) begin
          if (b_quad_i || b_index_i[1:0] == 2'(lane))
            store_q[{low, 2'(lane)}] <= b_quad_i ? b_data_i[32*lane+:32] : b_data_i[31:0];
        end
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (a_valid_i && (a_index_i >= CFG_WORDS || (a_quad_i && a_index_i[1:0] != 2'd0)))
      $fatal(1, "config_store: write of word %0d", a_index_i);
    if (b_valid_i && (b_index_i >= CFG_GLOBAL_BASE || (b_quad_i && b_index_i[1:0] != 2'd0)))
      $fatal(1, "config_store: REG2FLOP writes word %0d", b_index_i);
    if (a_valid_i && b_valid_i && a_banks_i[b_bank_i] && a_index_i[7:2] == b_index_i[7:2])
      $fatal(1, "config_store: two writes to the group of word %0d", a_index_i);
  end
`endif

endmodule

`default_nettype wire
