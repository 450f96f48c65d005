// SPDX-License-Identifier: Apache-2.0
//
// The fetch stage of an unpacker: one instruction, whose beats it requests from L1 and puts into
// the beat buffer, and the RSI entries of those that wait (docs/unpack.md sections 4 and 5.3).
//
//   unpack_fetch_place    where a compressed instruction begins, by its RSI entries
//   unpack_fetch_beat     decides for a beat a cycle, with unpack_fetch_rows for the wraps
//   unpack_fetch_request  from a decision to the lines at L1's port
//   unpack_fetch_effect   OverlayClear, SETREG
//
// Latency: an instruction loaded in q is worked on from q + 1 on; what is decided in c is at L1's
// port, and at beat_o, in c + `REQUEST`. Handshake: load_o takes plan_i; fetching_o asks for
// grant_i in its cycle and does not depend on it. Reset: no instruction, accumulator 0.
`default_nettype none

module unpack_fetch
  import unit_port_pkg::*;
  import unpack_pkg::*, unpack_fetch_pkg::*;
#(
  parameter int L1Lines = 93696
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  // from the queue
  input  wire logic              plan_valid_i,
  input  wire plan_t             plan_i,
  output wire logic              load_o,
  input  wire logic              rsi_valid_i,
  input  wire rsi_t              rsi_i,
  // rates
  output wire logic              fetching_o,
  output wire logic [2:0]        want_o,
  input  wire logic [2:0]        grant_i,
  // L1
  output wire l1_request_t       l1_o,
  output wire logic [4:0]        read_fault_o,
  input  wire logic              answer_valid_i,
  input  wire logic [1:0][127:0] answer_rsi_i,
  output wire logic              answer_beat_o,    // the answer of this cycle carries a beat
  // beat buffer
  output wire logic              beat_valid_o,
  output wire beat_t             beat_o,
  input  wire logic              done_i,           // the head entry's last cycle
  input  wire logic              bounded_done_i,   // ... of a bounded output that is complete
  // events
  input  wire logic [19:0]       setreg_base_i [2],
  output wire overlay_t          overlay_o,
  output wire setreg_write_t setreg_o,
  // observation
  output wire logic [16:0]       acc_o,
  output wire logic [2:0]        busy_o            // per thread: up to the cycle of its last beat_o
);

  localparam int FlightDepth = 2 ** $clog2(Beats + Queued + 1);  // requests: beats, RSI entries
  localparam int FlightWidth = $clog2(FlightDepth);
  localparam int UseWidth = $clog2(Beats + 1);

  // ---- the instruction
  logic active_q;
  kind_e kind_q;
  request_t request_q;
  effect_t effect_q;
  logic [2:0] want_q;
  logic [UseWidth-1:0] in_use_q;          // entries of the beat buffer
  logic [FlightWidth-1:0] outstanding_q;  // requests

  // ---- what happens in this cycle
  wire logic some, last_beat;
  wire logic regular = active_q && kind_q == KindRegular;
  wire logic room = in_use_q < UseWidth'(Beats);
  wire logic fetching = regular && some && (request_q.bounded ? in_use_q == '0 : room);
  wire logic token = active_q && room && (kind_q == KindToken || regular && !some);
  wire logic effect = active_q && outstanding_q == '0
                      && (kind_q == KindOverlay || kind_q == KindSetreg);
  wire logic finish = token || fetching && last_beat || effect || active_q && kind_q == KindNop
                      || bounded_done_i;
  wire logic decide = fetching || token;

  // ---- load
  wire logic placed_valid;
  wire placed_t placed;
  wire logic load = plan_valid_i && (!active_q || finish)
                    && (!plan_i.source.compressed || placed_valid);
  wire begin_t start;

  assign start.compressed = plan_i.source.compressed;
  assign start.bounded = plan_i.source.bounded;
  assign start.tilize = plan_i.source.tilize;
  assign start.wide_rows = plan_i.source.wide_rows;
  assign start.size = plan_i.source.size;
  assign start.read_exponent = plan_i.source.read_exponent;
  assign start.limit = plan_i.source.limit;
  assign start.fifo = plan_i.source.fifo;
  assign start.row_stride = plan_i.source.row_stride;
  assign start.datum_pointer = start.compressed ? placed.datum_pointer
                                                : plan_i.source.datum_pointer;
  assign start.exponent_pointer = start.compressed ? placed.exponent_pointer
                                                   : plan_i.source.exponent_pointer;
  assign start.delta_pointer = start.compressed ? placed.delta_pointer : '0;
  assign start.left = start.compressed ? {3'd0, placed.count} : plan_i.source.count;

  // A row of RowW datums is 1, 2, 4 or 8 lines.
  wire request_t request;
  assign request.compressed = start.compressed;
  assign request.bounded = start.bounded;
  assign request.tilize = start.tilize;
  assign request.size = start.size;
  assign request.lines_per_row = start.size[1:0] + (start.wide_rows ? 2'd2 : 2'd1);
  assign request.read_exponent = start.read_exponent;
  assign request.limit = start.limit;
  assign request.fifo = start.fifo;
  assign request.stride = start.row_stride[15:4];
  assign request.datum_line = start.datum_pointer[33:6];
  assign request.exponent_line = start.exponent_pointer[35:8];
  assign request.delta_line = start.delta_pointer[32:5];
  assign request.whose = plan_i.whose;
  assign request.convert = plan_i.convert;
  assign request.out = plan_i.out;
  assign request.clear = plan_i.token;

  wire decision_t decision;

  unpack_fetch_beat u_beat (
    .clk_i, .rst_ni, .load_i(load), .begin_i(start), .decide_i(fetching), .token_i(token),
    .grant_i, .some_o(some), .last_o(last_beat), .decision_o(decision)
  );

  // ---- to L1
  wire logic [1:0][27:0] rsi_lines;
  wire logic [1:0] rsi_in_l1;
  wire logic [2:0] busy_request;

  assign rsi_lines[0] = rsi_i.first[31:4];
  assign rsi_lines[1] = rsi_i.last[31:4];

  unpack_fetch_request #(.L1Lines(L1Lines)) u_request (
    .clk_i, .rst_ni, .decide_i(decide), .decision_i(decision), .request_i(request_q),
    .rsi_decide_i(rsi_valid_i), .rsi_lines_i(rsi_lines), .rsi_two_i(!rsi_i.bounded),
    .l1_o, .rsi_in_l1_o(rsi_in_l1), .read_fault_o, .beat_valid_o, .beat_o, .busy_o(busy_request)
  );

  // ---- requests under way: {RSI entries, beat}. What is put in c is up from c + 2 on; its answer
  // comes in c + 3 at the earliest.
  wire logic put_flight = fetching || rsi_valid_i;
  logic [FlightWidth-1:0] put_q, take_q;
  logic [1:0] flights_q[FlightDepth];
  logic [1:0] flight_q;
  wire logic [FlightWidth-1:0] take = take_q + {{FlightWidth-1{1'b0}}, answer_valid_i};

  always_ff @(posedge clk_i) if (put_flight) flights_q[put_q] <= {rsi_valid_i, fetching};

  assign answer_beat_o = answer_valid_i && flight_q[0];

  unpack_fetch_place u_place (
    .clk_i, .rst_ni, .rsi_valid_i, .rsi_i, .request_i(l1_o.rsi_count != 2'd0),
    .in_l1_i(rsi_in_l1), .answer_i(answer_valid_i && flight_q[1]), .lines_i(answer_rsi_i),
    .placed_valid_o(placed_valid), .placed_o(placed), .take_i(load && plan_i.source.compressed)
  );

  unpack_fetch_effect u_effect (
    .clk_i, .rst_ni, .overlay_i(effect && kind_q == KindOverlay),
    .setreg_i(effect && kind_q == KindSetreg), .effect_i(effect_q), .setreg_base_i,
    .overlay_o, .setreg_o, .acc_o
  );

  // ---- outputs
  assign load_o = load;
  assign fetching_o = fetching;
  assign want_o = want_q;
  assign busy_o = (active_q ? 3'b001 << request_q.whose.thread : 3'b000) | busy_request;

  // ---- state
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      kind_q <= KindRegular;
      request_q <= '0;
      effect_q <= '0;
      want_q <= 3'd1;
      in_use_q <= '0;
      outstanding_q <= '0;
      put_q <= '0;
      take_q <= '0;
      flight_q <= '0;
    end else begin
      if (load) begin
        active_q <= 1'b1;
        kind_q <= plan_i.kind;
        request_q <= request;
        effect_q <= plan_i.effect;
        want_q <= plan_i.source.want;
      end else if (finish) begin
        active_q <= 1'b0;
      end
      in_use_q <= in_use_q + {{UseWidth-1{1'b0}}, decide} - {{UseWidth-1{1'b0}}, done_i};
      outstanding_q <= outstanding_q + {{FlightWidth-1{1'b0}}, put_flight}
                       - {{FlightWidth-1{1'b0}}, answer_valid_i};
      if (put_flight) put_q <= put_q + 1'b1;
      take_q <= take;
      flight_q <= flights_q[take];
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (bounded_done_i && !(regular && request_q.bounded && some))
      $fatal(1, "unpack_fetch: the end of a bounded output that is not here");
    if (done_i && in_use_q == '0) $fatal(1, "unpack_fetch: the end of an entry that is not here");
    if (answer_valid_i && outstanding_q == '0) $fatal(1, "unpack_fetch: an answer to nothing");
    if (load && plan_i.kind > KindSetreg) $fatal(1, "unpack_fetch: no such kind");
    if (load && plan_i.whose.thread == 2'd3) $fatal(1, "unpack_fetch: thread 3");
  end
`endif

endmodule

`default_nettype wire
