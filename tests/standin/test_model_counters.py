# SPDX-License-Identifier: Apache-2.0
"""Row counters, address modifiers, banks, clearing, words as kernels have them (M1 to M8, M27)."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.models import Machine
from tilepath.models.format_codes import BF16, FP16
from tilepath.models.standin import OPCODES
from tilepath.tests.standin.standin_unit import Unit, src

A, A_CR, B, B_CR, D, D_CR, PHASE, BIAS = range(8)
WH = "baseline,math_enc=WH"


def test_words_of_kernels() -> None:
    assert isa.encode("MVMUL", clear_dvalid=1, addr_mode=5) == 0x26414000
    assert isa.encode("ELWADD", bcast=3) == 0x28180000
    assert isa.encode("MOVA2D", rows8=1, addr_mode=2) == 0x1200A000
    assert isa.encode("MOVB2D", movb2d_mode=5, src=16, addr_mode=3) == 0x1320E800
    assert isa.encode("ZEROACC", mode=2, wide=1, dst=1) == 0x10140001
    assert isa.encode("SETRWC", clear_dvalid=3, rwc_cr=3, mask=3) == 0x37CC0003
    assert isa.encode("GAPOOL", pool_addr_mode=1, addr_mode=3, dst=4) == 0x34098004


@pytest.mark.parametrize(
    ("fields", "want"),
    [
        ({"set_a": 1, "rwc_a": 8, "rwc_b": 8}, [8, 8, 3, 60, 100, 1020, 2, 0]),
        ({"set_a": 1, "cr_a": 1, "rwc_a": 9}, [11, 11, 3, 60, 100, 1020, 2, 0]),  # 2 + 9
        ({"set_b": 1, "cr_b": 1, "rwc_b": 15}, [1, 2, 11, 11, 100, 1020, 2, 0]),  # 60 + 15 - 64
        ({"set_d": 1, "rwc_d": 8}, [1, 2, 3, 60, 8, 8, 2, 0]),
        ({"set_d": 1, "cr_d": 1, "rwc_d": 8}, [1, 2, 3, 60, 4, 4, 2, 0]),  # 1020 + 8 - 1024
        ({"d_to_cr": 1, "cr_d": 1, "rwc_d": 8}, [1, 2, 3, 60, 108, 108, 2, 0]),  # D, not D_Cr
        ({"set_phase": 1}, [1, 2, 3, 60, 100, 1020, 0, 0]),
        ({"cr_a": 1, "rwc_a": 5}, [1, 2, 3, 60, 100, 1020, 2, 0]),
    ],
)
def test_setrwc(fields: dict[str, int], want: list[int]) -> None:
    unit = Unit()
    unit.rwc[1] = [1, 2, 3, 60, 100, 1020, 2, 0]
    assert unit.do("SETRWC", **fields) == ()
    assert unit.rwc.tolist() == [[0] * 8, want, [0] * 8]


def test_incrwc() -> None:
    unit = Unit()
    unit.rwc[2] = [1, 2, 3, 60, 100, 1020, 2, 0]
    unit.do("INCRWC", 2, rwc_a=4, cr_b=1, rwc_b=8, cr_d=1, rwc_d=8)
    assert unit.rwc[2].tolist() == [5, 2, 4, 4, 4, 4, 2, 0]


@pytest.mark.parametrize(
    ("setting", "want"),
    [
        ({"AB_SEC3_SrcAIncr": 8, "AB_SEC3_SrcBIncr": 63}, [9, 2, 2, 4, 5, 6, 3, 0]),
        ({"AB_SEC3_SrcAIncr": 8, "AB_SEC3_SrcACR": 1}, [10, 10, 3, 4, 5, 6, 3, 0]),
        (
            {"AB_SEC3_SrcBIncr": 8, "AB_SEC3_SrcBCR": 1, "AB_SEC3_SrcBClear": 1},
            [1, 2, 0, 0, 5, 6, 3, 0],
        ),
        ({"DST_SEC3_DestIncr": 1020}, [1, 2, 3, 4, 1, 6, 3, 0]),
        ({"DST_SEC3_DestIncr": 8, "DST_SEC3_DestCR": 1}, [1, 2, 3, 4, 14, 14, 3, 0]),
        (
            {"DST_SEC3_DestIncr": 8, "DST_SEC3_DestCR": 1, "DST_SEC3_DestCToCR": 1},
            [1, 2, 3, 4, 13, 13, 3, 0],
        ),
        ({"DST_SEC3_DestClear": 1, "DST_SEC3_DestCToCR": 1}, [1, 2, 3, 4, 0, 0, 3, 0]),
        ({"DST_SEC3_FidelityIncr": 2}, [1, 2, 3, 4, 5, 6, 1, 0]),
        ({"DST_SEC3_FidelityIncr": 2, "DST_SEC3_FidelityClear": 1}, [1, 2, 3, 4, 5, 6, 0, 0]),
    ],
)
def test_address_modifier(setting: dict[str, int], want: list[int]) -> None:
    unit = Unit()
    unit.rwc[1] = [1, 2, 3, 4, 5, 6, 3, 0]
    for name, value in setting.items():
        unit.set(f"ADDR_MOD_{name}", value)
    assert unit.do("MOVB2A", addr_mode=3) == ()
    assert unit.rwc[1].tolist() == want


def test_bias() -> None:
    """With map WH it adds 4 to the modifier's number; with BH it moves, and that is a fault."""
    for profile, want, faults in ((WH, 9, ()), ("baseline", 2, ("bias",))):
        unit = Unit(profile)
        unit.set("ADDR_MOD_AB_SEC1_SrcAIncr", 1)
        unit.set("ADDR_MOD_AB_SEC5_SrcAIncr", 8)
        unit.set("ADDR_MOD_BIAS_SEC1_BiasIncr", 3)
        assert unit.do("ELWADD", addr_mode=1) == faults
        assert unit.rwc[1, [A, BIAS]].tolist() == [1, 1]
        unit.do("GAPOOL", addr_mode=1, pool_addr_mode=1)
        assert unit.rwc[1, A] == want


