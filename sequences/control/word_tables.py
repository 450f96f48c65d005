# SPDX-License-Identifier: Apache-2.0
"""What random words are drawn from, a table a unit, and the kinds of words that each makes.

What the words of a thread, of other threads and of the cores have in common (one writes what the
next one looks at) comes from the few operands that are ``hot``: columns ``few_…``, whose values a
test draws once (:class:`Hot`); those that stand here are an example. No word here can wait for ever
as long as the cores keep posting and getting, the streams reach their largest values again and
again (``ports``), and every semaphore has a maximum of 2 or more.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.description.seeds import derive
from tilepath.engine.stimulus.tables import Table, chance, choice, column, mix, uniform
from tilepath.models.control.instructions import TWO_OPERANDS
from tilepath.sequences.control import words as w
from tilepath.sequences.word_forms import Forms, form, raw
from tilepath.tb.control.items import COUNT_REGISTER, PHASE_REGISTER

TARGETS: Final = (0, 1, 2, 3, 4, 5, 0x3FE, 0x3FF)
"""Low bits of what STREAMWAIT waits for."""
_HIGHS: Final = (0, 0, 0, 0, 1, 1, 2, 0x7F, 0x3FF)


class Hot:
    """The few operands that threads and cores share, drawn from ``rng`` once a test."""

    def __init__(self, rng: np.random.Generator) -> None:
        low = rng.choice(np.setdiff1d(np.arange(w.FLOP_BASE), [w.STATE_RESET]), 3, replace=False)
        middle = rng.integers(w.FLOP_BASE, w.GLOBAL - 1, 2)
        high = rng.integers(w.GLOBAL, w.CONFIG_WORDS, 1)
        scratch = rng.choice(w.SCRATCH, 2, replace=False)
        first = 4 * rng.integers(0, 8)
        self._values = {
            "few_index": np.concatenate((low, middle, middle + 1, high, scratch)),
            "few_flop": np.concatenate((middle, middle + 1)) - w.FLOP_BASE,
            "few_gpr": np.concatenate((np.arange(first, first + 4), rng.integers(32, 64, 3))),
            "few_register": np.concatenate(
                ([PHASE_REGISTER, COUNT_REGISTER], rng.integers(0, 1024, 4))
            ),
            "few_thread": rng.integers(1, 56, 4),
        }

    def few(self, name: str, shape: int | tuple[int, ...] = ()) -> Any:
        """The distribution of a column ``few_…``."""
        return choice(self._values[name].tolist(), shape=shape)

    def of(self, table: Table, thread: int = 0) -> Table:
        """``table`` with these operands, and the streams of ``thread``."""
        own = {"selected": choice(stream_ids(thread))} if "selected" in table.columns else {}
        own |= {
            name: self.few(name, table.columns[name].entries)
            for name in self._values.keys() & table.columns.keys()
        }
        return table.replaced(**own)


EXAMPLE: Final = Hot(derive(0, "hot"))


def stream_ids(thread: int) -> tuple[int, ...]:
    """The streams that the thread's selectors stand for: some its own, one for all threads."""
    return (4 * thread + 1, 4 * thread + 2, 4 * thread + 3, 20)


def _hot(*names: str, shape: int = 1) -> dict[str, Any]:
    """``hot``, shares of operands, and for each ``few_…``."""
    made = {f"few_{name}": EXAMPLE.few(f"few_{name}") for name in names}
    return {"hot": chance(0.8, shape=shape), **made}


def _picked(hot: Any, place: int, few: Any, others: Any) -> Any:
    return np.where(hot[:, place], few, others)


def not_reset(index: Any, instead: Any) -> Any:
    """Indices but that of word 4, which only RMWCIB may write."""
    return np.where(index == w.STATE_RESET, instead, index)


def _bits(width: int, one: float, two: float, none: float, every: float, more: float) -> Any:
    """Masks of ``width`` bits by how many they have; ``more``: any."""
    return mix(
        {
            "one": (one, choice([1 << bit for bit in range(width)])),
            "two": (two, lambda first, second: 1 << first % width | 1 << second % width),
            "none": (none, 0),
            "all": (every, (1 << width) - 1),
            "any": (more, uniform(0, (1 << width) - 1)),
            "but_one": (0, choice([(1 << width) - 1 ^ 1 << bit for bit in range(width)])),
        }
    )


