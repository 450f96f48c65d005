# SPDX-License-Identifier: Apache-2.0
"""Every flag of section 8 of the contract: alone where it should be, and gone next to that."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tilepath.models import format_codes as F
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_helpers import coded, load, plain, unpacr

Given = dict[str, Any]
TABLES: Final = beside(__file__, "faults")
MULTI: Final = {"disable_0_3": 15, "disable_4_7": 15, "x_dim0": 256, "dest0": 64}


def run(given: Given, word: str) -> set[str]:
    """Flags of one UNPACR of a set-up and fields as the tables have them."""
    more = MULTI if "multi" in given else {}
    fields = {key: int(value, 0) for key, value in (one.split("=") for one in word.split())}
    bits, unit = fields.pop("bits", 0), fields.pop("unpacker", 0)
    own = {key: value for key, value in given.items() if key != "multi"}
    s = plain(**coded({"code": "BF16", "unit": unit, "count": 16, **more, **own}))
    load(s, 0x5010, [0x40] * 16)
    return set(s.execute(0, unpacr(unit, **fields) | bits).faults)


# what some set-ups cannot be without
BESIDE = {
    "format_pair": {"out_align"},
    "out_low": {"out_row"},
    "x_window": {"datum", "srca_row", "srca_row_high", "srcb_row"},
}


@pytest.mark.parametrize(
    ("flag", "given", "word", "near", "near_word"),
    TABLES["alone"],
    ids=[f"{row[0]}{k}" for k, row in enumerate(TABLES["alone"])],
)
def test_flag(flag: str, given: Given, word: str, near: Given, near_word: str) -> None:
    raised = run(given, word)
    assert flag in raised
    assert raised - {flag} <= BESIDE.get(flag, set())
    assert flag not in run(near, near_word)


def nop(profile: str, bits: int) -> set[str]:
    s = plain(F.BF16, profile=profile)
    return set(s.execute(0, 0x43000000 | bits).faults)


def same_form(profile: str, word: int, other: int) -> bool:
    """Whether two UNPACR_NOPs are of one form."""
    if profile == "baseline":
        return word & 7 == other & 7
    same = word & 3 == other & 3 and (word & 3 != 3 or word & 4 == other & 4)
    return same and (word & 3 != 1 or (word & 0xCC == 0xC8) == (other & 0xCC == 0xC8))


@pytest.mark.parametrize(
    ("profile", "bits", "named"),
    [(profile, *row) for profile, rows in TABLES["foreign"].items() for row in rows],
)
def test_foreign_bits(profile: str, bits: int, named: int) -> None:
    for bit in range(24):
        word = bits | 1 << bit
        if same_form(profile, bits, word):
            assert ("nop_foreign" in nop(profile, word)) == (not named >> bit & 1), f"{word:06X}"


def test_words_of_the_other_encoding_are_flagged() -> None:
    assert nop("blackhole", 0x7) == nop("blackhole", 0x800007) == {"nop_foreign"}  # SETDVALID
    assert nop("blackhole", 0x17) == set()  # SETREG of 1
    assert "nop_foreign" in nop("baseline", 0x800101)  # clear and hand over
    assert nop("baseline", 0x6) == {"nop_reserved"}
    assert nop("baseline", 0x2) == set()


def test_minus_infinity_on_srcb() -> None:
    assert nop("baseline", 0x800005) == {"neginf_srcb"}
    assert nop("baseline", 0x000005) == set()
    assert nop("baseline,zerosrc_neginf_srcb=1", 0x800005) == set()


# --- what was read of chips (U33), in both values of each parameter


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


MULTI_DST: Final = {"disable_0_3": 15, "dest0": 64, "dest1": 64, "x_dim0": 256, "x_dim1": 256}
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
        s = plain(F.BF16, count=16, set_ovrd=0, if_sel_0_3=2, profile=profile, **MULTI_DST)
        for place, word in enumerate(words):
            own = {"multi_context": 1, **word}
            effect = s.execute(place % 3, unpacr(own.pop("unit", 0), **own))
            warned = "spare_unpacr" in effect.faults
            assert warned == (place == told and profile == "baseline")
