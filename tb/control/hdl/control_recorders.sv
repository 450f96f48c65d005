// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the control block's streams but the views; docs/control.md section 9. Offers of
// the cores' accesses are first cycles; those at the issue ports are found here.
`timescale 1ns / 1ps
`default_nettype none

module control_recorders
  import control_fault_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [31:0]  cycle_i,
  input wire logic         flush_i,
  input wire logic [5:0]   unit_ready_i,
  input wire logic [12:0]  busy_i [3],
  input wire logic [2:0]   hold_i,
  input wire logic         stream_busy_i,
  input wire logic         stream_write_i,
  input wire logic [5:0]   written_stream_i,
  input wire logic [9:0]   written_register_i,
  input wire logic [31:0]  written_data_i,
  input wire logic         risc_offer_i,
  input wire logic         risc_write_i,
  input wire logic [9:0]   risc_address_i,
  input wire logic [31:0]  risc_data_i,
  input wire logic         risc_done_i,
  input wire logic [31:0]  risc_read_i,
  input wire logic         sem_offer_i,
  input wire logic         sem_write_i,
  input wire logic [2:0]   sem_index_i,
  input wire logic         sem_get_i,
  input wire logic         sem_done_i,
  input wire logic [3:0]   sem_read_i,
  input wire logic         issue_valid_i [3],
  input wire logic [31:0]  issue_word_i [3],
  input wire logic         issue_ready_i [3],
  input wire logic         unit_valid_i [6],
  input wire logic [1:0]   unit_thread_i [6],
  input wire logic [31:0]  unit_word_i [6],
  input wire logic         adc_valid_i [3],
  input wire logic         flop_adc_i,
  input wire logic [1:0]   flop_adc_thread_i,
  input wire logic [1:0]   flop_adc_select_i,
  input wire logic         flop_adc_channel_i,
  input wire logic [1:0]   flop_adc_counter_i,
  input wire logic         flop_adc_checkpoint_i,
  input wire logic [17:0]  flop_adc_value_i,
  input wire logic [FaultWidth-1:0] fault_i [3],
  input wire logic         risc_oob_i,
  input wire logic         risc_state_reset_i,
  input wire logic         risc_sem_lost_i,
  input wire logic         sticky_oob_i,
  input wire logic         latch_valid_i [3],
  input wire logic [1:0]   latch_kind_i [3],
  input wire logic [8:0]   latch_block_i [3],
  input wire logic [12:0]  latch_what_i [3],
  input wire logic [19:0]  latch_target_i [3],
  input wire logic         setc16_i [3],
  input wire logic [7:0]   setc16_index_i [3],
  input wire logic [15:0]  setc16_data_i [3],
  input wire logic         rdcfg_i,
  input wire logic [1:0]   rdcfg_thread_i,
  input wire logic [5:0]   rdcfg_gpr_i,
  input wire logic [31:0]  rdcfg_data_i,
  input wire logic [1:0]   gpr_halves_i,
  input wire logic [5:0]   gpr_i,
  input wire logic [31:0]  gpr_data_i,
  input wire logic         write_i,
  input wire logic [1:0]   write_source_i,
  input wire logic [1:0]   write_banks_i,
  input wire logic [7:0]   write_index_i,
  input wire logic         write_quad_i,
  input wire logic [127:0] write_data_i,
  input wire logic         flop_i,
  input wire logic         flop_bank_i,
  input wire logic [7:0]   flop_index_i,
  input wire logic         flop_quad_i,
  input wire logic [127:0] flop_data_i,
  input wire logic         thread_write_i,
  input wire logic [1:0]   thread_write_thread_i,
  input wire logic [6:0]   thread_write_index_i,
  input wire logic [31:0]  sem_value_i,
  input wire logic [31:0]  sem_max_i,
  input wire logic [11:0]  mutexes_i,
  input wire logic [6:0]   config_pipe_i,
  input wire logic         scalar_busy_i,
  input wire logic [1:0]   scalar_thread_i
);

  // ---- recorders, inputs
  control_rec_risc u_rec_risc (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(risc_offer_i), .write_i(risc_write_i), .address_i(risc_address_i), .data_i(risc_data_i)
  );
  control_rec_risc_sem u_rec_risc_sem (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(sem_offer_i), .write_i(sem_write_i), .index_i(sem_index_i), .get_i(sem_get_i)
  );
  control_rec_hold u_rec_hold (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(hold_i)
  );
  control_rec_unit_ready u_rec_unit_ready (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(unit_ready_i)
  );
  control_rec_stream_busy u_rec_stream_busy (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(stream_busy_i)
  );
  control_rec_stream_write u_rec_stream_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(stream_write_i), .stream_i(written_stream_i), .register_i(written_register_i),
    .data_i(written_data_i)
  );

  // ---- recorders, outputs
  control_rec_unpack0 u_rec_unpack0 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[0]), .thread_i(unit_thread_i[0]), .word_i(unit_word_i[0])
  );
  control_rec_unpack1 u_rec_unpack1 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[1]), .thread_i(unit_thread_i[1]), .word_i(unit_word_i[1])
  );
  control_rec_pack u_rec_pack (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[2]), .thread_i(unit_thread_i[2]), .word_i(unit_word_i[2])
  );
  control_rec_math u_rec_math (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[3]), .thread_i(unit_thread_i[3]), .word_i(unit_word_i[3])
  );
  control_rec_sfpu u_rec_sfpu (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[4]), .thread_i(unit_thread_i[4]), .word_i(unit_word_i[4])
  );
  control_rec_xmov u_rec_xmov (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_valid_i[5]), .thread_i(unit_thread_i[5]), .word_i(unit_word_i[5])
  );
  control_rec_config_write u_rec_config_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(write_i), .source_i(write_source_i), .banks_i(write_banks_i), .index_i(write_index_i),
    .quad_i(write_quad_i), .data0_i(write_data_i[31:0]), .data1_i(write_data_i[63:32]),
    .data2_i(write_data_i[95:64]), .data3_i(write_data_i[127:96])
  );
  control_rec_flop_write u_rec_flop_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(flop_i), .thread_i(scalar_thread_i), .bank_i(flop_bank_i), .index_i(flop_index_i),
    .quad_i(flop_quad_i), .data0_i(flop_data_i[31:0]), .data1_i(flop_data_i[63:32]),
    .data2_i(flop_data_i[95:64]), .data3_i(flop_data_i[127:96])
  );
  control_rec_flop_adc u_rec_flop_adc (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(flop_adc_i), .thread_i(flop_adc_thread_i), .select_i(flop_adc_select_i),
    .channel_i(flop_adc_channel_i), .counter_i(flop_adc_counter_i), .checkpoint_i(flop_adc_checkpoint_i),
    .value_i(flop_adc_value_i)
  );
  control_rec_risc_done u_rec_risc_done (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(risc_done_i), .data_i(risc_read_i)
  );
  control_rec_risc_thread_write u_rec_risc_thread_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(thread_write_i), .thread_i(thread_write_thread_i), .index_i(thread_write_index_i),
    .data_i(risc_data_i[15:0])
  );
  control_rec_risc_sem_done u_rec_risc_sem_done (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(sem_done_i), .data_i(sem_read_i)
  );
  control_rec_risc_fault u_rec_risc_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(risc_oob_i || risc_state_reset_i), .cfg_oob_i(risc_oob_i), .state_reset_i(risc_state_reset_i)
  );
  control_rec_risc_sem_fault u_rec_risc_sem_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(risc_sem_lost_i), .sem_lost_i(risc_sem_lost_i)
  );
  control_rec_semaphores u_rec_semaphores (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(sem_value_i), .max_i(sem_max_i)
  );
  control_rec_mutexes u_rec_mutexes (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(mutexes_i)
  );
  control_rec_config_pipe u_rec_config_pipe (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .stages_i(config_pipe_i)
  );
  control_rec_scalar u_rec_scalar (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .busy_i(scalar_busy_i), .thread_i(scalar_thread_i)
  );
  control_rec_sticky u_rec_sticky (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .cfg_oob_i(sticky_oob_i)
  );
  for (genvar t = 0; t < 3; t++) begin : gen_thread
    control_rec_busy #(.Index(t)) u_rec_busy (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(busy_i[t])
    );
    logic held_q;  // offered in the cycle before, and not taken
    wire logic held = issue_valid_i[t] && !issue_ready_i[t];

    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b0;
      else held_q <= held;
    end

    control_rec_offer #(.Index(t)) u_rec_offer (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(issue_valid_i[t] && !held_q), .word_i(issue_word_i[t])
    );
    control_rec_issue #(.Index(t)) u_rec_issue (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(issue_ready_i[t]), .word_i(issue_word_i[t])
    );
    control_rec_latch #(.Index(t)) u_rec_latch (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(latch_valid_i[t]), .kind_i(latch_kind_i[t]), .block_i(latch_block_i[t]),
      .what_i(latch_what_i[t]), .target_i(latch_target_i[t])
    );
    control_rec_fault #(.Index(t)) u_rec_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(fault_i[t] != '0), .illegal_i(fault_i[t][FaultIllegal]),
      .unsupported_i(fault_i[t][FaultUnsupported]), .cfg_oob_i(fault_i[t][FaultCfgOob]),
      .state_reset_i(fault_i[t][FaultStateReset]), .sem_cond_i(fault_i[t][FaultSemCond]),
      .mutex_index_i(fault_i[t][FaultMutexIndex]), .mutex_owner_i(fault_i[t][FaultMutexOwner]),
      .flop_target_i(fault_i[t][FaultFlopTarget]), .flop_size_i(fault_i[t][FaultFlopSize]),
      .sem_lost_i(fault_i[t][FaultSemLost]), .stale_gpr_i(fault_i[t][FaultStaleGpr])
    );
    control_rec_setc16 #(.Index(t)) u_rec_setc16 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(setc16_i[t]), .index_i(setc16_index_i[t]), .data_i(setc16_data_i[t])
    );
    control_rec_rdcfg #(.Index(t)) u_rec_rdcfg (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(rdcfg_i && rdcfg_thread_i == 2'(t)), .gpr_i(rdcfg_gpr_i), .data_i(rdcfg_data_i)
    );
    control_rec_gpr #(.Index(t)) u_rec_gpr (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(gpr_halves_i != 2'd0 && scalar_thread_i == 2'(t)), .gpr_i(gpr_i), .halves_i(gpr_halves_i),
      .data_i(gpr_data_i)
    );
    control_rec_adc #(.Index(t)) u_rec_adc (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(adc_valid_i[t]), .word_i(issue_word_i[t])
    );
  end

endmodule

`default_nettype wire
