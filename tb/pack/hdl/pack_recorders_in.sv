// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the packers' input streams, but for those of units that are beside them in their
// own bench; docs/pack.md section 2.
`timescale 1ns / 1ps
`default_nettype none

module pack_recorders_in
  import unit_port_pkg::*;
  import pack_pkg::*;
(
  input wire logic               clk_i,
  input wire logic               rst_ni,
  input wire logic [31:0]        cycle_i,
  input wire logic               flush_i,
  input wire config_write_t      cfg_i,
  input wire config_write_t      flop_i,
  input wire setc16_t            setc16_i [3],
  input wire thread_store_t      store_i,
  input wire logic               issue_valid_i,
  input wire logic [1:0]         issue_thread_i,
  input wire logic [31:0]        issue_word_i,
  input wire offset_write_t      offset_i,
  input wire histogram_command_t hist_i,
  input wire setreg_base_t       setreg_base_i,
  input wire logic [3:0]         l1_ready_i
);

  pack_rec_issue u_issue (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(issue_valid_i), .thread_i(issue_thread_i), .word_i(issue_word_i)
  );
  pack_rec_cfg u_cfg (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(cfg_i.valid), .banks_i(cfg_i.banks), .index_i(cfg_i.index), .wide_i(cfg_i.wide),
    .data_i(cfg_i.data)
  );
  pack_rec_flop u_flop (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(flop_i.valid), .bank_i(flop_i.banks[1]),
    .index_i(flop_i.index), .wide_i(flop_i.wide), .data_i(flop_i.data)
  );
  pack_rec_store u_store (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(store_i.valid), .thread_i(store_i.thread),
    .index_i(store_i.index), .value_i(store_i.value)
  );
  pack_rec_hist u_hist (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(hist_i.valid), .op_i(hist_i.op), .mode_i(hist_i.mode), .packer_i(hist_i.packer)
  );
  pack_rec_offset u_offset (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(offset_i.valid), .packers_i(offset_i.packers), .value_i(offset_i.value)
  );
  pack_rec_setreg_base u_setreg_base (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .base_i(setreg_base_i.base), .scaler0_i(setreg_base_i.scaler[8:0]),
    .scaler1_i(setreg_base_i.scaler[17:9]), .scaler2_i(setreg_base_i.scaler[26:18]),
    .scaler3_i(setreg_base_i.scaler[35:27])
  );
  pack_rec_l1_ready u_l1_ready (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(l1_ready_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t setc16 = setc16_i[t];

    pack_rec_setc16 #(.Index(t)) u_setc16 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(setc16.valid), .index_i(setc16.index), .value_i(setc16.value)
    );
  end

endmodule

`default_nettype wire
