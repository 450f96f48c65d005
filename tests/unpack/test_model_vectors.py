# SPDX-License-Identifier: Apache-2.0
"""The worked vectors 1 to 23 of the specification, values; ``decisions.toml`` has V1 to V8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tilepath.isa import formats
from tilepath.models import format_codes as F
from tilepath.models.unpack.formats import is_wide
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_helpers import load, plain, unpacr


def _numbers(text: str) -> list[int]:
    return [int(number, 16) for number in text.split()]


def _values() -> Iterator[tuple[str, int, int, dict[str, Any], list[tuple[int, int | None, int]]]]:
    for name, code, out, more, *texts in beside(__file__, "vectors")["values"]:
        datums, src, dst = map(_numbers, texts)
        rows = list(zip(datums, src or [None] * len(dst), dst, strict=True))
        yield name, getattr(F, code), getattr(F, out), more, rows


VALUES = list(_values())
"""Number, format read, format written, further fields, and of each datum its bits, Src, Dst."""
CASES = [row[1:] for row in VALUES]
NAMES = [row[0] for row in VALUES]


def fill(state: Any, code: int, data: list[int]) -> None:
    """Datums, packed, lowest bits first, from 0x4010 on."""
    bits = formats.get(code).bits
    packed = sum(datum << bits * k for k, datum in enumerate(data))
    size = -(-len(data) * bits // 8)
    load(state, 0x4010, list(packed.to_bytes(size, "little")))


@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize(("code", "out", "more", "rows"), CASES, ids=NAMES)
def test_values_in_src(code: int, out: int, more: dict[str, Any], rows: Any, unit: int) -> None:
    s = plain(code, out, unit, count=len(rows), force_exponent=1, **more)
    fill(s, code, [row[0] for row in rows])
    effect = s.execute(0, unpacr(unit))
    want = [row[1] for row in rows]
    if want[0] is None:
        assert effect.faults == ("format_src",)
        return
    assert effect.faults == (("bfpa",) if code == F.BFP8A and more["shared_exponent"] != 15 else ())
    assert (s.src_b if unit else s.src_a)[0, 0, : len(rows)].tolist() == want


@pytest.mark.parametrize(("code", "out", "more", "rows"), CASES, ids=NAMES)
def test_values_in_dst(code: int, out: int, more: dict[str, Any], rows: Any) -> None:
    s = plain(code, out, count=len(rows), force_exponent=1, set_ovrd=0, if_sel=1, **more)
    fill(s, code, [row[0] for row in rows])
    effect = s.execute(0, unpacr())
    assert effect.faults == (("bfpa",) if code == F.BFP8A and more["shared_exponent"] != 15 else ())
    words = s.dst[0, : len(rows)].astype(np.uint32)
    if is_wide(out):
        words = words << 16 | s.dst[8, : len(rows)]
    assert words.tolist() == [row[2] for row in rows]
    assert np.flatnonzero(s.dst_valid).tolist() == [0] and s.stale.tolist() == [1, 0]
