# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: inputs chosen by hand, outputs of the model, as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tilepath import isa
from tilepath.isa import constants
from tilepath.isa.boundary.pack import RUN, STREAMS
from tilepath.models.pack import PackState
from tilepath.models.pack.cycle import PackModel
from tilepath.tb.kernel.description.stream import Records, stream_table
from tilepath.tb.pack.coverage import PackCoverage
from tilepath.tests.coverage_runs import fed, recorded
from tilepath.tests.pack.model_helpers import put

TABLE = stream_table(STREAMS)
PROFILES = (
    "baseline", "blackhole", "baseline,relu_max_cmp19=1", "blackhole,pack_tpg_by_intf=1",
)  # fmt: skip
INPUTS = [name for name, stream in TABLE.items() if stream.direction == "input"]


class Program:
    """Records in the order of time, beside a model that executes them."""

    def __init__(self, profile: str = "baseline", gap: int = 200, **values: int) -> None:
        self.profile = profile
        self.state = PackState(profile)
        self.cycle = 1
        self._gap = gap
        self._config = self.state.config.copy()
        self._records: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLE}
        self.add("l1_ready", 0, 15).add("l1_latency", 0, 4)
        for packer in range(4):
            put(self.state, packer, plain=1, l1=0x100 + 0x100 * packer, sub=1, reads=16)
        put(self.state, mask0=0xFFFF, mask1=0xFFFF, mask2=0xFFFF, mask3=0xFFFF)
        self.config(**{"inner": 5, "from_": 5, "to": 5} | values)
        self.datums(16)

    def add(self, name: str, cycle: int, *fields: Any) -> Program:
        """A record at ``cycle``."""
        self._records[name].append((cycle, *fields))
        return self

    def now(self, name: str, *fields: Any) -> Program:
        """A record now."""
        self.cycle += 1
        return self.add(name, self.cycle - 1, *fields)

    def config(self, packer: int = 0, **values: int) -> Program:
        """Fields by their short names, in both banks."""
        put(self.state, packer, **values)
        return self.write()

    def write(self) -> Program:
        """Configuration words that the state has and that are not written yet."""
        for bank, index in np.argwhere(self.state.config != self._config):
            value = int(self.state.config[bank, index])
            self.now("cfg", 1 << int(bank), int(index), 0, (value, 0, 0, 0))
        self._config[:] = self.state.config
        return self

    def thread_word(self, thread: int, index: int, value: int) -> Program:
        """SETC16."""
        self.state.thread_config[thread, index] = value
        return self.now(f"t{thread}.setc16", index, value)

    def counter(self, name: str, thread: int = 0, **fields: int) -> Program:
        """A word for the packers' counters."""
        word = isa.encode(name, target=4, **fields)
        self.state.adc.execute(thread, word)
        return self.now(f"t{thread}.counter", word)

    def datums(self, count: int, first: int = 0, thread: int = 0) -> Program:
        """What the PACRs to come take, of the thread's counters."""
        for channel, value in enumerate((first, first + count - 1)):
            self.counter("SETADC", thread, channel=channel, value=value)
        return self

    def dst(self, values: Sequence[int], row: int = 0, wide: bool = False) -> Program:
        """Raw storage from ``row`` on; 32-bit values if ``wide``."""
        rows = -(-len(values) // 16)
        given = np.zeros(rows * 16, np.uint32)
        given[: len(values)] = values
        for k, part in enumerate(given.reshape(-1, 16), row):
            place = (k & 0x1F8) << 1 | k & 0x207 if wide else k
            self._row(place, part >> 16 if wide else part)
            if wide:
                self._row(place + 8, part & 0xFFFF)
        return self

    def _row(self, row: int, values: Any) -> None:
        self.state.dst[row] = values
        self.state.dst_valid[row] = 1
        data = np.zeros((RUN, 16), "<u2")
        data[0] = values
        mask = (0xFFFF, *(0,) * (RUN - 1))
        self.now("dst_write", row, 1, mask, tuple(data.view("<u4").ravel().tolist()))

    def l1(self, line: int, *words: int) -> Program:
        """Words of four lines."""
        data = (*words, *(0,) * (16 - len(words)))
        self.state.l1.view("<u4")[4 * line : 4 * line + 16] = data
        return self.now("l1_write", line, data)

    def issue(self, word: int, thread: int = 0, gap: int | None = None) -> Program:
        """An instruction; the next record is ``gap`` cycles later."""
        self.add("issue", self.cycle, thread, word)
        self.cycle += self._gap if gap is None else gap
        return self

    def streams(self) -> dict[str, Records]:
        """All streams, outputs as the cycle-exact model gives them."""
        found = {}
        for name, rows in self._records.items():
            rows.sort(key=lambda row: row[0])
            found[name] = np.array(rows, TABLE[name].dtype)
        inputs = {name: found[name] for name in INPUTS}
        return recorded(TABLE, found | PackModel(self.profile).step(inputs, self.end))

    @property
    def end(self) -> int:
        """The cycle behind all of it."""
        return self.cycle + 400

    def covered(self, cuts: Sequence[int] = ()) -> PackCoverage:
        """A coverage model that has seen it all."""
        return covered(self.streams(), self.end, self.profile, cuts)


def covered(
    seen: Mapping[str, Records], end: int, profile: str, cuts: Sequence[int] = ()
) -> PackCoverage:
    """A coverage model that has seen ``seen`` beside a golden model, cut at ``cuts``."""
    return fed(PackCoverage(profile), seen, end, cuts, PackModel(profile))


@cache
def random_run(seed: int) -> tuple[dict[str, Records], int, str]:
    """Streams of random instructions and settings; the cycle behind them; profile."""
    profile = PROFILES[seed % len(PROFILES)]
    rng = np.random.default_rng(seed)
    program = Program(profile, gap=1)
    state = program.state
    for row in range(0, 1024, 9):
        data = tuple(rng.integers(0, 1 << 32, 72).tolist())
        program.now("dst_write", row, 9, (0xFFFF,) * 9, data)
    for _ in range(6):
        for packer in range(4):
            program.config(packer, **random_setup(rng))
        for thread in range(3):
            program.thread_word(thread, 37, int(rng.integers(1 << 16)))
            program.datums(int(rng.integers(1, 40)), int(rng.integers(3)), thread)
        for _ in range(4):
            mask = int(rng.choice((0, 1, 3, 15, 5)))
            word = constants.OP_PACR << 24 | mask << 8 | int(rng.choice((0, 0, 1, 2, 0x10, 0x1000)))
            program.issue(word, int(rng.integers(3)), gap=int(rng.integers(1, 60)))
        program.cycle += 600
    assert state is program.state
    return program.streams(), program.end, profile


def random_setup(rng: np.random.Generator) -> dict[str, int]:
    """Settings of a packer."""
    code = int(rng.choice((0, 1, 2, 4, 5, 6, 8, 9, 10, 14)))
    return {
        "inner": code, "from_": code, "to": int(rng.choice((0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 15))),
        "plain": int(rng.random() < 0.7), "r32": int(rng.integers(2)), "raw": int(rng.integers(2)),
        "acc": int(rng.random() < 0.3), "relu": int(rng.integers(4)),
        "relu_threshold": int(rng.integers(1 << 15)), "mask1": int(rng.integers(1 << 16)),
        "row_mapping0": int(rng.integers(1 << 32)), "downsample": int(rng.integers(1 << 16)),
        "threshold_en": int(rng.integers(2)), "threshold": int(rng.integers(256)),
        "dst_offset": int(rng.integers(1024)), "l1": int(rng.integers(0x100, 0x10000)),
        "exp_size": int(rng.integers(8)), "y_stride": 64, "transposed": int(rng.integers(2)),
    }  # fmt: skip
