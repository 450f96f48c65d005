# SPDX-License-Identifier: Apache-2.0
"""Golden model of the joined block ``frontend+control``: docs/control.md section 10."""

from __future__ import annotations

from tilepath.models.frontend_control.joined import RENAMED, JoinedModel

__all__ = ["RENAMED", "JoinedModel"]
