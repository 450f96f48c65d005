// SPDX-License-Identifier: Apache-2.0
//
// Config unit: the pipeline of configuration instructions, and the cores' accesses.
//
// Latency: an instruction that issues in t is in its entry stage in t+1 (STREAMWRCFG -4, WRCFG -1,
// CFGSHIFTMASK -1 and 0, RMWCIB and RDCFG 0) and goes on by a stage a cycle; what stage 0 writes in
// c is visible in c+1. RDCFG writes its GPR from stage +1. An access of the cores is made, and done,
// in the cycle after the one in which it wins.
// Handshake: room_o tells what may issue in this cycle, an instruction or an access of the cores.
// STREAMWRCFG stays in stage -4 while stream_busy_i; nothing looks at that stage (C16).
// Reset: empty. Decisions C1-C6, C15-C18; docs/control.md section 4.
`default_nettype none

module config_unit
  import tilepath_isa_pkg::*;
  import control_pkg::*;
(
  input wire logic            clk_i,
  input wire logic            rst_ni,
  input wire issued_t         issue_i,
  output wire logic [2:0]     room_o,  // for STREAMWRCFG, for WRCFG, for all else
  output wire logic [6:0]     pipe_o,  // instructions in stages -4 ... +1; an access in stage 0
  // port of the cores; the access in stage 0 is still there
  input wire logic            risc_grant_i,
  input wire logic            risc_write_i,
  input wire logic [9:0]      risc_address_i,
  input wire logic [31:0]     risc_data_i,
  output wire logic           risc_done_o,
  output wire logic [31:0]    risc_data_o,
  output wire logic           risc_oob_o,
  output wire logic           risc_state_reset_o,
  // ThreadConfig
  input wire logic            state_id_i [3],
  input wire logic [23:0]     streams_i [3],
  output wire thread_access_t thread_o,
  input wire logic [15:0]     thread_data_i,
  // stream registers
  input wire logic            stream_busy_i,
  output wire logic [5:0]     stream_o,
  output wire logic [9:0]     register_o,
  input wire logic [31:0]     stream_data_i,
  // GPRs
  output wire gpr_read_t      gpr_read_o,
  input wire logic [127:0]    gpr_data_i,
  output wire gpr_write_t     rdcfg_o,
  // Config
  output wire config_read_t   read_o,
  input wire logic [31:0]     data_i,
  output wire logic [1:0]     scratch_o,
  input wire logic [31:0]     scratch_i,
  output wire config_write_t  write_o,
  output wire logic [1:0]     write_source_o  // its thread; 3: the cores
);

  localparam logic [7:0] FirstGlobal = 8'(CFG_GLOBAL_BASE);

  // Kinds of instruction in stages -1 and 0; Ready and Whole have their data.
  typedef enum logic [1:0] {Ready = 2'd0, Wrcfg = 2'd1, Shift = 2'd2} m1_kind_e;
  typedef enum logic [1:0] {Whole = 2'd0, Rmw = 2'd1, Rdcfg = 2'd2} p0_kind_e;

  // ---- stages; m4 is -4, p1 is +1
  logic m4_valid_q, m4_entry_q, m3_valid_q, m2_valid_q, m1_valid_q, p0_valid_q, p1_valid_q;
  logic [1:0] m4_thread_q, m3_thread_q, m2_thread_q, m1_thread_q, p0_thread_q, p1_thread_q;
  logic m4_bank_q, m3_bank_q, m2_bank_q, m1_bank_q, p0_bank_q;  // once sampled
  logic [10:0] m3_index_q, m2_index_q;
  logic [9:0] m3_register_q;
  logic [5:0] m4_stream_q, m3_stream_q;
  logic [22:0] m4_word_q;
  logic [23:0] m1_word_q;
  logic [31:0] m2_data_q, m1_data_q;
  m1_kind_e m1_kind_q;
  p0_kind_e p0_kind_q;
  logic [10:0] m1_index_q;
  logic [25:8] p0_word_q;
  logic [7:0] p0_index_q;
  logic p0_ok_q, p0_quad_q;  // ok: the word can be read, or written
  logic [127:0] p0_data_q;
  logic [5:0] p1_gpr_q;
  logic [31:0] p1_data_q;
  logic risc_q;  // an access of the cores in stage 0
  logic [7:0] risc_index_q;  // where in Config that is

  // ---- who may issue
  wire logic is_stream = issue_i.word[31:24] == OP_STREAMWRCFG;
  wire logic is_wrcfg = issue_i.word[31:24] == OP_WRCFG;
  wire logic is_shift = issue_i.word[31:24] == OP_CFGSHIFTMASK;
  wire logic m4_leaves = m4_valid_q && !stream_busy_i;

  assign room_o[0] = !m4_valid_q || !stream_busy_i;
  assign room_o[1] = !m3_valid_q && !m2_valid_q;
  assign room_o[2] = !m3_valid_q && !m2_valid_q && !m1_valid_q;
  assign pipe_o = {risc_q, p1_valid_q, p0_valid_q || (m1_valid_q && m1_kind_q == Shift),
                   m1_valid_q, m2_valid_q, m3_valid_q, m4_valid_q};

  // ---- -4: StateID and stream number are those of the entry cycle
  wire logic [23:0] m4_streams = streams_i[m4_thread_q];
  wire logic [1:0] m4_select = m4_word_q[STREAMWRCFG_STREAM_SEL_MSB:STREAMWRCFG_STREAM_SEL_LSB];
  wire logic m4_bank = m4_entry_q ? state_id_i[m4_thread_q] : m4_bank_q;
  wire logic [5:0] m4_stream = m4_entry_q ? m4_streams[6*m4_select+:6] : m4_stream_q;

  // ---- -3: the stream register is read
  assign stream_o = m3_stream_q;
  assign register_o = m3_register_q;

  // ---- -1: WRCFG reads GPRs; CFGSHIFTMASK has the read port of stage 0
  wire logic m1_state_id = state_id_i[m1_thread_q];
  wire logic m1_shift = m1_valid_q && m1_kind_q == Shift;
  wire logic m1_quad = m1_kind_q == Wrcfg && m1_word_q[WRCFG_IS128_LSB];
  wire logic [5:0] m1_gpr = m1_word_q[WRCFG_GPR_MSB:WRCFG_GPR_LSB];
  wire logic [1:0] m1_scratch = m1_word_q[CFGSHIFTMASK_SCRATCH_MSB:CFGSHIFTMASK_SCRATCH_LSB];

  assign gpr_read_o = {m1_thread_q, m1_gpr[5:2]};
  assign scratch_o = m1_scratch == 2'd3 ? m1_thread_q : m1_scratch;

  // ---- an access of the cores: where its address is
  wire logic risc_one = risc_address_i >= CFG_WORDS && risc_address_i < 2 * CFG_WORDS;
  wire logic risc_both = risc_address_i >= 2 * CFG_WORDS;
  wire logic risc_config = risc_address_i < 3 * CFG_WORDS;
  wire logic [9:0] risc_offset = risc_address_i - 10'(3 * CFG_WORDS);  // in ThreadConfig
  wire logic [7:0] risc_index = 8'(risc_address_i - (risc_both ? 10'(2 * CFG_WORDS)
                                                     : risc_one ? 10'(CFG_WORDS) : 10'd0));

  wire logic [1:0] risc_thread = risc_offset >= 2 * THD_WORDS ? 2'd2
                               : risc_offset >= THD_WORDS ? 2'd1 : 2'd0;
  wire logic [6:0] thread_index
    = 7'(risc_offset - (risc_offset >= 2 * THD_WORDS ? 10'(2 * THD_WORDS)
                        : risc_offset >= THD_WORDS ? 10'(THD_WORDS) : 10'd0));
  wire logic thread_write = risc_q && risc_write_i && !risc_config && !risc_oob_o;

  assign thread_o = {thread_write, risc_thread, thread_index, risc_data_i[15:0]};
  assign risc_oob_o = risc_q && risc_address_i >= 3 * CFG_WORDS + 3 * THD_WORDS;
  assign risc_state_reset_o = risc_q && risc_write_i && risc_config
                           && resets_state({3'd0, risc_index_q}, 1'b0);
  assign risc_done_o = risc_q;
  assign risc_data_o = risc_write_i || risc_oob_o ? 32'd0
                     : risc_config ? data_i : {16'd0, thread_data_i};

  // ---- stage 0: read
  wire logic p0_state_id = state_id_i[p0_thread_q];

  wire logic read_bank = risc_q ? risc_one : m1_shift ? m1_state_id : p0_state_id;
  wire logic [7:0] read_index = risc_q ? risc_index_q : m1_shift ? m1_index_q[7:0] : p0_index_q;

  assign read_o = {read_bank, read_index};

  // ---- stage 0: write
  wire logic [4:0] byte_shift = {p0_word_q[25:24] + 2'd1, 3'd0};  // B3 is RMWCIB0
  wire logic [31:0] rmw_mask = {24'd0, p0_word_q[RMWCIB0_MASK_MSB:RMWCIB0_MASK_LSB]} << byte_shift;
  wire logic [31:0] rmw_data = {24'd0, p0_word_q[RMWCIB0_DATA_MSB:RMWCIB0_DATA_LSB]} << byte_shift;
  wire logic p0_bank = p0_kind_q == Rmw ? p0_state_id : p0_bank_q;
  wire logic [7:0] write_index = risc_q ? risc_index_q : p0_index_q;
  wire logic is_global = write_index >= FirstGlobal;
  wire logic writes = risc_q ? risc_write_i && risc_config && !risc_state_reset_o
                    : p0_valid_q && p0_kind_q != Rdcfg && p0_ok_q;
  wire logic [1:0] write_banks = is_global || (risc_q && risc_both) ? 2'b11
                               : (risc_q ? risc_one : p0_bank) ? 2'b10 : 2'b01;
  wire logic [127:0] write_data
    = risc_q ? {96'd0, risc_data_i}
    : p0_kind_q == Rmw ? {96'd0, (data_i & ~rmw_mask) | (rmw_data & rmw_mask)}
    : p0_data_q;

  wire config_target_t target = {write_banks, write_index, !risc_q && p0_quad_q};

  assign write_o = {writes, target, write_data};

  assign write_source_o = risc_q ? 2'd3 : p0_thread_q;

  // ---- +1
  assign rdcfg_o = {{2{p1_valid_q}}, p1_thread_q, p1_gpr_q, p1_data_q};

  // The order of the statements is that of the stages. What a stage holds while it is not valid
  // means nothing, so it is not cleared.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {m4_valid_q, m3_valid_q, m2_valid_q, m1_valid_q, p0_valid_q, p1_valid_q} <= '0;
      {m4_thread_q, m3_thread_q, m2_thread_q, m1_thread_q, p0_thread_q, p1_thread_q} <= '0;
      {m4_bank_q, m3_bank_q, m2_bank_q, m1_bank_q, p0_bank_q} <= '0;
      {m3_index_q, m2_index_q, m1_index_q, p0_index_q} <= '0;
      {m4_word_q, m1_word_q, p0_word_q, m2_data_q, m1_data_q, p0_data_q, p1_data_q} <= '0;
      {m4_stream_q, m3_stream_q, m3_register_q, p1_gpr_q} <= '0;
      m1_kind_q <= Ready;
      p0_kind_q <= Whole;
      {m4_entry_q, p0_ok_q, p0_quad_q, risc_q, risc_index_q} <= '0;
    end else begin
      risc_q <= risc_grant_i;
      // not in stage 0: whether REG2FLOP waits for the access, and who issues then, hangs on it
      if (risc_grant_i) risc_index_q <= risc_index;
      m4_valid_q <= (issue_i.valid && is_stream) || (m4_valid_q && stream_busy_i);
      m4_entry_q <= issue_i.valid && is_stream;
      m3_valid_q <= m4_leaves;
      m2_valid_q <= m3_valid_q;
      m1_valid_q <= m2_valid_q || (issue_i.valid && (is_wrcfg || is_shift));
      p0_valid_q <= m1_valid_q || (issue_i.valid && !is_stream && !is_wrcfg && !is_shift);
      p1_valid_q <= p0_valid_q && p0_kind_q == Rdcfg;

      if (issue_i.valid && is_stream) begin
        m4_thread_q <= issue_i.thread;
        m4_word_q <= issue_i.word[22:0];
      end else begin
        m4_bank_q <= m4_bank;
        m4_stream_q <= m4_stream;
      end

      if (m4_leaves) begin
        m3_thread_q <= m4_thread_q;
        m3_bank_q <= m4_bank;
        m3_stream_q <= m4_stream;
        m3_register_q <= m4_word_q[STREAMWRCFG_REG_INDEX_MSB:STREAMWRCFG_REG_INDEX_LSB];
        m3_index_q <= m4_word_q[STREAMWRCFG_CFG_INDEX_MSB:STREAMWRCFG_CFG_INDEX_LSB];
      end

      if (m3_valid_q) begin
        m2_thread_q <= m3_thread_q;
        m2_bank_q <= m3_bank_q;
        m2_index_q <= m3_index_q;
        m2_data_q <= stream_data_i;
      end

      if (m2_valid_q) begin
        m1_kind_q <= Ready;
        m1_thread_q <= m2_thread_q;
        m1_bank_q <= m2_bank_q;
        m1_index_q <= m2_index_q;
        m1_data_q <= m2_data_q;
      end else if (issue_i.valid && (is_wrcfg || is_shift)) begin
        m1_kind_q <= is_shift ? Shift : Wrcfg;
        m1_thread_q <= issue_i.thread;
        m1_word_q <= issue_i.word[23:0];
        m1_index_q <= issue_i.word[WRCFG_CFG_INDEX_MSB:WRCFG_CFG_INDEX_LSB];
        if (is_shift) m1_index_q[10:8] <= 3'd0;  // that is its scratch selector
      end

      if (m1_valid_q) begin
        p0_kind_q <= Whole;
        p0_thread_q <= m1_thread_q;
        p0_bank_q <= m1_kind_q == Ready ? m1_bank_q : m1_state_id;
        p0_index_q <= m1_quad ? {m1_index_q[7:2], 2'd0} : m1_index_q[7:0];
        p0_quad_q <= m1_quad;
        p0_ok_q <= m1_index_q < CFG_WORDS && !resets_state(m1_index_q, m1_quad);
        case (m1_kind_q)
          Wrcfg: p0_data_q <= m1_quad ? gpr_data_i : {96'd0, gpr_data_i[32*m1_gpr[1:0]+:32]};
          Shift: p0_data_q <= {96'd0, shift_mask(m1_word_q, scratch_i, data_i)};
          default: p0_data_q <= {96'd0, m1_data_q};
        endcase
      end else if (issue_i.valid && !is_stream && !is_wrcfg && !is_shift) begin
        p0_kind_q <= issue_i.word[31:24] == OP_RDCFG ? Rdcfg : Rmw;
        p0_thread_q <= issue_i.thread;
        p0_word_q <= issue_i.word[25:8];
        p0_index_q <= issue_i.word[RMWCIB0_CFG_INDEX_MSB:RMWCIB0_CFG_INDEX_LSB];
        p0_quad_q <= 1'b0;
        p0_ok_q <= issue_i.word[31:24] == OP_RDCFG
                   ? issue_i.word[RDCFG_CFG_INDEX_MSB:RDCFG_CFG_INDEX_LSB] < CFG_WORDS
                   : issue_i.word[RMWCIB0_CFG_INDEX_MSB:RMWCIB0_CFG_INDEX_LSB] < CFG_WORDS;
      end

      if (p0_valid_q && p0_kind_q == Rdcfg) begin
        p1_thread_q <= p0_thread_q;
        p1_gpr_q <= p0_word_q[RDCFG_GPR_MSB:RDCFG_GPR_LSB];
        p1_data_q <= p0_ok_q ? data_i : 32'd0;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (issue_i.valid) begin
      if (risc_grant_i) $fatal(1, "config_unit: two issue at once");
      if (is_stream && m4_valid_q && !m4_leaves)
        $fatal(1, "config_unit: collision in stage -4");
      if ((is_wrcfg || is_shift) && m2_valid_q) $fatal(1, "config_unit: collision in stage -1");
      if (m1_valid_q && !is_stream && !is_wrcfg) $fatal(1, "config_unit: collision in stage 0");
    end
    if (risc_q) begin
      if (p0_valid_q || m1_shift) $fatal(1, "config_unit: an access and an instruction in stage 0");
    end
    if (m1_valid_q) begin
      if (risc_grant_i || (m1_shift && p0_valid_q)) $fatal(1, "config_unit: collision in stage 0");
    end
  end
`endif

endmodule

`default_nettype wire
