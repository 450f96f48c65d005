// SPDX-License-Identifier: Apache-2.0
//
// The packers with Dst, the address counters and L1 beside them, with their recorders, and with the
// players of all their ports but those at which words issue, which lead out. tb/pack/streams.py
// describes players and streams; modules pack_rec_* and pack_play_* are made from that description.
// busy_o and count_o are what players need whose items wait.
`timescale 1ns / 1ps
`default_nettype none

module pack_bench
  import tilepath_isa_pkg::CFG_GLOBAL_BASE;
  import tilepath_isa_pkg::CFG_THCON_BASE;
  import unit_port_pkg::*;
  import dst_pkg::*;
  import pack_pkg::*;
  import tp_state_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] cycle_i,
  input  wire logic        flush_i,
  input  wire logic        issue_valid_i,
  input  wire logic [1:0]  issue_thread_i,
  input  wire logic [31:0] issue_word_i,
  output wire logic        ready_o,
  input  wire logic        counter_valid_i [3],
  input  wire logic [31:0] counter_word_i [3],
  output wire logic [11:0] busy_o,
  output wire logic [27:0] count_o [16]
);

  // ---- inputs
  wire logic cfg_valid, cfg_wide;
  wire logic [1:0] cfg_banks;
  wire logic [7:0] cfg_index;
  wire logic [127:0] cfg_data;
  wire setc16_t setc16 [3];
  wire logic setc16_valid [3];
  wire offset_write_t offset;
  wire histogram_command_t hist;
  wire setreg_base_t base;
  wire logic dst_offered, dst_ready, dst_written;
  wire logic [9:0] dst_row;
  wire logic [3:0] dst_count;
  wire logic [143:0] dst_mask;
  wire logic [2303:0] dst_data;
  wire zero_t dst_zero;
  wire logic dst_read, dst_read_wide;
  wire logic [9:0] dst_read_row;
  wire logic l1_valid;
  wire logic [16:0] l1_line;
  wire logic [511:0] l1_data;
  wire logic [4:0] latency;
  wire logic [3:0] l1_ready;

  // wide ones are driven whole: Icarus resolves a net with several drivers bit by bit
  wire config_write_t cfg = {cfg_valid, cfg_banks, cfg_wide, cfg_index, cfg_data};
  wire logic flop_offered, flop_bank, flop_wide;
  wire logic [7:0] flop_index;
  wire logic [127:0] flop_data;
  // REG2FLOP waits for a write of the config unit to words 64 to 179 (docs/control.md section 6)
  wire logic flop_done = flop_offered
    && !(cfg_valid && cfg_index >= 8'(CFG_THCON_BASE) && cfg_index < 8'(CFG_GLOBAL_BASE));
  wire config_write_t flop = {flop_done, flop_bank, !flop_bank, flop_wide, flop_index, flop_data};
  wire thread_store_t store;
  wire run_t dst_run = {dst_offered, dst_row, dst_count, dst_mask, dst_data};

  // ---- outputs
  wire logic row_grant [4];
  wire logic [9:0] row_row [4];
  wire logic row_wide;
  wire l1_write_t write [8];
  wire l1_read_t read [5];
  wire logic answer_valid [5];
  wire logic [1023:0] answer_data [5];
  wire histogram_data_t hist_data;
  wire setreg_write_t setreg;
  wire fault_t fault;
  wire logic [6:0] run_fault [4];
  wire logic [2:0] unit_fault;
  wire logic [60:0] live [18], cr [18];
  wire logic counter_illegal [3], counter_x_override [3], counter_empty [3];
  wire logic [8:0] conflict;
  wire logic [63:0] l1_sum;

  pack_units u_units (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flop), .setc16_i(setc16), .store_i(store),
    .issue_valid_i, .issue_thread_i,
    .issue_word_i, .ready_o, .counter_valid_i, .counter_word_i, .offset_i(offset), .hist_i(hist),
    .hist_o(hist_data), .setreg_base_i(base),
    .dst_run_i(dst_run), .dst_ready_o(dst_ready), .dst_written_o(dst_written),
    .dst_zero_i(dst_zero), .dst_read_i(dst_read), .dst_read_row_i(dst_read_row),
    .dst_read_wide_i(dst_read_wide), .row_grant_o(row_grant), .row_row_o(row_row),
    .row_wide_o(row_wide),
    .l1_ready_i(l1_ready), .write_o(write), .read_o(read), .answer_valid_i(answer_valid),
    .answer_data_i(answer_data), .setreg_o(setreg),
    .fault_o(fault), .run_fault_o(run_fault), .unit_fault_o(unit_fault), .busy_o,
    .live_o(live), .cr_o(cr), .counter_illegal_o(counter_illegal),
    .counter_x_override_o(counter_x_override), .counter_empty_o(counter_empty),
    .counter_conflict_o(conflict)
  );

  pack_l1 #(.Lines(L1Lines)) u_l1 (
    .clk_i, .rst_ni, .cycle_i, .latency_i(latency),
    .test_valid_i(l1_valid), .test_line_i(l1_line), .test_data_i(l1_data),
    .write_i(write), .read_i(read), .answer_valid_o(answer_valid),
    .answer_data_o(answer_data), .sum_o(l1_sum)
  );

  // ---- what an item can wait for: how many items of each player were done
  wire logic [2:0] issued;
  wire logic [14:1] done = {store.valid, flop_done, offset.valid, hist.valid, l1_valid,
                            dst_zero.valid, dst_written, setc16_valid[2], setc16_valid[1],
                            setc16_valid[0], cfg.valid, issued};

  for (genvar t = 0; t < 3; t++) begin : gen_issued
    assign issued[t] = counter_valid_i[t] || (issue_valid_i && issue_thread_i == 2'(t));
  end
  tp_counts #(.Sources(14)) u_counts (.clk_i, .rst_ni, .done_i(done), .count_o);

  // ---- players; all items but flop's and dst_write's are done as soon as they are offered
  pack_play_cfg u_play_cfg (
    .clk_i, .rst_ni, .flush_i, .done_i(cfg_valid), .valid_o(cfg_valid), .busy_i(busy_o),
    .count_i(count_o),
    .banks_o(cfg_banks), .index_o(cfg_index), .wide_o(cfg_wide), .data_o(cfg_data)
  );
  pack_play_flop u_play_flop (
    .clk_i, .rst_ni, .flush_i, .done_i(flop_done), .valid_o(flop_offered),
    .busy_i(busy_o), .count_i(count_o), .bank_o(flop_bank),
    .index_o(flop_index), .wide_o(flop_wide), .data_o(flop_data)
  );
  pack_play_store u_play_store (
    .clk_i, .rst_ni, .flush_i, .done_i(store.valid), .valid_o(store.valid),
    .busy_i(busy_o), .count_i(count_o),
    .thread_o(store.thread), .index_o(store.index), .value_o(store.value)
  );
  pack_play_dst_write u_play_dst_write (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_written), .valid_o(dst_offered), .busy_i(busy_o),
    .count_i(count_o),
    .row_o(dst_row), .count_o(dst_count), .mask_o(dst_mask), .data_o(dst_data)
  );
  pack_play_dst_zero u_play_dst_zero (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_zero.valid), .valid_o(dst_zero.valid),
    .busy_i(busy_o), .count_i(count_o), .all_o(dst_zero.all), .half_o(dst_zero.half)
  );
  pack_play_dst_read u_play_dst_read (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_read), .valid_o(dst_read), .row_o(dst_read_row),
    .wide_o(dst_read_wide)
  );
  pack_play_l1_write u_play_l1_write (
    .clk_i, .rst_ni, .flush_i, .done_i(l1_valid), .valid_o(l1_valid), .busy_i(busy_o),
    .count_i(count_o), .line_o(l1_line), .data_o(l1_data)
  );
  pack_play_hist u_play_hist (
    .clk_i, .rst_ni, .flush_i, .done_i(hist.valid), .valid_o(hist.valid), .busy_i(busy_o),
    .count_i(count_o), .op_o(hist.op), .mode_o(hist.mode), .packer_o(hist.packer)
  );
  pack_play_offset u_play_offset (
    .clk_i, .rst_ni, .flush_i, .done_i(offset.valid), .valid_o(offset.valid), .busy_i(busy_o),
    .count_i(count_o), .packers_o(offset.packers), .value_o(offset.value)
  );
  pack_play_setreg_base u_play_setreg_base (
    .clk_i, .rst_ni, .flush_i, .base_o(base.base), .scaler0_o(base.scaler[8:0]),
    .scaler1_o(base.scaler[17:9]), .scaler2_o(base.scaler[26:18]), .scaler3_o(base.scaler[35:27])
  );
  pack_play_l1_latency u_play_l1_latency (.clk_i, .rst_ni, .flush_i, .latency_o(latency));
  pack_play_l1_ready u_play_l1_ready (.clk_i, .rst_ni, .flush_i, .value_o(l1_ready));

  for (genvar t = 0; t < 3; t++) begin : gen_play
    wire setc16_t own;

    assign setc16[t] = own;
    assign setc16_valid[t] = own.valid;
    pack_play_setc16 #(.Index(t)) u_play_setc16 (
      .clk_i, .rst_ni, .flush_i, .done_i(own.valid), .valid_o(own.valid), .busy_i(busy_o),
      .count_i(count_o), .index_o(own.index), .value_o(own.value)
    );
  end

  // ---- recorders
  pack_recorders_in u_recorders_in (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .issue_valid_i, .issue_thread_i, .issue_word_i, .cfg_i(cfg), .flop_i(flop),
    .setc16_i(setc16), .store_i(store), .offset_i(offset), .hist_i(hist), .setreg_base_i(base),
    .l1_ready_i(l1_ready)
  );
  pack_bench_recorders u_bench_recorders (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .counter_valid_i, .counter_word_i,
    .dst_written_i(dst_written), .dst_run_i(dst_run), .dst_zero_i(dst_zero),
    .dst_read_i(dst_read), .dst_read_row_i(dst_read_row), .dst_read_wide_i(dst_read_wide),
    .l1_valid_i(l1_valid), .l1_line_i(l1_line), .l1_data_i(l1_data), .latency_i(latency)
  );
  pack_recorders_out u_recorders_out (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .ready_i(ready_o), .busy_i(busy_o), .row_grant_i(row_grant), .row_row_i(row_row),
    .row_wide_i(row_wide),
    .write_i(write), .read_i(read), .setreg_i(setreg), .hist_i(hist_data), .fault_i(fault),
    .run_fault_i(run_fault), .unit_fault_i(unit_fault)
  );
  pack_counter_recorders u_counter_recorders (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .live_i(live), .cr_i(cr),
    .counter_illegal_i(counter_illegal), .counter_x_override_i(counter_x_override),
    .counter_empty_i(counter_empty), .conflict_i(conflict)
  );