def test_which_instructions_have_a_modifier() -> None:
    unit = Unit()
    unit.set("ADDR_MOD_AB_SEC0_SrcAIncr", 1)
    unit.src_bank[:] = 1
    for opcode in OPCODES:
        for extra in range(4) if opcode == 0x10 else (0,):
            before = int(unit.rwc[1, A])
            unit.execute(1, opcode << 24 | extra << 19)
            has = opcode in {8, 0xA, 0xB, 0x12, 0x13, 0x26, 0x27, 0x28, 0x30, 0x33, 0x34}
            has |= opcode == 0x10 and extra < 2
            assert unit.rwc[1, A] == (before + has) % 64, hex(opcode)


def test_giving_back() -> None:
    unit = Unit()
    unit.set("CLR_DVALID_SrcB_Disable", 1)
    assert unit.do("ELWADD", clear_dvalid=3) == ()
    assert unit.src_owner.tolist() == [[0, 1], [1, 1]]
    assert unit.matrix_bank.tolist() == [1, 1]
    assert unit.do("CLEARDVALID", clear_dvalid=2, keep=1) == ()  # looks at no switch
    assert unit.src_owner.tolist() == [[0, 1], [1, 0]]
    assert unit.do("CLEARDVALID", clear_dvalid=2, reset=1) == ("release_owner", "dvalid_reset")
    assert unit.matrix_bank.tolist() == [1, 0]
    told = unit.execute(0, isa.encode("SETRWC", clear_dvalid=1))
    assert told.released == ((0, 1),)
    assert unit.matrix_bank.tolist() == [0, 0]


def test_who_waits() -> None:
    m = Machine()
    m.src_owner[:] = [[1, 0], [0, 1]]
    for name, fields, waits in (
        ("MVMUL", {}, True),
        ("MOVA2D", {}, False),
        ("MOVB2A", {}, True),
        ("TRNSPSRCB", {}, True),
        ("MOVD2B", {}, False),
        ("SETRWC", {"clear_dvalid": 3}, False),
    ):
        assert m.would_wait(1, isa.encode(name, **fields)) == waits, name
    m.matrix_bank[:] = 1
    assert m.would_wait(1, isa.encode("GAPOOL")) and not m.would_wait(1, isa.encode("MOVB2A"))
    assert m.matrix.execute(1, isa.encode("MOVD2A", src=3)).faults == ("src_owner",)
    assert m.matrix.execute(1, isa.encode("MOVD2B", src=3)).faults == ()


