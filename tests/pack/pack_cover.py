# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: inputs chosen by hand, outputs of the model, as recorded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from tilepath import isa
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa import constants
from tilepath.isa.boundary.pack import BOUNDARY, RUN, STREAMS
from tilepath.models.pack import PackModel, PackState
from tilepath.tb.pack.block import BLOCK
from tilepath.tests.coverage_runs import counted, recorded
from tilepath.tests.pack.model_helpers import plain, put

TABLE = stream_table(STREAMS)
PROFILES = (
    "baseline", "blackhole", "wormhole",
    "baseline,relu_max_cmp19=1", "blackhole,pack_tpg_by_intf=1",
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
        self._records: dict[str, list[Records]] = {name: [] for name in INPUTS}
        self.add("l1_ready", 0, 15).add("l1_latency", 0, 4)
        plain(self.state, 0x100, **values)
        self.write()
        self.datums(16)

    def add(self, name: str, cycle: int, *fields: Any, **named: Any) -> Program:
        """A record at ``cycle``: its first fields, and others, which are else 0."""
        row = np.zeros(1, TABLE[name].dtype)
        row["cycle"] = cycle
        first = zip(TABLE[name].fields, fields, strict=False)
        for field, value in ({field.name: value for field, value in first} | named).items():
            row[field] = value
        self._records[name].append(row)
        return self

    def now(self, name: str, *fields: Any) -> Program:
        """A record now, which the model takes, too."""
        names = (field.name for field in TABLE[name].fields)
        self.state.apply(name, dict(zip(names, fields, strict=True)))
        self.cycle += 1
        return self.add(name, self.cycle - 1, *fields)

    def config(self, packer: int = 0, **values: int) -> Program:
        """Fields by their short names, in both banks."""
        put(self.state, packer, **values)
        return self.write()

    def write(self) -> Program:
        """Configuration words that the state has and that are not written yet, four at once."""
        config = self.state.config
        for index in sorted({int(word) & ~3 for word in np.nonzero(config != self._config)[1]}):
            first, second = config[:, index : index + 4].tolist()
            for banks, data in ((3, first),) if first == second else ((1, first), (2, second)):
                self.now("cfg", banks, index, 1, data)
        self._config[:] = config
        return self

    def thread_word(self, thread: int, index: int, value: int) -> Program:
        """SETC16."""
        return self.now(f"t{thread}.setc16", index, value)

    def counter(self, name: str, thread: int = 0, **fields: int) -> Program:
        """A word for the packers' counters."""
        return self.now(f"t{thread}.counter", isa.encode(name, target=4, **fields))

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
        data = np.zeros((RUN, 16), "<u2")
        data[0] = values
        mask = (0xFFFF, *(0,) * (RUN - 1))
        self.now("dst_write", row, 1, mask, tuple(data.view("<u4").ravel().tolist()))

    def l1(self, line: int, *words: int) -> Program:
        """Words of four lines."""
        return self.now("l1_write", line, (*words, *(0,) * (16 - len(words))))

    def issue(self, word: int, thread: int = 0, gap: int | None = None) -> Program:
        """An instruction; the next record is ``gap`` cycles later."""
        self.add("issue", self.cycle, thread, word)
        self.cycle += self._gap if gap is None else gap
        return self

    def inputs(self) -> dict[str, Records]:
        """As the cycle-exact model takes them."""
        found = {}
        for name, records in self._records.items():
            rows = np.concatenate([TABLE[name].empty(), *records])
            found[name] = rows[np.argsort(rows["cycle"], kind="stable")]
        return found

    def streams(self) -> dict[str, Records]:
        """All streams, outputs as the cycle-exact model gives them."""
        inputs = self.inputs()
        return recorded(TABLE, inputs | PackModel(self.profile).step(inputs, self.end))

    @property
    def end(self) -> int:
        """The cycle behind all of it."""
        return self.cycle + 400

    def covered(self) -> CoverageModel:
        """A coverage model that has seen it all."""
        return counted(BLOCK, self.profile, self.streams(), self.end)


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
        "uncompressed": int(rng.random() < 0.7),
        "wide": int(rng.integers(2)), "raw": int(rng.integers(2)),
        "accumulate": int(rng.random() < 0.3), "relu": int(rng.integers(4)),
        "relu_threshold": int(rng.integers(1 << 15)), "edge_mask1": int(rng.integers(1 << 16)),
        "row_map0": int(rng.integers(1 << 32)), "downsample": int(rng.integers(1 << 16)),
        "threshold_en": int(rng.integers(2)), "threshold": int(rng.integers(256)),
        "dst_offset": int(rng.integers(1024)), "l1_dest": int(rng.integers(0x100, 0x10000)),
        "exp_size": int(rng.integers(8)), "y_stride": 64, "transposed": int(rng.integers(2)),
    }  # fmt: skip


