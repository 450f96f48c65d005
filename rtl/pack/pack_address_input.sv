// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycles 3 and 4, input side of a packer: where its datums are (P10, P16), how
// many it takes, and what is wrong with that (section 10 of docs/pack.md).
//
// Latency: sums_i of cycle 3 are in located_o in cycle 5. Handshake: none. Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_address_input
  import tilepath_isa_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
#(
  parameter int Packer = 0,
  parameter int Packers = 4,
  parameter int Mask0 = 1,
  parameter int BhFields = 0
) (
  input  wire logic       clk_i,
  input  wire logic       valid_i,
  input  wire plan_t      plan_i,
  input  wire sums_t      sums_i,
  input  wire logic [1:0] from_i,       // low bits of FROM
  input  wire logic       source_l1_i,
  output wire located_t   located_o
);

  localparam logic Several = Packers == 1;  // lanes

  // between the two cycles
  typedef struct packed {
    logic [1:0]            source;
    logic [3:0]            lanes;
    logic                  strided;
    logic                  spread;
    logic [10:0]           datums;
    logic [13:0]           datum;    // the first, in Dst
    logic [16:0]           line;
    logic [3:0]            column;   // in the line
    logic [FaultWidth-1:0] flags;
  } place_t;

  place_t place_q;
  logic valid_q;
  located_t located_q;

  assign located_o = located_q;

  // A stride that is no multiple of the datum.
  function automatic logic uneven(input logic [1:0] low, input logic [1:0] from);
    uneven = from[1] ? 1'b0 : from[0] ? low[0] : low != 2'd0;
  endfunction

  function automatic logic [FaultWidth-1:0] flags_of(
      input plan_t plan, input fields_t fields, input sums_t sums, input logic [1:0] from,
      input logic of_dst, input logic of_l1, input logic strided);
    logic [3:0] x_stride;
    logic [4:0] datum_bytes;

    flags_of = '0;
    x_stride = plan.strides0.x[3:0];
    datum_bytes = 5'd1 << bytes_log2(from);
    flags_of[FaultAlign] = of_dst && sums.low != 4'd0;
    flags_of[FaultStride] = uneven(plan.strides0.y[1:0], from)
      || uneven(plan.strides0.z[1:0], from) || uneven(plan.strides0.w[1:0], from)
      || x_stride != 4'd0 && {1'b0, x_stride} != datum_bytes;
    flags_of[FaultCounters] = fields.ignored_counter;
    flags_of[FaultL1Source] = Packer == 0
      ? of_l1 && plan.l1_source != 8'd0 && sums.bytes[31:13] != 19'd0 : fields.source_l1;
    flags_of[FaultStrided] = of_dst && strided && plan.unstrided;
    flags_of[FaultLimitFifo] = fields.limit != 17'd0 && fields.fifo == 17'd0;
  endfunction

  // The first datum: what is before its 16 bytes, its place in them, and the offset of 16 datums.
  function automatic logic [13:0] datum_of(input logic [15:0] bytes, input logic [3:0] x,
                                           input logic [1:0] from, input logic [9:0] offset);
    logic [13:0] start;

    if (from[1]) start = {bytes[13:4], x};
    else start = from[0] ? {bytes[14:4], x[2:0]} : {bytes[15:4], x[1:0]};
    datum_of = {start[13:4] + offset, start[3:0]};
  endfunction

  function automatic place_t place_of(input plan_t plan, input sums_t sums, input fields_t fields,
                                      input logic [1:0] from, input logic l1);
    logic [3:0] selected;

    selected = plan.word[PACR_READ_INTF_SEL_MSB:PACR_READ_INTF_SEL_LSB];
    if (plan.word[PACR_FLUSH_LSB] || plan.word[PACR_ZERO_WRITE_LSB]) place_of.source = SourceNull;
    else place_of.source = l1 ? SourceL1 : SourceDst;
    if (!Several || place_of.source == SourceL1) place_of.lanes = 4'b0001;
    else place_of.lanes = selected == 4'd0 ? 4'(Mask0) : selected;
    place_of.strided = Several && BhFields == 1 && plan.word[PACR_DST_ACCESS_MODE_LSB];
    place_of.spread = sums.spread;
    place_of.datums = sums.datums;
    place_of.datum = datum_of(sums.bytes[15:0], plan.counters0.x[3:0], from,
                              fields.dst_offset[9:0]);
    place_of.line = {plan.l1_source[2:0], sums.bytes[17:4]};
    place_of.column = plan.counters0.x[3:0] & x_mask(from);
    place_of.flags = flags_of(plan, fields, sums, from, place_of.source == SourceDst, l1,
                              place_of.strided);
  endfunction

  // Whether the row of some enabled lane is beyond the last, from the highest one's.
  function automatic logic beyond(input logic [9:0] row, input logic [3:0] lanes,
                                  input logic strided);
    logic [1:0] highest;
    logic [10:0] last;

    highest = lanes[3] ? 2'd3 : lanes[2] ? 2'd2 : {1'b0, lanes[1]};
    last = {1'b0, row} + (strided ? {5'd0, highest, 4'd0} : {9'd0, highest});
    beyond = last[10];
  endfunction

  function automatic located_t located_of(input place_t place);
    logic of_dst;
    logic [4:0] room;
    logic [10:0] most;
    logic [14:0] behind;
    logic [6:0] group;

    of_dst = place.source == SourceDst;
    room = 5'd16 - {1'b0, place.datum[3:0]};
    most = of_dst ? {6'd0, room} : 11'd16;
    behind = {1'b0, place.datum} + {4'd0, place.datums};
    group = {3'd0, place.lanes} << place.datum[5:4];
    located_of = '0;
    located_of.source = place.source;
    located_of.lanes = place.lanes;
    located_of.strided = place.strided;
    located_of.spread = place.spread;
    located_of.count
      = Several && !place.spread && place.datums > most ? most : place.datums;
    located_of.row = place.datum[13:4];
    located_of.column = of_dst ? place.datum[3:0] : place.source == SourceL1 ? place.column : 4'd0;
    located_of.line = place.line;
    located_of.flags = place.flags;
    if (of_dst && Several) begin
      located_of.flags[FaultRowEnd] = place.datums > {6'd0, room};
      located_of.flags[FaultWrap]
        = place.datums != 11'd0 && beyond(place.datum[13:4], place.lanes, place.strided);
      located_of.flags[FaultIntfGroup] = !place.strided && group[6:4] != 3'd0;
    end else if (of_dst) begin
      located_of.flags[FaultWrap] = behind[14] && behind[13:0] != 14'd0;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i)
      place_q <= place_of(plan_i, sums_i, plan_i.fields[Packer], from_i, source_l1_i);
    if (valid_q) located_q <= located_of(place_q);
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
