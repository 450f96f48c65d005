// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the flag pipe share: commands, responses, errors, endpoints.
`default_nettype none

package flag_pipe_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int CoreCount = 3;  // 0 AIC, 1 AIV0, 2 AIV1
  localparam int PipeCount = 4;  // of a pair (T34)
  localparam int SlotBits = 30;  // bits of a slot's size: four slots and a base are below 2^32
  localparam int SramBits = 20;  // bits of the size of what lies in an SRAM

  typedef enum logic [2:0] {Idle = 3'd0, Pre = 3'd1, Wait = 3'd2, Xfer = 3'd3, Done = 3'd4} state_e;
  typedef enum logic [2:0] {Init = 3'd0, Tpush = 3'd1, Tpop = 3'd2, Tfree = 3'd3} op_e;
  typedef enum logic [1:0] {Whole = 2'd0, UpDown = 2'd1, LeftRight = 2'd2} split_e;  // T37
  typedef enum logic [3:0] {
    Ok         = 4'd0,
    NotInit    = 4'd1,
    Reinit     = 4'd2,
    BadDirmask = 4'd3,
    BadSlot    = 4'd4,
    BadBase    = 4'd5,
    DirOff     = 4'd6,
    HoldLim    = 4'd7,
    FreeEmpty  = 4'd8,
    BadTile    = 4'd9,
    BadOp      = 4'd10,
    BadPeriod  = 4'd11,
    BadSplit   = 4'd12
  } err_e;

  typedef struct packed {
    logic [2:0]  op;  // op_e, or reserved
    logic        peer;
    logic [1:0]  pipe;
    logic [7:0]  dir_mask;
    logic [1:0]  period;  // log2 of the slots for which there is one credit (T36)
    logic [1:0]  split;   // split_e, or reserved
    logic [4:0]  row;     // log2 of the bytes of a row, with LeftRight
    logic [31:0] slot_size;
    logic [31:0] gm_base;
    logic [31:0] c2v_buf;
    logic [31:0] v2c_buf;
    logic [31:0] tile_addr;
  } command_t;

  typedef struct packed {
    logic [2:0]  op;  // as given
    logic [3:0]  err;
    logic [2:0]  tag;
    logic [31:0] addr;
  } response_t;

  // One side of a pair: its configuration, and how far it is around its rings.
  typedef struct packed {
    logic                init;
    logic [1:0]          mask;  // bit 0 C2V, bit 1 V2C
    logic [1:0]          period;
    logic [1:0]          split;
    logic [4:0]          row;
    logic [SlotBits-1:0] slot_size;
    logic [31:0]         gm_base;
    logic [31:0]         c2v_buf;
    logic [31:0]         v2c_buf;
    logic [2:0]          push_tag;
    logic [2:0]          pop_tag;
    logic [2:0]          free_tag;
    logic [3:0]          held;
  } endpoint_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage

`default_nettype wire
