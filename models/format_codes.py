# SPDX-License-Identifier: Apache-2.0
"""Codes of the data formats, four bits, by the names of ``isa`` (U45, P19), and sets of them."""

from __future__ import annotations

from typing import Final

from tilepath.isa import constants, formats

FP32: Final = constants.FMT_FP32
FP16: Final = constants.FMT_FP16
BFP8A: Final = constants.FMT_BFP8A
BFP4A: Final = constants.FMT_BFP4A
TF32: Final = constants.FMT_TF32
BF16: Final = constants.FMT_BF16
BFP8: Final = constants.FMT_BFP8
BFP4: Final = constants.FMT_BFP4
INT32: Final = constants.FMT_INT32
INT16: Final = constants.FMT_INT16
FP8: Final = constants.FMT_FP8
BFP2A: Final = constants.FMT_BFP2A
INT8: Final = constants.FMT_INT8
BFP2: Final = constants.FMT_BFP2


def _codes(**wanted: int) -> tuple[int, ...]:
    """Those whose fields (``isa.formats.Format``) are as wanted."""
    return tuple(
        code
        for code, form in sorted(formats.formats().items())
        if all(getattr(form, name) == value for name, value in wanted.items())
    )


ALL: Final = _codes()
FLOATS: Final = tuple(code for code in ALL if code not in _codes(exponent=0))
INTEGERS: Final = _codes(exponent=0)
WIDE: Final = _codes(bits=32)
HALVES: Final = _codes(bits=16)
EXPONENT_5: Final = _codes(exponent=5)
BFP: Final = _codes(shared=True, exponent=8)
BFPA: Final = _codes(shared=True, exponent=5)
SHARED: Final = _codes(shared=True)
