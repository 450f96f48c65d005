// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the unpackers share: the form in which an instruction goes from the address
// unit to the fetch and write stages, and small arithmetic. Sections are those of docs/unpack.md.
//
// Combinational logic of this block is in functions, assignments and clocked blocks. Icarus runs
// every always_comb of a design as soon as one of them runs.
`default_nettype none

package unpack_pkg;

  // ---- data formats (U45)
  localparam logic [3:0] FormatFp32 = 4'd0;
  localparam logic [3:0] FormatFp16 = 4'd1;
  localparam logic [3:0] FormatBfp8a = 4'd2;
  localparam logic [3:0] FormatBfp4a = 4'd3;
  localparam logic [3:0] FormatTf32 = 4'd4;
  localparam logic [3:0] FormatBf16 = 4'd5;
  localparam logic [3:0] FormatBfp8 = 4'd6;
  localparam logic [3:0] FormatBfp4 = 4'd7;
  localparam logic [3:0] FormatInt32 = 4'd8;
  localparam logic [3:0] FormatInt16 = 4'd9;
  localparam logic [3:0] FormatFp8 = 4'd10;
  localparam logic [3:0] FormatBfp2a = 4'd11;
  localparam logic [3:0] FormatInt8 = 4'd14;
  localparam logic [3:0] FormatBfp2 = 4'd15;

  // ---- what an instruction is to the stages behind the queue
  localparam logic [2:0] KindRegular = 3'd0;
  localparam logic [2:0] KindToken = 3'd1;  // ZEROSRC, SETDVALID, or both
  localparam logic [2:0] KindNop = 3'd2;
  localparam logic [2:0] KindOverlay = 3'd3;
  localparam logic [2:0] KindSetreg = 3'd4;

  // An instruction as sampled and worked out. Fields of other kinds are 0.
  typedef struct packed {
    logic [2:0]  kind;
    logic [1:0]  thread;
    logic        bank;            // src_bank as sampled
    logic        flip;            // hands `bank` over: FlipSrc, SETDVALID, Set_Dvalid
    // ---- Regular: input (5.1-5.3)
    logic        compressed;
    logic        bounded;         // compressed with a bounded output
    logic        tilize;
    logic        wide_rows;       // RowW: 32 datums, else 16
    logic [3:0]  in_format;
    logic [3:0]  out_format;
    logic [2:0]  size;            // log2 of the bits of a datum: 1 to 5
    logic        e4m3;            // FP8 is E4M3
    logic        int8_unsigned;
    logic        all_zero;        // AllDatumsAreZero
    logic        bfp;             // in_format is any of the BFP formats
    logic        read_exponent;   // bfp, without Force_shared_exp
    logic [7:0]  shared_exponent; // FORCED_SHARED_EXP
    logic [2:0]  want;            // lines a cycle: 1, 2, 4
    // Uncompressed: both pointers as wrapped, tilize's low bits cleared. Compressed: the begin of
    // the datums and of the exponents (First = 0), not wrapped.
    logic [33:0] datum_pointer;   // in quarters of a byte
    logic [35:0] exponent_pointer;  // in sixteenths of a byte
    logic [16:0] limit;           // Unpack_limit_address, lines
    logic [16:0] fifo;            // Unpack_fifo_size, lines; 0: no wrap
    logic [15:0] row_stride;      // tilize: bytes
    logic [31:0] rsi_first;       // compressed: byte address of the entry of First
    logic [31:0] rsi_end;         // compressed, not bounded: byte address of the end's entry
    logic [17:0] drop;            // bounded: items to drop
    logic [18:0] count;           // uncompressed: datums; bounded: items; else 0
    logic [3:0]  zeros;           // of upsampling, behind each item
    logic        interleave;
    // ---- Regular: output (5.5)
    logic        to_dst;
    logic        wide_dst;        // out_format is of 32 bits: the Dst is, if it goes there
    logic        set_ovrd;        // ovrd
    logic        transpose;       // SrcA only, else 0
    logic [3:0]  col_shift;       // SrcA only, else 0
    logic [5:0]  src_row;         // to be added to the row; 0 where none is (SrcA with ovrd, Dst)
    logic [31:0] out_addr;        // of the first slot, in datums
    // ---- NOP (7)
    logic        clear;           // Token: ZEROSRC; without: only flips
    logic        clear_both;
    logic        clear_own;       // waits for `bank` (WaitLikeUnpacr), else for matrix_bank
    logic [18:0] clear_value;
    logic [5:0]  stream;          // Overlay: stream; Setreg: bits 17:12 of the address
    logic [10:0] value;           // Overlay: count; Setreg: v
    logic        accumulate;      // Setreg
    logic        base_select;     // Setreg: setreg_base1 instead of setreg_base0
  } plan_t;

  localparam int PlanWidth = $bits(plan_t);
  localparam int PlanThread = PlanWidth - 4;  // highest bit of `thread`

  // ---- formats
  function automatic logic is_bfp(input logic [3:0] format);
    is_bfp = format[1:0] == 2'd3 || format == FormatBfp8 || format == FormatBfp8a;
  endfunction

  function automatic logic is_bfp4(input logic [3:0] format);
    is_bfp4 = format == FormatBfp4 || format == FormatBfp4a;
  endfunction

  function automatic logic is_bfp2(input logic [3:0] format);
    is_bfp2 = format == FormatBfp2 || format == FormatBfp2a;
  endfunction

  // FP32, TF32, INT32: a 32-bit Dst.
  function automatic logic is_wide(input logic [3:0] format);
    is_wide = format == FormatFp32 || format == FormatTf32 || format == FormatInt32;
  endfunction

  // log2 of the bits of a datum (5.1), by bits 3 and 1:0 of the code.
  function automatic logic [2:0] size_of(input logic quarters, input logic [1:0] low);
    case (low)
      2'd0: size_of = 3'd5;
      2'd1: size_of = 3'd4;
      2'd2: size_of = 3'd3;
      default: size_of = quarters ? 3'd1 : 3'd2;
    endcase
  endfunction

  // ---- the pointers' wrap (U24): once, above the first byte of the limit's line
  function automatic logic [33:0] wrap_datum(input logic [33:0] pointer,  // quarters of a byte
                                             input logic [16:0] limit, input logic [16:0] fifo);
    wrap_datum = pointer > {11'd0, limit, 6'd0} ? pointer - {11'd0, fifo, 6'd0} : pointer;
  endfunction

  function automatic logic [35:0] wrap_exponent(input logic [35:0] pointer,  // sixteenths
                                                input logic [16:0] limit, input logic [16:0] fifo);
    wrap_exponent = pointer > {11'd0, limit, 8'd0} ? pointer - {11'd0, fifo, 8'd0} : pointer;
  endfunction

endpackage

`default_nettype wire
