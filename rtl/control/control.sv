// SPDX-License-Identifier: Apache-2.0
//
// Control: three wait gates, the config unit, the sync unit and the scalar unit.
//
// Latency: a word can issue in the cycle in which it is first offered.
// Handshake: issue is valid/ready, ready combinational and 0 when nothing is offered. unit_valid_o
// is a word that issues to the unit now, only in cycles with unit_ready_i. An access at risc or
// risc_sem is held until its done_o. Everything else is a pulse.
// Reset: everything empty, free, idle and 0. docs/control.md is the cycle contract.
`default_nettype none

module control
  import tilepath_isa_pkg::*;
  import control_pkg::*;
  import control_fault_pkg::*;
#(
  parameter int StaleGpr = 0
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // issue ports, one a thread
  input  wire logic         issue_valid_i [3],
  input  wire logic [31:0]  issue_word_i [3],
  output wire logic         issue_ready_o [3],
  // units: UNPACK0, UNPACK1, PACK, MATH, SFPU, XMOV
  input  wire logic         unit_ready_i [6],
  output wire logic         unit_valid_o [6],
  output wire logic [1:0]   unit_thread_o [6],
  output wire logic [31:0]  unit_word_o [6],
  // address counters: the words of the issue ports, and what REG2FLOP writes
  output wire logic         adc_valid_o [3],
  output wire logic         flop_adc_valid_o,
  output wire logic [1:0]   flop_adc_thread_o,
  output wire logic [1:0]   flop_adc_select_o,
  output wire logic         flop_adc_channel_o,
  output wire logic [1:0]   flop_adc_counter_o,
  output wire logic         flop_adc_checkpoint_o,
  output wire logic [17:0]  flop_adc_value_o,
  // conditions of STALLWAIT as each thread sees them, bits 10 and 12 excepted
  input  wire logic [12:0]  busy_i [3],
  // the thread is in an unpacker's address phase
  input  wire logic [2:0]   hold_i,
  // configuration accesses of the cores
  input  wire logic         risc_valid_i,
  input  wire logic         risc_write_i,
  input  wire logic [9:0]   risc_address_i,
  input  wire logic [31:0]  risc_data_i,
  output wire logic         risc_done_o,
  output wire logic [31:0]  risc_data_o,
  // semaphore accesses of the cores
  input  wire logic         risc_sem_valid_i,
  input  wire logic         risc_sem_write_i,
  input  wire logic [2:0]   risc_sem_index_i,
  input  wire logic         risc_sem_get_i,
  output wire logic         risc_sem_done_o,
  output wire logic [3:0]   risc_sem_data_o,
  // stream registers: what waits compare, one stream a thread, and what STREAMWRCFG reads
  output wire logic [5:0]   wait_stream_o [3],
  input  wire logic [19:0]  wait_phase_i [3],
  input  wire logic [16:0]  wait_msgs_i [3],
  input  wire logic         stream_busy_i,
  output wire logic [5:0]   stream_o,
  output wire logic [9:0]   stream_register_o,
  input  wire logic [31:0]  stream_data_i,
  // configuration as UNPACK0, UNPACK1, PACK see it; index[8]: of the thread's own
  input  wire logic [1:0]   view_thread_i [3],
  input  wire logic [8:0]   view_index_i [3],
  output wire logic [31:0]  view_data_o [3],
  // faults, in the cycle of their cause; sticky from the next cycle on
  output wire logic [FaultWidth-1:0] fault_o [3],
  output wire logic         risc_fault_cfg_oob_o,
  output wire logic         risc_fault_state_reset_o,
  output wire logic         risc_sem_lost_o,
  output wire logic         sticky_cfg_oob_o,
  // state and what happens inside, for monitors
  output wire logic         obs_latch_valid_o [3],
  output wire logic [1:0]   obs_latch_kind_o [3],
  output wire logic [8:0]   obs_latch_block_o [3],
  output wire logic [12:0]  obs_latch_what_o [3],
  output wire logic [19:0]  obs_latch_target_o [3],
  output wire logic         obs_setc16_o [3],
  output wire logic [7:0]   obs_setc16_index_o [3],
  output wire logic [15:0]  obs_setc16_data_o [3],
  output wire logic         obs_rdcfg_o,
  output wire logic [1:0]   obs_rdcfg_thread_o,
  output wire logic [5:0]   obs_rdcfg_gpr_o,
  output wire logic [31:0]  obs_rdcfg_data_o,
  output wire logic [1:0]   obs_gpr_halves_o,  // of obs_scalar_thread_o
  output wire logic [5:0]   obs_gpr_o,
  output wire logic [31:0]  obs_gpr_data_o,
  output wire logic         obs_write_o,
  output wire logic [1:0]   obs_write_source_o,
  output wire logic [1:0]   obs_write_banks_o,
  output wire logic [7:0]   obs_write_index_o,
  output wire logic         obs_write_quad_o,
  output wire logic [127:0] obs_write_data_o,
  output wire logic         obs_flop_o,        // of obs_scalar_thread_o
  output wire logic         obs_flop_bank_o,
  output wire logic [7:0]   obs_flop_index_o,
  output wire logic         obs_flop_quad_o,
  output wire logic [127:0] obs_flop_data_o,
  output wire logic         obs_thread_write_o,
  output wire logic [1:0]   obs_thread_write_thread_o,
  output wire logic [6:0]   obs_thread_write_index_o,
  output wire logic [31:0]  obs_sem_value_o,
  output wire logic [31:0]  obs_sem_max_o,
  output wire logic [11:0]  obs_mutexes_o,
  output wire logic [6:0]   obs_config_pipe_o,
  output wire logic         obs_scalar_busy_o,
  output wire logic [1:0]   obs_scalar_thread_o
);

  // ---- wait gates
  wire logic [15:0] request [3];
  wire logic [2:0] grant, scalar_grant, in_scalar, config_room;
  wire logic [3:0] config_grant, sync_grant, mutex_free;
  wire logic [2:0] mutex_grant [4], unit_grant [6];
  wire logic scalar_available, risc_sync_request;
  wire logic setc16 [3], release_mutex [3];
  wire logic [1:0] mutex [3];
  wire logic [3:0] owned [3];
  wire logic state_id [3];
  wire logic [23:0] streams [3];
  wire semaphores_t semaphores;
  wire logic [7:0] sem_zero, sem_full;
  wire thread_access_t risc_thread;
  wire logic [15:0] risc_thread_data [3];
  wire logic [7:0] view_word [3];
  wire config_read_t view_read [3];
  wire logic [31:0] view_config [3];
  wire logic [5:0] unit_ready = {unit_ready_i[5], unit_ready_i[4], unit_ready_i[3],
                                 unit_ready_i[2], unit_ready_i[1], unit_ready_i[0]};

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic [15:0] view_data [3];
    wire wait_fields_t wait_fields;
    wire latch_t latch;
    wire logic [12:0] outside = busy_i[t];
    wire logic [1:0] unused_busy = {outside[12], outside[10]};
    // bit 10: the cores' accesses; bit 12: the config pipeline (C17)
    wire logic [12:0] busy = {|obs_config_pipe_o[5:0], outside[11], risc_valid_i, outside[9:0]};

    wait_gate #(.StaleGpr(StaleGpr)) u_gate (
      .clk_i, .rst_ni,
      .valid_i(issue_valid_i[t]), .word_i(issue_word_i[t]), .ready_o(issue_ready_o[t]),
      .fault_o(fault_o[t]),
      .inside_i(in_scalar[t] || hold_i[t]),
      .available_i({unit_ready, mutex_free | owned[t], scalar_available, config_room, 2'b10}),
      .request_o(request[t]), .grant_i(grant[t]),
      .adc_o(adc_valid_o[t]), .setc16_o(setc16[t]),
      .release_o(release_mutex[t]), .mutex_o(mutex[t]), .owned_i(owned[t]),
      .busy_i(busy), .semaphores_i(semaphores), .zero_i(sem_zero), .full_i(sem_full),
      .wait_i(wait_fields),
      .stream_o(wait_stream_o[t]), .phase_i(wait_phase_i[t]), .msgs_i(wait_msgs_i[t]),
      .latch_o(latch), .latch_target_o(obs_latch_target_o[t])
    );

    assign streams[t] = wait_fields.streams;
    assign obs_latch_valid_o[t] = latch.valid;
    assign obs_latch_kind_o[t] = latch.kind;
    assign obs_latch_block_o[t] = latch.block;
    assign obs_latch_what_o[t] = latch.what;

    thread_config #(.Thread(t)) u_thread_config (
      .clk_i, .rst_ni,
      .setc16_i(setc16[t]), .word_i(issue_word_i[t][23:0]),
      .risc_i(risc_thread), .risc_data_o(risc_thread_data[t]),
      .view_index_i(view_word), .view_data_o(view_data),
      .state_id_o(state_id[t]), .wait_o(wait_fields),
      .obs_write_o(obs_setc16_o[t]), .obs_index_o(obs_setc16_index_o[t]),
      .obs_data_o(obs_setc16_data_o[t])
    );
  end

  issue_arbiters u_arbiters (
    .clk_i, .rst_ni,
    .request_i(request),
    .risc_config_i(risc_valid_i && !risc_done_o && config_room[2]),
    .risc_sync_i(risc_sync_request),
    .grant_o(grant), .config_grant_o(config_grant), .sync_grant_o(sync_grant),
    .scalar_grant_o(scalar_grant), .mutex_grant_o(mutex_grant), .unit_grant_o(unit_grant)
  );

  for (genvar u = 0; u < 6; u++) begin : gen_unit
    wire issued_t to_unit;

    issue_select u_select (
      .grant_i(unit_grant[u]), .word_i(issue_word_i), .issued_o(to_unit)
    );

    assign unit_valid_o[u] = to_unit.valid;
    assign unit_thread_o[u] = to_unit.thread;
    assign unit_word_o[u] = to_unit.word;
  end

  // ---- config unit and what it works on
  wire issued_t to_config, to_sync, to_scalar;
  wire config_read_t config_read;
  wire config_write_t config_write, flop_write;
  wire config_target_t target = config_write.target, flop_target = flop_write.target;
  wire logic [31:0] config_data, config_scratch;
  wire logic [1:0] config_scratch_index;
  wire gpr_read_t config_gpr_read, scalar_gpr_read;
  wire gpr_write_t rdcfg_write, scalar_gpr_write;
  wire logic [127:0] config_gprs, scalar_gprs;
  wire logic flop_stall;

  issue_select u_to_config (
    .grant_i(config_grant[2:0]), .word_i(issue_word_i), .issued_o(to_config)
  );

  config_unit u_config (
    .clk_i, .rst_ni,
    .issue_i(to_config),
    .room_o(config_room), .pipe_o(obs_config_pipe_o),
    .risc_grant_i(config_grant[3]), .risc_write_i, .risc_address_i, .risc_data_i,
    .risc_done_o, .risc_data_o,
    .risc_oob_o(risc_fault_cfg_oob_o), .risc_state_reset_o(risc_fault_state_reset_o),
    .state_id_i(state_id), .streams_i(streams),
    .thread_o(risc_thread), .thread_data_i(risc_thread_data[risc_thread.thread]),
    .stream_busy_i, .stream_o, .register_o(stream_register_o), .stream_data_i,
    .gpr_read_o(config_gpr_read), .gpr_data_i(config_gprs), .rdcfg_o(rdcfg_write),
    .read_o(config_read), .data_i(config_data),
    .scratch_o(config_scratch_index), .scratch_i(config_scratch),
    .write_o(config_write), .write_source_o(obs_write_source_o)
  );

  config_store u_store (
    .clk_i, .rst_ni,
    .a_i(config_write), .b_i(flop_write),
    .read_i(config_read), .data_o(config_data),
    .scratch_i(config_scratch_index), .scratch_o(config_scratch),
    .view_i(view_read), .view_data_o(view_config)
  );

  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire logic [15:0] own = view_thread_i[v][1] ? gen_thread[2].view_data[v]
                          : view_thread_i[v][0] ? gen_thread[1].view_data[v]
                                                : gen_thread[0].view_data[v];

    wire logic view_bank = view_thread_i[v][1] ? state_id[2]
                         : view_thread_i[v][0] ? state_id[1] : state_id[0];

    assign view_word[v] = view_index_i[v][7:0];
    assign view_read[v] = {view_bank, view_word[v]};
    assign view_data_o[v] = view_index_i[v][8] ? {16'd0, own} : view_config[v];
  end

  // ---- sync unit
  issue_select u_to_sync (
    .grant_i(sync_grant[2:0]), .word_i(issue_word_i), .issued_o(to_sync)
  );

  sync_unit u_sync (
    .clk_i, .rst_ni,
    .issue_i(to_sync),
    .risc_valid_i(risc_sem_valid_i), .risc_write_i(risc_sem_write_i),
    .risc_index_i(risc_sem_index_i), .risc_get_i(risc_sem_get_i),
    .risc_request_o(risc_sync_request), .risc_grant_i(sync_grant[3]),
    .risc_done_o(risc_sem_done_o), .risc_data_o(risc_sem_data_o),
    .risc_lost_o(risc_sem_lost_o), .zero_o(sem_zero), .full_o(sem_full),
    .take_i(mutex_grant), .release_i(release_mutex), .mutex_i(mutex),
    .free_o(mutex_free), .owned_o(owned),
    .semaphores_o(semaphores), .mutexes_o(obs_mutexes_o)
  );

  // ---- scalar unit and GPRs
  wire counter_write_t counter_write;
  wire counter_t counter = counter_write.counter;
  wire logic flop_bank;

  assign flop_stall = config_write.valid && target.index >= CFG_THCON_BASE
                   && target.index < CFG_GLOBAL_BASE;
  assign flop_bank = state_id[obs_scalar_thread_o];

  issue_select u_to_scalar (
    .grant_i(scalar_grant), .word_i(issue_word_i), .issued_o(to_scalar)
  );

  scalar_unit u_scalar (
    .clk_i, .rst_ni,
    .issue_i(to_scalar),
    .available_o(scalar_available), .inside_o(in_scalar),
    .busy_o(obs_scalar_busy_o), .thread_o(obs_scalar_thread_o),
    .gpr_read_o(scalar_gpr_read), .gpr_data_i(scalar_gprs), .gpr_write_o(scalar_gpr_write),
    .stall_i(flop_stall), .bank_i(flop_bank), .flop_o(flop_write),
    .counter_o(counter_write)
  );

  assign flop_adc_valid_o = counter_write.valid;
  assign flop_adc_thread_o = counter_write.thread;
  assign flop_adc_select_o = counter.select;
  assign flop_adc_channel_o = counter.channel;
  assign flop_adc_counter_o = counter.xyzw;
  assign flop_adc_checkpoint_o = counter.checkpoint;
  assign flop_adc_value_o = counter_write.value;

  gpr_file u_gprs (
    .clk_i, .rst_ni,
    .cfg_read_i(config_gpr_read), .cfg_data_o(config_gprs),
    .scalar_read_i(scalar_gpr_read), .scalar_data_o(scalar_gprs),
    .rdcfg_i(rdcfg_write), .scalar_i(scalar_gpr_write)
  );

  // ---- for monitors
  assign obs_rdcfg_o = rdcfg_write.halves != 2'd0;
  assign obs_rdcfg_thread_o = rdcfg_write.thread;
  assign obs_rdcfg_gpr_o = rdcfg_write.gpr;
  assign obs_rdcfg_data_o = rdcfg_write.data;
  assign obs_gpr_halves_o = scalar_gpr_write.halves;
  assign obs_gpr_o = scalar_gpr_write.gpr;
  assign obs_gpr_data_o = scalar_gpr_write.data;
  assign obs_write_o = config_write.valid;
  assign obs_write_banks_o = target.banks;
  assign obs_write_index_o = target.index;
  assign obs_write_quad_o = target.quad;
  assign obs_write_data_o = config_write.data;
  assign obs_flop_o = flop_write.valid;
  assign obs_flop_bank_o = flop_target.banks[1];
  assign obs_flop_index_o = flop_target.index;
  assign obs_flop_quad_o = flop_target.quad;
  assign obs_flop_data_o = flop_write.data;
  assign obs_thread_write_o = risc_thread.write;
  assign obs_thread_write_thread_o = risc_thread.thread;
  assign obs_thread_write_index_o = risc_thread.index;
  assign obs_sem_value_o = semaphores.value;
  assign obs_sem_max_o = semaphores.max;

  // ---- sticky
  logic sticky_q;

  assign sticky_cfg_oob_o = sticky_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sticky_q <= 1'b0;
    else if (fault_o[0][FaultCfgOob] || fault_o[1][FaultCfgOob] || fault_o[2][FaultCfgOob]
             || risc_fault_cfg_oob_o) sticky_q <= 1'b1;
  end

`ifndef SYNTHESIS
  logic risc_waits_q;
  wire logic [5:0] unit_valid = {unit_valid_o[5], unit_valid_o[4], unit_valid_o[3],
                                 unit_valid_o[2], unit_valid_o[1], unit_valid_o[0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) risc_waits_q <= 1'b0;
    else risc_waits_q <= risc_valid_i && !risc_done_o;
  end

  always @(posedge clk_i) begin
    if (!risc_valid_i) begin
      if (risc_waits_q) $fatal(1, "control: an access of the cores was withdrawn");
      if (risc_done_o) $fatal(1, "control: an access is done that is not there");
    end
    if ((unit_valid & ~unit_ready) != '0)
      $fatal(1, "control: words for units %b, of which %b are ready", unit_valid, unit_ready);
  end
`endif

endmodule

`default_nettype wire
