// SPDX-License-Identifier: Apache-2.0
//
// The word of a thread as an order: which sets and targets, and what is done to their counters.
//
// Latency: combinational. Handshake: none, a word is taken in the cycle in which it is there.
// Without one the order is for no set.
`default_nettype none

module second_thread
  import effect_pkg::*;
  import tilepath_isa_pkg::*;
#(
  parameter int Thread = 0
) (
  input  wire logic        valid_i,
  input  wire logic [31:0] word_i,
  output wire logic [2:0]  sets_o,
  output wire logic [2:0]  targets_o,
  output wire logic [23:0]  kind_o,
  output wire logic [143:0] value_o,
  output wire logic        illegal_o,
  output wire logic        x_override_o,
  output wire logic        empty_o
);

  wire logic [7:0] opcode = word_i[31:24];
  wire logic one = opcode == OP_SETADC;
  wire logic xx = opcode == OP_SETADCXX;
  wire logic set = opcode == OP_SETADCXY || opcode == OP_SETADCZW;
  wire logic inc = opcode == OP_INCADCXY || opcode == OP_INCADCZW;
  wire logic step = opcode == OP_ADDRCRXY || opcode == OP_ADDRCRZW;
  wire logic zw = opcode == OP_SETADCZW || opcode == OP_INCADCZW || opcode == OP_ADDRCRZW;
  wire logic known = one || xx || set || inc || step;

  wire logic [3:0] mask = word_i[SETADCXY_MASK_MSB:SETADCXY_MASK_LSB];
  wire logic [1:0] counter = word_i[SETADC_XYZW_MSB:SETADC_XYZW_LSB];
  wire logic [17:0] whole = word_i[SETADC_VALUE_MSB:SETADC_VALUE_LSB];
  wire logic [1:0] above = one
    ? word_i[SETADC_THREAD_OVERRIDE_MSB:SETADC_THREAD_OVERRIDE_LSB]
    : word_i[SETADCXY_THREAD_OVERRIDE_MSB:SETADCXY_THREAD_OVERRIDE_LSB];
  wire logic [1:0] set_number = xx || above == 2'd0 ? 2'(Thread) : above - 2'd1;
  // {Y1, X1, Y0, X0}, or the same of W and Z
  wire logic [11:0] small_values = {
    word_i[SETADCXY_Y1_VAL_MSB:SETADCXY_Y1_VAL_LSB],
    word_i[SETADCXY_X1_VAL_MSB:SETADCXY_X1_VAL_LSB],
    word_i[SETADCXY_Y0_VAL_MSB:SETADCXY_Y0_VAL_LSB],
    word_i[SETADCXY_X0_VAL_MSB:SETADCXY_X0_VAL_LSB]
  };

  for (genvar n = 0; n < 8; n++) begin : gen_counter
    // of eight counters the fourth and so on are those of channel 1; within one X, Y, Z, W
    localparam int Pair = 2 * (n / 4) + n % 2;
    localparam logic [2:0] Number = 3'(n);

    wire logic here = (n % 4 >= 2) == zw;
    wire logic named = word_i[SETADC_CHANNEL_LSB] == Number[2] && counter == Number[1:0];
    wire logic [2:0] small_value = small_values[3*Pair+:3];
    wire logic [9:0] wide = n < 4
      ? word_i[SETADCXX_X0_VAL_MSB:SETADCXX_X0_VAL_LSB]
      : word_i[SETADCXX_X1_VAL_MSB:SETADCXX_X1_VAL_LSB];
    wire logic sets = one ? named : xx ? n % 4 == 0 : set && here && mask[Pair];

    assign kind_o[3*n+:3] = sets ? SET
      : inc && here && small_value != 3'd0 ? ADD
      : step && here && mask[Pair] ? STEP : NONE;
    assign value_o[18*n+:18] = one ? whole : xx ? 18'(wide) : 18'(small_value);
  end

  assign sets_o = valid_i && known ? 3'b001 << set_number : 3'b000;
  assign targets_o = word_i[SETADC_TARGET_MSB:SETADC_TARGET_LSB];
  assign illegal_o = valid_i && !known;
  assign x_override_o = valid_i && one && counter == 2'd0 && above != 2'd0;
  assign empty_o = valid_i && known
    && (targets_o == 3'd0 || ((set || step) && mask == 4'd0));

endmodule

`default_nettype wire
