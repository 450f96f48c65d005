# SPDX-License-Identifier: Apache-2.0
"""What the stimulus of every block is made with; knows no block."""

from __future__ import annotations
