# SPDX-License-Identifier: Apache-2.0
"""Bit fields of the instruction words that this block executes, and of ThreadConfig's words.

Names are those of ``isa``. A field that several instructions have in the same place is here once,
under a name that they share: ``UNPACKER``, ``RMWCIB_…``, ``WAIT_BLOCK``, ``SEM_MASK``,
``MUTEX_INDEX``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tilepath.isa import constants
from tilepath.models.jit import part


class Field(NamedTuple):
    """A field of a word: its lowest bit, and the mask of its bits once they are shifted down."""

    lsb: int
    mask: int


@part
def get(word: int, field: Field) -> int:
    """Value of a field of ``word``."""
    return (word >> field.lsb) & field.mask


def _field(name: str) -> Field:
    lsb: int = getattr(constants, f"{name}_LSB")
    msb: int = getattr(constants, f"{name}_MSB")
    return Field(lsb, (2 << (msb - lsb)) - 1)


OPCODE: Final = Field(24, 0xFF)
# Which unpacker, of UNPACR and UNPACR_NOP
UNPACKER: Final = _field("UNPACR_UNPACKER")

SETC16_CFG_INDEX: Final = _field("SETC16_CFG_INDEX")
SETC16_VALUE: Final = _field("SETC16_VALUE")
WRCFG_GPR: Final = _field("WRCFG_GPR")
WRCFG_IS128: Final = _field("WRCFG_IS128")
WRCFG_CFG_INDEX: Final = _field("WRCFG_CFG_INDEX")
RDCFG_GPR: Final = _field("RDCFG_GPR")
RDCFG_CFG_INDEX: Final = _field("RDCFG_CFG_INDEX")
# RMWCIB0 to RMWCIB3
RMWCIB_MASK: Final = _field("RMWCIB0_MASK")
RMWCIB_DATA: Final = _field("RMWCIB0_DATA")
RMWCIB_CFG_INDEX: Final = _field("RMWCIB0_CFG_INDEX")
STREAMWRCFG_STREAM_SEL: Final = _field("STREAMWRCFG_STREAM_SEL")
STREAMWRCFG_REG_INDEX: Final = _field("STREAMWRCFG_REG_INDEX")
STREAMWRCFG_CFG_INDEX: Final = _field("STREAMWRCFG_CFG_INDEX")
CFGSHIFTMASK_MASK_MODE: Final = _field("CFGSHIFTMASK_MASK_MODE")
CFGSHIFTMASK_ALU: Final = _field("CFGSHIFTMASK_ALU")
CFGSHIFTMASK_MASK_WIDTH: Final = _field("CFGSHIFTMASK_MASK_WIDTH")
CFGSHIFTMASK_ROTATE: Final = _field("CFGSHIFTMASK_ROTATE")
CFGSHIFTMASK_SCRATCH: Final = _field("CFGSHIFTMASK_SCRATCH")
CFGSHIFTMASK_CFG_INDEX: Final = _field("CFGSHIFTMASK_CFG_INDEX")

# The three waits have their block mask in the same place.
WAIT_BLOCK: Final = _field("STALLWAIT_BLOCK")
STALLWAIT_COND: Final = _field("STALLWAIT_COND")
SEMWAIT_SEM_MASK: Final = _field("SEMWAIT_SEM_MASK")
SEMWAIT_COND: Final = _field("SEMWAIT_COND")
STREAMWAIT_TARGET_LO: Final = _field("STREAMWAIT_TARGET_LO")
STREAMWAIT_COND_IDX: Final = _field("STREAMWAIT_COND_IDX")
STREAMWAIT_STREAM_SEL: Final = _field("STREAMWAIT_STREAM_SEL")
# SEMINIT, SEMPOST and SEMGET have theirs in the same place, too.
SEM_MASK: Final = _field("SEMINIT_SEM_MASK")
SEMINIT_MAX: Final = _field("SEMINIT_MAX")
SEMINIT_VALUE: Final = _field("SEMINIT_VALUE")
# ATGETM and ATRELM
MUTEX_INDEX: Final = _field("ATGETM_INDEX")

SETDMAREG_VALUE: Final = _field("SETDMAREG_VALUE")
SETDMAREG_MODE: Final = _field("SETDMAREG_MODE")
SETDMAREG_HALF_REG: Final = _field("SETDMAREG_HALF_REG")
# ADDDMAREG and MULDMAREG (C25)
ADDDMAREG_IMM: Final = _field("ADDDMAREG_IMM")
ADDDMAREG_RESULT: Final = _field("ADDDMAREG_RESULT")
ADDDMAREG_A: Final = _field("ADDDMAREG_A")
ADDDMAREG_B: Final = _field("ADDDMAREG_B")
REG2FLOP_SIZE: Final = _field("REG2FLOP_SIZE")
REG2FLOP_TARGET: Final = _field("REG2FLOP_TARGET")
REG2FLOP_BYTE_OFS: Final = _field("REG2FLOP_BYTE_OFS")
REG2FLOP_CTX: Final = _field("REG2FLOP_CTX")
REG2FLOP_GPR: Final = _field("REG2FLOP_GPR")
REG2FLOP_FLOP_CFG: Final = _field("REG2FLOP_FLOP_CFG")
REG2FLOP_FLOP_CHANNEL: Final = _field("REG2FLOP_FLOP_CHANNEL")
REG2FLOP_FLOP_ADC_SEL: Final = _field("REG2FLOP_FLOP_ADC_SEL")
REG2FLOP_FLOP_CR: Final = _field("REG2FLOP_FLOP_CR")
REG2FLOP_FLOP_XYZW: Final = _field("REG2FLOP_FLOP_XYZW")

# Words of ThreadConfig
PHASE_HI: Final = _field("THD_STREAMWAIT_PHASE_HI_VAL")
NUM_MSGS_HI: Final = _field("THD_STREAMWAIT_NUM_MSGS_HI_VAL")
BANK_SEL: Final = _field("THD_STREAM_ID_SYNC_SEC0_BANKSEL")
