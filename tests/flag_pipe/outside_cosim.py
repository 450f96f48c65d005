# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads for a ring where no memory is: a test that nobody could name."""

from __future__ import annotations

from typing import Final

import pyuvm

from tilepath.engine.description.stimulus import Context
from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.flag_pipe import TESTS
from tilepath.sequences.flag_pipe.script import C2V, Config, Script, script_test


def _outside(script: Script, _ctx: Context) -> None:
    beat = script.setup.beat
    script.both(0, Config(C2V, beat, gm=1 << 30, c2v=0, v2c=0)).push(0).pop(1).release(1)


TEST: Final = script_test(
    "outside", "a ring between what there is of global memory", _outside, {}, untimed=False
)


@pyuvm.test()
class OutsideTest(CosimTest):
    """Runs a request whose test is ``TEST``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS[TEST.name] = TEST
        super().__init__(name, parent)
