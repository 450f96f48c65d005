// SPDX-License-Identifier: Apache-2.0
//
// GPRs of the three threads, 64 words of 32 bits each, read in aligned groups of four.
//
// Reads are combinational; what is written in t is read from t+1 on. Of two writes to the same GPR in
// the same cycle, RDCFG's comes first and the scalar unit's after it (docs/control.md section 6).
// Reset: 0.
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
  wire logic [5:0] cfg_row = {cfg_thread_i, cfg_group_i};
  wire logic [5:0] scalar_row = {scalar_thread_i, scalar_group_i};

  assign cfg_data_o = {store_q[{cfg_row, 2'd3}], store_q[{cfg_row, 2'd2}],
                       store_q[{cfg_row, 2'd1}], store_q[{cfg_row, 2'd0}]};
  assign scalar_data_o = {store_q[{scalar_row, 2'd3}], store_q[{scalar_row, 2'd2}],
                          store_q[{scalar_row, 2'd1}], store_q[{scalar_row, 2'd0}]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < 192; i++) store_q[i] <= '0;
    end else begin
      if (rdcfg_valid_i) store_q[{rdcfg_thread_i, rdcfg_gpr_i}] <= rdcfg_data_i;
      if (scalar_halves_i[0])
        store_q[{scalar_thread_i, scalar_gpr_i}][15:0] <= scalar_data_i[15:0];
      if (scalar_halves_i[1])
        store_q[{scalar_thread_i, scalar_gpr_i}][31:16] <= scalar_data_i[31:16];
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if ((rdcfg_valid_i && rdcfg_thread_i == 2'd3) || (scalar_halves_i != '0 && &scalar_thread_i))
      $fatal(1, "gpr_file: there is no thread 3");
  end
`endif

endmodule

`default_nettype wire
