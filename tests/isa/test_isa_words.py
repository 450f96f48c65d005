# SPDX-License-Identifier: Apache-2.0
"""Words whose meaning the specification states, against encoder, decoder and assembler."""

from __future__ import annotations

import pytest

from tilepath import isa

# (word, assembly), both profiles
COMMON = [
    # frontend-config §1 and §6: front end
    (0x01800000, "MOP 1, 0, 0"),
    (0x01030000, "MOP 0, 3, 0"),
    (0x010300FF, "MOP 0, 3, 255"),
    (0x01221234, "MOP 0, 34, 4660"),
    (0x01FFFFFF, "MOP 1, 127, 65535"),
    (0x02000000, "NOP"),
    (0x0300ABCD, "MOP_CFG 43981"),
    (0x04040101, "REPLAY 16, 16, 0, 1"),
    (0x04040103, "REPLAY 16, 16, 1, 1"),
    (0x04040100, "REPLAY 16, 16, 0, 0"),
    (0x04000053, "REPLAY 0, 5, 1, 1"),
    (0x04000050, "REPLAY 0, 5, 0, 0"),
    (0x040000C1, "REPLAY 0, 12, 0, 1"),
    (0x04000060, "REPLAY 0, 6, 0, 0"),
    (0x04018060, "REPLAY 6, 6, 0, 0"),
    (0x04000041, "REPLAY 0, 4, 0, 1"),
    (0x04000043, "REPLAY 0, 4, 1, 1"),
    (0x04070081, "REPLAY 28, 8, 0, 1"),
    (0x04078060, "REPLAY 30, 6, 0, 0"),
    (0x04014000, "REPLAY 5, 0, 0, 0"),
    (0x04078003, "REPLAY 30, 0, 1, 1"),
    (0x04078040, "REPLAY 30, 4, 0, 0"),
    (0x040503F0, "REPLAY 20, 63, 0, 0"),
    (0x04000033, "REPLAY 0, 3, 1, 1"),
    (0x04020020, "REPLAY 8, 2, 0, 0"),
    (0x04010051, "REPLAY 4, 5, 0, 1"),
    (0x04040021, "REPLAY 16, 2, 0, 1"),
    # the configuration words of the unpack programs
    (0xB3FF0000, "RMWCIB0 255, 0, 0"),
    (0xB47F0000, "RMWCIB1 127, 0, 0"),
    (0xB3070001, "RMWCIB0 7, 0, 1"),
    (0xB4800001, "RMWCIB1 128, 0, 1"),
    (0xB5010001, "RMWCIB2 1, 0, 1"),
    (0xB6600001, "RMWCIB3 96, 0, 1"),
    (0xB3010002, "RMWCIB0 1, 0, 2"),
    (0xB8BF834C, "CFGSHIFTMASK 1, 3, 31, 0, 3, 76"),
    (0xB10C007C, "RDCFG 12, 124"),
    (0xB00C007C, "WRCFG 12, 0, 124"),
    (0x5800C312, "ADDDMAREG 0, 12, 12, 18"),
    (0x5A00F3C0, "MULDMAREG 0, 15, 15, 0"),
    (0x5A012966, "MULDMAREG 0, 18, 37, 38"),
    (0xA2400001, "STALLWAIT 128, 1"),
    (0xA2040400, "STALLWAIT 8, 1024"),
    # V11, pack address
    (0x45234518, "SETDMAREG 9029, 0, 24"),
    (0x45800119, "SETDMAREG 32769, 0, 25"),
    (0x45000119, "SETDMAREG 1, 0, 25"),
    (0xA2400009, "STALLWAIT 128, 9"),
    (0xB00C0045, "WRCFG 12, 0, 69"),
    (0x60000000, "DMANOP"),
    # fields of the remaining encodings, computed from the bit positions
    (0xA3F10008, "SEMINIT 15, 1, 2"),
    (0xA4000080, "SEMPOST 32"),
    (0xA5000080, "SEMGET 32"),
    (0xA7203FFA, "STREAMWAIT 64, 1023, 1, 2"),
    (0xB7681CFF, "STREAMWRCFG 3, 259, 1279"),
    (0xA0000000, "ATGETM 0"),
    (0xA1000004, "ATRELM 4"),
    (0x48400305, "REG2FLOP 1, 0, 0, 0, 12, 5"),
    (0x48EB0FC5, "REG2FLOP 3, 2, 2, 3, 63, 5"),
    # words of the programs of which only the opcode is known
    (0x26004000, "MVMUL 0, 0, 1, 0"),
    (0x2640C000, "MVMUL 1, 0, 3, 0"),
    (0x3740000F, "SETRWC 1, 0, 0, 0, 0, 15"),
    (0x7000E000, "SFPLOAD 57344"),
    (0x85009000, "SFPADD 36864"),
    (0x7200E000, "SFPSTORE 57344"),
    (0x38008000, "INCRWC 0, 2, 0, 0"),
    (0x8F000000, "SFPNOP"),
    # math-stand-in §1
    (0x26414000, "MVMUL 1, 0, 5, 0"),
    (0x28180000, "ELWADD 0, 0, 3, 0, 0"),
    (0x1200A000, "MOVA2D 0, 0, 2, 1, 0"),
    (0x1320E800, "MOVB2D 0, 16, 3, 5, 0"),
    (0x10140001, "ZEROACC 2, 1, 0, 0, 1"),
    (0x37CC0003, "SETRWC 3, 3, 0, 0, 0, 3"),
    (0x34098004, "GAPOOL 0, 1, 3, 0, 4"),
    # unpack-adc §1
    (0x428000C1, "UNPACR 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"),
    (0x42208081, "UNPACR 0, 65, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1"),
    (0x420080C1, "UNPACR 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1"),
    (0x5180000B, "SETADCXY 4, 0, 0, 0, 0, 11"),
    (0x5160000B, "SETADCXY 3, 0, 0, 0, 0, 11"),
    (0x5460000F, "SETADCZW 3, 0, 0, 0, 0, 15"),
    (0x5E23FC00, "SETADCXX 1, 255, 0"),
    (0x56200001, "ADDRCRZW 1, 0, 0, 0, 0, 1"),
    (0x50280002, "SETADC 1, 0, 2, 2"),
    (0x52A6D040, "INCADCXY 5, 5, 5, 0, 1, thread_override=1"),
    (0x57000003, "SETDVALID 3"),
    # pack §1
    (0x41000F00, "PACR 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0"),
    (0x41010F00, "PACR 0, 0, 0, 2, 0, 0, 15, 0, 0, 0, 0, 0"),
    (0x41008F01, "PACR 0, 0, 0, 1, 0, 0, 15, 0, 0, 0, 0, 1"),
    (0x41010F02, "PACR 0, 0, 0, 2, 0, 0, 15, 0, 0, 0, 1, 0"),
    (0x41005190, "PACR 0, 0, 0, 0, 2, 1, 1, 1, 1, 0, 0, 0"),
    (0x417FDA9F, "PACR 3, 7, 1, 3, 2, 1, 10, 1, 1, 3, 1, 1"),
    (0x41008001, "PACR 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1"),
    (0x21000000, "CLREXPHIST"),
]

