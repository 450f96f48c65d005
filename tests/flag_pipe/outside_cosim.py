# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads for a ring where no memory is: a test that nobody could name."""

from __future__ import annotations

from typing import Final

import pyuvm

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.flag_pipe import TESTS
from tilepath.sequences.flag_pipe.script import INIT, TPUSH, Script


def _outside(ctx: Context) -> Stimulus:
    script = Script(ctx.profile)
    config = {"dir_mask": 1, "slot_size": script.setup.beat, "gm_base": 1 << 30}
    script.command(0, INIT, **config).command(1, INIT, **config).command(0, TPUSH)
    return {name: [made] for name, made in script.take().items()}


TEST: Final = TestSpec(
    "outside",
    "a ring between what there is of global memory",
    "directed",
    _outside,
    floor={},
    untimed=False,
)


@pyuvm.test()
class OutsideTest(CosimTest):
    """Runs a request whose test is ``TEST``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS[TEST.name] = TEST
        super().__init__(name, parent)
