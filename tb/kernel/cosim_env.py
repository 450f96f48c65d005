# SPDX-License-Identifier: Apache-2.0
"""Names shared by the launcher and the test inside the simulator."""

from __future__ import annotations

REQUEST_VARIABLE = "TILEPATH_REQUEST"  # path of the request that the simulator is to run