_BEYOND: Final = mix(
    {"edge": (1, choice((224, 225, 255, 256, 2047))), "any": (1, uniform(224, 2047))}
)

_SHIFT: Final = {
    "mask_mode": "bit", "alu": "alu", "mask_width": "width", "rotate": "rotate", "scratch": "select"
}  # fmt: skip
_STREAM: Final = {"stream_sel": "select", "reg_index": "register"}

CONFIG_FORMS: Final = Forms(
    {
        "wrcfg": form("WRCFG", gpr="gpr", is128="wide", cfg_index="wrcfg_index"),
        "rdcfg": form("RDCFG", gpr="gpr", cfg_index="index"),
        "rmwcib": form(
            "RMWCIB0", ("byte", 24, 2), mask="mask", data="written", cfg_index="any_index"
        ),
        "shiftmask": form("CFGSHIFTMASK", **_SHIFT, cfg_index="index"),
        "streamwrcfg": form("STREAMWRCFG", **_STREAM, cfg_index="index"),
        "setc16": form("SETC16", cfg_index="thread_index", value="value"),
        "setc16_state": form("SETC16", value="value"),
        "setc16_hi": form("SETC16", cfg_index="high_index", value="high"),
        "setc16_bank": form("SETC16", cfg_index="bank_index", value="bank"),
        "wrcfg_beyond": form("WRCFG", gpr="gpr", is128="bit", cfg_index="beyond"),
        "rdcfg_beyond": form("RDCFG", gpr="gpr", cfg_index="beyond"),
        "rmwcib_beyond": form("RMWCIB2", mask=0xFF, data=1, cfg_index="near"),
        "shiftmask_beyond": form("CFGSHIFTMASK", **_SHIFT, cfg_index="near"),
        "streamwrcfg_beyond": form("STREAMWRCFG", **_STREAM, cfg_index="beyond"),
        "setc16_beyond": form("SETC16", value=1, cfg_index="thread_beyond"),
        "wrcfg_reset": form("WRCFG", gpr="gpr", cfg_index=w.STATE_RESET),
        "wrcfg_reset4": form("WRCFG", ("byte", 0, 2), gpr=1, is128=1, cfg_index=w.STATE_RESET),
        "shiftmask_reset": form("CFGSHIFTMASK", **_SHIFT, cfg_index=w.STATE_RESET),
        "streamwrcfg_reset": form("STREAMWRCFG", **_STREAM, cfg_index=w.STATE_RESET),
        "setc16_last": form("SETC16", cfg_index="last_thread", value="value"),
        "rdcfg_reset": form("RDCFG", gpr="gpr", cfg_index=w.STATE_RESET),
    }
)  # fmt: skip

