# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``flag_pipe``: TPUSH, TPOP and TFREE between a cube and two vectors.

- ``rules``: endpoints, commands and plans; ``plan``: what a command will do, its errors, flags and
  addresses (T3, T5 to T8, T15, T19, T21);
- ``memory``: the memories, and what stands in for the cores' computing;
- ``untimed``: ``FlagPipe``, which walks lists of commands and moves tiles, without time;
- ``timing``, ``timing_state``: in which cycle, from counts of beats alone;
- ``cycle``, ``cycle_records``, ``model``, ``waiting``: ``FlagPipeModel``, cycle-exact: time and
  values joined;
- ``account``, ``cycle_account``: what the latter can tell of what happened.
"""

from __future__ import annotations

from tilepath.models.flag_pipe.model import FlagPipeModel
from tilepath.models.flag_pipe.rules import Error, Op
from tilepath.models.flag_pipe.untimed import Command, FlagPipe, Outcome, Response

__all__ = ["Command", "Error", "FlagPipe", "FlagPipeModel", "Op", "Outcome", "Response"]
