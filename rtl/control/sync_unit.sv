// SPDX-License-Identifier: Apache-2.0
//
// Sync unit: eight semaphores and the mutexes 0, 2, 3, 4.
//
// Latency: SEMINIT, SEMPOST, SEMGET and a core's post or get that win in t act at the end of t+1; a
// core's write is done in t+1, its read in the cycle in which it is offered. Mutexes change at the
// end of the cycle in which ATGETM or ATRELM issues.
// Handshake: at most one of issue_i.valid and risc_grant_i; waits that issue change nothing here.
// Reset: semaphores 0, mutexes free. Decisions C20, C23, C26; docs/control.md section 5.
`default_nettype none

module sync_unit
  import tilepath_isa_pkg::*;
  import control_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire issued_t      issue_i,
  // port of the cores: a write asks with risc_request_o, and acts in the cycle after risc_grant_i
  input wire logic         risc_valid_i,
  input wire logic         risc_write_i,
  input wire logic [2:0]   risc_index_i,
  input wire logic         risc_get_i,
  output wire logic        risc_request_o,
  input wire logic         risc_grant_i,
  output wire logic        risc_done_o,
  output wire logic [3:0]  risc_data_o,
  output wire logic        risc_lost_o,  // what is done now changes nothing
  // mutexes: who takes which one (one-hot), and what the threads release; bit m is of mutex m
  input wire logic [2:0]   take_i [4],
  input wire logic         release_i [3],
  input wire logic [1:0]   mutex_i [3],
  output wire logic [3:0]  free_o,
  output wire logic [3:0]  owned_o [3],
  // state; 3 bits a mutex, the lowest one "held"
  output wire semaphores_t semaphores_o,
  output wire logic [7:0]  zero_o,   // those that are 0, or 15, in the next cycle
  output wire logic [7:0]  full_o,
  output wire logic [11:0] mutexes_o
);

  typedef enum logic [1:0] {Init = 2'd0, Post = 2'd1, Get = 2'd2} sem_op_e;

  // ---- semaphores
  wire logic [9:0] unused_issue = {issue_i.thread, issue_i.word[15:10], issue_i.word[1:0]};
  logic [31:0] value_q, max_q;
  logic valid_q, risc_q;  // what acts now; it is a core's
  sem_op_e op_q;
  logic [7:0] mask_q;
  logic [3:0] init_value_q, init_max_q;

  assign semaphores_o = {max_q, value_q};
  assign risc_request_o = risc_valid_i && risc_write_i && !risc_q;
  assign risc_done_o = risc_q || (risc_valid_i && !risc_write_i);
  assign risc_data_o = risc_write_i ? 4'd0 : value_q[4*risc_index_i+:4];
  assign risc_lost_o = risc_q && value_q[4*risc_index_i+:4] == (op_q == Get ? 4'd0 : 4'd15);

  for (genvar i = 0; i < 8; i++) begin : gen_limits
    wire logic [3:0] value = value_q[4*i+:4];
    wire logic acts = valid_q && mask_q[i];

    assign zero_o[i] = !acts ? value == 4'd0 : op_q == Init ? init_value_q == 4'd0
                                             : op_q == Get && value <= 4'd1;
    assign full_o[i] = !acts ? value == 4'd15 : op_q == Init ? init_value_q == 4'd15
                                              : op_q == Post && value >= 4'd14;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_q <= '0;
      max_q <= '0;
      valid_q <= 1'b0;
      risc_q <= 1'b0;
      op_q <= Init;
      mask_q <= '0;
      init_value_q <= '0;
      init_max_q <= '0;
    end else begin
      risc_q <= risc_grant_i;
      valid_q <= risc_grant_i;
      if (risc_grant_i) begin
        op_q <= risc_get_i ? Get : Post;
        mask_q <= 8'd1 << risc_index_i;
      end else if (issue_i.valid) begin
        case (issue_i.word[31:24])
          OP_SEMINIT: {valid_q, op_q} <= {1'b1, Init};
          OP_SEMPOST: {valid_q, op_q} <= {1'b1, Post};
          OP_SEMGET: {valid_q, op_q} <= {1'b1, Get};
          default: valid_q <= 1'b0;
        endcase
        mask_q <= issue_i.word[SEMINIT_SEM_MASK_MSB:SEMINIT_SEM_MASK_LSB];
        init_value_q <= issue_i.word[SEMINIT_VALUE_MSB:SEMINIT_VALUE_LSB];
        init_max_q <= issue_i.word[SEMINIT_MAX_MSB:SEMINIT_MAX_LSB];
      end
      if (valid_q) begin
        for (int i = 0; i < 8; i++) begin
          if (mask_q[i]) begin
            if (op_q == Init) begin
              value_q[4*i+:4] <= init_value_q;
              max_q[4*i+:4] <= init_max_q;
            end else if (op_q == Post) begin
              if (value_q[4*i+:4] != 4'd15) value_q[4*i+:4] <= value_q[4*i+:4] + 4'd1;
            end else begin
              if (value_q[4*i+:4] != 4'd0) value_q[4*i+:4] <= value_q[4*i+:4] - 4'd1;
            end
          end
        end
      end
    end
  end

  // ---- mutexes
  logic [3:0] held_q;
  logic [7:0] holder_q;  // 2 bits each, 0 while free
  wire logic takes = (take_i[0] | take_i[1] | take_i[2] | take_i[3]) != 3'd0;
  wire logic releases = release_i[0] || release_i[1] || release_i[2];

  assign free_o = ~held_q;
  assign mutexes_o = {holder_q[7:6], held_q[3], holder_q[5:4], held_q[2],
                      holder_q[3:2], held_q[1], holder_q[1:0], held_q[0]};
  for (genvar t = 0; t < 3; t++) begin : gen_owned
    assign owned_o[t] = {held_q[3] && holder_q[7:6] == 2'(t), held_q[2] && holder_q[5:4] == 2'(t),
                         held_q[1] && holder_q[3:2] == 2'(t), held_q[0] && holder_q[1:0] == 2'(t)};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= '0;
      holder_q <= '0;
    end else begin
      if (releases) begin
        for (int t = 0; t < 3; t++) begin
          if (release_i[t]) begin
            held_q[mutex_i[t]] <= 1'b0;
            holder_q[2*mutex_i[t]+:2] <= 2'd0;
          end
        end
      end
      if (takes) begin
        for (int m = 0; m < 4; m++) begin
          if (take_i[m] != 3'd0) begin
            held_q[m] <= 1'b1;
            holder_q[2*m+:2] <= take_i[m][2:1];  // one-hot to number
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (risc_grant_i) begin
      if (issue_i.valid) $fatal(1, "sync_unit: two issue at once");
    end
    if (risc_q) begin
      if (!(risc_valid_i && risc_write_i)) $fatal(1, "sync_unit: a write was withdrawn");
    end
    if (releases) begin
      for (int t = 0; t < 3; t++) begin
        if (release_i[t] && !owned_o[t][mutex_i[t]])
          $fatal(1, "sync_unit: thread %0d releases a mutex that it does not hold", t);
      end
    end
    if (takes) begin
      for (int m = 0; m < 4; m++) begin
        if (take_i[m] != 3'd0 && held_q[m] && take_i[m] != 3'd1 << holder_q[2*m+:2])
          $fatal(1, "sync_unit: a mutex is taken that another thread holds");
      end
    end
  end
`endif

endmodule

`default_nettype wire
