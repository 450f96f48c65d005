# SPDX-License-Identifier: Apache-2.0
"""What the host library makes of numbers and of bits, where the hardware makes something else.

``docs/tiles.md`` has the table, with the version of the library; ``python -m tilepath.tests.host``
measures it again.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.models.tiles import formats as F
from tilepath.models.tiles.formats import GROUP, Bits, Format, Numbers, leading

_FLOATS: Final = ("FP32", "BF16", "BFP8", "BFP4", "BFP2", "E4M3")
_E4M3_LARGEST: Final = 0x7E  # 448; 7F is NaN


def format_of(name: str | Format) -> Format:
    """The host's format of that name; ``INT32``, ``UINT16``, … are its integers.

    Raises ``ValueError`` with one line if it has none.
    """
    wanted = name.name if isinstance(name, Format) else name
    for found in (f"{wanted}", f"{wanted}_HOST"):
        if found in F.HOST_INTEGERS:
            return F.HOST_INTEGERS[found]
    chosen = F.format_of(name)
    if chosen.name not in _FLOATS:
        known = ", ".join((*_FLOATS, *F.HOST_INTEGERS))
        raise ValueError(f"the host has no {chosen.name}: choose from {known}")
    return chosen


def group_bits(form: Format, numbers: Numbers) -> tuple[Bits, Bits]:
    """Exponents and datums of block floats, as of ``formats.group_bits``.

    float32 is rounded once, to nearest, ties to even; what rounds beyond the greatest magnitude
    becomes that, and denormals become 0.
    """
    pattern = F.to_pattern(numbers)
    exponent = pattern >> 23 & 0xFF
    shared = exponent.reshape(-1, GROUP).max(axis=1)
    whole = np.where(exponent > 0, pattern & 0x7FFFFF | 0x800000, 0)
    dropped = (np.repeat(shared, GROUP) - exponent + 25 - form.bits).clip(max=30)
    near = whole + (1 << dropped - 1) - 1 + (whole >> dropped & 1) >> dropped
    magnitude = near.clip(max=form.largest)
    return shared, np.where(magnitude > 0, pattern >> 31 << form.bits - 1 | magnitude, 0)


def group_values(form: Format, exponents: Bits, bits: Bits) -> Numbers:
    """Numbers of block floats, as of ``formats.group_values``; exponents below 0 become 0."""
    negative, magnitude, zeros, mantissa = leading(form, bits)
    exponent = np.repeat(exponents, GROUP) - zeros
    pattern = negative << 31 | exponent.clip(0) << 23 | mantissa << 16
    pattern = np.where(exponent < 0, 0, pattern)
    return F.from_pattern(np.where(magnitude > 0, pattern, negative << 31))


def datum_bits(form: Format, numbers: Numbers) -> Bits:
    """Datums of a format without shared exponents."""
    bits = F.datum_bits(form, numbers)
    if form.name == "BF16":
        return np.where(np.isnan(numbers), 0x7FC0, bits)
    if form.name == "E4M3":
        size = np.where(np.abs(numbers) < 2.0**-6, 0, (bits & 0x7F).clip(max=_E4M3_LARGEST))
        return np.where(np.isnan(numbers), 0x7F, bits & 0x80 | size)
    return bits


def datum_values(form: Format, bits: Bits) -> Numbers:
    """Numbers of such datums."""
    if form.name != "E4M3":
        return F.datum_values(form, bits)
    exponent, size = bits >> 3 & 15, bits & 0x7F
    value = np.ldexp(((bits & 7) + 8.0) * (exponent > 0), exponent - 10)
    value = np.where(bits & 0x80, -value, value)
    return np.where(size > _E4M3_LARGEST, np.nan, value).astype(np.float32)


def doubt(form: Format, exponents: Bits, bits: Bits) -> str:
    """Why datums can hardly be of ``form``, in one line; empty: they can.

    Of signed integers the bit behind the sign tells: of small ones it is the sign's copy in two's
    complement, and 0 in sign and magnitude, which also writes no minus 0.
    """
    if form.shared and form.exponent == 5 and exponents.size and exponents.max() > 31:
        return f"{form.name}: an exponent is {exponents.max()}, and they have five bits"
    if not form.integer or not form.signed:
        return ""
    sign, behind = bits >> form.bits - 1 & 1, bits >> form.bits - 2 & 1
    least = bits == 1 << form.bits - 1
    if form.complement:
        if (sign > least).any() and not behind.any():
            return f"{form.name}: these bytes look like sign and magnitude, not two's complement"
    elif least.any() or (sign.any() and (sign == behind).all()):
        known = ", ".join(F.HOST_INTEGERS)
        return f"{form.name}: these bytes look like two's complement; the host's are {known}"
    return ""
