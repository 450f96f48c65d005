// SPDX-License-Identifier: Apache-2.0
//
// GPRs of the three threads, 64 words of 32 bits each, read in aligned groups of four.
//
// Reads are combinational; what is written in t is read from t+1 on. Of two writes to the same GPR
// in the same cycle, RDCFG's comes first and then the scalar unit's (docs/control.md section 6).
// Reset: 0. That is done by a bit a half that says that it was written; the halves have no reset.
`default_nettype none

module gpr_file (
  input wire logic          clk_i,
  input wire logic          rst_ni,
  // read ports: config unit, scalar unit
  input wire logic [1:0]    cfg_thread_i,
  input wire logic [3:0]    cfg_group_i,
  output wire logic [127:0] cfg_data_o,
  input wire logic [1:0]    scalar_thread_i,
  input wire logic [3:0]    scalar_group_i,
  output wire logic [127:0] scalar_data_o,
  // write ports: RDCFG, scalar unit
  input wire logic          rdcfg_valid_i,
  input wire logic [1:0]    rdcfg_thread_i,
  input wire logic [5:0]    rdcfg_gpr_i,
  input wire logic [31:0]   rdcfg_data_i,
  input wire logic [1:0]    scalar_halves_i,  // which halves are written; 0: nothing is
  input wire logic [5:0]    scalar_gpr_i,     // of scalar_thread_i
  input wire logic [31:0]   scalar_data_i
);

  logic [31:0] store_q[192];  // {thread, gpr}
  logic [191:0] low_q, high_q;  // written, by half
  wire logic [7:0] rdcfg_address = {rdcfg_thread_i, rdcfg_gpr_i};
  wire logic [7:0] scalar_address = {scalar_thread_i, scalar_gpr_i};
  wire logic [5:0] cfg_row = {cfg_thread_i, cfg_group_i};
  wire logic [5:0] scalar_row = {scalar_thread_i, scalar_group_i};

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
    if (rdcfg_valid_i) store_q[rdcfg_address] <= rdcfg_data_i;
    if (scalar_halves_i != 2'd0) begin
      if (scalar_halves_i[0]) store_q[scalar_address][15:0] <= scalar_data_i[15:0];
      if (scalar_halves_i[1]) store_q[scalar_address][31:16] <= scalar_data_i[31:16];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      low_q <= '0;
      high_q <= '0;
    end else begin
      if (rdcfg_valid_i) begin
        low_q[rdcfg_address] <= 1'b1;
        high_q[rdcfg_address] <= 1'b1;
      end
      if (scalar_halves_i != 2'd0) begin
        if (scalar_halves_i[0]) low_q[scalar_address] <= 1'b1;
        if (scalar_halves_i[1]) high_q[scalar_address] <= 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (rdcfg_valid_i) begin
      if (rdcfg_thread_i == 2'd3) $fatal(1, "gpr_file: RDCFG of thread 3");
    end
    if (scalar_halves_i != 2'd0) begin
      if (scalar_thread_i == 2'd3) $fatal(1, "gpr_file: a scalar write of thread 3");
    end
  end
`endif

endmodule

`default_nettype wire
