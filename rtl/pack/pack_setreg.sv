// SPDX-License-Identifier: Apache-2.0
//
// PACR_SETREG (P46), beside the address pipeline: cycle 5 multiplies, cycle 6 adds, cycle 7 stages
// or writes.
//
// Latency: a plan that departs in q is at the input in q+5; the register write and a staged value
// are there from q+8 on. Handshake: none. Reset: staged value 0.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_setreg
  import tilepath_isa_pkg::*;
  import unit_port_pkg::setreg_write_t;
  import pack_plan_pkg::*;
#(
  parameter int SetregEnc = 0
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic          valid_i,
  input  wire plan_t         plan_i,
  output wire setreg_write_t write_o
);

  localparam logic [11:0] Registers = 12'hFFB;
  localparam logic [7:0] First = 8'h11;  // of bits 19:12

  typedef struct packed {
    logic        load;
    logic [23:0] word;
    logic [11:0] slot;
  } setreg_t;

  logic valid6_q, valid7_q, valid_q;
  setreg_t setreg6_q, setreg7_q;
  logic [16:0] product_q;
  logic [31:0] value_q, staged_q, address_q, data_q;

  function automatic setreg_t setreg_of(input plan_t plan);
    setreg_of.load = plan.load;
    setreg_of.word = plan.word;
    setreg_of.slot = plan.slot;
  endfunction

  function automatic logic [31:0] address_of(input logic [11:0] slot, input logic [5:0] middle);
    address_of = {Registers, slot[11:10], middle, 12'd0};
    address_of[11:2] = slot[9:0];
  endfunction

  wire logic [31:0] address = address_of(
    setreg7_q.slot, setreg7_q.word[PACR_SETREG_WH_ADDR_MID_MSB:PACR_SETREG_WH_ADDR_MID_LSB]);
  wire logic [9:0] value10
    = plan_i.word[PACR_SETREG_WH_VALUE10_MSB:PACR_SETREG_WH_VALUE10_LSB];
  wire logic writes = valid7_q && !setreg7_q.load && address[19:12] >= First && !address[19];
  wire logic loads = valid7_q && setreg7_q.load;
  wire logic [15:0] value16
    = setreg7_q.word[PACR_SETREG_LOAD_VALUE16_MSB:PACR_SETREG_LOAD_VALUE16_LSB];

  assign write_o = {valid_q, address_q, data_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid6_q <= 1'b0;
      valid7_q <= 1'b0;
      valid_q <= 1'b0;
      staged_q <= '0;
    end else begin
      valid6_q <= valid_i && plan_i.setreg;
      valid7_q <= valid6_q;
      valid_q <= writes;
      if (loads && setreg7_q.word[PACR_SETREG_LOAD_HALF_LSB]) staged_q[31:16] <= value16;
      if (loads && !setreg7_q.word[PACR_SETREG_LOAD_HALF_LSB]) staged_q[15:0] <= value16;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      setreg6_q <= setreg_of(plan_i);
      product_q <= 17'(value10) * 17'(plan_i.scaler);
    end
    if (valid6_q) begin
      setreg7_q <= setreg6_q;
      value_q <= {3'd0, product_q, 12'd0}
        + 32'(setreg6_q.word[PACR_SETREG_WH_VALUE10_MSB:PACR_SETREG_WH_VALUE10_LSB]);
    end
    if (valid7_q) begin
      address_q <= address;
      data_q <= SetregEnc == 1 ? staged_q : value_q;
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
