// SPDX-License-Identifier: Apache-2.0
//
// The recorders of one unpacker's events and pointers; docs/unpack.md section 9. A step has a
// record for each 32 slots of which any is written, with the address of slot 0 of the step in each.
`timescale 1ns / 1ps
`default_nettype none

module unpack_recorders
  import unit_port_pkg::*;
  import unpack_fault_pkg::*;
  import unpack_pkg::*;
  import unpack_write_pkg::*;
#(
  parameter int Index = 0
) (
  input wire logic          clk_i,
  input wire logic          rst_ni,
  input wire logic [31:0]   cycle_i,
  input wire logic          flush_i,
  input wire logic          issue_i,
  input wire logic [1:0]    issue_thread_i,
  input wire logic [31:0]   issue_word_i,
  input wire logic [44:0]   pointers_i,
  input wire l1_request_t   l1_i,
  input wire logic          write_valid_i,
  input wire obs_write_t    write_i,
  input wire obs_clear_t    clear_i,
  input wire overlay_t      overlay_i,
  input wire setreg_write_t setreg_i,
  input wire fault_t        fault_i,
  input wire logic [4:0]    read_fault_i,
  input wire logic [7:0]    write_fault_i
);

  unpack_rec_issue #(.Index(Index)) u_issue (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(issue_i), .thread_i(issue_thread_i), .word_i(issue_word_i)
  );
  unpack_rec_pointers #(.Index(Index)) u_pointers (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .bank_i(pointers_i[0]), .row0_i(pointers_i[6:1]), .row1_i(pointers_i[12:7]),
    .row2_i(pointers_i[18:13]), .context0_i(pointers_i[21:19]), .context1_i(pointers_i[24:22]),
    .context2_i(pointers_i[27:25]), .acc_i(pointers_i[44:28])
  );
  unpack_rec_read #(.Index(Index)) u_read (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(l1_i.valid), .count_i(l1_i.count), .line0_i(l1_i.lines[27:0]),
    .line1_i(l1_i.lines[55:28]), .line2_i(l1_i.lines[83:56]), .line3_i(l1_i.lines[111:84]),
    .has_exponent_i(l1_i.has_exponent), .exponent_i(l1_i.exponent),
    .has_delta_i(l1_i.has_delta), .delta_i(l1_i.delta), .rsi_count_i(l1_i.rsi_count),
    .rsi0_i(l1_i.rsi[27:0]), .rsi1_i(l1_i.rsi[55:28])
  );
  unpack_rec_clear #(.Index(Index)) u_clear (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(clear_i.banks != 2'd0), .banks_i(clear_i.banks), .value_i(clear_i.value)
  );
  unpack_rec_overlay #(.Index(Index)) u_overlay (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(overlay_i.valid), .stream_i(overlay_i.stream), .count_i(overlay_i.count)
  );
  unpack_rec_setreg #(.Index(Index)) u_setreg (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(setreg_i.valid), .address_i(setreg_i.address), .data_i(setreg_i.data)
  );
  unpack_rec_fault #(.Index(Index)) u_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(fault_i.valid), .thread_i(fault_i.thread), .flags_i(fault_i.flags)
  );
  unpack_rec_read_fault #(.Index(Index)) u_read_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(read_fault_i != 5'd0), .datum_i(read_fault_i[ReadFaultDatum]),
    .exponent_i(read_fault_i[ReadFaultExponent]), .rsi_i(read_fault_i[ReadFaultRsi]),
    .delta_i(read_fault_i[ReadFaultDelta]), .start_align_i(read_fault_i[ReadFaultStartAlign])
  );
  unpack_rec_write_fault #(.Index(Index)) u_write_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_fault_i != 8'd0), .bfpa_i(write_fault_i[WriteFaultBfpa]),
    .srca_row_i(write_fault_i[WriteFaultSrcaRow]), .srcb_row_i(write_fault_i[WriteFaultSrcbRow]),
    .flip_owner_i(write_fault_i[WriteFaultFlipOwner]),
    .zerosrc_matrix_i(write_fault_i[WriteFaultZerosrcMatrix]),
    .zerosrc_race_i(write_fault_i[WriteFaultZerosrcRace]),
    .empty_flip_i(write_fault_i[WriteFaultEmptyFlip]),
    .srca_row_high_i(write_fault_i[WriteFaultSrcaRowHigh])
  );

  // ---- what is written, 32 slots a record
  wire logic [2431:0] data = write_i.low;
  wire logic [127:0] mask = write_i.mask;
  wire logic [13:0] address = write_i.address;
  wire logic dst = write_i.dst;
  wire logic wide = write_i.wide;
  wire logic bank = write_i.bank;
  wire logic transpose = write_i.transpose;
  wire logic [1023:0] slots [4];
  wire logic [3:0] some;

  for (genvar k = 0; k < 4; k++) begin : gen_slots
    assign some[k] = write_valid_i && mask[32*k+:32] != 32'd0;

    unpack_words u_words (
      .mask_i(mask[32*k+:32]), .data_i(data[608*k+:608]),
      .high_i(k == 0 ? write_i.high : 416'd0), .words_o(slots[k])
    );
  end

  unpack_rec_write #(.Index(Index)) u_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(some[0]), .dst_i(dst), .wide_i(wide),
    .bank_i(bank), .transpose_i(transpose), .address_i(address), .mask_i(mask[31:0]),
    .data_i(slots[0])
  );
  unpack_rec_write1 #(.Index(Index)) u_write1 (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(some[1]), .dst_i(dst), .wide_i(wide),
    .bank_i(bank), .transpose_i(transpose), .address_i(address), .mask_i(mask[63:32]),
    .data_i(slots[1])
  );
  unpack_rec_write2 #(.Index(Index)) u_write2 (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(some[2]), .dst_i(dst), .wide_i(wide),
    .bank_i(bank), .transpose_i(transpose), .address_i(address), .mask_i(mask[95:64]),
    .data_i(slots[2])
  );
  unpack_rec_write3 #(.Index(Index)) u_write3 (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(some[3]), .dst_i(dst), .wide_i(wide),
    .bank_i(bank), .transpose_i(transpose), .address_i(address), .mask_i(mask[127:96]),
    .data_i(slots[3])
  );

endmodule

`default_nettype wire
