# SPDX-License-Identifier: Apache-2.0
"""Tables worked out by hand: the models make of each case what it says."""

from __future__ import annotations

from typing import Final

import pytest

from tilepath.tests.adc import worked as adc
from tilepath.tests.frontend import worked as frontend

TABLES: Final = {"adc": adc.TABLES, "frontend": frontend.TABLES}


@pytest.mark.parametrize(
    ("block", "name"), [(block, name) for block, some in TABLES.items() for name in some.cases()]
)
def test_case(block: str, name: str) -> None:
    TABLES[block].check(TABLES[block].cases()[name])
