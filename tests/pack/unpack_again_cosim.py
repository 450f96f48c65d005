# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads for tiles that packers wrote: their bytes are in a file."""

from __future__ import annotations

import os
from typing import Final

import numpy as np
import pyuvm

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.unpack import TESTS
from tilepath.tests.pack import unpack_again

VARIABLE: Final = "TILEPATH_PACKED_L1"


def _stimulus(ctx: Context) -> Stimulus:
    script = unpack_again.unpack(ctx.test, np.load(os.environ[VARIABLE]), ctx.profile)
    return {name: [made] for name, made in script.take().items()}


SPECS: Final = {
    name: TestSpec(name, "tiles that packers wrote", "program", _stimulus, floor={"answer_d": 1})
    for name in unpack_again.PROGRAMS
}


@pyuvm.test()
class AgainTest(CosimTest):
    """Runs a request whose test is one of ``SPECS``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS.update(SPECS)
        super().__init__(name, parent)