CONFIG: Final = Table(
    "config",
    form=choice(CONFIG_FORMS.names),
    **_hot("index", "gpr", "register", "thread", shape=4),
    drawn_index=uniform(0, w.CONFIG_WORDS - 1),
    any_index=column(lambda hot, few_index, drawn_index: _picked(hot, 0, few_index, drawn_index)),
    index=column(lambda any_index, few_index: not_reset(any_index, few_index)),
    wide=chance(0.25),
    wrcfg_index=column(
        lambda index, wide: index + 100 * (wide & (index >> 2 == w.STATE_RESET >> 2))
    ),
    beyond=_BEYOND,
    near=uniform(224, 255),
    drawn_gpr=uniform(0, 63),
    gpr=column(lambda hot, few_gpr, drawn_gpr: _picked(hot, 1, few_gpr, drawn_gpr)),
    drawn_register=uniform(0, 1023),
    register=column(
        lambda hot, few_register, drawn_register: _picked(hot, 2, few_register, drawn_register)
    ),
    drawn_thread=uniform(0, w.PHASE_HI - 1),
    thread_index=column(
        lambda hot, few_thread, drawn_thread: np.where(
            (drawn_thread == w.STATE_ID) & ~hot[:, 3], 41,
            _picked(hot, 3, few_thread, drawn_thread),
        )
    ),
    thread_beyond=uniform(w.THREAD_WORDS, 255),
    last_thread=uniform(w.BANK_SEL[-1] + 1, w.THREAD_WORDS - 1),
    high_index=choice((w.PHASE_HI, w.COUNT_HI)),
    high=choice(_HIGHS),
    bank_index=choice(w.BANK_SEL),
    selected=choice(stream_ids(0)),
    value=uniform(0, 0xFFFF),
    bank=column(lambda selected, value: selected | value & 0xFFC0),
    mask=mix({"all": (0.4, 0xFF), "none": (0.1, 0), "any": (0.5, uniform(0, 255))}),
    written=uniform(0, 255),
    byte=uniform(0, 3),
    bit=uniform(0, 1),
    select=uniform(0, 3),
    alu=uniform(0, 7),
    width=mix({"edge": (1, choice((0, 1, 15, 30, 31))), "any": (1, uniform(0, 31))}),
    rotate=mix({"edge": (1, choice((0, 1, 16, 31))), "any": (1, uniform(0, 31))}),
).aimed(
    hot=("config.first_x_second*", "config.risc_x_instruction*", "hazard.view_x_writer*"),
    wide="wrcfg128.group",
    wrcfg_index="wrcfg128.gpr_x_index",
    beyond="fault.cfg_oob_x_index",
    near="fault.cfg_oob_x_index",
    high=("streamwait.cond_x_target*", "streamwait.register_crosses"),
    bank_index=("cross.setc16_banksel*", "streamwait.cond_x_target*"),
    thread_index="setc16.index_x_thread",
    last_thread="setc16.index_x_thread",
    mask="rmwcib.byte_x_mask_x_space",
    byte="rmwcib.byte_x_mask_x_space",
    alu="cfgshiftmask.alu_x_mode*",
    width="cfgshiftmask.*width*",
    rotate="cfgshiftmask.*rotation",
)  # fmt: skip
"""Words of the configuration unit, and SETC16. ``index``: of a word, not word 4; ``wrcfg_index``:
where four are written, not in its group. ``select``: of a stream, of a SCRATCH word.
"""

SYNC_FORMS: Final = Forms(
    {
        "stallwait": form("STALLWAIT", block="block", cond="conditions"),
        "stallwait_cfg": form("STALLWAIT", block=1 << 7, cond="scalar_or_unit"),
        "stallwait_pipe": form("STALLWAIT", block="block", cond=1 << w.CFG_PIPE),
        "semwait": form("SEMWAIT", block="block", sem_mask="semaphores", cond="state"),
        "streamwait": form(
            "STREAMWAIT", block="block", target_lo="target", cond_idx="counter",
            stream_sel="select",
        ),
        "seminit": form("SEMINIT", max="most", value="value", sem_mask="semaphores"),
        "sempost": form("SEMPOST", sem_mask="semaphores"),
        "semget": form("SEMGET", sem_mask="semaphores"),
        **{f"atgetm{mutex}": form("ATGETM", index=mutex) for mutex in w.MUTEXES},
        **{f"atrelm{mutex}": form("ATRELM", index=mutex) for mutex in w.MUTEXES},
        "sem_cond": form("SEMWAIT", block="block", sem_mask="semaphores"),
        "atgetm_index": form("ATGETM", index="no_mutex"),
        "atrelm_index": form("ATRELM", index="no_mutex"),
        "atrelm_owner": form("ATRELM", index="mutex"),
    }
)  # fmt: skip

