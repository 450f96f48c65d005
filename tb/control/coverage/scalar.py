# SPDX-License-Identifier: Apache-2.0
"""The scalar unit, and values that are used as they change: GPR operands, views of configuration.

Source: frontend-config sections 5.3, 5.4 and 7, paragraph Consumer hazard; C14, C15, C22, C25;
docs/control.md sections 2, 4 and 6. A view counts as old or new only where the two differ.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import LOW2, TWO_OPERANDS, WHOSE, ends, of_kind, plan

_INSTR: Final = (
    "dmanop", "setdmareg", *(f"{name}{cycles}" for name in TWO_OPERANDS for cycles in (3, 4)),
    "reg2flop",
)  # fmt: skip
_SAME_GROUP: Final = "word.a >> 2 == word.b >> 2"
_FORM: Final = Bins({"immediate": "word.imm", "same_group": _SAME_GROUP, "other_group": "1"})
_TWO: Final = "ADDDMAREG <= kind <= MULDMAREG"


def _instr(kind: str, word: str) -> Bins:
    """The instruction, by its cycles."""
    three = f"({word}.imm or {word}.a >> 2 == {word}.b >> 2)"
    return Bins(
        f"0 if {kind} == DMANOP else 1 if {kind} == SETDMAREG"
        f" else {len(_INSTR) - 1} if {kind} == REG2FLOP"
        f" else 2 + 2 * ({kind} - ADDDMAREG) + (not {three})",
        _INSTR,
    )


_CONFIG: Final = "kind == REG2FLOP and word.target == 0 and word.cfg < 116"
_COUNTER: Final = "kind == REG2FLOP and word.target > 1"
_SCALAR: Final = plan(
    "scalar",
    {
        "first": _instr("unit.kind", "unit.word"),
        "second": _instr("kind", "word"),
        "whose": Bins("unit.thread != thread", WHOSE),
        "half": Bins("word.half_reg & 1", ("low", "high")),
        "gpr": ends("(word.half_reg >> 1)", 63, "1-62"),
        "two_operands": Bins("kind - ADDDMAREG", TWO_OPERANDS),
        "form": _FORM,
        "result": Bins(
            {"result_is_a": "word.result == word.a",
             "result_is_b": "word.result == word.b and not word.imm",
             "other": "1"}
        ),
        "immediate": among("word.b", 0, "1-31", "32-62", other="63"),
        "size": Bins("word.size", ("128", "32", "16", "8")),
        "target": Bins("word.target", ("config", "target1", "own_counters", "ctx_counters")),
        "byte_offset": Bins("word.byte_ofs", LOW2),
        "counters": Bins("word.target - 2", ("own_counters", "ctx_counters")),
        "adcsel": Bins("word.adc_sel", ("unpack0", "unpack1", "pack", "none")),
        "ctx": Bins("word.ctx", ("0", "1", "2", "3")),
        "channel": Bins("word.channel", ("channel0", "channel1")),
        "checkpoint": Bins("word.cr", ("counter", "checkpoint")),
        "counter": Bins("word.xyzw", ("x", "y", "z", "w")),
        "gpr_of_four": Bins("word.flop_gpr & 3", LOW2),
        "index_of_four": Bins("word.cfg & 3", LOW2),
        "flop_bits": Bins("word.target != 0", ("config_9_7", "counters_9_6")),
        "bits": Bins("word.flop >> (6 if word.target else 7) != 0", labels.CLEAR_SET),
        "index": Bins(
            {"64": "word.cfg == 0", "65-178": "word.cfg < 115", "179": "1"}
        ),
    },
    # The second issues in the first cycle in which the unit is available again
    Point("scalar.back_to_back_x_whose", "C25", "first second whose", when="after"),
    Point("setdmareg.half_x_gpr", "", when="kind == SETDMAREG and not word.mode"),
    Point("scalar.two_operands_x_form_x_result", "C25", when=_TWO,
          exclude=(Exclude((None, "immediate", "result_is_b"), "B is no register"),)),
    Point("scalar.two_operands_x_immediate", "C25", when=f"{_TWO} and word.imm"),
    Point("reg2flop.size_x_target_x_byte_offset", "C14", when="kind == REG2FLOP"),
    Point("reg2flop.target_x_adcsel", "C14", "counters adcsel", when=_COUNTER),
    Point("reg2flop.ctx_x_thread", "C14", when="kind == REG2FLOP and word.target == 3"),
    Point("reg2flop.channel_x_checkpoint_x_counter", "C14",
          when=f"{_COUNTER} and word.adc_sel != 3"
          " and not (word.target == 3 and word.ctx == 3)"),
    Point("reg2flop.gpr_x_index_of_four", "C15", "gpr_of_four index_of_four",
          when=f"{_CONFIG} and word.size == 0"),
    Point("reg2flop.flop_bits_above", "C14", "flop_bits bits", when=f"{_COUNTER} or {_CONFIG}"),
    Point("reg2flop.index", "C14", when=_CONFIG),
    **labels.KINDS,
)  # fmt: skip

_WINDOW: Final = "64 <= index < GLOBAL"
_WRITERS: Final = ("wrcfg", "wrcfg128", "cfgshiftmask", "streamwrcfg", "rmwcib", "risc")
_SHIFT: Final = "(2 if quad or word.size == 0 else 0)"
_FLOP: Final = plan(
    "flop",
    {
        "delay": among("delay", 0, 1, other=">1"),
        "size": Bins("word.size != 0", ("128", "32-8")),
        # What was written in the cycle by which it is delayed, and to which bank
        "delayed_by": Bins("5 if writer == BY_CORES else writer", _WRITERS),
        "bank": Bins(
            {"own_bank": "banks == bank + 1", "other_bank": "banks != 3", "both_banks": "1"}
        ),
        "space": Bins("index >= 64", ("below_64", "180_and_up")),
        "same": Bins(
            "not (banks & bank + 1 and"
            f" 64 + word.cfg >> {_SHIFT} == index >> {_SHIFT})",
            labels.SAME_OTHER,
        ),
    },
    Point("config.reg2flop_x_stateid_x_thread", "C5 C14", "stateid thread", when="written"),
    Point("reg2flop.delay_x_size", "C14", when="written"),
    Point("reg2flop.delayed_by_x_bank", "C14", when=f"not written and {_WINDOW}",
          exclude=(
              Exclude((_WRITERS[:-1], "both_banks"),
                      "words 64 to 179 are banked; both: the RISC alias only"),
          )),
    Point("reg2flop.with_a_write", "C14", "space",
          when=f"written and writer >= 0 and not {_WINDOW}"),
    Point("reg2flop.delayed_by_word", "C14", "same",
          when=f"not written and writer >= 0 and {_WINDOW}"),
)  # fmt: skip

_MOST: Final = "(63 if immediate else 0xFFFF)"
_VALUE: Final = "(b if operand else a)"
_PRODUCT: Final = plan(
    "product",
    {
        # Low halves; of B the largest one is FFFF, or 63 as an immediate
        "form": Bins("immediate", ("register", "immediate")),
        "a": Bins(
            {"0": "a & 0xFFFF == 0", "1": "a & 0xFFFF == 1", "2-fffe": "a & 0xFFFF != 0xFFFF",
             "ffff": "1"}
        ),
        "b": Bins(
            {"0": "b & 0xFFFF == 0", "1": "b & 0xFFFF == 1", "between": f"b & 0xFFFF != {_MOST}",
             "largest": "1"}
        ),
        # Wraps to 0: the upper half is set, the low one is 0. As operand B: a register
        "operand": each(("a", "b")),
        "upper_half": Bins(
            {"clear": f"{_VALUE} >> 16 == 0", "set": f"{_VALUE} & 0xFFFF", "wraps_to_0": "1"}
        ),
        "bit_15_of_a": Bins("a >> 15 & 1", labels.CLEAR_SET),
        "of_b": Bins("2 if immediate else b >> 15 & 1", (*labels.CLEAR_SET, "immediate")),
    },
    Point("muldmareg.form_x_a_x_b", "C25"),
    Point("muldmareg.operand_x_upper_half", "C25", when="not operand or not immediate"),
    # The sign of a 16-bit operand is none
    Point("muldmareg.bit_15_of_a_x_of_b", "C25"),
)  # fmt: skip

# The consumer issues in the first cycle in which it can behind the producer, or a cycle later
_OPERAND: Final = plan(
    "operand",
    {
        "gpr_producer": Bins(of_kind("producer", "rdcfg", "setdmareg", *TWO_OPERANDS)),
        "consumer": Bins(
            {"wrcfg": "kind == WRCFG and not word.is128", "wrcfg128": "kind == WRCFG",
             **{f"{name}_{side}": f"kind == {name.upper()} and operand == {number}"
                for name in TWO_OPERANDS for number, side in enumerate("ab")},
             "reg2flop": "word.size", "reg2flop_of_four": "1"}
        ),
        "distance": Bins("late", ("first", "second")),
        "reader": Bins("kind - ADDDMAREG", TWO_OPERANDS),
        "form": Bins(
            {"same_group": f"not word.imm and {_SAME_GROUP}",
             "other_group": "not word.imm", "immediate": "1"}
        ),
        "operand": Bins("operand", ("a", "b")),
    },
    Point("hazard.gpr_producer_x_consumer_x_distance", "C22"),
    # The scalar unit's word is the next one
    Point("hazard.rdcfg_at_1_x_reader", "C22", "reader form operand",
          when=f"producer == RDCFG and distance == 1 and {_TWO}",
          exclude=(Exclude((None, "immediate", "b"), "B is no register"),)),
    **labels.KINDS,
)  # fmt: skip
_CLASH: Final = plan(
    "clash",
    {"halves": Bins("halves - 1", ("low_half", "high_half", "whole"))},
    Point("hazard.rdcfg_with_scalar_write", "C22", "halves", exclude=(
        Exclude(("whole",), "both hold their thread until they write: no RDCFG behind"),
    )),
)  # fmt: skip
# Old: seen in the cycle of the write; new: in the next. For WRCFG and CFGSHIFTMASK these are units
# that issue one and two cycles behind it, for RMWCIB new is one that issues in the next cycle.
_CHANGING: Final = plan(
    "changing",
    {
        "view": Bins("unit", labels.UNITS[:3]),
        "writer": Bins("writer", (*_WRITERS[:-1], "reg2flop")),
        "risc_write": Bins("writer - BY_CORES", ("config", "thread")),
        "age": Bins("age", ("old", "new")),
        "whose": Bins("by != thread", WHOSE),
    },
    Point("hazard.view_x_writer_x_whose_x_age", "C5", exclude=(
        Exclude((None, "rmwcib", "own_thread", "old"), "a thread issues one word a cycle"),
        Exclude((None, "reg2flop", "own_thread", "old"), "its thread is held until the write"),
    )),
    Point("hazard.view_x_risc_write_x_age", "C5"),
    Point("hazard.view_behind_setc16", "C5", "view", when="age and writer == BY_SETC16"),
)  # fmt: skip
_VIEWED: Final = plan(
    "viewed",
    {
        "view": Bins("unit", labels.UNITS[:3]),
        "range": Bins(
            {"bank0": "index < GLOBAL and not bank", "bank1": "index < GLOBAL",
             "global": "index < WORDS", "beyond_config": "index < 256",
             "thread": "index & 255 < THREAD_WORDS", "beyond_thread": "1"}
        ),
    },
    Point("view.range_x_unit", "C5 C6", "range view"),
)  # fmt: skip
PLANS: Final = (_SCALAR, _FLOP, _PRODUCT, _OPERAND, _CLASH, _CHANGING, _VIEWED)
