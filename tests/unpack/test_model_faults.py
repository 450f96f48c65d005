# SPDX-License-Identifier: Apache-2.0
"""Every flag of section 8 of the contract: alone where it should be, and gone next to that."""

from __future__ import annotations

from typing import Any

import pytest

from tilepath import isa
from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr
from tilepath.tests.unpack.model_numbered import compressed

Given = dict[str, Any]
BF = {"code": F.BF16}
BFP4 = {"code": F.BFP4, "force_exponent": 1, "throttle": 2, "count": 32}
MULTI = {"disable_0_3": 15, "disable_4_7": 15, "x_dim0": 256, "dest0": 64}


def run(given: Given, word: Given) -> set[str]:
    """Flags of one UNPACR: ``given`` as for ``plain``, with ``code``; ``word`` fields, ``unit``."""
    given, word = dict(given), dict(word)
    bits = word.pop("bits", 0)
    unit = word.pop("unit", 0)
    s = plain(given.pop("code"), given.pop("out", None), unit, **{"count": 16, **given})
    load(s, 0x5010, [0x40] * 16)
    return set(s.execute(0, unpacr(unit, **word) | bits).faults)


NO_FORMAT = min({*range(16)} - {*F.ALL})

# flag, what raises it, and what is next to that and does not; each a set-up and a word
ALONE: list[tuple[str, Given, Given, Given, Given]] = [
    ("reserved_bit", BF, {"bits": 1 << 14}, BF, {}),
    ("reserved_bit", BF, {"srcb_bcast": 1}, BF, {}),
    ("reserved_bit", BF, {"srcb_bcast": 1, "flush_cache": 1}, BF, {"flush_cache": 1}),
    ("reserved_bit", BF, {"bits": 1 << 14, "inc_ctx": 1}, BF, {"inc_ctx": 1}),
    ("context_adc", BF | MULTI, {"multi_context": 1, "context_adc": 3}, BF, {"context_adc": 3}),
    ("context_adc", BF | MULTI, {"multi_context": 1, "context_adc": 3},
     BF | MULTI, {"multi_context": 1, "context_adc": 2}),
    ("context_range", BF | MULTI | {"base2": 0x400},
     {"unit": 1, "multi_context": 1, "context_number": 2},
     BF | MULTI, {"unit": 1, "multi_context": 1, "context_number": 1}),
    ("format_code", {"code": NO_FORMAT}, {}, BF, {}),
    ("format_code", {"code": F.BF16, "out": NO_FORMAT}, {}, BF, {}),
    ("format_pair", {"code": F.BF16, "out": F.TF32}, {}, {"code": F.FP32, "out": F.TF32}, {}),
    ("format_fp32", {"code": F.FP32, "out": F.INT8}, {}, {"code": F.FP32, "out": F.FP16}, {}),
    ("format_src", {"code": F.TF32}, {}, {"code": F.TF32, "if_sel": 1, "set_ovrd": 0}, {}),
    ("format_src", {"code": F.INT32}, {"unit": 1}, {"code": F.FP32, "out": F.TF32}, {"unit": 1}),
    ("format_src", {"code": F.FP32}, {}, {"code": F.FP32}, {"all_zero": 1}),  # U23
    ("compressed_bfp2", {"code": F.BFP2, "uncompressed": 0}, {}, {"code": F.BFP2}, {}),
    ("bfp_alias", {"code": F.BFP4, "no_exponents": 1}, {}, {"code": F.BFP8, "no_exponents": 1}, {}),
    ("bfp_alias", {"code": F.BFP2A, "no_exponents": 1}, {},
     {"code": F.BFP2A, "no_exponents": 1, "force_exponent": 1}, {}),
    ("out_align", BF | {"out_base": 129}, {}, BF | {"out_base": 128}, {}),
    ("out_align", {"code": F.FP32, "out": F.TF32, "out_base": 258}, {},
     {"code": F.FP32, "out": F.TF32, "out_base": 256}, {}),
    ("out_align", BF | MULTI | {"out_base": 129, "add_dest": 1}, {"multi_context": 1},
     BF | MULTI | {"out_base": 128}, {"multi_context": 1}),
    ("out_align", BF | MULTI | {"out_base": 129}, {"multi_context": 1},
     BF | MULTI | {"out_base": 128}, {"multi_context": 1}),
    ("x_window", BF | {"x0": 4096, "x1": 4095}, {}, BF | {"x0": 4095, "x1": 4095}, {}),
    ("x_window", BF | {"x0": 4095, "x1": 4096}, {}, BF | {"x0": 4094, "x1": 4095}, {}),
    ("x_window", {"code": F.INT8, "x0": 8192, "x1": 8191}, {},
     {"code": F.INT8, "x0": 8191, "x1": 8191}, {}),
    ("x_window", {"code": F.BFP4, "x0": 8192, "x1": 8191}, {},
     {"code": F.BFP4, "x0": 8191, "x1": 8191}, {}),
    ("x_order", BF | {"x0": 18, "x1": 16}, {}, BF | {"x0": 17, "x1": 16}, {}),
    ("x_order", BF | {"x0": 18, "x1": 16, "uncompressed": 0}, {},
     BF | {"x0": 17, "x1": 16, "uncompressed": 0}, {}),
    ("blobs_index", BF | {"blobs": 1, "x0": 7}, {"row_search": 1},
     BF | {"blobs": 1, "x0": 6}, {"row_search": 1}),
    ("start_align", BF | {"tilize": 1, "x0": 1, "x1": 8}, {}, BF | {"tilize": 1, "x0": 8}, {}),
    ("start_align", BF | {"transpose": 1, "x0": 1, "x1": 8}, {},
     BF | {"transpose": 1, "x0": 8}, {}),
    ("y_range", BF | {"y0": 256}, {}, BF | {"y0": 255}, {}),
    ("y_range", BF | {"y0": 256}, {}, BF | {"y0": 256, "uncompressed": 0}, {}),
    ("tilize_combo", BF | {"tilize": 1, "upsample": 1}, {}, BF | {"tilize": 1}, {}),
    ("tilize_combo", BF | {"tilize": 1, "uncompressed": 0}, {}, BF | {"uncompressed": 0}, {}),
    ("tilize_combo", {"code": F.BFP4, "tilize": 1}, {}, {"code": F.BFP8, "tilize": 1}, {}),
    ("dst_modes", BF | {"if_sel": 1, "set_ovrd": 0, "transpose": 1}, {},
     BF | {"if_sel": 1, "set_ovrd": 0}, {}),
    ("dst_modes", BF | {"if_sel": 1, "set_ovrd": 0, "shift0": 1}, {},
     BF | {"if_sel": 1, "set_ovrd": 0, "shift0": 1, "tilize": 1}, {}),
    ("dst_ovrd", BF | {"if_sel": 1}, {}, BF | {"if_sel": 1, "set_ovrd": 0}, {}),
    ("throttle", BF | {"throttle": 3}, {}, BF | {"throttle": 2}, {}),
    ("transpose_srcb", BF | {"transpose": 1}, {"unit": 1}, BF | {"transpose": 1}, {}),
    ("burst", BF | {"throttle": 2, "count": 17, "out_base": 160}, {},
     BF | {"throttle": 2, "count": 17, "out_base": 192}, {}),
    ("burst", BF | {"throttle": 2, "count": 17, "out_base": 160}, {},
     BF | {"throttle": 2, "count": 16, "out_base": 160}, {}),
    ("burst", BF | {"throttle": 1, "count": 17, "tilize": 1, "out_base": 160}, {},
     BF | {"throttle": 0, "count": 17, "out_base": 160}, {}),
    ("burst", BFP4 | {"out_base": 128}, {}, BFP4 | {"out_base": 192}, {}),
    ("out_row", BF | {"out_base": 130}, {}, BF | {"out_base": 160}, {}),
    ("out_low", BF | {"out_base": 126 - 30}, {}, BF | {"out_base": 0}, {"unit": 1}),
    ("not_last", BF, {"last": 0}, BF, {}),
    ("not_last", BF, {"last": 0, "flush_cache": 1}, BF, {"flush_cache": 1}),
    ("not_last", BF, {"last": 0, "inc_ctx": 1}, BF, {"inc_ctx": 1}),
    ("empty_flip", BF | {"x1": 15, "x0": 16}, {"flip_src": 1}, BF | {"x1": 15, "x0": 16}, {}),
    ("empty_flip", BF | {"x1": 15, "x0": 16}, {"flip_src": 1},
     BF | {"x1": 16, "x0": 16, "uncompressed": 0}, {"flip_src": 1}),
    # faults of reads and writes
    ("datum", BF | {"base": 93694, "count": 9}, {}, BF | {"base": 93694, "count": 8}, {}),
    ("rsi", BF | {"base": 93695, "uncompressed": 0, "x1": 255, "limit": 0, "fifo": 93000}, {},
     BF | {"base": 93690, "uncompressed": 0, "x1": 255}, {}),
    ("srca_row", BF | {"set_ovrd": 0, "out_base": 2 * (64 + 256)}, {},
     BF | {"set_ovrd": 0, "out_base": 2 * (64 + 240)}, {}),
    ("srca_row", BF | {"set_ovrd": 0, "out_base": 2 * (64 + 256)}, {},
     BF | {"set_ovrd": 1, "out_base": 2 * (64 + 256)}, {}),
    ("srca_row_high", BF | {"out_base": 2 * (64 + 1024)}, {},
     BF | {"out_base": 2 * (64 + 1008)}, {}),
    ("srcb_row", BF | {"out_base": 2 * 1024}, {"unit": 1},
     BF | {"out_base": 2 * 1008}, {"unit": 1}),
    ("bfpa", {"code": F.BFP8A, "shared_exponent": 32, "force_exponent": 1, "base": 0x500}, {},
     {"code": F.BFP8A, "shared_exponent": 31, "force_exponent": 1, "base": 0x500}, {}),
]  # fmt: skip
# what some set-ups cannot be without
BESIDE = {
    "format_pair": {"out_align"},
    "out_low": {"out_row"},
    "x_window": {"datum", "srca_row", "srca_row_high", "srcb_row"},
}


