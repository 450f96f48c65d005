// SPDX-License-Identifier: Apache-2.0
//
// The word at a thread's issue port, as a command.
//
// Latency: combinational. Handshake: none, a word is taken in the cycle in which it is there.
// groups_o: the groups that the command goes to, 0 when there is none. Faults are up in the cycle
// of the word. Positions of fields that instructions have in common go
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
  output wire command_t             command_o,
  output wire logic                    fault_illegal_o,
  output wire logic                    fault_x_override_o,
  output wire logic                    fault_empty_o
);

  localparam logic [2:0] Own = 3'b001 << Thread;
  localparam int XyWidth = XWidth + YWidth + 2;
  localparam logic [ChannelWidth-1:0] Zw = {{(ChannelWidth - XyWidth) {1'b1}}, {XyWidth{1'b0}}};

  typedef struct packed {
    logic                  illegal;
    logic                  x_override;
    logic                  empty;
    logic [GroupCount-1:0] groups;
    command_t              command;
  } decoded_t;

  decoded_t decoded;

  function automatic decoded_t decode(input logic [31:0] word);
    logic masked, zw, add, reload;
    logic [1:0] set_override;
    logic [2:0] target, set;
    logic [3:0] mask, touch;  // of X and Y, or of Z and W: {Y1, X1, Y0, X0}
    logic [XWidth:0] xz0, xz1;
    logic [YWidth:0] yw0, yw1;
    logic [ChannelWidth-1:0] bits0, bits1;

    decode = '0;
    masked = 1'b0;
    zw = 1'b0;
    add = 1'b0;
    reload = 1'b0;
    target = word[SETADC_TARGET_MSB:SETADC_TARGET_LSB];
    set_override = word[SETADCXY_THREAD_OVERRIDE_MSB:SETADCXY_THREAD_OVERRIDE_LSB];
    mask = word[SETADCXY_MASK_MSB:SETADCXY_MASK_LSB];
    touch = mask;
    yw1 = (YWidth + 1)'(word[SETADCXY_Y1_VAL_MSB:SETADCXY_Y1_VAL_LSB]);
    xz1 = (XWidth + 1)'(word[SETADCXY_X1_VAL_MSB:SETADCXY_X1_VAL_LSB]);
    yw0 = (YWidth + 1)'(word[SETADCXY_Y0_VAL_MSB:SETADCXY_Y0_VAL_LSB]);
    xz0 = (XWidth + 1)'(word[SETADCXY_X0_VAL_MSB:SETADCXY_X0_VAL_LSB]);
    case (word[31:24])
      OP_SETADC: begin
        // the override is part of the value, and X takes it as such all the same (A2)
        set_override = word[SETADC_THREAD_OVERRIDE_MSB:SETADC_THREAD_OVERRIDE_LSB];
        decode.x_override = word[SETADC_XYZW_MSB:SETADC_XYZW_LSB] == 2'd0 && set_override != 2'd0;
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
      default: decode.illegal = 1'b1;
    endcase

    decode.empty = !decode.illegal && (target == 3'd0 || (masked && mask == 4'd0));
    set = set_override == 2'd0 ? Own : 3'b001 << (set_override - 2'd1);
    if (!decode.illegal) decode.groups = groups_of(set, target);
    bits1 = {{(YWidth + 1) {touch[3]}}, {(YWidth + 1) {touch[2]}},
             {(YWidth + 1) {touch[3]}}, {(XWidth + 1) {touch[2]}}};
    bits0 = {{(YWidth + 1) {touch[1]}}, {(YWidth + 1) {touch[0]}},
             {(YWidth + 1) {touch[1]}}, {(XWidth + 1) {touch[0]}}};
    if (zw) begin
      decode.command.touch = {touch[3:2], 2'b00, touch[1:0], 2'b00};
      bits1 = bits1 & Zw;
      bits0 = bits0 & Zw;
    end else begin
      decode.command.touch = {2'b00, touch[3:2], 2'b00, touch[1:0]};
      bits1 = bits1 & ~Zw;
      bits0 = bits0 & ~Zw;
    end
    decode.command.change1.value = {yw1, 1'b0, xz1[YWidth-1:0], yw1, xz1} & bits1;
    decode.command.change0.value = {yw0, 1'b0, xz0[YWidth-1:0], yw0, xz0} & bits0;
    if (!add) begin
      decode.command.change1.write = bits1;
      decode.command.change0.write = bits0;
    end
    if (reload) begin
      decode.command.change1.reload = bits1;
      decode.command.change0.reload = bits0;
    end
  endfunction

  assign decoded = decode(word_i);

  assign groups_o = valid_i ? decoded.groups : '0;
  assign command_o = decoded.command;
  assign fault_illegal_o = valid_i && decoded.illegal;
  assign fault_x_override_o = valid_i && decoded.x_override;
  assign fault_empty_o = valid_i && decoded.empty;

endmodule

`default_nettype wire
