# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the math stand-in share."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.expression import Names
from tilepath.engine.coverage.plan import Bins, Kept, Planner, each, numbers
from tilepath.isa.codec import layout_of
from tilepath.isa.profiles import Profile
from tilepath.isa.registers import config_fields
from tilepath.models.standin.account import KINDS
from tilepath.models.standin.plan import OPS, Flag, Rwc
from tilepath.tb.instruction_words import word_fields

THREADS: Final = ("t0", "t1", "t2")
FILES: Final = ("SrcA", "SrcB")
FILES_DST: Final = (*FILES, "Dst")
NAMED_FILES: Final = ("none", "A", "B", "both")
WIDTHS: Final = ("16", "32")
# Instructions by their numbers in accounts
ARITHMETIC: Final = OPS[:6]
DOTS: Final = OPS[:2]
ELTWISE: Final = OPS[3:6]
SUMS: Final = OPS[4:6]
MOVES: Final = OPS[6:10]
INTO_DST: Final = OPS[6:8]
WITH_DST: Final = OPS[:10]
ALL_MOVES: Final = (*MOVES, "MOVB2A")
PRODUCTS: Final = (*DOTS, "ELWMUL")
MODIFIED: Final = (*WITH_DST, "MOVB2A", "ZEROACC")

OF_ARITHMETIC: Final = Bins("op", ARITHMETIC)
OF_WITH_DST: Final = Bins("op", WITH_DST)
OF_ALL_MOVES: Final = Bins("op - MOVA2D", ALL_MOVES)

_BINS: Final = {
    "op": Bins("op", OPS),
    "thread": Bins("thread", THREADS),
    "file": each(FILES),
    "eltwise": Bins("op - ELWMUL", ELTWISE),
    "width": Bins("wide", WIDTHS),
    "phase_of_product": Bins("phase", numbers(4)),
}
_CONSTANTS: Final[Names] = {
    **{name.upper(): number for number, name in enumerate(OPS)},
    "ZEROACC_RANGE": int(Flag.ZEROACC_RANGE),
    "PRODUCTS": tuple(map(OPS.index, PRODUCTS)),
    "POOLS": tuple(map(OPS.index, ("GAPOOL", "GMPOOL"))),
    "USE_A": tuple(map(OPS.index, ("MOVA2D", "MOVD2A", "MOVB2A"))),
    "USE_B": tuple(map(OPS.index, ("MOVB2D", "MOVD2B", "MOVB2A"))),
}


def _fields(prefix: str) -> dict[str, tuple[int, int]]:
    """Fields of a word of the configuration by the rest of their names."""
    found = (field for field in config_fields() if field.name.startswith(prefix))
    return {field.name.removeprefix(prefix): (field.lsb, field.width) for field in found}


_WORDS: Final = {
    "mod_ab": _fields("ADDR_MOD_AB_SEC0_"),
    "mod_dst": _fields("ADDR_MOD_DST_SEC0_"),
    "mod_bias": _fields("ADDR_MOD_BIAS_SEC0_"),
    "word": word_fields(
        *("ZEROSRC", "MVMUL", "MOVA2D", "MOVB2A", "ELWADD", "ZEROACC", "CLEARDVALID", "SETRWC")
    ),
}


def _of_counter(a: str, b: str, d: str) -> str:
    return f"({a} if counter_name == 0 else {b} if counter_name == 1 else {d})"


def _of_modifier(*its: str, of_word: str) -> str:
    """Of a counter as the modifier has it, or SETRWC and INCRWC."""
    words = (f"word.{of_word}_{name}" for name in "abd")
    return f"({_of_counter(*its)} if modifier >= 0 else {_of_counter(*words)})"


_DERIVED: Final = {
    "modifier": "plan.modifier",
    "phase": f"rwc[{Rwc.PHASE}]",
    "bias": f"rwc[{Rwc.BIAS}]",
    # rows (M4): of each file field, offset and counter
    "sum_a": f"rwc[{Rwc.A}] + (word.src if op in USE_A else 0)",
    "sum_b": f"rwc[{Rwc.B}] + (word.srcb if op == MOVB2A else word.src if op in USE_B else 0)",
    "sum_d": f"rwc[{Rwc.D}] + word.dst + offset",
    # of a counter, A, B, D, that an address modifier (M6), SETRWC or INCRWC (M5) is for
    "old": "rwc[2 * counter_name & 7]",
    "checkpoint": "rwc[2 * counter_name + 1 & 7]",
    "amount": _of_modifier("mod_ab.SrcAIncr", "mod_ab.SrcBIncr", "mod_dst.DestIncr", of_word="rwc"),
    "cr": _of_modifier("mod_ab.SrcACR", "mod_ab.SrcBCR", "mod_dst.DestCR", of_word="cr"),
    "clear": _of_counter("mod_ab.SrcAClear", "mod_ab.SrcBClear", "mod_dst.DestClear"),
    "chosen": _of_counter("word.set_a", "word.set_b", "word.set_d"),
    "to_cr": "counter_name == 2"
    " and (mod_dst.DestCToCR or modifier < 0 and op == SETRWC and word.d_to_cr)",
    "total_phase": "plan.phase",
    "written": "plan.writes.length",
    "class_a": "2 if e5[0] else tf32[0]",
    "class_b": "2 if e5[1] else tf32[1]",
    "two": "faults & faults - 1",  # 0: at most one
    "after": "before.op if before.last else -1",
    "gap": "cycle - before.last - 1",
}
# by exponent and mantissa (M18)
_SIZE: Final = "({0} & 255) << 10 | {0} >> 8 & 1023"
_OF_TERMS: Final = {
    "distance": "(a & 255) - (b & 255)",
    "size_a": _SIZE.format("a"),
    "size_b": _SIZE.format("b"),
    "opposite": "(a ^ b) >> 18 & 1",  # signs
}
plan: Final = Planner(
    KINDS,
    _CONSTANTS,
    _BINS,
    _WORDS,
    {"instruction": _DERIVED, "term": _OF_TERMS},
    {"instruction": {"before": Kept()}},
)


def ops(*names: str) -> Bins:
    """Bins of these instructions."""
    return Bins({name: f"op == {OPS.index(name)}" for name in names})


def counted(value: str, most: int) -> Bins:
    """Bins of the numbers from 0 on."""
    return Bins(value, numbers(most))


def of_word(op: str, field: str, chosen: Profile) -> str:
    """A field of the words of an instruction, which has another place in other profiles."""
    found = layout_of(op, chosen.name).find(field)
    return f"(word >> {found.lsb} & {(1 << found.width) - 1})"
