# SPDX-License-Identifier: Apache-2.0
"""The decisions on the config unit and the scalar unit, C1 to C7, C14, C15, C18, and the ports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilepath import isa
from tilepath.tests.control.model_helpers import (
    NOP,
    Records,
    control_run,
    faults,
    issues,
    origin,
    reader,
    rows,
    set_gpr,
    setc16,
)

SCRATCH, OLD = 0x12345678, 0xDEADBEEF
# (mask width - 1, rotation, mode): results of Alu 0 to 7
_TABLE = {
    (7, 4, 0): "8EADBEE7 00000000 8EADBEE7 8EADBEE7 7FFFFFF8 0EADBEE0 71524118 8EADBED9",
    (7, 4, 1): "DEADBEEF 80000007 5EADBEE8 5EADBEF6 FFFFFFFF 5EADBEE8 A1524117 5EADBEE8",
    (31, 0, 0): "12345678 00000000 12345678 12345678 EDCBA987 00000000 EDCBA987 EDCBA988",
    (31, 0, 1): "DEBDFEFF 12241668 CC99E897 F0E21567 FFEFBFEF CC89A887 33661768 CC796877",
    (0, 1, 0): "5EADBEEF 00000000 5EADBEEF 5EADBEEF FFFFFFFF 5EADBEEF A1524110 5EADBEEF",
    (31, 31, 1): "FEEDBEFF 0428ACE0 FAC5121F 03166BDF DFBFFFEF DA85120F 053AEDE0 BA4511FF",
    (17, 20, 0): "C5678EEF 00000000 C5678EEF C5678EEF FA987FFF C0000EEF 3A987110 BA988EEF",
    (17, 20, 1): "DFEFBEEF 04258000 DBCA3EEF E4153EEF FEBDFFFF DA883EEF 2435C110 D9463EEF",
}
# LLK's tilize word: scratch 40 (hex), old FFFFFFF0, thread of the scratch register
LLK_WORD, LLK_SCRATCH, LLK_OLD, LLK_NEW = 0xB8BF834C, 0x40, 0xFFFFFFF0, 0x30


def shift_masks(scratch: int, index: int) -> Iterator[tuple[int, int]]:
    """Word, with this scratch selector and configuration index, and its result: 64 pairs."""
    for (width, amount, mode), results in _TABLE.items():
        for alu, result in enumerate(results.split()):
            word = isa.encode(
                "CFGSHIFTMASK",
                mask_mode=mode,
                alu=alu,
                mask_width=width,
                rotate=amount,
                scratch=scratch,
                cfg_index=index,
            )
            yield word, int(result, 16)


enc = isa.encode
ONES = 0xFFFFFFFF


def written(out: dict[str, Records]) -> list[tuple[int, ...]]:
    """banks, index, first word of each write that is not a core's."""
    return [row[1:] for row in rows(out["config_write"], "source", "banks", "index", "data0")
            if row[0] < 3]  # fmt: skip


@pytest.mark.parametrize("bank", [0, 1])
@pytest.mark.parametrize("thread", [0, 1, 2])
def test_c1_to_c5_shift_mask_vectors(thread: int, bank: int) -> None:
    """All 64, with the scratch register by number and by thread."""
    pairs = [*shift_masks(thread, 100), *shift_masks(3, 100)]
    risc = [(0, 1, 209 + thread, SCRATCH)]
    risc += [(20 + 10 * n, 1, 224 * bank + 100, OLD) for n in range(len(pairs))]
    program = [setc16(0, bank), *((25 + 10 * n, word) for n, (word, _) in enumerate(pairs))]
    programs: list[list[int | tuple[int, int]]] = [[], [], []]
    programs[thread] = program
    out = control_run(*programs, cycles=2000, risc=risc)
    assert written(out) == [(1 << bank, 100, result) for _, result in pairs]
    assert set(out["config_write"]["source"].tolist()) == {thread, 3}


def test_c1_to_c5_llk_word_and_scratch_as_target() -> None:
    double = enc("CFGSHIFTMASK", mask_mode=1, alu=3, mask_width=31, scratch=2, cfg_index=210)
    out = control_run(
        [], [(20, LLK_WORD), double], risc=[(0, 1, 210, LLK_SCRATCH), (5, 1, 76, LLK_OLD)]
    )
    assert written(out) == [(1, 76, LLK_NEW), (3, 210, LLK_SCRATCH)]


