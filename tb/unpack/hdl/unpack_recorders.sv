// SPDX-License-Identifier: Apache-2.0
//
// The recorders of one unpacker's events and pointers; docs/unpack.md section 9. A step has a
// record for each 32 slots of which any is written, with the address of slot 0 of the step in each.
`timescale 1ns / 1ps
`default_nettype none

module unpack_recorders
  import unpack_fault_pkg::*;
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
  input wire logic          read_i,
  input wire logic [2:0]    count_i,
  input wire logic [111:0]  lines_i,
  input wire logic          has_exponent_i,
  input wire logic [27:0]   exponent_i,
  input wire logic          has_delta_i,
  input wire logic [27:0]   delta_i,
  input wire logic [1:0]    rsi_count_i,
  input wire logic [55:0]   rsi_i,
  input wire logic          write_i,
  input wire logic          dst_i,
  input wire logic          wide_i,
  input wire logic          bank_i,
  input wire logic          transpose_i,
  input wire logic [13:0]   address_i,
  input wire logic [127:0]  mask_i,
  input wire logic [2431:0] data_i,
  input wire logic [415:0]  high_i,
  input wire logic          clear_i,
  input wire logic [1:0]    clear_banks_i,
  input wire logic [18:0]   clear_value_i,
  input wire logic          overlay_i,
  input wire logic [5:0]    overlay_stream_i,
  input wire logic [10:0]   overlay_count_i,
  input wire logic          setreg_i,
  input wire logic [31:0]   setreg_address_i,
  input wire logic [31:0]   setreg_data_i,
  input wire logic          fault_i,
  input wire logic [1:0]    fault_thread_i,
  input wire logic [27:0]   fault_flags_i,
  input wire logic [4:0]    read_fault_i,
  input wire logic [6:0]    write_fault_i
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
    .valid_i(read_i), .count_i(count_i), .line0_i(lines_i[27:0]), .line1_i(lines_i[55:28]),
    .line2_i(lines_i[83:56]), .line3_i(lines_i[111:84]), .has_exponent_i(has_exponent_i),
    .exponent_i(exponent_i), .has_delta_i(has_delta_i), .delta_i(delta_i),
    .rsi_count_i(rsi_count_i), .rsi0_i(rsi_i[27:0]), .rsi1_i(rsi_i[55:28])
  );
  unpack_rec_clear #(.Index(Index)) u_clear (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(clear_i), .banks_i(clear_banks_i), .value_i(clear_value_i)
  );
  unpack_rec_overlay #(.Index(Index)) u_overlay (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(overlay_i), .stream_i(overlay_stream_i), .count_i(overlay_count_i)
  );
  unpack_rec_setreg #(.Index(Index)) u_setreg (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(setreg_i), .address_i(setreg_address_i), .data_i(setreg_data_i)
  );
  unpack_rec_fault #(.Index(Index)) u_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(fault_i), .thread_i(fault_thread_i), .flags_i(fault_flags_i)
  );
  unpack_rec_read_fault #(.Index(Index)) u_read_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(read_fault_i != 5'd0), .datum_i(read_fault_i[ReadFaultDatum]),
    .exponent_i(read_fault_i[ReadFaultExponent]), .rsi_i(read_fault_i[ReadFaultRsi]),
    .delta_i(read_fault_i[ReadFaultDelta]), .start_align_i(read_fault_i[ReadFaultStartAlign])
  );
  unpack_rec_write_fault #(.Index(Index)) u_write_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_fault_i != 7'd0), .bfpa_i(write_fault_i[WriteFaultBfpa]),
    .srca_row_i(write_fault_i[WriteFaultSrcaRow]), .srcb_row_i(write_fault_i[WriteFaultSrcbRow]),
    .flip_owner_i(write_fault_i[WriteFaultFlipOwner]),
    .zerosrc_matrix_i(write_fault_i[WriteFaultZerosrcMatrix]),
    .zerosrc_race_i(write_fault_i[WriteFaultZerosrcRace]),
    .empty_flip_i(write_fault_i[WriteFaultEmptyFlip])
  );

  // ---- what is written, 32 slots a record
  wire logic [1023:0] slots [4];

  unpack_words u_words0 (
    .mask_i(mask_i[31:0]), .data_i(data_i[607:0]), .high_i(high_i), .words_o(slots[0])
  );
  unpack_words u_words1 (
    .mask_i(mask_i[63:32]), .data_i(data_i[1215:608]), .high_i(416'd0), .words_o(slots[1])
  );
  unpack_words u_words2 (
    .mask_i(mask_i[95:64]), .data_i(data_i[1823:1216]), .high_i(416'd0), .words_o(slots[2])
  );
  unpack_words u_words3 (
    .mask_i(mask_i[127:96]), .data_i(data_i[2431:1824]), .high_i(416'd0), .words_o(slots[3])
  );

  unpack_rec_write #(.Index(Index)) u_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_i && mask_i[31:0] != 32'd0), .dst_i(dst_i), .wide_i(wide_i), .bank_i(bank_i),
    .transpose_i(transpose_i), .address_i(address_i), .mask_i(mask_i[31:0]), .data_i(slots[0])
  );
  unpack_rec_write1 #(.Index(Index)) u_write1 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_i && mask_i[63:32] != 32'd0), .dst_i(dst_i), .wide_i(wide_i), .bank_i(bank_i),
    .transpose_i(transpose_i), .address_i(address_i), .mask_i(mask_i[63:32]), .data_i(slots[1])
  );
  unpack_rec_write2 #(.Index(Index)) u_write2 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_i && mask_i[95:64] != 32'd0), .dst_i(dst_i), .wide_i(wide_i), .bank_i(bank_i),
    .transpose_i(transpose_i), .address_i(address_i), .mask_i(mask_i[95:64]), .data_i(slots[2])
  );
  unpack_rec_write3 #(.Index(Index)) u_write3 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_i && mask_i[127:96] != 32'd0), .dst_i(dst_i), .wide_i(wide_i), .bank_i(bank_i),
    .transpose_i(transpose_i), .address_i(address_i), .mask_i(mask_i[127:96]), .data_i(slots[3])
  );

endmodule

`default_nettype wire
