// SPDX-License-Identifier: Apache-2.0
//
// What the unpackers read of their copy of the configuration. Sections are those of docs/unpack.md.
`default_nettype none

package unpack_config_pkg;

  // What a Regular UNPACR reads, as its thread, unpacker and context have it (5.1). Fields are as
  // they stand in the words, but for those that a context replaces.
  typedef struct packed {
    // tile descriptor
    logic [7:0]  digest_size;
    logic [31:0] blobs_start;       // eight nibbles, lowest first
    logic [7:0]  wdim;
    logic [7:0]  zdim;
    logic [7:0]  ydim;
    logic [15:0] xdim;
    logic [2:0]  blobs;             // BlobsPerXYPlane
    logic        no_exponents;      // NoBFPExpSection
    // formats and modes
    logic        uncompressed;      // as configured: BFP2 and BFP2a always are
    logic        to_dst;
    logic [3:0]  in_format;
    logic [3:0]  out_format;
    logic        e4m3;              // Unp_LF8_4b_exp
    logic [11:0] row_stride;        // Shift_amount 2 ... 0: bits 15:4 of RowStride
    logic        interleave;        // Upsample_and_interleave
    logic [1:0]  upsample_rate;
    logic        tilize;            // Tileize_mode
    logic        haloize;           // Haloize_mode
    logic [1:0]  throttle;          // Throttle_mode
    logic        ovrd_throttle;     // ovrd_default_throttle_mode, of unpacker 0
    logic        force_exponent;    // Force_shared_exp
    logic [16:0] limit;             // Unpack_limit_address
    logic [16:0] fifo;              // Unpack_fifo_size
    logic [27:0] base;              // of the tile; lines
    logic [15:0] offset;            // lines
    logic [3:0]  shift;             // Shift_amount of the context
    logic [15:0] dest;              // of the context
    // UNPn, ALU_FORMAT_SPEC, ThreadConfig, the access to Dst
    logic [17:0] out_base;
    logic [15:0] ystride;
    logic [15:0] zstride;
    logic [15:0] wstride;
    logic [7:0]  shared_exponent;
    logic        add_dest;          // add_dest_addr_cntr
    logic        int8_unsigned;
    logic        set_ovrd;          // SRCA_SET_SetOvrdWithAddr
    logic        remap;
    logic        swizzle;
  } config_t;

  // What is needed in the sampling cycle itself.
  typedef struct packed {
    logic        uncompressed;      // what is not compressed (5.1), BFP2 and BFP2a included
    logic        set_upd;           // Unpack_Src_Reg_Set_Upd
    logic [1:0]  context_count;     // log2
    logic [1:0]  base;              // SRCA_SET_Base, SRCB_SET_Base
  } sampling_t;

  // What a NOP reads (7).
  typedef struct packed {
    logic [1:0]  base;              // SRCA_SET_Base, SRCB_SET_Base
    logic [5:0]  stream;            // NOC_OVERLAY_MSG_CLEAR_StreamId
    logic [18:0] clear_value;       // NOP_REG_CLR_VAL
    logic [3:0]  out_format;         // REG2_Out_data_format
  } nop_config_t;

  // ---- of a thread's own configuration
  typedef struct packed {
    logic       state_id;
    logic       ovrd;
    logic [1:0] base;               // of an unpacker, as are the next
    logic [2:0] offset;             // CfgContextOffset, modulo 8 (U7)
    logic [5:0] stream;
  } thread_config_t;

endpackage

`default_nettype wire
