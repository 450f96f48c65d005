# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the control block: wait gates, config, sync and scalar unit."""

from __future__ import annotations
