// SPDX-License-Identifier: Apache-2.0
//
// How many datums an instruction has and where the first of them goes (sections 5.2 and 5.5 of
// docs/unpack.md), with the faults that follow from both: stages 1 to 6 of the front's arithmetic.
//
// Latency, handshake, reset: as in unpack_tile. out_addr_o, count_o and faults_o are those of
// stage 7; `start_align` is left out.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of structs, some fields

module unpack_output
  import unpack_pkg::*;
  import unpack_config_pkg::config_t;
  import unpack_front_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic [6:1]   stage_i,
  input  wire sampled_t     sampled_i,    // in stages 1 and 2
  input  wire window_t      window_i,     // in stage 1
  input  wire control_t     control2_i,   // in stages 2 and 3
  input  wire control_t     control4_i,   // in stages 4 and 5
  input  wire control_t     control6_i,   // in stage 6
  output wire logic         some_o,       // in stage 6: the count is not 0
  output wire logic [31:0]  out_addr_o,
  output wire logic [18:0]  count_o,
  output wire late_faults_t faults_o
);

  typedef struct packed {
    window_t     window;
    logic [28:0] y;
    logic [28:0] z;
    logic [28:0] w;
  } products_t;

  typedef struct packed {
    logic [31:0] bytes;
    logic [15:0] dest;
    logic [18:0] count;
    logic        window_fault;
    logic        order_fault;
    logic        bad_index;
  } sum_t;

  typedef struct packed {
    logic [31:0] datums;
    logic        align_fault;
  } shifted_t;

  typedef struct packed {
    logic [31:0] out_addr;
    logic [18:0] count;
    logic        window_fault;
    logic        order_fault;
    logic        bad_index;
    logic        align_fault;
  } first_t;

  typedef struct packed {
    logic out_row;
    logic out_low;
    logic burst;
    logic none;
  } checked_t;

  typedef struct packed {
    logic [31:0]  out_addr;
    logic [18:0]  count;
    late_faults_t faults;
  } result_t;

  products_t products_q;
  sum_t sum_q;
  shifted_t shifted_q;
  first_t first_q;
  checked_t checked_q;
  result_t result_q;

  wire config_t cfg;
  wire counters_t counters;

  assign cfg = sampled_i.cfg;
  assign counters = sampled_i.counters;

  // ---- stage 1
  function automatic products_t products_of(input window_t window, input counters_t n,
                                            input config_t c);
    products_of.window = window;
    products_of.y = 29'(n.y1) * 29'(c.ystride);
    products_of.z = 29'(n.z1) * 29'(c.zstride);
    products_of.w = 29'(n.w1) * 29'(c.wstride);
  endfunction

  // ---- stage 2: the sum; the datums between XPos and XEnd, and the window of 8192 bytes, or
  // datums if these are smaller
  function automatic sum_t sum_of(input products_t from, input config_t c, input logic [2:0] size);
    window_t window;
    logic [18:0] last, length;
    logic backward;

    window = from.window;
    sum_of.bytes = 32'(c.out_base) + 32'(from.y) + 32'(from.z) + 32'(from.w);
    sum_of.dest = c.dest;
    length = window.xend - {1'b0, window.xpos};
    backward = window.xend < {1'b0, window.xpos};
    sum_of.count = backward ? 19'd0 : length;
    sum_of.order_fault = backward;
    last = size == 3'd5 ? 19'd2048 : size == 3'd4 ? 19'd4096 : 19'd8192;
    sum_of.window_fault = {1'b0, window.xpos} >= last || window.xend > last;
    sum_of.bad_index = window.bad_index;
  endfunction

  // ---- stage 3
  function automatic shifted_t shifted_of(input logic [31:0] bytes, input logic word_unit,
                                          input logic half_unit);
    shifted_of.align_fault = word_unit ? bytes[1:0] != 2'd0 : half_unit && bytes[0];
    shifted_of.datums = word_unit ? {2'd0, bytes[31:2]} : half_unit ? {1'b0, bytes[31:1]} : bytes;
  endfunction

  // ---- stage 4
  function automatic first_t first_of(input shifted_t from, input sum_t with_sum,
                                      input logic replaced, input logic add_dest);
    first_of.out_addr = (replaced ? 32'd0 : from.datums) + (add_dest ? 32'(with_sum.dest) : 32'd0);
    first_of.count = with_sum.count;
    first_of.window_fault = with_sum.window_fault;
    first_of.order_fault = with_sum.order_fault;
    first_of.bad_index = with_sum.bad_index;
    first_of.align_fault = from.align_fault;
  endfunction

  // ---- stage 5: the register row of the first slot modulo the rows of a burst (U33); its low bits
  // are enough, as a burst has 8 rows at most
  function automatic logic burst_of(input logic [1:0] burst, input logic [2:0] row);
    case (burst)
      2'd0: burst_of = 1'b0;
      2'd1: burst_of = row[0];
      2'd2: burst_of = |row[1:0];
      default: burst_of = |row;
    endcase
  endfunction

  function automatic checked_t checked_of(input first_t from, input control_t control);
    checked_of.out_row = from.out_addr[3:0] != 4'd0;
    checked_of.out_low = !control.unpacker && from.out_addr[31:6] == 26'd0;
    checked_of.burst = control.to_src_a && !control.compressed && from.count > 19'd16
      && burst_of(control.burst, from.out_addr[6:4] + control.row_offset);
    checked_of.none = from.count == 19'd0;
  endfunction

  // ---- stage 6
  function automatic late_faults_t faults_of(input first_t from, input checked_t checked,
                                             input control_t control);
    faults_of.out_align = from.align_fault;
    faults_of.x_window = !control.compressed && from.window_fault;
    faults_of.x_order = (!control.compressed || control.bounded) && from.order_fault;
    faults_of.blobs_index = !control.compressed && from.bad_index;
    faults_of.start_align = 1'b0;
    faults_of.y_range = !control.compressed && control.y_high;
    faults_of.burst = checked.burst;
    faults_of.out_row = checked.out_row;
    faults_of.out_low = checked.out_low;
    faults_of.empty_flip = !control.compressed && control.flip && checked.none;
  endfunction

  function automatic result_t result_of(input first_t from, input checked_t checked,
                                        input control_t control);
    result_of.out_addr = from.out_addr;
    result_of.count = control.compressed && !control.bounded ? 19'd0 : from.count;
    result_of.faults = faults_of(from, checked, control);
  endfunction

  always_ff @(posedge clk_i) begin
    if (stage_i[1]) products_q <= products_of(window_i, counters, cfg);
    if (stage_i[2]) sum_q <= sum_of(products_q, cfg, control2_i.size);
    if (stage_i[3])
      shifted_q <= shifted_of(sum_q.bytes, control2_i.word_unit, control2_i.half_unit);
    if (stage_i[4])
      first_q <= first_of(shifted_q, sum_q, control4_i.replaced, control4_i.add_dest);
    if (stage_i[5]) checked_q <= checked_of(first_q, control4_i);
    if (stage_i[6]) result_q <= result_of(first_q, checked_q, control6_i);
  end

  assign some_o = control6_i.bounded && !checked_q.none;
  assign out_addr_o = result_q.out_addr;
  assign count_o = result_q.count;
  assign faults_o = result_q.faults;

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
