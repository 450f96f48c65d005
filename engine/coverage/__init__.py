# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: points, crosses, exclusions, counts, files and their sum."""

from __future__ import annotations
