# SPDX-License-Identifier: Apache-2.0
"""What words that issue ask for: fields of config instructions, ignored bits, faults, mutexes.

Source: frontend-config section 7, paragraph Config; C1 to C7, C14, C15, C18, C19, F17;
docs/control.md sections 3 to 8.

CFGSHIFTMASK has too many fields for their full product. What its result depends on at once, ALU,
mode, width and rotation, is crossed in full. Which words it reads and writes is a matter of scratch
selector and target, crossed in full with the thread where it matters (selector 3); both meet the
ALU and the mode, because mode and ALU decide whether the old value is needed.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.isa import layout_of, profiles, tables
from tilepath.isa.boundary.control import FAULTS
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import CONFIG_INSTR, LOW2, WHOSE, ends, of_gate, plan

_INDEX: Final = "(word.short_index if kind in SHORT else word.cfg_index)"
_ALU: Final = ("or", "and", "xor", "add", "or_not", "and_not", "xor_not", "sub")
_SHIFT: Final = "kind == CFGSHIFTMASK and word.short_index < WORDS"
_WRCFG128: Final = "kind == WRCFG and word.is128 and index < WORDS"

# Bits of a word that no field has (section 1): set, they change nothing
_IGNORED: Final = {
    layout.mnemonic.lower(): layout.ignored
    for layout in (layout_of("NOP"), *tables.layouts())
    if layout.ignored and layout.mnemonic in Kind.__members__
}
_ADC: Final = ("50", "51", "52", "53", "54", "55", "56", "5e")
_UNSUPPORTED: Final = (
    *(f"{opcode:02x}" for opcode, row in enumerate(INSTRUCTIONS) if row.kind == Kind.UNSUPPORTED),
    "setdmareg_mode1",
)


def _table(places: dict[int, int]) -> tuple[int, ...]:
    """Of what an opcode or a kind is mapped to; others to -1."""
    return tuple(places.get(one, -1) for one in range(256))


_TABLES: Final = {
    "RANK_ADC": _table({int(opcode, 16): place for place, opcode in enumerate(_ADC)}),
    "RANK_UNSUPPORTED": _table(
        {int(o, 16): place for place, o in enumerate((*_UNSUPPORTED[:-1], "45"))}
    ),
    "RANK_IGNORED": _table({Kind[n.upper()]: place for place, n in enumerate(_IGNORED)}),
    "IGNORED": _table({Kind[n.upper()]: mask for n, mask in _IGNORED.items()}),
    "RANK_CONFIG": _table({Kind[n.upper()]: place for place, n in enumerate(CONFIG_INSTR)}),
}


def _out(index: str, end: int | str, wraps: int = 256) -> str:
    """The first index behind the end, one behind it, or one in range without its upper bits."""
    alias = f"2 if {index} >= {wraps} and {index} % {wraps} < {end} else 1"
    return f"(0 if {index} == {end} else {alias})"


_BINS: Final = {
    "alu": Bins("word.alu", _ALU),
    "mode": Bins("word.mask_mode", ("mode0", "mode1")),
    "some_width": among("word.mask_width", 0, 1, 15, 30, 31),
    "some_rotation": among("word.rotate", 0, 1, 16, 31),
    "width": among("word.mask_width", 0, 1, "2-14", 15, "16-29", 30, 31),
    "rotation": among("word.rotate", 0, 1, "2-15", 16, "17-30", other="31"),
    "selector": Bins(
        "3 + thread if word.scratch == 3 else word.scratch",
        ("sel0", "sel1", "sel2", "sel3_t0", "sel3_t1", "sel3_t2"),
    ),
    "target": Bins(
        {"banked": "word.short_index < GLOBAL",
         "scratch_same": f"word.short_index == {labels.SCRATCH}",
         "scratch_other": "209 <= word.short_index < 212", "223": "word.short_index == 223",
         "other_global": "1"}
    ),
    "gpr": Bins("word.gpr & 3", LOW2),
    "index": Bins(f"{_INDEX} & 3", LOW2),
    "group": Bins(
        {"0": f"{_INDEX} < 4", "8-172": f"8 <= {_INDEX} < 176",
         "176_last_banked": f"176 <= {_INDEX} < 180", "180_first_global": f"180 <= {_INDEX} < 184",
         "184-216": f"184 <= {_INDEX} < 220", "220_last": f"{_INDEX} >= 220"}
    ),
    "byte": Bins("opcode - OP_RMWCIB0", LOW2),
    "mask": Bins({"0": "word.mask == 0", "ff": "word.mask == 0xFF", "sparse": "1"}),
    "space": Bins("word.short_index >= GLOBAL", labels.SPACES),
    "instruction": Bins("RANK_CONFIG[kind]", CONFIG_INSTR),
    "edge_index": among(_INDEX, 0, 179, 180, 223),
    "setc16_index": among("word.setc16_index", 0, "1-56", 57, 58, "59-62", "63-66", other="67"),
    "reader": Bins({"wrcfg": "kind == WRCFG", "rdcfg": "kind == RDCFG"}),
    "register": ends("word.gpr", 63, "1-62"),
    "adc_opcode": Bins("RANK_ADC[opcode]", _ADC),
    "ignoring": Bins("RANK_IGNORED[kind]", tuple(_IGNORED)),
    "bits": Bins("word & IGNORED[kind] != 0", labels.CLEAR_SET),
    "flag": each(tuple(fault.name for fault in FAULTS)),
    "illegal_word": Bins(
        {"mop": "opcode == 1", "mop_cfg": "opcode == 3", "replay": "opcode == 4",
         "resourcedecl": "opcode == 5", "unassigned": "1"}
    ),
    "thread_state": Bins(
        "(latch != 0) + 2 * (rules & INSIDE != 0)",
        ("free", "latch", "inside_scalar", "latch_and_inside"),
    ),
    "unsupported": Bins("RANK_UNSUPPORTED[opcode]", _UNSUPPORTED),
    "beyond": Bins(
        {"wrcfg": "kind == WRCFG and not word.is128", "wrcfg128": "kind == WRCFG",
         "cfgshiftmask": "kind == CFGSHIFTMASK", "streamwrcfg": "kind == STREAMWRCFG",
         "rmwcib": "kind == RMWCIB", "rdcfg": "kind == RDCFG", "setc16": "kind == SETC16",
         "reg2flop": "1"}
    ),
    # First: the first index behind the end; alias: in range if upper bits were ignored
    "where": Bins(
        f"{_out('word.setc16_index', 'THREAD_WORDS', 128)} if kind == SETC16"
        f" else {_out('word.cfg', 116, 128)} if kind == REG2FLOP"
        f" else {_out('(word.cfg_index & 0x7FC)', 'WORDS')} if kind == WRCFG and word.is128"
        f" else {_out(_INDEX, 'WORDS')}",
        ("first", "behind_it", "alias"),
    ),
    "near_word_4": Bins(
        {"wrcfg_3": "kind == WRCFG and index == 3", "wrcfg_5_7": "kind == WRCFG and 4 < index < 8",
         "wrcfg128_0": "kind == WRCFG and index == 0 and word.is128",
         "wrcfg128_8": "kind == WRCFG and index == 8 and word.is128",
         "rdcfg_4": "kind == RDCFG and index == 4"}
    ),
    "semaphores": Bins("word.sem_mask != 0", ("none", "some")),
    "mutex_fault": Bins(
        {"index_get": "mutex < 0 and kind == ATGETM", "index_release": "mutex < 0",
         "release_free": "owner == 0", "release_other": "1"}
    ),
    "flop_target": Bins(
        {"own_adcsel3": "word.target == 2", "ctx_adcsel3": "word.ctx != 3",
         "ctx3": "word.adc_sel != 3", "ctx3_adcsel3": "1"}
    ),
    "flop_size": Bins(
        "0 if word.size == 0 else word.byte_ofs if word.size == 1"
        " else 4 + (word.byte_ofs >> 1)",
        ("128", "32_at_1", "32_at_2", "32_at_3", "16_at_1", "16_at_3"),
    ),
    "counters": Bins("word.target & 1", ("own", "ctx")),
    "lost": Bins("kind - SEMPOST", ("sempost", "semget")),
    "stale": Bins("word.is128", ("wrcfg", "wrcfg128")),
    "behind": Bins("acted.kind - SEMINIT", ("seminit", "sempost", "semget")),
    "whose": Bins("acted.thread != thread", WHOSE),
    # Indices whose low three bits are those of a mutex are no alias of it (16 bits)
    "bad_index": Bins(
        {**{str(n): f"word.mutex_index == {n}" for n in (1, 5)},
         "6-7": "word.mutex_index in (6, 7)",
         "alias_of_a_mutex": "word.mutex_index & 7 in (0, 2, 3, 4)"}
    ),
    "waiters": Bins("waiters - 1", ("1", "2")),
}  # fmt: skip

_NO_STAGE: Final = (
    "the older chip's scalar words stand nowhere (stale_gpr)",
    profiles.having("stale_gpr", 0),
)
_WORD: Final = of_gate(
    "word",
    _BINS,
    Point("cfgshiftmask.alu_x_mode_x_width_x_rotation", "C1 C2 C3",
          "alu mode some_width some_rotation", when=_SHIFT),
    Point("cfgshiftmask.width_x_rotation", "C1", when=_SHIFT),
    Point("cfgshiftmask.selector_x_target", "C4", when=_SHIFT),
    Point("cfgshiftmask.alu_x_mode_x_selector", "C2 C4", when=_SHIFT),
    Point("cfgshiftmask.alu_x_mode_x_target", "C2 C5", when=_SHIFT),
    Point("wrcfg128.gpr_x_index", "C15", when=_WRCFG128),
    # Not the group of word 4, whose write is dropped
    Point("wrcfg128.group", "C15", when=_WRCFG128),
    Point("rmwcib.byte_x_mask_x_space", "C5", when="kind == RMWCIB and index < WORDS"),
    Point("rmwcib.word_4_x_byte", "C18", "byte",
          when="kind == RMWCIB and index == 4 and word.mask"),
    Point("config.instruction_x_edge_index", "C6"),
    Point("config.gpr", "", "reader register"),
    Point("setc16.index_x_thread", "C6", "setc16_index thread",
          when="kind == SETC16 and word.setc16_index < THREAD_WORDS"),
    Point("adc.opcode_x_thread", "", "adc_opcode thread"),
    Point("word.ignored_bits", "C7", "ignoring bits"),
    Point("fault.flag_x_thread", "", when="faults >> flag & 1",
          exclude=(Exclude(("stale_gpr", None), *_NO_STAGE),)),
    Point("fault.illegal_word_x_thread_state", "F17", when="faults & FAULT_ILLEGAL"),
    Point("fault.unsupported_word", "", "unsupported", when="faults & FAULT_UNSUPPORTED"),
    Point("fault.cfg_oob_x_index", "C6", "beyond where", when="faults & FAULT_CFG_OOB",
          exclude=(Exclude((("cfgshiftmask", "rmwcib", "reg2flop"), "alias"),
                           "the index field is too narrow for an alias"),)),
    # Words that come close to word 4, without a fault
    Point("fault.none_near_word_4", "C18", "near_word_4", when="not faults"),
    Point("fault.sem_cond_x_selected", "C19", "semaphores", when="faults & FAULT_SEM_COND"),
    Point("fault.mutex", "C19", "mutex_fault",
          when="faults & (FAULT_MUTEX_INDEX | FAULT_MUTEX_OWNER)"),
    Point("fault.flop_target", "C14", when="faults & FAULT_FLOP_TARGET"),
    Point("fault.flop_size_x_target", "C14", "flop_size counters", when="faults & FAULT_FLOP_SIZE"),
    Point("fault.sem_lost", "C26", "lost", when="faults & FAULT_SEM_LOST"),
    Point("fault.stale_gpr", "C27", "stale", when="faults & FAULT_STALE_GPR",
          exclude=(Exclude((None,), *_NO_STAGE),)),
    Point("hold.illegal_leaves", "F17", "thread", when="kind == ILLEGAL and rules & HOLD"),
    # SEMWAIT issued in the cycle behind an operation on a semaphore that it selects
    Point("semwait.behind_x_whose", "C20", when="kind == SEMWAIT and acted.cycle == cycle - 1"
          " and acted.word.sem_mask & word.sem_mask"),
    Point("mutex.bad_index", "C19", "op bad_index", when="mutex < 0"),
    Point("mutex.released_with_waiters", "C24", "mutex waiters",
          when="kind == ATRELM and owner == 1"),
    **labels.KINDS, **labels.FAULTS, **labels.OPCODES, **_TABLES,
     SHORT=(int(Kind.RMWCIB), int(Kind.CFGSHIFTMASK)),
)  # fmt: skip
_STICKY: Final = plan(
    "sticky",
    {
        "by": Bins(
            {"thread0": "by == 1", "thread1": "by == 2", "thread2": "by == 4", "risc": "by == 8"}
        )
    },
    Point("fault.sticky_set_by", "C6", "by"),
)
PLANS: Final = (_WORD, _STICKY)
