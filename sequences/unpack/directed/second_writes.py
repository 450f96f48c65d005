# SPDX-License-Identifier: Apache-2.0
"""Writes beside writes: REG2FLOP beside the config unit, a core's store beside a SETC16."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context
from tilepath.engine.stimulus.script import ALL_ROWS
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import MISC, RESETS, Setup, Thread
from tilepath.sequences.unpack.directed.common import LINE, tile
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.script import Script, script_test
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.unpack.streams import THREADS

_UNREAD: Final = 40, 150  # words of Config that unpackers do not read
_OWN: Final = (*sorted(Thread().words()), 60)  # words of ThreadConfig
_TIMES: Final = 200
_BETWEEN: Final = 25  # cycles, of the late stores
_LATE: Final = 40  # of these, a thread


def _setup(bank: int, unpacker: int) -> Setup:
    return tile(LINE + 0x80 * bank + 0x40 * unpacker, context_count=3, x_dim=16)


def _build(script: Script, ctx: Context) -> None:
    """Any writes; then bits that would reset context counters, had a SETC16 written them (U6)."""
    rng, stored = ctx.rng("setc16"), ctx.rng("store")
    for bank, unpacker in product((0, 1), repeat=2):
        own = _setup(bank, unpacker).words(unpacker)
        script.words(bank, own, wide=bank == 1, flops=ALL_ROWS)
    for number in range(_TIMES):
        script.config(0, _UNREAD[0], 0)
        for thread in range(THREADS):
            script.setc16(thread, *_thread_word(rng))
        script.store(number % THREADS, *_thread_word(stored))
    for thread in range(THREADS):
        script.phase()
        script.flop(thread & 1, _UNREAD[1], (0,) * 4)
        for unpacker in (0, 1):
            script.counters(thread, unpacker, **{**ZEROS, "x1": 3})
        for number in range(12):
            unpacker = number & 1
            script.word(thread, w.inc_context(unpacker))
            script.word(thread, unpacr(unpacker, multi=1, counter=1, adc=thread))
            script.word(thread, unpacr(unpacker, multi=1, ctx=number & 7, adc=thread))
            script.fence(thread)
        for number in range(_LATE):
            script.add("store", (number % THREADS, MISC, RESETS), _BETWEEN)


def _thread_word(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.choice(_OWN)), int(rng.integers(0, 4))


TESTS: Final = (
    script_test(
        "second_writes",
        "REG2FLOP writes beside the config unit, cores' stores beside SETC16",
        _build,
        {"u0.issue": 20, "u0.read": 20, "flop": 20, "store": _TIMES},
        faults=ANY,
    ),
)  # fmt: skip
