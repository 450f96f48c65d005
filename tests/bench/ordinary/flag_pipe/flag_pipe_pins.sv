// SPDX-License-Identifier: Apache-2.0
//
// The flag pipe with what is looked at led out, and with pins for what the memories are told, so
// that it can be seen where it is driven. Memory ports are 0 to 3 for reads of L1, UB0, UB1 and
// global memory, 4 to 7 for writes. Of several fields in a signal the first one is lowest.
`timescale 1ns / 1ps
`default_nettype none

module flag_pipe_pins
  import flag_pipe_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         cmd_valid_i [3],
  output wire logic         cmd_ready_o [3],
  input  wire logic [2:0]   op_i [3],
  input  wire logic         peer_i [3],
  input  wire logic [7:0]   dir_mask_i [3],
  input  wire logic [31:0]  slot_size_i [3],
  input  wire logic [31:0]  gm_base_i [3],
  input  wire logic [31:0]  c2v_buf_i [3],
  input  wire logic [31:0]  v2c_buf_i [3],
  input  wire logic [31:0]  tile_addr_i [3],
  input  wire logic [11:0]  fill_beats_i [3],
  input  wire logic [31:0]  stamp_i [3],
  input  wire logic [31:0]  look_addr_i [3],
  input  wire logic [11:0]  look_beats_i [3],
  output wire logic         rsp_valid_o [3],
  output wire logic [41:0]  rsp_o [3],
  output wire logic         fault_valid_o [3],
  output wire logic [9:0]   fault_o [3],
  output wire logic [3:0]   core_o [3],
  input  wire logic         clr_valid_i,
  input  wire logic [1:0]   clr_pairs_i,
  output wire logic [12:0]  endpoint_o [4],
  output wire logic [35:0]  flags_o,
  output wire logic [4:0]   status_o [2],
  output wire logic [4:0]   busy_o,
  input  wire logic         ready_i [8],
  input  wire logic [4:0]   latency_i [8],
  output wire logic [5:0]   level_o [8],  // ready and latency
  output wire logic [7:0]   accept_o,
  output wire logic [289:0] access_o [8],  // core of a shared port, address, data of a write
  input  wire logic         rvalid_i [4],
  input  wire logic [255:0] rdata_i [4]
);

  localparam int Data = 8 * BeatBytes;

  wire command_t cmd [3];
  wire response_t rsp [3];
  wire logic [7:0] valid;
  wire logic [31:0] addr [8];
  wire logic [Data-1:0] wdata [4];
  wire logic [1:0] l1_wr_core, gm_rd_core, gm_wr_core;
  wire logic ub_rd_valid [2], ub_rd_ready [2], ub_rd_rvalid [2], ub_wr_valid [2], ub_wr_ready [2];
  wire logic [31:0] ub_rd_addr [2], ub_wr_addr [2];
  wire logic [Data-1:0] ub_rd_rdata [2], ub_wr_data [2];
  wire logic [3:0] set_set, flying;
  wire logic [1:0] cfg_mismatch, clr_busy, deadlock;

  flag_pipe #(
    .Nflags(Nflags), .FlagLat(FlagLat), .BeatBytes(BeatBytes), .HoldMax(HoldMax)
  ) u_dut (
    .clk_i, .rst_ni, .platform_i(1'(Platform)),
    .cmd_valid_i, .cmd_ready_o, .cmd_i(cmd), .rsp_valid_o, .rsp_o(rsp),
    .l1_rd_valid_o(valid[0]), .l1_rd_ready_i(ready_i[0]), .l1_rd_addr_o(addr[0]),
    .l1_rd_rvalid_i(rvalid_i[0]), .l1_rd_rdata_i(rdata_i[0][Data-1:0]),
    .ub_rd_valid_o(ub_rd_valid), .ub_rd_ready_i(ub_rd_ready), .ub_rd_addr_o(ub_rd_addr),
    .ub_rd_rvalid_i(ub_rd_rvalid), .ub_rd_rdata_i(ub_rd_rdata),
    .gm_rd_valid_o(valid[3]), .gm_rd_ready_i(ready_i[3]), .gm_rd_core_o(gm_rd_core),
    .gm_rd_addr_o(addr[3]), .gm_rd_rvalid_i(rvalid_i[3]), .gm_rd_rdata_i(rdata_i[3][Data-1:0]),
    .l1_wr_valid_o(valid[4]), .l1_wr_ready_i(ready_i[4]), .l1_wr_core_o(l1_wr_core),
    .l1_wr_addr_o(addr[4]), .l1_wr_data_o(wdata[0]),
    .ub_wr_valid_o(ub_wr_valid), .ub_wr_ready_i(ub_wr_ready), .ub_wr_addr_o(ub_wr_addr),
    .ub_wr_data_o(ub_wr_data),
    .gm_wr_valid_o(valid[7]), .gm_wr_ready_i(ready_i[7]), .gm_wr_core_o(gm_wr_core),
    .gm_wr_addr_o(addr[7]), .gm_wr_data_o(wdata[3]),
    .clr_i(clr_valid_i ? clr_pairs_i : 2'd0), .set_set_o(set_set),
    .cfg_mismatch_o(cfg_mismatch), .clr_busy_o(clr_busy), .deadlock_o(deadlock)
  );

  for (genvar p = 0; p < 2; p++) begin : gen_pair
    assign valid[1+p] = ub_rd_valid[p];
    assign addr[1+p] = ub_rd_addr[p];
    assign ub_rd_ready[p] = ready_i[1+p];
    assign ub_rd_rvalid[p] = rvalid_i[1+p];
    assign ub_rd_rdata[p] = rdata_i[1+p][Data-1:0];
    assign valid[5+p] = ub_wr_valid[p];
    assign addr[5+p] = ub_wr_addr[p];
    assign wdata[1+p] = ub_wr_data[p];
    assign ub_wr_ready[p] = ready_i[5+p];
    assign status_o[p] = {deadlock[p], clr_busy[p], cfg_mismatch[p], set_set[2*p+:2]};
    assign busy_o[3+p] = flying[2*p+:2] != 2'd0;
  end

  for (genvar n = 0; n < 3; n++) begin : gen_core
    wire response_t found = rsp[n];
    wire logic [3:0] err = found.err;

    assign cmd[n] = {
      op_i[n], peer_i[n], dir_mask_i[n], slot_size_i[n], gm_base_i[n], c2v_buf_i[n], v2c_buf_i[n],
      tile_addr_i[n]
    };
    assign rsp_o[n] = {found.addr, found.tag, found.err, found.op};
    assign fault_valid_o[n] = rsp_valid_o[n] && err != 4'd0;
    assign fault_o[n] = 10'(11'd1 << err >> 1);
    assign core_o[n] = {u_dut.gen_core[n].u_core.peer_q, u_dut.gen_core[n].u_core.state_q};
    assign busy_o[n] = u_dut.gen_core[n].u_core.state_q != Idle;
  end

  for (genvar e = 0; e < 4; e++) begin : gen_endpoint
    assign endpoint_o[e] = {
      u_dut.gen_endpoint[e].u_endpoint.held_q, u_dut.gen_endpoint[e].u_endpoint.free_tag_q,
      u_dut.gen_endpoint[e].u_endpoint.pop_tag_q, u_dut.gen_endpoint[e].u_endpoint.push_tag_q,
      u_dut.gen_endpoint[e].u_endpoint.mask_q, u_dut.gen_endpoint[e].u_endpoint.init_q
    };
    assign flags_o[8*e+:8] = 8'(u_dut.gen_bank[e].u_bank.flags_q);
    assign flying[e] = u_dut.gen_bank[e].u_bank.flying_o;
  end
  assign flags_o[35:32] = flying;

  for (genvar k = 0; k < 8; k++) begin : gen_port
    assign accept_o[k] = valid[k] && ready_i[k];
    assign level_o[k] = {latency_i[k], ready_i[k]};
  end
  for (genvar m = 0; m < 4; m++) begin : gen_memory
    if (m == 3) assign access_o[m] = 290'({addr[m], gm_rd_core});
    else assign access_o[m] = 290'(addr[m]);
    if (m == 0) assign access_o[4+m] = 290'({wdata[m], addr[4+m], l1_wr_core});
    else if (m == 3) assign access_o[4+m] = 290'({wdata[m], addr[4+m], gm_wr_core});
    else assign access_o[4+m] = 290'({wdata[m], addr[4+m]});
  end

endmodule

`default_nettype wire
