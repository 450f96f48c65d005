# SPDX-License-Identifier: Apache-2.0
"""All pairs of formats from L1 through Dst to L1: compared with NumPy, or refused by name."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.models.kernels import KernelError, parse, play
from tilepath.tests.datapath.kernel_numbers import HEADER, Array
from tilepath.tests.datapath.test_kernels import PROFILES, PROGRAMS

Numbers = npt.NDArray[np.float64]

E8 = ("BF16", "BFP8", "BFP4", "BFP2")
E5 = ("FP16", "FP8", "E4M3", "BFP8A", "BFP4A", "BFP2A")
FLOATS = ("FP32", "TF32", *E8, *E5)
INTEGERS = ("INT32", "INT16", "INT8", "UINT8")
# What a Dst can be packed to.
PACKS = {
    **dict.fromkeys(("FP32", "TF32", "BF16", "FP16"), FLOATS),
    "INT32": ("INT32", "INT8", "UINT8"),
    "INT16": ("INT16",),
    "INT8": (),  # in rows of 16 bits no packer reads it
}
BLOCKS = {"BFP8": 8, "BFP4": 4, "BFP2": 2}
MANTISSA = {"TF32": 10, "BF16": 7, "FP16": 10, "FP8": 2, "E4M3": 3}
CODES = {"E4M3": "FP8", "UINT8": "INT8"}  # of names that a field of its own chooses


class Way(NamedTuple):
    """From L1 to Dst: by an unpacker's format to Src and on by ELWADD or MOVA2D, or past them."""

    l1: str
    src: str
    dst: str
    how: str  # add, move, direct


def _ways() -> list[Way]:
    found = [
        Way(name, name, dst, how)
        for names, half in ((E8, "BF16"), (E5, "FP16"))
        for name in names
        for dst, how in ((half, "move"), ("FP32", "add"), (half, "direct"))
    ]
    for src in ("TF32", "BF16", "FP16"):
        half = "FP16" if src == "FP16" else "BF16"
        found += [Way("FP32", src, dst, "add") for dst in (half, "FP32")]
        found += [Way("FP32", src, "FP32" if src == "TF32" else src, "direct")]
    found += [Way(name, name, "FP32", "direct") for name in ("FP32", "TF32")]
    found += [Way(name, name, "INT32", "add") for name in ("INT8", "UINT8")]
    found += [Way("INT16", "INT16", "INT16", how) for how in ("move", "direct")]
    found += [Way(name, name, name, "direct") for name in ("INT32", "INT8")]
    return found


def _code(name: str) -> str:
    return f"FMT_{CODES.get(name, name)}"


def _text(way: Way, out: str) -> str:
    """The kernel of a way and a format: a head, and what ``formats`` or ``direct`` do."""
    read = way.dst
    if read == "INT32" and out in ("INT8", "UINT8"):
        read = "INT8"
    if read == "FP32" and out == "TF32":
        read = "TF32"
    classes = {"TF32": "TF32", "INT16": "INT16", "INT8": "INT8", "UINT8": "INT8"}
    math = classes.get(way.src, "FP16" if way.src in E5 else "BF16")
    given = {"INT8": "0-100 100", "UINT8": "0 200", "INT16": "0-30000 30000", "INT32": "0-999 999"}
    wide = int(way.dst in ("FP32", "INT32"))
    body = (PROGRAMS / f"{'direct' if way.how == 'direct' else 'formats'}.kernel").read_text()
    flags = {
        "THCON_SEC0_REG1_Unp_LF8_4b_exp": way.l1 == "E4M3",
        "THCON_SEC0_REG1_Pac_LF8_4b_exp": out == "E4M3",
        "ALU_FORMAT_SPEC_REG0_SrcAUnsigned": way.l1 == "UINT8",
        "PCK_DEST_RD_CTRL_Read_unsigned": out == "UINT8",
        "ALU_ACC_CTRL_INT8_math_enabled": math == "INT8" and way.how == "add",
        "ALU_ACC_CTRL_Zero_Flag_disabled_src": way.l1 == "INT16",
    }
    head = f"""
const TILES = 1, HALVES = 1, ADD = {int(way.how == "add")}
const L1_IN={_code(way.l1)}, SRC={_code(way.src)}, MATH=FMT_{math}, DST=FMT_{read}, WIDE={wide}
const L1_OUT={_code(out)}
include "setup.kernel"
tile a[1] {way.l1} 32x32 at 0x10000 = random {given.get(way.l1, "")}
tile out[1] {out} 32x32 at 0x90000
config PCK0_ADDR_CTRL_XY_REG_0_Ystride=16 * ({1 if read == "INT8" else 2 + 2 * wide})
"""
    head += "".join(f"config {name}={int(value)}\n" for name, value in flags.items())
    return head + body.partition('include "setup.kernel"\n')[2].replace("expect out = a\n", "")


