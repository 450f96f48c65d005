# SPDX-License-Identifier: Apache-2.0
"""Writes beside writes: REG2FLOP beside the config unit, a core's store beside a SETC16."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context
from tilepath.engine.stimulus.script import ALL_ROWS
from tilepath.sequences.pack import config, words
from tilepath.sequences.pack.directed.common import BF16, LINES, first, is_one, load, way
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.pack.streams import THREADS

_UNREAD: Final = 40, 64  # words of Config that packers do not read
_OWN: Final = (0, 37, 38, 39, 40, 45, 60)  # words of ThreadConfig
_TIMES: Final = 200


def _words(bank: int) -> dict[int, int]:
    """All that packers read; the banks differ in where tiles go."""
    dest = tuple(line + 0x200 * bank for line in LINES)
    return config.words(way(BF16, l1_dest=dest))


def _build(script: Script, ctx: Context) -> None:
    rng, stored = ctx.rng("setc16"), ctx.rng("store")
    for bank in (0, 1):
        script.words(bank, _words(bank), wide=bank == 1, flops=ALL_ROWS)
    for number in range(_TIMES):
        script.config(0, _UNREAD[0], 0)
        for thread in range(THREADS):
            script.add(f"t{thread}.setc16", _thread_word(rng))
        script.store(number % THREADS, *_thread_word(stored))
    load(script, {}, rng.integers(0, 1 << 16, 1024), "bf16")
    for thread in range(THREADS):
        script.phase()
        script.flop(thread & 1, _UNREAD[1], (0,) * 4).store(thread, 60, 0)
        first(script, thread=thread)
        script.phase(idle=False)
        for mode in range(4):
            mask = 1 if is_one(script) else 15
            script.word(thread, *[words.pacr(mask, mode=mode)] * 4, words.pacr(mask, last=1))


def _thread_word(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.choice(_OWN)), int(rng.integers(0, 8))


TESTS: Final = (
    script_test(
        "second_writes",
        "REG2FLOP writes beside the config unit, cores' stores beside SETC16",
        _build,
        {"issue": 40, "flop": 15, "store": _TIMES, "w0.write": 20},
        faults=ANY,
    ),
)  # fmt: skip
