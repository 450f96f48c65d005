// SPDX-License-Identifier: Apache-2.0
//
// Both unpackers: from L1 to SrcA, SrcB and Dst, with address counters, register files and all.
//
// Latency: a word that issues in t is sampled in t+1 and can be fetched for from t+3 on; an UNPACR
// of both that issue at once waits for the other. Handshake: a word issues to unpacker u only with
// ready_o[u], of a thread only without its hold_o; everything else is a pulse, a level, or is never
// refused. Reset: nothing under way, all state 0. docs/unpack.md is the cycle contract.
`default_nettype none

module unpack
  import tilepath_isa_pkg::*;
  import unpack_pkg::*;
  import unpack_plan_pkg::*;
  import unpack_fault_pkg::*;
#(
  parameter int ZwW               = 8,        // profile zw_w
  parameter int NopEnc            = 0,        // nop_enc: 0 WH, 1 BH
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int RowW              = 32,       // row_w
  parameter int UpsampleZeros     = 32'h7310, // four bits a rate, rate 0 lowest
  parameter int Fp8E5m2Fill       = 1,
  parameter int L1Lines           = 93696     // l1_bytes / 16
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  // configuration writes
  input  wire logic           cfg_valid_i,
  input  wire logic [1:0]     cfg_banks_i,
  input  wire logic [7:0]     cfg_index_i,
  input  wire logic           cfg_wide_i,
  input  wire logic [127:0]   cfg_data_i,
  input  wire logic           setc16_valid_i [3],
  input  wire logic [6:0]     setc16_index_i [3],
  input  wire logic [15:0]    setc16_value_i [3],
  // instructions, one port an unpacker
  input  wire logic           issue_valid_i [2],
  input  wire logic [1:0]     issue_thread_i [2],
  input  wire logic [31:0]    issue_word_i [2],
  output wire logic [1:0]     ready_o,
  output wire logic [2:0]     hold_o,
  // words for the address counters, one port a thread
  input  wire logic           counter_valid_i [3],
  input  wire logic [31:0]    counter_word_i [3],
  // Matrix Unit
  input  wire logic           matrix_valid_i,
  input  wire logic [1:0]     matrix_op_i,
  input  wire logic [1:0]     matrix_file_i,
  input  wire logic           matrix_bank_i,
  input  wire logic [9:0]     matrix_row_i,
  input  wire logic [1:0]     matrix_banks_i,        // level: its SrcA, SrcB bank pointers
  output wire logic           matrix_read_valid_o,
  output wire logic [511:0]   matrix_read_data_o,    // 16 x 32, column 0 lowest
  output wire logic           matrix_read_row_valid_o,
  input  wire logic [19:0]    setreg_base0_i,
  input  wire logic [19:0]    setreg_base1_i,
  // L1, one port an unpacker
  output wire logic           l1_valid_o [2],
  output wire logic [2:0]     l1_count_o [2],
  output wire logic [111:0]   l1_lines_o [2],        // {line3, line2, line1, line0}
  output wire logic           l1_has_exponent_o [2],
  output wire logic [27:0]    l1_exponent_o [2],
  output wire logic           l1_has_delta_o [2],
  output wire logic [27:0]    l1_delta_o [2],
  input  wire logic           l1_answer_valid_i [2],
  input  wire logic [511:0]   l1_answer_lines_i [2], // line0 lowest
  input  wire logic [127:0]   l1_answer_exponent_i [2],
  input  wire logic [127:0]   l1_answer_delta_i [2],
  // a step of the write stage, as it goes
  output wire logic           write_valid_o [2],     // a step with a mask that is not 0
  output wire logic           write_dst_o [2],
  output wire logic           write_wide_o [2],
  output wire logic           write_bank_o [2],
  output wire logic           write_transpose_o [2],
  output wire logic [13:0]    write_address_o [2],   // of slot 0
  output wire logic [127:0]   write_mask_o [2],      // bit k: slot k
  output wire logic [2431:0]  write_data_o [2],      // 19 bits a slot
  output wire logic [415:0]   write_high_o [2],      // bits 31:19 of slots 0 to 31 (32-bit Dst)
  output wire logic           clear_valid_o [2],
  output wire logic [1:0]     clear_banks_o [2],
  output wire logic [18:0]    clear_value_o [2],
  output wire logic           overlay_valid_o [2],
  output wire logic [5:0]     overlay_stream_o [2],
  output wire logic [10:0]    overlay_count_o [2],
  output wire logic           setreg_valid_o [2],
  output wire logic [31:0]    setreg_address_o [2],
  output wire logic [31:0]    setreg_data_o [2],
  // state
  // {acc, context2, context1, context0, row2, row1, row0, bank}
  output wire logic [44:0]    pointers_o [2],
  output wire logic [3:0]     owner_o,               // {B1, B0, A1, A0}
  output wire logic [5:0]     busy_o,                // bit 2t + u
  output wire logic [60:0]    live_o [18],           // as rtl/adc/adc.sv
  output wire logic [60:0]    cr_o [18],
  // faults: docs/unpack.md section 8, first flag lowest
  output wire logic           fault_valid_o [2],
  output wire logic [1:0]     fault_thread_o [2],
  output wire logic [27:0]    fault_flags_o [2],
  output wire logic [4:0]     read_fault_o [2],      // {start_align, delta, rsi, exponent, datum}
  // {empty_flip, zerosrc_race, zerosrc_matrix, flip_owner, srcb_row, srca_row, bfpa}
  output wire logic [6:0]     write_fault_o [2],
  output wire logic [2:0]     unit_fault_o,          // {stale, unsigned1, unsigned0}
  output wire logic           counter_fault_illegal_o [3],
  output wire logic           counter_fault_x_override_o [3],
  output wire logic           counter_fault_empty_o [3],
  output wire logic [8:0]     counter_conflict_o
);

  // ---- the UNPACR of the sampling cycle
  wire logic sample, last, unpacker, regular, compressed;
  wire logic [1:0] thread;
  wire logic [22:0] word;
  wire logic nop [2], nop_flip [2];
  wire logic [1:0] nop_thread [2];
  wire logic [22:0] nop_word [2];
  wire logic [5:0] nop_stream [2];
  wire logic [18:0] nop_value [2];
  wire logic [1:0] queued [2];
  wire logic [5:0] address_busy;

  unp_address u_address (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,
    .busy_o(address_busy), .sample_o(sample), .last_o(last), .unpacker_o(unpacker),
    .thread_o(thread), .word_o(word), .regular_o(regular), .compressed_i(compressed),
    .nop_o(nop), .nop_thread_o(nop_thread), .nop_word_o(nop_word), .queued_i(queued)
  );

  // ---- configuration and context (5.1)
  wire logic [ConfigWidth-1:0] cfg;
  wire logic [1:0] context_clear [3];
  wire logic [1:0] unsigned_change, context_count, base;
  wire logic set_upd, ovrd;
  wire logic [2:0] offset;
  wire logic [1:0] nop_base [2];
  wire logic bank [2];
  wire logic [5:0] row [2];
  wire logic [2:0] context_now [2];
  wire logic [27:0] pointers [2];

  wire logic multi = word[UNPACR_MULTI_CONTEXT_LSB];
  wire logic counted = word[UNPACR_USE_CTX_COUNTER_LSB];
  wire logic flip = word[UNPACR_FLIP_SRC_LSB];
  wire logic increment = word[UNPACR_INC_CTX_LSB] && !word[UNPACR_FLUSH_CACHE_LSB];
  wire logic [2:0] number = word[UNPACR_CONTEXT_NUMBER_MSB:UNPACR_CONTEXT_NUMBER_LSB];
  wire logic [1:0] number_adc = word[UNPACR_CONTEXT_ADC_MSB:UNPACR_CONTEXT_ADC_LSB];
  wire logic [2:0] ctx
    = multi ? (counted ? (unpacker ? context_now[1] : context_now[0]) : number) + offset : 3'd0;
  wire logic [1:0] which_adc = !multi ? thread : number_adc == 2'd3 ? 2'd0 : number_adc;

  unp_config u_config (
    .clk_i, .rst_ni, .cfg_valid_i, .cfg_banks_i, .cfg_index_i, .cfg_wide_i, .cfg_data_i,
    .setc16_valid_i, .setc16_index_i, .setc16_value_i, .change_o(unsigned_change),
    .clear_o(context_clear), .unpacker_i(unpacker), .thread_i(thread), .multi_i(multi),
    .context_i(ctx), .config_o(cfg), .compressed_o(compressed), .set_upd_o(set_upd),
    .context_count_o(context_count), .ovrd_o(ovrd), .base_o(base), .offset_o(offset),
    .nop_thread_i(nop_thread), .nop_base_o(nop_base), .nop_stream_o(nop_stream),
    .nop_value_o(nop_value)
  );

  // ---- what instructions leave behind (6)
  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire logic sampled = sample && unpacker == 1'(u);

    unp_pointers u_pointers (
      .clk_i, .rst_ni,
      .thread_i(nop[u] ? nop_thread[u] : thread),
      .context_i(sampled && (regular ? multi && counted : increment)),
      .context_value_i(regular ? ctx : context_now[u]),
      .context_count_i(context_count),
      .flip_i(nop_flip[u] || (sampled && regular && flip)),
      .advance_i(sampled && regular && set_upd),
      .base_i(nop[u] ? nop_base[u] : base),
      .clear_i({context_clear[2][u], context_clear[1][u], context_clear[0][u]}),
      .bank_o(bank[u]), .row_o(row[u]), .context_o(context_now[u]), .pointers_o(pointers[u])
    );
  end

  // ---- queues
  wire logic plan_valid [2], load [2];
  wire logic [PlanWidth-1:0] plan [2];
  wire logic [1:0] plan_thread [2];
  wire logic [FaultWidth-1:0] plan_faults [2];
  wire logic [2:0] queue_busy [2];

  unp_queues #(
    .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros)
  ) u_queues (
    .clk_i, .rst_ni, .sample_i(sample && regular), .push_i(last && regular),
    .unpacker_i(unpacker), .thread_i(thread), .word_i(word[14:0]), .high_context_i(|ctx[2:1]),
    .adc_i(which_adc), .row_i(unpacker ? row[1] : row[0]), .ovrd_i(ovrd), .config_i(cfg),
    .live_i(live_o), .nop_i(nop), .nop_thread_i(nop_thread), .nop_word_i(nop_word),
    .nop_stream_i(nop_stream), .nop_value_i(nop_value), .nop_flip_o(nop_flip), .bank_i(bank),
    .count_o(queued), .valid_o(plan_valid), .plan_o(plan), .thread_o(plan_thread),
    .faults_o(plan_faults), .load_i(load), .busy_o(queue_busy)
  );

  // ---- address counters
  wire logic [2:0] unused_adc_faults;

  adc #(.ZwW(ZwW)) u_adc (
    .clk_i, .rst_ni, .issue_valid_i(counter_valid_i), .issue_word_i(counter_word_i),
    .unpack_valid_i(last && regular), .unpack_unpacker_i(unpacker), .unpack_thread_i(thread),
    .unpack_adc_i(which_adc),
    .unpack_y0_i(word[UNPACR_CH0_Y_INC_MSB:UNPACR_CH0_Y_INC_LSB]),
    .unpack_z0_i(word[UNPACR_CH0_Z_INC_MSB:UNPACR_CH0_Z_INC_LSB]),
    .unpack_y1_i(word[UNPACR_CH1_Y_INC_MSB:UNPACR_CH1_Y_INC_LSB]),
    .unpack_z1_i(word[UNPACR_CH1_Z_INC_MSB:UNPACR_CH1_Z_INC_LSB]),
    .pack_valid_i(1'b0), .pack_sets_i(3'd0), .pack_addr_mod_i(16'd0),
    .flop_valid_i(1'b0), .flop_thread_i(2'd0), .flop_select_i(2'd0), .flop_channel_i(1'b0),
    .flop_counter_i(2'd0), .flop_checkpoint_i(1'b0), .flop_value_i(18'd0),
    .live_o, .cr_o, .fault_illegal_o(counter_fault_illegal_o),
    .fault_x_override_o(counter_fault_x_override_o), .fault_empty_o(counter_fault_empty_o),
    .fault_unpack_thread_o(unused_adc_faults[0]), .fault_flop_thread_o(unused_adc_faults[1]),
    .fault_flop_select_o(unused_adc_faults[2]), .conflict_o(counter_conflict_o)
  );

  // ---- fetch and write stages, register files
  wire logic [2:0] back_busy [2];
  wire logic [16:0] acc [2];

  unp_back #(.Fp8E5m2Fill(Fp8E5m2Fill), .L1Lines(L1Lines)) u_back (
    .clk_i, .rst_ni, .plan_valid_i(plan_valid), .plan_i(plan), .load_o(load), .busy_o(back_busy),
    .acc_o(acc), .matrix_valid_i, .matrix_op_i, .matrix_file_i, .matrix_bank_i, .matrix_row_i,
    .matrix_banks_i, .matrix_read_valid_o, .matrix_read_data_o, .matrix_read_row_valid_o,
    .setreg_base0_i, .setreg_base1_i,
    .l1_valid_o, .l1_count_o, .l1_lines_o, .l1_has_exponent_o, .l1_exponent_o, .l1_has_delta_o,
    .l1_delta_o, .l1_answer_valid_i, .l1_answer_lines_i, .l1_answer_exponent_i,
    .l1_answer_delta_i,
    .write_valid_o, .write_dst_o, .write_wide_o, .write_bank_o, .write_transpose_o,
    .write_address_o, .write_mask_o, .write_data_o, .write_high_o,
    .clear_valid_o, .clear_banks_o, .clear_value_o, .overlay_valid_o, .overlay_stream_o,
    .overlay_count_o, .setreg_valid_o, .setreg_address_o, .setreg_data_o, .owner_o,
    .read_fault_o, .write_fault_o, .stale_fault_o(unit_fault_o[2])
  );

  // ---- state and faults
  wire logic [FaultWidth-1:0] special_faults;
  wire logic [1:0] busy_unpackers = {busy_o[5] || busy_o[3] || busy_o[1],
                                     busy_o[4] || busy_o[2] || busy_o[0]};

  // an UNPACR that enters no queue (section 8)
  assign special_faults = FaultWidth'(word[UNPACR_SRCB_BCAST_LSB] || word[14]) << FaultReservedBit
                          | FaultWidth'(!word[UNPACR_LAST_LSB]) << FaultNotLast;
  assign busy_o = address_busy | {queue_busy[1][2] || back_busy[1][2],
                                  queue_busy[0][2] || back_busy[0][2],
                                  queue_busy[1][1] || back_busy[1][1],
                                  queue_busy[0][1] || back_busy[0][1],
                                  queue_busy[1][0] || back_busy[1][0],
                                  queue_busy[0][0] || back_busy[0][0]};
  assign unit_fault_o[1:0] = unsigned_change & busy_unpackers;

  for (genvar u = 0; u < 2; u++) begin : gen_faults
    wire logic [FaultWidth-1:0] of_load = load[u] ? plan_faults[u] : '0;
    wire logic [FaultWidth-1:0] of_special
      = sample && !regular && unpacker == 1'(u) ? special_faults : '0;

    assign fault_flags_o[u] = of_load | of_special;
    assign fault_valid_o[u] = fault_flags_o[u] != '0;
    assign fault_thread_o[u] = of_load != '0 ? plan_thread[u] : fault_valid_o[u] ? thread : 2'd0;
    assign pointers_o[u] = {acc[u], pointers[u]};
  end

endmodule

`default_nettype wire
