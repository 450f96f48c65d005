# SPDX-License-Identifier: Apache-2.0
"""Writes beside writes: REG2FLOP beside the config unit, a core's store beside a SETC16."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.sequences.pack import config, words
from tilepath.sequences.pack.directed.common import BF16, LINES, first, is_one, load, way
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context
from tilepath.tb.pack.streams import FLOP, STORE, THREADS

_THCON: Final = range(64, 180)  # REG2FLOP writes there
_UNREAD: Final = 40, 64  # words of Config that packers do not read
_OWN: Final = (0, 37, 38, 39, 40, 45, 60)  # words of ThreadConfig
_TIMES: Final = 200
_LATE: Final = 4_000  # cycles, until nobody else writes


def _words(bank: int) -> dict[int, int]:
    """All that packers read; the banks differ in where tiles go."""
    dest = tuple(line + 0x200 * bank for line in LINES)
    return config.words(way(BF16, l1_dest=dest))


def _build(script: Script, ctx: Context) -> None:
    rng = ctx.rng("setc16")
    for bank in (0, 1):
        script.words(bank, {k: v for k, v in _words(bank).items() if k not in _THCON})
    for _ in range(_TIMES):
        script.config(0, _UNREAD[0], 0)
        for thread in range(THREADS):
            script.add(f"t{thread}.setc16", _thread_word(rng))
    load(script, {}, rng.integers(0, 1 << 16, 1024), "bf16")
    for thread in range(THREADS):
        script.phase()
        first(script, thread=thread)
        script.phase(idle=False)
        for mode in range(4):
            mask = 1 if is_one(script) else 15
            script.word(thread, *[words.pacr(mask, mode=mode)] * 4, words.pacr(mask, last=1))


def _thread_word(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.choice(_OWN)), int(rng.integers(0, 8))


def _flops(_: Context) -> Iterator[Items]:
    """The words that ``_build`` leaves out, four at a time and singly; at last an unread one."""
    for bank in (0, 1):
        rows = {k: v for k, v in _words(bank).items() if k in _THCON}
        for number, index in enumerate(sorted({k & ~3 for k in rows})):
            row = [rows.get(index + k, 0) for k in range(4)]
            if number % 2:
                yield FLOP.pack(bank=bank, index=index, wide=1, data=[row])
            else:
                data = [(value, 0, 0, 0) for value in row]
                yield FLOP.pack(bank=bank, index=index + np.arange(4), data=data)
    data = [(0,) * 4] * 2
    yield FLOP.pack(gap=[_LATE, 0], bank=[0, 1], index=_UNREAD[1], data=data)


def _stores(ctx: Context) -> Iterator[Items]:
    rng = ctx.rng("store")
    index, value = zip(*(_thread_word(rng) for _ in range(_TIMES)), strict=True)
    yield STORE.pack(thread=rng.integers(0, THREADS, _TIMES), index=index, value=value)
    yield STORE.pack(gap=[_LATE, 0, 0], thread=range(THREADS), index=60)


TESTS: Final = (
    script_test(
        "second_writes",
        "REG2FLOP writes beside the config unit, cores' stores beside SETC16",
        _build,
        {"issue": 40, "flop": 20, "store": _TIMES, "w0.write": 20},
        {"flop": _flops, "store": _stores}, faults=ANY,
    ),
)  # fmt: skip
