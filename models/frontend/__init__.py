# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``frontend``: FIFO, MOP expander and replay expander of the three threads."""

from __future__ import annotations

from tilepath.models.frontend.cycle import FrontendModel
from tilepath.models.frontend.functional import FunctionalThread, expand, expand_mop, expand_replay

__all__ = ["FrontendModel", "FunctionalThread", "expand", "expand_mop", "expand_replay"]
