# SPDX-License-Identifier: Apache-2.0
"""Environment of the tiny block, for tests of the engine."""

from __future__ import annotations
