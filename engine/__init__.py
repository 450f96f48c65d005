# SPDX-License-Identifier: Apache-2.0
"""The co-verification kernel: record at the boundary, compare in blocks of cycles.

Nothing in this package knows a particular block. A block is described in ``tb/<block>/block.py``.
"""

from __future__ import annotations
