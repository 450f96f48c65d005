# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the packers: they finish."""

from __future__ import annotations

from tilepath.tb.kernel.description.accounts import Accounts
from tilepath.tb.pack.streams import ALL_IDLE

ACCOUNTS = Accounts(rest=(("busy", "value", ALL_IDLE),))
