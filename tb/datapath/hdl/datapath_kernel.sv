// SPDX-License-Identifier: Apache-2.0
//
// A kernel on the whole data path: three cores that play programs, L1, and the math stand-in in the
// place of the Matrix Unit. Ends when all programs are done and nothing has been under way for a
// while, or after <+most> cycles; then says `end` or `stands`, the cycle, the number of cycles with
// a fault, and at which item each core is.
`timescale 1ns / 1ps
`default_nettype none

module datapath_kernel;
  import unit_port_pkg::*;
  import unpack_pkg::l1_request_t;
  import unpack_pkg::l1_answer_t;
  import pack_pkg::l1_write_t;
  import pack_pkg::l1_read_t;
  import pack_pkg::offset_write_t;
  import pack_pkg::setreg_base_t;
  import unpack_pkg::overlay_t;
  import standin_counters_pkg::*;
  import tp_profile_pkg::*;

  localparam int Quiet = 200;

  logic clk, rst_n, dump;
  logic [31:0] cycle, most, quiet, faults;
  logic [4:0] latency;

  wire logic push_valid [3], push_ready [3], mopcfg_valid [3], sync_req [3], sync_ack [3];
  wire logic [31:0] push_word [3], mopcfg_data [3], item [3];
  wire logic [3:0] mopcfg_index [3];
  wire logic [24:0] qstatus [3];
  wire logic go [3], done [3];
  wire logic [2:0] idle;
  wire logic risc_valid [3], sem_valid [3], sem_write [3], sem_get [3];
  wire logic [9:0] risc_address [3];
  wire logic [31:0] risc_data [3], risc_read;
  wire logic [2:0] sem_index [3];
  wire logic risc_done, sem_done, fault, math_fault;
  wire logic [3:0] sem_data;
  wire logic [5:0] wait_stream [3], stream;
  wire logic [9:0] stream_register;
  wire logic [19:0] wait_phase [3];
  wire logic [16:0] wait_msgs [3];
  wire logic math_ready, math_valid, matrix_valid, pause, pack_wide, hist_clear;
  wire logic [1:0] math_thread, matrix_bank, stale, unpack_bank, unpack_zero, unused_thread;
  wire logic [31:0] math_word, unused_word;
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
  wire logic [17:0] math_flags;

  assign setreg_base[0] = '0;
  assign setreg_base[1] = '0;
  assign math_fault = math_flags != '0;

  // ---- whose turn it is at the cores' common ports: an access stays until it is done
  logic [1:0] risc_turn_q, sem_turn_q;
  wire logic any_risc = risc_valid[risc_turn_q];
  wire logic any_sem = sem_valid[sem_turn_q];

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      risc_turn_q <= '0;
      sem_turn_q <= '0;
    end else begin
      if (!any_risc || risc_done) risc_turn_q <= risc_turn_q == 2'd2 ? 2'd0 : risc_turn_q + 2'd1;
      if (!any_sem || sem_done) sem_turn_q <= sem_turn_q == 2'd2 ? 2'd0 : sem_turn_q + 2'd1;
    end
  end

  for (genvar t = 0; t < 3; t++) begin : gen_core
    assign wait_phase[t] = '0;
    assign wait_msgs[t] = '0;

    datapath_core #(.Index(t)) u_core (
      .clk_i(clk), .rst_ni(rst_n), .go_i(go[0]), .go_o(go[t]), .done_o(done[t]),
      .item_o(item[t]), .idle_i(idle[t]), .push_valid_o(push_valid[t]),
      .push_word_o(push_word[t]), .push_ready_i(push_ready[t]), .mopcfg_valid_o(mopcfg_valid[t]),
      .mopcfg_index_o(mopcfg_index[t]), .mopcfg_data_o(mopcfg_data[t]),
      .sync_req_o(sync_req[t]), .sync_ack_i(sync_ack[t]), .risc_valid_o(risc_valid[t]),
      .risc_address_o(risc_address[t]), .risc_data_o(risc_data[t]),
      .risc_done_i(risc_done && risc_turn_q == 2'(t)), .sem_valid_o(sem_valid[t]),
      .sem_write_o(sem_write[t]), .sem_index_o(sem_index[t]), .sem_get_o(sem_get[t]),
      .sem_done_i(sem_done && sem_turn_q == 2'(t)), .sem_data_i(sem_data)
    );
  end

  datapath #(
    .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth), .ReplayCount0(ReplayCount0),
    .MopB2bFree(MopB2bFree), .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .RowW(RowW), .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines), .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums),
    .BhFields(BhFields), .Relative(Relative), .YzwShr4(YzwShr4), .CompressOvrd(CompressOvrd),
    .TpgByIntf(TpgByIntf), .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19),
    .Fp16AccQuirk(Fp16AccQuirk), .SetregEnc(SetregEnc), .SetregSlots(SetregSlots)
  ) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .push_valid_i(push_valid), .push_word_i(push_word),
    .push_ready_o(push_ready), .mopcfg_valid_i(mopcfg_valid), .mopcfg_index_i(mopcfg_index),
    .mopcfg_data_i(mopcfg_data), .sync_req_i(sync_req), .sync_ack_o(sync_ack),
    .qstatus_o(qstatus), .risc_valid_i(any_risc), .risc_write_i(1'b1),
    .risc_address_i(risc_address[risc_turn_q]), .risc_data_i(risc_data[risc_turn_q]),
    .risc_done_o(risc_done), .risc_data_o(risc_read), .risc_sem_valid_i(any_sem),
    .risc_sem_write_i(sem_write[sem_turn_q]), .risc_sem_index_i(sem_index[sem_turn_q]),
    .risc_sem_get_i(sem_get[sem_turn_q]), .risc_sem_done_o(sem_done),
    .risc_sem_data_o(sem_data), .wait_stream_o(wait_stream), .wait_phase_i(wait_phase),
    .wait_msgs_i(wait_msgs), .stream_busy_i(1'b0), .stream_o(stream),
    .stream_register_o(stream_register), .stream_data_i(32'd0), .math_ready_i(math_ready),
    .math_valid_o(math_valid), .math_thread_o(math_thread), .math_word_o(math_word),
    .math_busy_i(math_busy), .cfg_o(cfg), .setc16_o(setc16), .store_o(store), .matrix_i(matrix),
    .matrix_write_i(matrix_write), .matrix_answer_o(answer), .matrix_bank_i(matrix_bank),
    .owner_o(owner), .implied_o(implied), .stale_o(stale), .unpack_bank_o(unpack_bank),
    .pause_o(pause), .unpack_zero_o(unpack_zero), .pack_read_o(pack_read),
    .pack_wide_o(pack_wide), .pack_row_o(pack_row), .hist_clear_i(hist_clear),
    .unpack_l1_o(request), .unpack_answer_i(unpack_answer), .l1_ready_i(4'hF),
    .l1_write_o(write), .l1_read_o(read), .l1_answer_valid_i(answer_valid),
    .l1_answer_data_i(answer_data), .unpack_setreg_base_i(setreg_base),
    .pack_setreg_base_i(pack_setreg_base), .offset_i(offset), .overlay_o(overlay),
    .unpack_setreg_o(unpack_setreg), .pack_setreg_o(pack_setreg), .idle_o(idle), .fault_o(fault)
  );

  math_standin #(
    .MathEnc(MathEnc), .ImpliedFmt(ImpliedFmt), .MathMinus1(MathMinus1), .DstRemap(DstRemap)
  ) u_math (
    .clk_i(clk), .rst_ni(rst_n), .cfg_i(cfg), .setc16_i(setc16), .store_i(store),
    .issue_valid_i(math_valid),
    .issue_thread_i(math_thread), .issue_word_i(math_word), .ready_o(math_ready),
    .busy_o(math_busy), .matrix_valid_o(matrix_valid), .matrix_o(matrix),
    .write_o(matrix_write), .answer_i(answer), .matrix_bank_o(matrix_bank), .owner_i(owner),
    .implied_i(implied), .stale_i(stale), .unpack_bank_i(unpack_bank), .pause_i(pause),
    .unpack_zero_i(unpack_zero), .pack_read_i(pack_read), .pack_wide_i(pack_wide),
    .pack_row_i(pack_row), .hist_clear_o(hist_clear), .rwc_o(rwc),
    .fault_thread_o(unused_thread), .fault_word_o(unused_word), .fault_o(math_flags)
  );

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

  datapath_l1 #(.Lines(L1Lines)) u_l1 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .latency_i(latency), .dump_i(dump),
    .request_i(request), .answer_o(unpack_answer), .write_valid_i(write_valid),
    .write_line_i(write_line), .write_data_i(write_data), .read_valid_i(read_valid),
    .read_line_i(read_line), .read_count_i(read_count), .read_valid_o(answer_valid),
    .read_data_o(answer_data)
  );

  // ---- clock, reset, end
  initial begin
    clk = 1'b0;
    rst_n = 1'b1;
    dump = 1'b0;
    if (!$value$plusargs("most=%d", most)) most = 32'd1000000;
    if (!$value$plusargs("latency=%d", latency)) latency = 5'd4;
    #1 rst_n = 1'b0;
    #20 rst_n = 1'b1;
  end
  always #5 clk = !clk;

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      cycle <= '0;
      quiet <= '0;
      faults <= '0;
    end else begin
      cycle <= cycle + 32'd1;
      quiet <= done[0] && done[1] && done[2] && idle == 3'b111 ? quiet + 32'd1 : '0;
      if (fault || math_fault) faults <= faults + 32'd1;
      if (quiet == 32'(Quiet)) begin
        dump <= 1'b1;
        $display("end %0d faults %0d", cycle - quiet, faults);
      end
      if (cycle == most) begin
        dump <= 1'b1;
        $display("stands %0d faults %0d items %0d %0d %0d", cycle, faults, item[0], item[1], item[2]);
      end
      if (dump) $finish;
    end
  end

endmodule

`default_nettype wire
