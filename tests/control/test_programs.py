# SPDX-License-Identifier: Apache-2.0
"""Real programs on the RTL: what the seeds say must come out, written out here, without a model."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.description.stream import Records
from tilepath.engine.host.run import RunRequest
from tilepath.tests.cosim_runs import EACH_SIMULATOR, recorded, simulate

pytestmark = pytest.mark.parametrize("sim", EACH_SIMULATOR)


def traces(test: str, sim: str, folder: Path) -> dict[str, Records]:
    request = RunRequest(
        block="control", test=test, seed=1, sim=sim, coverage=False, out_dir=folder
    )
    return recorded(simulate(request))


def written(streams: dict[str, Records], index: int) -> list[int]:
    """Single words written to Config[index], in order."""
    writes = streams["config_write"]
    return [int(v) for v in writes["data0"][(writes["index"] == index) & (writes["quad"] == 0)]]


def test_matmul_unpack_takes_ten_cycles_a_tile(sim: str, tmp_path: Path) -> None:
    """Front-end specification 5.4: UNPACR to UNPACR ten cycles, and each one sees the new base."""
    streams = traces("matmul_unpack", sim, tmp_path)
    unpacr, view = streams["unpack1"], streams["view_unpack1"]
    # three UNPACRs a round: two tiles after another, then the next round's first, straight behind
    first, second, third = (unpacr["cycle"][i::3].astype(np.int64) for i in range(3))
    assert len(first) == len(third) == 8
    assert (second - first == 10).all() and (third - second == 10).all()
    # RDCFG 0, ADDDMAREG 1, STALLWAIT 5, WRCFG 7, NOP 8, UNPACR 9; Config written in 9, seen in 10
    issued = streams["t0.issue"]
    start = int(np.flatnonzero(issued["word"] >> 24 == 0xB1)[0])
    cycles = issued["cycle"][start : start + 6].astype(np.int64)
    assert (cycles - cycles[0]).tolist() == [0, 1, 5, 7, 8, 9]
    assert streams["config_write"]["cycle"][2] - cycles[0] == 9
    assert view["cycle"].tolist() == (unpacr["cycle"] + 1).tolist()
    base, tile = 0x0001_1234, 0x400
    assert view["data"][1::3].tolist() == [base + tile * (n + 1) for n in range(8)]
    assert view["data"][2::3].tolist() == [base + tile * (n + 1) for n in range(8)]


def test_start_up_writes_whole_words_under_the_mutex(sim: str, tmp_path: Path) -> None:
    """Seed unpack-data-path 11.1; no thread's read-modify-writes inside another's."""
    streams = traces("unpack_start", sim, tmp_path)
    writes = streams["config_write"]
    by_thread = [int(s) for s in writes["source"] if s < 3]
    changes = sum(a != b for a, b in pairwise(by_thread))
    assert set(by_thread) == {0, 1, 2} and changes == 2
    # thread 0 comes last, and clears bits under the masks of its words
    assert [written(streams, word)[-1] for word in range(3)] == [0, 0x6600, 0x76]
    seen = {int(v["index"]): int(v["data"]) for v in streams["view_unpack0"]}
    assert seen == {0: 0, 1: 0x6600, 2: 0x76, 0x105: 4}


def test_contexts_take_turns(sim: str, tmp_path: Path) -> None:
    """Seed unpack-data-path 9.5: an UNPACR sees what the cores wrote for its context."""
    streams = traces("context_pingpong", sim, tmp_path)
    for name, indices in (("view_unpack0", (76, 77)), ("view_unpack1", (124, 125))):
        view = streams[name]
        assert set(view["index"].tolist()) == set(indices)
        wanted = {76: 0x0001_0000, 77: 0x0001_8000, 124: 0x0002_0000, 125: 0x0002_8000}
        assert all(
            wanted[int(i)] == int(d) for i, d in zip(view["index"], view["data"], strict=True)
        )
        # a context is used twice, then the other one
        assert view["index"].tolist() == [indices[0], indices[0], indices[1], indices[1]] * 6
    in_flight = streams["semaphores"]["value"] >> 20 & 0xF
    assert in_flight.max() == 2 and in_flight[-1] == 0


def test_math_and_pack_hand_over_two_halves(sim: str, tmp_path: Path) -> None:
    """Seed pack-data-path 16: never more than two halves full, none packed before it is full."""
    streams = traces("pack_protocol", sim, tmp_path)
    full = streams["semaphores"]["value"] >> 4 & 0xF
    assert full.max() == 2 and full[-1] == 0
    assert (np.abs(np.diff(full.astype(np.int64))) <= 1).all()
    posts = streams["t1.issue"]["cycle"][streams["t1.issue"]["word"] >> 24 == 0xA4]
    pacr = streams["pack"]["cycle"][::4]
    assert len(posts) == len(pacr) == 8
    assert (posts < pacr).all()
    assert written(streams, 69) == [0x0002_4000 + 16 * n for n in range(8)]
