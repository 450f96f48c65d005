# SPDX-License-Identifier: Apache-2.0
"""The project that the engine's own designs are in: it has one profile and no words."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.engine.project import Project

PROJECT: Final = Project(Path(__file__).resolve().parent, "designs")
