// SPDX-License-Identifier: Apache-2.0
//
// Config: two banks of 224 words, of which those from 180 on are one and the same in both.
//
// Reads are combinational; what is written in t is read from t+1 on. A read beyond the end is 0.
// Write ports: a (the config unit) and b (REG2FLOP, one bank). Four words are written from an index
// that is a multiple of four on; both must not write the same word in the same cycle.
// Reset: 0. That is done by a bit a word that says that it was written; the words have no reset.
`default_nettype none

module config_store
  import tilepath_isa_pkg::*;
  import control_pkg::*;
(
  input wire logic          clk_i,
  input wire logic          rst_ni,
  // write ports
  input wire config_write_t a_i,
  input wire config_write_t b_i,
  // read ports: one of the config unit, SCRATCH_SEC0 ... 2, and the views
  input wire config_read_t  read_i,
  output wire logic [31:0]  data_o,
  input wire logic [1:0]    scratch_i,
  output wire logic [31:0]  scratch_o,
  input wire config_read_t  view_i [3],
  output wire logic [31:0]  view_data_o [3]
);

  // Rows of four words: bank 0, then bank 1, then the global words.
  localparam int BankRows = CFG_GLOBAL_BASE / 4;
  localparam int Rows = BankRows + CFG_WORDS / 4;
  localparam logic [7:0] Scratch = 8'(CFG_SCRATCH_SEC0_VAL_ADDR32);

  logic [31:0] store_q[4*Rows];
  logic [4*Rows-1:0] written_q;

  function automatic logic [8:0] address(input config_read_t read);
    if (read.bank || read.index >= CFG_GLOBAL_BASE)
      address = {1'b0, read.index} + 9'(CFG_GLOBAL_BASE);
    else address = {1'b0, read.index};
  endfunction

  wire logic [8:0] read_address = address(read_i);
  wire logic [8:0] scratch_address = address({1'b0, Scratch + {6'd0, scratch_i}});

  assign data_o = read_i.index < CFG_WORDS && written_q[read_address]
                  ? store_q[read_address] : 32'd0;
  assign scratch_o = written_q[scratch_address] ? store_q[scratch_address] : 32'd0;

  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire config_read_t view = view_i[v];
    wire logic [8:0] view_address = address(view);

    assign view_data_o[v] = view.index < CFG_WORDS && written_q[view_address]
                            ? store_q[view_address] : 32'd0;
  end

  // ---- which words of which rows are written
  wire logic [127:0] a_data = a_i.data, b_data = b_i.data;
  wire logic a_valid = a_i.banks != 2'd0, b_valid = b_i.banks != 2'd0;
  wire logic [6:0] a_low = {1'b0, a_i.index[7:2]};
  wire logic [6:0] a_high = a_low + 7'(BankRows);
  wire logic [6:0] b_row = {1'b0, b_i.index[7:2]} + (b_i.banks[1] ? 7'(BankRows) : 7'd0);
  wire logic [3:0] a_lanes = a_i.quad ? 4'b1111 : 4'd1 << a_i.index[1:0];
  wire logic [3:0] b_lanes = b_i.quad ? 4'b1111 : 4'd1 << b_i.index[1:0];
  wire logic a_to_low = a_i.banks[0] && a_i.index < CFG_GLOBAL_BASE;
  wire logic a_to_high = a_i.banks[1] || a_i.index >= CFG_GLOBAL_BASE;

  always_ff @(posedge clk_i) begin
    if (a_valid) begin
      for (int i = 0; i < 4; i++) begin
        if (a_to_low && a_lanes[i])
          store_q[{a_low, 2'(i)}] <= a_i.quad ? a_data[32*i+:32] : a_data[31:0];
        if (a_to_high && a_lanes[i])
          store_q[{a_high, 2'(i)}] <= a_i.quad ? a_data[32*i+:32] : a_data[31:0];
      end
    end
    if (b_valid) begin
      for (int i = 0; i < 4; i++) begin
        if (b_lanes[i]) store_q[{b_row, 2'(i)}] <= b_i.quad ? b_data[32*i+:32] : b_data[31:0];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
    end else begin
      if (a_valid) begin
        for (int i = 0; i < 4; i++) begin
          if (a_to_low && a_lanes[i]) written_q[{a_low, 2'(i)}] <= 1'b1;
          if (a_to_high && a_lanes[i]) written_q[{a_high, 2'(i)}] <= 1'b1;
        end
      end
      if (b_valid) begin
        for (int i = 0; i < 4; i++) begin
          if (b_lanes[i]) written_q[{b_row, 2'(i)}] <= 1'b1;
        end
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (a_valid) begin
      if (a_i.index >= CFG_WORDS || (a_i.quad && a_i.index[1:0] != 2'd0))
        $fatal(1, "config_store: write of word %0d", a_i.index);
    end
    if (b_valid) begin
      if (b_i.index >= CFG_GLOBAL_BASE || (b_i.quad && b_i.index[1:0] != 2'd0))
        $fatal(1, "config_store: REG2FLOP writes word %0d", b_i.index);
      if ((a_i.banks & b_i.banks) != 2'd0 && a_i.index[7:2] == b_i.index[7:2])
        $fatal(1, "config_store: two writes to the group of word %0d", a_i.index);
    end
  end
`endif

endmodule

`default_nettype wire
