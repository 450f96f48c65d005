// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycle 2: the input address, the part of the output address that all packers
// have in common, each packer's own begin, and the number of datums within its bounds (P61).
//
// Latency: one cycle. Handshake: none. Reset: nothing in it.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_address_sums
  import tilepath_isa_pkg::*;
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
#(
  parameter int Packers = 4,
  parameter int MaxDatums = 256
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        valid_i,
  input  wire plan_t       plan_i,
  input  wire products_t   products_i,
  output wire logic        valid_o,
  output wire plan_t       plan_o,
  output wire sums_t       sums_o,
  output wire logic [31:0] begin_o [4]  // L1_Dest_addr, behind the tile header
);

  localparam int SpreadMost = 1024;

  logic valid_q;
  plan_t plan_q;
  sums_t sums_q;

  assign valid_o = valid_q;
  assign plan_o = plan_q;
  assign sums_o = sums_q;

  function automatic sums_t sums_of(input products_t products, input logic [17:0] base0,
                                    input logic [17:0] base1, input logic [17:0] x0,
                                    input logic [23:0] word);
    logic flush, below, above;
    logic [19:0] most;

    flush = word[PACR_FLUSH_LSB];
    below = products.datums[19];
    sums_of.bytes = 32'(base0) + 32'(products.x0) + 32'(products.y0) + 32'(products.z0)
                    + 32'(products.w0);
    sums_of.low = base0[3:0] + products.y0[3:0] + products.z0[3:0] + products.w0[3:0];
    sums_of.yzw = 32'(base1) + 32'(products.y1) + 32'(products.z1) + 32'(products.w1);
    sums_of.spread = Packers == 1 && word[PACR_ZERO_WRITE_LSB] && !flush
      && word[PACR_READ_INTF_SEL_MSB:PACR_READ_INTF_SEL_LSB] == 4'd0 && x0 == 18'd0
      && !below && products.datums > 20'd16;
    most = sums_of.spread ? 20'(SpreadMost) : 20'(MaxDatums);
    above = !below && products.datums > most;
    sums_of.count_fault = !flush && (below || above);
    if (flush || below) sums_of.datums = 11'd0;
    else sums_of.datums = above ? most[10:0] : products.datums[10:0];
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      plan_q <= plan_i;
      sums_q <= sums_of(products_i, plan_i.strides0.base, plan_i.strides1.base,
                        plan_i.counters0.x, plan_i.word);
    end
  end

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    fields_t fields;
    logic [31:0] begin_q;

    assign fields = plan_i.fields[p];
    assign begin_o[p] = begin_q;

    always_ff @(posedge clk_i) begin
      if (valid_i) begin_q <= fields.l1_dest + {31'd0, !fields.no_header};
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
