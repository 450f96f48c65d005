# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the packers: encodings, storage, and that legal traffic is legal."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.pack import cells, config, dst, words
from tilepath.sequences.pack.checks import effects
from tilepath.sequences.pack.presets import PRESETS
from tilepath.sequences.pack.random_scene import Scenes
from tilepath.sequences.pack.random_tests import WARNINGS
from tilepath.sequences.pack.random_tile import Tiles
from tilepath.sequences.pack.script import Script
from tilepath.sequences.pack.tile_image import KINDS, TILE, Kind, values

PROFILES = profiles.names()


def faults_of(name: str, profile: str, scenes: int) -> Counter[str]:
    """How often each fault comes up in scenes of a preset, and under ``""`` instructions."""
    script = Script(profile)
    script.history = []
    make = Tiles if name == "random_tile" else Scenes
    scene = make(np.random.default_rng(11), PRESETS[name], profile)
    for _ in range(scenes):
        scene(script)
    found: Counter[str] = Counter()
    for _, _, effect in effects(script):
        found.update(("", *effect.faults))
    return found


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", [name for name, tables in PRESETS.items() if tables.legal])
def test_legal_traffic_raises_warnings_only(name: str, profile: str) -> None:
    found = faults_of(name, profile, 30)
    assert found[""] > 100
    assert set(found) - {"", *WARNINGS} == set()


@pytest.mark.parametrize("profile", PROFILES)
def test_faults_are_of_many_kinds(profile: str) -> None:
    assert len(faults_of("random_faults", profile, 150)) > 20


def test_words() -> None:
    """Those that the published notes give."""
    assert words.pacr(15) == 0x41000F00
    assert words.pacr(15, mode=1, last=1) & ~0x700 == 0x41008801
    assert words.pacr(1, zero=1, override=1, which=2, concat=1) == 0x41005190
    every = words.pacr(
        10, last=1, flush=1, concat=1, zero=1, mode=3, override=1, which=2, context=3, row_pad=7,
        strided=1, context_control=3,
    )  # fmt: skip
    assert every == 0x417FDA9F
    assert words.setreg(0x155, 0, 0x2A) == 0x4A955FAA
    assert words.setreg_bh(3, 0x2A) == 0x4A8003AA
    assert words.load_bh(1, 0xBEEF) == 0x4A45F77C


def test_set_ups_are_words() -> None:
    made = config.words({"to": (1, 2, 3, 4), "from_": 5, "limit": (9, 8, 7, 6), "shift": 3})
    assert [made[index] >> 4 & 15 for index in (70, 98, 118, 146)] == [1, 2, 3, 4]
    assert [made[index] >> 8 & 15 for index in (70, 98, 118, 146)] == [5] * 4
    assert [made[index] for index in (100, 102, 148, 150, 187)] == [9, 8, 7, 6, 3]
    assert [made[index] & 1 for index in (70, 98, 118, 146)] == [1] * 4  # not compressed
    with pytest.raises(ValueError, match="Dstacc: 16 does not fit 4 bits"):
        config.words({"inner": 16})
    with pytest.raises(KeyError, match="there is no inner_format"):
        config.words({"inner_format": 1})


def test_storage() -> None:
    """P19, P12, P52."""
    image = dst.Image()
    image.put(147, np.full(16, 0x3FC00001, np.uint32), "fp32")
    image.put(344, np.full(16, 0xBF818000, np.uint32), "fp32")
    image.put(0x38, np.full(16, 0x3DFF, np.uint32), "fp16", remap=1)
    rows = [(row, int(data[0]) & 0xFFFF) for row, _, _, data in image.runs(1)]
    assert rows == [
        (0x38 & 0x3C7 ^ 0x18 ^ 0x20, 0x3FEF), (291, 0x407F), (299, 1), (688, 0x817F), (696, 0x8000)
    ]  # fmt: skip


def test_runs_cover_the_rows() -> None:
    image, row = dst.Image(), np.arange(16, dtype=np.uint32)
    for number in (3, 4, 5, 100):
        image.put(number, row + number, "int16")
    runs = list(image.runs(2))
    assert [(first, count) for first, count, *_ in runs] == [(3, 2), (5, 1), (100, 1)]
    _, _, masks, data = runs[0]
    assert masks.tolist() == [0xFFFF] * 2 + [0] * 7
    assert data.view("<u2")[16:18].tolist() == [4, 5]
    assert list(image.runs()) == []


def test_every_format_has_legal_ways() -> None:
    assert {cell.name for cell in cells.CELLS} == set(cells.NAMES)
    assert {to for cell in cells.CELLS for to in cell.targets} == set(C.ALL)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_tiles_have_many_numbers(kind: Kind) -> None:
    numbers = values(kind, 7)
    assert (numbers == values(kind, 7)).all() and (numbers != values(kind, 8)).any()
    assert (numbers == 0).sum() < TILE / 4 and len(np.unique(numbers)) > 200
    assert (numbers < 0).sum() > TILE / 4
    sparse = values(kind, 7, tame=True, dense=6)
    assert (sparse == 0).sum() > TILE / 2 and not np.signbit(sparse[sparse == 0]).any()


def test_every_format_is_packed_from_both_dsts_that_have_it() -> None:
    every = set(C.ALL)
    assert {kind.to for kind in KINDS.values()} == every
    assert {kind.to for kind in KINDS.values() if kind.dst == "fp32"} >= set(C.FLOATS)
