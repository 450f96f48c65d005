# SPDX-License-Identifier: Apache-2.0
"""Points of the instruction words, one by one, and of their faults.

Source: unpack-adc section 7, line ADC; docs/adc.md sections 2 and 3.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, each, numbers
from tilepath.isa import layout_of
from tilepath.tb.adc.coverage.labels import MASKED, OPS, PACKED, chosen, plan

_BITS: Final = numbers(24)
_NAMED: Final = tuple(
    Exclude((op, tuple(bit for bit in _BITS if not layout_of(op).ignored >> int(bit) & 1)),
            "the encoding names this bit")
    for op in OPS
)  # fmt: skip
_OPCODES: Final = tuple(f"{layout_of(op).opcode:02X}" for op in OPS)
_ALONE: Final = "a word is illegal because it is none of the instructions that warn"
_VALUE: Final = "instruction.value"
_LARGEST: Final = "largest[instruction.xyzw & 3]"
_SHORT: Final = {"0": f"{_VALUE} == 0", "1": f"{_VALUE} == 1", "max": f"{_VALUE} == {_LARGEST}"}
_OPERAND: Final = (
    "(instruction.x0_val if field == 0 else instruction.y0_val if field == 1"
    " else instruction.x1_val if field == 2 else instruction.y1_val)"
)
_X: Final = "(instruction.long_x1_val if channel else instruction.long_x0_val)"

PLAN: Final = plan(
    "word",
    {
        "op": Bins("command", OPS),
        "packed_op": chosen("command", PACKED, OPS),
        "masked_op": chosen("command", MASKED, OPS),
        "target": Bins("instruction.target", numbers(8)),
        "override": Bins("override", numbers(4)),
        "given_override": Bins("override - 1", ("1", "2", "3")),
        "mask": Bins("mask", tuple(f"{mask:04b}" for mask in range(16))),
        # X or Z, Y or W, by channel
        "field": each(("first0", "second0", "first1", "second1")),
        "field_value": Bins(_OPERAND, numbers(8)),
        "bit": each(_BITS),
        # The value is meant: what is left of it must not count as 0, 1 or max. Truncated: bits
        # [15:0] do not fit; the two above are the override, whatever the width (A2).
        "value": Bins(
            {**_SHORT, "other": f"{_VALUE} & 0xFFFF <= {_LARGEST}", "truncated": "1"}
        ),
        "channel": each(("0", "1")),
        "x_value": Bins(
            {"0": f"{_X} == 0", "1": f"{_X} == 1", "max": f"{_X} == 1023", "other": "1"}
        ),
        "x_channel": Bins("instruction.channel", ("0", "1")),
        "flags": Bins(
            "faults - 1",
            ("illegal", "x_override", "x_override+illegal", "empty", "empty+illegal",
             "empty+x_override", "all"),
        ),
        "why": Bins(
            {"target": "not instruction.target and mask", "mask": "instruction.target", "both": "1"}
        ),
        "opcode": Bins("instruction.opcode", tuple(f"{opcode:02X}" for opcode in range(256))),
    },
    Point("instruction.op_x_target_x_override_x_thread", "A3 A7", exclude=(
        Exclude(("setadcxx", None, ("1", "2", "3"), None), "SETADCXX has no ThreadOverride (A3)"),
    )),
    Point("instruction.op_x_mask", "A7", "masked_op mask"),
    # values that count: of SETADC.. and ADDRCR.. with the mask bit set, of INCADC.. all
    Point("instruction.op_x_field_x_value", "A4 A5 A6", "packed_op field field_value",
          when="mask < 0 or mask >> field & 1"),
    Point("instruction.value_without_mask_bit", "A7", "masked_op field",
          when=f"{_OPERAND} and not mask >> field & 1"),
    Point("instruction.ignored_bit_set", "A8", "op bit",
          when="ignored and ignored >> bit & 1", exclude=_NAMED),
    Point("setadc.counter_x_value", "A1 A2", when="command == SETADC", exclude=(
        Exclude((("x0", "x1"), "truncated"), "X takes all 18 bits (A2)"),
    )),
    Point("setadc.counter_x_override", "A2 A3", when="command == SETADC"),
    Point("setadcxx.channel_x_value", "A5", "channel x_value", when="command == SETADCXX"),
    Point("fault.thread_x_flags", "A2 A7 A8", exclude=(
        Exclude((None, ("x_override+illegal", "empty+illegal", "all")), _ALONE),
    )),
    Point("fault.empty_op_x_why", "A7", "op why", when="faults & EMPTY", exclude=(
        Exclude((tuple(op for op in OPS if op not in MASKED), ("mask", "both")), "has no mask"),
    )),
    Point("fault.x_override_thread_x_override_x_channel", "A2",
          "thread given_override x_channel", when="faults & X_OVERRIDE"),
    Point("fault.illegal_opcode", "A8", "opcode", when="command < 0", exclude=(
        Exclude((_OPCODES,), "one of the eight instructions"),
    )),
)  # fmt: skip