`ifndef TP_NO_RECORD
  // ---- architectural state
  localparam logic [63:0] SumFactor = 64'h9E37_79B9_7F4A_7C15;

  // Whether a storage row of Dst is valid, and what it holds
  function automatic logic [256:0] storage_row(input logic [9:0] s);
    logic [5:0] place;
    begin
      place = s[9:4];
      case (s[3:0] ^ s[7:4])
        4'd0: storage_row = {u_units.u_dst.gen_bank[0].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[0].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[0].u_bank.words_q[place] : 256'd0};
        4'd1: storage_row = {u_units.u_dst.gen_bank[1].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[1].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[1].u_bank.words_q[place] : 256'd0};
        4'd2: storage_row = {u_units.u_dst.gen_bank[2].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[2].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[2].u_bank.words_q[place] : 256'd0};
        4'd3: storage_row = {u_units.u_dst.gen_bank[3].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[3].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[3].u_bank.words_q[place] : 256'd0};
        4'd4: storage_row = {u_units.u_dst.gen_bank[4].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[4].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[4].u_bank.words_q[place] : 256'd0};
        4'd5: storage_row = {u_units.u_dst.gen_bank[5].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[5].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[5].u_bank.words_q[place] : 256'd0};
        4'd6: storage_row = {u_units.u_dst.gen_bank[6].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[6].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[6].u_bank.words_q[place] : 256'd0};
        4'd7: storage_row = {u_units.u_dst.gen_bank[7].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[7].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[7].u_bank.words_q[place] : 256'd0};
        4'd8: storage_row = {u_units.u_dst.gen_bank[8].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[8].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[8].u_bank.words_q[place] : 256'd0};
        4'd9: storage_row = {u_units.u_dst.gen_bank[9].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[9].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[9].u_bank.words_q[place] : 256'd0};
        4'd10: storage_row = {u_units.u_dst.gen_bank[10].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[10].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[10].u_bank.words_q[place] : 256'd0};
        4'd11: storage_row = {u_units.u_dst.gen_bank[11].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[11].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[11].u_bank.words_q[place] : 256'd0};
        4'd12: storage_row = {u_units.u_dst.gen_bank[12].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[12].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[12].u_bank.words_q[place] : 256'd0};
        4'd13: storage_row = {u_units.u_dst.gen_bank[13].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[13].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[13].u_bank.words_q[place] : 256'd0};
        4'd14: storage_row = {u_units.u_dst.gen_bank[14].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[14].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[14].u_bank.words_q[place] : 256'd0};
        default: storage_row = {u_units.u_dst.gen_bank[15].u_flags.valid_q[place],
                             u_units.u_dst.gen_bank[15].u_flags.written_q[place]
                               ? u_units.u_dst.gen_bank[15].u_bank.words_q[place] : 256'd0};
      endcase
    end
  endfunction

  logic [256:0] state_row;
  logic [63:0] state_sum;

  // A run of rows that needs two cycles is recorded in the second one: where a block of cycles ends
  // between them, its rows are still what they were.
  logic [256:0] row_before [9];

  always @(posedge clk_i) begin
    if (dst_offered && !dst_ready) begin
      for (int k = 0; k < 9; k++) row_before[k] <= storage_row(dst_row + 10'(k));
    end
  end

  always @(posedge flush_i) begin : state
    integer fd, other_fd;
    fd = tp_state_open(-1, "dst");
    other_fd = tp_state_open(-1, "dst_valid");
    for (int s = 0; s < 1024; s++) begin
      state_row = storage_row(10'(s));
      if (u_units.u_spread.second_q && 10'(s) - dst_row < 10'(dst_count)) begin
        state_row = row_before[4'(10'(s) - dst_row)];
      end
      for (int c = 0; c < 16; c++) tp_state_put(fd, 32'(state_row[16*c+:16]));
      tp_state_put(other_fd, 32'(state_row[256]));
    end
    $fclose(fd);
    $fclose(other_fd);
    fd = tp_state_open(-1, "bins");
    other_fd = tp_state_open(-1, "maximum");
    for (int p = 0; p < 4; p++) begin
      for (int bin = 0; bin < 32; bin++) begin
        tp_state_put(fd, p < Packers ? 32'(u_units.u_dut.counts[256*p+8*bin+:8]) : 32'd0);
      end
      tp_state_put(other_fd, p < Packers ? 32'(u_units.u_dut.maximum[p]) : 32'd0);
    end
    $fclose(fd);
    $fclose(other_fd);
    fd = tp_state_open(-1, "l1_sum");
    state_sum = SumFactor * l1_sum;
    tp_state_put(fd, state_sum[31:0]);
    tp_state_put(fd, state_sum[63:32]);
    $fclose(fd);
  end
`endif

endmodule

`default_nettype wire
