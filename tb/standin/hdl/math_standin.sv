// SPDX-License-Identifier: Apache-2.0
//
// Stands in the Matrix Unit's place, with its values and without its design: one instruction at a
// time, a row a cycle. docs/standin.md is the cycle contract.
//
// Latency: as in the contract. Handshake: a word issues only with ready_o; everything else is a
// pulse or a level. In a cycle with pause_i it stands still. Reset: nothing inside, all state 0.
`timescale 1ns / 1ps
`default_nettype none

module math_standin
  import tilepath_isa_pkg::*;
  import unit_port_pkg::*;
  import config_words_pkg::*;
  import standin_fault_pkg::*;
  import standin_pkg::*;
  import standin_counters_pkg::*;
#(
  parameter int MathEnc            = 1,  // math_enc: 0 WH, 1 BH
  parameter int ImpliedFmt         = 0,
  parameter int MathMinus1         = 0,
  parameter int DstRemap           = 0,
  parameter int ZeroaccHalfRows    = 0,
  parameter int MoveFp32Rows       = 0,
  parameter int SrcbCutInMove      = 1,
  parameter int Movd2bLowZero      = 0,
  parameter int MoveUnalignedWrite = 0,
  parameter int ZeroaccStorageRows = 0,
  parameter int Mova2dRowBlock     = 0
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire config_write_t   cfg_i,
  input  wire setc16_t         setc16_i [3],
  input  wire thread_store_t   store_i,
  // instructions
  input  wire logic            issue_valid_i,
  input  wire logic [1:0]      issue_thread_i,
  input  wire logic [31:0]     issue_word_i,
  output wire logic            ready_o,
  output wire logic [2:0]      busy_o,
  // SrcA, SrcB, Dst
  output wire logic            matrix_valid_o,
  output wire matrix_command_t matrix_o,
  output wire matrix_write_t   write_o,
  input  wire matrix_answer_t  answer_i,
  output wire logic [1:0]      matrix_bank_o,
  input  wire logic [3:0]      owner_i,
  input  wire logic [15:0]     implied_i,
  input  wire logic [1:0]      stale_i,
  input  wire logic [1:0]      unpack_bank_i,
  input  wire logic            pause_i,
  input  wire logic [1:0]      unpack_zero_i,
  input  wire logic [3:0]      pack_read_i,
  input  wire logic            pack_wide_i,
  input  wire logic [9:0]      pack_row_i [4],
  // packers, monitors
  output wire logic            hist_clear_o,
  output wire rwc_t            rwc_o [3],
  output wire logic [1:0]      fault_thread_o,
  output wire logic [31:0]     fault_word_o,
  output wire logic [FaultWidth-1:0] fault_o
);

  localparam logic Wh = MathEnc == MATH_ENC_WH;

  // ---- the instruction inside
  logic inside_q;
  logic [4:0] step_q;           // cycles since sampling
  logic [1:0] thread_q;
  logic [31:0] word_q;
  logic [FaultWidth-1:0] flags_q;  // so far
  wire logic runs = inside_q && !pause_i;
  wire logic first = step_q == 5'd0;
  wire logic [7:0] op = word_q[31:24];
  wire logic [23:0] w = word_q[23:0];

  assign ready_o = !inside_q;
  assign busy_o = inside_q ? 3'd1 << thread_q : 3'd0;

  // ---- what it is
  wire logic is_elw = op == OP_ELWMUL || op == OP_ELWADD || op == OP_ELWSUB;
  wire logic is_pool = op == OP_GMPOOL || op == OP_GAPOOL;
  wire logic is_move = op == OP_MOVA2D || op == OP_MOVB2D || op == OP_MOVD2A || op == OP_MOVD2B
                       || op == OP_MOVB2A;
  wire logic of_dst_row = op == OP_MOVD2A || op == OP_MOVD2B;
  wire logic is_short = op == OP_SETRWC || op == OP_INCRWC || op == OP_CLEARDVALID
                        || op == OP_GATESRCRST || op == OP_CLREXPHIST || op == OP_ZEROACC
                        || op == OP_ZEROSRC;
  wire logic known = is_elw || is_pool || is_move || is_short || op == OP_MVMUL
                     || op == OP_TRNSPSRCB;
  wire logic [2:0] b_mode = Wh ? w[14:12] : w[13:11];  // of MOVB2D
  wire logic spreads = op == OP_MOVB2D && b_mode[1];   // a row to eight
  wire logic low = w[23] && is_move && op != OP_MOVB2A;  // half of Dst
  wire logic [4:0] last_step
    = is_move ? {1'b0, rows} : is_elw ? 5'd8 : op == OP_MVMUL ? 5'd24 : is_pool ? 5'd20
    : op == OP_TRNSPSRCB ? 5'd31 : op == OP_ZEROACC ? {1'b0, rows} - 5'd1 : 5'd0;
  wire logic ends = runs && step_q == last_step;
  wire logic [1:0] zero_mode = w[20:19];
  wire logic modifies = is_elw || is_pool || is_move || op == OP_MVMUL
                        || (op == OP_ZEROACC && !zero_mode[1]);

  // ---- configuration and counters; of the cycle of sampling, then as they were
  wire rwc_t rwc;
  wire logic [2:0] modifier = is_pool ? (Wh ? {rwc.bias, w[16:15]} : w[17:15])
                            : Wh ? {rwc.bias, w[16:15]} : w[16:14];
  wire alu_format_word_t fmt;
  wire alu_rounding_word_t alu;
  wire logic keep_zero, force_fp16;
  wire dst_access_word_t access_word;
  wire logic [11:0] offset;
  wire logic [1:0] explicit_fmt, keep_bank, base_phase;
  wire addr_mod_ab_word_t mod_ab;
  wire addr_mod_dst_word_t mod_dst;
  wire addr_mod_bias_word_t mod_bias;

  standin_config u_config (
    .clk_i, .rst_ni, .cfg_i, .setc16_i, .store_i, .thread_i(thread_q), .modifier_i(modifier),
    .format_o(fmt), .control_o(alu), .keep_zero_o(keep_zero), .access_o(access_word),
    .offset_o(offset), .explicit_o(explicit_fmt), .keep_bank_o(keep_bank), .phase_o(base_phase),
    .force_fp16_o(force_fp16), .ab_o(mod_ab), .dst_o(mod_dst), .bias_o(mod_bias)
  );

  typedef struct packed {
    addr_mod_ab_word_t   ab;
    addr_mod_dst_word_t  dst;
    addr_mod_bias_word_t bias;
    logic [1:0]          keep_bank;
    logic [1:0]          access;
    logic [5:0]          row_a;
    logic [5:0]          row_b;
    logic [9:0]          row;
    logic                wide;      // Dst's rows, as they are read and written
    mode_t               mode;
    logic                tf32;      // what is moved
  } sample_t;

  logic [1:0] banks_q;
  sample_t sample_q;
  sample_t now, sampled;

  assign matrix_bank_o = banks_q;

  wire logic [3:0] implied_a = banks_q[0] ? implied_i[7:4] : implied_i[3:0];
  wire logic [3:0] implied_b = banks_q[1] ? implied_i[15:12] : implied_i[11:8];
  wire logic [3:0] told_a = fmt.srca_override ? fmt.srca_val : alu.srca;
  wire logic [3:0] told_b = fmt.srcb_override ? fmt.srcb_val : alu.srcb;
  wire logic implies_a = ImpliedFmt != 0 && !explicit_fmt[0];
  wire logic implies_b = ImpliedFmt != 0 && !explicit_fmt[1];
  wire logic [3:0] format_a
    = force_fp16 ? 4'(FMT_FP16)
    : !implies_a ? told_a : op == OP_MOVB2D || op == OP_MOVD2B ? implied_b : implied_a;
  wire logic [3:0] unforced_b = implies_b ? implied_b : told_b;
  wire logic [3:0] format_b = force_fp16 ? 4'(FMT_FP16) : unforced_b;
  wire logic [3:0] cut_to = op == OP_MOVB2A ? unforced_b : format_b;
  wire logic wide32 = !force_fp16 && alu.fp32_enabled;
  wire logic integers = !force_fp16 && alu.int8_math_enabled;
  wire logic into_dst = op == OP_MOVA2D || op == OP_MOVB2D;
  wire logic tf32 = MoveFp32Rows != 0 && into_dst && wide32 || format_a == 4'(FMT_TF32);

  // ---- rows
  wire logic [3:0] rows;      // of a move
  wire logic zero_wide, out_of_range;
  wire logic [5:0] row_a, row_b;
  wire logic [9:0] row;

  standin_places #(
    .MathEnc(MathEnc), .ZeroaccHalfRows(ZeroaccHalfRows), .MoveUnalignedWrite(MoveUnalignedWrite),
    .ZeroaccStorageRows(ZeroaccStorageRows), .Mova2dRowBlock(Mova2dRowBlock)
  ) u_places (
    .opcode_i(op), .word_i(w), .b_mode_i(b_mode), .odd_i(modifier[0]), .rwc_i(rwc),
    .offset_i(offset[9:0]), .wide_i(alu.fp32_enabled || alu.int8_math_enabled),
    .absolute_i(access_word.zeroacc_absolute_tile_mode), .rows_o(rows), .row_a_o(row_a),
    .row_b_o(row_b), .row_o(row), .zero_wide_o(zero_wide), .out_of_range_o(out_of_range)
  );

  always_comb begin
    now = '0;
    now.ab = mod_ab;
    now.dst = mod_dst;
    now.bias = mod_bias;
    now.keep_bank = keep_bank;
    now.access = DstRemap != 0 ? {access_word.remap_addrs, access_word.swizzle_32b} : 2'd0;
    now.row_a = row_a;
    now.row_b = row_b;
    now.row = row;
    now.tf32 = tf32;
    now.mode.e5 = is_e5(format_a) && !(into_dst && (wide32 || integers));
    now.mode.e5_b = is_e5(format_b);
    now.mode.tf32_a = tf32;
    now.mode.cut_e = SrcbCutInMove != 0 && is_e5(cut_to);
    now.mode.cut_m = SrcbCutInMove != 0 && !has_m10(cut_to);
    now.mode.tf32_b = format_b == 4'(FMT_TF32);
    now.mode.keep = keep_zero;
    now.mode.phase = op == OP_ELWADD || op == OP_ELWSUB ? 2'd0 : rwc.phase + base_phase;
    now.mode.minus1 = MathMinus1 != 0;
    now.mode.integer_math = integers && op != OP_GMPOOL;
    now.mode.wide = wide32 || integers;
    // moves to Dst are as wide as what they bring; low halves are in 32-bit rows
    now.wide = into_dst ? low || tf32
             : op == OP_ZEROACC ? zero_wide : now.mode.wide;
    if (of_dst_row && !now.mode.wide) now.tf32 = 1'b0;
    now.mode.no_low = Movd2bLowZero != 0 && op == OP_MOVD2B && wide32;
    sampled = first ? now : sample_q;
  end

  // ---- SrcA, SrcB, Dst: which row in which step
  wire logic in_block = step_q < (is_move ? {1'b0, rows} : 5'd8);
  wire logic writes
    = runs && (is_move || is_elw ? !first : op == OP_TRNSPSRCB ? step_q >= 5'd16
               : (op == OP_MVMUL || is_pool) && step_q >= 5'd17);
  wire logic [3:0] number = is_move || is_elw ? 4'(step_q - 5'd1)
                          : op == OP_TRNSPSRCB ? step_q[3:0] : 4'(step_q - 5'd17);
  wire logic reads_a = op == OP_MOVA2D || is_elw ? in_block
                     : (op == OP_MVMUL || is_pool) && step_q < 5'd16;
  wire logic reads_b
    = op == OP_MOVB2D || op == OP_MOVB2A || is_elw ? in_block
    : op == OP_MVMUL ? step_q >= 5'd8 && step_q < 5'd16
    : op == OP_GAPOOL ? step_q >= 5'd12 && step_q < 5'd16
    : op == OP_GMPOOL ? first : op == OP_TRNSPSRCB && step_q < 5'd16;
  wire logic reads_d
    = of_dst_row || is_elw || into_dst && low ? in_block
    : op == OP_MVMUL ? step_q >= 5'd16 && step_q < 5'd24
    : op == OP_GAPOOL ? step_q >= 5'd16 && step_q < 5'd20 : op == OP_GMPOOL && step_q == 5'd16;
  wire logic [2:0] reads = {3{runs}} & {reads_d, reads_b, reads_a};
  wire logic stands = spreads || is_elw && w[ELWADD_BH_BCAST_ROW_LSB];  // one row of SrcB for all
  wire logic [5:0] place_b = stands ? 6'd0 : op == OP_MVMUL ? 6'(step_q - 5'd8)
                           : op == OP_GAPOOL ? 6'(step_q - 5'd12) : {1'b0, step_q};
  wire logic [9:0] place_d = op == OP_MVMUL || is_pool ? 10'(step_q - 5'd16) : {5'd0, step_q};

  // ---- ZEROACC, ZEROSRC
  wire logic zero_undo = zero_mode == 2'd1 && (Wh ? w[18] : w[17]);
  wire logic zeroes = runs && op == OP_ZEROACC && !out_of_range;
  wire logic clears = runs && op == OP_ZEROSRC;
  wire logic [1:0] chosen = w[3] ? banks_q : unpack_bank_i;

  // ---- what is given back
  wire logic gives = ends && (is_elw || is_pool || op == OP_MVMUL || op == OP_SETRWC
                              || op == OP_CLEARDVALID);
  wire logic [1:0] files = gives ? w[23:22] : 2'd0;
  wire logic [1:0] given = op == OP_CLEARDVALID ? files : files & ~sampled.keep_bank;
  wire logic [1:0] turned = op == OP_CLEARDVALID && w[CLEARDVALID_KEEP_LSB] ? 2'd0 : files;

  matrix_command_t command;

  assign matrix_o = command;
  assign matrix_valid_o = command != '0 && (reads != 3'd0 || given != 2'd0 || clears || zeroes);
  always_comb begin
    command = '0;
    command.read = reads;
    command.banks = {(reads[1] || given[1]) && banks_q[1], (reads[0] || given[0]) && banks_q[0]};
    if (reads[0]) command.row_a = sampled.row_a + {1'b0, step_q};
    if (reads[1]) command.row_b = sampled.row_b + place_b;
    if (reads[2]) begin
      command.row = sampled.row + place_d;
      command.wide = sampled.wide;
      command.access = sampled.access;
    end
    command.give_back = given;
    if (clears) begin
      command.clear[1:0] = w[0] ? (w[2] ? 2'b11 : 2'b01 << chosen[0]) : 2'b00;
      command.clear[3:2] = w[1] ? (w[2] ? 2'b11 : 2'b01 << chosen[1]) : 2'b00;
      command.neg_inf = w[0] && w[4];
    end
    if (zeroes) begin
      command.zero = 1'b1;
      command.zero_mode = zero_mode;
      command.undo = zero_undo;
      command.row = sampled.row + place_d;
      command.wide = sampled.wide;
      command.access = zero_mode[1] ? 2'd0 : sampled.access;
    end
  end

  // ---- rows that were read, kept over a pause
  matrix_answer_t answer_q;
  logic [2:0] read_q;
  logic [4:0] read_step_q;
  logic [3:0] read_place_b_q;
  wire matrix_answer_t answer
    = {read_q[0] ? answer_i.a : answer_q.a, read_q[1] ? answer_i.b : answer_q.b,
       read_q[2] ? answer_i.dst : answer_q.dst,
       read_q[2] ? answer_i.row_valid : answer_q.row_valid};
  wire logic [511:0] data;

  standin_rows u_rows (
    .clk_i, .opcode_i(op), .mode_i(sampled.mode), .accumulate_i(w[ELWADD_BH_DEST_ACCUM_EN_LSB]),
    .column0_i(op == OP_MOVB2D ? b_mode[0] : w[ELWADD_BH_BCAST_COL0_LSB]), .low_i(low),
    .tf32_i(sampled.tf32), .a_i(answer.a), .b_i(answer.b), .d_i(answer.dst),
    .row_valid_i(answer.row_valid), .keep_a_i(read_q[0]), .keep_b_i(read_q[1]),
    .place_a_i(read_step_q[3:0]), .place_b_i(read_place_b_q), .number_i(number), .data_o(data)
  );

  wire logic to_a = op == OP_MOVD2A || op == OP_MOVB2A;
  wire logic to_b = op == OP_MOVD2B || op == OP_TRNSPSRCB;
  wire logic [9:0] written_row = to_a ? {4'd0, sampled.row_a + {2'd0, number}}
                               : to_b ? {4'd0, sampled.row_b + {2'd0, number}}
                                      : sampled.row + {6'd0, number};

  assign write_o = !writes ? '0
    : {1'b1, to_a ? 2'd0 : to_b ? 2'd1 : 2'd2, to_a ? banks_q[0] : to_b && banks_q[1], written_row,
       !to_a && !to_b && sampled.wide, to_a || to_b ? 2'd0 : sampled.access, data};
  assign hist_clear_o = runs && op == OP_CLREXPHIST;

  // ---- faults
  logic [FaultWidth-1:0] flags;
  wire logic raced;

  standin_race u_race (
    .row_i(written_row), .wide_i(sampled.wide), .access_i(sampled.access), .pack_read_i,
    .pack_wide_i, .pack_row_i, .raced_o(raced)
  );

  always_comb begin
    flags = flags_q;
    if (runs) begin
      if (first) begin
        flags[FaultUnsupported] = !known;
        flags[FaultSrcRow] = (op == OP_MVMUL || op == OP_GAPOOL) && now.row_a[3];
        flags[FaultBias] = !Wh && modifies && mod_bias.biasincr[1:0] != 2'd0;
        flags[FaultDvalidReset] = op == OP_CLEARDVALID && w[CLEARDVALID_RESET_LSB];
        flags[FaultSrcOwner] = op == OP_MOVD2A && !owner_i[{1'b0, banks_q[0]}]
                               || op == OP_MOVD2B && !owner_i[{1'b1, banks_q[1]}];
        flags[FaultMixed] = (op == OP_MVMUL || is_elw || is_pool) && !integers
                            && is_e5(format_a) != is_e5(format_b);
        flags[FaultFidelity] = (op == OP_ELWADD || op == OP_ELWSUB)
                               && rwc.phase + base_phase != 2'd0;
        flags[FaultMvmulBcast] = op == OP_MVMUL && w[19];
        flags[FaultPoolMode] = is_pool && (!w[19] || w[14]);
        flags[FaultPoolFormat] = op == OP_GMPOOL && (integers || is_e5(format_a));
        flags[FaultTf32Low] = into_dst && tf32 && w[23];
        flags[FaultDst16] = of_dst_row && !now.mode.wide && (tf32 || w[23]);
        flags[FaultZeroaccRange] = op == OP_ZEROACC && out_of_range;
        flags[FaultWhWord] = !Wh && op == OP_ZEROACC && !zero_mode[1] && w[21];
        flags[FaultZerosrcRace] = op == OP_ZEROSRC && (w[1:0] & unpack_zero_i) != 2'd0;
      end
      if (op == OP_GMPOOL && step_q == 5'd1)
        flags[FaultPoolScale] = answer.b != {Columns{19'h0007F}};
      if (reads[0] && stale_i[banks_q[0]]) flags[FaultStale] = 1'b1;
      if (writes && !to_a && !to_b && raced) flags[FaultDstRace] = 1'b1;
      if (ends)
        flags[FaultReleaseOwner] = given[0] && !owner_i[{1'b0, banks_q[0]}]
                                   || given[1] && !owner_i[{1'b1, banks_q[1]}];
    end
  end

  assign fault_o = ends ? flags : '0;
  assign fault_thread_o = thread_q;
  assign fault_word_o = word_q;

  standin_counters u_counters (
    .clk_i, .rst_ni, .thread_i(thread_q), .rwc_o(rwc), .all_o(rwc_o),
    .set_i(ends && op == OP_SETRWC), .increase_i(ends && op == OP_INCRWC), .word_i(w),
    .modify_i(ends && modifies), .ab_i(sampled.ab), .dst_i(sampled.dst), .bias_i(sampled.bias)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      step_q <= '0;
      thread_q <= '0;
      word_q <= '0;
      flags_q <= '0;
      banks_q <= '0;
      sample_q <= '0;
      read_q <= '0;
    end else begin
      read_q <= reads;
      if (runs) begin
        step_q <= step_q + 5'd1;
        flags_q <= flags;
        if (first) sample_q <= now;
        banks_q <= banks_q ^ turned;
        if (ends) inside_q <= 1'b0;
      end
      if (issue_valid_i) begin
        inside_q <= 1'b1;
        step_q <= '0;
        flags_q <= '0;
        thread_q <= issue_thread_i;
        word_q <= issue_word_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    answer_q <= answer;
    read_step_q <= step_q;
    read_place_b_q <= place_b[3:0];
  end

  always @(posedge clk_i) begin
    if (issue_valid_i && !ready_o) $fatal(1, "math_standin: a word while one is inside");
  end

endmodule

`default_nettype wire