SYNC: Final = Table(
    "sync",
    form=choice(SYNC_FORMS.names),
    first=uniform(0, 8 * 9 * 13 - 1),
    second=uniform(0, 8 * 9 * 13 - 1),
    block=_bits(9, 0.45, 0.15, 0.1, 0.1, 0.2),
    conditions=_bits(13, 0.6, 0.2, 0.1, 0, 0.1),
    semaphores=_bits(8, 0.8, 0.15, 0, 0, 0.05),
    scalar_or_unit=choice((1, 9)),
    state=choice({"zero": 1, "max": 2, "both": 3}, {"zero": 3, "max": 3, "both": 1}),
    target=mix({"near": (0.9, choice(TARGETS)), "any": (0.1, uniform(0, 1023))}),
    counter=choice({"phase": 0, "messages": 1}),
    select=uniform(0, 3),
    most=mix({"few": (0.7, choice((2, 3, 4))), "any": (0.3, uniform(2, 15))}),
    value=mix({"few": (0.8, uniform(0, 3)), "any": (0.2, uniform(0, 15))}),
    no_mutex=choice((1, 5, 6, 7, 8, 12, 0x100, 0xFFFF)),
    mutex=choice(w.MUTEXES),
).aimed(
    block=("gate.latched_x_block_bit*", "gate.block_0", "gate.nop_x_block"),
    conditions=("gate.stallwait_condition*", "gate.condition_x_latch"),
    semaphores=("sem.instruction_x_selected", "semwait.cond_x_several", "semwait.none_selected"),
    state="semwait.cond_x_value",
    target="streamwait.cond_x_target*",
    counter="streamwait.cond_x_target*",
    select="streamwait.cond_x_target*",
    most="sem.op_x_value",
    value="sem.init_value",
    no_mutex="mutex.bad_index",
    mutex="fault.mutex",
)
"""Waits, semaphores and mutexes. ``first``, ``second``: the bits of masks with two."""

_COUNTER: Final = {"ctx": "context", "gpr": "a", "size": "counter"}

SCALAR_FORMS: Final = Forms(
    {
        "setdmareg": form("SETDMAREG", value="value", half_reg="half"),
        **{
            f"{kind.name.lower()}{how}": form(kind.name, result="result", a="a", **second)
            for kind in TWO_OPERANDS
            for how, second in (
                ("", {"b": "b"}), ("_group", {"b": "near"}), ("_immediate", {"b": "junk", "imm": 1})
            )
        },
        "flop": form(
            "REG2FLOP", size="flop_size", byte_ofs="byte", ctx="context", flop="flop", gpr="a"
        ),
        "flop_adc": form(
            "REG2FLOP", size="adc_size", target="target", byte_ofs="aligned", ctx="thread",
            flop_channel="bit", flop_adc_sel="adc", flop_cr="checkpoint", flop_xyzw="counter",
            gpr="a",
        ),
        "dmanop": raw(w.DMANOP, ("payload", 0, 24)),
        "setdmareg_mode": form("SETDMAREG", mode=1, value="value", half_reg="half"),
        "flop_beyond": form("REG2FLOP", gpr="a", size="byte", flop="beyond"),
        "flop_select": form(
            "REG2FLOP", target="pair", byte_ofs="byte", flop="three", **_COUNTER
        ),
        "flop_context": form(
            "REG2FLOP", target=3, ctx=3, byte_ofs="byte", flop="junk", gpr="a", size="counter"
        ),
        "flop_size": form("REG2FLOP", target="pair", byte_ofs="odd", flop="junk", **_COUNTER),
        "flop_nowhere": form("REG2FLOP", target=1, byte_ofs="byte", flop="junk", **_COUNTER),
    }
)  # fmt: skip

