# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads for a deadlock, which is no test that anybody could name."""

from __future__ import annotations

import pyuvm

from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.control import TESTS
from tilepath.sequences.control.deadlock import DEADLOCKS


@pyuvm.test()
class DeadlockTest(CosimTest):
    """Runs a request whose test is one of ``DEADLOCKS``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS.update(DEADLOCKS)
        super().__init__(name, parent)
