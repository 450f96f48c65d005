// SPDX-License-Identifier: Apache-2.0
//
// ThreadConfig of one thread: 68 words of 16 bits, written by SETC16 and by the cores.
//
// Latency: a SETC16 that issues in t writes at the end of t+1; reads are combinational, 0 beyond
// the end. A core's write to the same word in the same cycle is lost: SETC16's value stays.
// Reset: 0. That is done by a bit a word that says that it was written; the words have no reset.
// Decisions C6-C8, C11; docs/control.md section 4.
`default_nettype none

module thread_config
  import tilepath_isa_pkg::*;
  import control_pkg::*;
#(
  parameter int Thread = 0
) (
  input wire logic           clk_i,
  input wire logic           rst_ni,
  // SETC16, in its issue cycle
  input wire logic           setc16_i,
  input wire logic [23:0]    word_i,
  // a core's access, to any of the threads
  input wire thread_access_t risc_i,
  output wire logic [15:0]   risc_data_o,
  // views
  input wire logic [7:0]     view_index_i [3],
  output wire logic [15:0]   view_data_o [3],
  // fields
  output wire logic          state_id_o,
  output wire wait_fields_t  wait_o,
  // observation: the SETC16 that is written now
  output wire logic          obs_write_o,
  output wire logic [7:0]    obs_index_o,
  output wire logic [15:0]   obs_data_o
);

  logic [15:0] store_q[THD_WORDS];
  logic [THD_WORDS-1:0] written_q;
  logic valid_q;
  logic [7:0] index_q;
  logic [15:0] data_q;

  // ---- fields
  localparam int State = THD_CFG_STATE_ID_STATEID_ADDR32;
  localparam int PhaseHi = THD_STREAMWAIT_PHASE_HI_VAL_ADDR32;
  localparam int MsgsHi = THD_STREAMWAIT_NUM_MSGS_HI_VAL_ADDR32;
  localparam int Stream0 = THD_STREAM_ID_SYNC_SEC0_BANKSEL_ADDR32;
  localparam int Stream1 = THD_STREAM_ID_SYNC_SEC1_BANKSEL_ADDR32;
  localparam int Stream2 = THD_STREAM_ID_SYNC_SEC2_BANKSEL_ADDR32;
  localparam int Stream3 = THD_STREAM_ID_SYNC_SEC3_BANKSEL_ADDR32;

  assign state_id_o = written_q[State] && store_q[State][0];
  wire logic [9:0] phase_hi = written_q[PhaseHi] ? store_q[PhaseHi][9:0] : 10'd0;
  wire logic [6:0] msgs_hi = written_q[MsgsHi] ? store_q[MsgsHi][6:0] : 7'd0;
  wire logic [23:0] streams = {written_q[Stream3] ? store_q[Stream3][5:0] : 6'd0,
                               written_q[Stream2] ? store_q[Stream2][5:0] : 6'd0,
                               written_q[Stream1] ? store_q[Stream1][5:0] : 6'd0,
                               written_q[Stream0] ? store_q[Stream0][5:0] : 6'd0};

  assign wait_o = {phase_hi, msgs_hi, streams};

  // ---- reads of whole words
  wire logic risc_write = risc_i.write && risc_i.thread == 2'(Thread);
  wire logic risc_found = risc_i.index < THD_WORDS && written_q[risc_i.index];

  assign risc_data_o = risc_found ? store_q[risc_i.index] : 16'd0;
  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire logic [6:0] view_index = view_index_i[v][6:0];
    wire logic view_found = view_index_i[v] < THD_WORDS && written_q[view_index];

    assign view_data_o[v] = view_found ? store_q[view_index] : 16'd0;
  end

  assign obs_write_o = valid_q;
  assign obs_index_o = index_q;
  assign obs_data_o = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      index_q <= '0;
      data_q <= '0;
      written_q <= '0;
    end else begin
      valid_q <= 1'b0;
      if (setc16_i) begin
        valid_q <= word_i[SETC16_CFG_INDEX_MSB:SETC16_CFG_INDEX_LSB] < THD_WORDS;
        index_q <= word_i[SETC16_CFG_INDEX_MSB:SETC16_CFG_INDEX_LSB];
        data_q <= word_i[SETC16_VALUE_MSB:SETC16_VALUE_LSB];
      end
      if (risc_write) written_q[risc_i.index] <= 1'b1;
      if (valid_q) written_q[index_q[6:0]] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (risc_write) store_q[risc_i.index] <= risc_i.data;
    if (valid_q) store_q[index_q[6:0]] <= data_q;
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (valid_q) begin
      if (index_q >= THD_WORDS) $fatal(1, "thread_config: SETC16 writes word %0d", index_q);
    end
    if (risc_write) begin
      if (risc_i.index >= THD_WORDS)
        $fatal(1, "thread_config: a core writes word %0d", risc_i.index);
    end
  end
`endif

endmodule

`default_nettype wire
