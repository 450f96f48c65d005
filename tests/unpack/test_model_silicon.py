# SPDX-License-Identifier: Apache-2.0
"""What was read of chips, U31, U33, U68 and U69, in both values of each parameter."""

from __future__ import annotations

import pytest

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_helpers import plain, put, unpacr

BEFORE, GIVEN, MINUS_INF = 0x155, 0x2BEEF, 0x7FFFF
OLD = "blackhole,unpacr_nop_zero_clears=0"
MULTI = {"disable_0_3": 15, "dest0": 64, "dest1": 64, "x_dim0": 256, "x_dim1": 256}


@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize(
    ("profile", "low", "value", "gives"),
    [
        ("blackhole", 0x1E1, 0, True), ("blackhole", 0x0C1, 0, False),
        ("blackhole", 0x1C1, 0, True), ("blackhole", 0x0E1, 0, False),
        ("blackhole", 0x1E5, MINUS_INF, True), ("blackhole", 0x0C5, MINUS_INF, False),
        ("blackhole", 0x1ED, GIVEN, True), ("blackhole", 0x0ED, GIVEN, False),
        ("blackhole", 0x1E9, BEFORE, True), ("blackhole", 0x0C9, BEFORE, True),
        ("blackhole", 0x029, 0x7F, False), ("blackhole", 0x109, 0x7F, True),
        ("blackhole", 0x069, 0x7F, False), ("blackhole", 0x0A9, 0x110, False),
        *((OLD, low, BEFORE, True) for low in (0x1E1, 0x0C1, 0x1E5, 0x0ED, 0x1E9)),
        (OLD, 0x029, 0xF, False), (OLD, 0x109, 0xF, True), (OLD, 0x069, 0x7F, False),
    ],
)  # fmt: skip
def test_selector(profile: str, low: int, value: int, gives: bool, unit: int) -> None:
    """A word of UNPACR_NOP: what is in its bank then, and whether that is given."""
    s = plain(F.BF16, profile=profile)
    put(s, unit, clear_value=GIVEN)
    file, other = (s.src_a, s.src_b) if unit == 0 else (s.src_b, s.src_a)
    file[:] = other[:] = BEFORE
    effect = s.execute(0, 0x43000000 | unit << 23 | low)
    assert effect.faults == () and effect.met
    assert (file[0] == value).all() and (file[1] == BEFORE).all() and (other == BEFORE).all()
    assert s.src_owner[unit].tolist() == [int(gives), 0] and s.src_bank[unit] == gives


def burst_rows(profile: str, code: int, out: int, count: int = 17, **given: int) -> int:
    """The least first row above 0 of SrcA without the warning, up to 8."""
    scale = 16 * {F.FP32: 4, F.TF32: 4, F.BF16: 2}.get(out, 1)
    for row in range(1, 9):
        given["out_base"] = (row + 4) * scale
        s = plain(code, out, count=count, profile=profile, force_exponent=1, **given)
        if "burst" not in s.execute(0, unpacr()).faults:
            return row
    raise AssertionError("every row has it")


SIZES = ((F.FP32, F.TF32), (F.BF16, F.BF16), (F.INT8, F.INT8), (F.BFP4, F.BFP4), (F.BFP2, F.BFP2))


@pytest.mark.parametrize(
    ("profile", "given", "rows"),
    [  # of datums of 4, 2, 1, 1/2 and 1/4 bytes
        *(("blackhole", {"throttle": mode}, (2, 4, 8, 8, 4)) for mode in range(4)),
        ("blackhole", {"ovrd_throttle": 1, "throttle": 0}, (1, 1, 1, 2, 4)),
        ("blackhole", {"ovrd_throttle": 1, "throttle": 1}, (1, 1, 2, 4, 4)),
        ("blackhole", {"ovrd_throttle": 1, "throttle": 2}, (2, 4, 4, 8, 4)),
        ("blackhole", {"ovrd_throttle": 1, "throttle": 3}, (2, 4, 8, 8, 4)),
        ("blackhole", {"throttle": 0, "upsample": 2}, (2, 4, 8, 8, 4)),
        *(
            (profile, {"throttle": mode, "ovrd_throttle": mode & 1}, rows)
            for profile in ("baseline", "blackhole,burst_default_throttle=0")
            for mode, rows in enumerate(((1, 1, 1, 2, 4), (1, 1, 2, 4, 4), (1, 2, 4, 8, 4)))
        ),
    ],
)
def test_rows_of_a_burst(profile: str, given: dict[str, int], rows: tuple[int, ...]) -> None:
    assert tuple(burst_rows(profile, *pair, **given) for pair in SIZES) == rows


def test_bursts_of_tilize() -> None:
    for profile, rows in (("blackhole", (2, 4, 4)), ("baseline", (1, 2, 4))):
        found = (burst_rows(profile, *pair, tilize=1, shift1=1, throttle=0) for pair in SIZES[:3])
        assert tuple(found) == rows


def test_a_burst_off_its_rows_changes_no_value() -> None:
    s = plain(F.BF16, count=40, out_base=32 * 17, profile="blackhole")  # rows 13 to 15
    assert s.execute(0, unpacr(all_zero=0)).faults == ("burst",)
    t = plain(F.BF16, count=40, out_base=32 * 17, profile="blackhole,burst_default_throttle=0")
    t.execute(0, unpacr())
    assert (s.src_a == t.src_a).all()


@pytest.mark.parametrize("profile", ["baseline", "blackhole", "blackhole,srca_row_high=1"])
@pytest.mark.parametrize(
    ("row", "count", "high"),
    [(63, 16, False), (63, 17, True), (64, 1, True), (68, 16, True), (200, 3, True)],
)
def test_high_rows_of_srca(profile: str, row: int, count: int, high: bool) -> None:
    """They wrap; the older chip does not say so."""
    s = plain(F.BF16, count=count, out_base=32 * (row + 4), profile=profile)
    s.src_a[:] = 9
    flagged = "srca_row_high" in s.execute(0, unpacr(all_zero=1)).faults
    assert flagged == (high and profile != "blackhole")
    assert s.src_a[0, (row + (count - 1) // 16) & 63, 0] == 0


SRC: dict[str, int] = {}
DST, FLIP = {"context_number": 1}, {"flip_src": 1}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((DST, FLIP), 1), ((DST, SRC, FLIP), None), ((DST | FLIP, FLIP), 1), ((SRC, FLIP), None),
        ((DST, FLIP, FLIP), 1), ((DST, {"flush_cache": 1}, FLIP), 2),
        ((DST, {"inc_ctx": 1}, FLIP), 2), ((DST, SRC, DST, FLIP), 3), ((DST, {"unit": 1}, FLIP), 2),
        ((DST, {"all_zero": 1}, FLIP), None), ((DST, DST | FLIP, SRC), None),
    ],
)  # fmt: skip
def test_spare_unpacr(words: tuple[dict[str, int], ...], told: int | None) -> None:
    """Words of several threads in a row; ``told``: which one has the warning."""
    for profile in ("baseline", "blackhole", "baseline,spare_unpacr=0"):
        s = plain(F.BF16, count=16, set_ovrd=0, if_sel_0_3=2, profile=profile, **MULTI)
        for place, word in enumerate(words):
            own = {"multi_context": 1, **word}
            effect = s.execute(place % 3, unpacr(own.pop("unit", 0), **own))
            warned = "spare_unpacr" in effect.faults
            assert warned == (place == told and profile == "baseline")
