// SPDX-License-Identifier: Apache-2.0
//
// What instructions leave behind in one unpacker: the Src bank that is filled, and of each thread a
// row to start from and a context (section 6 of docs/unpack.md).
//
// Latency: updates show in the cycle after. Handshake: none. Reset: 0. At most one instruction a
// cycle. src_bank_q, src_row_q[t] and context_q[t] are what the bench observes.
`default_nettype none

module unpack_pointers (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  // an instruction that is sampled
  input  wire logic [1:0]  thread_i,
  input  wire logic        context_i,        // the context goes on from context_value_i
  input  wire logic [2:0]  context_value_i,
  input  wire logic [1:0]  context_count_i,  // log2
  input  wire logic        flip_i,           // bank and row: the bank is handed over
  input  wire logic        advance_i,        // row: Unpack_Src_Reg_Set_Upd
  input  wire logic [1:0]  base_i,           // SRCA_SET_Base, SRCB_SET_Base
  // SETC16 of a thread clears its context
  input  wire logic [2:0]  clear_i,
  output wire logic        bank_o,
  input  wire logic [1:0]  read_thread_i,
  output wire logic [5:0]  row_o,            // of read_thread_i
  output wire logic [2:0]  context_o         // of read_thread_i
);

  function automatic logic [2:0] next_context(input logic [2:0] number, input logic [1:0] count);
    logic [2:0] next;

    next = number + 3'd1;
    next_context = {1'b0, next} < 4'd1 << count ? next : 3'd0;
  endfunction

  logic src_bank_q;
  logic [2:0][5:0] src_row_q;
  logic [2:0][2:0] context_q;

  assign bank_o = src_bank_q;
  assign row_o
    = read_thread_i[1] ? src_row_q[2] : read_thread_i[0] ? src_row_q[1] : src_row_q[0];
  assign context_o
    = read_thread_i[1] ? context_q[2] : read_thread_i[0] ? context_q[1] : context_q[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      src_bank_q <= 1'b0;
      for (int t = 0; t < 3; t++) begin
        src_row_q[t] <= '0;
        context_q[t] <= '0;
      end
    end else begin
      if (flip_i) src_bank_q <= !src_bank_q;
      for (int t = 0; t < 3; t++) begin
        if (thread_i == 2'(t)) begin
          if (flip_i) src_row_q[t] <= {base_i, 4'd0};
          else if (advance_i) src_row_q[t] <= src_row_q[t] + 6'd16 + {base_i, 4'd0};
          if (context_i) context_q[t] <= next_context(context_value_i, context_count_i);
        end
        if (clear_i[t]) context_q[t] <= '0;
      end
    end
  end

endmodule

`default_nettype wire
