// SPDX-License-Identifier: Apache-2.0
//
// Issue and sampling (section 4 of docs/pack.md): a word that issues in t gets its configuration,
// counters and mode in t+1, in the cycle in which the counters get their update (P18).
//
// Latency: issue in t, sampled_o with valid_o and the counters' command in t+1. Handshake: a word
// issues only in a cycle in which the owner of the plan queue is ready. Reset: nothing sampled.
// issue_mask_o: the packers of the word that issues.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_sample
  import tilepath_isa_pkg::*;
  import config_words_pkg::*;
  import adc_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
#(
  parameter int Packers = 4,
  parameter int Mask0 = 1,
  parameter int BhFields = 0,
  parameter int CompressOvrd = 1,
  parameter int SetregEnc = 0,
  parameter int SetregSlots = 2,
  parameter int DstRemap = 0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         issue_valid_i,
  input  wire logic [1:0]   issue_thread_i,
  input  wire logic [31:0]  issue_word_i,
  output wire logic [3:0]   issue_mask_o,
  // what is sampled
  output wire logic [1:0]   thread_o,
  input  wire logic [31:0]  word_i [Words],
  input  wire logic [15:0]  addr_mod_i [4],
  input  wire logic         count_exponents_i,
  input  wire logic [60:0]  live_i [6],       // element 2 * set + channel
  input  wire logic [15:0]  l1_offset_i [4],  // l1_dest_addr_offset
  input  wire setreg_base_t setreg_base_i,
  // the counters' command
  output wire logic         adc_valid_o,
  output wire logic [2:0]   adc_sets_o,
  output wire logic [15:0]  adc_addr_mod_o,
  output wire logic         valid_o,
  output wire sampled_t     sampled_o
);

  localparam logic [3:0] Existing = Packers == 1 ? 4'b0001 : 4'b1111;
  localparam logic SetregBh = SetregEnc == 1;

  logic valid_q;
  logic [1:0] thread_q;
  logic setreg_q;
  logic [23:0] word_q;

  // ---- packers of a word
  function automatic logic [3:0] mask_of(input logic setreg, input logic [23:0] word);
    logic [3:0] selected;

    selected = word[PACR_READ_INTF_SEL_MSB:PACR_READ_INTF_SEL_LSB];
    if (!setreg) mask_of = Packers == 1 ? 4'b0001 : selected == 4'd0 ? 4'(Mask0) : selected;
    else if (!SetregBh) mask_of = selected & Existing;
    else mask_of = word[PACR_SETREG_BH_MODE_SEL_LSB] ? 4'd0 : Existing;
  endfunction

  wire logic issue_setreg = issue_word_i[31:24] == OP_PACR_SETREG;

  assign issue_mask_o = mask_of(issue_setreg, issue_word_i[23:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      thread_q <= '0;
      setreg_q <= 1'b0;
      word_q <= '0;
    end else begin
      valid_q <= issue_valid_i;
      if (issue_valid_i) begin
        thread_q <= issue_thread_i;
        setreg_q <= issue_setreg;
        word_q <= issue_word_i[23:0];
      end
    end
  end

  assign thread_o = thread_q;
  assign valid_o = valid_q;

  // ---- counters (P9, P18)
  wire logic [1:0] chosen = word_q[PACR_OVRD_THREAD_ID_LSB]
    ? word_q[PACR_ADDR_CNT_CONTEXT_MSB:PACR_ADDR_CNT_CONTEXT_LSB] : thread_q;
  wire logic [2:0] sets = {chosen == 2'd2, chosen == 2'd1, chosen[0] == chosen[1]};
  wire logic [60:0] live0 = sets[2] ? live_i[4] : sets[1] ? live_i[2] : live_i[0];
  wire logic [60:0] live1 = sets[2] ? live_i[5] : sets[1] ? live_i[3] : live_i[1];

  assign adc_valid_o = valid_q && !setreg_q;
  assign adc_sets_o = sets;
  assign adc_addr_mod_o = addr_mod_i[word_q[PACR_ADDR_MODE_MSB:PACR_ADDR_MODE_LSB]];

  function automatic counters_t counters_of(input logic [60:0] live);
    channel_t channel;

    channel = live;
    counters_of.x = channel.x[XWidth-1:0];
    counters_of.y = channel.y[YWidth-1:0];
    counters_of.z = channel.z[YWidth-1:0];
    counters_of.w = channel.w[YWidth-1:0];
  endfunction

  function automatic strides_t strides_of(input pck_base_word_t base, input pck_xy_word_t xy,
                                          input pck_zw_word_t zw);
    strides_of.base = base.base;
    strides_of.x = xy.xstride;
    strides_of.y = xy.ystride;
    strides_of.z = zw.zstride;
    strides_of.w = zw.wstride;
  endfunction

  // ---- words of a packer; one packer has those of the block that CfgContext selects (P65)
  wire logic [31:0] packer_word [16];  // four of each packer
  wire logic [31:0] target [4];
  wire logic [31:0] counting [4];
  wire logic [31:0] limit [4], fifo [4];
  wire logic [1:0] context_number = Packers == 1 && BhFields == 1
    ? word_q[PACR_CFG_CONTEXT_MSB:PACR_CFG_CONTEXT_LSB] : 2'd0;

  for (genvar p = 0; p < 4; p++) begin : gen_words
    localparam int Block = p < 2 ? WordPacker01 + 4 * p : WordPacker23 + 4 * (p - 2);
    localparam int Limit = p < 2 ? WordLimit01 + 2 * p : WordLimit23 + 2 * (p - 2);

    if (p < Packers) begin : gen_packer
      for (genvar i = 0; i < 4; i++) begin : gen_word
        if (p == 0) begin : gen_selected
          assign packer_word[i]
            = context_number == 2'd0 ? word_i[WordPacker01+i]
              : context_number == 2'd1 ? word_i[WordPacker01+4+i]
              : context_number == 2'd2 ? word_i[WordPacker23+i] : word_i[WordPacker23+4+i];
        end else begin : gen_own
          assign packer_word[4*p+i] = word_i[Block+i];
        end
      end
      assign target[p] = word_i[WordTarget+p];
      assign counting[p] = word_i[WordCounters+p];
      assign limit[p] = word_i[Limit];
      assign fifo[p] = word_i[Limit+1];
    end else begin : gen_none
      for (genvar i = 0; i < 4; i++) begin : gen_word
        assign packer_word[4*p+i] = 32'd0;
      end
      assign target[p] = 32'd0;
      assign counting[p] = 32'd0;
      assign limit[p] = 32'd0;
      assign fifo[p] = 32'd0;
    end
  end

  // Words B+2 and B+3 of a packer. `all_disable`: All_pack_disable_zero_compress, for this packer.
  function automatic packer_mode_t packer_mode_of(
      input packer_selects_word_t selects, input packer_datums_word_t datums,
      input pack_counters_word_t counters, input dst_target_word_t destination,
      input logic exists, input logic ovrd, input logic all_disable);
    packer_mode_of.from = selects.in_data_format;
    packer_mode_of.to = selects.out_data_format;
    packer_mode_of.compress
      = exists && !(CompressOvrd == 1 && ovrd ? all_disable : selects.disable_zero_compress);
    packer_mode_of.dis_shared_exp = selects.dis_shared_exp_assembler;
    packer_mode_of.accumulate = datums.pack_l1_acc;
    packer_mode_of.threshold_en = datums.exp_threshold_en;
    packer_mode_of.threshold = datums.exp_threshold;
    packer_mode_of.downsample = datums.downsample_mask;
    packer_mode_of.reads_per_plane = counters.reads_per_xy_plane;
    packer_mode_of.yz_transposed = counters.yz_transposed;
    packer_mode_of.z_offset = destination.zoffset;
  endfunction

  function automatic fields_t fields_of(
      input packer_sizes_word_t sizes, input logic [31:0] l1_dest,
      input packer_selects_word_t selects, input pack_counters_word_t counters,
      input dst_target_word_t destination, input packer_limit_word_t limit_word,
      input packer_fifo_word_t fifo_word, input logic [15:0] l1_offset);
    fields_of.l1_dest = l1_dest;
    fields_of.no_header = selects.sub_l1_tile_header_size;
    fields_of.add_offset = selects.add_l1_dest_addr_offset;
    fields_of.l1_offset = l1_offset;
    fields_of.rsi_size = sizes.row_start_section_size;
    fields_of.exponent_size = sizes.exp_section_size;
    fields_of.limit = limit_word.limit_address_0;
    fields_of.fifo = fifo_word.fifo_size_0;
    fields_of.dst_offset = destination.offset;
    fields_of.source_l1 = selects.source_interface_selection;
    fields_of.ignored_counter = counters.per_xy_plane != 8'd0 || counters.xys_per_tile != 7'd0
      || counters.auto_ctxt_inc_xys_cnt != 8'd0;
    fields_of.auto_last = selects.auto_set_last_pacr_intf_sel;
  endfunction

  // fields that packer 0's block alone has
  wire packer_selects_word_t selects0 = word_i[WordPacker01+2];
  wire logic [3:0] all_disable = selects0.all_pack_disable_zero_compress;

  wire packer_mode_t packer_mode [4];
  wire fields_t fields [4];

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    assign packer_mode[p] = packer_mode_of(
      packer_word[4*p+2], packer_word[4*p+3], counting[p], target[p], p < Packers,
      selects0.all_pack_disable_zero_compress_ovrd, all_disable[p]);
    assign fields[p] = fields_of(
      packer_word[4*p], packer_word[4*p+1], packer_word[4*p+2], counting[p], target[p],
      limit[p], fifo[p], p < Packers ? l1_offset_i[p] : 16'd0);
  end

  // ---- SETREG's address (P46): bits 19:18 and 11:2
  wire logic [23:0] base = setreg_base_i.base;
  wire logic [35:0] scalers = setreg_base_i.scaler;
  wire logic [11:0] slot_wh = word_q[PACR_SETREG_WH_ADDR_SEL_LSB]
    ? {base[23:22], base[19:10]} : {base[21:20], base[9:0]};
  wire logic [1:0] slot_number
    = word_q[PACR_SETREG_BH_ADDR_SEL_MSB:PACR_SETREG_BH_ADDR_SEL_LSB] & 2'(SetregSlots - 1);
  wire slot_word_t slot_word = slot_number[1] ? word_i[WordSlot23] : word_i[WordSlot01];
  wire logic [23:0] slot_pair = slot_word.packer_reg_wr_addr;
  wire logic [11:0] slot_bh = slot_number[0] ? slot_pair[23:12] : slot_pair[11:0];
  wire logic [1:0] size_code = selects0.out_data_format[1:0];
  wire logic [17:0] scaler_pair = size_code[1] ? scalers[35:18] : scalers[17:0];

  // ---- what belongs to no packer
  function automatic mode_t common_mode(
      input alu_format_word_t format, input alu_rounding_word_t rounding,
      input relu_word_t relu, input int_descale_word_t descale, input logic [31:0] shift,
      input pck_read_word_t read, input dst_access_word_t access,
      input packer_selects_word_t selects, input packer_datums_word_t datums,
      input logic count_exponents);
    common_mode = '0;
    common_mode.intermediate = format.dstacc_override ? format.dstacc_val : rounding.dstacc;
    common_mode.read_32b = read.read_32b_data;
    common_mode.read_unsigned = read.read_unsigned;
    common_mode.read_raw = read.read_int8;
    common_mode.round_10b = read.round_10b_mant;
    common_mode.ignore_valid = relu.zero_flag_disabled_dst;
    common_mode.relu_mode = relu.applyrelu[1:0];
    common_mode.relu_threshold = relu.reluthreshold;
    common_mode.descale_en = descale.enable;
    common_mode.descale_shift = shift[4:0];
    common_mode.count_exponents = count_exponents;
    common_mode.source_l1 = selects.source_interface_selection;
    common_mode.e4m3 = datums.pac_lf8_4b_exp;
    common_mode.swizzle = DstRemap == 1 && access.swizzle_32b;
    common_mode.remap = DstRemap == 1 && access.remap_addrs;
  endfunction

  function automatic mode_t with_packers(
      input mode_t common, input logic [31:0] face_select, input logic [127:0] row_map,
      input logic [127:0] edge_words, input logic [127:0] face_map, input packer_mode_t p0,
      input packer_mode_t p1, input packer_mode_t p2, input packer_mode_t p3);
    with_packers = common;
    with_packers.face_select = face_select;
    with_packers.row_map = row_map;
    with_packers.edge_words = edge_words;
    with_packers.face_map = face_map;
    with_packers.packer[0] = p0;
    with_packers.packer[1] = p1;
    with_packers.packer[2] = p2;
    with_packers.packer[3] = p3;
  endfunction

  wire mode_t common = common_mode(
    word_i[WordFormat], word_i[WordRounding], word_i[WordRelu], word_i[WordDescale],
    word_i[WordShift], word_i[WordRead], word_i[WordAccess], selects0,
    word_i[WordPacker01+3], count_exponents_i);
  wire mode_t mode = with_packers(
    common, word_i[WordFaceSelect],
    {word_i[WordRowMap+3], word_i[WordRowMap+2], word_i[WordRowMap+1], word_i[WordRowMap]},
    {word_i[WordEdge+3], word_i[WordEdge+2], word_i[WordEdge+1], word_i[WordEdge]},
    {word_i[WordFaceMap+3], word_i[WordFaceMap+2], word_i[WordFaceMap+1], word_i[WordFaceMap]},
    packer_mode[0], packer_mode[1], packer_mode[2], packer_mode[3]);

  function automatic sampled_t sampled_of(
      input logic [1:0] thread, input logic [23:0] word, input logic setreg,
      input counters_t counters0, input counters_t counters1, input strides_t strides0,
      input strides_t strides1, input logic [7:0] l1_source, input logic stochastic,
      input logic descale_mode, input logic relu_above, input logic unstrided,
      input logic [11:0] slot, input logic [8:0] scaler, input fields_t f0, input fields_t f1,
      input fields_t f2, input fields_t f3, input mode_t sampled_mode);
    plan_t plan;

    plan.thread = thread;
    plan.word = word;
    plan.setreg = setreg;
    plan.load = SetregBh && setreg && word[PACR_SETREG_BH_MODE_SEL_LSB];
    plan.mask = mask_of(setreg, word);
    plan.counters0 = counters0;
    plan.counters1 = counters1;
    plan.strides0 = strides0;
    plan.strides1 = strides1;
    plan.l1_source = l1_source;
    plan.stochastic = stochastic;
    plan.descale_mode = descale_mode;
    plan.relu_above = relu_above;
    plan.unstrided = unstrided;
    plan.slot = slot;
    plan.scaler = scaler;
    plan.fields[0] = f0;
    plan.fields[1] = f1;
    plan.fields[2] = f2;
    plan.fields[3] = f3;
    sampled_of.plan = plan;
    sampled_of.mode = sampled_mode;
  endfunction

  wire alu_rounding_word_t rounding = word_i[WordRounding];
  wire int_descale_word_t descale = word_i[WordDescale];
  wire relu_word_t relu = word_i[WordRelu];
  wire dst_access_word_t access = word_i[WordAccess];
  wire packer_selects_word_t selects_of_0 = packer_word[2];

  assign sampled_o = sampled_of(
    thread_q, word_q, setreg_q, counters_of(live0), counters_of(live1),
    strides_of(word_i[WordBase0], word_i[WordXy0], word_i[WordZw0]),
    strides_of(word_i[WordBase1], word_i[WordXy1], word_i[WordZw1]),
    selects_of_0.l1_source_addr, rounding.packer_srnd_en || rounding.gasket_srnd_en, descale.mode,
    relu.applyrelu[3:2] != 2'd0,
    !(DstRemap == 1 && access.remap_addrs && access.swizzle_32b), SetregBh ? slot_bh : slot_wh,
    size_code[0] ? scaler_pair[17:9] : scaler_pair[8:0],
    fields[0], fields[1], fields[2], fields[3], mode);

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (issue_valid_i && issue_word_i[31:24] != OP_PACR && !issue_setreg)
      $fatal(1, "pack_sample: %h is no word for the packers", issue_word_i);
    if (valid_q && thread_q == 2'd3) $fatal(1, "pack_sample: there is no thread 3");
  end
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
