// SPDX-License-Identifier: Apache-2.0
//
// The word at a thread's issue port, as a command.
//
// Latency: combinational. Handshake: none, a word is taken in the cycle in which it is there.
// groups_o: the groups that the command goes to, 0 when there is none; the rest as in command_t.
// Faults are up in the cycle of the word. Positions of fields that instructions have in common go
// by the names that SETADC (target, value) and SETADCXY (all others) have for them.
`default_nettype none

module adc_decode
  import tilepath_isa_pkg::*;
  import adc_pkg::*;
#(
  parameter int Thread = 0
) (
  input  wire logic                    valid_i,
  input  wire logic [31:0]             word_i,
  output wire logic [GroupCount-1:0]   groups_o,
  output wire logic [7:0]              touch_o,
  output wire logic [ChannelWidth-1:0] value0_o,
  output wire logic [ChannelWidth-1:0] value1_o,
  output wire logic [ChannelWidth-1:0] write0_o,
  output wire logic [ChannelWidth-1:0] write1_o,
  output wire logic [ChannelWidth-1:0] reload0_o,
  output wire logic [ChannelWidth-1:0] reload1_o,
  output wire logic                    fault_illegal_o,
  output wire logic                    fault_x_override_o,
  output wire logic                    fault_empty_o
);

  localparam logic [2:0] Own = 3'b001 << Thread;

  typedef struct packed {
    logic       known;
    logic       x_override;
    logic       empty;
    logic [2:0] sets;
    command_t   command;
  } decoded_t;

  decoded_t decoded;

  function automatic decoded_t decode(input logic [31:0] word);
    command_t c;
    logic known, x_override, masked, zw, add, reload;
    logic [1:0] set_override;
    logic [3:0] touch;  // of X and Y, or of Z and W: {Y1, X1, Y0, X0}
    logic [XWidth:0] xz0, xz1;
    logic [YWidth:0] yw0, yw1;
    logic [ChannelWidth-1:0] bits0, bits1;

    known = 1'b1;
    x_override = 1'b0;
    masked = 1'b0;
    zw = 1'b0;
    add = 1'b0;
    reload = 1'b0;
    set_override = word[SETADCXY_THREAD_OVERRIDE_MSB:SETADCXY_THREAD_OVERRIDE_LSB];
    touch = word[SETADCXY_MASK_MSB:SETADCXY_MASK_LSB];
    yw1 = (YWidth + 1)'(word[SETADCXY_Y1_VAL_MSB:SETADCXY_Y1_VAL_LSB]);
    xz1 = (XWidth + 1)'(word[SETADCXY_X1_VAL_MSB:SETADCXY_X1_VAL_LSB]);
    yw0 = (YWidth + 1)'(word[SETADCXY_Y0_VAL_MSB:SETADCXY_Y0_VAL_LSB]);
    xz0 = (XWidth + 1)'(word[SETADCXY_X0_VAL_MSB:SETADCXY_X0_VAL_LSB]);
    case (word[31:24])
      OP_SETADC: begin
        // the override is part of the value, and X takes it as such all the same (A2)
        set_override = word[SETADC_THREAD_OVERRIDE_MSB:SETADC_THREAD_OVERRIDE_LSB];
        x_override = word[SETADC_XYZW_MSB:SETADC_XYZW_LSB] == 2'd0 && set_override != 2'd0;
        zw = word[SETADC_XYZW_MSB];
        touch = 4'd1 << {word[SETADC_CHANNEL_LSB], word[SETADC_XYZW_LSB]};
        xz1 = {1'b0, word[SETADC_VALUE_MSB:SETADC_VALUE_LSB]};
        yw1 = {1'b0, word[YWidth-1:0]};
        xz0 = xz1;
        yw0 = yw1;
      end
      OP_SETADCXX: begin
        set_override = 2'd0;  // has none (A3)
        touch = 4'b0101;
        xz1 = (XWidth + 1)'(word[SETADCXX_X1_VAL_MSB:SETADCXX_X1_VAL_LSB]);
        xz0 = (XWidth + 1)'(word[SETADCXX_X0_VAL_MSB:SETADCXX_X0_VAL_LSB]);
      end
      OP_SETADCXY, OP_SETADCZW: begin
        zw = word[31:24] == OP_SETADCZW;
        masked = 1'b1;
      end
      OP_ADDRCRXY, OP_ADDRCRZW: begin
        zw = word[31:24] == OP_ADDRCRZW;
        masked = 1'b1;
        reload = 1'b1;
      end
      OP_INCADCXY, OP_INCADCZW: begin
        zw = word[31:24] == OP_INCADCZW;
        touch = {|yw1, |xz1, |yw0, |xz0};  // there is no mask (A6)
        add = 1'b1;
      end
      default: known = 1'b0;
    endcase

    c.touch = zw ? {touch[3:2], 2'b00, touch[1:0], 2'b00} : {2'b00, touch[3:2], 2'b00, touch[1:0]};
    bits1 = bits_of(c.touch[7:4]);
    bits0 = bits_of(c.touch[3:0]);
    c.value1 = {yw1, 1'b0, xz1[YWidth-1:0], yw1, xz1} & bits1;
    c.value0 = {yw0, 1'b0, xz0[YWidth-1:0], yw0, xz0} & bits0;
    c.write1 = add ? '0 : bits1;
    c.write0 = add ? '0 : bits0;
    c.reload1 = reload ? bits1 : '0;
    c.reload0 = reload ? bits0 : '0;

    decode.known = known;
    decode.x_override = x_override;
    decode.empty = word[SETADC_TARGET_MSB:SETADC_TARGET_LSB] == 3'd0
                   || (masked && word[SETADCXY_MASK_MSB:SETADCXY_MASK_LSB] == 4'd0);
    decode.sets = set_override == 2'd0 ? Own : one_of_3(set_override - 2'd1);
    decode.command = c;
  endfunction

  assign decoded = decode(word_i);

  assign groups_o = valid_i && decoded.known
    ? groups_of(decoded.sets, word_i[SETADC_TARGET_MSB:SETADC_TARGET_LSB]) : '0;
  assign touch_o = decoded.command.touch;
  assign value1_o = decoded.command.value1;
  assign value0_o = decoded.command.value0;
  assign write1_o = decoded.command.write1;
  assign write0_o = decoded.command.write0;
  assign reload1_o = decoded.command.reload1;
  assign reload0_o = decoded.command.reload0;
  assign fault_illegal_o = valid_i && !decoded.known;
  assign fault_x_override_o = valid_i && decoded.x_override;
  assign fault_empty_o = valid_i && decoded.known && decoded.empty;

endmodule

`default_nettype wire
