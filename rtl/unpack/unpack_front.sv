// SPDX-License-Identifier: Apache-2.0
//
// The front of both unpackers: address phases, sampling, plans, queues (sections 3, 5 to 8 of
// docs/unpack.md).
//
// Latency: a word that issues in t is sampled in t+1, of two UNPACRs that issue at once the other
// one later; it is planned, and can be loaded, from PLAN cycles after that on. A pipeline of seven
// stages, one for the UNPACRs of both, works out the plan. Handshake: a word issues to unpacker u
// only with ready_o[u], of a thread only without its hold_o; the plan stays with plan_valid_o until
// load_i, which is up with it only, and means nothing without it; rsi_valid_o is a pulse in the
// first planned cycle of a compressed instruction, fault_o one in the cycle of the load, or
// of the sampling of what is not queued. Reset: nothing under way, all state 0.
//
// For the bench: gen_unpacker[u].u_pointers has src_bank_q, src_row_q[t], context_q[t].
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of structs and words, some fields

module unpack_front
  import tilepath_isa_pkg::*;
  import unpack_pkg::*;
  import unpack_config_pkg::*;
  import unpack_fault_pkg::*;
  import unpack_front_pkg::*;
#(
  parameter int ZwW               = 8,         // profile zw_w
  parameter int NopEnc            = 0,         // nop_enc: 0 WH, 1 BH
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int UnpacrNopZeroClears = 0,
  parameter int BurstDefaultThrottle = 0,
  parameter int SpareUnpacr       = 1,
  parameter int RowW              = 32,        // row_w
  parameter int UpsampleZeros     = 32'h7310,  // four bits a rate, rate 0 lowest
  parameter int DstRemap          = 0
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  // instructions, one port an unpacker
  input  wire logic                  issue_valid_i [2],
  input  wire logic [1:0]            issue_thread_i [2],
  input  wire logic [31:0]           issue_word_i [2],
  output wire logic [1:0]            ready_o,
  output wire logic [2:0]            hold_o,
  // reads of unpack_config
  output wire logic                  config_unpacker_o,
  output wire logic [1:0]            config_thread_o,
  output wire logic                  config_multi_o,
  output wire logic [2:0]            config_context_o,
  input  wire logic [2:0]            config_offset_i,
  input  wire sampling_t             config_sampling_i,
  input  wire config_t               config_i,
  output wire logic [1:0]            config_nop_thread_o [2],
  input  wire nop_config_t           config_nop_i [2],
  input  wire logic [1:0]            context_clear_i [3],   // of a thread: unpacker 0 (bit 0), 1
  // address counters: the unpack command and the live values of rtl/adc/adc.sv
  output wire logic                  unpack_valid_o,
  output wire logic                  unpack_unpacker_o,
  output wire logic [1:0]            unpack_thread_o,
  output wire logic [1:0]            unpack_adc_o,
  output wire logic [1:0]            unpack_y0_o,
  output wire logic [1:0]            unpack_z0_o,
  output wire logic [1:0]            unpack_y1_o,
  output wire logic [1:0]            unpack_z1_o,
  input  wire logic [60:0]           live_i [18],
  // heads of the queues
  output wire logic                  plan_valid_o [2],
  output wire plan_t                 plan_o [2],
  input  wire logic                  load_i [2],
  output wire logic                  rsi_valid_o [2],
  output wire rsi_t                  rsi_o [2],
  output wire logic [1:0]            src_bank_o,
  // faults: first flag lowest
  output wire fault_t                fault_o [2],
  output wire logic [5:0]            busy_o                 // bit 2t + u
);

  // ---- the sampling cycle
  wire logic sample, update, unpacker, regular;
  wire logic [1:0] thread, nop, room;
  wire logic [22:0] word;
  wire logic [1:0] nop_thread [2];
  wire logic [22:0] nop_word [2];
  wire logic [5:0] issue_busy;
  wire logic bank [2];
  wire logic [5:0] row [2];
  wire logic [2:0] context_now [2];
  wire logic [1:0] hands_over;
  wire early_t nop_early [2];

  unpack_issue u_issue (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,
    .busy_o(issue_busy), .sample_o(sample), .update_o(update), .unpacker_o(unpacker),
    .thread_o(thread), .word_o(word), .regular_o(regular),
    .uncompressed_i(config_sampling_i.uncompressed), .nop_o(nop), .nop_thread_o(nop_thread),
    .nop_word_o(nop_word), .room_i(room)
  );

  // ---- context and sets of counters (5.1)
  wire logic multi = word[UNPACR_MULTI_CONTEXT_LSB];
  wire logic counted = word[UNPACR_USE_CTX_COUNTER_LSB];
  wire logic increment = word[UNPACR_INC_CTX_LSB] && !word[UNPACR_FLUSH_CACHE_LSB];
  wire logic [1:0] number_adc = word[UNPACR_CONTEXT_ADC_MSB:UNPACR_CONTEXT_ADC_LSB];
  wire logic [2:0] counter = unpacker ? context_now[1] : context_now[0];
  wire logic [2:0] number
    = counted ? counter : word[UNPACR_CONTEXT_NUMBER_MSB:UNPACR_CONTEXT_NUMBER_LSB];
  wire logic [2:0] ctx = multi ? number + config_offset_i : 3'd0;
  wire logic [1:0] which_adc = !multi ? thread : number_adc == 2'd3 ? 2'd0 : number_adc;
  wire logic sample_regular = sample && regular;

  assign config_unpacker_o = unpacker;
  assign config_thread_o = thread;
  assign config_multi_o = multi;
  assign config_context_o = ctx;
  assign config_nop_thread_o[0] = nop_thread[0];
  assign config_nop_thread_o[1] = nop_thread[1];

  assign unpack_valid_o = update;
  assign unpack_unpacker_o = unpacker;
  assign unpack_thread_o = thread;
  assign unpack_adc_o = which_adc;
  assign unpack_y0_o = word[UNPACR_CH0_Y_INC_MSB:UNPACR_CH0_Y_INC_LSB];
  assign unpack_z0_o = word[UNPACR_CH0_Z_INC_MSB:UNPACR_CH0_Z_INC_LSB];
  assign unpack_y1_o = word[UNPACR_CH1_Y_INC_MSB:UNPACR_CH1_Y_INC_LSB];
  assign unpack_z1_o = word[UNPACR_CH1_Z_INC_MSB:UNPACR_CH1_Z_INC_LSB];

  // ---- stages of the arithmetic: bit k is up in the cycle in which stage k has an UNPACR
  logic [7:1] stage_q;
  logic rsi_valid_q;
  sampled_t sampled_q;                      // stages 1 and 2
  control_t control2_q;                     // stages 2 and 3
  control_t control4_q;                     // stages 4 and 5
  control_t control6_q;                     // stages 6 and 7
  logic unpacker7_q;                        // stage 7 and the cycle after it
  logic sel_dst_q;                          // the last UNPACR of unpacker 0 was to Dst (U68)
  wire counters_t counters;
  wire sampled_t sampled;

  unpack_counters #(.ZwW(ZwW)) u_counters (
    .unpacker_i(unpacker), .thread_i(thread), .adc_i(which_adc), .live_i, .counters_o(counters)
  );

  function automatic sampled_t sampled_of(
      input logic of_unpacker, input logic [1:0] of_thread, input logic [14:0] of_word,
      input logic high_context, input logic src_bank, input logic [5:0] src_row,
      input counters_t n, input config_t c);
    sampled_of.unpacker = of_unpacker;
    sampled_of.thread = of_thread;
    sampled_of.word = of_word;
    sampled_of.high_context = high_context;
    sampled_of.bank = src_bank;
    sampled_of.src_row = src_row;
    sampled_of.counters = n;
    sampled_of.cfg = c;
  endfunction

  assign sampled = sampled_of(unpacker, thread, word[14:0], |ctx[2:1],
                              unpacker ? bank[1] : bank[0], unpacker ? row[1] : row[0],
                              counters, config_i);

  wire window_t window;
  wire control_t control;
  wire early_t early;

  unpack_modes #(
    .RowW(RowW), .UpsampleZeros(UpsampleZeros), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SpareUnpacr(SpareUnpacr), .DstRemap(DstRemap)
  ) u_modes (
    .sampled_i(sampled_q), .sel_dst_i(sel_dst_q), .window_o(window), .control_o(control), .early_o(early)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q <= '0;
      rsi_valid_q <= 1'b0;
      sel_dst_q <= 1'b0;
    end else begin
      if (stage_q[1] && !sampled_q.unpacker) sel_dst_q <= sampled_q.cfg.to_dst;
      stage_q <= {stage_q[6:1], sample_regular};
      rsi_valid_q <= stage_q[7] && control6_q.compressed;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sample_regular) sampled_q <= sampled;
    if (stage_q[1]) control2_q <= control;
    if (stage_q[3]) control4_q <= control2_q;
    if (stage_q[5]) control6_q <= control4_q;
    if (stage_q[6]) unpacker7_q <= control6_q.unpacker;
  end

  wire logic some, start_align;
  wire logic [33:0] datum_pointer;
  wire logic [35:0] exponent_pointer;
  wire logic [31:0] out_addr;
  wire logic [18:0] count;
  wire late_faults_t late_faults;
  wire late_t late;
  wire rsi_t rsi;

  unpack_tile u_tile (
    .clk_i, .stage_i(stage_q[6:1]), .sampled_i(sampled_q), .window_i(window),
    .control1_i(control), .control2_i(control2_q), .control4_i(control4_q),
    .control6_i(control6_q), .some_i(some), .datum_pointer_o(datum_pointer),
    .exponent_pointer_o(exponent_pointer), .start_align_o(start_align), .rsi_o(rsi)
  );

  unpack_output u_output (
    .clk_i, .stage_i(stage_q[6:1]), .sampled_i(sampled_q), .window_i(window),
    .control2_i(control2_q), .control4_i(control4_q), .control6_i(control6_q), .some_o(some),
    .out_addr_o(out_addr), .count_o(count), .faults_o(late_faults)
  );

  function automatic late_t late_of(
      input logic [33:0] datum, input logic [35:0] exponent, input logic [31:0] out,
      input logic [18:0] datums, input late_faults_t faults, input logic align);
    late_of.datum_pointer = datum;
    late_of.exponent_pointer = exponent;
    late_of.count = datums;
    late_of.out_addr = out;
    late_of.faults = faults;
    late_of.faults.start_align = align;
  endfunction

  assign late = late_of(datum_pointer, exponent_pointer, out_addr, count, late_faults, start_align);

  // ---- both unpackers
  wire logic [2:0] queue_busy [2];
  wire logic [FaultWidth-1:0] flags [2];
  // of an UNPACR that is not queued (section 8)
  wire logic [1:0] special = {sample && !regular && unpacker, sample && !regular && !unpacker};
  wire logic reserved_bit = word[UNPACR_SRCB_BCAST_LSB] || word[14];

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire plan_t plan;
    wire nop_config_t nop_config;
    wire logic sampled_here = sample && unpacker == 1'(u);
    wire logic queued_here = sampled_here && regular;
    wire logic [FaultWidth-1:0] of_load = load_i[u] ? flags[u] : '0;
    wire logic [FaultWidth-1:0] of_special
      = special[u] ? FaultWidth'(reserved_bit) << FaultReservedBit
                     | FaultWidth'(!word[UNPACR_LAST_LSB]) << FaultNotLast : '0;

    assign nop_config = config_nop_i[u];

    unpack_nop #(
      .Unpacker(u), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
      .UnpacrNopZeroClears(UnpacrNopZeroClears)
    ) u_nop (
      .word_i(nop_word[u]), .thread_i(nop_thread[u]), .bank_i(bank[u]),
      .config_i(nop_config), .hands_over_o(hands_over[u]), .early_o(nop_early[u])
    );

    assign src_bank_o[u] = bank[u];

    unpack_pointers u_pointers (
      .clk_i, .rst_ni, .read_thread_i(thread),
      .thread_i(nop[u] ? nop_thread[u] : thread),
      .context_i(sampled_here && (regular ? multi && counted : increment)),
      .context_value_i(regular ? ctx : context_now[u]),
      .context_count_i(config_sampling_i.context_count),
      .flip_i((nop[u] && hands_over[u]) || (queued_here && word[UNPACR_FLIP_SRC_LSB])),
      .advance_i(queued_here && config_sampling_i.set_upd),
      .base_i(nop[u] ? nop_config.base : config_sampling_i.base),
      .clear_i({context_clear_i[2][u], context_clear_i[1][u], context_clear_i[0][u]}),
      .bank_o(bank[u]), .row_o(row[u]), .context_o(context_now[u])
    );

    // a NOP's entry comes in its sampling cycle, an UNPACR's first part in the cycle after: never
    // both at once, as nothing issues in the sampling cycle of an UNPACR
    unpack_queue u_queue (
      .clk_i, .rst_ni, .sampled_i(nop[u] || queued_here),
      .thread_i(nop[u] ? nop_thread[u] : thread),
      .early_valid_i(nop[u] || (stage_q[1] && sampled_q.unpacker == 1'(u))),
      .early_i(nop[u] ? nop_early[u] : early),
      .late_valid_i(stage_q[7] && unpacker7_q == 1'(u)), .late_i(late),
      .valid_o(plan_valid_o[u]), .plan_o(plan), .flags_o(flags[u]), .load_i(load_i[u]),
      .room_o(room[u]), .busy_o(queue_busy[u])
    );

    assign plan_o[u] = plan;
    assign rsi_valid_o[u] = rsi_valid_q && unpacker7_q == 1'(u);
    assign rsi_o[u] = rsi;
    wire logic [FaultWidth-1:0] faults = of_load | of_special;
    wire logic [1:0] fault_thread
      = of_load != '0 ? plan.whose.thread : faults != '0 ? thread : 2'd0;

    assign fault_o[u] = {faults != '0, fault_thread, faults};
  end

  assign busy_o = issue_busy | {queue_busy[1][2], queue_busy[0][2], queue_busy[1][1],
                                queue_busy[0][1], queue_busy[1][0], queue_busy[0][0]};

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (sample_regular && stage_q[1])
      $fatal(1, "unpack_front: two UNPACRs are sampled without a cycle between them");
  end
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
