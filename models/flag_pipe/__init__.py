# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``flag_pipe``: TPUSH, TPOP and TFREE between a cube and two vectors."""

from __future__ import annotations

from tilepath.models.flag_pipe.model import FlagPipeModel

__all__ = ["FlagPipeModel"]
