// SPDX-License-Identifier: Apache-2.0
//
// Everything behind the queues of the two unpackers: their engines, the arbiter of the rates, the
// register files with their owners, and the Matrix Unit's reads.
//
// Latency: an instruction taken with load_o in q is worked on from q+1 on; a matrix read is out in
// the next cycle. docs/unpack.md is the cycle contract. Reset: everything empty, registers 0.
`default_nettype none

module unp_back
  import unpack_pkg::*, unpack_step_pkg::*;
#(
  parameter int Fp8E5m2Fill = 1,
  parameter int L1Lines     = 93696
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  // heads of the queues, stable until they are taken
  input  wire logic           plan_valid_i [2],
  input  wire logic [PlanWidth-1:0] plan_i [2],
  output wire logic           load_o [2],
  output wire logic [2:0]     busy_o [2],  // threads that have an instruction here
  output wire logic [16:0]    acc_o [2],
  // Matrix Unit
  input  wire logic           matrix_valid_i,
  input  wire logic [1:0]     matrix_op_i,
  input  wire logic [1:0]     matrix_file_i,
  input  wire logic           matrix_bank_i,
  input  wire logic [9:0]     matrix_row_i,
  input  wire logic [1:0]     matrix_banks_i,
  output wire logic           matrix_read_valid_o,
  output wire logic [511:0]   matrix_read_data_o,
  output wire logic           matrix_read_row_valid_o,
  input  wire logic [19:0]    setreg_base0_i,
  input  wire logic [19:0]    setreg_base1_i,
  // L1, one port an unpacker
  output wire logic           l1_valid_o [2],
  output wire logic [2:0]     l1_count_o [2],
  output wire logic [111:0]   l1_lines_o [2],
  output wire logic           l1_has_exponent_o [2],
  output wire logic [27:0]    l1_exponent_o [2],
  output wire logic           l1_has_delta_o [2],
  output wire logic [27:0]    l1_delta_o [2],
  input  wire logic           l1_answer_valid_i [2],
  input  wire logic [511:0]   l1_answer_lines_i [2],
  input  wire logic [127:0]   l1_answer_exponent_i [2],
  input  wire logic [127:0]   l1_answer_delta_i [2],
  // a step of the write stage, as it goes
  output wire logic           write_valid_o [2],
  output wire logic           write_dst_o [2],
  output wire logic           write_wide_o [2],
  output wire logic           write_bank_o [2],
  output wire logic           write_transpose_o [2],
  output wire logic [13:0]    write_address_o [2],
  output wire logic [127:0]   write_mask_o [2],
  output wire logic [2431:0]  write_data_o [2],
  output wire logic [415:0]   write_high_o [2],
  output wire logic           clear_valid_o [2],
  output wire logic [1:0]     clear_banks_o [2],
  output wire logic [18:0]    clear_value_o [2],
  output wire logic           overlay_valid_o [2],
  output wire logic [5:0]     overlay_stream_o [2],
  output wire logic [10:0]    overlay_count_o [2],
  output wire logic           setreg_valid_o [2],
  output wire logic [31:0]    setreg_address_o [2],
  output wire logic [31:0]    setreg_data_o [2],
  // state and faults
  output wire logic [3:0]     owner_o,  // {B1, B0, A1, A0}
  output wire logic [4:0]     read_fault_o [2],
  output wire logic [6:0]     write_fault_o [2],
  output wire logic           stale_fault_o
);

  localparam logic [1:0] OpRead = 2'd0, OpRelease = 2'd1, OpZero = 2'd2;
  localparam logic [1:0] FileDst = 2'd2;

  wire logic fetching [2];
  wire logic [2:0] want [2], grant [2];
  wire logic write_ovrd [2];
  wire logic [1:0] owner [2], stale [2];
  wire logic [303:0] src_row [2];
  wire logic [255:0] dst_row;
  wire logic dst_row_valid;
  wire logic read = matrix_valid_i && matrix_op_i == OpRead;

  unp_rates u_rates (.fetching_i(fetching), .want_i(want), .grant_o(grant));

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire logic [1:0] flip;
    wire logic mine = matrix_valid_i && matrix_file_i == 2'(u);
    wire logic [1:0] bank = matrix_bank_i ? 2'b10 : 2'b01;
    wire logic [1:0] written = write_bank_o[u] ? 2'b10 : 2'b01;

    unp_engine #(.Unpacker(u), .Fp8E5m2Fill(Fp8E5m2Fill), .L1Lines(L1Lines)) u_engine (
      .clk_i, .rst_ni,
      .plan_valid_i(plan_valid_i[u]), .plan_i(plan_i[u]), .load_o(load_o[u]), .busy_o(busy_o[u]),
      .acc_o(acc_o[u]),
      .fetching_o(fetching[u]), .want_o(want[u]), .grant_i(grant[u]),
      .l1_valid_o(l1_valid_o[u]), .l1_count_o(l1_count_o[u]), .l1_lines_o(l1_lines_o[u]),
      .l1_has_exponent_o(l1_has_exponent_o[u]), .l1_exponent_o(l1_exponent_o[u]),
      .l1_has_delta_o(l1_has_delta_o[u]), .l1_delta_o(l1_delta_o[u]),
      .l1_answer_valid_i(l1_answer_valid_i[u]), .l1_answer_lines_i(l1_answer_lines_i[u]),
      .l1_answer_exponent_i(l1_answer_exponent_i[u]), .l1_answer_delta_i(l1_answer_delta_i[u]),
      .owner_i(owner[u]), .matrix_bank_i(matrix_banks_i[u]),
      .matrix_zero_i(matrix_valid_i && !matrix_file_i[1] && matrix_op_i == OpZero), .flip_o(flip),
      .clear_valid_o(clear_valid_o[u]), .clear_banks_o(clear_banks_o[u]),
      .clear_value_o(clear_value_o[u]),
      .write_valid_o(write_valid_o[u]), .write_dst_o(write_dst_o[u]),
      .write_wide_o(write_wide_o[u]), .write_ovrd_o(write_ovrd[u]),
      .write_bank_o(write_bank_o[u]), .write_transpose_o(write_transpose_o[u]),
      .write_address_o(write_address_o[u]), .write_mask_o(write_mask_o[u]),
      .write_data_o(write_data_o[u]), .write_high_o(write_high_o[u]),
      .setreg_base0_i, .setreg_base1_i,
      .overlay_valid_o(overlay_valid_o[u]), .overlay_stream_o(overlay_stream_o[u]),
      .overlay_count_o(overlay_count_o[u]),
      .setreg_valid_o(setreg_valid_o[u]), .setreg_address_o(setreg_address_o[u]),
      .setreg_data_o(setreg_data_o[u]),
      .read_fault_o(read_fault_o[u]), .write_fault_o(write_fault_o[u])
    );

    unp_owner u_owner (
      .clk_i, .rst_ni, .flip_i(flip),
      .release_i(mine && matrix_op_i == OpRelease ? bank : 2'd0),
      .clear_i(clear_banks_o[u]),
      .spoil_i(write_valid_o[u] && write_dst_o[u] ? written : 2'd0),
      .owner_o(owner[u]), .stale_o(stale[u])
    );

    src_file u_src (
      .clk_i, .rst_ni,
      .write_valid_i(write_valid_o[u] && !write_dst_o[u]), .write_bank_i(write_bank_o[u]),
      .write_transpose_i(write_transpose_o[u]), .write_address_i(write_address_o[u][9:0]),
      .write_mask_i(write_mask_o[u]), .write_data_i(write_data_o[u]),
      .clear_banks_i(clear_banks_o[u]), .clear_value_i(clear_value_o[u]),
      .read_valid_i(mine && read), .read_bank_i(matrix_bank_i), .read_row_i(matrix_row_i[5:0]),
      .read_data_o(src_row[u])
    );
  end

  // Only unpacker 0 writes to Dst.
  dst_file u_dst (
    .clk_i, .rst_ni,
    .write_valid_i(write_valid_o[0] && write_dst_o[0]), .write_wide_i(write_wide_o[0]),
    .write_ovrd_i(write_ovrd[0]), .write_address_i(write_address_o[0]),
    .write_mask_i(write_mask_o[0]), .write_data_i(write_data_o[0]), .write_high_i(write_high_o[0]),
    .read_valid_i(read && matrix_file_i == FileDst), .read_row_i(matrix_row_i),
    .read_data_o(dst_row), .read_row_valid_o(dst_row_valid)
  );

  assign owner_o = {owner[1], owner[0]};
  assign stale_fault_o = read && matrix_file_i == 2'd0 && stale[0][matrix_bank_i];

  // ---- the row of a read, in the cycle after it
  logic read_q;
  logic [1:0] file_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      file_q <= 2'd0;
    end else begin
      read_q <= read && matrix_file_i != 2'd3;
      if (read) file_q <= matrix_file_i;
    end
  end

  function automatic logic [511:0] columns(input logic valid, input logic [1:0] file,
                                           input logic [303:0] src, input logic [255:0] dst);
    logic [511:0] out;

    out = '0;
    if (valid) begin
      /* verilator unroll_disable */
      for (int c = 0; c < 16; c++) begin
        if (file == FileDst) out[32*c+:16] = dst[16*c+:16];
        else out[32*c+:19] = src[19*c+:19];
      end
    end
    columns = out;
  endfunction

  assign matrix_read_valid_o = read_q;
  assign matrix_read_data_o = columns(read_q, file_q, file_q[0] ? src_row[1] : src_row[0], dst_row);
  assign matrix_read_row_valid_o = read_q && file_q == FileDst && dst_row_valid;

endmodule

`default_nettype wire
