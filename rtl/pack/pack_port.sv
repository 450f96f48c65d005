// SPDX-License-Identifier: Apache-2.0
//
// The L1 port of a packer (section 9): which of a sum, a side line and a data entry is accepted.
//
// Latency: combinational from queues and l1_ready_i. Handshake: what is accepted in a cycle is
// taken in it. Reset: none.
`default_nettype none

module pack_port
  import pack_back_pkg::*;
  import pack_pkg::*;
#(
  parameter int Slots   = 1,
  parameter int Width   = 128,  // Slots lines
  parameter int L1Lines = 93696
) (
  input  wire logic             l1_ready_i,
  input  wire logic             accumulate_i,  // data entries are added to what is in L1
  // line queues
  input  wire logic             data_valid_i,
  input  wire span_t            span_i,
  input  wire logic [Width-1:0] data_i,
  output wire logic             take_data_o,
  input  wire logic             side_valid_i,
  input  wire side_t            side_i,
  output wire logic             take_side_o,
  // accumulation
  input  wire logic             room_i,
  input  wire logic             overlap_i,
  input  wire logic             none_i,
  input  wire logic             sum_valid_i,
  input  wire span_t            sum_span_i,
  input  wire logic [Width-1:0] sum_i,
  output wire logic             read_o,
  output wire logic             write_back_o,
  // L1
  output wire logic [Slots-1:0]    write_valid_o,
  output wire logic [17*Slots-1:0] write_line_o,
  output wire logic [2*Slots-1:0]  write_kind_o,
  output wire logic [Width-1:0]    write_data_o,
  output wire logic [3:0]       fault_o  // l1_range, exp_overlap, rsi_overflow, rows, from bit 0
);

  localparam logic [17:0] Lines = 18'(L1Lines);

  wire logic can_read = data_valid_i && accumulate_i && room_i && !overlap_i;
  wire logic can_write = data_valid_i && !accumulate_i && none_i;
  wire logic sum = l1_ready_i && sum_valid_i;
  wire logic side = l1_ready_i && !sum_valid_i && side_valid_i;
  wire logic beside = Slots != 1 && !span_i.count[3];  // leaves the last slot to a side line
  wire logic write = l1_ready_i && can_write && !sum_valid_i && (!side_valid_i || beside);
  wire logic read = l1_ready_i && can_read && (Slots != 1 || !(sum_valid_i || side_valid_i));

  assign read_o = read;
  assign write_back_o = sum;
  assign take_data_o = read || write;
  assign take_side_o = side;

  wire logic [16:0] line = sum_valid_i ? sum_span_i.line : span_i.line;
  wire logic [3:0] count = sum || write ? (sum_valid_i ? sum_span_i.count : span_i.count) : 4'd0;
  wire logic [Slots-1:0] beyond;

  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    localparam int Last = Slots - 1;
    wire logic mine = s == Last && side;
    assign write_valid_o[s] = mine || count > 4'(s);
    assign write_line_o[17*s+:17] = mine ? side_i.line : line + 17'(s);
    assign write_kind_o[2*s+:2] = !mine ? KindData : side_i.rsi ? KindRsi : KindExponent;
    assign write_data_o[128*s+:128] = mine ? side_i.data : sum_valid_i ? sum_i[128*s+:128]
                                                              : data_i[128*s+:128];
    assign beyond[s] = write_valid_o[s] && {1'b0, write_line_o[17*s+:17]} >= Lines;
  end

  assign fault_o = {side && side_i.rows, side && side_i.rsi && side_i.over,
                    side && !side_i.rsi && side_i.over, beyond != '0};

endmodule

`default_nettype wire
