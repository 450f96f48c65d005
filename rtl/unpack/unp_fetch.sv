// SPDX-License-Identifier: Apache-2.0
//
// The fetch stage of an unpacker: one instruction, whose beats it requests from L1 and puts into
// the beat buffer (docs/unpack.md section 4).
//
// Latency: an instruction loaded in q is worked on from q+1 on; requests and pushes are up in the
// cycle in which they are made. Handshake: load_o takes the instruction of plan_i; fetching_o asks
// for the lines of grant_i and never depends on them. Reset: no instruction, accumulator 0.
`default_nettype none

module unp_fetch
  import unpack_pkg::*, unpack_step_pkg::*;
#(
  parameter int L1Lines = 93696
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // from the queue
  input  wire logic                 plan_valid_i,
  input  wire logic [PlanWidth-1:0] plan_i,
  output wire logic                 load_o,
  output wire logic [2:0]           busy_o,
  // rates
  output wire logic                 fetching_o,
  output wire logic [2:0]           want_o,
  input  wire logic [2:0]           grant_i,
  // L1
  output wire logic                 l1_valid_o,
  output wire logic [2:0]           l1_count_o,
  output wire logic [111:0]         l1_lines_o,
  output wire logic                 l1_has_exponent_o,
  output wire logic [27:0]          l1_exponent_o,
  output wire logic                 l1_has_delta_o,
  output wire logic [27:0]          l1_delta_o,
  output wire logic [4:0]           read_fault_o,
  input  wire logic                 answer_valid_i,
  input  wire logic [255:0]         answer_lines_i,  // the first two
  // beat buffer
  input  wire logic [3:0]           used_i,
  input  wire logic                 drained_i,
  output wire logic                 push_o,
  output wire logic [BeatWidth-1:0] beat_o,
  output wire logic [1:0]           thread_o,        // of the beat
  output wire logic                 rsi_o,           // an answer is that of the RSI request
  input  wire logic                 all_emitted_i,   // the write stage ends the bounded output
  // events
  input  wire logic [19:0]          setreg_base0_i,
  input  wire logic [19:0]          setreg_base1_i,
  output wire logic                 overlay_valid_o,
  output wire logic [5:0]           overlay_stream_o,
  output wire logic [10:0]          overlay_count_o,
  output wire logic                 setreg_valid_o,
  output wire logic [31:0]          setreg_address_o,
  output wire logic [31:0]          setreg_data_o,
  output wire logic [16:0]          acc_o
);

  localparam logic [1:0] PhaseRsi = 2'd0;   // requests the RSI lines
  localparam logic [1:0] PhaseWait = 2'd1;  // for the answer
  localparam logic [1:0] PhasePlace = 2'd2; // works out where the datums are
  localparam logic [1:0] PhaseRun = 2'd3;

  // where an instruction is
  typedef struct packed {
    logic [33:0] datum;     // quarters of a byte
    logic [35:0] exponent;  // sixteenths
    logic [32:0] delta;     // halves
    logic [33:0] start;     // tilize: of this row
    logic [4:0]  row;       // datums of this row that are done
    logic [18:0] left;      // datums; bounded output: 1 while there is anything to fetch
    logic        first;     // nothing has been requested yet
  } place_t;

  logic active_q;
  logic [1:0] phase_q;
  logic [PlanWidth-1:0] plan_q;
  place_t place_q;
  logic [15:0] rsi_first_q, rsi_end_q;
  logic [1:0] rsi_in_l1_q;
  logic [16:0] acc_q;

  wire plan_t plan = plan_q;
  wire logic unused_bfp = plan.bfp;
  /* verilator lint_off UNUSEDSIGNAL */
  wire plan_t next_plan = plan_i;  // only where it begins
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic [1:0] next_thread = next_plan.thread;

  function automatic logic [15:0] rsi_entry(input logic [127:0] line, input logic [2:0] index);
    rsi_entry = line[{index, 4'd0}+:16];
  endfunction

  // ---- what happens in this cycle
  wire logic regular = active_q && plan.kind == KindRegular;
  wire logic running = regular && phase_q == PhaseRun;
  wire logic room = used_i != 4'd8;
  wire logic something = place_q.left != 19'd0;
  wire logic fetching = running && something && (plan.bounded ? used_i == 4'd0 : room);
  wire logic token = active_q && room && (plan.kind == KindToken || running && !something);
  wire logic rsi_request = regular && phase_q == PhaseRsi && drained_i;
  wire logic effect = active_q && drained_i
                      && (plan.kind == KindOverlay || plan.kind == KindSetreg);

  wire logic [7:0] count;
  wire logic [2:0] lines;
  wire logic [111:0] line;
  wire logic [17:0] chunks;
  wire logic merged;
  wire logic [33:0] next_datum, next_start;
  wire logic [35:0] next_exponent;
  wire logic [4:0] next_row;
  wire logic [7:0] most = plan.bounded || place_q.left > 19'd128 ? 8'd128 : place_q.left[7:0];

  unp_beat u_beat (
    .valid_i(fetching), .grant_i, .compressed_i(plan.compressed), .tilize_i(plan.tilize),
    .wide_rows_i(plan.wide_rows), .size_i(plan.size), .read_exponent_i(plan.read_exponent),
    .limit_i(plan.limit), .fifo_i(plan.fifo), .row_stride_i(plan.row_stride),
    .datum_i(place_q.datum), .exponent_i(place_q.exponent), .row_i(place_q.row),
    .begin_i(place_q.start), .left_i(most),
    .count_o(count), .lines_o(lines), .line_o(line), .chunks_o(chunks), .merged_o(merged),
    .datum_o(next_datum), .exponent_o(next_exponent), .row_o(next_row), .begin_o(next_start)
  );

  // compressed: where the datums are, once the RSI entries are there
  wire logic placing = regular && phase_q == PhasePlace;
  wire logic [33:0] rsi_datum;
  wire logic [32:0] rsi_delta;
  wire logic [35:0] rsi_exponent;
  wire logic [15:0] rsi_count;

  unp_compressed u_compressed (
    .valid_i(placing), .first_i(rsi_first_q), .end_i(rsi_end_q), .size_i(plan.size),
    .limit_i(plan.limit), .fifo_i(plan.fifo), .datums_i(plan.datum_pointer),
    .exponents_i(plan.exponent_pointer),
    .datum_o(rsi_datum), .delta_o(rsi_delta), .exponent_o(rsi_exponent), .count_o(rsi_count)
  );

  wire logic last_beat = !plan.bounded && place_q.left == {11'd0, count};
  wire logic finish = active_q && (token || fetching && last_beat || plan.kind == KindNop || effect)
                      || all_emitted_i;

  assign load_o = plan_valid_i && (!active_q || finish);
  assign busy_o = active_q ? 3'b001 << plan.thread : 3'b000;
  assign fetching_o = fetching;
  assign want_o = plan.want;

  // ---- L1
  function automatic logic [5:0] within_l1(input logic [111:0] datums, input logic [27:0] exponents,
                                           input logic [27:0] deltas);
    within_l1 = {deltas < 28'(L1Lines), exponents < 28'(L1Lines), datums[111:84] < 28'(L1Lines),
                 datums[83:56] < 28'(L1Lines), datums[55:28] < 28'(L1Lines),
                 datums[27:0] < 28'(L1Lines)};
  endfunction

  wire logic has_exponent = fetching && plan.read_exponent;
  wire logic has_delta = fetching && plan.compressed;
  wire logic [111:0] request = rsi_request
                               ? {56'd0, plan.bounded ? 28'd0 : plan.rsi_end[31:4],
                                  plan.rsi_first[31:4]}
                               : line;
  wire logic [27:0] exponent = has_exponent ? place_q.exponent[35:8] : 28'd0;
  wire logic [27:0] delta = has_delta ? place_q.delta[32:5] : 28'd0;
  wire logic valid = fetching || rsi_request;
  wire logic [5:0] in_l1 = valid ? within_l1(request, exponent, delta) : '1;

  assign l1_valid_o = valid;
  assign l1_count_o = rsi_request ? (plan.bounded ? 3'd1 : 3'd2) : lines;
  assign l1_lines_o = request;
  assign l1_has_exponent_o = has_exponent;
  assign l1_exponent_o = exponent;
  assign l1_has_delta_o = has_delta;
  assign l1_delta_o = delta;
  wire logic start_align = fetching && plan.compressed && plan.transpose && place_q.first
                           && place_q.datum[5:0] != 6'd0;
  assign read_fault_o = {start_align, !in_l1[5], rsi_request && in_l1[3:0] != '1, !in_l1[4],
                         !rsi_request && in_l1[3:0] != '1};
  assign rsi_o = regular && phase_q == PhaseWait;

  // ---- beat buffer
  assign push_o = fetching || token;
  assign thread_o = plan.thread;
  assign beat_o = !push_o ? '0 : {
    token, place_q.first, token || last_beat, plan.thread, plan.bank, plan.flip,
    // where the datums are in the answer
    plan.compressed, plan.bounded, count, plan.size, place_q.datum[5:0], 1'b0, merged, chunks,
    in_l1,
    plan.read_exponent, plan.read_exponent ? place_q.exponent[7:0] : plan.shared_exponent,
    place_q.delta[4:0],
    // what becomes of them
    plan.in_format, plan.out_format, plan.e4m3, plan.int8_unsigned, plan.to_dst, plan.wide_dst,
    plan.all_zero, plan.zeros, plan.interleave, plan.set_ovrd, plan.transpose, plan.col_shift,
    plan.src_row, plan.out_addr, plan.drop, plan.count,
    // token
    plan.clear, plan.clear_both, plan.clear_own, plan.clear_value
  };

  // ---- events
  wire logic [16:0] sum = acc_q + {6'd0, plan.value};
  wire logic setreg = effect && plan.kind == KindSetreg;
  wire logic clear_acc = plan.accumulate && plan.value == 11'd0;

  assign overlay_valid_o = effect && plan.kind == KindOverlay;
  assign overlay_stream_o = overlay_valid_o ? plan.stream : 6'd0;
  assign overlay_count_o = overlay_valid_o ? plan.value : 11'd0;
  assign setreg_valid_o = setreg && !clear_acc;
  assign setreg_address_o = !setreg_valid_o ? 32'd0 : 32'hffb00000 + {14'd0, plan.stream, 12'd0}
                            + {12'd0, plan.base_select ? setreg_base1_i : setreg_base0_i};
  assign setreg_data_o = !setreg_valid_o ? 32'd0 : plan.accumulate ? {15'd0, sum}
                                                                   : {21'd0, plan.value};
  assign acc_o = acc_q;

  // ---- state
  // A group ends with its last nibble: datums and nibbles of the next one are behind it.
  wire logic [32:0] delta_behind = place_q.delta + {25'd0, count};
  wire logic group_ends = plan.compressed && delta_behind[4:0] == 5'd0;
  wire logic [32:0] next_delta = !group_ends ? delta_behind : wrap_delta(
    delta_behind + (33'd1 << ({2'd0, plan.size} + 5'd3)), plan.limit, plan.fifo);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      phase_q <= PhaseRsi;
      plan_q <= '0;
      place_q <= '0;
      rsi_first_q <= '0;
      rsi_end_q <= '0;
      rsi_in_l1_q <= '0;
      acc_q <= '0;
    end else begin
      if (load_o) begin
        active_q <= 1'b1;
        plan_q <= plan_i;
        place_q <= {next_plan.datum_pointer, next_plan.exponent_pointer, 33'd0,
                    next_plan.datum_pointer, 5'd0, next_plan.count, 1'b1};
        phase_q <= next_plan.compressed ? PhaseRsi : PhaseRun;
      end else if (finish) begin
        active_q <= 1'b0;
      end else if (fetching) begin
        place_q.datum <= group_ends ? next_datum + 34'd64 : next_datum;
        place_q.exponent <= next_exponent;
        place_q.delta <= next_delta;
        place_q.start <= next_start;
        place_q.row <= next_row;
        if (!plan.bounded) place_q.left <= place_q.left - {11'd0, count};
        place_q.first <= 1'b0;
      end else if (rsi_request) begin
        phase_q <= PhaseWait;
        rsi_in_l1_q <= in_l1[1:0];
      end else if (regular && phase_q == PhaseWait) begin
        if (answer_valid_i) begin
          phase_q <= PhasePlace;
          rsi_first_q <= rsi_in_l1_q[0]
                         ? rsi_entry(answer_lines_i[127:0], plan.rsi_first[3:1]) : 16'd0;
          rsi_end_q <= rsi_in_l1_q[1]
                       ? rsi_entry(answer_lines_i[255:128], plan.rsi_end[3:1]) : 16'd0;
        end
      end else if (placing) begin
        phase_q <= PhaseRun;
        place_q.datum <= rsi_datum;
        place_q.exponent <= rsi_exponent;
        place_q.delta <= rsi_delta;
        place_q.left <= plan.bounded ? {18'd0, plan.count != 19'd0} : {3'd0, rsi_count};
      end
      if (setreg && plan.accumulate) acc_q <= clear_acc ? '0 : sum;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (all_emitted_i && !(running && plan.bounded))
      $fatal(1, "unp_fetch: the end of a bounded output that is not here");
    if (fetching && (count == 8'd0 || count > most))
      $fatal(1, "unp_fetch: a beat of %0d datums, %0d are left", count, most);
    if (fetching && lines > grant_i) $fatal(1, "unp_fetch: more lines than granted");
    if (active_q && plan.kind > KindSetreg) $fatal(1, "unp_fetch: no such kind");
    if (load_o && next_thread == 2'd3) $fatal(1, "unp_fetch: thread 3");
  end
`endif

endmodule

`default_nettype wire
