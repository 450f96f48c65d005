# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``frontend``: FIFO, MOP expander and replay expander of the three threads.

``untimed*.py`` say which words come out and serve :class:`FunctionalThread` and ``expand…``;
``timing*.py`` say in which cycle, and serve :class:`FrontendModel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilepath.models.frontend.untimed import FunctionalThread, expand, expand_mop, expand_replay
from tilepath.models.lazy_names import later

if TYPE_CHECKING:
    from tilepath.models.frontend.timing import FrontendModel
else:
    __getattr__ = later(__name__, FrontendModel="timing")

__all__ = ["FrontendModel", "FunctionalThread", "expand", "expand_mop", "expand_replay"]
