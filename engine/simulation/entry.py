# SPDX-License-Identifier: Apache-2.0
"""What the simulator loads: the one pyuvm test, told by the environment what to run."""

from __future__ import annotations

import pyuvm

from tilepath.engine.simulation.test import CosimTest


@pyuvm.test(keep_singletons=True)  # or it would forget what files of tests have overridden
class Cosim(CosimTest):
    """Runs the request named by the environment variable ``TILEPATH_REQUEST``."""
