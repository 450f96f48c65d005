# SPDX-License-Identifier: Apache-2.0
"""The formats by name, and datums with an exponent of their own, or none: numbers ↔ bits.

Bits are int64 arrays, right-aligned; numbers float32, or int32 of integers. FP16 and its kin have
no infinity and no NaN: the greatest exponent is an ordinary one (P28, P40).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import formats as isa_formats

Bits = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]

LARGEST_FP16: Final = 0x7FFF


@dataclass(frozen=True)
class Format(isa_formats.Format):
    """A format of L1: one of ``isa``, a variant there, or of ``HOST_INTEGERS``."""

    @property
    def integer(self) -> bool:
        """Whether its datums are integers: sign and magnitude, but for UINT8 and the host's."""
        return self.exponent == 0

    @property
    def complement(self) -> bool:
        """Whether its datums are integers as the host has them, in two's complement if signed."""
        return self.name in HOST_INTEGERS

    @property
    def signed(self) -> bool:
        """Whether an integer format has negative numbers."""
        return not self.name.startswith("UINT")

    @property
    def largest(self) -> int:
        """Return the largest magnitude of an integer format, of the host's the largest number."""
        return (1 << self.bits - self.signed) - 1

    @property
    def least(self) -> int:
        """Return the least number of an integer format."""
        return -self.largest - self.complement if self.signed else 0


FORMATS: Final = {name: Format(**asdict(row)) for name, row in isa_formats.named().items()}
HOST_INTEGERS: Final = {
    (name := f"{kind}{bits}_HOST"): replace(FORMATS[f"INT{bits}"], name=name)
    for kind, bits in (("INT", 32), ("UINT", 32), ("UINT", 16), ("INT", 8), ("UINT", 8))
}
"""Integers as the host writes them, with the codes under which the hardware moves such bits."""

_ALL: Final = FORMATS | HOST_INTEGERS


def format_of(name: str | Format) -> Format:
    """The format called ``name``; ``ValueError`` with one line if there is none."""
    if isinstance(name, Format):
        return name
    if not isinstance(name, str) or name not in _ALL:
        raise ValueError(f"no format {name!r}: choose from {', '.join(_ALL)}")
    return _ALL[name]


def as_numbers(form: Format, given: npt.ArrayLike) -> Numbers:
    """``given`` as float32, or as int64 for an integer format.

    Raises:
        ValueError: no numbers; for an integer format also fractions, and what does not fit.
    """
    values = np.asarray(given)
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{form.name}: want an array of numbers")
    if not form.integer:
        with np.errstate(over="ignore"):  # what float32 has not is infinite
            return values.astype(np.float32)
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.trunc(values))).all():
        raise ValueError(f"{form.name}: want integers")
    if values.size and (values.min() < form.least or values.max() > form.largest):
        raise ValueError(f"{form.name}: one is not in {form.least} to {form.largest}")
    return values.astype(np.int64)


# --- 8 bits of exponent


def rounded(numbers: Numbers, dropped: int) -> Bits:
    """FP32 patterns rounded to nearest, the last ``dropped`` bits 0; NaN stays NaN."""
    pattern = to_pattern(numbers)
    half = (1 << dropped - 1) - 1
    near = pattern + half + (pattern >> dropped & 1) >> dropped << dropped
    nan = pattern & 0x7FFFFFFF > 0x7F800000
    return np.where(nan, (pattern | 0x400000) >> dropped << dropped, near)


def to_pattern(numbers: Numbers) -> Bits:
    """FP32 patterns of numbers."""
    return np.array(numbers, np.float32, order="C").view(np.uint32).astype(np.int64)


def from_pattern(pattern: Bits) -> Numbers:
    """Numbers of FP32 patterns."""
    return pattern.astype(np.uint32).view(np.float32)


# --- 5 bits of exponent, and 4


def small(numbers: Numbers, mantissa: int, bias: int, largest: int) -> Bits:
    """A short float: sign, exponent, ``mantissa`` bits. Too large and NaN: all ones below it.

    ``bias``: 15 of five exponent bits, 7 of four. ``largest``: all ones below the sign.
    """
    size = np.abs(numbers.astype(np.float64))
    finite = np.isfinite(size)
    size = np.where(finite, size, 0)
    lead = np.where(size > 0, np.frexp(size)[1] - 1, 1 - bias).clip(1 - bias).astype(np.int64)
    code = (lead + bias - 1 << mantissa) + np.rint(np.ldexp(size, mantissa - lead)).astype(np.int64)
    sign = np.where(np.signbit(numbers), largest + 1, 0)
    bits: Bits = sign + np.where(finite, np.minimum(code, largest), largest)
    return bits


def fp16_bits(numbers: Numbers) -> Bits:
    """FP16 {sign, exponent (5), mantissa (10)}: too large, infinite and NaN are 7FFF or FFFF."""
    return small(numbers, 10, 15, LARGEST_FP16)


def fp16_values(bits: Bits) -> Numbers:
    """Numbers of FP16: exponent 31 is an ordinary one, exponent 0 is that of denormals."""
    exponent, mantissa = bits >> 10 & 31, bits & 0x3FF
    size = np.ldexp((mantissa + 1024 * (exponent > 0)).astype(np.float64), exponent.clip(1) - 25)
    values: Numbers = np.where(bits >> 15 & 1, -size, size).astype(np.float32)
    return values


# --- integers


def integer_bits(form: Format, numbers: Numbers) -> Bits:
    """Sign and magnitude, magnitude alone of UINT8, or as the host has it."""
    if form.complement:
        return numbers & (1 << form.bits) - 1
    bits: Bits = np.abs(numbers) | (numbers < 0).astype(np.int64) << form.bits - 1
    return bits


def integer_values(form: Format, bits: Bits) -> Numbers:
    """int32, of UINT32_HOST uint32; minus 0 is 0."""
    if form.complement:
        numbers = bits - ((bits >> form.bits - 1) * form.signed << form.bits)
        return numbers.astype(np.uint32 if form.name == "UINT32_HOST" else np.int32)
    size = bits & form.largest
    return np.where(bits & ~form.largest != 0, -size, size).astype(np.int32)


# --- datums of L1 that share no exponent


def datum_bits(form: Format, numbers: Numbers) -> Bits:
    """Datums of a format without shared exponents."""
    if form.integer:
        return integer_bits(form, numbers)
    if form.name == "FP32":
        return to_pattern(numbers)
    if form.name == "TF32":
        return rounded(numbers, 13)
    if form.name == "BF16":
        return rounded(numbers, 16) >> 16
    code = small(numbers, form.fraction, form.bias, (1 << form.bits - 1) - 1)
    if form.name == "E4M3":
        return np.where(code & 0x78, code, code & 0x80)  # denormals would not come back (U50)
    return code


def datum_values(form: Format, bits: Bits) -> Numbers:
    """Numbers that the unpackers make of such datums."""
    if form.integer:
        return integer_values(form, bits)
    if form.name in ("FP32", "TF32"):
        return from_pattern(bits)
    if form.name == "BF16":
        return from_pattern(bits << 16)
    if form.name == "FP16":
        return fp16_values(bits)
    full = bits & 0x7F == 0x7F
    if form.name == "FP8":
        return fp16_values(bits << 8 | 0xFF * full)  # U49
    exponent = bits >> 3 & 15
    exponent += 8 * (exponent > 0)
    return fp16_values((bits & 0x80) << 8 | exponent << 10 | (bits & 7) << 7 | 0x7F * full)  # U50
