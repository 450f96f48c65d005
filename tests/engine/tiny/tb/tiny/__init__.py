# SPDX-License-Identifier: Apache-2.0
"""Environment of the tiny block, for tests of the kernel."""

from __future__ import annotations