@pytest.mark.parametrize(
    ("fields", "setting", "want"),
    [
        ({"mode": 0, "dst": 5}, {}, [5 + 512 + 3]),
        ({"mode": 0, "dst": 5}, {"ALU_ACC_CTRL_Fp32_enabled": 1}, [512 + 2 * 8]),  # row 520
        ({"mode": 1, "dst": 2}, {}, range(512 + 32, 512 + 48)),
        (
            {"mode": 1, "dst": 2},
            {"DEST_ACCESS_CFG_zeroacc_absolute_tile_mode": 1},
            range(32, 48),
        ),
        (
            {"mode": 1, "dst": 1, "wide": 1},
            {},
            [*range(512 + 32, 512 + 40), *range(512 + 48, 512 + 56)],
        ),
        ({"mode": 2, "dst": 3}, {}, range(512, 1024)),
        ({"mode": 3}, {}, range(1024)),
    ],
)
def test_zeroacc(fields: dict[str, int], setting: dict[str, int], want: range) -> None:
    unit = Unit()
    unit.set("DEST_TARGET_REG_CFG_MATH_Offset", 512)
    unit.rwc[1, D] = 3
    for name, value in setting.items():
        unit.set(name, value)
    assert unit.do("ZEROACC", **fields) == ()
    assert np.flatnonzero(unit.dst_valid == 0).tolist() == list(want)
    if fields["mode"] == 1:
        unit.do("ZEROACC", undo=1, **fields)
        assert unit.dst_valid.all()
    assert unit.do("ZEROACC", mode=1, dst=0xFF, wide=1, undo=1) == ("zeroacc_range",)


def test_zerosrc() -> None:
    for fields, want in (
        ({"srca": 1}, [0, 1, 1, 1]),
        ({"srca": 1, "matrix_bank": 1}, [1, 0, 1, 1]),
        ({"srcb": 1, "both_banks": 1}, [1, 1, 0, 0]),
        ({"srca": 1, "srcb": 1, "neg_inf": 1}, [0x7FFFF, 1, 0, 1]),
    ):
        unit = Unit()
        unit.src_a[:] = unit.src_b[:] = 1
        unit.matrix_bank[:] = 1
        unit.stale[:] = 1
        assert unit.do("ZEROSRC", **fields) == ()
        banks = [*unit.src_a, *unit.src_b]
        assert [int(bank[0, 0]) for bank in banks] == want
        assert all((bank == bank[0, 0]).all() for bank in banks)
        assert unit.stale.tolist() == [int(value == 1) for value in want[:2]]


def test_faults_of_forms_that_are_not_executed() -> None:
    unit = Unit()
    unit.formats(BF16)
    unit.src_b[:] = src(1.0)
    assert unit.do("MVMUL", bcast_row=1) == ("mvmul_bcast",)
    assert unit.do("GMPOOL") == ("pool_mode",)
    assert unit.do("GAPOOL", pool_addr_mode=1, argmax=1) == ("pool_mode",)
    unit.rwc[1, [A, PHASE]] = 8, 1
    assert unit.do("GAPOOL", pool_addr_mode=1) == ("src_row",)
    assert unit.do("ELWSUB") == ("fidelity",)
    unit.formats(FP16, BF16)
    assert unit.do("ELWMUL") == ("mixed",)
    unit.formats(FP16)
    assert unit.do("GMPOOL", pool_addr_mode=1) == ("pool_format",)
    unit.stale[0] = 1
    assert unit.do("MOVA2D") == ("stale",)
    before = unit.state()
    assert unit.execute(0, 0x29FFFFFF).faults == ("unsupported",)
    assert unit.execute(0, 0x35000003).faults == ()
    assert all((unit.state()[name] == before[name]).all() for name in before)
    assert unit.execute(0, 0x21000000).clears_histograms
    with pytest.raises(ValueError, match="none of the matrix unit's"):
        unit.execute(0, 0x70000000)
    with pytest.raises(ValueError, match="no thread"):
        unit.execute(3, 0x26000000)
