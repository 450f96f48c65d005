// SPDX-License-Identifier: Apache-2.0
//
// What the front of the packers hands on: words of configuration, an instruction as it is sampled,
// and as it waits for its steps. Sections are those of docs/pack.md.
//
// Combinational logic of this block is in functions, assignments and clocked blocks. Icarus runs
// every always_comb of a design as soon as one of them runs.
`default_nettype none

package pack_plan_pkg;
  import pack_pkg::mode_t;
  import pack_pkg::lane_t;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  // ---- words that the packers read, by their place in the copy of the configuration
  localparam int WordFormat = 0;      // ALU_FORMAT_SPEC_REG
  localparam int WordRounding = 1;    // ALU_ROUNDING_MODE, ALU_FORMAT_SPEC_REG2
  localparam int WordRelu = 2;        // ALU_ACC_CTRL, STACC_RELU
  localparam int WordDescale = 3;     // INT_DESCALE
  localparam int WordXy0 = 4;         // PCK0_ADDR_CTRL, channel 0 and 1
  localparam int WordZw0 = 5;
  localparam int WordXy1 = 6;
  localparam int WordZw1 = 7;
  localparam int WordBase0 = 8;       // PCK0_ADDR_BASE
  localparam int WordBase1 = 9;
  localparam int WordRead = 10;       // PCK_DEST_RD_CTRL
  localparam int WordFaceSelect = 11; // PCK_EDGE_TILE_FACE_SET_SELECT
  localparam int WordRowMap = 12;     // four: TILE_ROW_SET_MAPPING
  localparam int WordEdge = 16;       // four: PCK_EDGE
  localparam int WordCounters = 20;   // four: PACK_COUNTERS
  localparam int WordFaceMap = 24;    // four: TILE_FACE_SET_MAPPING
  localparam int WordPacker01 = 28;   // four words of packer 0, of packer 1
  localparam int WordLimit01 = 36;    // limit and fifo of packer 0, of packer 1
  localparam int WordSlot01 = 40;     // Packer_Reg_Wr_Addr
  localparam int WordPacker23 = 41;
  localparam int WordLimit23 = 49;
  localparam int WordSlot23 = 53;
  localparam int WordTarget = 54;     // four: DEST_TARGET_REG_CFG_PACK; from here on global
  localparam int WordShift = 58;      // INT_DESCALE_VALUES_SEC0
  localparam int WordAccess = 59;     // DEST_ACCESS_CFG
  localparam int Words = 60;
  localparam int BankedWords = WordTarget;

  /* verilator lint_on UNUSEDPARAM */

  // Number in the configuration of a word of the copy.
  function automatic logic [7:0] number_of(input int word);
    if (word < WordDescale) number_of = 8'(word);
    else if (word < WordXy0) number_of = 8'd8;
    else if (word < WordFaceMap) number_of = 8'(12 + word - WordXy0);
    else if (word < WordPacker01) number_of = 8'(36 + word - WordFaceMap);
    else if (word < WordPacker01 + 4) number_of = 8'(68 + word - WordPacker01);
    else if (word < WordSlot01) number_of = 8'(96 + word - WordPacker01 - 4);
    else if (word < WordPacker23) number_of = 8'd107;
    else if (word < WordPacker23 + 4) number_of = 8'(116 + word - WordPacker23);
    else if (word < WordSlot23) number_of = 8'(144 + word - WordPacker23 - 4);
    else if (word < WordTarget) number_of = 8'd155;
    else if (word < WordShift) number_of = 8'(180 + word - WordTarget);
    else number_of = word < WordAccess ? 8'd187 : 8'd220;
  endfunction

  localparam int LaneWidth = $bits(lane_t);  // where Icarus takes no struct

  // ---- an instruction as sampled: what is not in its mode (section 4)
  typedef struct packed {
    logic [31:0] l1_dest;         // L1_Dest_addr
    logic        no_header;       // Sub_l1_tile_header_size
    logic        add_offset;      // Add_l1_dest_addr_offset
    logic [15:0] l1_offset;       // l1_dest_addr_offset
    logic [15:0] rsi_size;        // Row_start_section_size
    logic [15:0] exponent_size;   // Exp_section_size
    logic [16:0] limit;
    logic [16:0] fifo;
    logic [11:0] dst_offset;
    logic        source_l1;       // Source_interface_selection
    logic        ignored_counter; // a field of PACK_COUNTERS that is ignored and not 0
    logic        auto_last;       // Auto_set_last_pacr_intf_sel
  } fields_t;

  typedef struct packed {
    logic [17:0] x;
    logic [12:0] y;
    logic [12:0] z;
    logic [12:0] w;
  } counters_t;

  typedef struct packed {
    logic [17:0] base;
    logic [15:0] x;
    logic [15:0] y;
    logic [15:0] z;
    logic [15:0] w;
  } strides_t;

  typedef struct packed {
    logic [1:0]  thread;
    logic [23:0] word;
    logic        setreg;
    logic        load;            // SETREG that loads half of the staged value
    logic [3:0]  mask;            // packers
    counters_t   counters0;
    counters_t   counters1;
    strides_t    strides0;
    strides_t    strides1;
    logic [7:0]  l1_source;       // L1_source_addr
    logic        stochastic;
    logic        descale_mode;
    logic        relu_above;      // ApplyRelu above 3
    logic        unstrided;       // word 220 lacks a bit for DstAccessMode
    logic [11:0] slot;            // SETREG: address
    logic [8:0]  scaler;          // SETREG, map WH
    fields_t [3:0] fields;
  } plan_t;

  typedef struct packed {
    plan_t plan;
    mode_t mode;
  } sampled_t;

  // ---- an instruction of one packer, as it waits for its steps (section 5)
  typedef struct packed {
    logic [1:0]  source;          // source_e
    logic [3:0]  lanes;           // enabled lanes
    logic        strided;         // rows of the lanes are 16 apart
    logic        spread;          // P55: `count` zeros over all lanes, step after step
    logic [10:0] count;           // datums: of all, several lanes without spread: of a lane
    logic [9:0]  row;             // of Dst, the first
    logic [3:0]  column;          // of the first datum, in its row or line
    logic [16:0] line;            // of the source
    logic        close;
    logic        ends_row;
    logic        new_data;
    logic        new_exponent;
    logic        new_rsi;
    logic [16:0] data_line;
    logic [16:0] exponent_line;
    logic [16:0] rsi_line;
    logic [15:0] exponent_size;
    logic [15:0] rsi_size;
  } instruction_t;

endpackage

`default_nettype wire
