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
