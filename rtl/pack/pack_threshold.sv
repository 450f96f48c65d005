// SPDX-License-Identifier: Apache-2.0
//
// Exponent threshold (P27): a datum whose exponent is below it becomes +0, which a flag beside it
// says until late conversion. Also the exponents of the same values for the histogram.
//
// Latency: combinational. Handshake: none. Reset: none.
`default_nettype none

module pack_threshold
  import pack_lane_pkg::*;
(
  input wire threshold_t   control_i,
  input wire exponent_t    exponent_i,
  input wire values_t      values_i,
  output wire logic [127:0] exponent_o,  // 8 bits a column
  output wire logic [15:0] below_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [7:0] exponent_of(input logic [31:16] value, input exponent_t control);
    exponent_t how;

    how = control;
    if (how.e5) exponent_of = {3'd0, value[30:26]};
    else if (how.int16) exponent_of = value[23:16];
    else if (how.int8) exponent_of = value[31:24];
    else exponent_of = value[30:23];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic logic below(input logic [30:23] exponent, input threshold_t control);
    threshold_t how;

    how = control;
    below = (how.on8 || how.on5)
            && less(how.on5 ? {3'd0, exponent[30:26]} : exponent, how.threshold);
  endfunction

  for (genvar c = 0; c < Columns; c++) begin : gen_column
    assign exponent_o[8*c+:8] = exponent_of(values_i[c][31:16], exponent_i);
    assign below_o[c] = below(values_i[c][30:23], control_i);
  end

endmodule

`default_nettype wire
