# SPDX-License-Identifier: Apache-2.0
"""tilepath: the tile data path of an AI accelerator as RTL, golden model and pyuvm environment.

The root of the checkout is the package: ``tilepath.isa`` is ``isa/``, ``tilepath.models`` is
``models/``, and so on.
"""

from __future__ import annotations

__version__ = "0.1.0"
