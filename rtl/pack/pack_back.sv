// SPDX-License-Identifier: Apache-2.0
//
// A packer behind its row pipeline (sections 6 to 9 of docs/pack.md): queues of steps and rows,
// gather, line pipeline, line queues, L1 port.
//
// Latency: a step of r+1 can be taken from r+12 on, with its lanes' rows in the queues (a row that
// comes in c is there from c+1 on); what a pop of c completes can be written from c+6 on.
// Handshake: none in front, who makes steps counts those in flight by taken_o; L1 accepts in
// cycles with l1_ready_i, and answers reads in order. Reset: everything empty.
`default_nettype none

module pack_back
  import format_pkg::*;
  import pack_pkg::*;
  import pack_back_pkg::*;
#(
  parameter int Lanes        = 1,  // 1 or 4
  parameter int Slots        = Lanes == 1 ? 1 : 8,
  parameter int L1Lines      = 93696,
  parameter int Fp16AccQuirk = 1
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  /* verilator lint_off UNUSEDSIGNAL */  // the rest of it is for the stages in front
  input  wire packer_mode_t            packer_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // steps and rows
  input  wire logic                    step_valid_i,
  input  wire step_t                   step_i,
  input  wire logic [Lanes-1:0]        row_done_i,
  input  wire logic [RowWidth*Lanes-1:0] row_i,  // row_t of each lane
  input  wire logic [Lanes-1:0]        row_valid_i,
  output wire logic                    taken_o,
  output wire logic                    quiet_o,  // nothing from the gather to L1
  // L1
  input  wire logic                    l1_ready_i,
  output wire logic [Slots-1:0]        write_valid_o,
  output wire logic [17*Slots-1:0]     write_line_o,
  output wire logic [2*Slots-1:0]      write_kind_o,
  output wire logic [128*Slots-1:0]    write_data_o,
  output wire l1_read_t                read_o,
  input  wire logic                    answer_valid_i,
  input  wire logic [128*Slots-1:0]    answer_data_i,
  output wire logic [3:0]              run_fault_o  // l1_range, exp_overlap, rsi_overflow, rows
);

  localparam int Groups = Lanes;
  localparam int UnitWidth = 256 * Groups;
  localparam int Width = 128 * Slots;
  localparam int Stages = 4;  // of the line pipeline before lines are put together

  wire logic [3:0] to = packer_i.to;
  wire logic bfp = is_bfp(to);
  wire logic narrow = to == Bfp8a || to == Bfp4a || to == Bfp2a;

  // ---- queues of steps and rows
  wire logic step_valid;
  wire step_t step;
  wire logic take;
  wire logic [Lanes-1:0] row_valid, take_rows;
  wire logic [5*Lanes-1:0] count;
  wire logic [16*Lanes-1:0] zero;
  wire logic [512*Lanes-1:0] elements;

  pack_step_queue u_steps (
    .clk_i, .rst_ni, .step_valid_i, .step_i, .valid_o(step_valid), .step_o(step), .take_i(take)
  );
  for (genvar b = 0; b < Lanes; b++) begin : gen_lane
    pack_row_queue u_rows (
      .clk_i, .rst_ni, .row_done_i(row_done_i[b]), .row_i(row_i[RowWidth*b+:RowWidth]),
      .row_valid_i(row_valid_i[b]), .valid_o(row_valid[b]), .count_o(count[5*b+:5]),
      .zero_o(zero[16*b+:16]),
      .elements_o(elements[512*b+:512]), .take_i(take_rows[b])
    );
  end

  // ---- gather
  wire push_t push;
  wire pop_t pop;
  wire outcome_t outcome;
  wire logic [7*Lanes-1:0] base;
  wire logic [127:0] counters;
  wire logic [1:0] accepted;
  wire logic quiet, none;

  pack_gather #(.Lanes(Lanes)) u_gather (
    .clk_i, .rst_ni, .to_i(to), .compress_i(packer_i.compress),
    .step_valid_i(step_valid), .step_i(step), .row_valid_i(row_valid), .count_i(count),
    .zero_i(zero), .take_o(take), .take_rows_o(take_rows),
    .push_o(push), .base_o(base), .pop_o(pop), .outcome_o(outcome),
    .counters_o(counters), .accepted_i(accepted), .quiet_o(quiet)
  );

  assign taken_o = take;
  assign quiet_o = quiet && none;

  // ---- line pipeline
  pop_t pop_q;
  logic [Stages-2:0] moves_q;  // units or counters
  logic [Stages-1:0] counters_q;
  logic [Stages*OutcomeWidth-1:0] outcome_q;  // the latest lowest
  wire outcome_t line_outcome;
  wire logic [UnitWidth-1:0] units;
  wire logic [Width-1:0] lines;
  wire logic [8*Groups-1:0] exponents;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pop_q <= '0;
      moves_q <= '0;
      counters_q <= '0;
      outcome_q <= '0;
    end else begin
      pop_q <= pop;
      moves_q <= {moves_q[Stages-3:0], pop.valid || pop.counters};
      counters_q <= {counters_q[Stages-2:0], pop.counters};
      outcome_q <= {outcome_q[(Stages-1)*OutcomeWidth-1:0], outcome};
    end
  end

  assign line_outcome = outcome_q[Stages*OutcomeWidth-1-:OutcomeWidth];

  pack_elements #(
    .Lanes(Lanes), .UnitWidth(UnitWidth), .LineWidth(Width)
  ) u_elements (
    .clk_i, .rst_ni, .to_i(to), .push_i(push), .base_i(base),
    .elements_i(elements), .pop_i(pop_q), .counters_i(counters), .units_o(units)
  );
  pack_bfp #(.Groups(Groups), .Width(Width)) u_bfp (
    .clk_i, .valid_i(moves_q[1]), .next_i(moves_q[2]), .pass_i(!bfp || counters_q[2]),
    .units_i(units), .narrow_i(narrow), .apart_i(packer_i.dis_shared_exp), .lines_o(lines),
    .exponents_o(exponents)
  );

  wire logic data_in, exponent_in, rsi_in;
  wire span_t span_in, span, sum_span;
  wire logic [Width-1:0] lines_in, data, sums;
  wire side_t exponent_line, rsi_line, side;

  pack_line #(.Groups(Groups), .Width(Width)) u_line (
    .clk_i, .rst_ni, .to_i(to), .bfp_i(bfp && !counters_q[3]), .outcome_i(line_outcome),
    .lines_i(lines), .exponents_i(exponents),
    .data_valid_o(data_in), .span_o(span_in), .data_o(lines_in),
    .exponent_valid_o(exponent_in), .exponent_o(exponent_line),
    .rsi_valid_o(rsi_in), .rsi_o(rsi_line)
  );

  // ---- line queues, L1 port
  wire logic data_valid, take_data, side_valid, take_side;
  wire logic room, overlap, sum_valid, read, write_back;

  assign accepted = {1'b0, take_data} + {1'b0, take_side};

  pack_line_queue #(.Width(Width)) u_queue (
    .clk_i, .rst_ni, .data_valid_i(data_in), .span_i(span_in), .data_i(lines_in),
    .exponent_valid_i(exponent_in), .exponent_i(exponent_line), .rsi_valid_i(rsi_in),
    .rsi_i(rsi_line), .data_valid_o(data_valid), .span_o(span), .data_o(data),
    .take_data_i(take_data), .side_valid_o(side_valid), .side_o(side), .take_side_i(take_side)
  );
  pack_accumulate #(.Slots(Slots), .Width(Width), .Fp16AccQuirk(Fp16AccQuirk)) u_accumulate (
    .clk_i, .rst_ni, .to_i(to), .span_i(span), .data_i(data), .read_i(read), .room_o(room),
    .overlap_o(overlap), .none_o(none), .answer_valid_i, .answer_data_i,
    .sum_valid_o(sum_valid), .sum_span_o(sum_span), .sum_o(sums), .write_i(write_back)
  );
  pack_port #(.Slots(Slots), .Width(Width), .L1Lines(L1Lines)) u_port (
    .l1_ready_i, .accumulate_i(accumulates(packer_i.accumulate, packer_i.compress, to)),
    .data_valid_i(data_valid), .span_i(span), .data_i(data), .take_data_o(take_data),
    .side_valid_i(side_valid), .side_i(side), .take_side_o(take_side),
    .room_i(room), .overlap_i(overlap), .none_i(none), .sum_valid_i(sum_valid),
    .sum_span_i(sum_span), .sum_i(sums), .read_o(read), .write_back_o(write_back),
    .write_valid_o, .write_line_o, .write_kind_o, .write_data_o, .fault_o(run_fault_o)
  );

  assign read_o = {read, span.line, span.count};

endmodule

`default_nettype wire
