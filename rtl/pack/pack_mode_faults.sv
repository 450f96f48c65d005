// SPDX-License-Identifier: Apache-2.0
//
// Faults that a packer's mode alone tells (section 10 of docs/pack.md), those of the source and of
// Flush not yet left out.
//
// Latency: one cycle behind the mode, two where it masks. Handshake: none. Reset: no flags.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_mode_faults
  import format_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
#(
  parameter int R10Fp16 = 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire mode_t                 mode_i,
  input  wire packer_mode_t          packer_i,
  input  wire logic                  masked_i,  // one cycle behind the mode
  output wire logic [FaultWidth-1:0] flags_o
);

  logic [FaultWidth-1:0] flags_q;

  assign flags_o = flags_q;

  // FP16 out of wider datums (P22, P57).
  function automatic logic narrows(input mode_t mode, input packer_mode_t packer);
    narrows = mode.round_10b && !mode.read_raw && packer.from == Fp16
      && (mode.intermediate == Fp32 || mode.intermediate == Tf32 || mode.intermediate == Bf16);
  endfunction

  // A cell of P20 that has no conversion.
  function automatic logic no_early(input mode_t mode, input packer_mode_t packer);
    logic wide, raw, to_tf32;

    wide = mode.read_32b;
    raw = mode.read_raw;
    to_tf32 = packer.from == Tf32 && packer.to == Fp16 || R10Fp16 == 1 && narrows(mode, packer);
    case (mode.intermediate)
      Fp32: no_early = !wide && (raw || !mode.round_10b);
      Tf32: no_early = !wide && raw;
      Int32: no_early = !wide;
      Bf16: no_early = !raw && mode.round_10b && !to_tf32;
      Bfp8, Int16: no_early = 1'b0;
      Fp16: no_early = wide && (raw || !(R10Fp16 == 1 && mode.round_10b));
      Bfp8a: no_early = wide;
      Fp8: no_early = wide || !raw;
      Int8: no_early = !wide && (mode.read_unsigned || !raw);
      default: no_early = 1'b1;
    endcase
  endfunction

  // FROM does not go with the intermediate format (P23).
  function automatic logic no_pair(input mode_t mode, input packer_mode_t packer);
    logic copies, is_tf32, both_wide, both_tf32, both_bf16;
    logic [3:0] intermediate;

    intermediate = mode.intermediate;
    copies = mode.read_32b && (intermediate == Int32 || mode.read_raw || !mode.round_10b);
    is_tf32 = intermediate == Tf32
      || mode.round_10b && !mode.read_raw
         && (intermediate == Fp32
             || intermediate == Bf16 && packer.from == Tf32 && packer.to == Fp16);
    both_wide = (intermediate == Fp32 || intermediate == Int32)
      && (packer.from == Fp32 || packer.from == Int32);
    both_tf32 = packer.from == Fp32 || packer.from == Tf32;
    both_bf16 = (intermediate == Bf16 || intermediate == Bfp8)
      && (packer.from == Bf16 || packer.from == Bfp8);
    no_pair = !(intermediate == packer.from || copies && both_wide || is_tf32 && both_tf32
                || both_bf16 || R10Fp16 == 1 && narrows(mode, packer));
  endfunction

  function automatic logic is_e8(input logic [3:0] format);
    is_e8 = format == Fp32 || format == Tf32 || format == Bf16 || format == Bfp8;
  endfunction

  function automatic logic is_e5(input logic [3:0] format);
    is_e5 = format == Fp16 || format == Bfp8a || format == Fp8;
  endfunction

  function automatic logic is_integer(input logic [3:0] format);
    is_integer = format == Int32 || format == Int16 || format == Int8;
  endfunction

  // A pair that the late conversion does not have (P28).
  function automatic logic no_late(input logic [3:0] intermediate, input logic [3:0] from,
                                   input logic [3:0] to);
    logic floats;

    floats = (is_e8(from) || is_e5(from)) && !is_integer(to) && !is_reserved(to);
    no_late = is_blank(intermediate) || !(floats || is_integer(from) && from == to);
  endfunction

  function automatic logic [FaultWidth-1:0] flags_of(input mode_t mode,
                                                     input packer_mode_t packer,
                                                     input logic of_packer);
    logic [127:0] masks;
    logic masked, sums;

    masks = mode.edge_words;
    masked = (masks[15:0] & masks[47:32] & masks[79:64] & masks[111:96]) != 16'hFFFF;
    sums = packer.to == Fp32 || packer.to == Fp16 || packer.to == Bf16 || packer.to == Int32;
    flags_of = '0;
    flags_of[FaultEarly] = no_early(mode, packer);
    flags_of[FaultPairIf] = no_pair(mode, packer);
    flags_of[FaultPairLate] = no_late(mode.intermediate, packer.from, packer.to);
    flags_of[FaultLateTf32] = packer.from == Fp32 && packer.to == Tf32;
    flags_of[FaultRelu] = mode.relu_mode[1]
      && (mode.relu_threshold[15] || is_integer(mode.intermediate));
    flags_of[FaultEdgeInt] = masks[16] && is_integer(mode.intermediate);
    flags_of[FaultThreshold] = packer.threshold_en && packer.from == Bfp2a;
    flags_of[FaultDisSharedExp] = packer.dis_shared_exp && is_bfp(packer.to);
    flags_of[FaultAccFormat] = packer.accumulate && !sums;
    flags_of[FaultAccCompress] = packer.accumulate && packer.compress;
    flags_of[FaultCompressBfp2] = packer.compress && (packer.to == Bfp2a || packer.to == Bfp2);
    flags_of[FaultReadsPerPlane] = masked
      && (packer.reads_per_plane == 8'd0 || packer.reads_per_plane > 8'd16);
    flags_of[FaultEdgeNeginfBfp]
      = masks[16] && of_packer && mode.relu_mode == 2'd0 && is_bfp(packer.to);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flags_q <= '0;
    else flags_q <= flags_of(mode_i, packer_i, masked_i);
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
