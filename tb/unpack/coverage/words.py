# SPDX-License-Identifier: Apache-2.0
"""Points of the words of UNPACR, of contexts and of the bank of the configuration.

Source: unpack-adc section 7, lines UNPACR, Context counter, StateID; crosses 3 and 8.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each, numbers, yes
from tilepath.tb.adc.coverage.updates import INCREMENT
from tilepath.tb.unpack.coverage.labels import plan

_FORMS: Final = ("regular", "increment", "flush")
_ONLY_U0: Final = ("x_dim", "dest", "shift", "if_sel")
_COUNTS: Final = "multi and word.use_ctx_counter"
# What a context has of its own, or one of four; a flag of each is a bit
_FLAG: Final = "[{0} >> 2 & 1] >> ({0} & 3) & 1"
_REGISTERS: Final = {
    "base": "tile_base[{0} & 7]",
    "offset": "tile_offset[{0} & 3]",
    "x_dim": "context_x[{0} & 3]",
    "dest": "seen.dest[{0} & 3]",
    "shift": "shift_amount[{0} & 3]",
    "format": "context_in[{0} & 7] << 8 | context_out[{0} & 7]",
    "if_sel": f"context_if_sel{_FLAG}",
    "uncompressed": f"disable_compress{_FLAG}",
}


def _tells(value: str) -> str:
    """Whether every context whose number differs in a bit has another value."""
    others = (1, 2) if "& 3]" in value else (1, 2, 4)
    own = value.format("ctx")
    return " and ".join(f"{own} != {value.format(f'(ctx ^ {bit})')}" for bit in others)


_TELLS: Final = "".join(
    f"({_tells(value)}) if register == {k} else " for k, value in enumerate(_REGISTERS.values())
)

_SAMPLED: Final = plan(
    "sampled",
    {
        "form": Bins("kind", _FORMS),
        "bank": Bins("state", numbers(2)),
        "the_other_differs": yes("differs"),
    },
    Point("unpacr.unpacker_x_thread_x_form", "U3"),
    Point("context.increment_counter_x_count", "U8", "counter count", when="kind == IS_INCREMENT"),
    Point("state.bank_x_the_other_differs_x_unpacker", "U65"),
)  # fmt: skip
_REGULAR: Final = plan(
    "regular",
    {
        "multi": yes("multi"),
        "use_counter": yes("word.use_ctx_counter"),
        "context": Bins("ctx", numbers(8)),
        **INCREMENT,
        "context_adc": Bins("word.context_adc", numbers(4)),
        "is": Bins(
            {"same_thread": "word.context_adc == thread", "other_thread": "word.context_adc < 3",
             "3": "1"}
        ),
        "offset_is": among("context_offset", 0, 1, "2-6", 7, other="8-15"),
        "register": each(tuple(_REGISTERS)),
    },
    Point("unpacr.unpacker_x_multi_x_use_counter", "U7"),
    Point("unpacr.unpacker_x_context", "U7 U9", when="multi"),
    Point("unpacr.unpacker_x_flip_x_all_zero_x_row_search", "U16 U23 U44"),
    Point("unpacr.unpacker_x_field_x_increment", "A11 A17"),
    Point("unpacr.multi_x_thread_x_context_adc_x_field_x_increment", "A10 A11"),
    Point("unpacr.context_adc_is", "A10 U7", "is", when="multi"),
    Point("context.counter_x_count_x_offset", "U5 U7 U8", "counter count offset_is", when=_COUNTS),
    # a wrong bit of the number of the context would be seen
    Point("context.register_x_context_x_unpacker", "U9 U10 U29",
          when=f"multi and ({_TELLS}0)"
               " and (unpacker == 0 or register not in (OF_X_DIM, OF_DEST, OF_IF_SEL))"
               " and (ovrd_format or register != OF_FORMAT)"
               " and (file == SRCA and not tilize or register != OF_SHIFT)",
          exclude=(Exclude((_ONLY_U0, None, "u1"), "unpacker 1 has or uses no such register"),)),
    **{f"OF_{name.upper()}": number for number, name in enumerate(_REGISTERS)},
)  # fmt: skip
_ORDER: Final = plan(
    "order",
    {
        "reset": Bins(
            {"cycle_before": "uses and clear.resets and cycle - clear.cycle == 1",
             "sampling_cycle": "resets and use.uses and cycle == use.cycle",
             "cycle_behind": "resets and use.uses and cycle - use.cycle == 1"}
        ),
        "form": Bins("kind if uses else use.kind", _FORMS[:2]),
        "switched_in": Bins(
            {"sampling_cycle": "sample.word and sample.cycle == cycle", "pipeline": "busy"}
        ),
    },
    Point("context.reset_x_form_x_unpacker", "U6"),
    Point("state.switched_in_x_unpacker", "U65", when="switches"),
)  # fmt: skip
_FLOP: Final = plan(
    "flop",
    {"beside_cfg": yes("beside")},
    Point("flop.bank_x_beside_cfg", "C14"),
)
_STORE: Final = plan(
    "store",
    {
        "thread": Bins("thread", numbers(3)),
        "beside_setc16": Bins("beside", ("none", "other_word", "same_word")),
    },
    Point("store.thread_x_beside_setc16", "C16"),
)
PLANS: Final = (_SAMPLED, _REGULAR, _ORDER, _FLOP, _STORE)
