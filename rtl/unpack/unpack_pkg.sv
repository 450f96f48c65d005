// SPDX-License-Identifier: Apache-2.0
//
// What travels between the unpackers' stages. Names and sections are those of docs/unpack.md.
`default_nettype none

package unpack_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  // ---- constants of the contract (section 1)
  localparam int PlanLatency = 8;
  localparam int RequestLatency = 2;
  localparam int PlaceLatency = 7;
  localparam int FrontLatency = 6;
  localparam int WriteLatency = 6;
  localparam int Queued = 16;
  localparam int MaxLatency = 31;
  localparam int Beats = MaxLatency + RequestLatency + FrontLatency + 1;

  // ---- what a step can have
  localparam int Slots = 128;           // of a plain step; others have 32
  localparam int Rows = 9;              // register rows that a step to SrcA or SrcB can touch
  localparam int DstRows = 5;           // logical rows of Dst
  localparam int Columns = 16;
  localparam int SrcBits = 19;

  /* verilator lint_on UNUSEDPARAM */

  // ---- ports of the unpackers
  typedef struct packed {
    logic         valid;
    logic [2:0]   count;
    logic         has_exponent;
    logic [27:0]  exponent;
    logic         has_delta;
    logic [27:0]  delta;
    logic [1:0]   rsi_count;
    logic [55:0]  rsi;             // {rsi1, rsi0}
    logic [111:0] lines;           // {line3, line2, line1, line0}
  } l1_request_t;

  typedef struct packed {
    logic         valid;
    logic [255:0] rsi;
    logic [127:0] delta;
    logic [127:0] exponent;
    logic [511:0] lines;           // line 0 lowest
  } l1_answer_t;

  typedef struct packed {
    logic         valid;
    logic [5:0]   stream;
    logic [10:0]  count;
  } overlay_t;

  typedef struct packed {
    logic         valid;
    logic [1:0]   thread;
    logic [28:0]  flags;           // docs/unpack.md section 8, first flag lowest
  } fault_t;

  // What an instruction is behind the queue. Token: ZEROSRC, SETDVALID, or both.
  typedef enum logic [2:0] {
    KindRegular = 3'd0, KindToken = 3'd1, KindNop = 3'd2, KindOverlay = 3'd3, KindSetreg = 3'd4
  } kind_e;

  // ---- who it is for, and what becomes of the bank
  typedef struct packed {
    logic [1:0]  thread;
    logic        bank;             // src_bank as sampled
    logic        flip;             // hands `bank` over: FlipSrc, SETDVALID, Set_Dvalid
  } whose_t;

  // ---- where the datums come from (5.1 to 5.3)
  typedef struct packed {
    logic        compressed;
    logic        bounded;          // compressed with a bounded output
    logic        tilize;
    logic        wide_rows;        // RowW is 32 datums, else 16
    logic [2:0]  size;             // log2 of the bits of a datum: 1 to 5
    logic        read_exponent;    // BFP without Force_shared_exp
    logic [2:0]  want;             // lines a cycle: 1, 2, 4
    // Uncompressed: both pointers as wrapped, tilize's low bits cleared. Compressed: the begin of
    // the datums and of the exponents (First = 0), not wrapped.
    logic [33:0] datum_pointer;    // in quarters of a byte
    logic [35:0] exponent_pointer; // in sixteenths of a byte
    logic [16:0] limit;            // Unpack_limit_address, lines
    logic [16:0] fifo;             // Unpack_fifo_size, lines; 0: no wrap
    logic [15:0] row_stride;       // tilize: bytes
    logic [18:0] count;            // uncompressed: datums; bounded: items; else 0
  } source_t;

  // ---- how a datum is converted (5.4)
  typedef struct packed {
    logic [3:0]  in_format;
    logic [3:0]  out_format;
    logic        e4m3;             // FP8 is E4M3
    logic        int8_unsigned;
    logic        all_zero;         // AllDatumsAreZero
    logic        to_dst;
    logic        wide_dst;         // out_format is of 32 bits
    logic        read_exponent;    // else shared_exponent
    logic [7:0]  shared_exponent;  // FORCED_SHARED_EXP
  } convert_t;

  // ---- where it goes (5.5)
  typedef struct packed {
    logic [3:0]  zeros;            // of upsampling, behind each item
    logic        interleave;
    logic [17:0] drop;             // bounded: items to drop
    logic [18:0] items;            // bounded: items to emit
    logic        set_ovrd;         // ovrd
    logic        transpose;        // SrcA only, else 0
    logic [3:0]  col_shift;        // SrcA only, else 0
    logic [5:0]  src_row;          // to be added to the row; 0 where none is (SrcA with ovrd, Dst)
    logic        remap;            // Config word 220 bit 1; 0 without dst_remap
    logic        swizzle;          // ... bit 0
    logic [31:0] out_addr;         // of the first slot, in datums
  } output_t;

  // ---- NOP (7); fields of other kinds are 0
  typedef struct packed {
    logic        clear;            // Token: ZEROSRC; without: only flips
    logic        clear_both;
    logic        clear_own;        // waits for `bank` (WaitLikeUnpacr), else for matrix_bank
    logic [18:0] clear_value;
  } token_t;

  typedef struct packed {
    logic [5:0]  stream;           // Overlay: stream; Setreg: bits 17:12 of the address
    logic [10:0] value;            // Overlay: count; Setreg: v
    logic        accumulate;       // Setreg
    logic        base_select;      // Setreg: setreg_base1 instead of setreg_base0
  } effect_t;

  // ---- an instruction as it leaves the queue (cycle q)
  typedef struct packed {
    kind_e       kind;
    whose_t      whose;
    source_t     source;
    convert_t    convert;
    output_t     out;
    token_t      token;
    effect_t     effect;
  } plan_t;

  // ---- what a compressed instruction's RSI request needs; offered in the first cycle in which the
  // instruction is planned, for one cycle, to be queued by who takes it
  typedef struct packed {
    logic        bounded;
    logic [31:0] first;            // byte address of the entry of First
    logic [31:0] last;             // not bounded: byte address of the end's entry
    logic [2:0]  size;
    logic [33:0] datum_pointer;    // as in source_t: of First = 0
    logic [35:0] exponent_pointer;
    logic [16:0] limit;
    logic [16:0] fifo;
    logic        some;             // bounded: items are to be emitted, the count is not 0
  } rsi_t;

  // ---- an entry of the beat buffer, in the cycle of its request at L1's port (token: `REQUEST`
  // cycles after it was put there)
  typedef struct packed {
    logic        token;            // no datums and no answer
    logic        first;            // of its instruction
    logic        last;             // of its instruction; bounded: 0
    logic        empty_flip;       // token of a compressed instruction with FlipSrc
    logic        compressed;
    logic        bounded;
    whose_t      whose;
    // where the datums are in the answer
    logic [7:0]  count;            // datums, 1 to 128
    logic [2:0]  size;             // log2 of the bits of a datum
    logic [5:0]  offset;           // of the first datum in line 0, in quarters of a byte
    logic [3:0]  in_l1;            // line k of the datums is in L1; else it is 0
    logic        exponent_in_l1;
    logic        delta_in_l1;
    logic [7:0]  exponent;         // of the first datum: sixteenths of a byte in the exponent line
    logic [4:0]  nibble;           // of the first datum: nibble of the delta line
    // what becomes of them
    convert_t    convert;
    output_t     out;
    token_t      clear;
  } beat_t;

  // ---- what of L1's answer belongs to a beat
  typedef struct packed {
    logic [127:0]      delta;
    logic [127:0]      exponent;
    logic [3:0][127:0] line;       // line 0 lowest
  } answer_t;

  // ---- a part of a step to SrcA or SrcB, in cycle w + WRITE - 1: rows `row` ... `row` + 8 modulo 64
  // before the exchange, column 0 lowest. With transpose all written rows are of one block of 16.
  typedef struct packed {
    logic                           bank;
    logic                           transpose;
    logic [5:0]                     row;
    logic [Rows-1:0][Columns-1:0]   mask;
    logic [Rows-1:0][Columns-1:0][SrcBits-1:0] data;
  } src_write_t;

  // ---- a ZEROSRC, in cycle w + WRITE - 1
  typedef struct packed {
    logic [1:0]  banks;            // multi-hot
    logic [18:0] value;
  } src_clear_t;

  // ---- formats
  // log2 of the bits of a datum (5.1).
  /* verilator lint_off UNUSEDSIGNAL */  // bit 2
  function automatic logic [2:0] size_of(input logic [3:0] format);
    case (format[1:0])
      2'd0: size_of = 3'd5;
      2'd1: size_of = 3'd4;
      2'd2: size_of = 3'd3;
      default: size_of = format[3] ? 3'd1 : 3'd2;
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

endpackage

`default_nettype wire
