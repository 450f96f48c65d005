// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the control block share: what their ports carry, what a word needs at the
// wait gate, which faults it raises there, and the arithmetic of CFGSHIFTMASK.
`default_nettype none

package control_pkg;
  import tilepath_isa_pkg::*;
  import control_fault_pkg::*;  // of a word, in the cycle in which it issues

  // ---- what ports carry
  // Their drivers assign them whole, which Icarus does in half the time of field by field.
  // The instruction that issues to a unit now.
  typedef struct packed {
    logic        valid;
    logic [1:0]  thread;
    logic [31:0] word;
  } issued_t;

  // A read of Config.
  typedef struct packed {
    logic       bank;
    logic [7:0] index;
  } config_read_t;

  // A write to Config: of the lowest word of data or, with quad, of four from index on.
  typedef struct packed {
    logic [1:0] banks;  // those whose bit is set
    logic [7:0] index;
    logic       quad;
  } config_target_t;

  typedef struct packed {
    logic           valid;
    config_target_t target;
    logic [127:0]   data;
  } config_write_t;

  // An access of the cores to the ThreadConfig of a thread; data is that of a write.
  typedef struct packed {
    logic        write;
    logic [1:0]  thread;
    logic [6:0]  index;
    logic [15:0] data;
  } thread_access_t;

  // What STREAMWAIT takes from ThreadConfig.
  typedef struct packed {
    logic [9:0]  phase_hi;
    logic [6:0]  msgs_hi;
    logic [23:0] streams;  // STREAM_ID_SYNC_SEC0 ... 3, 6 bits each
  } wait_fields_t;

  // A read of an aligned group of four GPRs.
  typedef struct packed {
    logic [1:0] thread;
    logic [3:0] group;
  } gpr_read_t;

  // A write to a GPR: of its high and low half, if their bits are set.
  typedef struct packed {
    logic [1:0]  halves;
    logic [1:0]  thread;
    logic [5:0]  gpr;
    logic [31:0] data;
  } gpr_write_t;

  // An address counter of a thread, or its checkpoint.
  typedef struct packed {
    logic [1:0] select;
    logic       channel;
    logic [1:0] xyzw;
    logic       checkpoint;
  } counter_t;

  // What REG2FLOP writes to one.
  typedef struct packed {
    logic        valid;
    logic [1:0]  thread;
    counter_t    counter;
    logic [17:0] value;
  } counter_write_t;

  // The semaphores, 4 bits each.
  typedef struct packed {
    logic [31:0] max;
    logic [31:0] value;
  } semaphores_t;

  // The wait that holds back a thread, but for a STREAMWAIT's target; all 0 without one.
  typedef enum logic [1:0] {None = 2'd0, Stall = 2'd1, Sem = 2'd2, Stream = 2'd3} latch_kind_e;
  typedef struct packed {
    logic        valid;
    latch_kind_e kind;
    logic [8:0]  block;
    logic [12:0] what;
  } latch_t;

  // ---- resources, and what a word asks for
  // The three Cfg codes are one resource, CONFIG, that has room for them in different cycles.
  localparam logic [3:0] ResNone = 4'd0;
  localparam logic [3:0] ResSync = 4'd1;
  localparam logic [3:0] ResCfgStream = 4'd2;  // STREAMWRCFG
  localparam logic [3:0] ResCfgWrite = 4'd3;  // WRCFG
  localparam logic [3:0] ResCfgOther = 4'd4;
  localparam logic [3:0] ResScalar = 4'd5;
  localparam logic [3:0] ResMutex = 4'd6;  // ... 9: mutexes 0, 2, 3, 4
  localparam logic [3:0] ResUnit = 4'd10;  // ... 15: UNPACK0, UNPACK1, PACK, MATH, SFPU, XMOV

  // A write to word 4, or with `quad` to its group of four, is dropped (C18).
  function automatic logic resets_state(input logic [10:0] index, input logic quad);
    if (quad) resets_state = index[10:2] == 9'(CFG_STATE_RESET_EN_ADDR32 / 4);
    else resets_state = index == CFG_STATE_RESET_EN_ADDR32;
  endfunction

  // REG2FLOP to a counter: there is no such counter; it is no size that a counter has.
  function automatic logic flop_no_counter(input logic [1:0] target, input logic [1:0] ctx,
                                           input logic [1:0] select);
    flop_no_counter = select == 2'd3 || (target == 2'(R2F_TARGET_ADC_OF_CTX) && ctx == 2'd3);
  endfunction

  function automatic logic flop_bad_size(input logic [1:0] size, input logic [1:0] byte_ofs);
    case (size)
      2'(R2F_SIZE_B128): flop_bad_size = 1'b1;
      2'(R2F_SIZE_B32): flop_bad_size = byte_ofs != 2'd0;
      2'(R2F_SIZE_B16): flop_bad_size = byte_ofs[0];
      default: flop_bad_size = 1'b0;
    endcase
  endfunction

  // REG2FLOP to Config writes words from THCON_BASE on, up to the global ones.
  function automatic logic flop_oob(input logic [6:0] flop);
    flop_oob = flop >= 7'(CFG_GLOBAL_BASE - CFG_THCON_BASE);
  endfunction

  // ---- what a word is
  typedef struct packed {
    logic [3:0] resource;
    logic [8:0] classes;        // bits of a wait's block mask that hold it
    logic       illegal;
    logic       is_wait;
    logic       is_nop;
    logic [1:0] src_waits;      // files whose bank must be the Matrix Unit's
    logic       adc;            // for the address counters
    logic       setc16;
    logic       release_mutex;  // of a legal index
    logic [1:0] mutex;
    logic [FaultWidth-1:0] faults;  // but mutex_owner, which the word alone does not tell
  } decoded_t;

  // Faults of a configuration instruction (class B7).
  function automatic logic [FaultWidth-1:0] config_faults(input logic [31:0] word);
    logic [10:0] index;
    logic [7:0] op;

    config_faults = '0;
    op = word[31:24];
    index = word[WRCFG_CFG_INDEX_MSB:WRCFG_CFG_INDEX_LSB];
    if (op == OP_SETC16) begin
      config_faults[FaultCfgOob] = word[SETC16_CFG_INDEX_MSB:SETC16_CFG_INDEX_LSB] >= THD_WORDS;
    end else begin
      // the others have 8 bits of index
      if (op != OP_WRCFG && op != OP_RDCFG && op != OP_STREAMWRCFG) index[10:8] = 3'd0;
      config_faults[FaultCfgOob] = index >= CFG_WORDS;
      if (op == OP_WRCFG || op == OP_STREAMWRCFG || op == OP_CFGSHIFTMASK)
        config_faults[FaultStateReset] =
          resets_state(index, op == OP_WRCFG && word[WRCFG_IS128_LSB]);
    end
  endfunction

  // Faults of REG2FLOP; the arguments are bits of the word.
  function automatic logic [FaultWidth-1:0] flop_faults(input logic [23:16] mode,
                                                        input logic [12:6] flop);
    logic [1:0] target;

    flop_faults = '0;
    target = mode[REG2FLOP_TARGET_MSB:REG2FLOP_TARGET_LSB];
    if (target == 2'(R2F_TARGET_CONFIG)) begin
      flop_faults[FaultCfgOob] = flop_oob(flop);
    end else if (target != 2'(R2F_TARGET_LOCAL)) begin
      flop_faults[FaultFlopTarget] = flop_no_counter(
        target, mode[REG2FLOP_CTX_MSB:REG2FLOP_CTX_LSB],
        flop[REG2FLOP_FLOP_ADC_SEL_MSB:REG2FLOP_FLOP_ADC_SEL_LSB]);
      flop_faults[FaultFlopSize] = flop_bad_size(
        mode[REG2FLOP_SIZE_MSB:REG2FLOP_SIZE_LSB],
        mode[REG2FLOP_BYTE_OFS_MSB:REG2FLOP_BYTE_OFS_LSB]);
    end
  endfunction

  // An assigned opcode that no unit takes issues with the fault `unsupported`.
  function automatic decoded_t decode(input logic [31:0] word);
    decoded_t d;
    logic [7:0] op;
    logic [15:0] index;

    op = word[31:24];
    d = '0;
    d.classes = op_block_class(op);
    d.src_waits = op_src_waits(op);
    case (d.classes)
      9'h040: d.resource = ResUnit + 4'd3;
      9'h100: d.resource = ResUnit + 4'd4;
      9'h009: d.resource = ResUnit + {3'd0, word[UNPACR_UNPACKER_LSB]};
      9'h005: d.resource = ResUnit + 4'd2;
      9'h011: d.resource = ResUnit + 4'd5;
      9'h080: begin
        if (op == OP_STREAMWRCFG) d.resource = ResCfgStream;
        else if (op == OP_WRCFG) d.resource = ResCfgWrite;
        else if (op == OP_SETC16) d.setc16 = 1'b1;
        else d.resource = ResCfgOther;
        d.faults = config_faults(word);
      end
      9'h001: begin
        d.adc = op[7:4] == 4'h5 && op != OP_SETDVALID;
        d.faults[FaultUnsupported] = !d.adc;
      end
      9'h021: begin
        d.resource = ResScalar;
        case (op)
          OP_ADDDMAREG, OP_MULDMAREG, OP_DMANOP: d.faults = '0;
          OP_SETDMAREG: d.faults[FaultUnsupported] = word[SETDMAREG_MODE_LSB];
          OP_REG2FLOP: d.faults = flop_faults(word[23:16], word[12:6]);
          default: begin
            d.resource = ResNone;
            d.faults[FaultUnsupported] = 1'b1;
          end
        endcase
      end
      9'h002: begin
        index = word[ATGETM_INDEX_MSB:ATGETM_INDEX_LSB];
        d.mutex = index[1:0] == 2'd0 ? {2{index[2]}} : index[1:0] - 2'd1;
        if (op != OP_ATGETM && op != OP_ATRELM) d.resource = ResSync;
        else if (index > 16'd4 || index == 16'd1) d.faults[FaultMutexIndex] = 1'b1;
        else if (op == OP_ATGETM) d.resource = ResMutex + {2'd0, d.mutex};
        else d.release_mutex = 1'b1;
      end
      default: begin
        d.is_nop = op == OP_NOP;
        d.is_wait = op_is_wait(op);
        d.illegal = op_must_not_issue(op);
        if (d.is_wait) d.resource = ResSync;
        d.faults[FaultIllegal] = d.illegal;
        d.faults[FaultSemCond] = op == OP_SEMWAIT && word[SEMWAIT_COND_MSB:SEMWAIT_COND_LSB] == 0;
      end
    endcase
    decode = d;
  endfunction

  // ---- CFGSHIFTMASK (C1-C3)
  function automatic logic [31:0] rotate_right(input logic [31:0] value, input logic [4:0] amount);
    rotate_right = 32'({value, value} >> amount);
  endfunction

  function automatic logic [31:0] shift_mask(input logic [23:0] word, input logic [31:0] scratch,
                                             input logic [31:0] old);
    logic [31:0] mask, operand, base;
    logic [4:0] rotate;

    rotate = word[CFGSHIFTMASK_ROTATE_MSB:CFGSHIFTMASK_ROTATE_LSB];
    // a width of 31 shifts the 2 out: all ones
    mask = (32'd2 << word[CFGSHIFTMASK_MASK_WIDTH_MSB:CFGSHIFTMASK_MASK_WIDTH_LSB]) - 32'd1;
    operand = rotate_right(scratch & mask, rotate);
    base = word[CFGSHIFTMASK_MASK_MODE_LSB] ? old : old & ~rotate_right(mask, rotate);
    case (word[CFGSHIFTMASK_ALU_MSB:CFGSHIFTMASK_ALU_LSB])
      3'(CFGSM_ALU_OR): shift_mask = base | operand;
      3'(CFGSM_ALU_AND): shift_mask = base & operand;
      3'(CFGSM_ALU_XOR): shift_mask = base ^ operand;
      3'(CFGSM_ALU_ADD): shift_mask = base + operand;
      3'(CFGSM_ALU_OR_NOT): shift_mask = base | ~operand;
      3'(CFGSM_ALU_AND_NOT): shift_mask = base & ~operand;
      3'(CFGSM_ALU_XOR_NOT): shift_mask = base ^ ~operand;
      default: shift_mask = base - operand;
    endcase
  endfunction

endpackage

`default_nettype wire
