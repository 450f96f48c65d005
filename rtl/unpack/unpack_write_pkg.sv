// SPDX-License-Identifier: Apache-2.0
//
// What travels between the parts of an unpacker's write stage. Cycles are those of docs/unpack.md:
// r is that of an answer, w that of a step.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

package unpack_write_pkg;
  import format_pkg::*;
  import unpack_pkg::*;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam int Window = 32;                  // slots of an expanding step
  localparam int Positions = Rows * Columns;   // of a step in the registers, row by row
  localparam int WindowPositions = 3 * Columns;
  localparam int HighBits = 13;                // of 32, above those of Src
  localparam int HighLanes = 16;               // that have a datum of 32 bits
  localparam int LineBits = 640;               // {exponent, line 3 ... line 0}
  localparam int Exponents = 9;                // of 16 datums each, of a step
  /* verilator lint_on UNUSEDPARAM */

  // ---- an entry on its way to its steps, r + 2 to r + 4
  typedef struct packed {
    beat_t       beat;
    logic [5:0]  answer;       // where its lines are
  } entry_t;

  // ---- an entry and the item numbers of its datums (r + 4)
  typedef struct packed {
    entry_t            entry;
    logic              expands;
    logic [9:0]        items;  // of the entry
    logic [31:0][8:0]  own;    // compressed: item of datum i
  } items_t;

  // ---- a step, r + 5; without `expands` it has `beat.count` slots, and `own` to `datum` are 0
  typedef struct packed {
    entry_t      entry;
    logic        expands;
    logic        start;        // first of its entry
    logic        ends;         // last of its entry
    logic        finishes;     // ... and of a bounded output
    logic [5:0]  skip;         // dropped slots and column shift
    logic [5:0]  dropped;      // slots, at the front
    logic [5:0]  lead;         // slots before the first item that begins here
    logic [5:0]  items;        // that begin here, if it ends
    logic [31:0] own;          // item k of those that begin here is a datum, not one of its zeros
    logic [6:0]  datum;        // first of these, in its beat
  } step_t;

  // ---- a step with its place, w
  typedef struct packed {
    step_t                 step;
    logic [31:0]           value;    // expanding: slots that have a datum
    logic [Positions-1:0]  mask;     // what is written
    logic                  writes;   // any
    logic                  two;      // parts
    logic [Rows-1:0]       part;     // rows of the first part
    logic                  upper;    // the first part is in the upper one of two blocks
    logic [13:0]           address;  // as recorded
    logic [27:0]           row;      // of position 0: OutAddr / 16
    logic [Rows-1:0]       rows;     // that are written
  } place_t;

  // ---- how datums are converted, decoded
  typedef struct packed {
    logic        bfp;
    logic        bfpa;         // ... with exponents of five bits
    logic        fp8;
    logic        e4m3;         // FP8 E4M3
    logic        int8;
    logic        int8_unsigned;
    logic        bf16;         // datum of 16 bits: BF16, FP16, or else INT16
    logic        fp16;
    logic        to_bf16;      // datum of 32 bits: to BF16, FP16, or else as it is
    logic        to_fp16;
    logic        none;         // the value is 0
    logic        half;         // the value is an FP16: an exponent of five bits
    logic        to_dst;
    logic        wide;         // Dst of 32 bits
  } how_t;

  // ---- a step on its way through the data stages, w + 1 to w + 5
  typedef struct packed {
    logic                  expands;
    logic [31:0]           value;
    logic [7:0]            count;      // lanes that have a datum
    logic [2:0]            size;
    how_t                  how;
    logic                  read_exponent;
    logic [7:0]            exponent;   // shared, or sixteenths of a byte in the line
    logic [Positions-1:0]  mask;
    logic [Rows-1:0]       part;
    logic                  upper;
    logic [13:0]           address;
    logic                  bank;
    logic                  transpose;
    logic                  remap;
    logic                  swizzle;
    logic                  ovrd;
  } lanes_t;

  // ---- a datum of at most eight bits, left-aligned; of BFP with its magnitude shifted to the top
  typedef struct packed {
    logic        sign;
    logic [6:0]  magnitude;
    logic [2:0]  shift;
  } small_t;

  // ---- what is recorded of a step: its slots in order, of which those count that are in the mask
  typedef struct packed {
    logic                         dst;
    logic                         wide;
    logic                         bank;
    logic                         transpose;
    logic [13:0]                  address;
    logic [Slots-1:0]             mask;
    logic [Slots*SrcBits-1:0]     low;   // bits 18:0
    logic [Window*HighBits-1:0]   high;  // bits 31:19, slots 0 to 31
  } obs_write_t;

  // ... and of a clear of SrcA or SrcB
  typedef struct packed {
    logic [1:0]                   banks;
    logic [SrcBits-1:0]           value;
  } obs_clear_t;

  function automatic how_t decode(input convert_t convert);
    how_t how;
    logic [3:0] format;

    format = convert.in_format;
    how = '0;
    how.bfp = is_bfp(format);
    how.bfpa = is_bfp(format) && !format[2];
    how.fp8 = format == Fp8;
    how.e4m3 = convert.e4m3;
    how.int8 = format == Int8;
    how.int8_unsigned = convert.int8_unsigned;
    how.bf16 = format == Bf16;
    how.fp16 = format == Fp16;
    how.to_bf16 = format == Fp32 && convert.out_format == Bf16;
    how.to_fp16 = format == Fp32 && convert.out_format == Fp16;
    how.none = convert.all_zero || is_reserved(format);
    how.half = how.fp8 || how.int8 || how.fp16 || how.to_fp16;
    how.to_dst = convert.to_dst;
    how.wide = convert.wide_dst;
    decode = how;
  endfunction

  // The lowest n of 32 bits; n = 0 ... 32.
  function automatic logic [31:0] lowest(input logic [5:0] n);
    lowest = ~(32'hffff_ffff << n);
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
