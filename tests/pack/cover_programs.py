# SPDX-License-Identifier: Apache-2.0
"""Programs that the tests of the coverpoints play."""

from __future__ import annotations

from collections.abc import Sequence

from tilepath.models.format_codes import BF16, FP16, FP32, INT8, INT32
from tilepath.tests.pack.model_helpers import word
from tilepath.tests.pack.pack_cover import Program

BH = "blackhole"
ADDR_MOD = 37


def bf16(*numbers: int) -> list[int]:
    """BF16 numbers as storage has them."""
    return [n & 0x8000 | (n & 0x7F) << 8 | n >> 7 & 0xFF for n in numbers]


def fp32(*numbers: int) -> list[int]:
    """FP32 and INT32 likewise."""
    return [bf16(n >> 16)[0] << 16 | n & 0xFFFF for n in numbers]


def fp16(*numbers: int) -> list[int]:
    """FP16 likewise."""
    return [n & 0x8000 | (n & 0x3FF) << 5 | n >> 10 & 0x1F for n in numbers]


def packs(
    values: Sequence[int] = (), count: int = 16, *, profile: str = "baseline", mask: int = 1,
    last: int = 1, pacr: dict[str, int] | None = None, **fields: int,
) -> Program:  # fmt: skip
    """One PACR of ``count`` datums; ``fields``: settings of packer 0."""
    program = Program(profile, **fields)
    program.dst(values, wide=fields.get("r32", 0) == 1).datums(count)
    return program.issue(word(mask, last, **pacr or {}))


def formats(code: int, **fields: int) -> dict[str, int]:
    """IF, FROM and TO."""
    return {"inner": code, "from_": code, "to": code} | fields


ONE, TWO = 0x3F80, 0x4000
WIDE = formats(FP32, r32=1)
ROUNDS = formats(BF16, r32=1)
RAW = formats(BF16, raw=1)
HALF = formats(FP16)
HALF_RAW = formats(FP16, raw=1)
INT = formats(INT32, r32=1)
BYTE = formats(INT8, r32=1)
SUM16 = {"acc": 1, "plain": 1}
COMPRESS = {"plain": 0, "row_size": 4}


def summed(old: int, values: Sequence[int], **fields: int) -> Program:
    """One line of datums added to words of L1, all ``old``."""
    program = Program(**{"acc": 1, "l1": 0x100} | fields)
    program.l1(0x100, *[old] * 16).dst(values, wide=fields.get("r32", 0) == 1)
    return program.datums(len(values)).issue(word())


def several(*words: int, gap: int = 100, count: int = 16, **fields: int) -> Program:
    """PACRs one after the other, of datums 1.0."""
    program = Program(**fields)
    program.dst(bf16(*[ONE] * 256)).datums(count)
    for some in words:
        program.issue(some, gap=gap)
    return program


def changed(before: dict[str, int], after: dict[str, int], values: Sequence[int]) -> Program:
    """A tile of which seven datums are packed, and some more with other settings."""
    return packs(values, 7, last=0, **before).config(**after).issue(word())


def left(to: int) -> Program:
    """A tile of packer 1 whose TO an instruction of packer 0 changes, and a SETREG ends."""
    program = Program().config(1, from_=5, to=5).dst(bf16(*[ONE] * 16)).datums(7)
    program.issue(word(2, last=0)).config(1, to=to).issue(word())
    return program.issue(0x4A800202)


def counters(addr_mod: int, old: dict[str, int], **pacr: int) -> Program:
    """A PACR that moves counters; ``old``: of SETADC, by place in XYZW."""
    program = packs([ONE])
    program.thread_word(0, ADDR_MOD + 1, addr_mod)
    for name, value in old.items():
        program.counter("SETADC", channel=int(name[1]), xyzw="xyzw".index(name[0]), value=value)
    return program.issue(word(addr_mode=1, **pacr))


def setreg(profile: str = "baseline", is_open: int = 0, **fields: int) -> Program:
    """A PACR and a PACR_SETREG."""
    program = packs([ONE], profile=profile, last=1 - is_open)
    program.add("setreg_base", 0, 0x3FF, 1, 2, 3, 4)
    return program.issue(0x4A000000 | fields["bits"])


def banked() -> Program:
    """A PACR of bank 1, which is another than bank 0."""
    program = packs([ONE])
    program.state.config[1, 17] = 5
    program.write()
    return program.thread_word(0, 0, 1).issue(word())


def of_four(**fields: int) -> Program:
    """A PACR of all packers, each with these settings."""
    program = Program()
    for packer in range(4):
        program.config(packer, **{"from_": 5, "to": 5} | fields)
    return program.dst(bf16(*[ONE] * 16)).issue(word(15))


def levels(first: int, length: int, latency: int = 4, **fields: int) -> Program:
    """L1 is not ready for ``length`` cycles from ``first`` behind the issue on."""
    program = Program(**fields)
    program.dst(bf16(*[ONE] * 64)).datums(64)
    program.add("l1_ready", program.cycle + first, 0)
    program.add("l1_ready", program.cycle + first + length, 15)
    program.add("l1_latency", program.cycle, latency)
    return program.issue(word())


def histogram(behind: int) -> Program:
    """A clear, ``behind`` cycles behind the grant of a row."""
    program = packs([ONE])
    return program.add("hist", program.cycle - 200 + 10 + behind, 1, 0, 0)


def inputs() -> Program:
    """A record of each other input."""
    program = Program()
    mask, data = (0xFFFF, 0, *(0,) * 7), (0,) * 72
    program.now("dst_write", 1023, 2, mask, data).now("dst_zero", 0, 1)
    program.now("hist", 0, 6, 2).now("offset", 1, 0xFFFF).now("t1.setc16", 45, 1)
    program.now("cfg", 2, 200, 1, (0, 0, 0, 0)).now("l1_write", 0x1FFFC, (0,) * 16)
    return program


def conflict() -> Program:
    """Two packers want rows of one bank."""
    program = Program()
    program.config(1, dst_offset=17, from_=5, to=5)
    return program.issue(word(3))


def contended() -> Program:
    """The Matrix Unit gets row 0 with the packer, then one of row 1's bank; row 1 is written."""
    program = Program()
    program.dst(bf16(*[ONE] * 64)).datums(64)
    for cycle, row in ((10, 0), (11, 16)):
        program.add("dst_read", program.cycle + cycle, row, 0)
    for cycle in (11, 12):
        program.add("dst_write", program.cycle + cycle, 1, 1, (0,) * 9, (0,) * 72)
    return program.issue(word())


def source() -> Program:
    """Packer 0 reads L1."""
    program = Program(source=1, source_addr=0, base0=0x400)
    return program.l1(0x40, 0x3F803F80).issue(word())


def met() -> Program:
    """A PACR moves a counter that a word sets in the same cycle."""
    program = Program(gap=1)
    program.thread_word(0, ADDR_MOD, 1)
    program.issue(word())
    return program.counter("SETADC", channel=0, xyzw=1, value=9)


def stored() -> Program:
    """A write of REG2FLOP alone; a core's store beside a SETC16 to the same word."""
    program = packs([ONE]).now("flop", 0, 150, 0, (0,) * 4)
    return program.add("t1.setc16", program.cycle, 60, 1).now("store", 1, 60, 2)
