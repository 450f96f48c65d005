// SPDX-License-Identifier: Apache-2.0
//
// Groups that have a counter which two or more commands of the cycle touch (A13).
//
// Latency: combinational. Element by element the groups that a command goes to, and what it touches
// in each of them: {W1, Z1, Y1, X1, W0, Z0, Y0, X0}.
`default_nettype none

module adc_conflict
  import adc_pkg::*;
(
  input  wire logic [GroupCount-1:0] groups_i [WriterCount],
  input  wire logic [7:0]            touch_i [WriterCount],
  output wire logic [GroupCount-1:0] conflict_o
);

  wire logic [GroupCount-1:0] with_earlier [WriterCount];

  // each command with each one before it
  for (genvar a = 0; a < WriterCount; a++) begin : gen_writer
    wire logic [GroupCount-1:0] with_first [a+1];  // with the first b commands

    assign with_first[0] = '0;
    for (genvar b = 0; b < a; b++) begin : gen_earlier
      assign with_first[b+1]
        = with_first[b] | (|(touch_i[a] & touch_i[b]) ? groups_i[a] & groups_i[b] : '0);
    end
    assign with_earlier[a] = with_first[a];
  end

  assign conflict_o = with_earlier[1] | with_earlier[2] | with_earlier[3] | with_earlier[4]
                      | with_earlier[5];

endmodule

`default_nettype wire
