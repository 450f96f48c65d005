// SPDX-License-Identifier: Apache-2.0
//
// The step or token that is next: whether it goes in this cycle, w, and what the world is told.
//
// Latency: a step goes in the cycle in which it is here and its bank is the Unpackers'; its control
// is at lanes_o in w + 1, a ZEROSRC at clear_o in w + WRITE - 1, a fault in w + WRITE. Handshake:
// place_valid_i, ready_o. Reset: nothing under way.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_write_go
  import unpack_pkg::*;
  import unpack_write_pkg::*;
#(
  parameter int Unpacker    = 0,
  parameter int SrcaRowHigh = 1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         place_valid_i,
  input  wire place_t       place_i,
  output wire logic         ready_o,
  // bank and Matrix Unit
  input  wire logic [1:0]   theirs_i,
  input  wire logic         matrix_bank_i,
  input  wire logic         matrix_zero_i,
  output wire logic         done_o,          // in w of the last part of the entry
  output wire logic         bounded_done_o,
  output wire logic [1:0]   flip_o,
  output wire logic [3:0]   flip_format_o,   // that the bank comes with (U44)
  output wire logic         clears_o,        // a ZEROSRC goes
  // to the data stages
  output wire logic         first_part_o,    // in w
  output wire logic         valid_o,         // in w + 1: a part of a step
  output wire logic         second_o,        // ... the second
  output wire lanes_t       lanes_o,
  output wire logic [7:0]   shift_o,         // of the lines to the first datum, quarters of a byte
  output wire logic [3:0]   in_l1_o,
  output wire logic         exponent_in_l1_o,
  // ZEROSRC and faults
  output wire logic         clear_valid_o,
  output wire src_clear_t   clear_o,
  input  wire logic         bad_exponent_i,  // in w + 5
  output wire logic [7:0]   fault_o
);

  wire step_t step = place_i.step;
  wire beat_t beat = step.entry.beat;
  wire token_t token = beat.clear;

  logic second_q;  // the first part has gone

  // ---- what goes
  wire logic clear_bank = token.clear_own ? beat.whose.bank : matrix_bank_i;
  wire logic waits = beat.token ? token.clear && theirs_i[clear_bank]
                                : place_i.writes && theirs_i[beat.whose.bank];
  wire logic first_goes = place_valid_i && !second_q && !waits;
  wire logic steps = first_goes && !beat.token;
  wire logic goes = place_valid_i && (second_q || !waits && !place_i.two);  // the last part
  wire logic clears = first_goes && beat.token && token.clear;
  wire logic flips = goes && step.ends && beat.whose.flip &&
                     (beat.token || beat.last || step.finishes);

  assign ready_o = goes;
  assign done_o = goes && step.ends;
  assign bounded_done_o = goes && step.finishes;
  assign flip_o = {flips && beat.whose.bank, flips && !beat.whose.bank};
  assign clears_o = clears;
  assign flip_format_o = beat.convert.out_format;
  assign first_part_o = steps;

  // ---- rows that are written and should not be (U31, U32)
  function automatic logic out_of_range(input logic [27:0] row, input logic [Rows-1:0] rows,
                                        input logic set_ovrd, input logic [5:0] src_row);
    logic zero, ones;
    logic [6:0] low, sum;

    zero = row[27:6] == '0;
    ones = row[27:6] == '1;
    out_of_range = 1'b0;
    for (int p = 0; p < Rows; p++) begin
      low = {1'b0, row[5:0]} + 7'(p);
      sum = {1'b0, low[5:0]} + {1'b0, src_row};
      if (rows[p]) begin
        if (!(low[6] ? ones : zero)) out_of_range = out_of_range || Unpacker == 1 || !set_ovrd;
        else if (Unpacker == 1) out_of_range = out_of_range || sum[6];
        else out_of_range = out_of_range || !set_ovrd && low[5:0] >= 6'd20;
      end
    end
  endfunction

  // ... of SrcA from 64 on, the first of which is row 68 of OutAddr
  function automatic logic is_high(input logic [27:0] row, input logic [Rows-1:0] rows);
    logic zero, one, ones;
    logic [6:0] low;

    zero = row[27:6] == '0;
    one = row[27:6] == 22'd1;
    ones = row[27:6] == '1;
    is_high = 1'b0;
    for (int p = 0; p < Rows; p++) begin
      low = {1'b0, row[5:0]} + 7'(p);
      if (rows[p] && !(low[6] ? ones : zero))
        is_high = is_high || !(low[6] ? zero : one) || low[5:2] != 4'd0;
    end
  endfunction

  function automatic logic [7:0] quarters(input logic [6:0] datums, input logic [2:0] size);
    logic [10:0] long;

    long = {4'd0, datums} << (size - 3'd1);
    quarters = long[7:0];
  endfunction

  // ---- w + 1
  logic valid_q, second_part_q, row_check_q;
  lanes_t lanes_q;
  logic [7:0] shift_q;
  logic [3:0] in_l1_q;
  logic exponent_in_l1_q;
  logic [27:0] row_q;
  logic [Rows-1:0] rows_q;
  logic [5:0] src_row_q;

  assign valid_o = valid_q;
  assign second_o = second_part_q;
  assign lanes_o = lanes_q;
  assign shift_o = shift_q;
  assign in_l1_o = in_l1_q;
  assign exponent_in_l1_o = exponent_in_l1_q;

  always_ff @(posedge clk_i) begin
    if (steps) begin
      lanes_q.expands <= step.expands;
      lanes_q.value <= place_i.value;
      lanes_q.count <= beat.count;
      lanes_q.size <= beat.size;
      lanes_q.how <= decode(beat.convert);
      lanes_q.read_exponent <= beat.convert.read_exponent;
      lanes_q.exponent <= beat.convert.read_exponent ? beat.exponent + {1'b0, step.datum}
                                                     : beat.convert.shared_exponent;
      lanes_q.mask <= place_i.mask;
      lanes_q.part <= place_i.part;
      lanes_q.upper <= place_i.upper;
      lanes_q.address <= place_i.address;
      lanes_q.bank <= beat.whose.bank;
      lanes_q.transpose <= beat.out.transpose;
      lanes_q.remap <= beat.out.remap;
      lanes_q.swizzle <= beat.out.swizzle;
      lanes_q.ovrd <= beat.out.set_ovrd;
      shift_q <= {2'd0, beat.offset} + quarters(step.datum, beat.size);
      in_l1_q <= beat.in_l1;
      exponent_in_l1_q <= beat.exponent_in_l1;
      row_q <= place_i.row;
      rows_q <= place_i.rows;
      src_row_q <= beat.out.src_row;
    end
  end

  // ---- what follows in fixed distance: ZEROSRC, faults
  typedef struct packed {
    logic srca_row_high;
    logic empty_flip;
    logic zerosrc_race;
    logic zerosrc_matrix;
    logic flip_owner;
    logic srcb_row;
    logic srca_row;
    logic bfpa;
  } fault_t;

  fault_t [5:0] fault_q;        // [k]: w + 1 + k
  logic [4:0] clear_valid_q;
  src_clear_t [4:0] clear_q;

  fault_t fault_now;
  wire logic bad_row = row_check_q && out_of_range(row_q, rows_q, lanes_q.ovrd, src_row_q);
  wire logic high_row = Unpacker == 0 && SrcaRowHigh != 0 && row_check_q && lanes_q.ovrd
                        && is_high(row_q, rows_q);

  always_comb begin
    fault_now = '0;
    fault_now.empty_flip = first_goes && beat.token && beat.empty_flip;
    fault_now.zerosrc_race = clears && matrix_zero_i;
    fault_now.zerosrc_matrix = clears && token.clear_both && theirs_i != 2'd0;
    fault_now.flip_owner = flips && theirs_i[beat.whose.bank];
  end

  // (functions, for Icarus)
  function automatic fault_t with_row(input fault_t fault, input logic bad, input logic high);
    with_row = fault;
    with_row.srca_row_high = high;
    with_row.srca_row = Unpacker == 0 && bad;
    with_row.srcb_row = Unpacker == 1 && bad;
  endfunction

  function automatic fault_t with_exponent(input fault_t fault, input logic bad);
    with_exponent = fault;
    with_exponent.bfpa = bad;
  endfunction

  assign fault_o = fault_q[5];
  assign clear_valid_o = clear_valid_q[4];
  assign clear_o = clear_q[4];

  always_ff @(posedge clk_i) begin
    if (clears) begin
      clear_q[0].banks <= {beat.whose.bank || token.clear_both,
                           !beat.whose.bank || token.clear_both};
      clear_q[0].value <= token.clear_value;
    end
    for (int k = 1; k < 5; k++) if (clear_valid_q[k-1]) clear_q[k] <= clear_q[k-1];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q <= 1'b0;
      second_part_q <= 1'b0;
      valid_q <= 1'b0;
      row_check_q <= 1'b0;
      fault_q <= '0;
      clear_valid_q <= '0;
    end else begin
      second_q <= steps && place_i.two;
      second_part_q <= second_q;
      valid_q <= steps || second_q;
      row_check_q <= steps && !beat.convert.to_dst;
      fault_q <= {with_exponent(fault_q[4], bad_exponent_i), fault_q[3:1],
                  with_row(fault_q[0], bad_row, high_row), fault_now};
      clear_valid_q <= {clear_valid_q[3:0], clears};
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (place_valid_i && second_q && !place_i.two)
      $fatal(1, "unpack_write_go: a second part of a step that has none");
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
