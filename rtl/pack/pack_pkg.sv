// SPDX-License-Identifier: Apache-2.0
//
// What travels between the packers' stages. Names and sections are those of docs/pack.md.
`default_nettype none

package pack_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  // ---- constants of the contract (section 3)
  localparam int AddressLatency = 8;
  localparam int RowLatency = 12;
  localparam int HistogramLatency = 10;
  localparam int LineLatency = 6;
  localparam int AddLatency = 6;
  localparam int PlanDepth = 3;         // instructions sampled and not departed
  localparam int UnderWay = 12;         // instructions of a packer
  localparam int RowsInFlight = 16;     // steps of a packer
  localparam int LinesInFlight = 12;    // entries of a packer
  localparam int SumsInFlight = 16;     // accumulations of a packer

  /* verilator lint_on UNUSEDPARAM */

  typedef enum logic [1:0] {SourceDst = 2'd0, SourceNull = 2'd1, SourceL1 = 2'd2} source_e;
  typedef enum logic [1:0] {KindData = 2'd0, KindExponent = 2'd1, KindRsi = 2'd2} kind_e;

  // ---- ports of the packers
  typedef struct packed {
    logic          valid;
    logic [16:0]   line;           // the first
    logic [3:0]    count;
  } l1_read_t;

  typedef struct packed {
    logic          valid;
    logic [16:0]   line;
    logic [1:0]    kind;
    logic [127:0]  data;
  } l1_write_t;

  typedef struct packed {
    logic          valid;
    logic          op;             // 1: clear
    logic [3:0]    mode;
    logic [1:0]    packer;
  } histogram_command_t;

  typedef struct packed {
    logic          valid;
    logic [127:0]  data;
  } histogram_data_t;

  typedef struct packed {
    logic [35:0]   scaler;         // four of nine bits, 0 lowest
    logic [23:0]   base;
  } setreg_base_t;

  typedef struct packed {
    logic          valid;
    logic [1:0]    thread;
    logic [31:0]   flags;
  } fault_t;

  typedef struct packed {
    logic          valid;
    logic [3:0]    packers;        // that are written
    logic [15:0]   value;
  } offset_write_t;                // l1_dest_addr_offset

  // ---- mode (section 4): what all steps in flight have in common
  typedef struct packed {
    logic [3:0]  from;             // In_data_format
    logic [3:0]  to;               // Out_data_format
    logic        compress;
    logic        dis_shared_exp;
    logic        accumulate;       // Pack_L1_Acc
    logic        threshold_en;
    logic [7:0]  threshold;
    logic [15:0] downsample;       // as written: 0 stands for FFFF
    logic [7:0]  reads_per_plane;
    logic        yz_transposed;
    logic [5:0]  z_offset;
  } packer_mode_t;

  typedef struct packed {
    logic [3:0]   intermediate;    // IF
    logic         read_32b;
    logic         read_unsigned;
    logic         read_raw;
    logic         round_10b;
    logic         ignore_valid;    // Zero_Flag_disabled_dst
    logic [1:0]   relu_mode;
    logic [15:0]  relu_threshold;
    logic         descale_en;      // INT_DESCALE_Enable
    logic [4:0]   descale_shift;   // VALUES_SEC0, whether enabled or not
    logic         count_exponents; // some thread's ENABLE_ACC_STATS
    logic         source_l1;       // packer 0's Source_interface_selection
    logic         e4m3;            // Pac_LF8_4b_exp
    logic         swizzle;         // word 220 bit 0, 0 without dst_remap
    logic         remap;           // word 220 bit 1, 0 without dst_remap
    logic [31:0]  face_select;     // word 19
    logic [127:0] row_map;         // words 20 to 23, 20 lowest
    logic [127:0] edge_words;      // words 24 to 27: the masks and, in 24, mode and row set select
    logic [127:0] face_map;        // words 36 to 39
    packer_mode_t [3:0] packer;
  } mode_t;

  // ---- a step (section 5) as it goes from row requests to the gather; addresses: of the first step
  typedef struct packed {
    logic        first;            // first step of its instruction
    logic        last;             // last step of its instruction
    logic        close;            // with `last`: Last, Flush, SETREG
    logic        ends_row;         // with `last`: closes the compressed row (P7)
    logic        rows;             // not an empty step: every lane of `lanes` brings a row
    logic [3:0]  lanes;            // enabled lanes; of a packer of one lane: 1
    logic        new_data;         // the streams take the addresses below
    logic        new_exponent;
    logic        new_rsi;
    logic [16:0] data_line;
    logic [16:0] exponent_line;
    logic [16:0] rsi_line;
    logic [15:0] exponent_size;    // section sizes in lines, for the faults
    logic [15:0] rsi_size;
  } step_t;

  // ---- a lane's part of a step, beside the datums (cycle grant + 1, or answer + 0 of L1)
  typedef struct packed {
    logic [1:0]  source;           // source_e
    logic [3:0]  column;           // of the first datum; L1: number of the first datum in the line
    logic [4:0]  count;            // datums
    logic [3:0]  phase;            // bit of the downsampling mask of the first datum
  } lane_t;

  // ---- element behind late conversion: TO & 3 = 0: 32 bits; 1: 16; FP8, INT8: 8; BFP: {s, e8, m7}
  // as BF16, or for the A formats {s, e5, m10} with three zeros as E5M7, in 16 bits
  typedef struct packed {
    logic [15:0][31:0] element;    // packed to the front, in order
    logic [15:0]       zero;       // the datum was +0 before late conversion (P44)
    logic [4:0]        count;
  } row_t;

endpackage

`default_nettype wire
