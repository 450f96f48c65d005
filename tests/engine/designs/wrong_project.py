# SPDX-License-Identifier: Apache-2.0
"""A module whose ``PROJECT`` is none."""

from __future__ import annotations

PROJECT = "designs"
