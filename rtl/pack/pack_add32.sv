// SPDX-License-Identifier: Apache-2.0
//
// Sums of FP32 and INT32, lane by lane, for L1 accumulation, and of FP16 and BF16 in the upper
// halves of the lanes; pack_add_pkg has the stages.
//
// Latency: summands of c have their sum out in c+4. Handshake: none; valid_i[k] says that there
// is something in the stage k cycles behind the summands. Reset: none.
`default_nettype none

module pack_add32
  import pack_add_pkg::*;
#(
  parameter int Lanes = 4,
  parameter int Quirk = 1   // FP16_ACC_QUIRK (P62)
) (
  input  wire logic                clk_i,
  input  wire logic [4:0]          valid_i,
  input  wire format_t             format_i,
  input  wire logic [32*Lanes-1:0] l1_i,
  input  wire logic [32*Lanes-1:0] datum_i,
  output wire logic [32*Lanes-1:0] sum_o
);

  logic [$bits(ordered32_t)-1:0] ordered_q[Lanes];
  logic [$bits(aligned32_t)-1:0] aligned_q[Lanes];
  logic [$bits(sum32_t)-1:0] sum_q[Lanes];
  logic [$bits(normal32_t)-1:0] normal_q[Lanes];

  always_ff @(posedge clk_i) begin
    for (int n = 0; n < Lanes; n++) begin
      if (valid_i[0]) ordered_q[n] <= order32(l1_i[32*n+:32], datum_i[32*n+:32], format_i);
      if (valid_i[1]) aligned_q[n] <= align32(ordered_q[n]);
      if (valid_i[2]) sum_q[n] <= add32(aligned_q[n]);
      if (valid_i[3]) normal_q[n] <= normalise32(sum_q[n], format_i.integers);
    end
  end

  for (genvar n = 0; n < Lanes; n++) begin : gen_lane
    assign sum_o[32*n+:32] = valid_i[4] ? round32(normal_q[n], format_i, Quirk != 0) : 32'd0;
  end

endmodule

`default_nettype wire
