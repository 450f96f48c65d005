// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycles 3 to 6, output side of a packer: the chain of P33. Cycle 3: where the
// packer's tile begins; 4: the offset; 5: the wrap; 6: the three sections.
//
// Latency: what is at the inputs in cycle 3 is in lines_o in cycle 7; relative_fifo_o in cycle 5.
// Handshake: none. Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_address_output
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
#(
  parameter int Packer = 0,
  parameter int Relative = 1,
  parameter int YzwShr4 = 0
) (
  input  wire logic        clk_i,
  input  wire logic        valid_i,
  input  wire fields_t     fields_i,
  input  wire logic [31:0] yzw_i,
  input  wire logic [31:0] begin_i,     // of this packer
  input  wire logic [31:0] begin0_i,    // of packer 0
  // the packer's mode, as it is from cycle 1 on
  input  wire logic        compress_i,
  input  wire logic        exponents_i, // TO & 2
  output wire logic        relative_fifo_o,
  output wire lines_t      lines_o
);

  logic valid4_q, valid5_q, valid6_q;
  fields_t fields4_q, fields5_q, fields6_q;
  logic [31:0] address4_q, address5_q;
  logic [16:0] address6_q;
  logic relative4_q, relative_fifo_q;
  lines_t lines_q;

  assign relative_fifo_o = relative_fifo_q;
  assign lines_o = lines_q;

  wire logic relative = Relative == 1 && Packer != 0 && begin0_i[31];
  wire logic [31:0] yzw = YzwShr4 == 1 ? {4'd0, yzw_i[31:4]} : {yzw_i[31:4], 4'd0};

  function automatic logic [16:0] wrapped(input logic [31:0] address, input logic [16:0] limit,
                                          input logic [16:0] fifo);
    wrapped = address > {14'd0, limit, 1'b1} ? address[16:0] - {fifo[15:0], 1'b0}
                                             : address[16:0];
  endfunction

  function automatic lines_t sections(input logic [16:0] address, input logic [15:0] rsi_size,
                                      input logic [15:0] exponent_size, input logic compress,
                                      input logic exponents);
    logic [16:0] rsi, exponent;

    rsi = compress ? {1'b0, rsi_size} : 17'd0;
    exponent = exponents ? {1'b0, exponent_size} : 17'd0;
    sections.rsi_line = address;
    sections.exponent_line = address + rsi;
    sections.data_line = address + rsi + exponent;
  endfunction

  always_ff @(posedge clk_i) begin
    valid4_q <= valid_i;
    valid5_q <= valid4_q;
    valid6_q <= valid5_q;
    if (valid_i) begin
      fields4_q <= fields_i;
      address4_q <= begin_i + yzw + (relative ? begin0_i : 32'd0);
      relative4_q <= relative;
    end
    if (valid4_q) begin
      fields5_q <= fields4_q;
      address5_q <= address4_q + (fields4_q.add_offset ? {16'd0, fields4_q.l1_offset} : 32'd0);
      relative_fifo_q <= relative4_q && fields4_q.fifo != 17'd0;
    end
    if (valid5_q) begin
      fields6_q <= fields5_q;
      address6_q <= wrapped(address5_q, fields5_q.limit, fields5_q.fifo);
    end
    if (valid6_q)
      lines_q <= sections(address6_q, fields6_q.rsi_size, fields6_q.exponent_size, compress_i,
                          exponents_i);
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
