// SPDX-License-Identifier: Apache-2.0
//
// The packers: Dst to L1. Four of one lane each, or one of four. docs/pack.md is the cycle
// contract; Dst and the address counters are beside this module.
//
// Latency: as in the contract. Handshake: a word issues only with ready_o, a row of Dst is wanted
// until it is granted, L1 takes what there is in a cycle with l1_ready_i. Reset: nothing under way,
// configuration 0.
`default_nettype none

module pack
  import unit_port_pkg::*;
  import pack_fault_pkg::*;
  import format_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
#(
  parameter int Packers = 4,
  parameter int Mask0 = 1,
  parameter int MaxDatums = 256,
  parameter int BhFields = 0,
  parameter int Relative = 1,
  parameter int YzwShr4 = 0,
  parameter int Ch1Offset18 = 0,
  parameter int CompressOvrd = 1,
  parameter int TpgByIntf = 0,
  parameter int TilePositionKept = 0,
  parameter int R10Fp16 = 1,
  parameter int E4m3 = 1,
  parameter int ReluMaxCmp19 = 0,
  parameter int Fp16AccQuirk = 1,
  parameter int SetregEnc = 0,   // 0 WH, 1 BH
  parameter int SetregSlots = 2,
  parameter int DstRemap = 0,
  parameter int L1Lines = 93696
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire config_write_t      cfg_i,
  input  wire config_write_t      flop_i,
  input  wire setc16_t            setc16_i [3],
  input  wire thread_store_t      store_i,
  // instructions
  input  wire logic               issue_valid_i,
  input  wire logic [1:0]         issue_thread_i,
  input  wire logic [31:0]        issue_word_i,
  output wire logic               ready_o,
  // the packers' counters: element 2 * set + channel
  input  wire logic [60:0]        live_i [6],
  output wire logic               adc_valid_o,
  output wire logic [2:0]         adc_sets_o,
  output wire logic [15:0]        adc_addr_mod_o,
  input  wire offset_write_t      offset_i,
  input  wire histogram_command_t hist_i,
  output wire histogram_data_t    hist_o,
  input  wire setreg_base_t       setreg_base_i,
  // Dst, one port a lane: storage row, or the row and the one 8 behind
  output wire logic               dst_valid_o [4],
  output wire logic [9:0]         dst_row_o [4],
  output wire logic               dst_wide_o,
  input  wire logic               dst_grant_i [4],
  input  wire logic [255:0]       dst_high_i [4],
  input  wire logic [255:0]       dst_low_i [4],
  input  wire logic               dst_row_valid_i [4],
  input  wire logic               dst_race_i,      // a row is granted and written
  // L1; reads of four packers, and of the source, which is a line each
  input  wire logic [3:0]         l1_ready_i,
  output wire l1_write_t          write_o [8],
  output wire l1_read_t           read_o [5],
  input  wire logic               answer_valid_i [5],
  input  wire logic [1023:0]      answer_data_i [5],
  // registers, faults, busy
  output wire setreg_write_t      setreg_o,
  output wire fault_t             fault_o,
  output wire logic [RunFaultWidth-1:0] run_fault_o [4],
  output wire logic [2:0]         unit_fault_o,
  output wire logic [11:0]        busy_o
);

  localparam int Lanes = 4 / Packers;
  localparam int Slots = Lanes == 1 ? 1 : 8;

  // ---- configuration
  wire logic [1:0] thread;
  wire logic [31:0] word [Words];
  wire logic [15:0] addr_mod [4];
  wire logic count_exponents, cfg_written;
  wire logic [15:0] l1_offset [4];

  pack_config u_config (
    .clk_i, .rst_ni, .cfg_i, .flop_i, .setc16_i, .store_i, .written_o(cfg_written), .thread_i(thread),
    .word_o(word), .addr_mod_o(addr_mod), .count_exponents_o(count_exponents)
  );

  pack_offset u_offset (.clk_i, .rst_ni, .write_i(offset_i), .offset_o(l1_offset));

  // ---- sampling, plan queue, departure
  wire logic [3:0] issue_mask;
  wire logic sampled_valid, head_valid, departs;
  wire sampled_t sampled, head;
  wire plan_t plan;
  wire mode_t mode;
  wire logic [3:0] waiting, gone, still, none_under_way;

  pack_sample #(
    .Packers(Packers), .Mask0(Mask0), .BhFields(BhFields), .CompressOvrd(CompressOvrd),
    .SetregEnc(SetregEnc), .SetregSlots(SetregSlots), .DstRemap(DstRemap)
  ) u_sample (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .issue_mask_o(issue_mask),
    .thread_o(thread), .word_i(word), .addr_mod_i(addr_mod), .count_exponents_i(count_exponents),
    .live_i, .l1_offset_i(l1_offset), .setreg_base_i, .adc_valid_o, .adc_sets_o, .adc_addr_mod_o,
    .valid_o(sampled_valid), .sampled_o(sampled)
  );

  pack_plan_queue u_plan_queue (
    .clk_i, .rst_ni, .valid_i(sampled_valid), .sampled_i(sampled), .ready_o,
    .valid_o(head_valid), .head_o(head), .departs_i(departs), .masks_o(waiting)
  );

  pack_depart u_depart (
    .clk_i, .rst_ni, .valid_i(head_valid), .head_i(head), .departs_o(departs), .plan_o(plan),
    .mode_o(mode), .gone_i(gone), .still_i(still), .none_under_way_o(none_under_way)
  );

  // ---- addresses
  wire logic [3:0] instruction_valid;
  wire instruction_t instruction [4];
  wire logic [3:0] masked;

  pack_address #(
    .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums), .BhFields(BhFields),
    .Relative(Relative), .YzwShr4(YzwShr4), .Ch1Offset18(Ch1Offset18), .R10Fp16(R10Fp16),
    .SetregEnc(SetregEnc)
  ) u_address (
    .clk_i, .rst_ni, .valid_i(departs), .plan_i(plan), .mode_i(mode), .masked_i(masked),
    .instruction_valid_o(instruction_valid), .instruction_o(instruction), .fault_o, .setreg_o
  );

  // ---- packers
  wire logic clear;
  wire logic [256*Packers-1:0] counts;
  wire logic [7:0] maximum [4];

  assign dst_wide_o = mode.read_32b;

  for (genvar p = 0; p < Packers; p++) begin : gen_packer
    packer_mode_t packer_mode;
    wire logic [Slots-1:0] write_valid;
    wire logic [17*Slots-1:0] write_line;
    wire logic [2*Slots-1:0] write_kind;
    wire logic [128*Slots-1:0] write_data;
    wire logic source_valid, answers_due, source_fault, answer_lane_valid, edge_position;
    wire logic [16:0] source_line;
    wire lane_t source_lane, answer_lane;
    wire logic [127:0] answer_line;
    wire logic [3:0] run_fault;
    wire l1_read_t read;
    wire logic unused_answer = ^answer_data_i[p];  // a packer of one lane takes one line

    // its lanes of Dst
    wire logic [Lanes-1:0] lane_valid, lane_grant, lane_row_valid;
    wire logic [Lanes-1:0][9:0] lane_row;
    wire logic [Lanes-1:0][255:0] lane_high, lane_low;

    assign packer_mode = mode.packer[p];

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      assign dst_valid_o[Lanes*p+l] = lane_valid[l];
      assign dst_row_o[Lanes*p+l] = lane_row[l];
      assign lane_grant[l] = dst_grant_i[Lanes*p+l];
      assign lane_high[l] = dst_high_i[Lanes*p+l];
      assign lane_low[l] = dst_low_i[Lanes*p+l];
      assign lane_row_valid[l] = dst_row_valid_i[Lanes*p+l];
    end

    assign run_fault_o[p][RunFaultRows:RunFaultL1Range] = run_fault;
    assign run_fault_o[p][RunFaultSourceRange] = source_fault;
    assign run_fault_o[p][RunFaultEdgePosition] = edge_position;
    assign run_fault_o[p][RunFaultFp16Accumulate]
      = BhFields == 1 && read.valid && packer_mode.to == Fp16;
    assign read_o[p] = read;

    pack_masked u_masked (
      .clk_i, .mode_i(mode), .face_select_i(mode.face_select[2*p+1:2*p]),
      .row_select_i(mode.edge_words[2*p+18:2*p+17]), .masked_o(masked[p])
    );

    if (p == 0) begin : gen_source
      assign read_o[4] = {source_valid, source_line, 4'd1};

      pack_source #(.L1Lines(L1Lines)) u_source (
        .clk_i, .rst_ni, .valid_i(source_valid), .line_i(source_line), .lane_i(source_lane),
        .due_o(answers_due), .range_fault_o(source_fault),
        .answer_valid_i(answer_valid_i[4]), .answer_data_i(answer_data_i[4][127:0]),
        .lane_valid_o(answer_lane_valid), .lane_o(answer_lane), .data_o(answer_line)
      );
    end else begin : gen_no_source
      wire logic unused_source = source_valid ^ (^source_line) ^ (^source_lane);

      assign answers_due = 1'b0;
      assign source_fault = 1'b0;
      assign answer_lane_valid = 1'b0;
      assign answer_lane = '0;
      assign answer_line = '0;
    end

    pack_packer #(
      .Lanes(Lanes), .Slots(Slots), .L1Lines(L1Lines), .TpgByIntf(TpgByIntf),
      .TilePositionKept(TilePositionKept), .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19), .Fp16AccQuirk(Fp16AccQuirk)
    ) u_packer (
      .clk_i, .rst_ni, .mode_i(mode), .packer_i(packer_mode),
      .face_select_i(mode.face_select[2*p+1:2*p]),
      .row_select_i(mode.edge_words[2*p+18:2*p+17]),
      .instruction_valid_i(instruction_valid[p]), .instruction_i(instruction[p]),
      .gone_o(gone[p]), .still_o(still[p]),
      .dst_valid_o(lane_valid), .dst_row_o(lane_row), .dst_grant_i(lane_grant),
      .dst_high_i(lane_high), .dst_low_i(lane_low), .dst_row_valid_i(lane_row_valid),
      .source_valid_o(source_valid), .source_line_o(source_line),
      .source_lane_o(source_lane), .answers_due_i(answers_due),
      .answer_lane_valid_i(answer_lane_valid), .answer_lane_i(answer_lane),
      .answer_line_i(answer_line),
      .clear_i(clear), .bins_o(counts[256*p+:256]), .maximum_o(maximum[p]),
      .l1_ready_i(l1_ready_i[p]),
      .write_valid_o(write_valid), .write_line_o(write_line), .write_kind_o(write_kind),
      .write_data_o(write_data), .read_o(read), .answer_valid_i(answer_valid_i[p]),
      .answer_data_i(answer_data_i[p][128*Slots-1:0]), .run_fault_o(run_fault),
      .masked_i(masked[p]), .edge_position_o(edge_position)
    );

    for (genvar s = 0; s < Slots; s++) begin : gen_slot
      assign write_o[p+s]
        = {write_valid[s], write_line[17*s+:17], write_kind[2*s+:2], write_data[128*s+:128]};
    end
  end

  for (genvar p = Packers; p < 4; p++) begin : gen_no_packer
    assign gone[p] = 1'b0;
    assign still[p] = 1'b1;
    assign read_o[p] = '0;
    assign run_fault_o[p] = '0;
    assign masked[p] = 1'b0;
    wire logic unused_packer = instruction_valid[p] ^ l1_ready_i[p];
  end

  for (genvar s = Packers * Slots; s < 8; s++) begin : gen_no_slot
    assign write_o[s] = '0;
  end

  // ---- histograms, busy, faults of the unit
  wire logic some_busy = busy_o != '0;

  pack_histogram_read #(.Packers(Packers)) u_histogram_read (
    .clk_i, .rst_ni, .command_i(hist_i), .bins_i(counts), .maximum_i(maximum[0]),
    .clear_o(clear), .data_o(hist_o)
  );

  pack_busy u_busy (
    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_mask_i(issue_mask),
    .quiet_i(~waiting & none_under_way & still), .busy_o
  );

  assign unit_fault_o[UnitFaultBusyConfig] = some_busy && cfg_written;
  assign unit_fault_o[UnitFaultHistBusy] = some_busy && hist_i.valid;
  assign unit_fault_o[UnitFaultDstBusy] = dst_race_i;

endmodule

`default_nettype wire
