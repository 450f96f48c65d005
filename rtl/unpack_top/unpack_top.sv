// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with what stands beside them: copy of the configuration, address counters, SrcA and
// SrcB with their owners, and Dst. Nothing is worked out here.
//
// Latency: docs/unpack.md is the cycle contract. Handshake: a word issues to unpacker u only with
// ready_o[u], of a thread only without its hold_o; everything else is a pulse, a level, or is never
// refused. Reset: nothing under way, all state 0, Dst's rows valid.
`default_nettype none

module unpack_top
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import unpack_config_pkg::*;
  import unpack_fault_pkg::*;
#(
  parameter int ZwW               = 8,        // profile zw_w
  parameter int NopEnc            = 0,        // nop_enc: 0 WH, 1 BH
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int RowW              = 32,       // row_w
  parameter int UpsampleZeros     = 32'h7310, // four bits a rate, rate 0 lowest
  parameter int Fp8E5m2Fill       = 1,
  parameter int DstRemap          = 0,
  parameter int L1Lines           = 93696     // l1_bytes / 16
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire config_write_t cfg_i,
  input  wire setc16_t       setc16_i [3],
  // instructions, one port an unpacker
  input  wire logic          issue_valid_i [2],
  input  wire logic [1:0]    issue_thread_i [2],
  input  wire logic [31:0]   issue_word_i [2],
  output wire logic [1:0]    ready_o,
  output wire logic [2:0]    hold_o,
  // words for the address counters, one port a thread
  input  wire logic          counter_valid_i [3],
  input  wire logic [31:0]   counter_word_i [3],
  // Matrix Unit
  input  wire matrix_t       matrix_i,
  input  wire logic [1:0]    matrix_banks_i,     // level: its SrcA, SrcB bank pointers
  output wire matrix_row_t   matrix_row_o,
  input  wire logic [19:0]   setreg_base0_i,
  input  wire logic [19:0]   setreg_base1_i,
  // of each unpacker: L1, events (section 7)
  output wire l1_request_t   l1_o [2],
  input  wire l1_answer_t    l1_answer_i [2],
  output wire overlay_t      overlay_o [2],
  output wire setreg_write_t setreg_o [2],
  // what waits look at
  output wire logic [3:0]    owner_o,            // {B1, B0, A1, A0}
  output wire logic [5:0]    busy_o,             // bit 2t + u
  // faults: docs/unpack.md section 8, first flag lowest
  output wire fault_t        fault_o [2],
  output wire logic [4:0]    read_fault_o [2],
  output wire logic [6:0]    write_fault_o [2],
  output wire logic [2:0]    unit_fault_o,
  output wire logic          counter_fault_illegal_o [3],
  output wire logic          counter_fault_x_override_o [3],
  output wire logic          counter_fault_empty_o [3],
  output wire logic [8:0]    counter_conflict_o
);

  localparam int DstBanks = dst_pkg::Banks;

  // ---- address counters
  wire logic [60:0] live [18];  // as rtl/adc/adc.sv
  /* verilator lint_off UNUSEDSIGNAL */  // the bench looks at them
  wire logic [60:0] cr [18];
  wire logic [16:0] acc [2];
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic unpack_valid, unpack_unpacker;
  wire logic [1:0] unpack_thread, unpack_adc, unpack_y0, unpack_z0, unpack_y1, unpack_z1;
  wire logic [2:0] unused_adc_faults;

  adc #(.ZwW(ZwW)) u_adc (
    .clk_i, .rst_ni, .issue_valid_i(counter_valid_i), .issue_word_i(counter_word_i),
    .unpack_valid_i(unpack_valid), .unpack_unpacker_i(unpack_unpacker),
    .unpack_thread_i(unpack_thread), .unpack_adc_i(unpack_adc),
    .unpack_y0_i(unpack_y0), .unpack_z0_i(unpack_z0),
    .unpack_y1_i(unpack_y1), .unpack_z1_i(unpack_z1),
    .pack_valid_i(1'b0), .pack_sets_i(3'd0), .pack_addr_mod_i(16'd0),
    .flop_valid_i(1'b0), .flop_thread_i(2'd0), .flop_select_i(2'd0), .flop_channel_i(1'b0),
    .flop_counter_i(2'd0), .flop_checkpoint_i(1'b0), .flop_value_i(18'd0),
    .live_o(live), .cr_o(cr), .fault_illegal_o(counter_fault_illegal_o),
    .fault_x_override_o(counter_fault_x_override_o), .fault_empty_o(counter_fault_empty_o),
    .fault_unpack_thread_o(unused_adc_faults[0]), .fault_flop_thread_o(unused_adc_faults[1]),
    .fault_flop_select_o(unused_adc_faults[2]), .conflict_o(counter_conflict_o)
  );

  // ---- configuration, and what instructions are made of it
  wire logic config_unpacker, config_multi;
  wire logic [1:0] config_thread, nop_thread [2], unsigned_change, context_clear [3];
  wire logic [2:0] config_context, config_offset;
  sampling_t sampling;
  config_t config_words;
  wire nop_config_t nop_config [2];
  wire logic plan_valid [2], load [2], rsi_valid [2];
  wire plan_t plan [2];
  wire rsi_t rsi [2];
  wire logic [5:0] front_busy;

  unpack_config u_config (
    .clk_i, .rst_ni, .cfg_i, .setc16_i, .change_o(unsigned_change), .clear_o(context_clear),
    .unpacker_i(config_unpacker), .thread_i(config_thread), .multi_i(config_multi),
    .context_i(config_context), .offset_o(config_offset), .sampling_o(sampling),
    .config_o(config_words), .nop_thread_i(nop_thread), .nop_o(nop_config)
  );

  unpack_front #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .DstRemap(DstRemap)
  ) u_front (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,
    .config_unpacker_o(config_unpacker), .config_thread_o(config_thread),
    .config_multi_o(config_multi), .config_context_o(config_context),
    .config_offset_i(config_offset), .config_sampling_i(sampling), .config_i(config_words),
    .config_nop_thread_o(nop_thread), .config_nop_i(nop_config),
    .context_clear_i(context_clear),
    .unpack_valid_o(unpack_valid), .unpack_unpacker_o(unpack_unpacker),
    .unpack_thread_o(unpack_thread), .unpack_adc_o(unpack_adc),
    .unpack_y0_o(unpack_y0), .unpack_z0_o(unpack_z0),
    .unpack_y1_o(unpack_y1), .unpack_z1_o(unpack_z1), .live_i(live),
    .plan_valid_o(plan_valid), .plan_o(plan),
    .load_i(load), .rsi_valid_o(rsi_valid), .rsi_o(rsi),
    .fault_o, .busy_o(front_busy)
  );

  // ---- the unpackers
  wire logic [19:0] setreg_base [2];
  wire logic fetching [2];
  wire logic [2:0] want [2], grant [2];
  wire logic [2:0] fetch_busy [2], write_busy [2];
  wire logic done [2], bounded_done [2];
  wire logic [1:0] flip [2], theirs [2];
  wire logic src_write_valid [2], clear_valid [2];
  wire src_write_t src_write [2];
  src_clear_t [1:0] clear;
  wire logic dst_write_valid [2];
  /* verilator lint_off UNUSEDSIGNAL */  // unpacker 1 has no way to Dst
  dst_write_t [1:0] dst_write;
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic [3:0] owner;
  wire logic [1:0] matrix_file = matrix_i.file;
  wire logic [9:0] matrix_row = matrix_i.row;
  wire logic matrix_zero = matrix_i.valid && matrix_i.op == 2'd2 && !matrix_file[1];

  assign setreg_base[0] = setreg_base0_i;
  assign setreg_base[1] = setreg_base1_i;

  unpack_rates u_rates (.fetching_i(fetching), .want_i(want), .grant_o(grant));

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire logic beat_valid, answer_beat;
    beat_t beat;
    wire l1_answer_t answer = l1_answer_i[u];

    unpack_fetch #(.L1Lines(L1Lines)) u_fetch (
      .clk_i, .rst_ni,
      .plan_valid_i(plan_valid[u]), .plan_i(plan[u]), .load_o(load[u]),
      .rsi_valid_i(rsi_valid[u]), .rsi_i(rsi[u]),
      .fetching_o(fetching[u]), .want_o(want[u]), .grant_i(grant[u]),
      .l1_o(l1_o[u]), .answer_valid_i(answer.valid), .answer_rsi_i(answer.rsi),
      .answer_beat_o(answer_beat), .read_fault_o(read_fault_o[u]),
      .beat_valid_o(beat_valid), .beat_o(beat),
      .done_i(done[u]), .bounded_done_i(bounded_done[u]),
      .setreg_base_i(setreg_base),
      .overlay_o(overlay_o[u]), .setreg_o(setreg_o[u]), .acc_o(acc[u]), .busy_o(fetch_busy[u])
    );

    unpack_write #(.Unpacker(u), .Fp8E5m2Fill(Fp8E5m2Fill)) u_write (
      .clk_i, .rst_ni,
      .beat_valid_i(beat_valid), .beat_i(beat), .answer_valid_i(answer_beat),
      .answer_i({answer.delta, answer.exponent, answer.lines}),
      .theirs_i(theirs[u]), .matrix_bank_i(matrix_banks_i[u]), .matrix_zero_i(matrix_zero),
      .done_o(done[u]), .bounded_done_o(bounded_done[u]), .flip_o(flip[u]),
      .src_write_valid_o(src_write_valid[u]), .src_write_o(src_write[u]),
      .clear_valid_o(clear_valid[u]), .clear_o(clear[u]),
      .dst_write_valid_o(dst_write_valid[u]), .dst_write_o(dst_write[u]),
      .write_fault_o(write_fault_o[u]), .busy_o(write_busy[u])
    );
  end

  // ---- SrcA, SrcB, and whose their banks are
  wire logic read = matrix_i.valid && matrix_i.op == 2'd0;
  wire logic release_bank = matrix_i.valid && matrix_i.op == 2'd1 && !matrix_file[1];
  wire logic zero_dst = matrix_i.valid && matrix_i.op == 2'd2 && matrix_file == 2'd2;
  wire logic [303:0] src_data [2];
  wire logic [1:0] unused_stale;

  for (genvar u = 0; u < 2; u++) begin : gen_src
    src u_src (
      .clk_i, .rst_ni,
      .write_valid_i(src_write_valid[u]), .write_i(src_write[u]),
      .clear_valid_i(clear_valid[u]), .clear_i(clear[u]),
      .read_valid_i(read && matrix_file == 2'(u)), .read_bank_i(matrix_i.bank),
      .read_row_i(matrix_row[5:0]), .read_data_o(src_data[u])
    );
  end

  src_owner u_owner (
    .clk_i, .rst_ni, .flip_i(flip),
    .release_valid_i(release_bank), .release_file_i(matrix_file[0]),
    .release_bank_i(matrix_i.bank),
    .read_valid_i(read && !matrix_file[1]), .read_file_i(matrix_file[0]),
    .read_bank_i(matrix_i.bank), .stale_read_o(unit_fault_o[UnitFaultStale]),
    .dst_valid_i(dst_write_valid[0]), .dst_bank_i(dst_write[0].bank),
    .clear_valid_i(clear_valid[0]), .clear_banks_i(clear[0].banks),
    .owner_o(owner), .theirs_o(theirs), .stale_o(unused_stale)
  );

  // ---- Dst, with one lane for the Matrix Unit
  wire logic [DstBanks-1:0] bank_valid, bank_row_valid;
  wire logic [5:0] bank_place [DstBanks];
  wire logic [Columns-1:0] bank_mask [DstBanks];
  wire logic [dst_pkg::RowBits-1:0] bank_data [DstBanks];
  wire logic lane_valid [2], lane_wide [2], unused_grant [2], row_valid [2];
  wire logic [9:0] lane_row [2];
  wire logic [dst_pkg::RowBits-1:0] dst_data [2], unused_low [2];

  assign lane_valid[0] = read && matrix_file == 2'd2;
  assign lane_row[0] = matrix_row;
  assign lane_wide[0] = 1'b0;
  assign lane_valid[1] = 1'b0;  // arrays of ports have two elements at least
  assign lane_row[1] = 10'd0;
  assign lane_wide[1] = 1'b0;

  dst_block u_block (
    .clk_i, .rst_ni, .valid_i(dst_write_valid[0]), .wide_i(dst_write[0].wide),
    .remap_i(dst_write[0].remap), .swizzle_i(dst_write[0].swizzle),
    .block_i(dst_write[0].block), .mask_i(dst_write[0].mask),
    .high_i(dst_write[0].high), .low_i(dst_write[0].low),
    .write_valid_o(bank_valid), .write_row_valid_o(bank_row_valid), .write_place_o(bank_place),
    .write_mask_o(bank_mask), .write_data_o(bank_data)
  );

  dst #(.Reads(2)) u_dst (
    .clk_i, .rst_ni,
    .read_valid_i(lane_valid), .read_row_i(lane_row), .read_wide_i(lane_wide),
    .read_grant_o(unused_grant), .read_high_o(dst_data), .read_low_o(unused_low),
    .read_row_valid_o(row_valid),
    .write_valid_i(bank_valid), .write_row_valid_i(bank_row_valid), .write_place_i(bank_place),
    .write_mask_i(bank_mask), .write_data_i(bank_data),
    .earlier_i(16'd0), .earlier_place_i(6'd0),
    .zero_valid_i(zero_dst), .zero_all_i(matrix_row[0]), .zero_half_i(matrix_i.bank)
  );

  // ---- the row that the Matrix Unit has read
  logic read_q;
  logic [1:0] file_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      file_q <= '0;
    end else begin
      read_q <= read && matrix_file != 2'd3;
      if (read) file_q <= matrix_file;
    end
  end

  wire logic [511:0] read_data;

  assign matrix_row_o = {read_q, file_q[1] && row_valid[0], read_data};
  for (genvar c = 0; c < Columns; c++) begin : gen_column
    assign read_data[32*c+:32] = file_q[1] ? 32'(dst_data[0][16*c+:16])
      : file_q[0] ? 32'(src_data[1][SrcBits*c+:SrcBits]) : 32'(src_data[0][SrcBits*c+:SrcBits]);
  end

  // ---- who is busy
  assign owner_o = owner;
  for (genvar u = 0; u < 2; u++) begin : gen_busy
    for (genvar t = 0; t < 3; t++) begin : gen_thread
      assign busy_o[2*t+u] = front_busy[2*t+u] || fetch_busy[u][t] || write_busy[u][t];
    end
    assign unit_fault_o[u] = unsigned_change[u] && {busy_o[u+4], busy_o[u+2], busy_o[u]} != 3'd0;
  end

endmodule

`default_nettype wire