SCALAR: Final = Table(
    "scalar",
    form=choice(SCALAR_FORMS.names),
    **_hot("flop", shape=4),
    few_gpr=EXAMPLE.few("few_gpr", 3),
    drawn_gpr=uniform(0, 63, shape=3),
    a=column(lambda hot, few_gpr, drawn_gpr: _picked(hot, 0, few_gpr[:, 0], drawn_gpr[:, 0])),
    b=column(lambda hot, few_gpr, drawn_gpr: _picked(hot, 1, few_gpr[:, 1], drawn_gpr[:, 1])),
    result=column(lambda hot, few_gpr, drawn_gpr: _picked(hot, 2, few_gpr[:, 2], drawn_gpr[:, 2])),
    payload=uniform(0, (1 << 24) - 1),
    junk=column(lambda payload: payload & 0x3FF),
    near=column(lambda a, payload: a & ~3 | payload & 3),
    half=column(lambda a, payload: 2 * a | payload & 1),
    value=uniform(0, 0xFFFF),
    flop_size=choice((0, 1, 1, 2, 3)),
    adc_size=choice((1, 2, 3)),
    byte=uniform(0, 3),
    aligned=column(
        lambda adc_size, byte: np.where(adc_size == 1, 0, byte & np.where(adc_size == 2, 2, 3))
    ),
    odd=column(lambda byte: byte | 1),
    context=uniform(0, 3),
    thread=uniform(0, 2),
    drawn_flop=uniform(0, w.FLOPS - 1),
    flop=column(
        lambda hot, few_flop, drawn_flop, payload: (
            _picked(hot, 3, few_flop, drawn_flop) | payload & 7 << 7
        )
    ),
    beyond=uniform(w.FLOPS, 127),
    three=column(lambda junk: junk | 3 << 3),
    target=choice((1, 2, 2, 3, 3)),
    pair=choice((2, 3)),
    bit=uniform(0, 1),
    adc=uniform(0, 2),
    checkpoint=uniform(0, 1),
    counter=uniform(0, 3),
).aimed(
    hot=("hazard.gpr_producer*", "scalar.two_operands*"),
    a=("muldmareg.form_x_a_x_b", "setdmareg.half_x_gpr"),
    near="scalar.two_operands*",
    flop_size="reg2flop.size_x_target*",
    target="reg2flop.size_x_target*",
    byte="reg2flop.size_x_target*",
    context="reg2flop.ctx_x_thread",
    adc="reg2flop.target_x_adcsel",
    checkpoint="reg2flop.channel_x_checkpoint*",
    counter="reg2flop.channel_x_checkpoint*",
    flop="reg2flop.index",
    odd="fault.flop_size_x_target",
    three="fault.flop_target",
)  # fmt: skip
"""Words of the scalar unit. ``near``: in the aligned group of four of ``a``; ``aligned``: the byte
offset that fits ``adc_size``; ``flop`` has junk above its index, ``three`` is no set of counters.
"""


def _any_of(opcodes: str) -> Any:
    return raw(0, (opcodes, 24, 8), ("payload", 0, 24))


_UNITS: Final = {
    "unpack": w.UNPACK, "pack": w.PACK, "math": w.MATH, "sfpu": w.SFPU, "xmov": (w.XMOV,),
    "adc": w.ADC, "nop": (w.NOP >> 24,), "illegal": w.ILLEGAL, "unsupported": w.UNSUPPORTED,
}  # fmt: skip

_LOOKS: Final = enumerate((w.UNPACK[0] << 24, w.UNPACK[0] << 24 | 1 << 23, w.PACK[0] << 24))

UNIT_FORMS: Final = Forms(
    {name: _any_of(name) for name in _UNITS}
    | {f"look{unit}": raw(word, ("seen", 0, 9), ("payload", 9, 14)) for unit, word in _LOOKS}
)

UNIT: Final = Table(
    "unit",
    form=choice(UNIT_FORMS.names),
    **{name: choice(opcodes) for name, opcodes in _UNITS.items()},
    payload=uniform(0, (1 << 24) - 1),
    **_hot("index", "thread", shape=2),
    index=uniform(0, w.CONFIG_WORDS - 1),
    any_thread=uniform(0, 255),
    seen=mix(
        {
            "config": (0.6, lambda hot, few_index, index: not_reset(
                _picked(hot, 0, few_index, index), few_index)),
            "thread": (0.3, lambda hot, few_thread, any_thread: (
                1 << 8 | _picked(hot, 1, few_thread, any_thread))),
            "any": (0.1, uniform(0, 511)),
        }
    ),
).aimed(
    payload="word.ignored_bits",
    seen=("view.range_x_unit", "hazard.view_x_writer*"),
    illegal=("gate.illegal_opcode", "fault.illegal_word*"),
    unsupported="fault.unsupported_word",
    adc="adc.opcode_x_thread",
    math="gate.opcode",
    sfpu="gate.opcode",
)  # fmt: skip
"""Words of which only the opcode matters, each of its columns; and looks at a word of
configuration, ``seen``.
"""

UNITS: Final = (
    (CONFIG, CONFIG_FORMS),
    (SYNC, SYNC_FORMS),
    (SCALAR, SCALAR_FORMS),
    (UNIT, UNIT_FORMS),
)
FORMS: Final = tuple(name for _, forms in UNITS for name in forms.names)
"""All kinds of words, of each unit in turn."""
