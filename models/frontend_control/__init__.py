# SPDX-License-Identifier: Apache-2.0
"""Golden model of the joined block ``frontend+control``: docs/control.md section 10."""

from __future__ import annotations

from tilepath.isa.boundary.frontend_control import RENAMED
from tilepath.models.frontend_control.joined import JoinedModel

__all__ = ["RENAMED", "JoinedModel"]
