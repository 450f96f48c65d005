# SPDX-License-Identifier: Apache-2.0
"""Random programs of PACRs, against packers that are written another way."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tilepath.isa import profiles
from tilepath.models.pack import PackState
from tilepath.tests.pack.format_settings import early_settings, integer_settings
from tilepath.tests.pack.model_helpers import put, word
from tilepath.tests.pack.reference_walk import Packers

Rng = np.random.Generator

_PROFILES = (
    "baseline", "blackhole", "blackhole,pack_tpg_by_intf=1", "baseline,pack_yzw_shr4=1",
    "baseline,pack_tpg_by_intf=1",
)  # fmt: skip
_FLOAT_TARGETS = (0, 1, 4, 5, 10, 2, 3, 11, 6, 7, 15)


def _tile_settings(rng: Rng) -> dict[str, int]:
    """Formats and stages; the same for all packers."""
    wide = int(rng.integers(2))
    if rng.random() < 0.15:
        chosen = dict(rng.choice(list(integer_settings(wide))))
    else:
        plain = [s for s in early_settings(wide) if not s.get("r10")]
        chosen = {**rng.choice(plain), "to": int(rng.choice(_FLOAT_TARGETS))}
    settings = {"raw": 0, "uns": 0, "shift": 0, "e4m3": 0, **chosen, "r32": wide}
    settings["descale"] = int(settings["shift"] > 0)
    settings["e4m3"] = int(rng.integers(2))
    settings["relu"] = int(rng.choice([0, 0, 1, 2, 3]))
    settings["relu_threshold"] = int(rng.choice([0, 0x3C00, 0x3F80, 0x0001, 0x7F80]))
    settings["threshold_en"] = int(rng.random() < 0.3)
    settings["threshold"] = int(rng.choice([1, 15, 31, 113, 127, 200]))
    settings["downsample"] = int(rng.choice([0, 0xFFFF, 0x5555, 1, rng.integers(1, 1 << 16)]))
    settings["ignore_valid"] = int(rng.integers(2))
    for k in range(4):
        settings[f"mask{k}"] = int(rng.choice([0xFFFF, 0xFFFF, 0xFF, rng.integers(1 << 16)]))
        settings[f"row_mapping{k}"] = int(rng.integers(1 << 32))
        settings[f"face_mapping{k}"] = int(rng.integers(1 << 32))
    settings["edge_mode"] = int(rng.integers(2))
    settings["row_select"], settings["face_select"] = (int(rng.integers(256)) for _ in range(2))
    settings["face_enable"] = int(rng.integers(2))
    settings["z_offset"] = int(rng.integers(64))
    settings["reads"] = int(rng.choice([1, 2, 4, 16, 16, 0]))
    settings["transposed"] = int(rng.integers(2))
    settings["acc"] = int(rng.random() < 0.3)
    settings["compressed"] = int(rng.random() < 0.4 and settings["to"] not in (11, 15))
    settings["row_size"] = 16
    settings["exp_size"] = 64
    settings["stats"] = int(rng.integers(2))
    return settings


class Play:
    """A program on both."""

    def __init__(self, profile: str, rng: Rng) -> None:
        self.rng = rng
        self.state = PackState(profile)
        parameters = profiles.get(profile)
        self.packers = parameters.packers
        self.chip: dict[str, int] = {
            "lanes": parameters.pack_read_intfs,
            "by_interface": parameters.pack_tpg_by_intf,
            "compares_19": parameters.relu_max_cmp19,
            "remap": 0,
            "swizzle": 0,
        }
        self.shift = 4 if parameters.pack_yzw_shr4 else 0
        self.want = Packers(parameters.l1_bytes)
        storage = rng.integers(0, 1 << 16, (1024, 16))
        storage[rng.random((1024, 16)) < 0.5] = 0
        self.state.dst[:] = self.want.dst[:] = storage
        self.state.l1[:] = self.want.l1[:] = rng.integers(0, 256, self.state.l1.size)
        self.next_line = 0x100

    def tile(self) -> None:
        """PACRs of one tile of each packer, and the words before."""
        rng, state = self.rng, self.state
        settings = _tile_settings(rng)
        valid = rng.random(1024) < 0.9
        state.dst_valid[:], self.want.valid[:] = valid, valid
        if self.packers == 1:
            self.chip["remap"], self.chip["swizzle"] = (int(b) for b in rng.integers(0, 2, 2))
            put(state, remap=self.chip["remap"], swizzle=self.chip["swizzle"])
        state.thread_config[:, 45] = [0, settings["stats"], 0]
        units = 16 * int(rng.integers(8))
        put(state, base1=units)
        address = []
        for packer in range(4):
            mine = {k: v for k, v in settings.items() if k not in ("compressed", "stats")}
            put(state, packer, **mine, plain=1 - settings["compressed"], sub=packer % 2)
            put(state, packer, l1=self.next_line)
            address.append(self.next_line + 1 - packer % 2 + (units >> self.shift))
            self.next_line += 0x500
        offsets = rng.integers(0, 960, 4).tolist()
        for packer in range(4):
            put(state, packer, dst_offset=offsets[packer])
        steps = int(rng.integers(1, 6))
        for number in range(steps + 1):
            last = number == steps
            mask = 15 if last else int(rng.choice([0, 1, 3, 5, 7, 8, 12, 15]))
            self._pacr(settings, address, offsets, mask, last)

    def _pacr(
        self,
        settings: dict[str, int],
        address: list[int],
        offsets: list[int],
        mask: int,
        last: bool,
    ) -> None:
        rng, state, lanes = self.rng, self.state, self.chip["lanes"]
        size = max(4 >> (settings["from_"] & 3), 1)
        column = int(rng.choice([0, 0, rng.integers(16)]))
        count = int(rng.choice([16, 1, 0, rng.integers(0, 256 if lanes == 1 else 17)]))
        column, count = (1, 0) if count == 0 else (column, count)
        y = int(rng.integers(64))
        put(state, x_stride=size, y_stride=16 * size)
        state.adc.live[1, 2] = [[column, y, 0, 0], [column + count - 1, 0, 0, 0]]
        concat, zero = int(rng.integers(2)), int(rng.random() < 0.1)
        flush = int(last and rng.random() < 0.2)
        state.execute(
            1,
            word(mask=mask, last=int(last), concat=concat, zero_write=zero, flush=flush),
        )
        given: dict[str, Any] = {"column": column, "last": last, "concat": concat, "zeros": 0}
        enabled = mask or (1 if lanes == 1 else 15)
        count = 0 if flush else count
        if lanes == 4:
            on = [k for k in range(4) if enabled >> k & 1]
            given["zeros"] = count * len(on) if zero else 0
            if zero and mask == 0 and column == 0 and count > 16:
                given["zeros"] = count
            given["rows"] = [(y + offsets[0] + k) % 1024 for k in on]
            given["count"] = 0 if zero else min(count, 16 - column)
            enabled = 1
        else:
            given["zeros"] = count if zero else 0
            given["count"] = 0 if zero else count
        for packer in range(4):
            if enabled >> packer & 1:
                if lanes == 1:
                    given["rows"] = [(y + offsets[packer]) % 1024]
                mine = {**given, "address": address[packer]}
                self.want.pacr(self.chip, packer, settings, mine)


@pytest.mark.parametrize("profile", _PROFILES)
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(profile: str, seed: int) -> None:
    play = Play(profile, np.random.default_rng((seed, len(profile))))
    for _ in range(18):
        play.tile()
        different = np.flatnonzero(play.state.l1 != play.want.l1)
        assert different.size == 0, (different[:8] // 16, different.size)
        np.testing.assert_array_equal(play.state.bins, play.want.bins)
        np.testing.assert_array_equal(play.state.maximum, play.want.maximum)


def test_the_same_without_compilation() -> None:
    """In plain Python too, and without an overflow."""
    source = """
import numpy as np
from tilepath.tests.pack.test_model_random import Play
for profile in ("baseline", "blackhole"):
    play = Play(profile, np.random.default_rng(5))
    for _ in range(3):
        play.tile()
    assert (play.state.l1 == play.want.l1).all() and (play.state.bins == play.want.bins).all()
"""
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", source]
    subprocess.run(command, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
