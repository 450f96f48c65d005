// SPDX-License-Identifier: Apache-2.0
//
// Steps of a packer (sections 5 and 6 of docs/pack.md): takes its instruction into steps, asks Dst
// for the rows of a step, or L1 for a line, and hands each lane its part.
//
// Latency: an instruction that is offered in d-1 makes its first step in d at the earliest. A step
// that is made in r is in step_o in r+1; a lane's part is up with lane_valid_o in the cycle of its
// grant, or in r. Handshake: row_valid_o is held until row_grant_i, lane by lane; a step is made
// when all its rows are granted. Reset: no instruction.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_steps
  import pack_pkg::*;
  import pack_plan_pkg::*;
  import pack_address_pkg::x_mask;
  import dst_pkg::storage_of;
#(
  parameter int Lanes = 1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire mode_t        mode_i,
  input  wire logic [1:0]   from_i,         // low bits of FROM
  // the next instruction
  input  wire logic         valid_i,
  input  wire instruction_t instruction_i,
  output wire logic         take_o,
  output wire logic         gone_o,         // through with one
  // rows of Dst
  output wire logic [Lanes-1:0]      row_valid_o,
  output wire logic [Lanes-1:0][9:0] row_o,
  input  wire logic [Lanes-1:0]      row_grant_i,
  // line of the source
  output wire logic         source_valid_o,
  output wire logic [16:0]  source_line_o,
  input  wire logic         answers_due_i,  // a line is requested and not answered
  // lanes: source_valid_o says that it is lane 0's, and comes with the line
  output wire logic [Lanes-1:0]      lane_valid_o,
  output wire logic [Lanes-1:0][LaneWidth-1:0] lane_o,
  output wire logic [Lanes-1:0][5:0] ahead_o,   // datums of the lanes before, in this step
  output wire logic [Lanes-1:0][1:0] number_o,  // enabled lanes before
  // tile position
  output wire logic         advance_o,      // a step of rows of Dst
  output wire logic [6:0]   total_o,        // its datums
  output wire logic [2:0]   enabled_o,      // its lanes
  output wire logic         last_o,         // with advance_o: last step of an instruction
  output wire logic         restart_o,      // last step of Last, Flush, SETREG
  // steps
  output wire logic         step_valid_o,
  output wire step_t        step_o,
  input  wire logic         taken_i,
  output wire logic         none_in_flight_o
);

  // where an instruction is: what the next step takes
  typedef struct packed {
    logic        first;
    logic        last;
    logic [10:0] left;    // datums, of this step on
    logic [4:0]  take;    // of a lane; not those of the last step of P55
    logic [3:0]  phase;
    logic [3:0]  column;
    logic [9:0]  row;
    logic [16:0] line;
  } place_t;

  logic valid_q, started_q;
  instruction_t instruction_q;
  place_t place_q;
  logic [Lanes-1:0] pending_q;     // rows that are not granted yet
  logic [4:0] in_flight_q;

  // ---- the step
  wire logic rows = instruction_q.count != 11'd0;
  wire logic of_dst = rows && instruction_q.source == SourceDst;
  wire logic of_l1 = rows && instruction_q.source == SourceL1;
  wire logic may = valid_q && (started_q || !in_flight_q[4]);
  wire logic [Lanes-1:0] granted;
  wire logic makes
    = may && (of_dst ? (pending_q & ~granted) == '0 : of_l1 || !answers_due_i);
  wire logic through = makes && place_q.last;
  wire logic loads = valid_i && (!valid_q || through);

  assign take_o = loads;
  assign gone_o = through;
  assign source_valid_o = makes && of_l1;
  assign source_line_o = place_q.line;
  assign restart_o = through && instruction_q.close;
  assign advance_o = makes && of_dst;
  assign last_o = place_q.last;
  assign none_in_flight_o = in_flight_q == 5'd0;

  // ---- where the next step is
  function automatic logic [6:0] full_of(input logic [1:0] source, input logic spread,
                                         input logic [1:0] from);
    if (spread) full_of = 7'd64;
    else full_of = source == SourceL1 ? {3'd0, x_mask(from)} + 7'd1 : 7'd16;
  endfunction

  function automatic place_t begin_of(input instruction_t i, input logic [1:0] from);
    logic [6:0] full;

    full = full_of(i.source, i.spread, from) - {3'd0, i.column};
    begin_of.first = 1'b1;
    begin_of.last = i.count <= {4'd0, full};
    begin_of.left = i.count;
    begin_of.take = i.spread ? 5'd16 : begin_of.last ? i.count[4:0] : full[4:0];
    begin_of.phase = 4'd0;
    begin_of.column = i.column;
    begin_of.row = i.row;
    begin_of.line = i.line;
  endfunction

  function automatic place_t after(input place_t place, input instruction_t i,
                                   input logic [1:0] from);
    logic [6:0] full;

    full = full_of(i.source, i.spread, from);
    after.first = 1'b0;
    after.left = place.left - (i.spread ? 11'd64 : {6'd0, place.take});
    after.last = after.left <= {4'd0, full};
    after.take = i.spread ? 5'd16 : after.last ? after.left[4:0] : full[4:0];
    after.phase = place.phase + place.take[3:0];
    after.column = 4'd0;
    after.row = place.row + 10'd1;
    after.line = place.line + 17'd1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      started_q <= 1'b0;
      in_flight_q <= '0;
    end else begin
      valid_q <= loads || valid_q && !through;
      started_q <= may && !makes;
      in_flight_q <= in_flight_q + {4'd0, makes} - {4'd0, taken_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (loads) begin
      instruction_q <= instruction_i;
      place_q <= begin_of(instruction_i, from_i);
      pending_q <= instruction_i.lanes[Lanes-1:0];
    end else if (makes) begin
      place_q <= after(place_q, instruction_q, from_i);
      pending_q <= instruction_q.lanes[Lanes-1:0];
    end else begin
      pending_q <= pending_q & ~granted;
    end
  end

  // ---- lanes
  wire logic [3:0] enabled = instruction_q.spread ? 4'b1111 : instruction_q.lanes;
  wire logic [3:0] brings;  // lanes that the step has
  // P55: what is left for the lanes of this step
  wire logic [6:0] rest = place_q.left >= 11'd64 ? 7'd64 : place_q.left[6:0];

  function automatic lane_t lane_of(input logic [1:0] source, input logic [3:0] column,
                                    input logic [4:0] count, input logic [3:0] phase);
    lane_of.source = source;
    lane_of.column = column;
    lane_of.count = count;
    lane_of.phase = phase;
  endfunction

  // Datums of the step in the lanes before lane l. A step of rows of several lanes is the only one.
  function automatic logic [6:0] datums_before(input int l, input logic [3:0] lanes,
                                        input logic [4:0] count);
    datums_before = (lanes[0] && l > 0 ? {2'd0, count} : 7'd0)
      + (lanes[1] && l > 1 ? {2'd0, count} : 7'd0) + (lanes[2] && l > 2 ? {2'd0, count} : 7'd0)
      + (lanes[3] && l > 3 ? {2'd0, count} : 7'd0);
  endfunction

  wire logic [4:0] of_lane = instruction_i.spread ? 5'd16 : instruction_i.count[4:0];

  if (Lanes == 1) begin : gen_one
    assign total_o = {2'd0, place_q.take};
    assign enabled_o = 3'd1;
    assign brings[3:1] = 3'd0;
  end else begin : gen_several
    logic [6:0] total_q;

    assign total_o = total_q;
    assign enabled_o = 3'(enabled[0]) + 3'(enabled[1]) + 3'(enabled[2]) + 3'(enabled[3]);

    always_ff @(posedge clk_i) begin
      if (loads) total_q <= datums_before(4, instruction_i.lanes, of_lane);
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [9:0] storage_q;
    logic [6:0] ahead_q;
    wire logic [9:0] next_row
      = loads ? instruction_i.row + (instruction_i.strided ? 10'(16 * l) : 10'(l))
              : place_q.row + 10'd1;
    wire logic [4:0] of_rest = rest >= 7'(16 * l + 16) ? 5'd16
      : rest > 7'(16 * l) ? {1'b0, rest[3:0]} : 5'd0;
    wire logic [4:0] count = instruction_q.spread ? of_rest : place_q.take;

    assign brings[l] = rows && enabled[l] && count != 5'd0;
    assign row_valid_o[l] = may && of_dst && pending_q[l];
    assign row_o[l] = storage_q;
    assign granted[l] = row_valid_o[l] && row_grant_i[l];
    assign lane_valid_o[l] = granted[l] || makes && !of_dst && !of_l1 && brings[l];
    assign lane_o[l] = lane_of(instruction_q.source, place_q.column, count,
                               place_q.phase + ahead_q[3:0]);
    assign ahead_o[l] = ahead_q[5:0];
    assign number_o[l] = l == 0 ? 2'd0 : l == 1 ? 2'(enabled[0])
      : l == 2 ? 2'(enabled[0]) + 2'(enabled[1])
      : 2'(enabled[0]) + 2'(enabled[1]) + 2'(enabled[2]);

    always_ff @(posedge clk_i) begin
      if (loads || makes)
        storage_q <= storage_of(next_row, mode_i.read_32b, mode_i.remap, mode_i.swizzle);
      if (loads) ahead_q <= datums_before(l, instruction_i.lanes, of_lane);
    end
  end

  // ---- the step, as it goes on
  function automatic step_t step_of(input instruction_t i, input place_t place,
                                    input logic [3:0] lanes, input logic has_rows);
    step_of.first = place.first;
    step_of.last = place.last;
    step_of.close = place.last && i.close;
    step_of.ends_row = place.last && i.ends_row;
    step_of.rows = has_rows;
    step_of.lanes = lanes;
    step_of.new_data = place.first && i.new_data;
    step_of.new_exponent = place.first && i.new_exponent;
    step_of.new_rsi = place.first && i.new_rsi;
    step_of.data_line = i.data_line;
    step_of.exponent_line = i.exponent_line;
    step_of.rsi_line = i.rsi_line;
    step_of.exponent_size = i.exponent_size;
    step_of.rsi_size = i.rsi_size;
  endfunction

  logic step_valid_q;
  step_t step_q;

  assign step_valid_o = step_valid_q;
  assign step_o = step_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_valid_q <= 1'b0;
    else step_valid_q <= makes;
  end

  always_ff @(posedge clk_i) begin
    if (makes) step_q <= step_of(instruction_q, place_q, brings, rows);
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (taken_i && in_flight_q == 5'd0) $fatal(1, "pack_steps: a step is taken that is not there");
    for (int l = 0; l < Lanes; l++)
      if (row_grant_i[l] && !row_valid_o[l]) $fatal(1, "pack_steps: a row that no one asked for");
  end
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
