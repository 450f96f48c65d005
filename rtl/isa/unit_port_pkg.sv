// SPDX-License-Identifier: Apache-2.0
//
// What ports of the units behind the wait gates have in common.
`default_nettype none

package unit_port_pkg;

  // A write of Config: a word, or with `wide` the four of its row, the lowest first in data.
  typedef struct packed {
    logic         valid;
    logic [1:0]   banks;   // that are written
    logic         wide;
    logic [7:0]   index;
    logic [127:0] data;
  } config_write_t;

  // A write of a thread's own ThreadConfig.
  typedef struct packed {
    logic         valid;
    logic [6:0]   index;
    logic [15:0]  value;
  } setc16_t;

  // A core's write of the ThreadConfig of a thread; a SETC16 to the same word stands over it.
  typedef struct packed {
    logic         valid;
    logic [1:0]   thread;
    logic [6:0]   index;
    logic [15:0]  value;
  } thread_store_t;

  // The write of words 64 to 179: REG2FLOP's, or with none, cfg's. Never do both go there at once.
  function automatic config_write_t thcon_write(input config_write_t cfg, input config_write_t flop);
    thcon_write = flop.valid ? flop : cfg;
  endfunction

  // A write of a register by SETREG or PACR_SETREG.
  typedef struct packed {
    logic         valid;
    logic [31:0]  address;
    logic [31:0]  data;
  } setreg_write_t;

  // What the Matrix Unit does to SrcA, SrcB and Dst in a cycle (docs/standin.md section 2).
  typedef struct packed {
    logic [2:0]   read;       // SrcA, SrcB, Dst
    logic [1:0]   banks;      // of SrcA, SrcB
    logic [5:0]   row_a;
    logic [5:0]   row_b;
    logic [9:0]   row;        // of Dst
    logic         wide;       // of 32 bits
    logic [1:0]   access;     // of word 220: swizzle, remap
    logic [1:0]   give_back;  // SrcA, SrcB
    logic [3:0]   clear;      // A0, A1, B0, B1
    logic         neg_inf;    // of SrcA
    logic         zero;       // valid bits
    logic [1:0]   zero_mode;  // row, 16 rows, half, all
    logic         undo;
  } matrix_command_t;

  // A row that it writes.
  typedef struct packed {
    logic         valid;
    logic [1:0]   target;     // SrcA, SrcB, Dst
    logic         bank;
    logic [9:0]   row;
    logic         wide;
    logic [1:0]   access;
    logic [511:0] data;       // column 0 lowest, 32 bits each
  } matrix_write_t;

  // The rows that it has read in the cycle before.
  typedef struct packed {
    logic [303:0] a;          // column 0 lowest
    logic [303:0] b;
    logic [511:0] dst;        // as in matrix_write_t
    logic         row_valid;  // of Dst
  } matrix_answer_t;

endpackage

`default_nettype wire
