# SPDX-License-Identifier: Apache-2.0
"""The verification environment: one folder per block; what they share is in engine/."""

from __future__ import annotations