_MODE_WORDS = (1, 2, 18, 70, 71, 98, 99, 118, 119, 146, 147)
_OTHER_WORDS = (0, 8, 12, 13, 14, 16, 19, 20, 24, 28, 36, 68, 69, 97, 100, 180, 181, 187, 220)
Rng = np.random.Generator


def random_word(rng: Rng, profile: str) -> int:
    """A PACR, or now and then a PACR_SETREG."""
    low = int(rng.integers(0, 1 << 23))
    if rng.random() < 0.04:
        return isa.encode("PACR_SETREG", profile) | low | int(rng.integers(2)) << 23
    keep = 0x18F93 if rng.random() < 0.9 else 0x7FFFFF
    word = isa.encode("PACR") | low & keep
    if rng.random() < 0.7:
        word &= ~3  # neither Last nor Flush
    return word if rng.random() < 0.2 else word & ~0x1000


def random_config(rng: Rng) -> tuple[Any, ...]:
    """A write to words that packers read."""
    index = int(rng.choice(_MODE_WORDS if rng.random() < 0.3 else _OTHER_WORDS))
    data = rng.integers(0, 1 << 32, 4).tolist()
    if index in _OTHER_WORDS:
        data[0] &= 0x0FF0FF
    if index in (70, 98, 118, 146):
        data[0] &= 0x1FFF3 | int(rng.integers(2)) << 16
        data[0] |= int(rng.random() < 0.8)
    return (int(rng.integers(1, 4)), index, int(rng.random() < 0.1), data)


def random_cycle(
    rng: Rng, model: PackModel, profile: str, busy: float
) -> dict[str, tuple[Any, ...]]:
    """Inputs of the cycle that is modelled next: stream name -> fields."""
    timing = model._model.timing[0]
    out: dict[str, tuple[Any, ...]] = {}
    if timing.issued - timing.departed < 3 and rng.random() < busy:
        out["issue"] = (int(rng.integers(3)), random_word(rng, profile))
    if rng.random() < 0.01:
        x1 = int(rng.choice((0, 3, 7, 14, 15, 15, 15, 16, 31, 60, 200)))
        thread = int(rng.integers(3))
        out[f"t{thread}.counter"] = (isa.encode("SETADCXX", target=4, x0_val=0, x1_val=x1),)
    if rng.random() < 0.01:
        out["cfg"] = random_config(rng)
    for thread in range(3):
        if rng.random() < 0.01:
            index = int(rng.choice([0, 37, 38, 39, 40, 45]))
            out[f"t{thread}.setc16"] = (index, int(rng.integers(0, 1 << 16)) & 0x1021)
    if rng.random() < 0.01:
        out["offset"] = (int(rng.integers(16)), int(rng.integers(1 << 10)))
    if rng.random() < 0.02:
        out["hist"] = (int(rng.random() < 0.1), int(rng.choice((6, 7, 9, 3))), int(rng.integers(4)))
    if rng.random() < 0.03:
        out["l1_ready"] = (int(rng.choice((15, 15, 0, 9, 14))),)
    if rng.random() < 0.01:
        out["l1_latency"] = (int(rng.choice((0, 1, 4, 20, 31))),)
    if rng.random() < 0.01:
        out["setreg_base"] = (int(rng.integers(1 << 24)), *rng.integers(0, 512, 4).tolist())
    if rng.random() < 0.02:
        data = rng.integers(0, 1 << 32, 16).tolist()
        out["l1_write"] = (int(rng.integers(1 << 12)), data)
    if timing.busy == 0 and "issue" not in out and rng.random() < 0.5:
        data = rng.integers(0, 1 << 32, 72) * rng.integers(0, 2, 72)
        mask = rng.integers(0, 1 << 16, 9).tolist()
        out["dst_write"] = (int(rng.integers(1024)), int(rng.integers(1, 10)), mask, data.tolist())
        if rng.random() < 0.02:
            out["dst_zero"] = (int(rng.random() < 0.1), int(rng.integers(2)))
    return out


def random_inputs(rng: Rng, cycles: int, profile: str) -> dict[str, Any]:
    """Inputs of a random run."""
    model = PackModel(profile)
    found: dict[str, list[Any]] = {name: [] for name in BOUNDARY.inputs}
    found["l1_ready"].append((0, 15))
    model.step({"l1_ready": np.array([(0, 15)], BOUNDARY.stream("l1_ready").dtype)}, 1)
    busy = 0.0
    for cycle in range(1, cycles):
        if cycle % 100 == 1:
            busy = float(rng.choice((0, 0.02, 0.2, 0.8)))
        given = random_cycle(rng, model, profile, busy)
        for name, fields in given.items():
            found[name].append((cycle, *fields))
        arrays = {n: np.array([(cycle, *f)], BOUNDARY.stream(n).dtype) for n, f in given.items()}
        model.step(arrays, cycle + 1)
    return {n: np.array(rows, BOUNDARY.stream(n).dtype) for n, rows in found.items() if rows}
