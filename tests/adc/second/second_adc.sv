// SPDX-License-Identifier: Apache-2.0
//
// The address counters built another way: each counter is a module of its own, and what six
// commands do to it is joined in a tree before its value is known.
//
// Latency: a command in cycle t shows at the counters in t+1; faults and conflicts are up in t.
// Handshake: none, no command is ever refused. Reset: all counters and checkpoints 0.
`default_nettype none

module second_adc
  import effect_pkg::*;
#(
  parameter int ZwW = 8
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        issue_valid_i [3],
  input  wire logic [31:0] issue_word_i [3],
  input  wire logic        unpack_valid_i,
  input  wire logic        unpack_unpacker_i,
  input  wire logic [1:0]  unpack_thread_i,
  input  wire logic [1:0]  unpack_adc_i,
  input  wire logic [1:0]  unpack_y0_i,
  input  wire logic [1:0]  unpack_z0_i,
  input  wire logic [1:0]  unpack_y1_i,
  input  wire logic [1:0]  unpack_z1_i,
  input  wire logic        pack_valid_i,
  input  wire logic [2:0]  pack_sets_i,
  input  wire logic [15:0] pack_addr_mod_i,
  input  wire logic        flop_valid_i,
  input  wire logic [1:0]  flop_thread_i,
  input  wire logic [1:0]  flop_select_i,
  input  wire logic        flop_channel_i,
  input  wire logic [1:0]  flop_counter_i,
  input  wire logic        flop_checkpoint_i,
  input  wire logic [17:0] flop_value_i,
  output wire logic [60:0] live_o [18],
  output wire logic [60:0] cr_o [18],
  output wire logic        fault_illegal_o [3],
  output wire logic        fault_x_override_o [3],
  output wire logic        fault_empty_o [3],
  output wire logic        fault_unpack_thread_o,
  output wire logic        fault_flop_thread_o,
  output wire logic        fault_flop_select_o,
  output wire logic [8:0]  conflict_o
);

  // of the cycle's orders, in the order in which they apply
  wire logic [2:0] sets [6];
  wire logic [2:0] targets [6];
  wire logic [23:0] kinds [6];
  wire logic [143:0] values [6];
  wire logic [2:0] unit_sets [3];
  wire logic [2:0] unit_targets [3];
  wire logic [23:0] unit_kinds [3];
  wire logic [143:0] unit_values [3];

  second_units u_units (
    .unpack_valid_i, .unpack_unpacker_i, .unpack_thread_i, .unpack_adc_i, .unpack_y0_i,
    .unpack_z0_i, .unpack_y1_i, .unpack_z1_i, .pack_valid_i, .pack_sets_i, .pack_addr_mod_i,
    .flop_valid_i, .flop_thread_i, .flop_select_i, .flop_channel_i, .flop_counter_i,
    .flop_checkpoint_i, .flop_value_i,
    .sets_o(unit_sets), .targets_o(unit_targets), .kind_o(unit_kinds), .value_o(unit_values),
    .fault_unpack_thread_o, .fault_flop_thread_o, .fault_flop_select_o
  );

  for (genvar n = 0; n < 3; n++) begin : gen_writer
    assign sets[n] = unit_sets[n];
    assign targets[n] = unit_targets[n];
    assign kinds[n] = unit_kinds[n];
    assign values[n] = unit_values[n];

    second_thread #(.Thread(n)) u_thread (
      .valid_i(issue_valid_i[n]), .word_i(issue_word_i[n]),
      .sets_o(sets[3+n]), .targets_o(targets[3+n]),
      .kind_o(kinds[3+n]), .value_o(values[3+n]),
      .illegal_o(fault_illegal_o[n]), .x_override_o(fault_x_override_o[n]),
      .empty_o(fault_empty_o[n])
    );
  end

  for (genvar s = 0; s < 3; s++) begin : gen_set
    for (genvar k = 0; k < 3; k++) begin : gen_target
      wire logic [7:0] clash;

      assign conflict_o[3*s+k] = clash != 8'd0;

      for (genvar n = 0; n < 8; n++) begin : gen_counter
        localparam int Width = n % 4 == 0 ? 18 : n % 4 == 1 ? 13 : ZwW;
        wire logic [17:0] kind;
        wire logic [107:0] value;
        wire logic [Width-1:0] live, mark;

        for (genvar w = 0; w < 6; w++) begin : gen_order
          assign kind[3*w+:3] = sets[w][s] && targets[w][k] ? kinds[w][3*n+:3] : NONE;
          assign value[18*w+:18] = values[w][18*n+:18];
        end

        second_counter #(.Width(Width)) u_counter (
          .clk_i, .rst_ni, .kind_i(kind), .value_i(value),
          .live_o(live), .mark_o(mark), .clash_o(clash[n])
        );
      end

      for (genvar c = 0; c < 2; c++) begin : gen_channel
        assign live_o[6*s+2*k+c] = {
          14'(gen_counter[4*c+3].live), 14'(gen_counter[4*c+2].live),
          14'(gen_counter[4*c+1].live), 19'(gen_counter[4*c].live)
        };
        assign cr_o[6*s+2*k+c] = {
          14'(gen_counter[4*c+3].mark), 14'(gen_counter[4*c+2].mark),
          14'(gen_counter[4*c+1].mark), 19'(gen_counter[4*c].mark)
        };
      end
    end
  end

endmodule

`default_nettype wire
