// SPDX-License-Identifier: Apache-2.0
//
// Masks and address of a step (docs/unpack.md section 5.5): which of its slots write, and where.
//
// Latency: combinational. Handshake: none; all outputs are 0 without valid_i. Slots behind the
// dropped ones have out_addr_i, out_addr_i + 1, ...
`default_nettype none

module unp_mask
  import unpack_step_pkg::*;
#(
  parameter int Unpacker = 0
) (
  input  wire logic                 valid_i,
  input  wire logic [SlotCount-1:0] written_i,    // as far as the items go
  input  wire logic [5:0]           dropped_i,    // so many slots, at the front
  input  wire logic [31:0]          out_addr_i,
  input  wire logic                 to_dst_i,
  input  wire logic                 set_ovrd_i,
  input  wire logic [3:0]           col_shift_i,
  input  wire logic [5:0]           src_row_i,
  output wire logic [SlotCount-1:0] mask_o,
  output wire logic [13:0]          address_o,    // of slot 0
  output wire logic                 fault_row_o   // of SrcA (unpacker 0) or SrcB
);

  localparam logic [SlotCount-1:0] Ones = '1;

  // Slots whose address, modulo 2^32, is below 64: they are at the front, or behind the overflow.
  function automatic logic [SlotCount-1:0] header(input logic [31:0] out);
    header = '0;
    if (out[31:6] == 26'd0) header = ~(Ones << (8'd64 - {2'd0, out[5:0]}));
    else if (out[31:7] == '1)
      header = {64'd0, 64'hffff_ffff_ffff_ffff} << (8'd128 - {1'b0, out[6:0]});
  endfunction

  // Slots whose column is below `shift`.
  function automatic logic [SlotCount-1:0] left_of(input logic [3:0] column,
                                                   input logic [3:0] shift);
    left_of = {8{16'({2{~(16'hffff << shift)}} >> column)}};
  endfunction

  // Slots whose address is at least `least`, which is above 127.
  function automatic logic [SlotCount-1:0] from(input logic [31:0] out, input logic [10:0] least);
    logic [31:0] more;

    more = {21'd0, least} - out;
    from = '0;
    if (out[31:7] == '1) from = ~(Ones << (8'd128 - {1'b0, out[6:0]}));
    else if (out >= {21'd0, least}) from = Ones;
    else if (more < 32'd128) from = Ones << more[6:0];
  endfunction

  // {row fault, address, mask}
  function automatic logic [SlotCount+14:0] step(
      input logic valid, input logic [SlotCount-1:0] written, input logic [5:0] dropped,
      input logic [31:0] out, input logic to_dst, input logic set_ovrd,
      input logic [3:0] col_shift, input logic [5:0] src_row);
    logic [SlotCount-1:0] mask;
    logic [13:0] address;
    logic fault;

    step = '0;
    if (valid) begin
      mask = written;
      fault = 1'b0;
      address = out[13:0] - {8'd0, dropped};
      if (Unpacker == 1) begin
        address = address + {4'd0, src_row, 4'd0};
        fault = |(mask & (from(out, 11'd1024 - {1'b0, src_row, 4'd0}) << dropped));
      end else if (to_dst) begin
        address = address - 14'd64;
      end else begin
        mask = mask & ~((header(out) | left_of(out[3:0], col_shift)) << dropped);
        address = address - 14'd64 - {10'd0, col_shift} + {4'd0, src_row, 4'd0};
        fault = !set_ovrd && |(mask & (from(out, 11'd320) << dropped));
      end
      if (!to_dst) address = {4'd0, address[9:0]};
      else if (set_ovrd) address = {6'd0, address[7:0]};
      step = {fault, address, mask};
    end
  endfunction

  wire logic [SlotCount+14:0] all = step(valid_i, written_i, dropped_i, out_addr_i, to_dst_i,
                                         set_ovrd_i, col_shift_i, src_row_i);

  assign mask_o = all[SlotCount-1:0];
  assign address_o = all[SlotCount+:14];
  assign fault_row_o = all[SlotCount+14];

endmodule

`default_nettype wire
