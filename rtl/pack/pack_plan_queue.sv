// SPDX-License-Identifier: Apache-2.0
//
// The plan queue: instructions that are sampled and have not departed.
//
// Latency: what is sampled in t is at the head from t+1 on. Handshake: ready_o says that one may
// issue: sampling stage and queue hold fewer than three as registered. Reset: empty. masks_o: the
// packers of the instructions in the queue, and in the sampling stage.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_plan_queue
  import pack_pkg::*;
  import pack_plan_pkg::*;
(
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       valid_i,
  input  wire sampled_t   sampled_i,
  output wire logic       ready_o,
  output wire logic       valid_o,
  output wire sampled_t   head_o,
  input  wire logic       departs_i,
  output wire logic [3:0] masks_o
);

  wire logic [$bits(sampled_t)-1:0] oldest;
  logic [1:0] read_q, write_q, count_q;
  // 0 where there is none. Packed: Icarus does not see an array change in cycle 0
  logic [PlanDepth-1:0][3:0] mask_q;

  function automatic logic [1:0] after(input logic [1:0] place);
    after = place == 2'(PlanDepth - 1) ? 2'd0 : place + 2'd1;
  endfunction

  function automatic logic [3:0] mask_of(input sampled_t sampled);
    plan_t plan;

    plan = sampled.plan;
    mask_of = plan.mask;
  endfunction

  assign ready_o = count_q + {1'b0, valid_i} < 2'(PlanDepth);
  assign valid_o = count_q != 2'd0;
  assign head_o = oldest;
  assign masks_o = mask_q[0] | mask_q[1] | mask_q[2] | (valid_i ? mask_of(sampled_i) : 4'd0);

  wire logic [1:0] next_read = departs_i ? after(read_q) : read_q;

  memory_queue #(.Width($bits(sampled_t)), .Depth(PlanDepth)) u_queue (
    .clk_i, .write_valid_i(valid_i), .write_address_i(write_q), .write_data_i(sampled_i),
    .read_valid_i(1'b1), .read_address_i(next_read), .read_data_o(oldest)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      write_q <= '0;
      count_q <= '0;
      mask_q <= '0;
    end else begin
      if (valid_i) write_q <= after(write_q);
      read_q <= next_read;
      count_q <= count_q + {1'b0, valid_i} - {1'b0, departs_i};
      for (int i = 0; i < PlanDepth; i++) begin
        if (valid_i && write_q == 2'(i)) mask_q[i] <= mask_of(sampled_i);
        else if (departs_i && read_q == 2'(i)) mask_q[i] <= '0;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (valid_i && count_q == 2'(PlanDepth)) $fatal(1, "pack_plan_queue: a fourth instruction");
    if (departs_i && !valid_o) $fatal(1, "pack_plan_queue: none is there to depart");
  end
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
