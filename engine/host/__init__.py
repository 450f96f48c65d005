# SPDX-License-Identifier: Apache-2.0
"""What runs outside the simulator: compiles a harness, starts a run and judges what it left."""

from __future__ import annotations