@pytest.mark.parametrize("limit", [224, 255])
@pytest.mark.parametrize(
    "name", ["WRCFG", "RDCFG", "STREAMWRCFG", "CFGSHIFTMASK", "RMWCIB0", "RMWCIB3"]
)
def test_c6_beyond_the_end(name: str, limit: int) -> None:
    """Dropped, or read as 0; through the pipeline all the same; the last word is within."""
    index = limit if "RMW" in name or "MASK" in name else limit * 8
    fields = {"gpr": 1} if name in ("WRCFG", "RDCFG") else {}
    word, last = enc(name, cfg_index=index, **fields), enc(name, cfg_index=223, **fields)
    out = control_run([*set_gpr(1, 9), (10, word), (20, last)])
    assert faults(out) == [(10, "cfg_oob")]
    assert rows(out["sticky"], "cycle", "cfg_oob", "origin") == [(11, 1, origin("t0.offer", 2))]
    assert len(out["config_write"]) == (name != "RDCFG")
    assert rows(out["t0.rdcfg"], "data") == [(0,)] * 2 * (name == "RDCFG")
    stages = [row for row in rows(out["config_pipe"], "cycle", "stages") if row[0] < 20]
    again = [row for row in rows(out["config_pipe"], "cycle", "stages") if row[0] > 20]
    assert stages == [(cycle - 10, stage) for cycle, stage in again]


def test_c6_setc16_and_reg2flop() -> None:
    out = control_run([setc16(68, 1), setc16(255, 1), setc16(67, 1)])
    assert faults(out) == [(0, "cfg_oob"), (1, "cfg_oob")]
    assert rows(out["t0.setc16"], "cycle", "index") == [(3, 67)]
    flops = [enc("REG2FLOP", size=1, flop=n) for n in (115, 116, 128 + 116, 127)]
    out = control_run(flops)
    assert faults(out) == [(2, "cfg_oob"), (4, "cfg_oob"), (6, "cfg_oob")]
    assert rows(out["flop_write"], "index") == [(179,)]
    assert rows(out["sticky"], "cycle") == [(3,)]


def test_c7_words_without_a_name_hold_32_bits() -> None:
    risc = [(2 * n, 1, n, ONES) for n in range(224)]
    risc += [(448 + 2 * n, 0, n, 0) for n in range(224)]
    out = control_run(cycles=1000, risc=risc)
    data = out["risc_done"]["data"]
    assert set(data[:224].tolist()) == {0}
    assert [n for n in range(224) if data[224 + n] != ONES] == [4]


@pytest.mark.parametrize(
    ("size", "offset", "value", "fault"),
    [
        (1, 0, 0x3BBAA, False),
        (1, 1, 0, True),
        (1, 2, 0, True),
        (1, 3, 0, True),
        (2, 0, 0xBBAA, False),
        (2, 1, 0, True),
        (2, 2, 0xDDC3, False),
        (2, 3, 0, True),
        (3, 0, 0xAA, False),
        (3, 1, 0xBB, False),
        (3, 2, 0xC3, False),
        (3, 3, 0xDD, False),
        (0, 0, 0, True),
    ],
)
def test_c14_sizes_to_a_counter(size: int, offset: int, value: int, fault: bool) -> None:
    fields = {"size": size, "byte_ofs": offset, "gpr": 5, "flop": 0b1_01_1_10}
    own = enc("REG2FLOP", target=2, ctx=3, **fields)
    other = enc("REG2FLOP", target=3, ctx=2, **fields)
    out = control_run([], [*set_gpr(5, 0xDDC3BBAA), (10, own), other, NOP])
    assert issues(out, 1)[2:] == [10, 12, 14]
    assert [tuple(row)[:-1] for row in out["flop_adc"].tolist()] == [
        (12, 1, 1, 1, 2, 1, value & 0x3FFFF),
        (14, 2, 1, 1, 2, 1, value & 0x3FFFF),
    ]
    assert faults(out, 1) == [(10, "flop_size"), (12, "flop_size")] * fault
    assert not len(out["flop_write"])


