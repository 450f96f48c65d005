// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the packers' output streams; docs/pack.md.
`timescale 1ns / 1ps
`default_nettype none

module pack_recorders_out
  import unit_port_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
(
  input wire logic            clk_i,
  input wire logic            rst_ni,
  input wire logic [31:0]     cycle_i,
  input wire logic            flush_i,
  input wire logic            ready_i,
  input wire logic [11:0]     busy_i,
  input wire logic            row_grant_i [4],
  input wire logic [9:0]      row_row_i [4],
  input wire logic            row_wide_i,
  input wire l1_write_t       write_i [8],
  input wire l1_read_t        read_i [5],  // of four packers, and the source
  input wire setreg_write_t   setreg_i,
  input wire histogram_data_t hist_i,
  input wire fault_t          fault_i,
  input wire logic [6:0]      run_fault_i [4],
  input wire logic [2:0]      unit_fault_i
);

  wire l1_read_t source = read_i[4];

  pack_rec_ready u_ready (.clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(ready_i));
  pack_rec_busy u_busy (.clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(busy_i));
  pack_rec_source u_source (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(source.valid), .line_i(source.line)
  );
  pack_rec_setreg u_setreg (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(setreg_i.valid), .address_i(setreg_i.address), .data_i(setreg_i.data)
  );
  pack_rec_hist_data u_hist_data (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(hist_i.valid), .data_i(hist_i.data)
  );
  pack_rec_fault u_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(fault_i.valid), .thread_i(fault_i.thread), .flags_i(fault_i.flags)
  );
  pack_rec_unit_fault u_unit_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_fault_i != 3'd0), .busy_config_i(unit_fault_i[UnitFaultBusyConfig]),
    .hist_busy_i(unit_fault_i[UnitFaultHistBusy]), .dst_busy_i(unit_fault_i[UnitFaultDstBusy])
  );

  for (genvar k = 0; k < 8; k++) begin : gen_slot
    wire l1_write_t write = write_i[k];

    pack_rec_write #(.Index(k)) u_write (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(write.valid), .line_i(write.line), .kind_i(write.kind), .data_i(write.data)
    );
  end

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    wire l1_read_t read = read_i[p];

    pack_rec_row #(.Index(p)) u_row (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(row_grant_i[p]), .row_i(row_row_i[p]),
      .wide_i(row_wide_i)
    );
    pack_rec_read #(.Index(p)) u_read (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(read.valid), .line_i(read.line), .count_i(read.count)
    );
    pack_rec_run_fault #(.Index(p)) u_run_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(run_fault_i[p] != 7'd0),
      .l1_range_i(run_fault_i[p][RunFaultL1Range]),
      .exp_overlap_i(run_fault_i[p][RunFaultExpOverlap]),
      .rsi_overflow_i(run_fault_i[p][RunFaultRsiOverflow]),
      .rows_i(run_fault_i[p][RunFaultRows]),
      .source_range_i(run_fault_i[p][RunFaultSourceRange]),
      .edge_position_i(run_fault_i[p][RunFaultEdgePosition]),
      .fp16_accumulate_i(run_fault_i[p][RunFaultFp16Accumulate])
    );
  end

endmodule

`default_nettype wire
