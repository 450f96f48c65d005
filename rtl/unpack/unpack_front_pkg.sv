// SPDX-License-Identifier: Apache-2.0
//
// What travels through the front of the unpackers, from the sampling cycle to the queue. Sections
// are those of docs/unpack.md.
`default_nettype none

package unpack_front_pkg;
  import unpack_pkg::*;
  import unpack_config_pkg::config_t;
  import unpack_fault_pkg::*;

  // The counters that an UNPACR reads: X, Y, X1 of set WhichADC, the others of the thread's set.
  typedef struct packed {
    logic [17:0] x0;
    logic [12:0] y0;
    logic [17:0] x1;
    logic [7:0]  z0;
    logic [7:0]  w0;
    logic [12:0] y1;
    logic [12:0] z1;
    logic [12:0] w1;
  } counters_t;

  // A Regular UNPACR in its sampling cycle.
  typedef struct packed {
    logic        unpacker;
    logic [1:0]  thread;
    logic [14:0] word;              // [14:0] of it
    logic        high_context;      // 2 or above
    logic        bank;
    logic [5:0]  src_row;           // of the thread
    counters_t   counters;
    config_t     cfg;
  } sampled_t;

  // The X window of an input (5.2).
  typedef struct packed {
    logic [17:0] xpos;
    logic [18:0] xend;
    logic [7:0]  ypos;
    logic        bad_index;
  } window_t;

  // What the stages of the arithmetic are told (5.1).
  typedef struct packed {
    logic        to_src_a;
    logic        compressed;
    logic        bounded;
    logic        flip;
    logic        tilize;
    logic        aligned;           // has to begin with a line: fault `start_align`
    logic        y_high;            // Y > 255
    logic        bad_index;
    logic [2:0]  size;
    logic [2:0]  want;
    logic [1:0]  burst;             // log2 of the rows of a burst (U33)
    logic        read_exponent;
    logic        exponent_section;  // the tile has one between header and datums
    logic        replaced;          // OutAddr = Dest
    logic        add_dest;          // OutAddr += Dest
    logic        unpacker;
    logic        word_unit;         // OutAddr is of 4 bytes, of 2 bytes, else of 1 byte
    logic        half_unit;
    logic [2:0]  row_offset;        // what a row is off OutAddr, modulo 8
  } control_t;

  // Faults that the first stage, a NOP's decoding or the arithmetic decides (8).
  typedef struct packed {
    logic reserved_bit;
    logic context_adc;
    logic context_range;
    logic format_code;
    logic format_pair;
    logic format_fp32;
    logic format_src;
    logic compressed_bfp2;
    logic bfp_alias;
    logic tilize_combo;
    logic dst_modes;
    logic dst_ovrd;
    logic throttle;
    logic nop_reserved;
    logic nop_foreign;
    logic transpose_srcb;
    logic neginf_srcb;
    logic not_last;
    logic spare_unpacr;
  } early_faults_t;

  typedef struct packed {
    logic out_align;
    logic x_window;
    logic x_order;
    logic blobs_index;
    logic start_align;
    logic y_range;
    logic burst;
    logic out_row;
    logic out_low;
    logic empty_flip;
  } late_faults_t;

  // A queue's entry in two parts: what is known when an instruction is sampled, or in the cycle
  // after it, and what the arithmetic adds. Names are those of plan_t.
  typedef struct packed {
    kind_e         kind;
    whose_t        whose;
    logic          compressed;
    logic          bounded;
    logic          tilize;
    logic          wide_rows;
    logic [2:0]    size;
    logic          read_exponent;
    logic [2:0]    want;
    logic [16:0]   limit;
    logic [16:0]   fifo;
    logic [11:0]   row_stride;      // bits 15:4
    convert_t      convert;
    logic [3:0]    zeros;
    logic          interleave;
    logic [17:0]   drop;
    logic          set_ovrd;
    logic          transpose;
    logic [3:0]    col_shift;
    logic [5:0]    src_row;
    logic          remap;
    logic          swizzle;
    token_t        token;
    effect_t       effect;
    early_faults_t faults;
  } early_t;

  typedef struct packed {
    logic [33:0]   datum_pointer;
    logic [35:0]   exponent_pointer;
    logic [18:0]   count;
    logic [31:0]   out_addr;
    late_faults_t  faults;
  } late_t;

  /* verilator lint_off UNUSEDSIGNAL */  // faults are no part of it
  function automatic plan_t plan_of(input early_t early, input late_t late);
    plan_of = '0;
    plan_of.kind = early.kind;
    plan_of.whose = early.whose;
    plan_of.source.compressed = early.compressed;
    plan_of.source.bounded = early.bounded;
    plan_of.source.tilize = early.tilize;
    plan_of.source.wide_rows = early.wide_rows;
    plan_of.source.size = early.size;
    plan_of.source.read_exponent = early.read_exponent;
    plan_of.source.want = early.want;
    plan_of.source.limit = early.limit;
    plan_of.source.fifo = early.fifo;
    plan_of.source.row_stride = {early.row_stride, 4'd0};
    plan_of.source.datum_pointer = late.datum_pointer;
    plan_of.source.exponent_pointer = late.exponent_pointer;
    plan_of.source.count = late.count;
    plan_of.convert = early.convert;
    plan_of.out.zeros = early.zeros;
    plan_of.out.interleave = early.interleave;
    plan_of.out.drop = early.drop;
    plan_of.out.items = early.bounded ? late.count : 19'd0;
    plan_of.out.set_ovrd = early.set_ovrd;
    plan_of.out.transpose = early.transpose;
    plan_of.out.col_shift = early.col_shift;
    plan_of.out.src_row = early.src_row;
    plan_of.out.remap = early.remap;
    plan_of.out.swizzle = early.swizzle;
    plan_of.out.out_addr = late.out_addr;
    plan_of.token = early.token;
    plan_of.effect = early.effect;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // The flags in their order.
  function automatic logic [FaultWidth-1:0] flags_of(input early_faults_t early,
                                                     input late_faults_t late);
    flags_of = '0;
    flags_of[FaultReservedBit] = early.reserved_bit;
    flags_of[FaultContextAdc] = early.context_adc;
    flags_of[FaultContextRange] = early.context_range;
    flags_of[FaultFormatCode] = early.format_code;
    flags_of[FaultFormatPair] = early.format_pair;
    flags_of[FaultFormatFp32] = early.format_fp32;
    flags_of[FaultFormatSrc] = early.format_src;
    flags_of[FaultCompressedBfp2] = early.compressed_bfp2;
    flags_of[FaultBfpAlias] = early.bfp_alias;
    flags_of[FaultOutAlign] = late.out_align;
    flags_of[FaultXWindow] = late.x_window;
    flags_of[FaultXOrder] = late.x_order;
    flags_of[FaultBlobsIndex] = late.blobs_index;
    flags_of[FaultStartAlign] = late.start_align;
    flags_of[FaultYRange] = late.y_range;
    flags_of[FaultTilizeCombo] = early.tilize_combo;
    flags_of[FaultDstModes] = early.dst_modes;
    flags_of[FaultDstOvrd] = early.dst_ovrd;
    flags_of[FaultThrottle] = early.throttle;
    flags_of[FaultNopReserved] = early.nop_reserved;
    flags_of[FaultNopForeign] = early.nop_foreign;
    flags_of[FaultTransposeSrcb] = early.transpose_srcb;
    flags_of[FaultBurst] = late.burst;
    flags_of[FaultOutRow] = late.out_row;
    flags_of[FaultOutLow] = late.out_low;
    flags_of[FaultNeginfSrcb] = early.neginf_srcb;
    flags_of[FaultNotLast] = early.not_last;
    flags_of[FaultEmptyFlip] = late.empty_flip;
    flags_of[FaultSpareUnpacr] = early.spare_unpacr;
  endfunction

endpackage

`default_nettype wire
