# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads to measure rates: tests that are no part of the regression."""

from __future__ import annotations

import pyuvm

from tilepath.sequences import pack, unpack
from tilepath.tb.kernel.simulation.test import CosimTest
from tilepath.tests.bench import rates, tiers


@pyuvm.test()
class TiersTest(CosimTest):
    """Runs a request whose test is that of ``tiers`` or of ``rates``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        unpack.TESTS[tiers.TEST.name] = tiers.TEST
        pack.TESTS[rates.TEST.name] = rates.TEST
        super().__init__(name, parent)
