// SPDX-License-Identifier: Apache-2.0
//
// Sums of FP16 and BF16, lane by lane, for L1 accumulation; pack_add_pkg has the stages.
//
// Latency: summands of c have their sum out in c+4. Handshake: none; valid_i[k] says that there
// is something in the stage k cycles behind the summands. Reset: none.
`default_nettype none

module pack_add16
  import pack_add_pkg::*;
#(
  parameter int Lanes = 8,
  parameter int Quirk = 1   // FP16_ACC_QUIRK (P62)
) (
  input  wire logic                clk_i,
  input  wire logic [4:0]          valid_i,
  input  wire logic                bf_i,  // BF16, else FP16
  input  wire logic [16*Lanes-1:0] l1_i,
  input  wire logic [16*Lanes-1:0] datum_i,
  output wire logic [16*Lanes-1:0] sum_o
);

  logic [$bits(ordered16_t)-1:0] ordered_q[Lanes];
  logic [$bits(aligned16_t)-1:0] aligned_q[Lanes];
  logic [$bits(sum16_t)-1:0] sum_q[Lanes];
  logic [$bits(normal16_t)-1:0] normal_q[Lanes];

  always_ff @(posedge clk_i) begin
    for (int n = 0; n < Lanes; n++) begin
      if (valid_i[0]) ordered_q[n] <= order16(l1_i[16*n+:16], datum_i[16*n+:16], bf_i);
      if (valid_i[1]) aligned_q[n] <= align16(ordered_q[n]);
      if (valid_i[2]) sum_q[n] <= add16(aligned_q[n]);
      if (valid_i[3]) normal_q[n] <= normalise16(sum_q[n]);
    end
  end

  for (genvar n = 0; n < Lanes; n++) begin : gen_lane
    assign sum_o[16*n+:16] = valid_i[4] ? round16(normal_q[n], bf_i, Quirk != 0) : 16'd0;
  end

endmodule

`default_nettype wire
