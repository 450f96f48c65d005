// SPDX-License-Identifier: Apache-2.0
//
// The control of a packer's gather (section 7): which units leave it, whether the next step comes
// in, closing, and which lines go out with what numbers. What it decides in a cycle the storage
// (pack_elements) and the line pipeline do in the next ones.
//
// Latency: combinational from the heads of the queues; state as of the next cycle. Handshake:
// take_o takes the step, and with take_rows_o the rows. Reset: empty, not closing, no addresses.
`default_nettype none

module pack_gather
  import format_pkg::*;
  import pack_pkg::*;
  import pack_back_pkg::*;
#(
  parameter int Lanes = 1
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [3:0]          to_i,
  input  wire logic                compress_i,
  // heads of the queues
  input  wire logic                step_valid_i,
  input  wire step_t               step_i,
  input  wire logic [Lanes-1:0]    row_valid_i,
  input  wire logic [5*Lanes-1:0]  count_i,
  input  wire logic [16*Lanes-1:0] zero_i,
  output wire logic                take_o,
  output wire logic [Lanes-1:0]    take_rows_o,
  // what is done
  output wire push_t               push_o,
  output wire logic [7*Lanes-1:0]  base_o,      // slot of each lane's element 0
  output wire pop_t                pop_o,
  output wire outcome_t            outcome_o,
  output wire logic [127:0]        counters_o,  // in the cycle after op.counters
  // L1 port
  input  wire logic [1:0]          accepted_i,  // entries of the line queues
  output wire logic                quiet_o      // nothing from here to the L1 port
);

  localparam logic [7:0] Capacity = 8'(32 * Lanes);
  localparam int PipelineStages = LineLatency - 1;

  logic [7:0] count_q;
  logic [6:0] head_q, tail_q;
  logic closing_q;
  logic [3:0] lines_q;  // in flight
  logic [PipelineStages-1:0] pipeline_q;
  logic [3:0] to_q;
  logic compress_q;

  // ---- lanes' elements
  wire logic [4:0] number [4];
  wire logic [6:0] start [4];
  wire logic [Lanes-1:0] want = step_i.rows ? step_i.lanes[Lanes-1:0] : '0;
  wire logic step_ready = step_valid_i && (want & ~row_valid_i) == '0;

  for (genvar b = 0; b < 4; b++) begin : gen_number
    if (b < Lanes) begin : gen_lane
      assign number[b] = want[b] ? count_i[5*b+:5] : 5'd0;
    end else begin : gen_none
      assign number[b] = 5'd0;
    end
  end
  wire logic [5:0] upper = {1'b0, number[2]} + {1'b0, number[3]};
  assign start[0] = '0;
  assign start[1] = {2'd0, number[0]};
  assign start[2] = {2'd0, number[0]} + {2'd0, number[1]};
  assign start[3] = start[2] + {2'd0, number[2]};
  wire logic [6:0] total = start[2] + {1'b0, upper};

  // ---- pop
  wire logic [1:0] format = to_i[1:0];
  wire logic [3:0] most = Lanes == 1 ? 4'd1 : format[1] ? 4'd4 : 4'd8;
  wire logic [5:0] whole = format == 2'd0 ? count_q[7:2]
                         : format == 2'd1 ? {1'b0, count_q[7:3]} : {2'd0, count_q[7:4]};
  wire logic room = lines_q < 4'(LinesInFlight);
  wire logic pop_whole = room && whole != '0;
  wire logic pop_rest = room && whole == '0 && count_q != '0 && closing_q;
  wire logic over = Lanes == 1 || whole[5:3] != '0 || (format[1] && whole[2]);  // at least `most`
  wire logic [3:0] units = !pop_whole ? {3'd0, pop_rest} : over ? most : whole[3:0];
  wire logic [7:0] popped = !pop_whole ? 8'd0 : format == 2'd0 ? {2'd0, units, 2'd0}
                          : format == 2'd1 ? {1'b0, units, 3'd0} : {units, 4'd0};
  wire logic [7:0] remaining = pop_rest ? 8'd0 : count_q - popped;
  wire logic ragged = count_q[1:0] != '0 || (format != 2'd0 && count_q[2])
                      || (format[1] && count_q[3]);
  wire logic empties = count_q == '0 || pop_rest
                       || (pop_whole && !ragged && whole <= {2'd0, most});

  // ---- what the pop completes
  wire logic discard = to_i != to_q || compress_i != compress_q;
  wire logic bfp = is_bfp(to_i);
  wire logic [2:0] groups = bfp ? units[2:0] : 3'd0;
  wire logic bfp4 = is_bfp4(to_i);
  wire logic bfp2 = is_bfp2(to_i);
  logic [1:0] part_q;  // groups in the open line
  wire logic [1:0] part = discard ? 2'd0 : part_q;
  wire logic [2:0] parts = {1'b0, part} + groups;
  wire logic [1:0] part_left = bfp2 ? parts[1:0] : {1'b0, bfp4 && parts[0]};
  wire logic [3:0] pop_lines = bfp2 ? {3'd0, parts[2]}
                             : bfp4 ? {2'd0, parts[2:1]} : units;
  logic [3:0] exponents_q;
  wire logic [4:0] exponents = {1'b0, exponents_q} + {2'd0, groups};
  logic [2:0] starts_q;  // entries in the open RSI line

  // ---- closing
  wire logic leaves = part_left != '0 || exponents[3:0] != '0 || starts_q != '0;
  wire logic closed = closing_q && empties && (!leaves || (room && exponents <= 5'd16));
  wire logic flush = closed && leaves;

  // ---- compression
  wire logic [6:0] cursor;
  wire logic [15:0] start_value;
  wire logic done;
  wire op_t op;

  // the zero flag of element `at`, of each lane as if it were there
  wire logic [3:0] zeros;
  for (genvar b = 0; b < 4; b++) begin : gen_zero
    if (b < Lanes) begin : gen_lane
      wire logic [15:0] flags = zero_i[16*b+:16];
      assign zeros[b] = flags[cursor[3:0]-start[b][3:0]];
    end else begin : gen_none
      assign zeros[b] = 1'b0;
    end
  end
  wire logic zero = cursor >= start[3] ? zeros[3] : cursor >= start[2] ? zeros[2]
                  : cursor >= start[1] ? zeros[1] : zeros[0];

  wire logic active = compress_i && step_ready && !closing_q;

  pack_compress u_compress (
    .clk_i, .rst_ni, .discard_i(discard), .active_i(active),
    .last_i(step_i.last), .close_i(step_i.close), .ends_row_i(step_i.ends_row), .total_i(total),
    .zero_i(Lanes == 1 ? zeros[0] : zero),
    .room_element_i(pop_whole || count_q != Capacity), .less_i(whole == '0), .room_line_i(room),
    .cursor_o(cursor), .op_o(op), .start_o(start_value), .done_o(done), .counters_o
  );

  wire logic one = op.element || op.zero;
  wire logic counters = op.counters;
  wire logic entry = op.start;

  // ---- push
  wire logic [8:0] excess = {2'd0, total} + {1'b0, count_q} - {1'b0, Capacity};
  wire logic fits = excess[8] || pop_rest || excess[7:0] <= popped;
  wire logic push = !compress_i && step_ready && (!closing_q || closed) && fits;
  wire logic take = compress_i ? done : push;
  wire logic pushes = compress_i ? one : push && total != '0;
  wire logic [6:0] number_in = compress_i ? 7'd1 : total;
  // what follows a unit that was not whole takes its place, to begin with a multiple of 4
  wire logic [6:0] tail = pop_rest ? head_q : tail_q;

  assign take_o = take;
  assign take_rows_o = take ? want : '0;

  function automatic logic [$bits(push_t)-1:0] push_of(
      input logic valid, input logic nought, input logic [6:0] first,
      input logic [6:0] elements);
    push_t p;

    p.valid = valid;
    p.zero = nought;
    p.first = first;
    p.number = elements;
    push_of = p;
  endfunction

  assign push_o = push_of(pushes, op.zero, tail, number_in);
  for (genvar b = 0; b < Lanes; b++) begin : gen_base
    assign base_o[7*b+:7] = tail - (compress_i ? cursor : 7'd0) + start[b];
  end

  function automatic logic [$bits(pop_t)-1:0] pop_of(
      input logic valid, input logic partial, input logic [3:0] rest, input logic [4:0] group,
      input logic block);
    pop_t p;

    p.valid = valid;
    p.partial = partial;
    p.rest = rest;
    p.group = group;
    p.counters = block;
    pop_of = p;
  endfunction

  assign pop_o = pop_of(pop_whole || pop_rest, pop_rest, count_q[3:0], head_q[6:2], counters);

  // ---- lines and their numbers
  logic [16:0] data_line_q, exponent_line_q, rsi_line_q;
  logic [15:0] exponent_size_q, rsi_size_q;  // of the sections
  logic [15:0] exponent_lines_q, rsi_lines_q;  // out since their section's begin
  logic [5:0] entries_q;  // of RSI, since then
  logic addressed_q;  // the step at the head has brought its addresses

  wire logic load = (push || (active && !addressed_q)) && step_i.first;
  wire logic [5:0] entries = entries_q + {5'd0, entry && entries_q != '1};
  wire logic [3:0] data_lines = counters ? 4'd1
                              : pop_lines + {3'd0, flush && part_left != '0};
  wire logic data_valid = counters || pop_lines != '0 || (flush && part_left != '0);
  wire logic exponent_valid = exponents[4] || (flush && exponents != '0);
  wire logic rsi_valid = (entry && starts_q == '1) || (flush && starts_q != '0);

  // and as many as there are set bits, which come late
  function automatic logic [3:0] plus(input logic [3:0] count, input logic [2:0] more);
    case (more)
      3'd0:             plus = count;
      3'd1, 3'd2, 3'd4: plus = count + 4'd1;
      3'd7:             plus = count + 4'd3;
      default:          plus = count + 4'd2;
    endcase
  endfunction

  function automatic logic [$bits(outcome_t)-1:0] outcome_of(
      input logic [3:0] popped_units, input logic data, input logic [3:0] lines,
      input logic [16:0] data_line, input logic [1:0] open, input logic exponent,
      input logic [16:0] exponent_line, input logic [3:0] exponent_index, input logic exponent_over, input logic start_entry,
      input logic [15:0] value, input logic [2:0] start_index, input logic rsi,
      input logic [16:0] rsi_line, input logic rsi_over, input logic rsi_rows);
    outcome_t o;

    o.units = popped_units;
    o.data_valid = data;
    o.data_lines = lines;
    o.data_line = data_line;
    o.part = open;
    o.exponent_valid = exponent;
    o.exponent_line = exponent_line;
    o.exponent_index = exponent_index;
    o.exponent_over = exponent_over;
    o.start_valid = start_entry;
    o.start_value = value;
    o.start_index = start_index;
    o.rsi_valid = rsi;
    o.rsi_line = rsi_line;
    o.rsi_over = rsi_over;
    o.rsi_rows = rsi_rows;
    outcome_of = o;
  endfunction

  assign outcome_o = outcome_of(
    units, data_valid, data_lines, data_line_q, part,
    exponent_valid, exponent_line_q, exponents_q, exponent_lines_q >= exponent_size_q,
    entry, start_value, starts_q, rsi_valid, rsi_line_q, rsi_lines_q >= rsi_size_q,
    entries_q > 6'd33);

  assign quiet_o = !closing_q && whole == '0 && lines_q == '0 && pipeline_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      closing_q <= 1'b0;
      lines_q <= '0;
      pipeline_q <= '0;
      to_q <= '0;
      compress_q <= 1'b0;
      part_q <= '0;
      exponents_q <= '0;
      starts_q <= '0;
      entries_q <= '0;
      addressed_q <= 1'b0;
      exponent_line_q <= '0;
      exponent_size_q <= '0;
      exponent_lines_q <= '0;
    end else begin
      count_q <= pushes ? remaining + {1'b0, number_in} : remaining;
      head_q <= head_q + popped[6:0];
      tail_q <= pushes ? tail + number_in : tail;
      closing_q <= (take && step_i.last && step_i.close) || (closing_q && !closed);
      lines_q <= plus(accepted_i[1] ? lines_q - 4'd2 : accepted_i[0] ? lines_q - 4'd1 : lines_q,
                      {data_valid, exponent_valid, rsi_valid});
      pipeline_q <= {pipeline_q[PipelineStages-2:0],
                     pop_whole || pop_rest || counters || entry || flush};
      to_q <= to_i;
      compress_q <= compress_i;
      part_q <= flush ? 2'd0 : part_left;
      exponents_q <= flush ? 4'd0 : exponents[3:0];
      starts_q <= flush ? 3'd0 : starts_q + {2'd0, entry};
      entries_q <= load && step_i.new_rsi ? {5'd0, entry} : entries;
      addressed_q <= !take && (addressed_q || active);
      // a tile whose format has changed may have exponents, and no address for them (P68)
      if (load && step_i.new_exponent) begin
        exponent_line_q <= step_i.exponent_line;
        exponent_size_q <= step_i.exponent_size;
        exponent_lines_q <= '0;
      end else if (exponent_valid) begin
        exponent_line_q <= exponent_line_q + 17'd1;
        if (exponent_lines_q != '1) exponent_lines_q <= exponent_lines_q + 16'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load && step_i.new_data) data_line_q <= step_i.data_line;
    else if (data_valid) data_line_q <= data_line_q + {13'd0, data_lines};
    if (load && step_i.new_rsi) begin
      rsi_line_q <= step_i.rsi_line;
      rsi_size_q <= step_i.rsi_size;
      rsi_lines_q <= '0;
    end else if (rsi_valid) begin
      rsi_line_q <= rsi_line_q + 17'd1;
      if (rsi_lines_q != '1) rsi_lines_q <= rsi_lines_q + 16'd1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (count_q > Capacity) $fatal(1, "pack_gather: holds %0d elements", count_q);
    if ({2'd0, accepted_i} > lines_q) $fatal(1, "pack_gather: a line too many accepted");
    if (discard && (closing_q || lines_q != '0 || pipeline_q != '0))
      $fatal(1, "pack_gather: the mode changes with lines in flight");
    if (load && step_i.new_data && part_left != '0 && !flush)
      $fatal(1, "pack_gather: a new address for an open line");
  end
`endif

endmodule

`default_nettype wire
