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
(
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
  // conditions of STALLWAIT, bits 10 and 12 excepted
  input  wire logic [12:0]  busy_i,
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
  output wire logic [8:0]   fault_o [3],
  output wire logic         risc_fault_cfg_oob_o,
  output wire logic         risc_fault_state_reset_o,
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
  wire logic [9:0] phase_hi [3];
  wire logic [6:0] msgs_hi [3];
  wire logic [23:0] streams [3];
  wire logic [15:0] risc_thread_data [3];
  wire logic [7:0] view_word [3];
  wire logic [31:0] view_config [3];
  wire logic view_bank [3];
  wire logic [1:0] unused_busy = {busy_i[12], busy_i[10]};
  // bit 10: the cores' accesses; bit 12: the config pipeline (C17)
  wire logic [12:0] busy = {|obs_config_pipe_o[5:0], busy_i[11], risc_valid_i, busy_i[9:0]};
  wire logic [5:0] unit_ready = {unit_ready_i[5], unit_ready_i[4], unit_ready_i[3],
                                 unit_ready_i[2], unit_ready_i[1], unit_ready_i[0]};

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic [15:0] view_data [3];
    wire logic risc_write = obs_thread_write_o && obs_thread_write_thread_o == 2'(t);

    wait_gate u_gate (
      .clk_i, .rst_ni,
      .valid_i(issue_valid_i[t]), .word_i(issue_word_i[t]), .ready_o(issue_ready_o[t]),
      .fault_o(fault_o[t]),
      .inside_i(in_scalar[t]),
      .available_i({unit_ready, mutex_free | owned[t], scalar_available, config_room, 2'b10}),
      .request_o(request[t]), .grant_i(grant[t]),
      .adc_o(adc_valid_o[t]), .setc16_o(setc16[t]),
      .release_o(release_mutex[t]), .mutex_o(mutex[t]), .owned_i(owned[t]),
      .busy_i(busy), .sem_value_i(obs_sem_value_o), .sem_max_i(obs_sem_max_o),
      .phase_hi_i(phase_hi[t]), .msgs_hi_i(msgs_hi[t]), .streams_i(streams[t]),
      .stream_o(wait_stream_o[t]), .phase_i(wait_phase_i[t]), .msgs_i(wait_msgs_i[t]),
      .latch_valid_o(obs_latch_valid_o[t]), .latch_kind_o(obs_latch_kind_o[t]),
      .latch_block_o(obs_latch_block_o[t]), .latch_what_o(obs_latch_what_o[t]),
      .latch_target_o(obs_latch_target_o[t])
    );

    thread_config u_thread_config (
      .clk_i, .rst_ni,
      .setc16_i(setc16[t]), .word_i(issue_word_i[t][23:0]),
      .risc_write_i(risc_write), .risc_index_i(obs_thread_write_index_o),
      .risc_data_i(risc_data_i[15:0]), .risc_data_o(risc_thread_data[t]),
      .view_index_i(view_word), .view_data_o(view_data),
      .state_id_o(state_id[t]), .phase_hi_o(phase_hi[t]), .msgs_hi_o(msgs_hi[t]),
      .streams_o(streams[t]),
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
    assign unit_valid_o[u] = unit_grant[u] != 3'd0;
    assign unit_thread_o[u] = unit_grant[u][2:1];  // one-hot to number
    assign unit_word_o[u] = unit_grant[u][2] ? issue_word_i[2]
                          : unit_grant[u][1] ? issue_word_i[1] : issue_word_i[0];
  end

  // ---- config unit and what it works on
  wire logic config_bank;
  wire logic [7:0] config_index;
  wire logic [31:0] config_data, config_scratch;
  wire logic [1:0] config_scratch_index, config_gpr_thread;
  wire logic [3:0] config_gpr_group, scalar_gpr_group;
  wire logic [127:0] config_gprs, scalar_gprs;
  wire logic flop_stall;

  config_unit u_config (
    .clk_i, .rst_ni,
    .issue_i(config_grant[2:0] != 3'd0), .thread_i(config_grant[2:1]),
    .word_i(config_grant[2] ? issue_word_i[2]
            : config_grant[1] ? issue_word_i[1] : issue_word_i[0]),
    .room_o(config_room), .pipe_o(obs_config_pipe_o),
    .risc_grant_i(config_grant[3]), .risc_write_i, .risc_address_i, .risc_data_i,
    .risc_done_o, .risc_data_o,
    .risc_oob_o(risc_fault_cfg_oob_o), .risc_state_reset_o(risc_fault_state_reset_o),
    .state_id_i(state_id), .streams_i(streams),
    .thread_write_o(obs_thread_write_o), .thread_o(obs_thread_write_thread_o),
    .thread_index_o(obs_thread_write_index_o),
    .thread_data_i(risc_thread_data[obs_thread_write_thread_o]),
    .stream_busy_i, .stream_o, .register_o(stream_register_o), .stream_data_i,
    .gpr_thread_o(config_gpr_thread), .gpr_group_o(config_gpr_group), .gpr_data_i(config_gprs),
    .rdcfg_valid_o(obs_rdcfg_o), .rdcfg_thread_o(obs_rdcfg_thread_o),
    .rdcfg_gpr_o(obs_rdcfg_gpr_o), .rdcfg_data_o(obs_rdcfg_data_o),
    .bank_o(config_bank), .index_o(config_index), .data_i(config_data),
    .scratch_o(config_scratch_index), .scratch_i(config_scratch),
    .write_o(obs_write_o), .write_source_o(obs_write_source_o),
    .write_banks_o(obs_write_banks_o), .write_index_o(obs_write_index_o),
    .write_quad_o(obs_write_quad_o), .write_data_o(obs_write_data_o)
  );

  config_store u_store (
    .clk_i, .rst_ni,
    .a_valid_i(obs_write_o), .a_banks_i(obs_write_banks_o), .a_index_i(obs_write_index_o),
    .a_quad_i(obs_write_quad_o), .a_data_i(obs_write_data_o),
    .b_valid_i(obs_flop_o), .b_bank_i(obs_flop_bank_o), .b_index_i(obs_flop_index_o),
    .b_quad_i(obs_flop_quad_o), .b_data_i(obs_flop_data_o),
    .bank_i(config_bank), .index_i(config_index), .data_o(config_data),
    .scratch_i(config_scratch_index), .scratch_o(config_scratch),
    .view_bank_i(view_bank), .view_index_i(view_word), .view_data_o(view_config)
  );

  for (genvar v = 0; v < 3; v++) begin : gen_view
    wire logic [15:0] own = view_thread_i[v][1] ? gen_thread[2].view_data[v]
                          : view_thread_i[v][0] ? gen_thread[1].view_data[v]
                                                : gen_thread[0].view_data[v];

    assign view_word[v] = view_index_i[v][7:0];
    assign view_bank[v] = view_thread_i[v][1] ? state_id[2]
                        : view_thread_i[v][0] ? state_id[1] : state_id[0];
    assign view_data_o[v] = view_index_i[v][8] ? {16'd0, own} : view_config[v];
  end

  // ---- sync unit
  sync_unit u_sync (
    .clk_i, .rst_ni,
    .issue_i(sync_grant[2:0] != 3'd0),
    .word_i(sync_grant[2] ? issue_word_i[2] : sync_grant[1] ? issue_word_i[1] : issue_word_i[0]),
    .risc_valid_i(risc_sem_valid_i), .risc_write_i(risc_sem_write_i),
    .risc_index_i(risc_sem_index_i), .risc_get_i(risc_sem_get_i),
    .risc_request_o(risc_sync_request), .risc_grant_i(sync_grant[3]),
    .risc_done_o(risc_sem_done_o), .risc_data_o(risc_sem_data_o),
    .take_i(mutex_grant), .release_i(release_mutex), .mutex_i(mutex),
    .free_o(mutex_free), .owned_o(owned),
    .value_o(obs_sem_value_o), .max_o(obs_sem_max_o), .mutexes_o(obs_mutexes_o)
  );

  // ---- scalar unit and GPRs
  assign flop_stall = obs_write_o && obs_write_index_o >= CFG_THCON_BASE
                   && obs_write_index_o < CFG_GLOBAL_BASE;
  assign obs_flop_bank_o = state_id[obs_scalar_thread_o];

  scalar_unit u_scalar (
    .clk_i, .rst_ni,
    .issue_i(scalar_grant != 3'd0), .thread_i(scalar_grant[2:1]),
    .word_i(scalar_grant[2] ? issue_word_i[2]
            : scalar_grant[1] ? issue_word_i[1] : issue_word_i[0]),
    .available_o(scalar_available), .inside_o(in_scalar),
    .busy_o(obs_scalar_busy_o), .thread_o(obs_scalar_thread_o),
    .gpr_group_o(scalar_gpr_group), .gpr_data_i(scalar_gprs),
    .gpr_halves_o(obs_gpr_halves_o), .gpr_o(obs_gpr_o), .gpr_data_o(obs_gpr_data_o),
    .stall_i(flop_stall),
    .flop_write_o(obs_flop_o), .flop_index_o(obs_flop_index_o), .flop_quad_o(obs_flop_quad_o),
    .flop_data_o(obs_flop_data_o),
    .adc_valid_o(flop_adc_valid_o), .adc_thread_o(flop_adc_thread_o),
    .adc_select_o(flop_adc_select_o), .adc_channel_o(flop_adc_channel_o),
    .adc_counter_o(flop_adc_counter_o), .adc_checkpoint_o(flop_adc_checkpoint_o),
    .adc_value_o(flop_adc_value_o)
  );

  gpr_file u_gprs (
    .clk_i, .rst_ni,
    .cfg_thread_i(config_gpr_thread), .cfg_group_i(config_gpr_group), .cfg_data_o(config_gprs),
    .scalar_thread_i(obs_scalar_thread_o), .scalar_group_i(scalar_gpr_group),
    .scalar_data_o(scalar_gprs),
    .rdcfg_valid_i(obs_rdcfg_o), .rdcfg_thread_i(obs_rdcfg_thread_o),
    .rdcfg_gpr_i(obs_rdcfg_gpr_o), .rdcfg_data_i(obs_rdcfg_data_o),
    .scalar_halves_i(obs_gpr_halves_o), .scalar_gpr_i(obs_gpr_o), .scalar_data_i(obs_gpr_data_o)
  );

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

  always @(posedge clk_i) begin
    risc_waits_q <= risc_valid_i && !risc_done_o;
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
