# SPDX-License-Identifier: Apache-2.0
"""Every flag of section 8 of the contract: alone where it should be, and gone next to that."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tilepath import isa
from tilepath.models import format_codes as F
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_helpers import coded, load, plain, put, unpacr
from tilepath.tests.unpack.model_numbered import compressed

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


@pytest.mark.parametrize(
    ("row", "more", "word", "flags"),
    [
        (1, {"transpose": 1}, {}, {"start_align"}),
        (1, {"transpose": 1, "if_sel": 1, "set_ovrd": 0}, {}, {"dst_modes"}),
        (1, {}, {"flip_src": 1}, set()),
        (0, {"transpose": 1}, {}, set()),
        (2, {"transpose": 1}, {}, set()),  # an empty row does not start anywhere
        (2, {}, {"flip_src": 1}, {"empty_flip"}),
        (2, {}, {}, set()),
        (0, {"x0": 9, "x1": 8}, {"flip_src": 1}, {"empty_flip"}),  # bounded, no items
    ],
)
def test_compressed_rows(row: int, more: Given, word: Given, flags: set[str]) -> None:
    """Of compressed tiles the entries tell; rows of 3, 5, 0 and 4 datums."""
    s = compressed([0, 3, 8, 8, 12], [], y0=row, **more)
    assert set(s.execute(0, unpacr(**word)).faults) == flags


def test_read_faults_by_kind() -> None:
    s = plain(F.BFP8, count=16, base=93695 - 16)
    put(s, x_dim=4096, y_dim=1, z_dim=1)  # 256 bytes of exponents, and then the end
    assert set(s.execute(0, unpacr()).faults) == {"datum"}
    put(s, base=93695, limit=93690, fifo=93690 - 0x100)  # wraps, exponents and datums alike
    assert s.execute(0, unpacr()).faults == ()
    put(s, limit=0x1FFFF)
    assert set(s.execute(0, unpacr()).faults) == {"datum", "exponent"}
    assert not s.src_a[0, 0].any()  # what is not there is 0: +0, whatever the exponent
    s = plain(F.FP16, uncompressed=0, base=93695 - 4, x1=255)
    load(s, (93695 - 3) * 16, [0, 3], "u2")
    assert set(s.execute(0, unpacr()).faults) == {"delta"}


def test_delta_fault_does_not_add_zeros() -> None:
    s = plain(F.FP16, uncompressed=0, base=93695 - 4, x1=255)
    load(s, (93695 - 3) * 16, [0, 3], "u2")
    load(s, (93695 - 2) * 16, [0x3C00] * 16, "u2")
    s.execute(0, unpacr())
    assert s.src_a[0, 0].tolist() == [0xF] * 3 + [0] * 13


def test_a_masked_or_zeroed_datum_has_its_bfpa_fault_and_a_dropped_one_has_not() -> None:
    bad = {"count": 16, "force_exponent": 1, "shared_exponent": 200}
    for more, word in (({"out_base": 0}, {}), ({}, {"all_zero": 1})):
        s = plain(F.BFP8A, **bad, **more)
        load(s, 0x4010, [1])
        assert "bfpa" in s.execute(0, unpacr(**word)).faults
    for place, raised in ((0, False), (1, True)):  # the first of two items is dropped
        s = plain(F.BFP8A, **bad, uncompressed=0, x0=1, x1=16)
        load(s, 0x4020 + place, [1])
        assert ("bfpa" in s.execute(0, unpacr()).faults) == raised
    s = plain(F.BFP8A, **bad)
    load(s, 0x4010, [0x80] * 16)  # magnitude 0 never is at fault
    assert s.execute(0, unpacr()).faults == ()


def test_flips_and_clears_of_foreign_banks() -> None:
    s = plain(F.BF16, count=1)
    s.src_owner[0, 0] = 1
    effect = s.execute(0, unpacr(flip_src=1))
    assert effect.faults == ("flip_owner",) and not effect.met
    s = plain(F.BF16)
    s.src_owner[1, 0] = 1
    assert s.execute(0, isa.encode("UNPACR_NOP", unpacker=1, no_op=7)).faults == ("flip_owner",)
    for both, like, owner, flag in (
        (1, 1, [0, 1], True),
        (1, 1, [0, 0], False),
        (0, 1, [0, 1], False),
        (1, 0, [1, 0], True),  # waits for bank 1, and clears bank 0 too
        (0, 0, [1, 0], False),
    ):
        s = plain(F.BF16)
        s.src_owner[0] = owner
        s.matrix_bank[0] = 1
        word = isa.encode("UNPACR_NOP_ZEROSRC", both_banks=both, wait_like_unpacr=like)
        effect = s.execute(0, word)
        assert effect.faults == (("zerosrc_matrix",) if flag else ()) and effect.met


def test_flags_come_in_the_order_of_the_contract() -> None:
    s = plain(F.BF16, F.FP16, count=16, throttle=3, out_base=3)
    assert s.execute(0, unpacr(last=0, srcb_bcast=1)).faults == (
        "reserved_bit", "format_pair", "out_align", "throttle", "out_row", "out_low", "not_last",
    )  # fmt: skip