# (word, assembly, profile): encodings that differ
BY_PROFILE = [
    (0x26410000, "MVMUL 1, 0, 2, 0", "baseline,math_enc=WH"),
    (0x10240001, "ZEROACC 1, 0, 1, 0, 1", "baseline,math_enc=WH"),
    (0x43800007, "UNPACR_NOP_SETDVALID 1", "baseline"),
    (0x43000001, "UNPACR_NOP_ZEROSRC 0, 0, 0, 0", "baseline"),
    (0x4300001D, "UNPACR_NOP_ZEROSRC 0, 1, 1, 1", "baseline"),
    (0x43800041, "UNPACR_NOP_ZEROSRC 1, 0, 0, 0, set_dvalid=1", "baseline"),
    (0x43800000, "UNPACR_NOP_OVERLAY_CLEAR 1", "baseline"),
    (0x43000002, "UNPACR_NOP_NOP 0", "baseline"),
    (0x431200A3, "UNPACR_NOP_OVERLAY_CLEAR_STREAM 0, 18, 10", "baseline"),
    (0x43EA7FFC, "UNPACR_NOP_SETREG 1, 1, 42, 2047, 1", "baseline"),
    (0x43000006, "UNPACR_NOP 0, 6", "baseline"),
    (0x43800101, "UNPACR_NOP 1, 0, 0, 1, 0, 0, 0, 0, 1", "blackhole"),
    (0x43EAFFFF, "UNPACR_NOP_POP_STREAM 1, 1, 1, 42, 2047, 1", "blackhole"),
    (0x4A955FAA, "PACR_SETREG 1, 0, 341, 15, 42, 1, 0", "baseline"),
    (0x4A8003AA, "PACR_SETREG 1, 0, 0, 3, 42, 1, 0", "blackhole"),
    (0x4A45F77C, "PACR_SETREG_LOAD 48879, 1", "blackhole"),
]

