# SPDX-License-Identifier: Apache-2.0
"""The project that the tiny block is in: it has one profile and no words."""

from __future__ import annotations

from typing import Final

from tilepath.engine.project import ENGINE, Project

PROJECT: Final = Project(ENGINE.parent, "tilepath")
