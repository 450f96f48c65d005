// SPDX-License-Identifier: Apache-2.0
//
// What travels through the address pipeline beside the plan, and small arithmetic on formats.
`default_nettype none

package pack_address_pkg;
  import pack_fault_pkg::FaultWidth;

  typedef struct packed {
    logic [21:0] x0;
    logic [28:0] y0;
    logic [28:0] z0;
    logic [28:0] w0;
    logic [28:0] y1;
    logic [28:0] z1;
    logic [28:0] w1;
    logic [19:0] datums;          // X1 - X0 + 1, signed
  } products_t;

  typedef struct packed {
    logic [31:0] bytes;           // input address (P10)
    logic [3:0]  low;             // of what must be a multiple of 16
    logic [31:0] yzw;             // of the output address (P33)
    logic [10:0] datums;          // within bounds
    logic        spread;          // P55
    logic        count_fault;
  } sums_t;

  // Where a packer finds its datums; as in instruction_t.
  typedef struct packed {
    logic [1:0]            source;  // source_e
    logic [3:0]            lanes;
    logic                  strided;
    logic                  spread;
    logic [10:0]           count;
    logic [9:0]            row;
    logic [3:0]            column;
    logic [16:0]           line;
    logic [FaultWidth-1:0] flags;
  } located_t;

  // Where it puts them.
  typedef struct packed {
    logic [16:0] data_line;
    logic [16:0] exponent_line;
    logic [16:0] rsi_line;
  } lines_t;

  // log2 of the bytes of a datum, as an input address counts them.
  function automatic logic [1:0] bytes_log2(input logic [1:0] from);
    bytes_log2 = from[1] ? 2'd0 : from[0] ? 2'd1 : 2'd2;
  endfunction

  // Number of a datum in 16 bytes: the bits of X that the address takes as they are.
  function automatic logic [3:0] x_mask(input logic [1:0] from);
    x_mask = from[1] ? 4'hF : from[0] ? 4'h7 : 4'h3;
  endfunction

endpackage

`default_nettype wire
