// SPDX-License-Identifier: Apache-2.0
//
// What travels between the parts of an unpacker's fetch stage (docs/unpack.md section 4).
`default_nettype none

package unpack_fetch_pkg;

  import unpack_pkg::*;

  // Where a compressed instruction begins, all pointers wrapped.
  typedef struct packed {
    logic [33:0] datum_pointer;     // quarters of a byte
    logic [35:0] exponent_pointer;  // sixteenths
    logic [32:0] delta_pointer;     // halves
    logic [15:0] count;             // datums; bounded: 1 if there is something to emit, else 0
  } placed_t;

  // Where any instruction begins, and what of it the beat loop and the row generator read.
  typedef struct packed {
    logic        compressed;
    logic        bounded;
    logic        tilize;
    logic        wide_rows;
    logic [2:0]  size;              // log2 of the bits of a datum
    logic        read_exponent;
    logic [16:0] limit;             // lines
    logic [16:0] fifo;              // lines
    logic [15:0] row_stride;        // bytes
    logic [33:0] datum_pointer;
    logic [35:0] exponent_pointer;
    logic [32:0] delta_pointer;
    logic [18:0] left;              // datums; bounded: not 0 if there is something to emit
  } begin_t;

  // What a row generator starts from.
  typedef struct packed {
    logic        compressed;
    logic        tilize;
    logic        wide_rows;
    logic [3:0]  row_log;
    logic [9:0]  row;               // quarters of a byte, a power of 2
    logic [16:0] limit;
    logic [11:0] stride;            // tilize: lines
  } rows_t;

  // Whole rows of an instruction, of which none but the last wraps.
  typedef struct packed {
    logic [8:0]  datums;
    logic        wraps;             // the last one
    logic [19:0] step;              // quarters of a byte to what follows, before the wrap
    logic [4:0]  nibble;            // of what follows
  } chunk_t;

  // A decision, on its way to L1's port.
  typedef struct packed {
    logic        token;
    logic        first;
    logic        last;
    logic        wraps;
    logic [7:0]  count;             // datums
    logic [8:0]  behind;            // place behind the last datum, from line 0: quarters of a byte
    logic [5:0]  place;             // of the first datum
    logic [7:0]  exponent;          // of the first datum: sixteenths in the line
    logic        next_exponent;     // the next beat's exponents begin in the next line
    logic [4:0]  nibble;            // of the first datum
    logic        next_group;        // compressed: the next beat is of the next group
  } decision_t;

  // What the request stages need of an instruction.
  typedef struct packed {
    logic        compressed;
    logic        bounded;
    logic        tilize;
    logic [2:0]  size;
    logic [1:0]  lines_per_row;     // tilize: log2
    logic        read_exponent;
    logic [16:0] limit;
    logic [16:0] fifo;
    logic [11:0] stride;            // tilize: lines
    logic [27:0] datum_line;        // of the first datum
    logic [27:0] exponent_line;
    logic [27:0] delta_line;
    whose_t      whose;
    convert_t    convert;
    output_t     out;
    token_t      clear;
  } request_t;

endpackage

`default_nettype wire
