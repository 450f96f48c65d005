# SPDX-License-Identifier: Apache-2.0
"""The mode of an instruction as numbers: two modes are the same if all of these are (section 4)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.models.pack import fields as F
from tilepath.models.pack.fields import read
from tilepath.models.pack.sample import block_of
from tilepath.models.pack.settings import Sampled, inner_format, is_compressing
from tilepath.models.pack.state import PACKERS

Words = npt.NDArray[np.int64]

_WHOLE: Final = (19, 20, 21, 22, 23, 24, 25, 26, 27, 36, 37, 38, 39)  # edges (P25)
_SHARED: Final = 8
_OF_PACKER: Final = 10
MODE_WORDS: Final = _SHARED + len(_WHOLE) + _OF_PACKER * PACKERS


@part
def _shared_words(words: Words, parameters: Record, sampled: Sampled) -> None:
    config, bank = sampled.config, sampled.bank
    words[0] = inner_format(config, bank)
    words[1] = (
        read(config, bank, F.READ_32B)
        | read(config, bank, F.READ_UNSIGNED) << 1
        | read(config, bank, F.READ_RAW) << 2
        | read(config, bank, F.ROUND_10B) << 3
    )
    words[2] = read(config, bank, F.ZERO_FLAG_DISABLED)
    words[3] = (read(config, bank, F.APPLY_RELU) & 3) << 16 | read(config, bank, F.RELU_THRESHOLD)
    words[4] = read(config, bank, F.DESCALE_ENABLE) << 5 | read(config, bank, F.DESCALE_VALUE) & 31
    words[5] = read(config, bank, F.L1_SOURCE) << 1 | read(config, bank, F.E4M3)
    words[6] = 0
    for thread in range(sampled.thread_config.shape[0]):
        words[6] |= sampled.thread_config[thread, F.ACC_STATS] & 1
    words[7] = read(config, bank, F.REMAP) << 1 | read(config, bank, F.SWIZZLE)
    if not parameters.dst_remap:
        words[7] = 0
    for k, word in enumerate(_WHOLE):
        words[_SHARED + k] = config[bank, word]


@part
def mode_words(words: Words, parameters: Record, sampled: Sampled, word: int) -> None:
    """What the mode consists of; packers that do not exist have 0."""
    config, bank = sampled.config, sampled.bank
    _shared_words(words, parameters, sampled)
    for packer in range(parameters.packers):
        first = _SHARED + len(_WHOLE) + _OF_PACKER * packer
        block = block_of(parameters, packer, word)
        words[first] = read(config, bank, F.READS_PER_XY_PLANE, packer)
        words[first + 1] = read(config, bank, F.YZ_TRANSPOSED, packer)
        words[first + 2] = read(config, bank, F.DST_Z_OFFSET, packer)
        words[first + 3] = read(config, bank, F.FROM, block)
        words[first + 4] = read(config, bank, F.TO, block)
        words[first + 5] = is_compressing(config, bank, parameters, packer, block)
        words[first + 6] = read(config, bank, F.DIS_SHARED_EXP, block)
        words[first + 7] = read(config, bank, F.L1_ACC, block)
        words[first + 8] = read(config, bank, F.THRESHOLD_ENABLE, block) << 8 | read(
            config, bank, F.THRESHOLD, block
        )
        words[first + 9] = read(config, bank, F.DOWNSAMPLE_MASK, block)
