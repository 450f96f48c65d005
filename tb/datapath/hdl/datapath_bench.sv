// SPDX-License-Identifier: Apache-2.0
//
// The joined design, the math stand-in in the place of the Matrix Unit, three cores that play
// programs, and L1. tb/datapath/streams.py describes the players; datapath_harness has recorders.
`timescale 1ns / 1ps
`default_nettype none

module datapath_bench
  import unit_port_pkg::*;
  import unpack_pkg::l1_request_t;
  import unpack_pkg::l1_answer_t;
  import unpack_pkg::overlay_t;
  import pack_pkg::l1_write_t;
  import pack_pkg::l1_read_t;
  import pack_pkg::offset_write_t;
  import pack_pkg::setreg_base_t;
  import standin_counters_pkg::*;
  import tp_profile_pkg::*;
(
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] cycle_i,
  input wire logic        flush_i
);

  localparam int Quiet = 64;  // cycles without a word: more than the front end takes
  localparam int Sums = 1536;

  wire logic item_valid [3], item_done [3], item_first [3];
  wire logic [3:0] op [3];
  wire logic [15:0] index [3];
  wire logic [3:0] mopcfg_index [3];
  wire logic [31:0] value [3], push_word [3], mopcfg_data [3];
  wire logic push_valid [3], push_ready [3], mopcfg_valid [3], sync_req [3], sync_ack [3];
  wire logic [24:0] qstatus [3];
  wire logic [2:0] idle;
  wire logic risc_valid [3], sem_valid [3], sem_write [3], sem_get [3];
  wire logic risc_done, sem_done, fault;
  wire logic [31:0] risc_read;
  wire logic [3:0] sem_data;
  wire logic [5:0] wait_stream [3], stream;
  wire logic [9:0] stream_register;
  wire logic [19:0] wait_phase [3];
  wire logic [16:0] wait_msgs [3];
  wire logic stream_busy;
  wire logic math_ready, math_valid, matrix_valid, pause, pack_wide, hist_clear;
  wire logic [1:0] math_thread, matrix_bank, stale, unpack_bank, unpack_zero, fault_thread;
  wire logic [31:0] math_word, fault_word;
  wire logic [2:0] math_busy;
  wire config_write_t cfg;
  wire setc16_t setc16 [3];
  wire thread_store_t store;
  wire matrix_command_t matrix;
  wire matrix_write_t matrix_write;
  wire matrix_answer_t answer;
  wire logic [3:0] owner, pack_read;
  wire logic [15:0] implied;
  wire logic [9:0] pack_row [4];
  wire l1_request_t request [2];
  wire l1_answer_t unpack_answer [2];
  wire l1_write_t write [8];
  wire l1_read_t read [5];
  wire logic write_valid [8], read_valid [5], answer_valid [5];
  wire logic [16:0] write_line [8], read_line [5];
  wire logic [127:0] write_data [8];
  wire logic [3:0] read_count [5];
  wire logic [1023:0] answer_data [5];
  wire logic [19:0] setreg_base [2];
  wire setreg_base_t pack_setreg_base = '0;
  wire offset_write_t offset = '0;
  wire overlay_t overlay [2];
  wire setreg_write_t unpack_setreg [2], pack_setreg;
  wire rwc_t rwc [3];
  wire logic [17:0] math_fault;
  wire logic l1_valid;
  wire logic [27:0] l1_line;
  wire logic [511:0] l1_data;
  wire logic [4:0] latency;
  wire logic [3:0] l1_ready;  // for lines of each packer
  wire logic [2:0] busy;
  wire logic [27:0] count [6];

  assign setreg_base[0] = 20'h12000;  // any two, as long as they differ
  assign setreg_base[1] = 20'h34000;

  // ---- players
  tp_counts #(.Sources(4)) u_counts (
    .clk_i, .rst_ni, .count_o(count),
    .done_i({l1_valid, item_done[2], item_done[1], item_done[0]})
  );
  datapath_play_l1_write u_play_l1_write (
    .clk_i, .rst_ni, .flush_i, .done_i(l1_valid), .valid_o(l1_valid),
    .busy_i(busy), .count_i(count), .line_o(l1_line), .data_o(l1_data)
  );
  datapath_play_l1_latency u_play_l1_latency (
    .clk_i, .rst_ni, .flush_i, .latency_o(latency)
  );
  datapath_play_stream_busy u_play_stream_busy (
    .clk_i, .rst_ni, .flush_i, .value_o(stream_busy)
  );
  datapath_play_pack_l1_ready u_play_l1_ready (
    .clk_i, .rst_ni, .flush_i, .value_o(l1_ready)
  );

  // ---- whose turn it is at the cores' common ports: an access stays until it is done
  logic [1:0] risc_turn_q, sem_turn_q;
  wire logic any_risc = risc_valid[risc_turn_q];
  wire logic any_sem = sem_valid[sem_turn_q];
  wire logic [15:0] written = index[risc_turn_q];
  wire logic [31:0] risc_value = value[risc_turn_q];
  wire logic stream_write = any_risc && op[risc_turn_q] == 4'd9;  // it takes a cycle
  wire logic turn_done = stream_write || risc_done;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      risc_turn_q <= '0;
      sem_turn_q <= '0;
    end else begin
      if (!any_risc || turn_done) risc_turn_q <= risc_turn_q == 2'd2 ? 2'd0 : risc_turn_q + 2'd1;
      if (!any_sem || sem_done) sem_turn_q <= sem_turn_q == 2'd2 ? 2'd0 : sem_turn_q + 2'd1;
    end
  end

  // ---- stream registers, 1024 of each of 64 streams
  logic [31:0] stream_q [65536];

  initial for (int i = 0; i < 65536; i++) stream_q[i] = '0;

  always @(posedge clk_i) begin
    if (rst_ni && stream_write) stream_q[written] <= risc_value;
  end

  for (genvar t = 0; t < 3; t++) begin : gen_core
    logic [6:0] quiet_q;

    assign wait_phase[t] = stream_q[{wait_stream[t], 10'd29}][19:0];
    assign wait_msgs[t] = stream_q[{wait_stream[t], 10'd259}][16:0];
    assign mopcfg_index[t] = index[t][3:0];
    assign busy[t] = quiet_q != 7'(Quiet);

    datapath_play_core #(.Index(t)) u_play_core (
      .clk_i, .rst_ni, .flush_i, .done_i(item_done[t]),
      .valid_o(item_valid[t]), .busy_i(busy), .count_i(count), .op_o(op[t]), .index_o(index[t]),
      .value_o(value[t])
    );
    assign push_word[t] = push_valid[t] ? value[t] : ~value[t];
    assign mopcfg_data[t] = ~push_word[t];  // never the same at both ports
    datapath_core u_core (
      .clk_i, .rst_ni, .valid_i(item_valid[t]), .op_i(op[t]), .index_i(index[t][9:0]),
      .value_i(value[t]), .done_o(item_done[t]), .first_o(item_first[t]), .quiet_i(!busy[t]),
      .push_valid_o(push_valid[t]), .push_ready_i(push_ready[t]),
      .mopcfg_valid_o(mopcfg_valid[t]), .sync_req_o(sync_req[t]), .sync_ack_i(sync_ack[t]),
      .risc_valid_o(risc_valid[t]), .risc_done_i(turn_done && risc_turn_q == 2'(t)),
      .sem_valid_o(sem_valid[t]), .sem_write_o(sem_write[t]), .sem_get_o(sem_get[t]),
      .sem_done_i(sem_done && sem_turn_q == 2'(t)), .sem_data_i(sem_data),
      .sem_value_i(u_dut.unused_obs_sem_value)
    );
    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) quiet_q <= '0;
      else if (!idle[t] || push_valid[t]) quiet_q <= '0;
      else if (quiet_q != 7'(Quiet)) quiet_q <= quiet_q + 7'd1;
    end
  end

  datapath #(
    .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth), .ReplayCount0(ReplayCount0),
    .MopB2bFree(MopB2bFree), .StaleGpr(StaleGpr), .ZwW(ZwW), .NopEnc(NopEnc),
    .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .UnpacrNopZeroClears(UnpacrNopZeroClears), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SrcaRowHigh(SrcaRowHigh), .SpareUnpacr(SpareUnpacr),
    .RowW(RowW), .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines), .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums),
    .BhFields(BhFields), .Relative(Relative), .YzwShr4(YzwShr4), .Ch1Offset18(Ch1Offset18),
    .CompressOvrd(CompressOvrd), .TilePositionKept(TilePositionKept),
    .TpgByIntf(TpgByIntf), .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19),
    .Fp16AccQuirk(Fp16AccQuirk), .SetregEnc(SetregEnc), .SetregSlots(SetregSlots)
  ) u_dut (
    .clk_i, .rst_ni, .push_valid_i(push_valid), .push_word_i(push_word),
    .push_ready_o(push_ready), .mopcfg_valid_i(mopcfg_valid), .mopcfg_index_i(mopcfg_index),
    .mopcfg_data_i(mopcfg_data), .sync_req_i(sync_req), .sync_ack_o(sync_ack),
    .qstatus_o(qstatus), .risc_valid_i(any_risc && !stream_write),
    .risc_write_i(1'b1), .risc_address_i(written[9:0]), .risc_data_i(risc_value),
    .risc_done_o(risc_done), .risc_data_o(risc_read), .risc_sem_valid_i(any_sem),
    .risc_sem_write_i(sem_write[sem_turn_q]), .risc_sem_index_i(index[sem_turn_q][2:0]),
    .risc_sem_get_i(sem_get[sem_turn_q]), .risc_sem_done_o(sem_done),
    .risc_sem_data_o(sem_data), .wait_stream_o(wait_stream), .wait_phase_i(wait_phase),
    .wait_msgs_i(wait_msgs), .stream_busy_i(stream_busy), .stream_o(stream),
    .stream_register_o(stream_register), .stream_data_i(stream_q[{stream, stream_register}]),
    .math_ready_i(math_ready),
    .math_valid_o(math_valid), .math_thread_o(math_thread), .math_word_o(math_word),
    .math_busy_i(math_busy), .cfg_o(cfg), .setc16_o(setc16), .store_o(store), .matrix_i(matrix),
    .matrix_write_i(matrix_write), .matrix_answer_o(answer), .matrix_bank_i(matrix_bank),
    .owner_o(owner), .implied_o(implied), .stale_o(stale), .unpack_bank_o(unpack_bank),
    .pause_o(pause), .unpack_zero_o(unpack_zero), .pack_read_o(pack_read),
    .pack_wide_o(pack_wide), .pack_row_o(pack_row), .hist_clear_i(hist_clear),
    .unpack_l1_o(request), .unpack_answer_i(unpack_answer), .l1_ready_i(l1_ready),
    .l1_write_o(write), .l1_read_o(read), .l1_answer_valid_i(answer_valid),
    .l1_answer_data_i(answer_data), .unpack_setreg_base_i(setreg_base),
    .pack_setreg_base_i(pack_setreg_base), .offset_i(offset), .overlay_o(overlay),
    .unpack_setreg_o(unpack_setreg), .pack_setreg_o(pack_setreg), .idle_o(idle), .fault_o(fault)
  );

  math_standin #(
    .MathEnc(MathEnc), .ImpliedFmt(ImpliedFmt), .MathMinus1(MathMinus1), .DstRemap(DstRemap),
    .ZeroaccHalfRows(ZeroaccHalfRows), .MoveFp32Rows(MoveFp32Rows), .SrcbCutInMove(SrcbCutInMove),
    .Movd2bLowZero(Movd2bLowZero), .MoveUnalignedWrite(MoveUnalignedWrite),
    .ZeroaccStorageRows(ZeroaccStorageRows), .Mova2dRowBlock(Mova2dRowBlock)
  ) u_math (
    .clk_i, .rst_ni, .cfg_i(cfg), .setc16_i(setc16), .store_i(store),
    .issue_valid_i(math_valid),
    .issue_thread_i(math_thread), .issue_word_i(math_word), .ready_o(math_ready),
    .busy_o(math_busy), .matrix_valid_o(matrix_valid), .matrix_o(matrix),
    .write_o(matrix_write), .answer_i(answer), .matrix_bank_o(matrix_bank), .owner_i(owner),
    .implied_i(implied), .stale_i(stale), .unpack_bank_i(unpack_bank), .pause_i(pause),
    .unpack_zero_i(unpack_zero), .pack_read_i(pack_read), .pack_wide_i(pack_wide),
    .pack_row_i(pack_row), .hist_clear_o(hist_clear), .rwc_o(rwc),
    .fault_thread_o(fault_thread), .fault_word_o(fault_word), .fault_o(math_fault)
  );

  // ---- L1
  for (genvar i = 0; i < 8; i++) begin : gen_write
    wire l1_write_t slot = write[i];

    assign write_valid[i] = slot.valid;
    assign write_line[i] = slot.line;
    assign write_data[i] = slot.data;
  end
  for (genvar p = 0; p < 5; p++) begin : gen_read
    wire l1_read_t port = read[p];

    assign read_valid[p] = port.valid;
    assign read_line[p] = port.line;
    assign read_count[p] = port.count;
  end

  datapath_l1 #(.Lines(L1Lines), .Sums(Sums)) u_l1 (
    .clk_i, .rst_ni, .cycle_i, .latency_i(latency),
    .test_valid_i(l1_valid), .test_line_i(l1_line), .test_data_i(l1_data),
    .request_i(request), .answer_o(unpack_answer), .write_valid_i(write_valid),
    .write_line_i(write_line), .write_data_i(write_data), .read_valid_i(read_valid),
    .read_line_i(read_line), .read_count_i(read_count), .read_valid_o(answer_valid),
    .read_data_o(answer_data)
  );

endmodule

`default_nettype wire