CASES = [(w, t, p) for w, t in COMMON for p in isa.profiles.names()] + BY_PROFILE

# (word in a RISC-V program, Tensix word): frontend-config §1
ROTATED = [
    (0x06000000, 0x01800000),
    (0x10100404, 0x04040101),
    (0x1000014C, 0x04000053),
    (0x10000140, 0x04000050),
    (0xC8940412, 0xB2250104),
    (0xC898A082, 0xB2262820),
    (0xC89C4482, 0xB2271120),
    (0x4600002D, 0x5180000B),
    (0x5200003D, 0x5480000F),
    (0x98020026, 0xA6008009),
    (0x89000026, 0xA2400009),
    (0xC0300116, 0xB00C0045),
    (0x80000001, 0x60000000),
    (0x88400022, 0xA2100008),
    (0x88800022, 0xA2200008),
    (0x94000022, 0xA5000008),
]

# What the listings of the seed programs say of the rotated words
LISTED = [
    (0xC8940412, "ttsetc16 37, 260"),
    (0xC898A082, "ttsetc16 38, 10272"),
    (0xC89C4482, "ttsetc16 39, 4384"),
    (0x4600002D, "ttsetadcxy 4, 0,0,0,0, 0b1011"),
    (0x5200003D, "ttsetadczw 4, 0,0,0,0, 0b1111"),
    (0x98020026, "ttsemwait 1, 2, 1"),
    (0x89000026, "ttstallwait 128, 9"),
    (0xC0300116, "ttwrcfg 12, 0, 69"),
    (0x80000001, "ttdmanop"),
    (0x06000000, "ttmop 1, 0, 0"),
    (0x88400022, "ttstallwait 32, 8"),
    (0x88800022, "ttstallwait 64, 8"),
    (0x94000022, "ttsemget 2"),
    (0x10100404, "ttreplay 16,16,0,1"),
]


@pytest.mark.parametrize(("word", "text", "profile"), CASES)
def test_word(word: int, text: str, profile: str) -> None:
    assert f"{isa.assemble(text, profile):08X}" == f"{word:08X}"
    assert isa.disassemble(word, profile) == text
    decoded = isa.decode(word, profile)
    assert decoded.mnemonic == text.split()[0]
    assert decoded.ignored == 0
    assert isa.encode(decoded.mnemonic, profile, **decoded.fields) == word


@pytest.mark.parametrize(("code", "word"), ROTATED)
def test_rotation(code: int, word: int) -> None:
    assert isa.to_ttinsn(word) == code
    assert isa.from_ttinsn(code) == word


@pytest.mark.parametrize(("code", "text"), LISTED)
def test_listing(code: int, text: str) -> None:
    assert isa.to_ttinsn(isa.assemble(text)) == code


def test_rotation_limits() -> None:
    assert isa.to_ttinsn(0xBFFFFFFF) == 0xFFFFFFFE
    with pytest.raises(isa.IsaError, match="C0000000 has no ttinsn form"):
        isa.to_ttinsn(0xC0000000)
    with pytest.raises(isa.IsaError, match="two low bits"):
        isa.from_ttinsn(0x00000003)


def test_views_name_parts_of_fields() -> None:
    assert isa.encode("UNPACR", ch1_y_inc=1, ch0_z_inc=1, multi_context=1, last=1) == 0x42208081
    assert isa.decode(0x42208081)["ch1_y_inc"] == 1
    assert isa.decode(0x42208081)["ch0_z_inc"] == 1
    # REG2FLOP to an address counter: Channel, ADCSel, Cr, XYZW (C14)
    assert isa.decode(0x48EB0FC5)["flop_channel"] == 1
    assert isa.decode(0x48EB0FC5)["flop_adc_sel"] == 3
    # SETADC X with an override lies within the value (A2)
    assert isa.decode(isa.assemble("SETADC 1, 0, 0, 0x2FFFF"))["thread_override"] == 2


def test_encodings_that_mean_something_else_elsewhere() -> None:
    """unpack-adc §1.2: the two maps of UNPACR_NOP read the same word differently."""
    assert isa.decode(0x43800007).mnemonic == "UNPACR_NOP_SETDVALID"
    assert isa.decode(0x43800007, "blackhole").mnemonic == "UNPACR_NOP_POP_STREAM"
    assert isa.decode(0x43000009)["both_banks"] == 1
    assert isa.decode(0x43000009, "blackhole")["src_clr_val"] == 2
    assert isa.decode(0x43000011)["wait_like_unpacr"] == 1
    assert isa.decode(0x43000011, "blackhole")["bank_clr"] == 1
