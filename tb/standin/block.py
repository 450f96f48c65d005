# SPDX-License-Identifier: Apache-2.0
"""The math stand-in as the engine sees it. It is bench code: nothing of it is synthesized."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.standin import BOUNDARY, STREAMS
from tilepath.tb.instruction_words import explain_words
from tilepath.tb.named import executes, made_by
from tilepath.tb.standin.streams import PLAYERS

_SRC: Final = ("answer_a", "answer_b")
_PARAMETERS: Final = (
    "MathEnc", "ImpliedFmt", "MathMinus1", "DstRemap", "ZeroaccHalfRows", "MoveFp32Rows",
    "SrcbCutInMove", "Movd2bLowZero", "MoveUnalignedWrite", "ZeroaccStorageRows", "Mova2dRowBlock",
)  # fmt: skip


def _explain(stream: str, field: str, value: int) -> str:
    """Instructions, names of configuration words, numbers in rows of SrcA and SrcB."""
    if stream.rpartition(".")[2] in _SRC and field.startswith("data["):
        sign, mantissa, exponent = value >> 18, value >> 8 & 0x3FF, value & 0xFF
        magnitude = (1 + mantissa / 1024) * 2.0 ** (exponent - 127) if exponent else 0.0
        return f"{-magnitude if sign else magnitude:g} (eight bits of exponent)"
    return explain_words(stream, field, value)


BLOCK = Block(
    name="standin",
    dut="",
    rtl=("isa", "memory", "dst"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.standin", "StandinModel"),
    coverage=made_by("tb.standin.coverage", "StandinCoverage"),
    balances=Balances(rest=(("busy", "value", 0b111),)),
    bench=of_profile(*_PARAMETERS),
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.standin.untimed", "UntimedUnit"),
    also=executes(
        "models.standin", "MatrixUnit", "ZEROACC 3, 0, 0, 0, 0", "SETRWC 0, 0, 0, 0, 0, 15"
    ),
    optimise="-O1",
)