def _decoded(data: Array, name: str) -> Numbers:
    """The numbers in a tile's bytes behind the header, in the order of L1."""
    if name in INTEGERS:
        kind = {"INT32": "<u4", "INT16": "<u2"}.get(name, "u1")
        raw = data.view(kind).astype(np.int64)
        top = np.int64(0 if name == "UINT8" else 1 << 8 * np.dtype(kind).itemsize - 1)
        return np.where(raw & top, -(raw & ~top), raw & ~top).astype(np.float64)
    if name.rstrip("A") in BLOCKS:
        bits = BLOCKS[name.rstrip("A")]
        raw = (data[64:, None] >> np.arange(0, 8, bits)).reshape(-1) & (1 << bits) - 1
        size = (raw & (1 << bits - 1) - 1) * 2.0 ** (2 - bits)
        power = np.repeat(data[:64].astype(float), 16) - (15 if name.endswith("A") else 127)
        return np.where(raw >> bits - 1, -size, size) * np.exp2(power)
    if name in ("FP32", "TF32"):
        return data.view("<f4").astype(np.float64)
    if name == "BF16":
        return (data.view("<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if name == "E4M3":
        power, rest = (data >> 3 & 15).astype(float), data & 7
        size = np.where(power > 0, (1 + rest / 8) * np.exp2(power - 7), 0)
        return np.where(data >> 7, -size, size)
    half = data.view("<u2") if name == "FP16" else data.astype(np.uint16) << 8
    return half.view(np.float16).astype(np.float64)


def _cut(numbers: Numbers, bits: int, up: float = 0) -> Numbers:
    """To so many bits of mantissa: towards 0, or with ``up`` 1/2 to the nearest."""
    part, power = np.frexp(np.abs(numbers))
    return np.copysign(np.floor(part * 2.0 ** (bits + 1) + up), numbers) * np.exp2(
        power - bits - 1.0
    )


def _packed(numbers: Numbers, out: str, dst: str) -> Numbers:
    """What a packer makes of numbers that are in Dst."""
    if out in INTEGERS:
        low, high = {"INT8": (-127, 127), "UINT8": (0, 255)}.get(out, (-np.inf, np.inf))
        return np.clip(numbers, low, high)
    if out.rstrip("A") in BLOCKS:
        groups = _cut(numbers, 7).reshape(-1, 16)
        unit = np.exp2(np.frexp(np.abs(groups).max(axis=1, keepdims=True))[1] - 7.0)
        seven = np.minimum(np.floor(np.abs(groups) / unit + 0.5), 127)
        step = 2.0 ** (8 - BLOCKS[out.rstrip("A")])
        return np.copysign(np.floor(seven / step) * step * unit, groups).reshape(-1)
    cut = _cut(numbers, MANTISSA.get(out, 23), 0.5 if out == "TF32" and dst == "FP32" else 0)
    return np.where(np.abs(cut) < 2.0**-6, 0, cut) if out == "E4M3" else cut


def _wanted(numbers: Numbers, way: Way, out: str) -> Numbers:
    if way.l1 == "FP32" and way[1:] != ("TF32", "FP32", "direct"):  # there it is 32 bits (U36)
        numbers = _cut(numbers, MANTISSA.get(way.src, 23))
    if way.how == "add" and way.dst == "BF16":
        numbers = _cut(numbers, 7, 0.5)  # math rounds
    return _packed(numbers, out, way.dst)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("way", _ways(), ids=lambda way: "-".join(way))
def test_a_way_to_dst_and_all_ways_from_there(way: Way, profile: str) -> None:
    file = str(PROGRAMS / "generated.kernel")
    for out in (*FLOATS, *INTEGERS):
        try:
            kernel = parse(_text(way, out), file, profile)
        except KernelError as error:
            assert out not in PACKS[way.dst], error
            assert re.search(r"packer 0 does not take \w+ to \w+", str(error)), error
            continue
        verdict = play(kernel)
        assert verdict.run.end == "done" and verdict.machine.events == []
        if out not in PACKS[way.dst]:
            names = {fault.name for fault in verdict.machine.faults}
            assert names & {"early", "pair_if", "pair_late", "late_tf32"}, (out, names)
            continue
        assert verdict.failed == [], out
        a, found = (
            _decoded(np.asarray(verdict.machine.l1)[tile.at + HEADER : tile.end], name)
            for tile, name in ((kernel.tiles["a"], way.l1), (kernel.tiles["out"], out))
        )
        np.testing.assert_array_equal(found, _wanted(a, way, out), err_msg=out)


def test_unpackers_refuse_the_other_pairs() -> None:
    file = str(PROGRAMS / "generated.kernel")
    allowed = {(way.l1, way.src) for way in _ways()}
    codes = [name for name in (*FLOATS, *INTEGERS) if name not in CODES]
    for l1 in codes:
        for src in codes:
            if (l1, src) in allowed:
                assert l1 == src or l1 == "FP32"
                continue
            with pytest.raises(KernelError, match=f"unpacker 0 does not take {l1} to {src}"):
                parse(_text(Way(l1, src, "BF16", "move"), "BF16"), file)
    for name in ("FP32", "TF32", "INT32"):  # to Dst only
        verdict = play(parse(_text(Way(name, name, "BF16", "move"), "BF16"), file))
        assert {fault.name for fault in verdict.machine.faults} == {"format_src"}
