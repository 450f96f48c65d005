# SPDX-License-Identifier: Apache-2.0
"""All pairs of formats from L1 through Dst to L1: compared with NumPy, or refused by name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilepath.isa import profiles
from tilepath.models.kernels import TextError, parse, play
from tilepath.sequences.datapath.formats import (
    FLOATS,
    INTEGERS,
    PACKS,
    Way,
    code,
    flags,
    math,
    read_as,
    stride,
    ways,
)
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS
from tilepath.tests.datapath.kernel_numbers import numbers
from tilepath.tests.datapath.plan_numbers import copied


def _text(way: Way, out: str) -> str:
    """The kernel of a way and a format: a head, and what ``formats`` or ``direct`` do."""
    given = {"INT8": "0-100 100", "UINT8": "0 200", "INT16": "0-30000 30000", "INT32": "0-999 999"}
    body = (PROGRAMS / f"{'direct' if way.how == 'direct' else 'formats'}.kernel").read_text()
    head = f"""
const TILES = 1, HALVES = 1, ADD = {int(way.how == "add")}
const L1_IN={code(way.l1)}, SRC={code(way.src)}, MATH={code(math(way))}
const DST={code(read_as(way, out))}, WIDE={int(way.wide)}
const L1_OUT={code(out)}
include "setup.kernel"
tile a[1] {way.l1} 32x32 at 0x10000 = random {given.get(way.l1, "")}
tile out[1] {out} 32x32 at 0x90000
config PCK0_ADDR_CTRL_XY_REG_0_Ystride={stride(way, out)}
"""
    head += "".join(f"config {name}={value}\n" for name, value in flags(way, out).items())
    return head + body.partition('include "setup.kernel"\n')[2].replace("expect out = a\n", "")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("way", ways(), ids=lambda way: "-".join(way))
def test_a_way_to_dst_and_all_ways_from_there(way: Way, profile: str) -> None:
    file = str(PROGRAMS / "generated.kernel")
    for out in (*FLOATS, *INTEGERS):
        if out == "E4M3" and not profiles.get(profile).pack_e4m3:
            continue
        try:
            kernel = parse(_text(way, out), file, profile)
        except TextError as error:
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
        a, found = (numbers(kernel, verdict.machine.l1, name) for name in ("a", "out"))
        np.testing.assert_array_equal(found, copied(a, way, out), err_msg=out)


def test_unpackers_refuse_the_other_pairs() -> None:
    file = str(PROGRAMS / "generated.kernel")
    allowed = {(way.l1, way.src) for way in ways()}
    codes = [name for name in (*FLOATS, *INTEGERS) if name not in ("E4M3", "UINT8")]
    for l1 in codes:
        for src in codes:
            if (l1, src) in allowed:
                assert l1 == src or l1 == "FP32"
                continue
            with pytest.raises(TextError, match=f"unpacker 0 does not take {l1} to {src}"):
                parse(_text(Way(l1, src, "BF16", "move"), "BF16"), file)
    for name in ("FP32", "TF32", "INT32"):  # to Dst only
        verdict = play(parse(_text(Way(name, name, "BF16", "move"), "BF16"), file))
        assert {fault.name for fault in verdict.machine.faults} == {"format_src"}
