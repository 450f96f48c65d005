# SPDX-License-Identifier: Apache-2.0
"""Ways of numbers from L1 to Dst and back, and the configuration that each asks for."""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NamedTuple

from tilepath.isa import formats
from tilepath.models.tiles import FORMATS


def _names(exponent: int, bits: Container[int]) -> tuple[str, ...]:
    """Formats by code, those with shared exponents last."""
    found = [form for form in FORMATS.values() if form.register == exponent and form.bits in bits]
    return tuple(form.name for form in sorted(found, key=lambda form: (form.shared, form.code)))


E8: Final = _names(8, range(32))
E5: Final = _names(5, range(32))
FLOATS: Final = (*_names(8, (32,)), *E8, *E5)
INTEGERS: Final = _names(0, range(33))
PACKS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("FP32", "TF32", "BF16", "FP16"), FLOATS),
    "INT32": ("INT32", "INT8", "UINT8"),
    "INT16": ("INT16",),
    "INT8": (),  # in rows of 16 bits no packer reads it
}
"""What a Dst can be packed to."""


class Way(NamedTuple):
    """From L1 to Dst: by an unpacker's format to Src and on by ELWADD or MOVA2D, or past them."""

    l1: str
    src: str
    dst: str
    how: str  # add, move, direct

    @property
    def wide(self) -> bool:
        """Whether Dst has 32 bits."""
        return self.dst in ("FP32", "INT32")


def ways() -> list[Way]:
    """All of a tile that is copied."""
    found = [
        Way(name, name, dst, how)
        for names, half in ((E8, "BF16"), (E5, "FP16"))
        for name in names
        for dst, how in ((half, "move"), ("FP32", "add"), (half, "direct"))
    ]
    for src in ("TF32", "BF16", "FP16"):
        half = "FP16" if src == "FP16" else "BF16"
        found += [Way("FP32", src, dst, "add") for dst in (half, "FP32")]
        found += [Way("FP32", src, "FP32" if src == "TF32" else src, "direct")]
    found += [Way(name, name, "FP32", "direct") for name in ("FP32", "TF32")]
    found += [Way(name, name, "INT32", "add") for name in ("INT8", "UINT8")]
    found += [Way("INT16", "INT16", "INT16", how) for how in ("move", "direct")]
    found += [Way(name, name, name, "direct") for name in ("INT32", "INT8")]
    return found


def operand_ways() -> list[Way]:
    """Those of floats that are computed with: Dst of 16 or 32 bits, both by words that compute."""
    pairs = [(name, name) for name in (*E8, *E5)]
    pairs += [("FP32", src) for src in ("TF32", "BF16", "FP16")]
    return [
        Way(l1, src, dst, "add")
        for l1, src in pairs
        for dst in ("FP16" if src in E5 else "BF16", "FP32")
    ]


def code(name: str) -> str:
    """The constant of a format code."""
    return f"FMT_{formats.get(FORMATS[name].code).name}"


def flags(way: Way, out: str) -> dict[str, int]:
    """Fields beside the codes, of all ways: which 8-bit floats, signs, integers in math."""
    return {
        "THCON_SEC0_REG1_Unp_LF8_4b_exp": int(way.l1 == "E4M3"),
        "THCON_SEC0_REG1_Pac_LF8_4b_exp": int(out == "E4M3"),
        "ALU_FORMAT_SPEC_REG0_SrcAUnsigned": int(way.l1 == "UINT8"),
        "PCK_DEST_RD_CTRL_Read_unsigned": int(out == "UINT8"),
        "ALU_ACC_CTRL_INT8_math_enabled": int(math(way) == "INT8" and way.how == "add"),
        "ALU_ACC_CTRL_Zero_Flag_disabled_src": int(way.l1 == "INT16"),
    }


def math(way: Way) -> str:
    """What the Matrix Unit takes Src for."""
    known = {"TF32": "TF32", "INT16": "INT16", "INT8": "INT8", "UINT8": "INT8"}
    return known.get(way.src, "FP16" if way.src in E5 else "BF16")


def read_as(way: Way, out: str) -> str:
    """What packers that make ``out`` take Dst for."""
    if way.dst == "INT32" and out in ("INT8", "UINT8"):
        return "INT8"
    return "TF32" if (way.dst, out) == ("FP32", "TF32") else way.dst


def stride(way: Way, out: str) -> int:
    """Bytes of a row of Dst, as packers count."""
    return 16 * (1 if read_as(way, out) == "INT8" else 2 + 2 * way.wide)
