# SPDX-License-Identifier: Apache-2.0
"""The verification environment: the kernel and one folder per block."""

from __future__ import annotations