@pytest.mark.parametrize(
    ("flag", "given", "word", "near", "near_word"),
    ALONE,
    ids=[f"{r[0]}{k}" for k, r in enumerate(ALONE)],
)
def test_flag(flag: str, given: Given, word: Given, near: Given, near_word: Given) -> None:
    raised = run(given, word)
    assert flag in raised
    assert raised - {flag} <= BESIDE.get(flag, set())
    assert flag not in run(near, near_word)


def nop(profile: str, bits: int) -> set[str]:
    s = plain(F.BF16, profile=profile)
    return set(s.execute(0, 0x43000000 | bits).faults)


@pytest.mark.parametrize(
    ("bits", "named"),
    [
        (0x000000, 0x800007), (0x000001, 0x80001F), (0x000002, 0x800007),
        (0x000003, 0xBF7FF7), (0x000004, 0xFF7FFF), (0x000007, 0x800007),
    ],
)  # fmt: skip
def test_foreign_bits_of_the_older_encoding(bits: int, named: int) -> None:
    for bit in range(24):
        word = bits | 1 << bit
        if word & 7 != bits & 7:
            continue  # another form
        assert ("nop_foreign" in nop("baseline", word)) == (not named >> bit & 1), f"{word:06X}"


@pytest.mark.parametrize(
    ("bits", "named"),
    [
        (0x000000, 0x800003), (0x000001, 0x8001FF), (0x0000C1, 0x8001FF), (0x0000C9, 0x8001EF),
        (0x000002, 0x800103), (0x000003, 0xBF7007), (0x00000F, 0xFFFFFF), (0x000101, 0x8001FF),
        (0x000102, 0x800103),
    ],
)  # fmt: skip
def test_foreign_bits_of_the_newer_encoding(bits: int, named: int) -> None:
    for bit in range(24):
        word = bits | 1 << bit
        same_form = word & 3 == bits & 3 and (bits & 3 != 3 or word & 4 == bits & 4)
        if not same_form or (bits & 3 == 1 and (word & 0xCC == 0xC8) != (bits & 0xCC == 0xC8)):
            continue
        assert ("nop_foreign" in nop("blackhole", word)) == (not named >> bit & 1), f"{word:06X}"


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
