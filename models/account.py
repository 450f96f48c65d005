# SPDX-License-Identifier: Apache-2.0
"""What a golden model can tell of what it did, beside the records that it expects.

An account is an array of records for each kind of thing that happened (a command, a counter that
one touched, two commands that met), a row each in the order of events, with its cycle; where a
model goes thread by thread, of the events of a thread. The dtypes, with units and decisions, are in
``models/<block>/account.py``. It serves coverage, reports and
whoever wants to know; a model that was not asked for it leaves none, and no record that the model
expects depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from tilepath.models.records import Records


@runtime_checkable
class LeavesAccount(Protocol):
    """A cycle-exact model that leaves an account.

    Attributes:
        account: of the last step, in one part or several, one behind the other: kind → rows, of
            all kinds or some. The next step may overwrite them. None before :meth:`keep_account`.
    """

    account: Sequence[Mapping[str, Records]]

    def keep_account(self) -> None:
        """Leave an account from the next step on; this is called before the first one only."""
