// SPDX-License-Identifier: Apache-2.0
//
// A packer, from its instruction queue to its port of L1: steps and rows, lanes with their edge
// masks, histogram, and what is behind the lanes.
//
// Latency: an instruction that comes in in d-1 makes its first step in d at the earliest; a row
// that is granted in g leaves its lane in g+8 and can be seen from g+12 on. Handshake: rows of Dst
// are held until they are granted; instructions never are. Reset: nothing in it. still_o: no row in
// flight, and nothing behind the lanes that would go on by itself.
`default_nettype none

module pack_packer
  import pack_pkg::*;
  import pack_plan_pkg::*;
  import pack_position_pkg::*;
#(
  parameter int Lanes = 1,
  parameter int Slots = 1,
  parameter int L1Lines = 93696,
  parameter int TpgByIntf = 0,
  parameter int TilePositionKept = 0,
  parameter int R10Fp16 = 1,
  parameter int E4m3 = 1,
  parameter int ReluMaxCmp19 = 0,
  parameter int Fp16AccQuirk = 1
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire mode_t                mode_i,
  input  wire packer_mode_t         packer_i,
  input  wire logic [1:0]           face_select_i,  // of the packer
  input  wire logic [1:0]           row_select_i,
  input  wire logic                 masked_i,
  input  wire logic                 instruction_valid_i,
  input  wire instruction_t         instruction_i,
  output wire logic                 gone_o,
  output wire logic                 still_o,
  // Dst
  output wire logic [Lanes-1:0] dst_valid_o,
  output wire logic [Lanes-1:0][9:0] dst_row_o,
  input  wire logic [Lanes-1:0] dst_grant_i,
  input  wire logic [Lanes-1:0][255:0] dst_high_i,
  input  wire logic [Lanes-1:0][255:0] dst_low_i,
  input  wire logic [Lanes-1:0] dst_row_valid_i,
  // L1 as source
  output wire logic                 source_valid_o,
  output wire logic [16:0]          source_line_o,
  output wire lane_t                source_lane_o,
  input  wire logic                 answers_due_i,
  input  wire logic                 answer_lane_valid_i,
  input  wire lane_t                answer_lane_i,
  input  wire logic [127:0]         answer_line_i,
  // histogram
  input  wire logic                 clear_i,
  output wire logic [255:0]         bins_o,
  output wire logic [7:0]           maximum_o,
  // L1
  input  wire logic                 l1_ready_i,
  output wire logic [Slots-1:0]     write_valid_o,
  output wire logic [17*Slots-1:0]  write_line_o,
  output wire logic [2*Slots-1:0]   write_kind_o,
  output wire logic [128*Slots-1:0] write_data_o,
  output wire l1_read_t             read_o,
  input  wire logic                 answer_valid_i,
  input  wire logic [128*Slots-1:0] answer_data_i,
  output wire logic [3:0]           run_fault_o,
  output wire logic                 edge_position_o
);

  localparam int RowWidth = $bits(row_t);

  // ---- instructions, steps
  wire logic next_valid, take, step_valid, taken, none_in_flight, quiet;
  wire instruction_t next;
  wire step_t step_made;
  wire logic [Lanes-1:0] lane_valid;
  wire logic [Lanes-1:0][LaneWidth-1:0] lane;
  wire logic [Lanes-1:0][5:0] lane_ahead;
  wire logic [Lanes-1:0][1:0] lane_number;
  wire logic advance, last, restart;
  wire logic [6:0] step_total;
  wire logic [2:0] step_lanes;

  assign still_o = none_in_flight && quiet;
  assign source_lane_o = lane[0];

  pack_instructions u_instructions (
    .clk_i, .rst_ni, .valid_i(instruction_valid_i), .instruction_i, .valid_o(next_valid),
    .head_o(next), .take_i(take)
  );

  pack_steps #(.Lanes(Lanes)) u_steps (
    .clk_i, .rst_ni, .mode_i, .from_i(packer_i.from[1:0]), .valid_i(next_valid),
    .instruction_i(next), .take_o(take), .gone_o, .row_valid_o(dst_valid_o), .row_o(dst_row_o),
    .row_grant_i(dst_grant_i), .source_valid_o, .source_line_o,
    .answers_due_i, .lane_valid_o(lane_valid), .lane_o(lane), .ahead_o(lane_ahead),
    .number_o(lane_number), .advance_o(advance), .total_o(step_total), .enabled_o(step_lanes),
    .last_o(last), .restart_o(restart), .step_valid_o(step_valid), .step_o(step_made),
    .taken_i(taken), .none_in_flight_o(none_in_flight)
  );

  // ---- tile position
  wire logic [3:0] tile_x;
  wire rows_t tile_rows;
  wire logic [7:0] tile_left;

  pack_position #(.TpgByIntf(TpgByIntf), .TilePositionKept(TilePositionKept)) u_position (
    .clk_i, .rst_ni, .packer_i, .advance_i(advance), .total_i(step_total), .enabled_i(step_lanes),
    .last_i(last), .restart_i(restart), .masked_i, .fault_o(edge_position_o), .x_o(tile_x),
    .rows_o(tile_rows), .left_o(tile_left)
  );

  // ---- lanes
  wire logic [Lanes-1:0] row_done, row_valid;
  wire logic [RowWidth*Lanes-1:0] lane_rows;
  wire logic [Lanes-1:0] count_valid;
  wire logic [Lanes-1:0][15:0] count_mask;
  wire logic [Lanes-1:0][127:0] lane_exponents;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic valid_q;
    lane_t lane_q;
    lane_t granted;
    wire lane_t lane_now;
    wire logic [15:0] pass;
    wire row_t lane_row;
    wire logic of_source = l == 0 && answer_lane_valid_i;

    assign granted = lane[l];
    assign lane_now = of_source ? answer_lane_i : lane_q;
    assign lane_rows[RowWidth*l+:RowWidth] = lane_row;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= lane_valid[l];
    end

    always_ff @(posedge clk_i) begin
      if (lane_valid[l]) lane_q <= granted;
    end

    pack_edge #(.TpgByIntf(TpgByIntf)) u_edge (
      .clk_i, .mode_i, .packer_i, .face_select_i, .row_select_i,
      .column_i(granted.column), .ahead_i(lane_ahead[l]),
      .number_i(lane_number[l]), .x_i(tile_x), .rows_i(tile_rows), .left_i(tile_left), .pass_o(pass)
    );

    pack_lane #(.R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19)) u_lane (
      .clk_i, .rst_ni, .mode_i, .packer_i, .valid_i(valid_q || of_source), .lane_i(lane_now),
      .dst_high_i(dst_high_i[l]), .dst_low_i(dst_low_i[l]), .dst_row_valid_i(dst_row_valid_i[l]),
      .source_data_i(l == 0 ? answer_line_i : 128'd0), .pass_i(pass),
      .count_valid_o(count_valid[l]),
      .count_mask_o(count_mask[l]), .exponent_o(lane_exponents[l]), .row_done_o(row_done[l]),
      .row_o(lane_row), .row_valid_o(row_valid[l])
    );
  end

  // ---- histogram
  wire logic [7:0] bin_counts [32];

  for (genvar b = 0; b < 32; b++) begin : gen_bin
    assign bins_o[8*b+:8] = bin_counts[b];
  end

  pack_histogram #(.Lanes(Lanes)) u_histogram (
    .clk_i, .rst_ni, .count_en_i(mode_i.count_exponents), .clear_i, .valid_i(count_valid),
    .mask_i(count_mask), .exponent_i(lane_exponents), .bins_o(bin_counts), .maximum_o
  );

  // ---- behind the lanes
  pack_back #(
    .Lanes(Lanes), .Slots(Slots), .L1Lines(L1Lines), .Fp16AccQuirk(Fp16AccQuirk)
  ) u_back (
    .clk_i, .rst_ni, .packer_i, .step_valid_i(step_valid), .step_i(step_made),
    .row_done_i(row_done), .row_i(lane_rows), .row_valid_i(row_valid), .taken_o(taken),
    .quiet_o(quiet), .l1_ready_i,
    .write_valid_o, .write_line_o, .write_kind_o, .write_data_o, .read_o,
    .answer_valid_i, .answer_data_i, .run_fault_o
  );

endmodule

`default_nettype wire
