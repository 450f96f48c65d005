// SPDX-License-Identifier: Apache-2.0
//
// Late conversion to Out_data_format (P28, P57), of BFP to its precursor; zero flags before it
// (P44). What lies behind the count is 0.
//
// Latency: one cycle. Handshake: none, rigid; the row stays without valid_i. Reset: none.
`default_nettype none

module pack_late
  import pack_pkg::*, pack_lane_pkg::*;
(
  input wire logic       clk_i,
  input wire logic       valid_i,
  input wire late_t      control_i,
  input wire values_t    values_i,
  input wire logic [15:0] below_i,    // the exponent is below the threshold: +0
  input wire logic [4:0] count_i,
  output wire row_t      row_o
);

  function automatic logic [7:0] e4m3_of(input logic [15:7] x);
    logic below, above;

    below = x[14:13] == 2'd0 || x[14:10] == 5'd8;
    above = x[14:13] == 2'd3;
    e4m3_of = {x[15], {x[14], x[12:7]} & {7{!below}} | {7{above}}};
  endfunction

  function automatic logic [31:0] element_of(input logic [31:0] value, input logic present,
                                             input late_t control);
    late_t how;
    logic [31:0] wide;
    logic [15:0] half;
    logic [7:0] octet;
    logic zero, shown;

    how = control;
    wide = value;
    if (how.widen) wide = {value[31],
                           {value[30], {3{!value[30]}}, value[29:26]} & {8{value[30:26] != '0}},
                           value[25:16], 13'd0};
    half = how.narrow ? narrowed(value[31:13]) : wide[31:16];
    octet = how.as_e4m3 ? e4m3_of(half[15:7]) : half[15:8];
    zero = half[14:10] == '0 && (how.flush5 || how.flush8 && half[9:7] == '0);
    shown = present && !zero;
    element_of[31:16] = wide[31:16] & {16{shown && how.size32}};
    element_of[15:8] = (how.as_word ? wide[15:8] : half[15:8]) & {8{shown && !how.size8}};
    element_of[7:0] = (how.as_word ? wide[7:0] : how.as_byte ? octet : half[7:0])
                      & {{5{shown}}, {3{shown && !how.m7}}};
  endfunction

  logic [15:0] present, zero_q;
  logic [4:0] count_q;
  values_t elements_q;

  assign present = ~(16'hffff << count_i);
  assign row_o.element = elements_q;
  assign row_o.zero = zero_q;
  assign row_o.count = count_q;

  always_ff @(posedge clk_i)
    if (valid_i) begin
      count_q <= count_i;
      for (int i = 0; i < Columns; i++) begin
        elements_q[i] <= element_of(values_i[i], present[i] && !below_i[i], control_i);
        zero_q[i] <= present[i] && (below_i[i] || values_i[i] == '0);
      end
    end

endmodule

`default_nettype wire
