# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads to measure rates: a test that is no part of the regression."""

from __future__ import annotations

import pyuvm

from tilepath.sequences.unpack import TESTS
from tilepath.tb.kernel.simulation.test import CosimTest
from tilepath.tests.bench.tiers import TEST


@pyuvm.test()
class TiersTest(CosimTest):
    """Runs a request whose test is ``tiers``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS[TEST.name] = TEST
        super().__init__(name, parent)