@pytest.mark.parametrize(
    ("target", "ctx", "select", "names"),
    [
        (2, 3, 3, ["flop_target"]),
        (3, 3, 0, ["flop_target"]),
        (3, 0, 3, ["flop_target"]),
        (1, 3, 3, []),
    ],
)
def test_c14_no_counter(target: int, ctx: int, select: int, names: list[str]) -> None:
    word = enc("REG2FLOP", size=1, target=target, ctx=ctx, flop=select << 3)
    out = control_run([(10, word), NOP])
    assert issues(out) == [10, 12]
    assert not len(out["flop_adc"]) and not len(out["flop_write"])
    assert faults(out) == [(10, name) for name in names]


def test_c14_configuration_has_two_sizes() -> None:
    """128 bits, else 32 whatever the size; the offset is ignored."""
    program = [word for n in range(4) for word in set_gpr(n, 10 + n)]
    program += [enc("REG2FLOP", size=n, byte_ofs=3, flop=2, gpr=3) for n in range(4)]
    out = control_run(program)
    fields = ("thread", "bank", "index", "quad", "data0", "data1", "data2", "data3")
    quad, single = (0, 0, 64, 1, 10, 11, 12, 13), (0, 0, 66, 0, 13, 0, 0, 0)
    assert rows(out["flop_write"], *fields) == [quad, single, single, single]
    assert faults(out) == []


def test_reg2flop_takes_the_bank_of_the_cycle_of_the_write() -> None:
    """While it is delayed, a core may change StateID."""
    flop = enc("REG2FLOP", size=1, flop=3)
    for cycle, bank in ((10, 1), (11, 0)):
        out = control_run([(10, flop)], risc=[(cycle, 1, 672, 1)])
        assert rows(out["risc_done"], "cycle") == [(cycle + 1,)]
        assert rows(out["flop_write"], "cycle", "bank") == [(12, bank)]


def test_state_id_is_sampled_on_entry() -> None:
    """SETC16 right before is in time, right behind is too late."""
    for word, index in ((enc("WRCFG", cfg_index=9), 9), (enc("STREAMWRCFG", cfg_index=8), 8)):
        out = control_run([setc16(0, 1), word, setc16(0, 0), word, setc16(0, 1)])
        assert rows(out["config_write"], "banks", "index") == [(2, index), (1, index)]


def test_bank_sel_of_streamwrcfg_is_sampled_on_entry() -> None:
    """Not when it leaves the prepare phase."""
    word = enc("STREAMWRCFG", stream_sel=1, reg_index=5, cfg_index=9)
    out = control_run(
        [setc16(60, 7), word, setc16(60, 8)],
        stream_write=[(0, 7, 5, 77), (1, 8, 5, 88)],
        stream_busy=[(0, 1), (12, 0)],
    )
    assert rows(out["config_write"], "cycle", "data0") == [(16, 77)]


def test_c15_both_indices_are_aligned() -> None:
    program = [word for n in range(8) for word in set_gpr(n, n)]
    out = control_run([*program, enc("WRCFG", gpr=7, is128=1, cfg_index=223), reader(222)])
    fields = ("banks", "index", "quad", "data0", "data1", "data2", "data3")
    assert rows(out["config_write"], *fields) == [(3, 220, 1, 4, 5, 6, 7)]


@pytest.mark.parametrize("bank", [0, 1])
def test_c18_only_rmwcib_writes_word_4(bank: int) -> None:
    dropped = [
        enc("WRCFG", cfg_index=4),
        enc("WRCFG", is128=1, cfg_index=6),
        enc("CFGSHIFTMASK", alu=4, cfg_index=4),
        enc("STREAMWRCFG", cfg_index=4),
    ]
    program = [(0, setc16(0, bank)), *((10 + 10 * n, word) for n, word in enumerate(dropped))]
    kept = [enc("RMWCIB0", mask=255, data=1, cfg_index=4), enc("RDCFG", gpr=2, cfg_index=4)]
    out = control_run(
        [*program, *((60 + 2 * n, word) for n, word in enumerate(kept))],
        risc=[(5, 1, 224 * bank + 4, 1), (55, 1, 452, 1), (65, 0, 224 * bank + 4, 0)],
    )
    assert faults(out) == [(10 + 10 * n, "state_reset") for n in range(4)]
    assert rows(out["risc_fault"], "cycle", "cfg_oob", "state_reset") == [(6, 0, 1), (56, 0, 1)]
    assert written(out) == [(1 << bank, 4, 1)] and len(out["config_write"]) == 1
    assert rows(out["t0.rdcfg"], "data") == [(1,)]
    assert out["risc_done"]["data"].tolist() == [0, 0, 1]
    assert not len(out["sticky"])


