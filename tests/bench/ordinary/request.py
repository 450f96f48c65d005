# SPDX-License-Identifier: Apache-2.0
"""What a run of the ordinary bench is told, through an environment variable."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

VARIABLE = "TILEPATH_ORDINARY"


@dataclass(frozen=True)
class OrdinaryRequest:
    """One run: ``cycles`` of a block's ``test`` with ``seed``; its figures go to ``outcome``.

    It is checked every ``block_cycles``, and ends with the first such block that has ``cycles``.
    """

    block: str
    test: str
    seed: int
    cycles: int
    block_cycles: int
    outcome: str
    profile: str = "baseline"

    def to_json(self) -> str:
        """The request as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> OrdinaryRequest:
        """The request that ``to_json`` made a text of."""
        return cls(**json.loads(text))
