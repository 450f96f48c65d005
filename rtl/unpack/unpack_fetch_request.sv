// SPDX-License-Identifier: Apache-2.0
//
// From a decision for a beat to the request at L1's port: numbers of lines, their wraps, and
// whether they are in L1 (docs/unpack.md sections 4, 5.2 and 8).
//
// Latency: `REQUEST`: a decision in c is at the port in c + 2, in between the lines are worked out.
// RSI lines share the way. Handshake: none, nothing waits. Reset: nothing under way.
`default_nettype none

module unpack_fetch_request
  import unpack_pkg::*, unpack_fetch_pkg::*;
#(
  parameter int L1Lines = 93696
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              decide_i,     // a beat or token
  input  wire decision_t         decision_i,
  input  wire request_t          request_i,    // its instruction
  input  wire logic              rsi_decide_i,
  input  wire logic [1:0][27:0]  rsi_lines_i,
  input  wire logic              rsi_two_i,
  // L1's port
  output wire l1_request_t       l1_o,
  output wire logic [1:0]        rsi_in_l1_o,
  output wire logic [4:0]        read_fault_o,
  output wire logic              beat_valid_o,
  output wire beat_t             beat_o,
  output wire logic [2:0]        busy_o        // per thread: a beat is between decision and port
);

  // What of an instruction goes on to the port.
  typedef struct packed {
    logic        compressed;
    logic        bounded;
    logic [2:0]  size;
    whose_t      whose;
    convert_t    convert;
    output_t     out;
    token_t      clear;
  } port_t;

  function automatic logic in_l1(input logic [27:0] line);
    in_l1 = line < 28'(L1Lines);
  endfunction

  // ---- c + 1: lines of the beat, and where the next one is
  logic valid1_q;
  decision_t decision1_q;
  /* verilator lint_off UNUSEDSIGNAL */
  request_t request1_q;          // its lines are taken with the decision
  /* verilator lint_on UNUSEDSIGNAL */
  logic [27:0] line_q;           // tilize: of the row's begin; else of the next datum
  logic [2:0] in_row_q;          // tilize: the next datum's line in its row
  logic [27:0] exponent_q, delta_q;
  logic [13:0] stride3_q;

  wire logic beat1 = valid1_q && !decision1_q.token;
  wire logic [2:0] full = decision1_q.behind[8:6];
  wire logic [2:0] count = full + {2'd0, decision1_q.behind[5:0] != 6'd0};
  wire logic [2:0] row_mask = 3'((4'd1 << request1_q.lines_per_row) - 4'd1);
  wire logic [27:0] fifo = decision1_q.wraps ? {11'd0, request1_q.fifo} : 28'd0;

  // Begin of the row that is `row` behind this one, from its begin.
  function automatic logic [13:0] rows_on(input logic [2:0] row, input logic [11:0] stride,
                                          input logic [13:0] stride3);
    case (row)
      3'd0: rows_on = 14'd0;
      3'd1: rows_on = {2'd0, stride};
      3'd2: rows_on = {1'd0, stride, 1'd0};
      3'd3: rows_on = stride3;
      default: rows_on = {stride, 2'd0};
    endcase
  endfunction

  // The lines of a beat; 0 behind the last.
  function automatic logic [3:0][27:0] lines_of(
      input logic [2:0] number, input logic [27:0] first, input logic [2:0] in_row,
      input logic [2:0] mask, input logic tilize, input logic [1:0] lines_per_row,
      input logic [11:0] stride, input logic [13:0] stride3);
    logic [3:0] in_rows;
    logic [13:0] on;
    logic [2:0] inside_row;

    for (int k = 0; k < 4; k++) begin
      in_rows = {1'b0, in_row} + 4'(k);
      on = rows_on(3'(in_rows >> lines_per_row), stride, stride3);
      inside_row = in_rows[2:0] & mask;
      if (!tilize) begin
        on = 14'd0;
        inside_row = 3'(k);
      end
      lines_of[k] = 3'(k) < number ? first + {14'd0, on} + {25'd0, inside_row} : 28'd0;
    end
  endfunction

  wire logic [3:0][27:0] lines
    = lines_of(count, line_q, in_row_q, row_mask, request1_q.tilize, request1_q.lines_per_row,
               request1_q.stride, stride3_q);

  wire logic [3:0] behind_in_row = {1'b0, in_row_q} + {1'b0, full};
  wire logic [13:0] next_row = rows_on(3'(behind_in_row >> request1_q.lines_per_row),
                                       request1_q.stride, stride3_q);
  wire logic next_group = request1_q.compressed && decision1_q.next_group;
  wire logic [13:0] moved = request1_q.tilize ? next_row
                                              : {11'd0, full} + {13'd0, next_group};
  wire logic [27:0] next_line = line_q + {14'd0, moved} - fifo;

  wire logic [27:0] limit = {11'd0, request1_q.limit};
  // Both with the wrap and without; one beyond the last line of all is line 0.
  wire logic [27:0] less_fifo = ~{11'd0, request1_q.fifo};  // less 1
  wire logic [27:0] next_exponent = exponent_q >= limit && exponent_q != '1
                                    ? exponent_q + less_fifo + 28'd2 : exponent_q + 28'd1;
  // A group's datums are 1, 2, 4 or 8 lines.
  wire logic [27:0] delta_up = delta_q + 28'd1 + {24'd0, 4'd1 << (request1_q.size - 3'd2)};
  wire logic [27:0] delta_on = {24'd0, 4'd1 << (request1_q.size - 3'd2)} + 28'd2;
  wire logic [27:0] next_delta = delta_up > limit ? delta_q + less_fifo + delta_on : delta_up;

  // ---- c + 2: at the port
  logic valid2_q;
  /* verilator lint_off UNUSEDSIGNAL */
  decision_t decision2_q;        // of where the lines are, nothing any more
  /* verilator lint_on UNUSEDSIGNAL */
  port_t port2_q;
  logic [2:0] count2_q;
  logic [3:0][27:0] lines2_q;
  logic [27:0] exponent2_q, delta2_q;
  logic has_exponent2_q, has_delta2_q;
  logic [1:0] rsi1_q, rsi2_q;    // numbers of lines
  logic [1:0][27:0] rsi_lines1_q, rsi_lines2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      decision1_q <= '0;
      request1_q <= '0;
      line_q <= '0;
      in_row_q <= '0;
      exponent_q <= '0;
      delta_q <= '0;
      stride3_q <= '0;
      valid2_q <= 1'b0;
      decision2_q <= '0;
      port2_q <= '0;
      count2_q <= '0;
      lines2_q <= '0;
      exponent2_q <= '0;
      delta2_q <= '0;
      has_exponent2_q <= 1'b0;
      has_delta2_q <= 1'b0;
      rsi1_q <= '0;
      rsi2_q <= '0;
      rsi_lines1_q <= '0;
      rsi_lines2_q <= '0;
    end else begin
      valid1_q <= decide_i;
      if (decide_i) decision1_q <= decision_i;
      if (decide_i && decision_i.first) begin
        request1_q <= request_i;
        line_q <= request_i.datum_line;
        in_row_q <= '0;
        exponent_q <= request_i.exponent_line;
        delta_q <= request_i.delta_line;
        stride3_q <= {2'd0, request_i.stride} + {1'd0, request_i.stride, 1'b0};
      end else if (beat1) begin
        line_q <= next_line;
        if (request1_q.tilize) in_row_q <= behind_in_row[2:0] & row_mask;
        if (decision1_q.next_exponent) exponent_q <= next_exponent;
        if (next_group) delta_q <= next_delta;
      end

      valid2_q <= valid1_q;
      if (valid1_q) begin
        decision2_q <= decision1_q;
        if (decision1_q.first) begin
          port2_q.compressed <= request1_q.compressed;
          port2_q.bounded <= request1_q.bounded;
          port2_q.size <= request1_q.size;
          port2_q.whose <= request1_q.whose;
          port2_q.convert <= request1_q.convert;
          port2_q.out <= request1_q.out;
          port2_q.clear <= request1_q.clear;
        end
      end
      if (beat1 || valid2_q) begin
        count2_q <= beat1 ? count : 3'd0;
        lines2_q <= beat1 ? lines : '0;
        has_exponent2_q <= beat1 && request1_q.read_exponent;
        has_delta2_q <= beat1 && request1_q.compressed;
        exponent2_q <= beat1 && request1_q.read_exponent ? exponent_q : '0;
        delta2_q <= beat1 && request1_q.compressed ? delta_q : '0;
      end
      rsi1_q <= rsi_decide_i ? {rsi_two_i, !rsi_two_i} : 2'd0;
      rsi2_q <= rsi1_q;
      if (rsi_decide_i) begin
        rsi_lines1_q[0] <= rsi_lines_i[0];
        rsi_lines1_q[1] <= rsi_two_i ? rsi_lines_i[1] : 28'd0;
      end
      if (rsi1_q != 2'd0 || rsi2_q != 2'd0) rsi_lines2_q <= rsi1_q != 2'd0 ? rsi_lines1_q : '0;
    end
  end

  wire logic beat2 = valid2_q && !decision2_q.token;
  wire logic [3:0] lines_in_l1 = {in_l1(lines2_q[3]), in_l1(lines2_q[2]), in_l1(lines2_q[1]),
                                  in_l1(lines2_q[0])};
  wire logic exponent_in_l1 = in_l1(exponent2_q);
  wire logic delta_in_l1 = in_l1(delta2_q);

  l1_request_t l1;  // a variable: Icarus drives a net faster whole than field by field

  always_comb begin
    l1.valid = beat2 || rsi2_q != 2'd0;
    l1.count = count2_q;
    l1.lines = lines2_q;
    l1.has_exponent = has_exponent2_q;
    l1.exponent = exponent2_q;
    l1.has_delta = has_delta2_q;
    l1.delta = delta2_q;
    l1.rsi_count = rsi2_q;
    l1.rsi = rsi_lines2_q;
  end

  assign l1_o = l1;
  assign rsi_in_l1_o = {in_l1(rsi_lines2_q[1]), in_l1(rsi_lines2_q[0])};

  assign read_fault_o[0] = beat2 && lines_in_l1 != '1;
  assign read_fault_o[1] = beat2 && !exponent_in_l1;
  assign read_fault_o[2] = rsi2_q != 2'd0 && rsi_in_l1_o != '1;
  assign read_fault_o[3] = beat2 && !delta_in_l1;
  assign read_fault_o[4] = beat2 && decision2_q.first && port2_q.compressed
                           && port2_q.out.transpose && decision2_q.place != 6'd0;

  assign beat_valid_o = valid2_q;
  assign beat_o.token = decision2_q.token;
  assign beat_o.first = decision2_q.first;
  assign beat_o.last = decision2_q.last;
  assign beat_o.empty_flip = decision2_q.token && port2_q.compressed && port2_q.whose.flip;
  assign beat_o.compressed = port2_q.compressed;
  assign beat_o.bounded = port2_q.bounded && !decision2_q.token;
  assign beat_o.whose = port2_q.whose;
  assign beat_o.count = decision2_q.count;
  assign beat_o.size = port2_q.size;
  assign beat_o.offset = decision2_q.place;
  assign beat_o.in_l1 = lines_in_l1;
  assign beat_o.exponent_in_l1 = exponent_in_l1;
  assign beat_o.delta_in_l1 = delta_in_l1;
  assign beat_o.exponent = decision2_q.exponent;
  assign beat_o.nibble = decision2_q.nibble;
  assign beat_o.convert = port2_q.convert;
  assign beat_o.out = port2_q.out;
  assign beat_o.clear = port2_q.clear;

  assign busy_o = (valid1_q ? 3'b001 << request1_q.whose.thread : 3'b000)
                  | (valid2_q ? 3'b001 << port2_q.whose.thread : 3'b000);

endmodule

`default_nettype wire
