// SPDX-License-Identifier: Apache-2.0
//
// What travels between the stages behind the row pipeline: gather, line pipeline, line queues,
// L1 port. Section numbers are those of docs/pack.md.
`default_nettype none

package pack_back_pkg;

  import pack_pkg::row_t;

  localparam int QueueDepth = 16;  // steps, rows, entries of a line queue, accumulations

  // ---- gather to its storage: elements of the step at the head (cycle of the push)
  typedef struct packed {
    logic       valid;
    logic       zero;      // one element of 0 instead (Z of section 8)
    logic [6:0] first;     // first slot that is written
    logic [6:0] number;    // elements that are written
  } push_t;

  // ---- gather to its storage (cycle of the pop)
  typedef struct packed {
    logic       valid;
    logic       partial;   // one unit, of `rest` elements
    logic [3:0] rest;
    logic [4:0] group;     // slot of the first element / 4
    logic       counters;  // no unit: the counters of a block (C)
  } pop_t;

  // ---- gather to the line pipeline: lines that go out with the pop, and their numbers
  typedef struct packed {
    logic [3:0]  units;          // that are popped
    logic        data_valid;
    logic [3:0]  data_lines;
    logic [16:0] data_line;      // the first
    logic [1:0]  part;           // groups in the open BFP4 or BFP2 line before the pop
    logic        exponent_valid;
    logic [16:0] exponent_line;
    logic [3:0]  exponent_index; // exponents in the open line before the pop
    logic        exponent_over;  // beyond its section
    logic        start_valid;    // a row start index (R)
    logic [15:0] start_value;
    logic [2:0]  start_index;    // entries in the open line before it
    logic        rsi_valid;
    logic [16:0] rsi_line;
    logic        rsi_over;       // beyond its section
    logic        rsi_rows;       // an entry beyond the 33rd
  } outcome_t;

  // ---- lines as they are queued
  typedef struct packed {
    logic [16:0] line;           // the first
    logic [3:0]  count;          // 1 to 8
  } span_t;

  typedef struct packed {
    logic         rsi;           // else exponents
    logic [16:0]  line;
    logic         over;          // beyond its section
    logic         rows;
    logic [127:0] data;
  } side_t;

  localparam int RowWidth = $bits(row_t);
  localparam int SideWidth = $bits(side_t);
  localparam int SpanWidth = $bits(span_t);
  localparam int OutcomeWidth = $bits(outcome_t);

  // ---- micro-operation of compression (section 8)
  typedef struct packed {
    logic element;   // E
    logic zero;      // Z
    logic counters;  // C
    logic start;     // R
  } op_t;            // at most one; K is for the counters alone

  // what can be added to in L1
  function automatic logic accumulates(
      input logic enable, input logic compress, input logic [3:0] to);
    accumulates = enable && !compress && (to == 4'd0 || to == 4'd1 || to == 4'd5 || to == 4'd8);
  endfunction

endpackage

`default_nettype wire
