# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads to measure rates and kernels: tests that no regression has."""

from __future__ import annotations

import pyuvm

from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences import datapath, pack, unpack
from tilepath.tests.bench import kernels, rates, tiers


@pyuvm.test()
class TiersTest(CosimTest):
    """Runs a request whose test is that of ``tiers``, ``rates`` or ``kernels``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        unpack.TESTS[tiers.TEST.name] = tiers.TEST
        datapath.TESTS[kernels.TEST.name] = kernels.TEST
        pack.TESTS[rates.TEST.name] = rates.TEST
        super().__init__(name, parent)
