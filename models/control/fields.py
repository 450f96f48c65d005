# SPDX-License-Identifier: Apache-2.0
"""Bit fields of the instruction words that this block executes, and of ThreadConfig's words.

Names are those of ``isa``. A field that several instructions have in the same place is here once,
under a name that they share: ``UNPACKER``, ``RMWCIB_…``, ``WAIT_BLOCK``, ``SEM_MASK``,
``MUTEX_INDEX``.
"""

from __future__ import annotations

from typing import Final

from tilepath.isa.registers import config_field
from tilepath.models.fields import Field, instruction_field, placed

OPCODE: Final = Field(24, 0xFF)
# Which unpacker, of UNPACR and UNPACR_NOP
UNPACKER: Final = instruction_field("UNPACR_UNPACKER")

SETC16_CFG_INDEX: Final = instruction_field("SETC16_CFG_INDEX")
SETC16_VALUE: Final = instruction_field("SETC16_VALUE")
WRCFG_GPR: Final = instruction_field("WRCFG_GPR")
WRCFG_IS128: Final = instruction_field("WRCFG_IS128")
WRCFG_CFG_INDEX: Final = instruction_field("WRCFG_CFG_INDEX")
RDCFG_GPR: Final = instruction_field("RDCFG_GPR")
RDCFG_CFG_INDEX: Final = instruction_field("RDCFG_CFG_INDEX")
# RMWCIB0 to RMWCIB3
RMWCIB_MASK: Final = instruction_field("RMWCIB0_MASK")
RMWCIB_DATA: Final = instruction_field("RMWCIB0_DATA")
RMWCIB_CFG_INDEX: Final = instruction_field("RMWCIB0_CFG_INDEX")
STREAMWRCFG_STREAM_SEL: Final = instruction_field("STREAMWRCFG_STREAM_SEL")
STREAMWRCFG_REG_INDEX: Final = instruction_field("STREAMWRCFG_REG_INDEX")
STREAMWRCFG_CFG_INDEX: Final = instruction_field("STREAMWRCFG_CFG_INDEX")
CFGSHIFTMASK_MASK_MODE: Final = instruction_field("CFGSHIFTMASK_MASK_MODE")
CFGSHIFTMASK_ALU: Final = instruction_field("CFGSHIFTMASK_ALU")
CFGSHIFTMASK_MASK_WIDTH: Final = instruction_field("CFGSHIFTMASK_MASK_WIDTH")
CFGSHIFTMASK_ROTATE: Final = instruction_field("CFGSHIFTMASK_ROTATE")
CFGSHIFTMASK_SCRATCH: Final = instruction_field("CFGSHIFTMASK_SCRATCH")
CFGSHIFTMASK_CFG_INDEX: Final = instruction_field("CFGSHIFTMASK_CFG_INDEX")

# The three waits have their block mask in the same place.
WAIT_BLOCK: Final = instruction_field("STALLWAIT_BLOCK")
STALLWAIT_COND: Final = instruction_field("STALLWAIT_COND")
SEMWAIT_SEM_MASK: Final = instruction_field("SEMWAIT_SEM_MASK")
SEMWAIT_COND: Final = instruction_field("SEMWAIT_COND")
STREAMWAIT_TARGET_LO: Final = instruction_field("STREAMWAIT_TARGET_LO")
STREAMWAIT_COND_IDX: Final = instruction_field("STREAMWAIT_COND_IDX")
STREAMWAIT_STREAM_SEL: Final = instruction_field("STREAMWAIT_STREAM_SEL")
# SEMINIT, SEMPOST and SEMGET have theirs in the same place, too.
SEM_MASK: Final = instruction_field("SEMINIT_SEM_MASK")
SEMINIT_MAX: Final = instruction_field("SEMINIT_MAX")
SEMINIT_VALUE: Final = instruction_field("SEMINIT_VALUE")
# ATGETM and ATRELM
MUTEX_INDEX: Final = instruction_field("ATGETM_INDEX")

SETDMAREG_VALUE: Final = instruction_field("SETDMAREG_VALUE")
SETDMAREG_MODE: Final = instruction_field("SETDMAREG_MODE")
SETDMAREG_HALF_REG: Final = instruction_field("SETDMAREG_HALF_REG")
# ADDDMAREG and MULDMAREG (C25)
ADDDMAREG_IMM: Final = instruction_field("ADDDMAREG_IMM")
ADDDMAREG_RESULT: Final = instruction_field("ADDDMAREG_RESULT")
ADDDMAREG_A: Final = instruction_field("ADDDMAREG_A")
ADDDMAREG_B: Final = instruction_field("ADDDMAREG_B")
REG2FLOP_SIZE: Final = instruction_field("REG2FLOP_SIZE")
REG2FLOP_TARGET: Final = instruction_field("REG2FLOP_TARGET")
REG2FLOP_BYTE_OFS: Final = instruction_field("REG2FLOP_BYTE_OFS")
REG2FLOP_CTX: Final = instruction_field("REG2FLOP_CTX")
REG2FLOP_GPR: Final = instruction_field("REG2FLOP_GPR")
REG2FLOP_FLOP_CFG: Final = instruction_field("REG2FLOP_FLOP_CFG")
REG2FLOP_FLOP_CHANNEL: Final = instruction_field("REG2FLOP_FLOP_CHANNEL")
REG2FLOP_FLOP_ADC_SEL: Final = instruction_field("REG2FLOP_FLOP_ADC_SEL")
REG2FLOP_FLOP_CR: Final = instruction_field("REG2FLOP_FLOP_CR")
REG2FLOP_FLOP_XYZW: Final = instruction_field("REG2FLOP_FLOP_XYZW")

# Words of ThreadConfig
PHASE_HI: Final = placed(config_field("STREAMWAIT_PHASE_HI_Val"))
NUM_MSGS_HI: Final = placed(config_field("STREAMWAIT_NUM_MSGS_HI_Val"))
BANK_SEL: Final = placed(config_field("STREAM_ID_SYNC_SEC0_BankSel"))
