// SPDX-License-Identifier: Apache-2.0
//
// A core's transfer of one slot, a beat at a time: reads run ahead of writes by a credit of 4.
//
// Latency: the first read is offered in the cycle behind load_i; data that returns in cycle c is
// offered as a write from c+1 on. Handshake: what is offered stays until it is accepted. last_o: the
// last write is accepted in this cycle. Reset: nothing to do. load_i comes only with nothing to do,
// any number of times; active_i is 1 from the cycle behind the last load_i until last_o.
//
// Halves (T37): behind each run of beats, reads of a half in a whole slot (rd_apart_i) and writes
// of one (wr_apart_i) leave out as many; writes to two halves (wr_turns_i) begin again at the place
// of the run, for the other one (wr_turn_o), and go on behind it when both have theirs.
`default_nettype none

module pipe_dma #(
  parameter int BeatBytes = 32,
  parameter int CountW = 12,
  localparam int Data = 8 * BeatBytes
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              load_i,
  input  wire logic [CountW-1:0] beats_i,
  input  wire logic [31:0]       from_i,
  input  wire logic [31:0]       to_i,
  input  wire logic [CountW-1:0] run_i,
  input  wire logic              rd_apart_i,
  input  wire logic              wr_apart_i,
  input  wire logic              wr_turns_i,
  input  wire logic              active_i,
  output wire logic              last_o,
  // reads
  output wire logic              rd_valid_o,
  input  wire logic              rd_ready_i,
  output wire logic [31:0]       rd_addr_o,
  input  wire logic              rd_rvalid_i,
  input  wire logic [Data-1:0]   rd_rdata_i,
  // writes
  output wire logic              wr_valid_o,
  input  wire logic              wr_ready_i,
  output wire logic [31:0]       wr_addr_o,
  output wire logic [Data-1:0]   wr_data_o,
  output wire logic              wr_turn_o
);

  localparam logic [2:0] Credit = 3'd4;
  localparam int Entries = 4;

  logic [31:0] rd_addr_q, wr_addr_q;
  logic [CountW-1:0] rd_left_q, wr_left_q;  // beats to be read, to be written
  logic [CountW-1:0] rd_run_q, wr_run_q;    // those of the run at hand
  logic wr_turn_q;
  logic [2:0] credit_q;  // reads accepted less writes accepted
  logic [2:0] stored_q;  // beats in the queue
  logic [1:0] in_q, out_q;
  logic [Data-1:0] queue_q [Entries];

  wire logic rd_accepted = rd_valid_o && rd_ready_i;
  wire logic wr_accepted = wr_valid_o && wr_ready_i;

  assign rd_valid_o = active_i && rd_left_q != '0 && credit_q != Credit;
  assign rd_addr_o = rd_addr_q;
  assign wr_valid_o = stored_q != '0;
  assign wr_addr_o = wr_addr_q;
  assign wr_data_o = queue_q[out_q];
  assign wr_turn_o = wr_turn_q;
  assign last_o = wr_accepted && wr_left_q == CountW'(1);

  // ---- from one beat to the next
  wire logic rd_run_ends = rd_run_q == CountW'(1);
  wire logic wr_run_ends = wr_run_q == CountW'(1);
  wire logic [31:0] run = 32'(run_i) << $clog2(BeatBytes);
  wire logic [31:0] further = run + 32'(BeatBytes);  // behind a run of the other half
  wire logic [31:0] back = 32'(BeatBytes) - run;     // to where the run began
  wire logic [31:0] rd_step = rd_run_ends && rd_apart_i ? further : 32'(BeatBytes);
  wire logic [31:0] wr_step = wr_run_ends && wr_apart_i ? further
                              : wr_run_ends && wr_turns_i && !wr_turn_q ? back : 32'(BeatBytes);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_addr_q <= '0;
      wr_addr_q <= '0;
      rd_left_q <= '0;
      wr_left_q <= '0;
      rd_run_q <= '0;
      wr_run_q <= '0;
      wr_turn_q <= 1'b0;
    end else if (load_i) begin
      rd_addr_q <= from_i;
      wr_addr_q <= to_i;
      rd_left_q <= beats_i;
      wr_left_q <= beats_i;
      rd_run_q <= run_i;
      wr_run_q <= run_i;
      wr_turn_q <= 1'b0;
    end else begin
      if (rd_accepted) begin
        rd_addr_q <= rd_addr_q + rd_step;
        rd_run_q <= rd_run_ends ? run_i : rd_run_q - 1'b1;
        rd_left_q <= rd_left_q - 1'b1;
      end
      if (wr_accepted) begin
        wr_addr_q <= wr_addr_q + wr_step;
        wr_run_q <= wr_run_ends ? run_i : wr_run_q - 1'b1;
        wr_turn_q <= wr_turn_q ^ (wr_run_ends && wr_turns_i);
        wr_left_q <= wr_left_q - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_q <= '0;
      stored_q <= '0;
      in_q <= '0;
      out_q <= '0;
    end else begin
      credit_q <= credit_q + 3'(rd_accepted) - 3'(wr_accepted);
      stored_q <= stored_q + 3'(rd_rvalid_i) - 3'(wr_accepted);
      in_q <= in_q + 2'(rd_rvalid_i);
      out_q <= out_q + 2'(wr_accepted);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_rvalid_i) queue_q[in_q] <= rd_rdata_i;
  end

endmodule

`default_nettype wire
