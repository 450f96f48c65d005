// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycle 7, of a packer: what follows from its instructions before this one.
// Which of its streams need a new address, and whether an instruction goes on with an open tile in
// another way (section 5, 10 of docs/pack.md). It makes the instruction as it waits for its steps.
//
// Latency: combinational, the state shows in the next cycle. Handshake: none. Reset: all streams
// need an address.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_order
  import tilepath_isa_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
#(
  parameter int Packer = 0
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic                  valid_i,
  input  wire plan_t                 plan_i,
  input  wire packer_mode_t          mode_i,
  input  wire located_t              located_i,
  input  wire lines_t                lines_i,
  output wire logic                  valid_o,
  output wire instruction_t          instruction_o,
  output wire logic [FaultWidth-1:0] flags_o
);

  // what must stay while a tile is open: whosever instruction changes it, and in its own
  typedef struct packed {
    logic [3:0]  from;
    logic [3:0]  to;
    logic        compress;
    logic        accumulate;
  } way_t;

  typedef struct packed {
    logic [15:0] rsi_size;
    logic [15:0] exponent_size;
  } sizes_t;

  typedef struct packed {
    logic data;
    logic exponent;
    logic rsi;
  } streams_t;

  way_t way_q;
  sizes_t sizes_q;
  logic [1:0] thread_q;
  streams_t needs_q;  // a new address

  fields_t fields;
  wire logic mine = valid_i && plan_i.mask[Packer];
  wire logic close
    = plan_i.setreg || plan_i.word[PACR_LAST_LSB] || plan_i.word[PACR_FLUSH_LSB];

  assign fields = plan_i.fields[Packer];

  function automatic way_t way_of(input packer_mode_t mode);
    way_of.from = mode.from;
    way_of.to = mode.to;
    way_of.compress = mode.compress;
    way_of.accumulate = mode.accumulate;
  endfunction

  function automatic streams_t taken_of(input streams_t needs, input packer_mode_t mode,
                                        input logic setreg);
    taken_of.data = !setreg && needs.data;
    taken_of.exponent = !setreg && needs.exponent && mode.to[1];
    taken_of.rsi = !setreg && needs.rsi && mode.compress;
  endfunction

  function automatic instruction_t instruction_of(
      input logic setreg, input logic closes, input logic concat, input streams_t takes,
      input located_t located, input lines_t lines, input logic [15:0] rsi_size,
      input logic [15:0] exponent_size);
    instruction_of.source = setreg ? SourceNull : located.source;
    instruction_of.lanes = located.lanes;
    instruction_of.strided = located.strided;
    instruction_of.spread = !setreg && located.spread;
    instruction_of.count = setreg ? 11'd0 : located.count;
    instruction_of.row = located.row;
    instruction_of.column = located.column;
    instruction_of.line = located.line;
    instruction_of.close = closes;
    instruction_of.ends_row = !setreg && (closes || !concat);
    instruction_of.new_data = takes.data;
    instruction_of.new_exponent = takes.exponent;
    instruction_of.new_rsi = takes.rsi;
    instruction_of.data_line = lines.data_line;
    instruction_of.exponent_line = lines.exponent_line;
    instruction_of.rsi_line = lines.rsi_line;
    instruction_of.exponent_size = exponent_size;
    instruction_of.rsi_size = rsi_size;
  endfunction

  wire way_t way = way_of(mode_i);
  wire sizes_t sizes = {fields.rsi_size, fields.exponent_size};
  wire streams_t taken = taken_of(needs_q, mode_i, plan_i.setreg);
  wire logic pacr = valid_i && !plan_i.setreg;
  wire logic open = !needs_q.data;
  wire logic changed = way != way_q || mine && sizes != sizes_q;

  assign valid_o = mine;
  assign instruction_o = instruction_of(
    plan_i.setreg, close, plan_i.word[PACR_CONCAT_LSB], taken, located_i, lines_i,
    fields.rsi_size, fields.exponent_size);
  assign flags_o
    = FaultWidth'(pacr && open && changed) << FaultOpenChange
      | FaultWidth'(pacr && open && mine && plan_i.thread != thread_q) << FaultThreads;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      way_q <= '0;
      sizes_q <= '0;
      thread_q <= '0;
      needs_q <= '1;
    end else begin
      if (pacr) way_q <= way;
      if (mine) begin
        needs_q <= close ? '1 : needs_q & ~taken;
        thread_q <= plan_i.thread;
        if (pacr) sizes_q <= sizes;
      end
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