def test_risc_addresses() -> None:
    accesses = [
        (1, 5, 105),
        (1, 224 + 5, 205),
        (1, 448 + 6, 306),
        (1, 200, 9),
        (1, 224 + 201, 8),
        (1, 672 + 68 + 3, 0xABCD1234),
        (1, 672 + 2 * 68 + 67, 7),
        (1, 876, 1),
        (0, 1023, 0),
        (0, 448 + 5, 0),
        (0, 448 + 200, 0),
        (0, 224 + 6, 0),
        (0, 672 + 68 + 3, 0),
    ]
    out = control_run(risc=[(10 + 2 * n, *access) for n, access in enumerate(accesses)])
    assert rows(out["config_write"], "source", "banks", "index", "data0") == [
        (3, 1, 5, 105),
        (3, 2, 5, 205),
        (3, 3, 6, 306),
        (3, 3, 200, 9),
        (3, 3, 201, 8),
    ]
    assert rows(out["risc_thread_write"], "thread", "index", "data") == [(1, 3, 0x1234), (2, 67, 7)]
    assert rows(out["risc_done"], "cycle", "data") == [
        *((11 + 2 * n, 0) for n in range(9)),
        (29, 105),
        (31, 9),
        (33, 306),
        (35, 0x1234),
    ]
    assert rows(out["risc_fault"], "cycle", "cfg_oob", "state_reset") == [(25, 1, 0), (27, 1, 0)]
    assert rows(out["sticky"], "cycle", "origin") == [(26, origin("risc", 7))]
    assert rows(out["config_pipe"], "cycle", "stages")[:2] == [(11, 64), (12, 0)]


def test_setc16_stays_over_a_core_in_the_same_cycle() -> None:
    out = control_run([(10, setc16(3, 1)), reader(259)], risc=[(10, 1, 675, 2)])
    assert rows(out["risc_thread_write"], "cycle", "data") == [(11, 2)]
    assert rows(out["t0.setc16"], "cycle", "data") == [(11, 1)]
    assert rows(out["view_unpack0"], "cycle", "data") == [(12, 1)]


def test_scalar_write_stays_over_rdcfg_in_the_same_cycle() -> None:
    """RDCFG and, one cycle later, SETDMAREG write in the same cycle."""
    byte = enc("RMWCIB1", mask=255, data=0x77, cfg_index=9)
    top = enc("RMWCIB3", mask=255, data=0x66, cfg_index=9)
    read = enc("RDCFG", gpr=1, cfg_index=9)
    low = enc("SETDMAREG", value=0x1234, half_reg=2)
    out = control_run([byte, top, (10, read), low, (20, enc("WRCFG", gpr=1, cfg_index=10))])
    assert rows(out["t0.rdcfg"], "cycle", "data") == [(12, 0x66007700)]
    assert rows(out["t0.gpr"], "cycle", "data") == [(12, 0x1234)]
    assert written(out)[-1] == (1, 10, 0x66001234)


def test_views() -> None:
    """Any thread, both spaces, own bank; 0 beyond the end; the three units with a view."""
    risc = [(0, 1, 7, 70), (2, 1, 224 + 7, 71), (4, 1, 672 + 68 + 9, 99)]
    out = control_run(
        [(20, reader(7)), (30, reader(224))],
        [setc16(0, 1), (21, reader(7)), 0x41000000 | 265, 0x42800000 | 324, 0x43000000 | 255],
        risc=risc,
    )
    fields = ("cycle", "thread", "index", "data")
    assert rows(out["view_unpack0"], *fields) == [
        (21, 0, 7, 70),
        (22, 1, 7, 71),
        (25, 1, 255, 0),
        (31, 0, 224, 0),
    ]
    assert rows(out["view_pack"], *fields) == [(23, 1, 265, 99)]
    assert rows(out["view_unpack1"], *fields) == [(24, 1, 324, 0)]


def test_setdmareg_mode_1() -> None:
    out = control_run([(10, enc("SETDMAREG", value=9, mode=1, half_reg=3)), NOP])
    assert faults(out) == [(10, "unsupported")]
    assert issues(out) == [10, 11] and not len(out["t0.gpr"])
    assert rows(out["scalar"], "cycle", "busy") == [(11, 1), (12, 0)]
