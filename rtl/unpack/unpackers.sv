// SPDX-License-Identifier: Apache-2.0
//
// Both unpackers with their copy of the configuration, from instructions to rows of SrcA, SrcB and
// Dst; address counters, SrcA, SrcB and Dst are beside them.
//
// Latency: docs/unpack.md is the cycle contract. Handshake: a word issues to unpacker u only with
// ready_o[u], of a thread only without its hold_o; everything else is a pulse, a level, or is never
// refused. Reset: nothing under way, all state 0.
`default_nettype none

module unpackers
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import dst_pkg::dst_write_t;
  import unpack_config_pkg::*;
#(
  parameter int ZwW               = 8,        // profile zw_w
  parameter int NopEnc            = 0,        // nop_enc: 0 WH, 1 BH
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int UnpacrNopZeroClears = 0,
  parameter int BurstDefaultThrottle = 0,
  parameter int SrcaRowHigh       = 1,
  parameter int SpareUnpacr       = 1,
  parameter int RowW              = 32,       // row_w
  parameter int UpsampleZeros     = 32'h7310, // four bits a rate, rate 0 lowest
  parameter int Fp8E5m2Fill       = 1,
  parameter int DstRemap          = 0,
  parameter int L1Lines           = 93696     // l1_bytes / 16
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire config_write_t cfg_i,
  input  wire config_write_t flop_i,
  input  wire setc16_t       setc16_i [3],
  input  wire thread_store_t store_i,
  // instructions, one port an unpacker
  input  wire logic          issue_valid_i [2],
  input  wire logic [1:0]    issue_thread_i [2],
  input  wire logic [31:0]   issue_word_i [2],
  output wire logic [1:0]    ready_o,
  output wire logic [2:0]    hold_o,
  // address counters, as rtl/adc/adc.sv
  input  wire logic [60:0]   live_i [18],
  output wire logic          unpack_valid_o,
  output wire logic          unpack_unpacker_o,
  output wire logic [1:0]    unpack_thread_o,
  output wire logic [1:0]    unpack_adc_o,
  output wire logic [1:0]    unpack_y0_o,
  output wire logic [1:0]    unpack_z0_o,
  output wire logic [1:0]    unpack_y1_o,
  output wire logic [1:0]    unpack_z1_o,
  // SrcA, SrcB, Dst: writes in w + WRITE - 1, flips in w
  input  wire logic [1:0]    theirs_i [2],
  input  wire logic [1:0]    matrix_banks_i,     // level: the Matrix Unit's SrcA, SrcB bank pointers
  input  wire logic          matrix_zero_i,      // it clears a bank of SrcA or SrcB
  output wire logic [1:0]    flip_o [2],
  output wire logic [3:0]    flip_format_o [2],
  output wire logic [1:0]    clears_o,           // in w: a ZEROSRC goes
  output wire logic [1:0]    src_bank_o,         // that an unpacker fills
  output wire logic          src_write_valid_o [2],
  output wire src_write_t    src_write_o [2],
  output wire logic          clear_valid_o [2],
  output wire src_clear_t    clear_o [2],
  output wire logic          dst_write_valid_o,
  output wire dst_write_t    dst_write_o,
  input  wire logic [19:0]   setreg_base0_i,
  input  wire logic [19:0]   setreg_base1_i,
  // of each unpacker: L1, events (section 7)
  output wire l1_request_t   l1_o [2],
  input  wire l1_answer_t    l1_answer_i [2],
  output wire overlay_t      overlay_o [2],
  output wire setreg_write_t setreg_o [2],
  output wire logic [16:0]   acc_o [2],
  output wire logic [5:0]    busy_o,             // bit 2t + u
  // faults: docs/unpack.md section 8, first flag lowest
  output wire fault_t        fault_o [2],
  output wire logic [4:0]    read_fault_o [2],
  output wire logic [7:0]    write_fault_o [2],
  output wire logic [1:0]    unsigned_fault_o
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
    .clk_i, .rst_ni, .cfg_i, .flop_i, .setc16_i, .store_i,
    .change_o(unsigned_change), .clear_o(context_clear),
    .unpacker_i(config_unpacker), .thread_i(config_thread), .multi_i(config_multi),
    .context_i(config_context), .offset_o(config_offset), .sampling_o(sampling),
    .config_o(config_words), .nop_thread_i(nop_thread), .nop_o(nop_config)
  );

  unpack_front #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .UnpacrNopZeroClears(UnpacrNopZeroClears), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SpareUnpacr(SpareUnpacr), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .DstRemap(DstRemap)
  ) u_front (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,
    .config_unpacker_o(config_unpacker), .config_thread_o(config_thread),
    .config_multi_o(config_multi), .config_context_o(config_context),
    .config_offset_i(config_offset), .config_sampling_i(sampling), .config_i(config_words),
    .config_nop_thread_o(nop_thread), .config_nop_i(nop_config),
    .context_clear_i(context_clear),
    .unpack_valid_o, .unpack_unpacker_o, .unpack_thread_o, .unpack_adc_o, .unpack_y0_o,
    .unpack_z0_o, .unpack_y1_o, .unpack_z1_o, .live_i,
    .plan_valid_o(plan_valid), .plan_o(plan),
    .load_i(load), .rsi_valid_o(rsi_valid), .rsi_o(rsi),
    .src_bank_o, .fault_o, .busy_o(front_busy)
  );

  // ---- the unpackers
  wire logic [19:0] setreg_base [2];
  wire logic fetching [2];
  wire logic [2:0] want [2], grant [2];
  wire logic [2:0] fetch_busy [2], write_busy [2];
  wire logic done [2], bounded_done [2];
  wire logic dst_write_valid [2];
  /* verilator lint_off UNUSEDSIGNAL */  // unpacker 1 has no way to Dst
  dst_write_t [1:0] dst_write;
  /* verilator lint_on UNUSEDSIGNAL */

  assign dst_write_valid_o = dst_write_valid[0];
  assign dst_write_o = dst_write[0];
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
      .overlay_o(overlay_o[u]), .setreg_o(setreg_o[u]), .acc_o(acc_o[u]), .busy_o(fetch_busy[u])
    );

    unpack_write #(
      .Unpacker(u), .Fp8E5m2Fill(Fp8E5m2Fill), .SrcaRowHigh(SrcaRowHigh)
    ) u_write (
      .clk_i, .rst_ni,
      .beat_valid_i(beat_valid), .beat_i(beat), .answer_valid_i(answer_beat),
      .answer_i({answer.delta, answer.exponent, answer.lines}),
      .theirs_i(theirs_i[u]), .matrix_bank_i(matrix_banks_i[u]), .matrix_zero_i,
      .done_o(done[u]), .bounded_done_o(bounded_done[u]), .flip_o(flip_o[u]),
      .flip_format_o(flip_format_o[u]), .clears_o(clears_o[u]),
      .src_write_valid_o(src_write_valid_o[u]), .src_write_o(src_write_o[u]),
      .clear_valid_o(clear_valid_o[u]), .clear_o(clear_o[u]),
      .dst_write_valid_o(dst_write_valid[u]), .dst_write_o(dst_write[u]),
      .write_fault_o(write_fault_o[u]), .busy_o(write_busy[u])
    );
  end

  // ---- who is busy
  for (genvar u = 0; u < 2; u++) begin : gen_busy
    for (genvar t = 0; t < 3; t++) begin : gen_thread
      assign busy_o[2*t+u] = front_busy[2*t+u] || fetch_busy[u][t] || write_busy[u][t];
    end
    assign unsigned_fault_o[u] = unsigned_change[u] && {busy_o[u+4], busy_o[u+2], busy_o[u]} != 3'd0;
  end

endmodule

`default_nettype wire
