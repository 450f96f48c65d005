// SPDX-License-Identifier: Apache-2.0
//
// Threads that have an entry in the beat buffer, or one whose writes are on their way.
//
// Latency: from the cycle of in_i on, to WRITE cycles after that of out_i. Handshake: none.
// Reset: none busy.
`default_nettype none

module unpack_write_busy
  import unpack_pkg::*;
(
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       in_i,
  input  wire logic [1:0] in_thread_i,
  input  wire logic       out_i,
  input  wire logic [1:0] out_thread_i,
  output wire logic [2:0] busy_o
);

  logic [WriteLatency-1:0] out_q;
  logic [WriteLatency-1:0][1:0] thread_q;

  always_ff @(posedge clk_i) thread_q <= {thread_q[WriteLatency-2:0], out_thread_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_q <= '0;
    else out_q <= {out_q[WriteLatency-2:0], out_i};
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic [5:0] count_q;
    wire logic more = in_i && in_thread_i == 2'(t);
    wire logic less = out_q[WriteLatency-1] && thread_q[WriteLatency-1] == 2'(t);

    assign busy_o[t] = more || count_q != 6'd0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (more != less) count_q <= more ? count_q + 6'd1 : count_q - 6'd1;
    end
  end

endmodule

`default_nettype wire
