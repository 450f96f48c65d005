# SPDX-License-Identifier: Apache-2.0
"""SrcA, SrcB and Dst behind the port, in NumPy, and a run of the cycle-exact model with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tilepath.isa.boundary.standin import BOUNDARY
from tilepath.models.standin import StandinModel
from tilepath.tb.standin.untimed import UntimedUnit

Given = tuple[int, str, Mapping[str, Any]]  # cycle, stream, fields
NOTHING = {name: BOUNDARY.stream(name).empty() for name in BOUNDARY.inputs}


def records(name: str, rows: Iterable[Mapping[str, Any]]) -> Any:
    given = list(rows)
    made = np.zeros(len(given), BOUNDARY.stream(name).dtype)
    for record, row in zip(made, given, strict=True):
        for field, value in row.items():
            record[field] = value
    return made


def storage(row: int, wide: int, access: int) -> int:
    """P52, bit by bit."""
    bit = [row >> n & 1 for n in range(10)]
    if access & 2:
        bit[3], bit[4], bit[5] = bit[4], bit[5], bit[3]
    if wide:
        if access & 1:
            bit[2], bit[3] = bit[3], bit[4] ^ bit[2]
        bit = [*bit[:3], 0, *bit[3:8], bit[8] | bit[9]]
    return sum(value << n for n, value in enumerate(bit))


class Memory:
    """What is behind the port; ``run`` leads the model, the model without time beside it."""

    def __init__(self, profile: str = "baseline") -> None:
        self.model = StandinModel(profile)
        self.untimed = UntimedUnit(profile)
        self.src = np.zeros((2, 2, 64, 16), np.uint32)
        self.dst = np.zeros((1024, 16), np.uint16)
        self.valid = np.ones(1024, np.uint8)
        self.found: dict[str, list[Any]] = {name: [] for name in BOUNDARY.outputs}
        self.answers: dict[str, Any] = {}
        self.given: dict[str, list[Any]] = {}  # all inputs, answers too

    def _answer(self, command: Any) -> None:
        for file, name in enumerate(("answer_a", "answer_b")):
            if command["read"] >> file & 1:
                bank, row = command["banks"] >> file & 1, command[("row_a", "row_b")[file]]
                self.answers[name] = {"data": self.src[file, bank, row].copy()}
        if command["read"] & 4:
            wide = int(command["wide"])
            row = storage(int(command["row"]), wide, int(command["access"]))
            data = self.dst[row].astype(np.uint32)
            data = data << 16 | self.dst[row + 8] if wide else data
            self.answers["answer_d"] = {"data": data, "row_valid": self.valid[row]}

    def _command(self, command: Any) -> None:
        for place in range(4):
            if command["clear"] >> place & 1:
                fill = 0x7FFFF if command["neg_inf"] and place < 2 else 0
                self.src[place >> 1, place & 1] = fill
        if command["zero"]:
            row, wide, access = (int(command[name]) for name in ("row", "wide", "access"))
            mode = int(command["zero_mode"])
            rows = range((1, 16, 512, 1024)[mode])
            direct = mode >= 2
            at = [row + k if direct else storage(row + k, wide, access) for k in rows]
            self.valid[at] = command["undo"]

    def _write(self, write: Any) -> None:
        row, wide = int(write["row"]), int(write["wide"])
        if write["target"] < 2:
            self.src[write["target"], write["bank"], row] = write["data"]
            return
        row = storage(row, wide, int(write["access"]))
        self.valid[row] = 1
        self.dst[row] = write["data"] >> 16 if wide else write["data"]
        if wide:
            self.dst[row + 8] = write["data"] & 0xFFFF

    def _load(self, load: Any) -> None:
        if load["target"] == 2:
            self.dst[load["row"]], self.valid[load["row"]] = load["data"], load["row_valid"]
        else:
            self.src[load["target"], load["bank"], load["row"]] = load["data"]

    def run(self, given: Iterable[Given], cycles: int) -> None:
        """``cycles`` more cycles; ``given``: what is not answered, cycles counted from here."""
        by_cycle: dict[int, dict[str, Any]] = {}
        for cycle, name, fields in given:
            by_cycle.setdefault(self.model.now + cycle, {})[name] = fields
        for now in range(self.model.now, self.model.now + cycles):
            inputs = by_cycle.get(now, {}) | self.answers
            made = {k: records(k, [{**v, "cycle": now}]) for k, v in inputs.items()}
            for name, rows in made.items():
                self.given.setdefault(name, []).append(rows)
            out = self.model.step(made, now + 1)
            self.untimed.follow(NOTHING | made, out)
            self.answers = {}
            for name, rows in out.items():
                self.found[name].extend(rows)
            for command in out["matrix"]:
                self._answer(command)
            for command in out["matrix"]:
                self._command(command)
            for write in out["matrix_write"]:
                self._write(write)
            if "load" in inputs:
                self._load(made["load"][0])

    def cycles(self, name: str) -> list[int]:
        """In which cycles a stream has records."""
        return [int(record["cycle"]) for record in self.found[name]]

    def check(self) -> None:
        """Files, model and model without time hold the same."""
        for state in (self.model.state(), self.untimed.state()):
            assert (state["src_a"] == self.src[0]).all()
            assert (state["src_b"] == self.src[1]).all()
            assert (state["dst"] == self.dst).all()
            assert (state["dst_valid"] == self.valid).all()
            for name, array in self.model.state().items():
                assert (state[name] == array).all(), name
                assert state[name].dtype == array.dtype
