// SPDX-License-Identifier: Apache-2.0
//
// GPRs of the three threads, 64 words of 32 bits each, read in aligned groups of four.
//
// Reads are combinational; what is written in t is read from t+1 on. Of two writes to the same GPR
// in the same cycle, RDCFG's comes first and then the scalar unit's (docs/control.md section 6).
// Reset: 0. That is done by a bit a half that says that it was written; the halves have no reset.
`default_nettype none

module gpr_file
  import control_pkg::*;
(
  input wire logic          clk_i,
  input wire logic          rst_ni,
  // read ports: config unit, scalar unit
  input wire gpr_read_t     cfg_read_i,
  output wire logic [127:0] cfg_data_o,
  input wire gpr_read_t     scalar_read_i,
  output wire logic [127:0] scalar_data_o,
  // write ports: RDCFG, which writes both halves, and scalar unit
  input wire gpr_write_t    rdcfg_i,
  input wire gpr_write_t    scalar_i
);

  logic [31:0] store_q[192];  // {thread, gpr}
  logic [191:0] low_q, high_q;  // written, by half
  wire logic [7:0] rdcfg_address = {rdcfg_i.thread, rdcfg_i.gpr};
  wire logic [7:0] scalar_address = {scalar_i.thread, scalar_i.gpr};
  wire logic [5:0] cfg_row = cfg_read_i;  // {thread, group}
  wire logic [5:0] scalar_row = scalar_read_i;

  wire logic [31:0] cfg_lane [4], scalar_lane [4];

  for (genvar i = 0; i < 4; i++) begin : gen_lane
    wire logic [7:0] cfg_address = {cfg_row, 2'(i)};
    wire logic [7:0] scalar_read = {scalar_row, 2'(i)};
    wire logic [31:0] cfg_word = store_q[cfg_address];
    wire logic [31:0] scalar_word = store_q[scalar_read];

    assign cfg_lane[i] = {high_q[cfg_address] ? cfg_word[31:16] : 16'd0,
                          low_q[cfg_address] ? cfg_word[15:0] : 16'd0};
    assign scalar_lane[i] = {high_q[scalar_read] ? scalar_word[31:16] : 16'd0,
                             low_q[scalar_read] ? scalar_word[15:0] : 16'd0};
  end
  assign cfg_data_o = {cfg_lane[3], cfg_lane[2], cfg_lane[1], cfg_lane[0]};
  assign scalar_data_o = {scalar_lane[3], scalar_lane[2], scalar_lane[1], scalar_lane[0]};

  always_ff @(posedge clk_i) begin
    if (rdcfg_i.halves != 2'd0) store_q[rdcfg_address] <= rdcfg_i.data;
    if (scalar_i.halves != 2'd0) begin
      if (scalar_i.halves[0]) store_q[scalar_address][15:0] <= scalar_i.data[15:0];
      if (scalar_i.halves[1]) store_q[scalar_address][31:16] <= scalar_i.data[31:16];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      low_q <= '0;
      high_q <= '0;
    end else begin
      if (rdcfg_i.halves != 2'd0) begin
        low_q[rdcfg_address] <= 1'b1;
        high_q[rdcfg_address] <= 1'b1;
      end
      if (scalar_i.halves != 2'd0) begin
        if (scalar_i.halves[0]) low_q[scalar_address] <= 1'b1;
        if (scalar_i.halves[1]) high_q[scalar_address] <= 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (rdcfg_i.halves != 2'd0) begin
      if (rdcfg_i.thread == 2'd3) $fatal(1, "gpr_file: RDCFG of thread 3");
    end
    if (scalar_i.halves != 2'd0) begin
      if (scalar_i.thread == 2'd3) $fatal(1, "gpr_file: a scalar write of thread 3");
    end
  end
`endif

endmodule

`default_nettype wire
