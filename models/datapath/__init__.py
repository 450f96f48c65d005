# SPDX-License-Identifier: Apache-2.0
"""Golden model of the joined design: every block's model on what that block got (docs/datapath.md).

- ``joined``: the models of all blocks, side by side;
- ``connections``: what a block got against what its neighbour gave.
"""

from __future__ import annotations

from tilepath.models.datapath.joined import DatapathModel, l1_sums

__all__ = ["DatapathModel", "l1_sums"]
