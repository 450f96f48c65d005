# SPDX-License-Identifier: Apache-2.0
"""The mode of an instruction as numbers: two modes are the same if all of these are (section 4)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack import fields as F
from tilepath.models.pack.fields import ConfigField, Further, placed_by, read
from tilepath.models.pack.sample import block_of
from tilepath.models.pack.settings import Sampled, inner_format, is_compressing
from tilepath.models.pack.state import PACKERS

Words = npt.NDArray[np.int64]

_EDGES: Final = (19, 20, 21, 22, 23, 24, 25, 26, 27, 36, 37, 38, 39)  # words of edge masks (P25)
_SHARED: Final = np.array(placed_by(
    Further.NOTHING,
    *(F.READ_32B, F.READ_UNSIGNED, F.READ_RAW, F.ROUND_10B, F.ZERO_FLAG_DISABLED),
    *(F.APPLY_RELU._replace(mask=3), F.RELU_THRESHOLD),
    *(F.DESCALE_ENABLE, F.DESCALE_VALUE._replace(mask=31), F.L1_SOURCE, F.E4M3),
    *(ConfigField(word, 0, 0xFFFFFFFF) for word in _EDGES),
))  # fmt: skip
_OWN: Final = np.array([
    *placed_by(Further.PACKER, F.READS_PER_XY_PLANE, F.YZ_TRANSPOSED, F.DST_Z_OFFSET),
    *placed_by(Further.BLOCK, F.FROM, F.TO, F.DIS_SHARED_EXP, F.L1_ACC, F.THRESHOLD_ENABLE),
    *placed_by(Further.BLOCK, F.THRESHOLD, F.DOWNSAMPLE_MASK),
])  # fmt: skip
_FIRST: Final = 3 + len(_SHARED)
_OF_PACKER: Final = 1 + len(_OWN)
MODE_WORDS: Final = _FIRST + _OF_PACKER * PACKERS


@part
def mode_words(words: Words, parameters: Record, sampled: Sampled, word: int) -> None:
    """What the mode consists of; packers that do not exist have 0."""
    config, bank = sampled.config, sampled.bank
    words[0] = inner_format(config, bank)
    words[1] = 0
    for thread in range(sampled.thread_config.shape[0]):
        words[1] |= sampled.thread_config[thread, F.ACC_STATS] & 1
    words[2] = read(config, bank, F.REMAP) << 1 | read(config, bank, F.SWIZZLE)
    if not parameters.dst_remap:
        words[2] = 0
    F.read_all(words[3:], _SHARED, config, bank, (0, 0, 0, 0))
    for packer in range(parameters.packers):
        first = _FIRST + _OF_PACKER * packer
        block = block_of(parameters, packer, word)
        words[first] = is_compressing(config, bank, parameters, packer, block)
        F.read_all(words[first + 1 :], _OWN, config, bank, (0, packer, block, 0))
