# SPDX-License-Identifier: Apache-2.0
"""The formats' codes are those of the tables."""

from __future__ import annotations

from tilepath import isa
from tilepath.models.unpack import formats
from tilepath.tests.unpack import model_formats as F


def test_formats_agree_with_the_tables() -> None:
    for code, row in isa.formats.formats().items():
        assert F.QUARTERS[code] * 2 == row.bits
        assert (code in F.BFP_SHIFT) == row.shared
        assert getattr(formats, row.name) == code
