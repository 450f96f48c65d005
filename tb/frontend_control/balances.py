# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the joined block: the balances of both, under the joined names."""

from __future__ import annotations

from tilepath.engine.description.balances import Balances
from tilepath.models.frontend_control import RENAMED
from tilepath.tb.control.balances import BALANCES as CONTROL
from tilepath.tb.frontend.balances import BALANCES as FRONTEND

BALANCES = Balances(
    partly=CONTROL.partly,
    pairs=(
        *FRONTEND.pairs,
        *((RENAMED.get(one, one), RENAMED.get(other, other)) for one, other in CONTROL.pairs),
    ),
    rest=FRONTEND.rest + CONTROL.rest,
)
