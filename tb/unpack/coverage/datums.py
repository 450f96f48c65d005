# SPDX-License-Identifier: Apache-2.0
"""Points of the classes of the datums read, by format and register file.

Source: unpack-adc section 7, cross 1. Only datums of a legal pair of formats count, and not those
that AllDatumsAreZero replaces.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, numbers, yes
from tilepath.tb.unpack.coverage.labels import BFPS, FILES, FLOATS, LEGAL, plan

_TO_SRC: Final = "32 bits go to Src only as FP32 that is converted (U54, U56)"
_FEW: Final = "its magnitude has fewer bits"

_E4M3: Final = "conversion == AS_E4M3"
_TOP: Final = "((1 << exponent_bits) - 1)"
_ONES: Final = "((1 << fraction) - 1)"
_SIGN: Final = "bits >> fraction + exponent_bits"
_EXPONENT: Final = f"(bits >> fraction & {_TOP})"
_MANTISSA: Final = f"(bits & {_ONES})"
_LARGEST: Final = f"{_EXPONENT} == {_TOP} and {_MANTISSA}"
# A BFP datum moved to the top of eight bits (U51), and its leading zeros
_MOVED: Final = "(bits << 7 >> fraction)"
_LZS: Final = numbers(7, "lz")
_LZ: Final = f"({''.join(f'{n} if {_MOVED} >> {6 - n} & 1 else ' for n in range(7))}-1)"


def _values(*labels: str) -> Bins:
    """0, the largest magnitude, the sign alone, all ones, and other numbers."""
    found = {label: f"bits == {int(label, 16)}" for label in labels}
    return Bins(found | {"other": "1"})


PLAN: Final = plan(
    "datum",
    {
        "float": Bins({name: LEGAL[name] for name in FLOATS}),
        "bfp": Bins({name: LEGAL[name] for name in BFPS}),
        "float_class": Bins(
            {
                "+0": f"{_EXPONENT} == 0 and {_MANTISSA} == 0 and not {_SIGN}",
                "-0": f"{_EXPONENT} == 0 and {_MANTISSA} == 0",
                "min_denormal": f"{_EXPONENT} == 0 and {_MANTISSA} == 1",
                "max_denormal": f"{_EXPONENT} == 0 and {_MANTISSA} == {_ONES}",
                "min_normal": f"{_EXPONENT} == 1 and {_MANTISSA} == 0",
                "max_normal":
                    f"({_LARGEST} == {_ONES} - 1 if {_E4M3}"
                    f" else {_EXPONENT} == {_TOP} - 1 and {_MANTISSA} == {_ONES})",
                "infinity": f"{_LARGEST} == 0 and not {_E4M3}",
                "nan": f"{_LARGEST} and {_MANTISSA} != {_ONES} and not {_E4M3}",
                "all_ones": f"{_LARGEST} == {_ONES} and not {_SIGN}",
                "all_ones_negative": f"{_LARGEST} == {_ONES}",
                "other": "1",
            }
        ),
        "bfp_class": Bins(
            {
                "+0": f"{_MOVED} & 127 == 0 and not {_MOVED}",
                "-0": f"{_MOVED} & 127 == 0",
                **{lz: f"{_MOVED} >> {6 - n} & 1" for n, lz in enumerate(_LZS)},
            }
        ),
        "leading_zeros": Bins(_LZ, _LZS),
        "shared_exponent": Bins(
            f"0 if exponent == 0 else 1 if exponent < {_LZ} else 2 if exponent == {_LZ}"
            " else 4 if exponent == 31 else 5 if exponent == 32 else 6 if exponent == 255 else 3",
            ("0", "<lz", "=lz", ">lz", "31", "32", "255"),
        ),
        "fp16_exponent": Bins(
            {str(n): f"bits >> 23 & 255 == {n + 112}" for n in (-1, 0, 1, 30, 31, 32)}
            | {"other": "1"}
        ),
        "unsigned": Bins("conversion == AS_UINT8", ("signed", "unsigned")),
        "int8": _values("00", "7F", "80", "FF"),
        "int16": _values("0000", "7FFF", "8000", "FFFF"),
        "int32": _values("0", "7FFFFFFF", "80000000", "80000001", "FFFFFFFF"),
        "is_all_zero": yes("all_zero"),
        "nibble_is": among("nibble", 0, 1, 15, other="other"),
    },
    Point("datum.float_x_file_x_class", "U46 U47 U48 U49 U50 U56", "float file float_class",
          when="not all_zero",
          exclude=(
              Exclude((("fp32_to_fp32", "tf32"), FILES[:2], None), _TO_SRC),
              Exclude(("fp8_e4m3", None, "infinity"), "E4M3 has none (U50)"),
              Exclude(("fp8_e4m3", None, "nan"), "E4M3 has all ones only (U50)"),
          )),
    Point("datum.bfp_x_file_x_class", "U51 U52", "bfp file bfp_class", when="not all_zero",
          exclude=tuple(Exclude((name, None, _LZS[bits:]), _FEW) for name, bits in BFPS.items())),
    Point("datum.bfp_x_file_x_leading_zeros_x_exponent", "U51 U52",
          "bfp file leading_zeros shared_exponent", when="not all_zero",
          exclude=(
              Exclude((None, None, "lz0", "<lz"), "no exponent is below 0"),
              Exclude((None, None, "lz0", "=lz"), "0 is a class of its own"),
              Exclude((None, None, "lz1", "<lz"), "0 is a class of its own"),
              *(Exclude((name, None, _LZS[bits:], None), _FEW) for name, bits in BFPS.items()),
          )),
    Point("datum.fp32_to_fp16_file_x_exponent", "U48", "file fp16_exponent",
          when=f"not all_zero and {LEGAL['fp32_to_fp16']}"),
    Point("datum.int8_file_x_unsigned_x_value", "U53", "file unsigned int8",
          when=f"not all_zero and {LEGAL['int8_unsigned']}"),
    Point("datum.int16_file_x_value", "U54", "file int16",
          when=f"not all_zero and {LEGAL['int16']}"),
    Point("datum.int32_value", "U54", "int32", when=f"not all_zero and {LEGAL['int32']}"),
    Point("compressed.all_zero_x_nibble", "U20 U22 U23", "is_all_zero nibble_is",
          when="compressed"),
)  # fmt: skip
