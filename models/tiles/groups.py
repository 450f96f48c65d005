# SPDX-License-Identifier: Apache-2.0
"""Block floats: 16 datums of a sign and a magnitude that share an exponent byte.

Numbers become what packers make of their BF16 (BFP8, BFP4, BFP2) or of their FP16 with seven
mantissa bits (BFP8A, BFP4A, BFP2A): P29. Bits become what unpackers make of them: U51, U52.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.models.tiles import formats as F
from tilepath.models.tiles.formats import Bits, Format, Numbers

GROUP: Final = 16


def group_bits(form: Format, numbers: Numbers) -> tuple[Bits, Bits]:
    """Exponents, shape (n / 16,), and datums, shape (n,), of ``numbers``, shape (n,).

    n is a multiple of 16. What is too small to be a normal number counts as 0, and no datum is
    minus 0, which would be minus infinity.
    """
    if form.exponent == 8:
        code = F.rounded(numbers, 16) >> 16
        exponent, mantissa, sign = code >> 7 & 0xFF, code & 0x7F, code >> 15 & 1
    else:
        code = F.small(numbers, 7, 15, 0xFFF)
        exponent, mantissa, sign = code >> 7 & 0x1F, code & 0x7F, code >> 12 & 1
    exponent = exponent.reshape(-1, GROUP)
    shared = exponent.max(axis=1)
    distance = (shared[:, None] - exponent).reshape(-1)
    whole = np.where(exponent.reshape(-1) > 0, mantissa | 0x80, 0)
    near = np.minimum(whole + (1 << np.minimum(distance, 8)) >> np.minimum(distance, 8) + 1, 127)
    magnitude = np.where(distance >= 8, 0, near) >> 8 - form.bits
    return shared, np.where(magnitude > 0, sign << form.bits - 1 | magnitude, 0)


def leading(form: Format, bits: Bits) -> tuple[Bits, Bits, Bits, Bits]:
    """Signs, magnitudes of 7 bits, the zeros in front of their leading ones, what follows those."""
    code = bits << 8 - form.bits
    negative, magnitude = code >> 7 & 1, code & 0x7F
    zeros = 7 - np.frexp(magnitude.astype(np.float64))[1]
    zeros = np.where(magnitude == 0, 0, zeros)
    return negative, magnitude, zeros, magnitude << 1 + zeros & 0x7E


def group_values(form: Format, exponents: Bits, bits: Bits) -> Numbers:
    """float32, shape (n,), of n datums and their n / 16 exponent bytes.

    Minus 0 has no float of its own: it becomes exponent 255, minus infinity, or for the A formats
    FC00, which is -65536. An exponent that runs below 0, as that of a small magnitude with
    exponent 0 does, comes back from above (modulo 256; of the A formats 32).
    """
    negative, magnitude, zeros, mantissa = leading(form, bits)
    exponent = np.repeat(exponents, GROUP) - zeros
    if form.exponent == 8:
        pattern = negative << 15 | (exponent & 0xFF) << 7 | mantissa
        return F.from_pattern(np.where(magnitude > 0, pattern, negative * 0xFF80) << 16)
    pattern = negative << 15 | (exponent & 0x1F) << 10 | mantissa << 3
    return F.fp16_values(np.where(magnitude > 0, pattern, negative * 0xFC00))
