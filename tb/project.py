# SPDX-License-Identifier: Apache-2.0
"""What the engine has to know of this project."""

from __future__ import annotations

from typing import Final

from tilepath.engine.project import ENGINE, Project
from tilepath.isa import assemble, errata, profiles

PROJECT: Final = Project(ENGINE.parent, "tilepath", profiles, assemble, errata.named)
